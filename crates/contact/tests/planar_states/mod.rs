//! All states of one point mass in the plane: whether any velocity is lawful, by exhaustion.
//!
//! An impulse in the plane is a sum of two rays of cones at most. So a lawful velocity is that without contact, or one contact acts, sticking or
//! sliding either way, or two touch and their normals fix the velocity. Each candidate is looked at with every contact that may push there.

use stiction_contact::ContactProblem;

/// Velocities that are off by less count as right: what is not lawful by this much is not lawful at all.
const SLACK: f64 = 1e-7;

type Vector = [f64; 2];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: Vector, b: Vector) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// The mass point and its contacts.
struct Point<'a> {
    problem: &'a ContactProblem,
    mass: f64,
    free: Vector,
    /// Normal, tangent, μ and gap velocity.
    contacts: Vec<(Vector, Vector, f64, f64)>,
}

/// Whether a problem of one point mass in the plane has a lawful velocity; `None` where it is of something else.
pub(crate) fn has_answer(problem: &ContactProblem) -> Option<bool> {
    if problem.dof() != 2 || problem.block_count() != 1 || problem.joint_count() > 0 {
        return None;
    }
    let free = problem.v_free();
    let pair = |x: &[f64]| [x[0], x[1]];
    let contacts = (0..problem.contact_count()).map(|i| {
        let c = problem.columns_tilde(i);
        (pair(c.normal), pair(c.tangents[0]), problem.mu(i), problem.bias(i)[0])
    });
    let point = Point {
        problem,
        mass: problem.mass(0)[0],
        free: [free[0], free[1]],
        contacts: contacts.collect(),
    };
    Some(point.candidates().into_iter().any(|v| point.is_lawful(v)))
}

impl Point<'_> {
    fn candidates(&self) -> Vec<Vector> {
        let mut all = vec![self.free];
        for (i, (n, t, mu, b)) in self.contacts.iter().enumerate() {
            // Sticking: nᵀv = −b, tᵀv = 0.
            all.push([-b * n[0], -b * n[1]]);
            for sign in [-1.0, 0.0, 1.0] {
                // Sliding: v = v_free + θ(n − sμt)/m with nᵀv = −b.
                let theta = -b - dot(*n, self.free);
                all.push([0, 1].map(|k| self.free[k] + theta * (n[k] - sign * mu * t[k])));
            }
            for (m, _, _, c) in &self.contacts[..i] {
                let area = cross(*n, *m);
                if area.abs() > 1e-12 {
                    all.push([(-b * m[1] + c * n[1]) / area, (-c * n[0] + b * m[0]) / area]);
                }
            }
        }
        all
    }

    fn is_lawful(&self, v: Vector) -> bool {
        let nu = |i: usize| dot(self.contacts[i].0, v) + self.contacts[i].3;
        let side = |g: usize, s: usize| {
            let contacts = self.problem.side(g, s).iter();
            contacts.map(|i| nu(*i)).fold(f64::INFINITY, f64::min)
        };
        let value = |g: usize| {
            let sides = (0..self.problem.side_count(g)).map(|s| side(g, s));
            sides.fold(f64::NEG_INFINITY, f64::max)
        };
        let holds = |i: usize| self.problem.side_of(i).is_some() || nu(i) >= -SLACK;
        if !(0..self.contacts.len()).all(holds) || (0..self.problem.group_count()).any(|g| value(g) < -SLACK) {
            return false;
        }
        let may_push = |i: &usize| match self.problem.side_of(*i) {
            None => nu(*i) <= SLACK,
            Some((g, s)) => value(g) <= SLACK && side(g, s) >= -SLACK && nu(*i) <= SLACK,
        };
        let mut rays: Vec<Vector> = Vec::new();
        for i in (0..self.contacts.len()).filter(may_push) {
            let (n, t, mu, _) = self.contacts[i];
            let slip = dot(t, v);
            for sign in [-1.0, 1.0] {
                // Friction against the slip at its limit; any between both limits where there is none.
                if sign * slip >= -SLACK {
                    rays.push([0, 1].map(|k| n[k] - sign * mu * t[k]));
                }
            }
        }
        self.is_sum([0, 1].map(|k| self.mass * (v[k] - self.free[k])), &rays)
    }

    /// Whether an impulse is a sum of rays.
    fn is_sum(&self, p: Vector, rays: &[Vector]) -> bool {
        let slack = SLACK * self.mass;
        if dot(p, p).sqrt() <= slack {
            return true;
        }
        rays.iter().enumerate().any(|(i, a)| {
            let along = cross(*a, p).abs() <= slack * dot(*a, *a).sqrt() && dot(*a, p) >= 0.0;
            along
                || rays[..i].iter().any(|b| {
                    let area = cross(*a, *b);
                    area.abs() > 1e-12 && cross(p, *b) / area >= -slack && cross(*a, p) / area >= -slack
                })
        })
    }
}
