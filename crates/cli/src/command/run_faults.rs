//! Faults of a run that made all its steps: joints that do not hold at its end, or unexplained energy gain.

use std::fmt::Write as _;
use std::path::Path;

use stiction_sim::{ENERGY_GAIN, EnergyGain, JointError, World};

use stiction_formats::figures::{figure, small};

/// Joints that a message names before the rest is only counted.
const MAX_NAMED_JOINTS: usize = 12;

/// The faults of a run at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faults {
    joints_apart: bool,
    energy_gained: bool,
}

impl Faults {
    /// Of a world at the end of its run.
    pub(super) fn of(world: &World, gain: EnergyGain) -> Self {
        Self {
            joints_apart: !world.joints_that_fail().is_empty(),
            energy_gained: gain.is_failure(),
        }
    }

    /// The status of a run with them; none where there are none.
    pub(super) fn status(self) -> Option<&'static str> {
        match self {
            Self { joints_apart: true, .. } => Some("joints_apart"),
            Self {
                energy_gained: true, ..
            } => Some("energy_gained"),
            _ => None,
        }
    }

    /// One line for each.
    pub(super) fn message(self, world: &World, gain: EnergyGain, file: &Path) -> String {
        let (file, mut text) = (file.display(), String::new());
        if self.joints_apart {
            let failing = world.joints_that_fail();
            let one = |e: &JointError| format!("{} by {} m and {} rad", e.name, small(e.metres), small(e.radians));
            let mut names = failing
                .iter()
                .take(MAX_NAMED_JOINTS)
                .map(one)
                .collect::<Vec<_>>()
                .join(", ");
            if failing.len() > MAX_NAMED_JOINTS {
                // Writing to a String cannot fail.
                let _ = write!(names, " and {} more", failing.len() - MAX_NAMED_JOINTS);
            }
            let _ = writeln!(text, "{file}: joints are apart at the end: {names}");
        }
        if self.energy_gained {
            let _ = writeln!(
                text,
                "{file}: the run gained energy: {} J not explained by work, above {} of the {} J in play",
                small(gain.gain),
                figure(ENERGY_GAIN),
                small(gain.in_play)
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use stiction_sim::Settings;

    use super::*;

    #[test]
    fn a_gain_beyond_the_limit_has_a_status_and_a_line() {
        let world = World::new(Settings::default()).expect("a world");
        let gain = |gain: f64| EnergyGain { gain, in_play: 2.0 };
        assert_eq!(Faults::of(&world, gain(0.019)).status(), None);
        let faults = Faults::of(&world, gain(0.5));
        assert_eq!(faults.status(), Some("energy_gained"));
        let line = "a.toml: the run gained energy: 5.0e-1 J not explained by work, above 0.01 of the 2.0e0 J in play\n";
        assert_eq!(faults.message(&world, gain(0.5), Path::new("a.toml")), line);
    }
}
