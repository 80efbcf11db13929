//! Schemes by which a world is stepped.

/// How a step treats contacts and inertia. All but the first are of first order in the time step and move bodies with the velocity at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Stepper {
    /// Free flight for half a step, one contact problem at the midpoint for the velocity at the end, free flight for the other half, and a projection on
    /// what carries: of second order where motion is smooth. Islands in which something arrives make a step of Stewart and Trinkle's instead, after which
    /// contacts are closed and the velocity at the end obeys the law too.
    #[default]
    Midpoint,
    /// Contacts within reach of the step obey ν + gap/h ≥ 0: bodies arrive at a surface and do not pass it \[Stewart and Trinkle 1996\].
    StewartTrinkle,
    /// Only contacts that touch, with ν ≥ 0 \[Anitescu and Potra 1997\]: a body that arrives sinks in by as much as it moves in a step, h times
    /// its speed, and penetration correction then moves it out. The problem is solvable whatever the gaps, and contacts are fewer.
    AnitescuPotra,
    /// Forces at one moment \[Baraff 1994\], with J v̇ + J̇v = 0 at joints and N v̇ + Ṅv ≥ 0 at contacts \[Drumwright (17), (18)\]: a contact that slips has friction against the slip that it has at the start of the step, one that
    /// does not is static. Impacts are resolved first, as impulses. Where no finite force exists (Painlevé), an impulse over the step
    /// is applied, and counted.
    Acceleration,
    /// First-order physics, also called quasi-static \[Lloyd TR 2; Baraff 1994\]: velocity is proportional to force, (𝓜/T) v = f + C f_c, with the
    /// relaxation time T of [`Settings::relaxation`](crate::Settings::relaxation). No velocity is carried from step to step and nothing bounces. Contacts
    /// are those of Stewart and Trinkle.
    FirstOrder,
}

impl Stepper {
    /// Every scheme.
    pub const ALL: [Self; 5] = [
        Self::Midpoint,
        Self::StewartTrinkle,
        Self::AnitescuPotra,
        Self::Acceleration,
        Self::FirstOrder,
    ];

    /// Whether velocities are carried from step to step.
    #[must_use]
    pub fn has_inertia(self) -> bool {
        self != Self::FirstOrder
    }

    /// Name in scenes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Midpoint => "midpoint",
            Self::StewartTrinkle => "stewart-trinkle",
            Self::AnitescuPotra => "anitescu-potra",
            Self::Acceleration => "acceleration",
            Self::FirstOrder => "first-order",
        }
    }
}
