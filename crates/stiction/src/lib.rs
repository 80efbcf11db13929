//! Exact rigid-body contact, with proof.
//!
//! A step of a world, or one contact problem, is solved so that Coulomb's law holds at every contact, and a judge that knows nothing of the solver says so from the
//! problem's own data. Where no answer is verified, that is said too.
//!
//! A world from a scene, stepped, and the force of a contact:
//!
//! ```
//! # #[cfg(feature = "scene")] {
//! use stiction::sim::World;
//! use stiction::record::ContactsRecord;
//! use stiction::scene::{Scene, WorldExt};
//! let text = r#"
//! format = 1
//! world = { friction = 0.5 }
//! body = [
//!     { name = "ground", shape = { half_space = [0, 0, 1] } },
//!     { name = "box", shape = { box = [1, 1, 1] }, mass = 3, position = [0, 0, 0.5] },
//! ]"#;
//! let scene = Scene::parse(text, ".")?;
//! let mut world = World::from_scene(&scene)?;
//! for _ in 0..100 {
//!     world.step()?;
//! }
//! let contacts = ContactsRecord::of(&world).contacts;
//! let weight: f64 = contacts.iter().map(|contact| contact.normal_force).sum();
//! assert!((weight - 3.0 * 9.81).abs() < 1e-9);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! One contact problem, solved and judged:
//!
//! ```
//! use stiction::contact::{ContactProblem, ContactSolver, Options, Status};
//! let mut problem = ContactProblem::new();
//! let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
//! let block = problem.add_block(&mass, &[0.3, 0.0, -1.0])?;
//! problem.add_contact(&[(block, [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]])], 0.5)?;
//! let solution = ContactSolver::new(Options::default())?.solve(&problem)?.clone();
//! assert_eq!(solution.status, Status::Solved);
//! assert!((solution.normal_impulse[0] - 2.0).abs() < 1e-12);
//! # Ok::<(), stiction::contact::InputError>(())
//! ```

#[cfg(feature = "sim")]
pub use stiction_collide as collide;
pub use stiction_contact as contact;
#[cfg(feature = "formats")]
pub use stiction_formats as formats;
pub use stiction_lcp as lcp;
#[cfg(feature = "scene")]
pub use stiction_record as record;
#[cfg(feature = "scene")]
pub use stiction_scene as scene;
#[cfg(feature = "sim")]
pub use stiction_sim as sim;
#[cfg(feature = "stand")]
pub use stiction_stand as stand;
