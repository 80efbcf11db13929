//! Questions to a world between steps: what a ray hits, how far bodies are from each other and from points.
//!
//! Shapes are solids, except that a triangle mesh is a surface: a ray hits it from either side, and a body overlaps it where it reaches through a triangle,
//! by as much as it lies below that triangle's plane. Of a compound the nearest part counts. Distances between polytopes, balls,
//! capsules and half-spaces are exact to rounding, those of cylinders to 1e-12 of the bodies' size; how deep a cylinder overlaps is
//! searched for, and never found too small.

mod convex;
mod distance;
mod flat;
mod gjk;
mod overlap;
mod point;
mod ray;

use crate::shape::Shape;
use crate::world::World;
use crate::{Pose, Vec3};

/// Where a ray meets a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// The body.
    pub body: usize,
    /// Where \[m\].
    pub point: Vec3,
    /// Unit normal of the surface there, towards where the ray came from; against the ray where it starts inside the body.
    pub normal: Vec3,
    /// Distance from the origin of the ray \[m\].
    pub distance: f64,
}

/// How far two bodies are from each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Distance \[m\]; negative where they overlap: then moving a by it along the normal parts them, and no shorter move does.
    pub distance: f64,
    /// Closest points of a and b \[m\]: points\[0\] = points\[1\] + distance · normal. Where they overlap, the point of a that lies deepest along the
    /// normal, and its foot on the plane that touches b.
    pub points: [Vec3; 2],
    /// Unit normal, from b to a.
    pub normal: Vec3,
}

impl Separation {
    /// Seen with a and b exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            distance: self.distance,
            points: [self.points[1], self.points[0]],
            normal: -self.normal,
        }
    }
}

/// The place of a body's surface that is nearest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Distance \[m\]; negative inside the body.
    pub distance: f64,
    /// Place on the surface \[m\].
    pub point: Vec3,
    /// Outward unit normal there: the given point is point + distance · normal.
    pub normal: Vec3,
}

/// Distance between two posed shapes; none as for [`World::distance`].
pub(crate) fn separation(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Option<Separation> {
    distance::between(a, b)
}

/// The largest coordinate of a posed shape along a unit direction \[m\]; none where it has no end or nothing of it is there.
pub(crate) fn highest(shape: &Shape, pose: &Pose, direction: Vec3) -> Option<f64> {
    match shape {
        Shape::Compound(parts) => {
            let tops = parts
                .iter()
                .filter_map(|(inner, part)| highest(part, &pose.then(inner), direction));
            tops.reduce(f64::max)
        }
        Shape::Planar(planar) => highest(&flat::in_space(planar), pose, direction),
        _ => Some(convex::Convex::of(shape, pose)?.farthest(&direction).dot(&direction)),
    }
}

impl World {
    /// The first body that a ray meets within a reach \[m\], which may be infinite. The direction may have any length. None where there is
    /// none, or where a number is not finite, the direction is zero or the reach is negative.
    ///
    /// ```
    /// # use stiction_sim::{Vec3, World, scene::Scene};
    /// let text = "format = 1\nbody = [{ shape = { ball = 1 }, position = [5, 0, 0] }]";
    /// let world = World::from_scene(&Scene::parse(text, ".")?)?;
    /// let hit = world.cast_ray(Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0), 10.0).unwrap();
    /// assert_eq!((hit.body, hit.distance, hit.normal), (0, 4.0, -Vec3::x()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cast_ray(&self, origin: Vec3, direction: Vec3, reach: f64) -> Option<RayHit> {
        self.cast_ray_at(origin, direction, reach, |_| true)
    }

    /// The same among some of the bodies.
    #[must_use]
    pub fn cast_ray_at(
        &self,
        origin: Vec3,
        direction: Vec3,
        reach: f64,
        among: impl Fn(usize) -> bool,
    ) -> Option<RayHit> {
        let scale = direction.amax();
        let fits = origin.iter().chain(direction.iter()).all(|x| x.is_finite());
        if !fits || scale == 0.0 || reach.is_nan() || reach < 0.0 {
            return None;
        }
        let direction = (direction / scale).normalize();
        let mut first: Option<RayHit> = None;
        for (body, (shape, state)) in self
            .model
            .bodies
            .iter()
            .map(|b| &b.shape)
            .zip(&self.state.bodies)
            .enumerate()
        {
            if !among(body) {
                continue;
            }
            let reach = first.as_ref().map_or(reach, |hit| hit.distance);
            let ray = ray::Ray {
                origin,
                direction,
                reach,
            };
            // The first body of those at the same distance.
            let met = ray
                .cast(shape, &state.pose)
                .filter(|hit| first.is_none() || hit.distance < reach);
            if let Some(hit) = met {
                first = Some(RayHit {
                    body,
                    point: origin + direction * hit.distance,
                    normal: hit.normal,
                    distance: hit.distance,
                });
            }
        }
        first
    }

    /// Distance between two bodies, whether or not they may collide. None for the same body twice, an index out of range, two bodies of which none ends
    /// (half-spaces, meshes), and a link without geometry.
    #[must_use]
    pub fn distance(&self, a: usize, b: usize) -> Option<Separation> {
        if a == b {
            return None;
        }
        let posed = |i: usize| Some((&self.model.bodies.get(i)?.shape, &self.state.bodies.get(i)?.pose));
        distance::between(posed(a)?, posed(b)?)
    }

    /// Distance of a point from a body. None for an index out of range, a point that is not finite, a link without geometry.
    #[must_use]
    pub fn distance_to_point(&self, body: usize, point: Vec3) -> Option<Nearest> {
        if !point.iter().all(|x| x.is_finite()) {
            return None;
        }
        point::nearest(
            &self.model.bodies.get(body)?.shape,
            &self.state.bodies.get(body)?.pose,
            point,
        )
    }
}
