//! Contacts of a step as they are recorded.

use stiction_contact::check::{Answer, Judge, Terms, unique};
use stiction_contact::{ContactState, Law};

use super::message::numbers;
use super::{ContactRecord, ContactsRecord};
use stiction_sim::World;

/// Work that a recording spends on finding which forces of a step are unique, in multiplications: about a millisecond.
const UNIQUENESS_WORK: f64 = 1e6;

impl ContactsRecord {
    /// Contacts of the last step of a world. Which forces are unique is not looked for: [`Self::find_unique`].
    #[must_use]
    pub fn of(world: &World) -> Self {
        let (solution, h) = (world.solution(), world.solved_length());
        let name_of = |body: usize| world.bodies().get(body).map_or(String::new(), |b| b.name.clone());
        let residuals = residuals(world);
        // Limits of joints follow the contacts in the solution.
        let found = solution.normal_impulse.len().min(solution.state.len());
        let record = |(i, contact): (usize, &stiction_sim::collision::Contact)| {
            let [t1, t2] = world.tangents(contact.normal);
            let (normal, friction) = (solution.normal_impulse[i], solution.friction_impulse[i]);
            ContactRecord {
                a: name_of(contact.a),
                b: name_of(contact.b),
                point: numbers(&contact.point),
                normal: numbers(&contact.normal),
                gap: contact.gap,
                normal_force: normal / h,
                friction_force: std::array::from_fn(|k| (friction[0] * t1[k] + friction[1] * t2[k]) / h),
                state: ContactState::name(solution.state[i]).to_owned(),
                friction: (i < world.problem().contact_count())
                    .then(|| world.problem().mu(i))
                    .filter(|mu| mu.is_finite()),
                slip_speed: Some(slip_speed(world, contact)),
                residual: residuals.get(i).copied().filter(|x| x.is_finite()),
                unique: None,
            }
        };
        Self {
            time: world.state().time,
            step: world.state().step,
            contacts: world.contacts().iter().enumerate().take(found).map(record).collect(),
        }
    }

    /// The same as it is recorded: with which forces are unique, where that is found within about a millisecond.
    #[must_use]
    pub fn recorded(world: &World) -> Self {
        let mut contacts = Self::of(world);
        contacts.find_unique(world, UNIQUENESS_WORK);
        contacts
    }

    /// Notes which forces of the last step are unique, if it takes no more than `most` multiplications, by an estimate: the coordinates
    /// of the bodies squared times the columns of the contacts that touch. Nothing is noted otherwise.
    pub fn find_unique(&mut self, world: &World, most: f64) {
        let (problem, solution) = (world.problem(), world.solution());
        let columns = if solution.law == Law::Frictionless { 1 } else { 3 };
        let work = (problem.dof() as f64).powi(2) * (columns * problem.contact_count() + problem.joint_count()) as f64;
        if work > most || solution.contact_velocity.len() != problem.contact_count() {
            return;
        }
        let found = unique(
            problem,
            solution.law,
            &solution.normal_impulse,
            &solution.contact_velocity,
        );
        for (contact, unique) in self.contacts.iter_mut().zip(found) {
            contact.unique = Some(unique);
        }
    }
}

/// Relative speed along the surface after the step \[m/s\], of the bodies: a step of second order solves for the sum of the velocities before and after.
fn slip_speed(world: &World, contact: &stiction_sim::collision::Contact) -> f64 {
    let velocity = |body: usize| {
        let state = world.state().bodies.get(body);
        state.map_or_else(stiction_sim::Vec3::zeros, |s| {
            s.velocity + s.spin.cross(&(contact.point - s.pose.position))
        })
    };
    let relative = velocity(contact.a) - velocity(contact.b);
    (relative - relative.dot(&contact.normal) * contact.normal).norm()
}

/// The judge's largest figure of each contact; empty where the last step has no answer.
fn residuals(world: &World) -> Vec<f64> {
    let (problem, solution, settings) = (world.problem(), world.solution(), world.settings());
    let fits = [solution.normal_impulse.len(), solution.friction_impulse.len()] == [problem.contact_count(); 2]
        && solution.joint_impulse.len() == problem.joint_count();
    if !fits {
        return Vec::new();
    }
    let terms = Terms {
        law: solution.law,
        directions: settings.directions,
        tolerance: settings.tolerance,
    };
    let answer = Answer {
        normal: &solution.normal_impulse,
        friction: &solution.friction_impulse,
        phi: (solution.law == Law::Polyhedral).then_some(solution.phi.as_slice()),
        joint: &solution.joint_impulse,
    };
    Judge::new().contact_residuals(problem, terms, answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_scene::{Scene, WorldExt};

    fn stepped(text: &str) -> World {
        let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
        world.step().unwrap();
        world
    }

    const BOX: &str = r#"
        format = 1
        world = { friction = 0.5, density = 1000 }
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "box", shape = { box = [1, 1, 1] }, position = [0, 0, 0.5] },
        ]"#;

    #[test]
    fn a_contact_has_its_own_figures() {
        let world = stepped(BOX);
        let found = ContactsRecord::of(&world);
        assert_eq!(found.contacts.len(), 4);
        let worst = found.contacts.iter().filter_map(|c| c.residual).fold(0.0, f64::max);
        assert!(worst <= world.solution().residual.worst + 1e-18, "{worst}");
        for contact in &found.contacts {
            assert_eq!((contact.friction, contact.unique), (Some(0.5), None));
            assert!(contact.residual.is_some() && contact.slip_speed.is_some_and(|v| v < 1e-12));
        }
    }

    #[test]
    fn a_slip_is_that_of_the_bodies_after_the_step() {
        let mut world = stepped(&BOX.replace("position = [0, 0, 0.5]", "position = [0, 0, 0.5], velocity = [3, 4, 0]"));
        world.step().unwrap();
        // Friction 0.5 takes 0.5 g h a step.
        let expected = 5.0 - 2.0 * 0.5 * 9.81 * 1e-3;
        for contact in ContactsRecord::of(&world).contacts {
            let found = contact.slip_speed.unwrap();
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
    }

    #[test]
    fn four_corners_share_a_load_and_one_point_does_not() {
        let world = stepped(BOX);
        let mut found = ContactsRecord::of(&world);
        found.find_unique(&world, 10.0);
        assert!(found.contacts.iter().all(|c| c.unique.is_none()), "too much work");
        found.find_unique(&world, UNIQUENESS_WORK);
        assert!(found.contacts.iter().all(|c| c.unique == Some(false)));
        let world = stepped(&BOX.replace("box = [1, 1, 1]", "ball = 0.5"));
        let mut found = ContactsRecord::of(&world);
        found.find_unique(&world, UNIQUENESS_WORK);
        assert_eq!(found.contacts.len(), 1);
        assert_eq!(found.contacts[0].unique, Some(true));
    }

    #[test]
    fn contacts_of_older_files_are_read() {
        let old = r#"{"a":"box","b":"ground","point":[0,0,0],"normal":[0,0,1],"gap":0,"normal_force":1,"friction_force":[0,0,0],"state":"sticking"}"#;
        let read: ContactRecord = serde_json::from_str(old).unwrap();
        assert_eq!(
            (read.friction, read.slip_speed, read.residual, read.unique),
            (None, None, None, None)
        );
    }
}
