//! Contact problems of known shape: the papers' experiments, larger ones of the same kind, and hard ones.
//!
//! A scenario is one geometry and several random external impulses. Everything is seeded: the same name and seed give the same
//! bits on every machine.

mod many_bodies;
mod one_body;
mod polygon;
mod scene;

use std::path::Path;

use many_bodies::{Grasp, STACKS, Turn, aligned, grasp, grasp_push, stack, stack_push, turns, wall, wall_push};
use one_body::{peg, peg_push, singles};
use scene::{Impulse, Scene};
use stiction_contact::{ContactProblem, InputError};

use crate::campaign::families::Rng;
use stiction_formats::BadInput;
use stiction_formats::read::contact_cases;

/// Seed of every scenario: the date of the paper's conference.
pub const SEED: u64 = 20_050_418;

/// Size of the jittered scenarios' displacements, relative to a side: what single precision leaves of a point.
const JITTER: f64 = 1e-8;

/// Friction coefficient of the grasps \[Drumwright VI\].
const GRASP_MU: f64 = 100.0;

/// What a scenario belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// A peg in its hole: one body, many contacts.
    Peg,
    /// Ten single bodies with 1 to 16 contacts.
    Single,
    /// Single bodies of ArtiSynth's `contactTest.txt`.
    Artisynth,
    /// One to five stacked cubes with 4 to 32 contacts.
    Stack,
    /// Stacks of ten cubes and more.
    Tower,
    /// Brick walls.
    Wall,
    /// Two cubes between two jaws.
    Grasp,
    /// Nearly redundant and repeated contacts, large mass ratios, extreme friction.
    Hard,
}

impl Group {
    /// Every group, in the order of the tables.
    pub const ALL: [Group; 8] = [
        Group::Peg,
        Group::Single,
        Group::Artisynth,
        Group::Stack,
        Group::Tower,
        Group::Wall,
        Group::Grasp,
        Group::Hard,
    ];

    /// Name in tables and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Group::Peg => "peg",
            Group::Single => "single",
            Group::Artisynth => "artisynth",
            Group::Stack => "stack",
            Group::Tower => "tower",
            Group::Wall => "wall",
            Group::Grasp => "grasp",
            Group::Hard => "hard",
        }
    }
}

/// One geometry with its external impulses.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    name: String,
    group: Group,
    scene: Scene,
    impulses: Vec<Vec<Impulse>>,
}

impl Scenario {
    fn new(
        group: Group,
        name: impl Into<String>,
        mut scene: Scene,
        count: usize,
        push: impl Fn(&Scene, &mut Rng) -> Vec<Impulse>,
    ) -> Self {
        let name = name.into();
        let mut rng = Rng::new(seed(&name));
        scene.draw_mu(&mut rng);
        let impulses = (0..count).map(|_| push(&scene, &mut rng)).collect();
        Self {
            name,
            group,
            scene,
            impulses,
        }
    }

    /// The same geometry and impulses under another name, changed.
    fn varied(&self, suffix: &str, change: impl FnOnce(&mut Scene, &mut Rng)) -> Self {
        let name = format!("{}_{suffix}", self.name);
        let mut other = self.clone();
        change(&mut other.scene, &mut Rng::new(seed(&name)));
        Self {
            name,
            group: Group::Hard,
            ..other
        }
    }

    fn with_mu(mut self, mu: f64) -> Self {
        self.scene.set_mu(mu);
        self
    }

    /// Name in tables and files.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the scenario belongs to.
    #[must_use]
    pub fn group(&self) -> Group {
        self.group
    }

    /// Number of bodies.
    #[must_use]
    pub fn body_count(&self) -> usize {
        self.scene.body_count()
    }

    /// Number of contacts.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.scene.contact_count()
    }

    /// Number of external impulses.
    #[must_use]
    pub fn impulse_count(&self) -> usize {
        self.impulses.len()
    }

    /// Velocity without contact under external impulse `index`: v_free = 𝓜⁻¹k.
    ///
    /// # Panics
    /// When there is no such impulse.
    #[must_use]
    pub fn v_free(&self, index: usize) -> Vec<f64> {
        self.scene.free_velocity(&self.impulses[index])
    }

    /// The problem under external impulse `index`.
    ///
    /// # Errors
    /// Never for the scenarios listed here; the signature is that of [`ContactProblem::add_block`].
    ///
    /// # Panics
    /// When there is no such impulse.
    pub fn problem(&self, index: usize) -> Result<ContactProblem, InputError> {
        self.scene.problem(&self.v_free(index))
    }

    /// Velocities without contact of `steps` steps, the first under impulse 0, each impulse changed by `share` of the first one's
    /// length in a random direction.
    ///
    /// # Panics
    /// When the scenario has no impulses.
    #[must_use]
    pub fn drift(&self, steps: usize, share: f64) -> Vec<Vec<f64>> {
        let mut rng = Rng::new(seed(&self.name).wrapping_add(1));
        let mut k = self.impulses[0].clone();
        let size = length(&k);
        (0..steps)
            .map(|_| {
                let v = self.scene.free_velocity(&k);
                let change: Vec<Impulse> = k.iter().map(|_| [0.0; 6].map(|_: f64| rng.normal())).collect();
                let scale = share * size / length(&change);
                for (k, change) in k.iter_mut().flatten().zip(change.iter().flatten()) {
                    *k += scale * change;
                }
                v
            })
            .collect()
    }
}

