//! Joint coordinates: read from bodies, and bodies placed by them.

use super::links::{Freedom, Link};
use crate::compound::{Compound, Few, MOST};
use crate::joint::{Joint, JointKind, half_turn};
use crate::model::Model;
use crate::state::BodyState;
use crate::{Pose, Quat, Vec3};

/// Where a link is beside the body that it hangs on, and how it moves there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// Rotation within the frames of the joint, about their z axis where it turns about that; of a ball that of the body in the axes of the other.
    turned: Quat,
    /// Way along the z axis of the frames \[m\].
    way: f64,
    /// Turn rate, speed, or spin in the axes of the other body, by what the joint leaves free.
    pub(super) rate: Vec3,
    /// A point of the joint, and its axis.
    pub(super) point: Vec3,
    pub(super) axis: Vec3,
    /// What the relative spin is multiplied with for the rate of a turn: its axis, or across the axes of the other turns of its joint.
    pub(super) across: Vec3,
    /// Coordinate of a turn or a slide \[rad or m\].
    pub(super) x: f64,
    /// Inertia of the rotor along it.
    pub(super) rotor: f64,
    /// Constant force along it.
    pub(super) push: f64,
    /// How far the joint is open \[m, rad\], and how fast what it holds moves \[m/s\].
    pub(super) open: [f64; 2],
    pub(super) parting: f64,
}

/// A link as it is placed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) pose: Pose,
    /// A point of the joint.
    pub(super) point: Vec3,
    /// Its axis.
    pub(super) axis: Vec3,
}

/// The rotation by a vector \[rad\]. Of small angles by its series, which is as exact, and quick.
pub(super) fn turn_by(by: Vec3) -> Quat {
    let square = 0.25 * by.norm_squared();
    if square > SMALL {
        return crate::integrate::exp(by).unwrap_or_else(Quat::identity);
    }
    let (cosine, sinc) = half_angle(square);
    let v = (0.5 * sinc) * by;
    Quat::new_unchecked(nalgebra::Quaternion::new(cosine, v.x, v.y, v.z))
}

/// Square of half an angle up to which its series are as exact as functions.
const SMALL: f64 = 0.04;

/// cos(x) and sin(x)/x of half an angle, from its square up to [`SMALL`].
#[inline]
fn half_angle(square: f64) -> (f64, f64) {
    let sinc = 1.0
        + square
            * (-1.0 / 6.0
                + square
                    * (1.0 / 120.0
                        + square * (-1.0 / 5040.0 + square * (1.0 / 362_880.0 + square * (-1.0 / 39_916_800.0)))));
    let cosine = 1.0
        + square
            * (-0.5
                + square
                    * (1.0 / 24.0
                        + square * (-1.0 / 720.0 + square * (1.0 / 40_320.0 + square * (-1.0 / 3_628_800.0)))));
    (cosine, sinc)
}

/// A frame turned about its z axis: by an angle \[rad\] beyond a turn about it.
fn turned_about_z(frame: &Quat, turned: &Quat, by: f64) -> Quat {
    let square = 0.25 * by * by;
    if square > SMALL {
        return frame * (turn_by(Vec3::new(0.0, 0.0, by)) * turned);
    }
    let (cosine, sinc) = half_angle(square);
    let sine = 0.5 * sinc * by;
    let (w, k) = (cosine * turned.w - sine * turned.k, cosine * turned.k + sine * turned.w);
    let f = frame.as_ref();
    Quat::new_unchecked(nalgebra::Quaternion::new(
        f.w * w - f.k * k,
        f.i * w + f.j * k,
        f.j * w - f.i * k,
        f.k * w + f.w * k,
    ))
}

/// The z axis of a frame.
fn z_of(frame: &Quat) -> Vec3 {
    let q = frame.as_ref();
    Vec3::new(
        2.0 * (q.i * q.k + q.w * q.j),
        2.0 * (q.j * q.k - q.w * q.i),
        1.0 - 2.0 * (q.i * q.i + q.j * q.j),
    )
}

/// A quaternion of unit length again.
fn unit(q: Quat) -> Quat {
    Quat::new_normalize(q.into_inner())
}

