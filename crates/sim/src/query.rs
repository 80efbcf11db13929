//! Questions to a world between steps: what a ray hits, how far bodies are from each other and from points.
//!
//! What a ray, a distance or a point means for each shape is in [`stiction_collide::query`]: shapes are solids, a triangle mesh is a surface.

pub use stiction_collide::query::{Nearest, Separation};
use stiction_collide::query::{Ray, nearest, separation};

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

/// Whether a ray from a point meets a posed shape, or starts in it.
pub(crate) fn meets((shape, pose): (&Shape, &Pose), origin: Vec3, direction: Vec3) -> bool {
    let ray = Ray {
        origin,
        direction,
        reach: f64::INFINITY,
    };
    ray.cast(shape, pose).is_some()
}

impl World {
    /// The first body that a ray meets within a reach \[m\], which may be infinite. The direction may have any length. None where there is
    /// none, or where a number is not finite, the direction is zero or the reach is negative.
    ///
    /// ```
    /// # use stiction_scene::{Scene, WorldExt};
    /// # use stiction_sim::{Vec3, World};
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
            let ray = Ray {
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
        separation(posed(a)?, posed(b)?)
    }

    /// Distance of a point from a body. None for an index out of range, a point that is not finite, a link without geometry.
    #[must_use]
    pub fn distance_to_point(&self, body: usize, point: Vec3) -> Option<Nearest> {
        if !point.iter().all(|x| x.is_finite()) {
            return None;
        }
        nearest(
            &self.model.bodies.get(body)?.shape,
            &self.state.bodies.get(body)?.pose,
            point,
        )
    }
}