fn length(k: &[Impulse]) -> f64 {
    k.iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
}

/// FNV-1a of the name, so that a scenario's numbers do not depend on which others are listed.
pub(crate) fn seed(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ SEED, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Every scenario with `count` external impulses each, ArtiSynth's excepted.
#[must_use]
pub fn all(count: usize) -> Vec<Scenario> {
    let mut list = Vec::new();
    list.extend([8, 16, 24, 32, 48, 64, 128, 256, 512].map(|n| a_peg(Group::Peg, n, count)));
    list.extend(singles().into_iter().map(|single| {
        let scene = single.scene.clone();
        Scenario::new(Group::Single, single.name, scene, count, |_, rng| single.push(rng))
    }));
    list.extend(STACKS.map(|(pedestal, cubes)| {
        let cubes: Vec<Turn> = turns(cubes).into_iter().flatten().collect();
        let scene = stack(turns(pedestal)[0], &cubes);
        let name = format!("stack{}_{}", scene.body_count(), scene.contact_count());
        Scenario::new(Group::Stack, name, scene, count, stack_push)
    }));
    list.extend([10, 20, 50, 100].map(|cubes| {
        let name = format!("stack{cubes}_{}", 4 * cubes);
        Scenario::new(Group::Tower, name, aligned(cubes), count, stack_push)
    }));
    for size in [5, 10] {
        let name = format!("wall{size}x{size}");
        list.push(Scenario::new(Group::Wall, name, wall(size, size), count, wall_push));
    }
    for (kind, name) in [(Grasp::Corners, "grasp36_dup"), (Grasp::Grid, "grasp36_face")] {
        let scenario = Scenario::new(Group::Grasp, name, grasp(kind), count, |_, rng| grasp_push(rng));
        list.push(scenario.with_mu(GRASP_MU));
    }
    let hard = hard(&list, count);
    list.extend(hard);
    list
}

fn a_peg(group: Group, n: usize, count: usize) -> Scenario {
    Scenario::new(group, format!("peg{n}"), peg(n), count, |_, rng| peg_push(rng))
}

/// Variants that break solvers: names say what was changed.
fn hard(list: &[Scenario], count: usize) -> Vec<Scenario> {
    let mut hard = Vec::new();
    let mut vary = |names: &[&str], suffix: &str, change: &dyn Fn(&mut Scene, &mut Rng)| {
        for scenario in list.iter().filter(|s| names.contains(&s.name())) {
            hard.push(scenario.varied(suffix, change));
        }
    };
    vary(&["peg16", "s09_corner12", "stack5_32"], "jit", &|scene, rng| {
        scene.jitter(JITTER, rng);
    });
    vary(&["s04_face4", "s09_corner12", "stack3_12"], "x10", &|scene, _| {
        scene.repeat(10);
    });
    vary(&["peg16"], "mu1.5", &|scene, _| scene.set_mu(1.5));
    vary(&["peg16", "s09_corner12", "stack5_20"], "mu1e6", &|scene, _| {
        scene.set_mu(1e6);
    });
    vary(&["peg16", "stack5_20"], "mu0", &|scene, _| scene.set_mu(0.0));
    hard.push(mass_ratio(count));
    hard.extend([1000, 4000].map(|n| a_peg(Group::Hard, n, count)));
    hard
}

/// Five cubes of mass 1, 10, …, 10⁴ from the bottom up, pushed in proportion.
fn mass_ratio(count: usize) -> Scenario {
    let mut scene = aligned(5);
    for (body, factor) in [1.0, 10.0, 1e2, 1e3, 1e4].into_iter().enumerate() {
        scene.scale_mass(body, factor);
    }
    Scenario::new(Group::Hard, "ratio5_20", scene, count, |scene, rng| {
        let mut k = stack_push(&aligned(5), rng);
        for (body, k) in k.iter_mut().enumerate() {
            *k = k.map(|x| x * scene.mass(body));
        }
        k
    })
}

/// ArtiSynth's cases from its `contactTest.txt`: the file's own wrench first, then `count` − 1 random ones about it.
///
/// # Errors
/// One line that names the file, the place and the value found.
pub fn artisynth(file: &Path, count: usize) -> Result<Vec<Scenario>, BadInput> {
    let mut list = Vec::new();
    for (index, case) in contact_cases(file)?.into_iter().enumerate() {
        let mut scene = Scene::default();
        let body = scene.body([0.0; 3], 1.0, [1.0; 3]);
        for (lever, normal) in &case.contacts {
            scene.contact(body, None, *lever, *normal);
        }
        let size = length(&[case.k]);
        let name = format!("artisynth{:02}_{}", index + 1, case.contacts.len());
        let mut scenario = Scenario::new(Group::Artisynth, name, scene, count, |_, rng| {
            vec![case.k.map(|x| x + 0.3 * size * rng.normal())]
        });
        if let Some(first) = scenario.impulses.first_mut() {
            *first = vec![case.k];
        }
        scenario.scene.set_each_mu(&case.mu);
        list.push(scenario);
    }
    Ok(list)
}
