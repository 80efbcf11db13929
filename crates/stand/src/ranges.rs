//! Forces that are not the only ones: the range that a pair's normal force can have among all that balance the load, as programs found it.

use crate::equilibrium::Equilibrium;
use crate::program::{Cones, Ending, Velocities};

/// Least and largest sum of the normal forces of some contacts \[N\]; infinite where they can be wedged. `None` where a program failed.
#[must_use]
pub fn normal_range(whole: &Equilibrium, contacts: &[usize]) -> Option<[f64; 2]> {
    let mut ends = [0.0; 2];
    for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
        // max c·f over balanced f is min −w·v with Gᵀv − c in the dual cones.
        let mut shifts = vec![0.0; whole.contacts().len()];
        for j in contacts {
            shifts[*j] = sign;
        }
        let cones = Cones {
            shifts: &shifts,
            limited: Some(1.0),
            ..Cones::default()
        };
        let mut program = Velocities::new(whole, &cones);
        program.set_load(whole.load());
        let found = program.rows.solve();
        *end = match found.ending {
            Ending::Solved => sign * found.objective * program.scale.load,
            Ending::Infeasible => sign * f64::INFINITY,
            _ => return None,
        };
    }
    Some([ends[0].max(0.0), ends[1]])
}
