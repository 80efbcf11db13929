//! Where a ray meets a shape.

use super::flat;
use crate::shape::{Polytope, Shape};
use crate::{Pose, Vec3};

/// Points beyond a side of a triangle by this share of the distances at hand still lie on it: no ray slips through between two.
const SEAM_REL_TOL: f64 = 1e-12;

/// A ray with a unit direction.
#[derive(Debug, Clone, Copy)]
pub struct Ray {
    /// Where it begins \[m\].
    pub origin: Vec3,
    /// Unit direction.
    pub direction: Vec3,
    /// How far it goes \[m\]; may be infinite.
    pub reach: f64,
}

/// How far along a ray, and the normal towards its origin.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// Distance from the origin of the ray \[m\].
    pub distance: f64,
    /// Unit normal of the surface there, towards where the ray came from.
    pub normal: Vec3,
}

impl Ray {
    /// The first place where it meets a posed shape.
    #[must_use]
    pub fn cast(&self, shape: &Shape, pose: &Pose) -> Option<Hit> {
        let inner = Self {
            origin: pose.point_in_body(self.origin),
            direction: pose.direction_in_body(self.direction),
            reach: self.reach,
        };
        let hit = inner.in_frame(shape)?;
        let fits = hit.distance.is_finite() && hit.distance <= self.reach;
        fits.then(|| Hit {
            distance: hit.distance,
            normal: pose.direction(hit.normal),
        })
    }

    /// The same, the shape not turned at the origin.
    fn in_frame(&self, shape: &Shape) -> Option<Hit> {
        match shape {
            Shape::HalfSpace { normal } => self.half_space(*normal),
            Shape::Ball { radius } => self.ball(Vec3::zeros(), *radius),
            Shape::Capsule { half_length, radius } => self.capsule(*half_length, *radius),
            Shape::Cylinder { half_height, radius } => self.cylinder(*half_height, *radius),
            Shape::Ellipsoid { semi_axes } => self.ellipsoid(semi_axes),
            Shape::Polytope(polytope) => self.polytope(polytope),
            Shape::Mesh(mesh) => {
                let mut first: Option<Hit> = None;
                mesh.along(&self.origin, &self.direction, self.reach, |k| {
                    let met = self.triangle(&mesh.pieces[k].solid);
                    if let Some(hit) = met.filter(|hit| first.is_none_or(|f| hit.distance < f.distance)) {
                        first = Some(hit);
                    }
                    first.map_or(self.reach, |hit| hit.distance)
                });
                first
            }
            Shape::Planar(flat) => self.in_frame(&flat::in_space(flat)),
            Shape::Compound(parts) => {
                let hits = parts.iter().filter_map(|(pose, part)| self.cast(part, pose));
                hits.reduce(|a, b| if b.distance < a.distance { b } else { a })
            }
        }
    }

    fn at(&self, distance: f64) -> Vec3 {
        self.origin + self.direction * distance
    }

    /// It starts inside.
    fn inside(&self) -> Hit {
        Hit {
            distance: 0.0,
            normal: -self.direction,
        }
    }

    fn half_space(&self, normal: Vec3) -> Option<Hit> {
        let (height, speed) = (normal.dot(&self.origin), normal.dot(&self.direction));
        if height <= 0.0 {
            return Some(self.inside());
        }
        (speed < 0.0).then(|| Hit {
            distance: height / -speed,
            normal,
        })
    }

    /// In units of its semi-axes it is a ball of radius 1.
    fn ellipsoid(&self, semi_axes: &Vec3) -> Option<Hit> {
        let direction = self.direction.component_div(semi_axes);
        let scale = direction.norm();
        let scaled = Ray {
            origin: self.origin.component_div(semi_axes),
            direction: direction / scale,
            reach: self.reach * scale,
        };
        if scaled.origin.norm_squared() <= 1.0 {
            return Some(self.inside());
        }
        let hit = scaled.ball(Vec3::zeros(), 1.0)?;
        Some(Hit {
            distance: hit.distance / scale,
            normal: hit.normal.component_div(semi_axes).normalize(),
        })
    }

    fn ball(&self, centre: Vec3, radius: f64) -> Option<Hit> {
        let from = self.origin - centre;
        if from.norm_squared() <= radius * radius {
            return Some(self.inside());
        }
        let along = from.dot(&self.direction);
        // The squared distance of the centre from the line.
        let room = radius * radius - (from - self.direction * along).norm_squared();
        if along >= 0.0 || room < 0.0 {
            return None;
        }
        let distance = (-along - room.sqrt()).max(0.0);
        Some(Hit {
            distance,
            normal: (from + self.direction * distance)
                .try_normalize(0.0)
                .unwrap_or(-self.direction),
        })
    }

