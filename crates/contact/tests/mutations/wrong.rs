//! What can go wrong in an answer.

use super::{Case, Random};

/// A mistake in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mistake {
    Pull,
    MissingWeight,
    TooMuch,
    FrictionHelps,
    FrictionTurned,
    FrictionWeak,
    FrictionBeyondCone,
    OtherLaw,
    OpenPush,
    JointOff,
    HugePair,
    Everything,
}

impl Mistake {
    pub(crate) const ALL: [Self; 12] = [
        Self::Pull,
        Self::MissingWeight,
        Self::TooMuch,
        Self::FrictionHelps,
        Self::FrictionTurned,
        Self::FrictionWeak,
        Self::FrictionBeyondCone,
        Self::OtherLaw,
        Self::OpenPush,
        Self::JointOff,
        Self::HugePair,
        Self::Everything,
    ];
}

/// An impulse that is not small for the problem: the largest, else momentum.
fn reference(case: &Case) -> f64 {
    let answer = &case.answer;
    let largest = answer.contacts.iter().flatten().chain(&answer.joints);
    let largest = largest.fold(0.0_f64, |m, p| m.max(p.abs()));
    if largest > 0.0 {
        return largest;
    }
    let momentum = |b: &super::Block| b.mass[0] * b.v_free.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    case.blocks.iter().map(momentum).fold(0.0, f64::max)
}

/// Makes the mistake, of relative size `x`; does nothing where it does not apply.
pub(crate) fn spoil(case: &mut Case, mistake: Mistake, x: f64, random: &mut Random) {
    let reference = reference(case);
    let pick = |list: Vec<usize>, random: &mut Random| (!list.is_empty()).then(|| list[random.below(list.len())]);
    let contacts = &mut case.answer.contacts;
    let all = 0..contacts.len();
    let pushing = all.clone().filter(|i| contacts[*i][0] > 0.0).collect();
    let open = all.clone().filter(|i| contacts[*i] == [0.0; 3]).collect();
    let rubbing = all
        .clone()
        .filter(|i| contacts[*i][1] != 0.0 || contacts[*i][2] != 0.0)
        .collect();
    let turn = |[n, x, y]: [f64; 3], (sin, cos): (f64, f64)| [n, cos * x - sin * y, sin * x + cos * y];
    match mistake {
        Mistake::Pull => {
            if let Some(i) = pick(all.collect(), random) {
                let own = if contacts[i][0] > 0.0 {
                    contacts[i][0]
                } else {
                    reference
                };
                contacts[i] = [-x * own, 0.0, 0.0];
            }
        }
        Mistake::MissingWeight | Mistake::TooMuch => {
            let sign = if mistake == Mistake::TooMuch { 1.0 } else { -1.0 };
            if let Some(i) = pick(pushing, random) {
                contacts[i][0] *= 1.0 + sign * x;
            }
        }
        Mistake::FrictionHelps | Mistake::FrictionTurned | Mistake::FrictionWeak | Mistake::FrictionBeyondCone => {
            if let Some(i) = pick(rubbing, random) {
                contacts[i] = match mistake {
                    Mistake::FrictionHelps => turn(contacts[i], (0.0, -x)),
                    Mistake::FrictionTurned => turn(contacts[i], x.sin_cos()),
                    Mistake::FrictionWeak => turn(contacts[i], (0.0, 1.0 - x)),
                    _ => turn(contacts[i], (0.0, 1.0 + x)),
                };
            }
        }
        Mistake::OtherLaw => {
            // None at all, or along the nearest of eight directions.
            let share = if random.unit() < 0.5 { 0.0 } else { 1.0 };
            for [_, fx, fy] in contacts {
                let step = std::f64::consts::FRAC_PI_4;
                let (size, angle) = (share * fx.hypot(*fy), (fy.atan2(*fx) / step).round() * step);
                (*fx, *fy) = (size * angle.cos(), size * angle.sin());
            }
        }
        Mistake::OpenPush => {
            if let Some(i) = pick(open, random) {
                contacts[i][0] = x * reference;
            }
        }
        Mistake::JointOff => {
            let joints = &mut case.answer.joints;
            if let Some(k) = pick((0..joints.len()).collect(), random) {
                joints[k] += x * if joints[k] == 0.0 { reference } else { joints[k] };
            }
        }
        Mistake::HugePair => huge_pair(case, x, random),
        Mistake::Everything => {
            for p in contacts.iter_mut().flatten().chain(&mut case.answer.joints) {
                *p *= 1.0 + x * random.between(-1.0, 1.0);
            }
        }
    }
}

/// Impulses that cancel, up to 1e8 of those that are right, beside a mistake.
fn huge_pair(case: &mut Case, x: f64, random: &mut Random) {
    let factor = random.power(0.0, 8.0);
    if case.name == "vice" {
        for p in &mut case.answer.contacts {
            p[0] *= factor;
        }
        case.answer.contacts[0][1] *= 1.0 - x;
    } else if case.name == "train" && case.joints.len() == 2 {
        // The same row in two sizes.
        let size = |k: usize| case.joints[k].row[0].1[0];
        let (first, second) = (size(0), size(1));
        let pair = factor * case.answer.joints[0].abs() * first;
        case.answer.joints[0] += pair / first * (1.0 + x);
        case.answer.joints[1] -= pair / second;
    }
}
