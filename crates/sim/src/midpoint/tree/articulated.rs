//! The motion of a tree with given momenta: ẋ with TᵀMT ẋ = Tᵀp, M the masses of the bodies and T what the joints leave of their motion, in time linear in the number of
//! links. From the ends of a tree to its root every link is taken with what hangs on it as one body with an inertia, less what moves by itself about its joint
//! (articulated bodies, Featherstone, *Rigid Body Dynamics Algorithms*, 2008, §7.3); then motions follow from the root outwards.

use super::links::{Freedom, Link};
use crate::{Mat3, Vec3};

/// Energy ½ v·Av + ω·Bv + ½ ω·Jω − l·v − m·ω of a motion with the velocity v of a point and the spin ω: the least is the motion with the momenta l, m.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inertia {
    pub(super) a: Mat3,
    pub(super) b: Mat3,
    pub(super) j: Mat3,
    pub(super) l: Vec3,
    pub(super) m: Vec3,
    /// Whether B, J and m are nothing.
    is_point: bool,
}

impl Inertia {
    /// A body about its centre of mass.
    pub(super) fn of(mass: f64, inertia: Mat3, [l, m]: [Vec3; 2]) -> Self {
        Self {
            a: Mat3::from_diagonal_element(mass),
            b: Mat3::zeros(),
            j: inertia,
            l,
            m,
            is_point: false,
        }
    }

    /// The same about another point; `r` leads from there to where it was.
    #[inline]
    fn seen_from(&self, r: &Vec3) -> Self {
        // v = v′ + ω × r.
        let cross = r.cross_matrix();
        if self.is_point {
            let b = cross * self.a;
            return Self {
                b,
                j: (cross * b.transpose()).transpose(),
                m: r.cross(&self.l),
                is_point: false,
                ..*self
            };
        }
        let b = self.b + cross * self.a;
        Self {
            a: self.a,
            b,
            j: self.j + (cross * b.transpose()).transpose() + cross * self.b.transpose(),
            l: self.l,
            m: self.m + r.cross(&self.l),
            is_point: false,
        }
    }

    fn add(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
        self.j += other.j;
        self.l += other.l;
        self.m += other.m;
    }
}

/// What acts along the coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Drive {
    /// An inertia and a momentum of its own.
    Yields { inertia: f64, momentum: f64 },
    /// It has this rate.
    Goes(f64),
}

/// Nothing acts.
pub(super) const IDLE: Drive = Drive::Yields {
    inertia: 0.0,
    momentum: 0.0,
};

/// A link on the way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// With all that hangs on it, about its centre of mass.
    pub(super) inertia: Inertia,
    /// Centre of mass, a point of the joint, and its axis.
    pub(super) centre: Vec3,
    pub(super) point: Vec3,
    pub(super) axis: Vec3,
    pub(super) drive: Drive,
    kept: Kept,
    /// The motion that is found.
    pub(super) velocity: Vec3,
    pub(super) spin: Vec3,
    /// Rate of the coordinate of a turn or a slide.
    pub(super) rate: f64,
}

/// What is kept of a joint for the way outwards.
#[derive(Debug, Clone, Copy)]
enum Kept {
    Nothing,
    /// Rate = (momentum − along·v − about·ω)/inertia.
    One {
        inverse: f64,
        along: Vec3,
        about: Vec3,
        momentum: f64,
    },
    /// ω = L⁻ᵀ(momentum − from·v), L the root of the inertia.
    Three {
        root: Root,
        from: Mat3,
        momentum: Vec3,
    },
}

/// Root L of a symmetric positive definite matrix LLᵀ: (1/l₁₁, l₂₁, 1/l₂₂, l₃₁, l₃₂, 1/l₃₃).
#[derive(Debug, Clone, Copy)]
struct Root([f64; 6]);

impl Root {
    fn of(m: &Mat3) -> Option<Self> {
        let a = m.m11.sqrt();
        let (b, d) = (m.m21 / a, m.m31 / a);
        let c = (m.m22 - b * b).sqrt();
        let e = (m.m32 - d * b) / c;
        let f = (m.m33 - d * d - e * e).sqrt();
        (a > 0.0 && c > 0.0 && f > 0.0).then(|| Self([1.0 / a, b, 1.0 / c, d, e, 1.0 / f]))
    }

    /// L⁻¹x.
    fn forward(&self, x: &Vec3) -> Vec3 {
        let [a, b, c, d, e, f] = self.0;
        let p = x.x * a;
        let q = (x.y - b * p) * c;
        Vec3::new(p, q, (x.z - d * p - e * q) * f)
    }

    /// L⁻ᵀx.
    fn backward(&self, x: &Vec3) -> Vec3 {
        let [a, b, c, d, e, f] = self.0;
        let r = x.z * f;
        let q = (x.y - e * r) * c;
        Vec3::new((x.x - b * q - d * r) * a, q, r)
    }

    fn forward_matrix(&self, x: &Mat3) -> Mat3 {
        Mat3::from_columns(&[0, 1, 2].map(|k| self.forward(&x.column(k).into_owned())))
    }
}