    /// The round side and the two balls, whichever is first.
    fn capsule(&self, half_length: f64, radius: f64) -> Option<Hit> {
        let (o, d) = (&self.origin, &self.direction);
        let on_axis = Vec3::new(0.0, 0.0, o.z.clamp(-half_length, half_length));
        if (o - on_axis).norm_squared() <= radius * radius {
            return Some(self.inside());
        }
        let ends = [-half_length, half_length].map(|z| self.ball(Vec3::new(0.0, 0.0, z), radius));
        let across = d.x * d.x + d.y * d.y;
        let (distance, _) = enter_circle(o, d, radius).unwrap_or((f64::INFINITY, f64::INFINITY));
        let side = (across > 0.0 && distance >= 0.0)
            .then(|| self.at(distance))
            .filter(|x| x.z.abs() <= half_length)
            .map(|x| Hit {
                distance,
                normal: Vec3::new(x.x, x.y, 0.0).try_normalize(0.0).unwrap_or(-self.direction),
            });
        let hits = ends.into_iter().chain([side]).flatten();
        hits.reduce(|a, b| if b.distance < a.distance { b } else { a })
    }

    fn cylinder(&self, half_height: f64, radius: f64) -> Option<Hit> {
        let (o, d) = (&self.origin, &self.direction);
        if o.z.abs() <= half_height && o.x * o.x + o.y * o.y <= radius * radius {
            return Some(self.inside());
        }
        let (enter_side, leave_side) = enter_circle(o, d, radius)?;
        let (enter_cap, leave_cap) = if d.z == 0.0 {
            if o.z.abs() > half_height {
                return None;
            }
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            let (p, q) = ((-half_height - o.z) / d.z, (half_height - o.z) / d.z);
            (p.min(q), p.max(q))
        };
        let (distance, leave) = (enter_side.max(enter_cap), leave_side.min(leave_cap));
        if distance > leave || distance < 0.0 {
            return None;
        }
        let normal = if enter_cap >= enter_side {
            Vec3::new(0.0, 0.0, -d.z.signum())
        } else {
            let x = self.at(distance);
            Vec3::new(x.x, x.y, 0.0).try_normalize(0.0).unwrap_or(-self.direction)
        };
        Some(Hit { distance, normal })
    }

    fn polytope(&self, body: &Polytope) -> Option<Hit> {
        let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut normal = -self.direction;
        for face in &body.faces {
            let (height, speed) = (
                face.normal.dot(&self.origin) - face.offset,
                face.normal.dot(&self.direction),
            );
            if speed < 0.0 && -height / speed > enter {
                (enter, normal) = (-height / speed, face.normal);
            } else if speed > 0.0 {
                leave = leave.min(-height / speed);
            } else if speed == 0.0 && height > 0.0 {
                return None;
            }
        }
        if enter > leave || leave < 0.0 {
            return None;
        }
        if enter <= 0.0 {
            return Some(self.inside());
        }
        Some(Hit {
            distance: enter,
            normal,
        })
    }

    /// The triangle on top of a prism, from either side.
    fn triangle(&self, solid: &Polytope) -> Option<Hit> {
        let face = &solid.faces[0];
        let height = face.normal.dot(&self.origin) - face.offset;
        let distance = -height / face.normal.dot(&self.direction);
        if !(distance >= 0.0 && distance <= self.reach) {
            return None;
        }
        let x = self.at(distance);
        let slack = SEAM_REL_TOL * (solid.size + x.amax());
        let on = face
            .sides
            .iter()
            .zip(&face.corners)
            .all(|(side, corner)| side.dot(&(x - solid.vertices[*corner])) <= slack);
        on.then_some(Hit {
            distance,
            normal: if height < 0.0 { -face.normal } else { face.normal },
        })
    }
}

/// Where a line is inside a round column about z: from, to. None where it misses it.
fn enter_circle(o: &Vec3, d: &Vec3, radius: f64) -> Option<(f64, f64)> {
    let (dd, od, oo) = (d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y);
    if dd == 0.0 {
        return (oo <= radius * radius).then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    // Of the place nearest to the axis: digits are kept far away from it.
    let nearest = -od / dd;
    let (x, y) = (o.x + d.x * nearest, o.y + d.y * nearest);
    let room = radius * radius - x * x - y * y;
    if room < 0.0 {
        return None;
    }
    let half = (room / dd).sqrt();
    Some((nearest - half, nearest + half))
}