/// How far the joint of a link is open \[m, rad\].
pub(super) fn open(model: &Model, link: &Link, bodies: &[BodyState]) -> [f64; 2] {
    let Some(joint) = link.joint.filter(|_| link.is_body).map(|k| &model.joints[k]) else {
        return [0.0; 2];
    };
    if let JointKind::Compound(compound) = &joint.kind {
        return Motions::read(compound, joint, bodies).open;
    }
    let [own, on] = &link.frames;
    let (body, base) = (&bodies[link.body].pose, &bodies[link.base].pose);
    let apart = body.point(own.position) - base.point(on.position);
    if link.freedom == Freedom::Ball {
        return [apart.norm(), 0.0];
    }
    let frame = base.rotation * on.rotation;
    let between = (frame.inverse() * (body.rotation * own.rotation)).into_inner();
    match link.freedom {
        Freedom::Turn => [apart.norm(), 2.0 * libm::hypot(between.i, between.j)],
        Freedom::Slide => {
            let axis = frame * Vec3::z();
            [(apart - axis.dot(&apart) * axis).norm(), 2.0 * between.imag().norm()]
        }
        _ => [apart.norm(), 2.0 * between.imag().norm()],
    }
}

impl Start {
    /// That of a link of a tree that flies.
    fn free() -> Self {
        Self {
            turned: Quat::identity(),
            way: 0.0,
            rate: Vec3::zeros(),
            point: Vec3::zeros(),
            axis: Vec3::zeros(),
            across: Vec3::zeros(),
            x: 0.0,
            rotor: 0.0,
            push: 0.0,
            open: [0.0; 2],
            parting: 0.0,
        }
    }

    /// Reads that of a link; the point and the axis of its joint.
    pub(super) fn read(model: &Model, link: &Link, bodies: &[BodyState]) -> Self {
        let Some(joint) = link.joint.map(|k| &model.joints[k]) else {
            return Self::free();
        };
        let [own, on] = &link.frames;
        let (body, base) = (&bodies[link.body], &bodies[link.base]);
        let point = base.pose.point(on.position);
        let apart = body.pose.point(own.position) - point;
        let spin = body.spin - base.spin;
        let at = point + apart;
        let velocity = body.velocity_at(&at) - base.velocity_at(&at);
        let mut start = Self {
            open: [apart.norm(), 0.0],
            parting: velocity.norm(),
            point,
            ..Self::free()
        };
        if link.freedom == Freedom::Ball {
            start.turned = base.pose.rotation.inverse() * body.pose.rotation;
            start.rate = base.pose.direction_in_body(spin);
            return start;
        }
        let frame = base.pose.rotation * on.rotation;
        let between = (frame.inverse() * (body.pose.rotation * own.rotation)).into_inner();
        let axis = frame * Vec3::z();
        let lever = model.joint_size(joint);
        (start.axis, start.across) = (axis, axis);
        match link.freedom {
            Freedom::Turn => {
                start.open[1] = 2.0 * libm::hypot(between.i, between.j);
                start.turned = Quat::new_normalize(nalgebra::Quaternion::new(between.w, 0.0, 0.0, between.k));
                start.x = 2.0 * half_turn(libm::atan2(between.k, between.w));
                start.rate = Vec3::new(0.0, 0.0, axis.dot(&spin));
                start.parting += lever * (spin - start.rate.z * axis).norm();
            }
            Freedom::Slide => {
                start.way = axis.dot(&apart);
                start.point += start.way * axis;
                start.x = start.way;
                start.open = [(apart - start.way * axis).norm(), 2.0 * between.imag().norm()];
                start.rate = Vec3::new(0.0, 0.0, axis.dot(&velocity));
                start.parting = (velocity - start.rate.z * axis).norm() + lever * spin.norm();
            }
            _ => {
                start.open[1] = 2.0 * between.imag().norm();
                start.parting += lever * spin.norm();
            }
        }
        start
    }

    /// The same with its coordinate farther by `by`.
    pub(super) fn advance(&mut self, freedom: Freedom, by: Vec3) {
        self.x += by.z;
        match freedom {
            Freedom::Turn | Freedom::Ball => self.turned = unit(turn_by(by) * self.turned),
            Freedom::Slide => self.way += by.z,
            Freedom::Free | Freedom::None => {}
        }
    }

