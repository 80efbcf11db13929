//! fdirection \[Baraff (9)\], the step along it, and forces computed anew.

use super::{DEPENDENT, Dantzig, Driven, Rub, SKIP, Set, Stop, length};

impl Dantzig {
    /// Accelerations of the motion v.
    pub(super) fn measure(&mut self) {
        self.columns.along_normals(&self.v, true, &mut self.nu);
        for (i, c) in self.contacts.iter_mut().enumerate() {
            if !matches!(c.rub, Rub::Smooth | Rub::Dynamic(_)) {
                let (t, b) = (self.columns.along_tangents(i, &self.v), self.columns.items[i].bias);
                c.a = [t[0] + b[1], t[1] + b[2]];
            }
        }
    }

    /// Δf for a unit of the driven force: Δa = 0 in C and C_F, Δf_F = μΔf_N along the direction in NC_F \[Baraff (9)\].
    pub(super) fn fdirection(&mut self, driven: Driven) {
        let d = driven.item();
        let push = self.push_of(driven);
        self.kernel.answer(&self.columns, d, push, &mut self.x);
        let k = self.kernel.unknowns().len();
        self.delta_v.fill(0.0);
        self.delta_theta.fill(0.0);
        if self.rough {
            self.contacts.iter_mut().for_each(|c| c.delta_f = [0.0; 2]);
        }
        self.add_change(d, push, 1.0);
        for p in 0..k {
            let (item, push) = {
                let u = &self.kernel.unknowns()[p];
                (u.item, u.push())
            };
            self.add_change(item, push, self.x[p]);
        }
        // Δa = AΔf, through the motion; 0 in C.
        for (i, c) in self.contacts.iter_mut().enumerate() {
            self.delta_nu[i] = if c.set == Set::C {
                0.0
            } else {
                self.columns.along_normal(i, &self.delta_v)
            };
            if !matches!(c.rub, Rub::Smooth | Rub::Dynamic(_)) {
                c.delta_a = self.columns.along_tangents(i, &self.delta_v);
            }
        }
    }

    pub(super) fn add_change(&mut self, item: usize, push: [f64; 3], x: f64) {
        self.delta_theta[item] += push[0] * x;
        if self.rough {
            let c = &mut self.contacts[item];
            c.delta_f[0] += push[1] * x;
            c.delta_f[1] += push[2] * x;
        }
        let p = push.map(|w| w * x);
        self.columns.push_impulse(item, p, &mut self.delta_v);
    }

    /// What a driven force pushes with.
    pub(super) fn push_of(&self, driven: Driven) -> [f64; 3] {
        match driven {
            Driven::Along(_, e) => [0.0, e[0], e[1]],
            Driven::Normal(i) => match self.contacts[i].rub {
                Rub::Dynamic(g) => [1.0, g[0], g[1]],
                _ => [1.0, 0.0, 0.0],
            },
        }
    }

    /// A normal whose effect on itself vanishes is held by others if its acceleration is zero but for rounding: it is left to them.
    /// `true`: the drive is over.
    pub(super) fn pass_over(&mut self, driven: Driven) -> Result<bool, Stop> {
        let Driven::Normal(d) = driven else { return Ok(false) };
        if self.delta_nu[d].abs() > DEPENDENT * self.push_size(driven) {
            return Ok(false);
        }
        self.delta_nu[d] = 0.0;
        if self.theta[d] == 0.0 && self.pivots > self.refreshed_at {
            // Its acceleration may be drift: look again.
            self.refresh()?;
            return Ok(true);
        }
        if self.theta[d] == 0.0 && self.nu[d] >= -SKIP * self.scale {
            self.contacts[d].dependent = true;
            return Ok(true);
        }
        Ok(false)
    }

    /// What the driven force does to itself alone: 1 for a normal in the scaled columns.
    pub(super) fn push_size(&self, driven: Driven) -> f64 {
        match driven {
            Driven::Normal(_) => self.delta_theta.iter().fold(1.0, |m, x| m.max(x.abs())),
            Driven::Along(..) => 1.0,
        }
    }

