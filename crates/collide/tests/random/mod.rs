//! Seeded numbers, directions and poses.
#![allow(dead_code, unreachable_pub)]

use stiction_collide::{Pose, Quat, Vec3};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Rng(pub u64);

impl Rng {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// In 0 .. count.
    #[allow(clippy::cast_possible_truncation)]
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// In low .. high.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In a cube about the origin.
    pub fn vector(&mut self, half: f64) -> Vec3 {
        Vec3::new(
            self.range(-half, half),
            self.range(-half, half),
            self.range(-half, half),
        )
    }

    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector(1.0);
            if (0.01..1.0).contains(&v.norm()) {
                return v.normalize();
            }
        }
    }

    /// Any rotation.
    pub fn rotation(&mut self) -> Quat {
        loop {
            let (v, w) = (self.vector(1.0), self.range(-1.0, 1.0));
            let q = nalgebra::Quaternion::new(w, v.x, v.y, v.z);
            if (0.01..1.0).contains(&q.norm()) {
                return Quat::new_normalize(q);
            }
        }
    }

    pub fn pose(&mut self, half: f64) -> Pose {
        Pose {
            position: self.vector(half),
            rotation: self.rotation(),
        }
    }
}