    /// The link where its coordinate is farther by `by`, on a base that is placed.
    pub(super) fn place(&self, link: &Link, base: &Pose, by: Vec3) -> Placed {
        if link.freedom == Freedom::Free {
            return Placed {
                pose: *base,
                point: base.position,
                axis: Vec3::zeros(),
            };
        }
        let [own, on] = &link.frames;
        let mut point = base.point(on.position);
        if link.freedom == Freedom::Ball {
            let rotation = unit(base.rotation * (turn_by(by) * self.turned));
            let position = point - rotation * own.position;
            return Placed {
                pose: Pose { position, rotation },
                point,
                axis: Vec3::zeros(),
            };
        }
        let frame = base.rotation * on.rotation;
        let axis = z_of(&frame);
        let mut rotation = frame;
        match link.freedom {
            Freedom::Turn => rotation = turned_about_z(&frame, &self.turned, by.z),
            Freedom::Slide => point += (self.way + by.z) * axis,
            _ => {}
        }
        let rotation = unit(rotation * own.rotation.inverse());
        let position = point - rotation * own.position;
        Placed {
            pose: Pose { position, rotation },
            point,
            axis,
        }
    }
}

/// Coordinates of a compound joint as its bodies stand.
struct Motions {
    q: [f64; MOST],
    /// How far the frames are from what the coordinates say \[m, rad\].
    open: [f64; 2],
}

impl Motions {
    fn read(compound: &Compound, joint: &Joint, bodies: &[BodyState]) -> Self {
        let [a, b] = joint.frames(bodies);
        let between = Pose {
            position: b.point_in_body(a.position),
            rotation: b.rotation.inverse() * a.rotation,
        };
        let (mut q, count) = ([0.0; MOST], compound.axes.len());
        compound.set_coordinates(&between, &mut q[..count]);
        let said = compound.pose(&q[..count]);
        let turned = (between.rotation * said.rotation.inverse()).into_inner();
        let open = [(between.position - said.position).norm(), 2.0 * turned.imag().norm()];
        Self { q, open }
    }
}

/// Reads those of the links of a compound joint, from the base outwards. The last knows how far the joint is open, and how fast what it holds moves.
pub(super) fn read_motions(model: &Model, links: &[Link], bodies: &[BodyState], out: &mut Vec<Start>) {
    out.clear();
    let Some(joint) = links[0].joint.map(|k| &model.joints[k]) else {
        return;
    };
    let JointKind::Compound(compound) = &joint.kind else {
        return;
    };
    let motions = Motions::read(compound, joint, bodies);
    let (mut turns, mut slides) = (Few::default(), Few::default());
    let [body, base] = [links[0].body, links[0].base].map(|body| &bodies[body]);
    let mut on = base.pose;
    for (n, link) in links.iter().enumerate() {
        let index = if link.places_a { n } else { links.len() - 1 - n };
        let (axis, q) = (&compound.axes[index], motions.q[index]);
        let by = link.sign() * (q - axis.zero);
        let mut start = Start::free();
        start.x = link.sign() * q;
        match link.freedom {
            Freedom::Turn => {
                let half = [libm::cos(0.5 * by), libm::sin(0.5 * by)];
                start.turned = Quat::new_normalize(nalgebra::Quaternion::new(half[0], 0.0, 0.0, half[1]));
            }
            _ => start.way = by,
        }
        let placed = start.place(link, &on, Vec3::zeros());
        (start.point, start.axis, on) = (placed.point, placed.axis, placed.pose);
        match link.freedom {
            Freedom::Turn => turns.push(placed.axis),
            _ => slides.push(placed.axis),
        }
        out.push(start);
    }
    // ω = Σ wᵢ q̇ᵢ and v_p = Σ wᵢ × (p − cᵢ) q̇ᵢ + Σ dⱼ q̇ⱼ, at the centre of mass.
    let mut spin = body.spin - base.spin;
    let mut velocity = body.velocity - base.velocity_at(&body.pose.position);
    let ways = [(Freedom::Turn, turns.dual()), (Freedom::Slide, slides.dual())];
    for (freedom, dual) in ways {
        let driving = if freedom == Freedom::Turn { spin } else { velocity };
        let own = out.iter_mut().zip(links).filter(|(_, link)| link.freedom == freedom);
        for ((start, _), dual) in own.zip(dual.all()) {
            start.rate.z = dual.dot(&driving);
            start.across = *dual;
            if freedom == Freedom::Turn {
                spin -= start.rate.z * start.axis;
                velocity -= start.rate.z * start.axis.cross(&(body.pose.position - start.point));
            } else {
                velocity -= start.rate.z * start.axis;
            }
        }
    }
    if let Some(last) = out.last_mut() {
        last.open = motions.open;
        last.parting = velocity.norm() + model.joint_size(joint) * spin.norm();
    }
}