    pub(super) fn largest_change(&self) -> f64 {
        let theta = self.delta_theta.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !self.rough {
            return theta;
        }
        self.contacts.iter().fold(theta, |m, c| m.max(length(c.delta_f)))
    }

    /// f + sΔf and a + sΔa.
    pub(super) fn advance(&mut self, driven: Driven, s: f64) {
        let d = driven.item();
        for (theta, delta) in self.theta.iter_mut().zip(&self.delta_theta) {
            *theta += s * delta;
        }
        for (nu, delta) in self.nu.iter_mut().zip(&self.delta_nu) {
            *nu += s * delta;
        }
        for (v, delta) in self.v.iter_mut().zip(&self.delta_v) {
            *v += s * delta;
        }
        if self.rough {
            self.advance_friction(d, s);
        }
    }

    /// f_F + sΔf_F and a_F + sΔa_F.
    fn advance_friction(&mut self, d: usize, s: f64) {
        for (i, c) in self.contacts.iter_mut().enumerate() {
            for k in 0..2 {
                c.f[k] += s * c.delta_f[k];
                c.a[k] += s * c.delta_a[k];
            }
            if c.set == Set::C
                && i != d
                && let Rub::Slide(e) = c.rub
            {
                // Exactly at its limit.
                let size = self.columns.items[i].mu * self.theta[i];
                c.f = [size * e[0], size * e[1]];
            }
        }
    }

    /// Forces of the present sets from the problem, refined once, and accelerations from them; sets are corrected where that shows a
    /// wrong sign. An error where the system is singular.
    pub(super) fn refresh(&mut self) -> Result<(), Stop> {
        for _ in 0..=self.contacts.len() {
            if !self.kernel.renew(&self.columns) || !self.solve_for_f() {
                return Err(Stop::Singular);
            }
            let zero = self.zero();
            let mut worst = (None, -zero);
            for (i, c) in self.contacts.iter().enumerate() {
                if c.set == Set::C && !self.columns.items[i].is_joint && self.theta[i] < worst.1 {
                    worst = (Some(i), self.theta[i]);
                }
            }
            let (Some(i), _) = worst else { break };
            self.leave_C(i);
            self.contacts[i].set = Set::Ignored;
            self.pivots += 1;
        }
        self.refreshed_at = self.pivots;
        Ok(())
    }

    /// K x = −(a without the forces sought), with one refinement.
    pub(super) fn solve_for_f(&mut self) -> bool {
        self.v.clear();
        self.v.extend_from_slice(&self.columns.k_x);
        for i in 0..self.contacts.len() {
            let c = &mut self.contacts[i];
            self.theta[i] = 0.0;
            if !(c.rub == Rub::Free && c.set == Set::C) {
                c.f = [0.0; 2];
            } else if c.f != [0.0; 2] {
                let f = c.f;
                self.columns.push_impulse(i, [0.0, f[0], f[1]], &mut self.v);
            }
        }
        for _ in 0..2 {
            self.kernel.along(&self.columns, &self.v, &mut self.b);
            for (b, u) in self.b.iter_mut().zip(self.kernel.unknowns()) {
                let (bias, row) = (self.columns.items[u.item].bias, u.row());
                *b = -(*b + row[0] * bias[0] + row[1] * bias[1] + row[2] * bias[2]);
            }
            let k = self.b.len();
            self.y.resize(k.max(self.y.len()), 0.0);
            self.kernel.solve(&self.b, &mut self.y);
            for p in 0..k {
                let (item, push, x) = {
                    let u = &self.kernel.unknowns()[p];
                    (u.item, u.push(), self.y[p])
                };
                self.theta[item] += push[0] * x;
                let c = &mut self.contacts[item];
                c.f[0] += push[1] * x;
                c.f[1] += push[2] * x;
                self.columns.push_impulse(item, push.map(|w| w * x), &mut self.v);
            }
        }
        self.measure();
        for (i, c) in self.contacts.iter().enumerate() {
            if c.set == Set::C {
                self.nu[i] = 0.0;
            }
        }
        self.theta.iter().all(|x| x.is_finite())
    }
}