impl Node {
    pub(super) fn new(inertia: &Inertia, centre: Vec3, [point, axis]: [Vec3; 2], drive: Drive) -> Self {
        Self {
            inertia: *inertia,
            centre,
            point,
            axis,
            drive,
            kept: Kept::Nothing,
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            rate: 0.0,
        }
    }

    /// Takes what moves by itself about the joint away, and shows the rest to what the link hangs on, about the point of the joint. None where an inertia is not positive.
    #[inline]
    fn take_out(&mut self, freedom: Freedom) -> Option<Inertia> {
        let mut rest = self.inertia.seen_from(&(self.centre - self.point));
        let (along, about, momentum) = match freedom {
            Freedom::Free | Freedom::None => {
                self.kept = Kept::Nothing;
                return Some(rest);
            }
            Freedom::Ball => {
                let root = Root::of(&rest.j)?;
                let (from, momentum) = (root.forward_matrix(&rest.b), root.forward(&rest.m));
                self.kept = Kept::Three { root, from, momentum };
                return Some(Inertia {
                    a: rest.a - from.transpose() * from,
                    b: Mat3::zeros(),
                    j: Mat3::zeros(),
                    l: rest.l - from.transpose() * momentum,
                    m: Vec3::zeros(),
                    is_point: true,
                });
            }
            Freedom::Turn => (
                rest.b.transpose() * self.axis,
                rest.j * self.axis,
                self.axis.dot(&rest.m),
            ),
            Freedom::Slide => (rest.a * self.axis, rest.b * self.axis, self.axis.dot(&rest.l)),
        };
        let (inertia, own) = match self.drive {
            Drive::Yields { inertia, momentum } => (inertia, momentum),
            Drive::Goes(rate) => {
                self.kept = Kept::Nothing;
                self.rate = rate;
                rest.l -= rate * along;
                rest.m -= rate * about;
                return Some(rest);
            }
        };
        let square = match freedom {
            Freedom::Turn => self.axis.dot(&about),
            _ => self.axis.dot(&along),
        };
        let (inverse, momentum) = (1.0 / (square + inertia), momentum + own);
        if !(square > 0.0 && inverse > 0.0) {
            return None;
        }
        self.kept = Kept::One {
            inverse,
            along,
            about,
            momentum,
        };
        let (u, w) = (inverse * along, inverse * about);
        rest.a -= along * u.transpose();
        rest.b -= about * u.transpose();
        rest.j -= about * w.transpose();
        rest.l -= momentum * u;
        rest.m -= momentum * w;
        Some(rest)
    }

    /// The motion of a link that flies.
    fn set_free(&mut self) -> Option<()> {
        let Inertia { a, b, j, l, m, .. } = self.inertia;
        let root = Root::of(&a)?;
        let from = root.forward_matrix(&b.transpose());
        let push = root.forward(&l);
        let turn = Root::of(&(j - from.transpose() * from))?;
        self.spin = turn.backward(&turn.forward(&(m - from.transpose() * push)));
        self.velocity = root.backward(&(push - from * self.spin));
        Some(())
    }

    /// The motion of a link on a base that moves so at the point of the joint.
    fn follow(&mut self, freedom: Freedom, mut velocity: Vec3, mut spin: Vec3) {
        if let Kept::Three { root, from, momentum } = &self.kept {
            spin = root.backward(&(momentum - from * velocity));
        } else {
            if let Kept::One {
                inverse,
                along,
                about,
                momentum,
            } = &self.kept
            {
                self.rate = inverse * (momentum - along.dot(&velocity) - about.dot(&spin));
            }
            match freedom {
                Freedom::Turn => spin += self.rate * self.axis,
                Freedom::Slide => velocity += self.rate * self.axis,
                _ => {}
            }
        }
        self.velocity = velocity + spin.cross(&(self.centre - self.point));
        self.spin = spin;
    }
}

/// Finds the motion of all links with the momenta that they have. None where an inertia is not positive, to rounding.
pub(super) fn solve(links: &[Link], nodes: &mut [Node]) -> Option<()> {
    for k in (0..links.len()).rev() {
        let link = &links[k];
        if link.freedom == Freedom::Free {
            continue;
        }
        let rest = nodes[k].take_out(link.freedom)?;
        if let Some(parent) = link.parent {
            let from = nodes[k].point - nodes[parent].centre;
            let seen = rest.seen_from(&from);
            nodes[parent].inertia.add(&seen);
        }
    }
    for (k, link) in links.iter().enumerate() {
        if link.freedom == Freedom::Free {
            nodes[k].set_free()?;
            continue;
        }
        let (velocity, spin) = link.parent.map_or((Vec3::zeros(), Vec3::zeros()), |parent| {
            let on = &nodes[parent];
            (on.velocity + on.spin.cross(&(nodes[k].point - on.centre)), on.spin)
        });
        nodes[k].follow(link.freedom, velocity, spin);
    }
    Some(())
}
