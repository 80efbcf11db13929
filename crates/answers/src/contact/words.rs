//! Contact answers in words, for a person.

use std::fmt::Write;

use stiction_contact::check::{Accuracy, Residual};
use stiction_contact::{ContactProblem, ContactSolution, ContactState, Drive, Law, Ray, Stats, Status};

use super::answer::Timed;
use super::{frame, in_plane};
use stiction_formats::Level;
use stiction_formats::figures::{MAX_SHOWN_ROWS, counted, small};
use stiction_formats::read::ContactFile;

/// A number in at most six significant digits: tables are for reading, `--json` prints every bit.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs();
    if !(1e-4..1e6).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let (mut digits, mut bound) = (5, 10.0);
    while digits > 0 && magnitude >= bound {
        (digits, bound) = (digits - 1, bound * 10.0);
    }
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Below this share of the largest value a number is rounding, and a table shows 0.
const ZERO_REL_TOL: f64 = 1e-14;

/// What counts as 0 in a table of velocities and of impulses.
struct Noise {
    velocity: f64,
    impulse: f64,
}

impl Noise {
    fn of(problem: &ContactProblem, solution: &ContactSolution) -> Self {
        let largest = |values: &mut dyn Iterator<Item = &f64>| values.fold(0.0_f64, |m, x| m.max(x.abs()));
        let speeds = solution.contact_velocity.iter().flatten();
        let frictions = solution.friction_impulse.iter().flatten();
        Self {
            velocity: ZERO_REL_TOL * largest(&mut problem.v_free().iter().chain(&solution.velocity).chain(speeds)),
            impulse: ZERO_REL_TOL * largest(&mut solution.normal_impulse.iter().chain(frictions)),
        }
    }
}

fn vector(values: &[f64], noise: f64) -> String {
    let values: Vec<String> = values.iter().map(|value| quiet(*value, noise)).collect();
    format!("({})", values.join(", "))
}

fn quiet(value: f64, noise: f64) -> String {
    short(if value.abs() <= noise { 0.0 } else { value })
}

/// Size of a problem: `2 bodies, 4 contacts, 1 joint`.
#[must_use]
pub fn size(file: &ContactFile, level: Level) -> String {
    let bodies = match file.bodies.len() {
        0 => "no bodies".to_owned(),
        1 => "1 body".to_owned(),
        n => format!("{n} bodies"),
    };
    let problem = match level {
        Level::Velocity => "contact problem",
        Level::Acceleration => "contact problem of forces",
    };
    let groups = match file.groups.len() {
        0 => String::new(),
        count => format!(", {}", counted(count, "nonconvex group")),
    };
    format!(
        "{problem}, {bodies}, {}, {}{groups}",
        counted(file.contact_count(), "contact"),
        counted(file.joints.len(), "joint")
    )
}

/// The law in words.
#[must_use]
pub fn law(law: Law, directions: usize) -> String {
    match law {
        Law::Frictionless => "frictionless: contacts push along their normals alone".to_owned(),
        Law::Polyhedral => format!("polyhedral: friction within a polygon of {directions} directions"),
        Law::Coulomb => "coulomb: friction within the round cone, opposed to the slip".to_owned(),
        Law::CoulombAcceleration => {
            "coulomb-acceleration: static friction within the round cone, dynamic friction against the slip".to_owned()
        }
        Law::CoulombAccelerationAsPublished => {
            "coulomb-acceleration-as-published: static friction that starts to slide need only not help the acceleration"
                .to_owned()
        }
        Law::NoSlip => "no-slip: contacts that stay closed do not slip, whatever friction that takes".to_owned(),
        Law::Viscous => "viscous: friction is the viscosity times the slip at the end of the step".to_owned(),
        Law::ViscousExplicit => "viscous-explicit: friction is the viscosity times the slip at the start".to_owned(),
        Law::CoulombViscous => {
            "coulomb-viscous: friction within the round cone, and the viscosity times the slip at the end of the step".to_owned()
        }
        Law::CoulombViscousAcceleration => {
            "coulomb-viscous-acceleration: static and dynamic friction, and the viscosity times the slip".to_owned()
        }
        other => other.name().to_owned(),
    }
}

fn meaning(status: Status, level: Level) -> String {
    let names = level.names();
    match status {
        Status::Solved => format!(
            "{} were recomputed from the problem's own data; every contact and joint obeys its law",
            names.motions
        ),
        Status::Ray => "the path ended on a ray: the biases ask for internal forces that grow without bound".to_owned(),
        Status::PivotLimit => "the limit on pivots or Newton steps was reached; nothing is proven".to_owned(),
        Status::Inaccurate => format!("the method ended, but with {} that the judge refuses", names.pushes),
        Status::NotRound => "the polygon's answer is right, but the round cone was not reached".to_owned(),
        Status::UnboundedDrive => format!(
            "no finite {} were found: they would have to grow without bound",
            names.pushes
        ),
        Status::NoSide => "the nonconvex groups have no answer; all choices of sides were tried".to_owned(),
        Status::SearchLimit => {
            "the search over sides and states ended at its limit without an answer; nothing is proven".to_owned()
        }
        _ => "see the documentation of this status".to_owned(),
    }
}

fn advice(ray: Option<&Ray>, problem: &ContactProblem, timed: &Timed, level: Level) -> Option<&'static str> {
    match timed.solution.status {
        Status::Solved => None,
        Status::Ray if ray.is_some_and(|ray| ray.contacts.is_empty()) => {
            Some("change the problem: these joint rows contradict each other")
        }
        Status::Ray if level == Level::Acceleration => {
            Some("change the problem: raise the biases of these contacts, or look at those of joint rows")
        }
        Status::Ray if ray.is_some_and(squeezes) => {
            Some("change the problem: widen the gaps or lower the restitution of these contacts")
        }
        Status::Ray => Some("lower the penetration or restitution of these contacts, or try --restitution poisson"),
        Status::UnboundedDrive if timed.beside => None,
        Status::UnboundedDrive if level == Level::Acceleration => {
            Some("--impulse DT finds impulses over a step of DT seconds, which exist where forces do not")
        }
        Status::NotRound => {
            Some("use --law polyhedral with more --directions, or the impulses below with their residual")
        }
        Status::NoSide | Status::SearchLimit if !timed.chosen => {
            Some("lower the penetration of these contacts, or leave out sides that cannot be met")
        }
        _ if timed.chosen => Some("leave out --method, so that other methods are tried"),
        _ if problem.joint_count() > 0 => {
            Some("no method solved this; check for joint rows that contradict each other and for very different scales")
        }
        _ => Some("no method solved this; check for very different scales"),
    }
}

/// Whether the normal impulses alone cancel, exactly or to rounding.
fn squeezes(ray: &Ray) -> bool {
    ray.infeasible || ray.least_speed > 0.0
}

/// The answer to a contact problem, for a person.
#[must_use]
pub fn explain(file: &ContactFile, problem: &ContactProblem, timed: &Timed, tolerance: f64, level: Level) -> String {
    let solution = &timed.solution;
    let status = solution.status;
    let mut text = format!("{}: {}\n", file.name, size(file, level));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}\n", status.name(), meaning(status, level));
    let _ = writeln!(text, "law        {}", law(solution.law, solution.directions));
    text += &cost(&solution.stats, timed);
    text += &residual(&solution.residual, tolerance, level);
    let ray = solution.ray.as_ref().filter(|_| status != Status::Solved);
    if let Some(ray) = ray {
        text += &squeeze(file, ray, level);
    } else if status != Status::Solved {
        text += match status {
            Status::NoSide => "proof      not proven in rationals: all states were tried in doubles\n",
            _ => "proof      not proven: an answer may exist that was not found\n",
        };
    }
    if let Some(drive) = &solution.drive {
        text += &growth(file, problem, drive);
    }
    if let Some(advice) = advice(ray, problem, timed, level) {
        let _ = writeln!(text, "next       {advice}");
    }
    if status != Status::Solved && problem.dof() > 0 {
        let _ = write!(text, "\nthe best {} found, not an answer:", level.names().pushes);
    }
    text += &contacts(file, problem, solution, level);
    text += &bodies(file, problem, solution, level);
    text
}

fn cost(stats: &Stats, timed: &Timed) -> String {
    let methods: Vec<&str> = stats.methods.iter().map(|method| method.name()).collect();
    let methods = if methods.is_empty() {
        "none ran".to_owned()
    } else {
        methods.join(", then ")
    };
    let least = timed
        .time_min_us
        .map_or_else(String::new, |least| format!(" (median; least {least:.1} us)"));
    let handovers = match stats.handovers {
        0 => String::new(),
        handovers => format!("{}, ", counted(handovers, "hand-over")),
    };
    let choices = match stats.choices {
        0 => String::new(),
        1 => "1 choice of sides, ".to_owned(),
        choices => format!("{choices} choices of sides, "),
    };
    let cut = if stats.choices_cut {
        "           the limit on choices of sides was reached: an answer with less impulse may exist\n"
    } else {
        ""
    };
    format!(
        "method     {methods}\ncost       {choices}{}, {}, {handovers}{}, {}, {:.1} us{least}\n{cut}",
        counted(stats.pivots, "pivot"),
        counted(stats.newton_steps, "Newton step"),
        counted(stats.fallbacks, "fallback"),
        counted(stats.islands, "island"),
        timed.time_us,
    )
}

/// The judge's figures with what each measures.
fn figures(residual: &Residual, level: Level) -> [(&'static str, f64, String); 6] {
    let names = level.names();
    let into = format!("{} into a contact", names.motion);
    let pull = format!("a normal {} that pulls", names.push);
    let left = format!("{} left in a joint", names.motion);
    [
        ("gap", residual.gap, into),
        ("sign", residual.sign, pull),
        (
            "complementarity",
            residual.complementarity,
            "pushing while separating".to_owned(),
        ),
        ("cone", residual.cone, "friction beyond its limit".to_owned()),
        (
            "dissipation",
            residual.dissipation,
            "friction that does not oppose the slip with full strength".to_owned(),
        ),
        ("joints", residual.joints, left),
    ]
}

/// The residual and its worst figure.
#[must_use]
pub fn residual(residual: &Residual, tolerance: f64, level: Level) -> String {
    let all = figures(residual, level);
    let list: Vec<String> = all
        .iter()
        .map(|(name, value, _)| format!("{name} {}", small(*value)))
        .collect();
    let mut text = format!(
        "residual   {} relative to the size of its row; up to {tolerance:e} counts as solved\n",
        small(residual.worst)
    );
    if residual.accuracy(tolerance) == Some(Accuracy::Rounding) {
        let excused = small(residual.beyond_rounding);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "accuracy   rounding: {excused} once rounding of the terms of each row is excused"
        );
    }
    let worst = all
        .iter()
        .fold(&all[0], |worst, figure| if figure.1 > worst.1 { figure } else { worst });
    if worst.1 > 0.0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "           the worst figure is {}: {}", worst.0, worst.2);
    }
    let _ = writeln!(text, "           {}", list.join(", "));
    text
}

/// A ray in words: who is squeezed, by whom, and what it shows.
fn squeeze(file: &ContactFile, ray: &Ray, level: Level) -> String {
    let names = level.names();
    let (pushes, unit) = (names.pushes, names.motion_unit);
    let mut parts: Vec<String> = ray
        .contacts
        .iter()
        .map(|(i, impulse)| format!("{} with {}", contact_name(file, *i), short(*impulse)))
        .collect();
    parts.extend(
        ray.joints
            .iter()
            .map(|(i, impulse)| format!("joint row {i} with {}", short(*impulse))),
    );
    let parts = few(parts);
    let verdict = if ray.infeasible && ray.contacts.is_empty() {
        format!(
            "these {pushes} cancel in every body, so no {} satisfies all of these joint rows",
            names.motion
        )
    } else if ray.infeasible {
        format!(
            "these {pushes} cancel in every body, so no {} can open all of these contacts as far as they ask",
            names.motion
        )
    } else if ray.least_speed > 0.0 {
        let (speed, left) = (small(ray.least_speed), small(ray.defect));
        format!(
            "these {pushes} nearly cancel in every body (remainder {left}), so this is no proof: to open all of these contacts takes {speed} {unit} or more"
        )
    } else {
        "friction takes part in the squeeze: the contacts jam; not proven, an answer may exist that was not found"
            .to_owned()
    };
    format!(
        "squeeze    {parts}\n           {verdict}\n           total bias: {} {unit}; unbalanced {}: {} relative\n",
        short(ray.work),
        names.push,
        small(ray.defect)
    )
}

/// `contact 2 (block against world)`.
fn contact_name(file: &ContactFile, contact: usize) -> String {
    let (a, b) = file.ends(contact);
    format!(
        "contact {contact} ({} against {})",
        file.body_name(Some(a)),
        file.body_name(b)
    )
}

/// A list, cut after a few.
fn few(mut parts: Vec<String>) -> String {
    let more = parts.len().saturating_sub(MAX_SHOWN_ROWS);
    parts.truncate(MAX_SHOWN_ROWS);
    let mut text = parts.join("; ");
    if more > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, " and {more} more");
    }
    text
}

/// Forces without bound in words: who takes part, in which direction, and what that means.
fn growth(file: &ContactFile, problem: &ContactProblem, drive: &Drive) -> String {
    let mut parts: Vec<String> = drive
        .contacts
        .iter()
        .map(|(i, normal, friction)| {
            let friction = in_plane(&frame(problem, *i, file.ends(*i).0), *friction);
            format!(
                "{}: normal {}, friction {}",
                contact_name(file, *i),
                short(*normal),
                vector(&friction, ZERO_REL_TOL)
            )
        })
        .collect();
    let rows = drive.joints.iter();
    parts.extend(rows.map(|(i, force)| format!("joint row {i}: {}", short(*force))));
    let dynamic = drive.contacts.iter().any(|(i, ..)| problem.drag(*i).is_some());
    let reason = if dynamic {
        "friction of its own slip presses a contact into the other body (Painlevé): what ends the slip is an impulse"
    } else {
        "the biases ask for more than the contacts can give"
    };
    format!(
        "direction  {}\n           contact {} goes on accelerating inwards however far the forces grow this way\n           {reason}\n",
        few(parts),
        drive.driven
    )
}

/// What a contact does, in a table.
fn state(problem: &ContactProblem, solution: &ContactSolution, contact: usize, level: Level) -> &'static str {
    let state = solution.state[contact];
    if level == Level::Velocity || !solution.law.is_acceleration() {
        return state.name();
    }
    match state {
        ContactState::Separating => "no force",
        ContactState::Sticking => "static, holds",
        ContactState::Sliding if problem.drag(contact).is_some() => "dynamic",
        ContactState::Sliding => "static, starts to slide",
    }
}

fn contacts(file: &ContactFile, problem: &ContactProblem, solution: &ContactSolution, level: Level) -> String {
    if file.contact_count() == 0 {
        return String::new();
    }
    let names = level.names();
    let mut rows = vec![[
        "contact".to_owned(),
        "a, b".to_owned(),
        "state".to_owned(),
        format!("normal {}", names.push_unit),
        format!("friction on a {}", names.push_unit),
        format!("{} of a {}", names.sliding, names.motion_unit),
        String::new(),
    ]];
    let noise = Noise::of(problem, solution);
    for i in 0..file.contact_count().min(MAX_SHOWN_ROWS) {
        let (a, b) = file.ends(i);
        let frame = frame(problem, i, a);
        let [_, x, y] = solution.contact_velocity[i];
        rows.push([
            i.to_string(),
            format!("{}, {}", file.body_name(Some(a)), file.body_name(b)),
            state(problem, solution, i, level).to_owned(),
            quiet(solution.normal_impulse[i], noise.impulse),
            vector(&in_plane(&frame, solution.friction_impulse[i]), noise.impulse),
            vector(&in_plane(&frame, [x, y]), noise.velocity),
            if solution.unique.get(i) == Some(&false) {
                "not unique".to_owned()
            } else {
                String::new()
            },
        ]);
    }
    let mut text = "\n".to_owned() + &table(&rows);
    if file.contact_count() > MAX_SHOWN_ROWS {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "and {} more contacts (--json prints all)",
            file.contact_count() - MAX_SHOWN_ROWS
        );
    }
    if solution.unique.iter().any(|unique| !unique) {
        text += "not unique: touching contacts could share the load otherwise, with the same motion\n";
    }
    text
}

fn bodies(file: &ContactFile, problem: &ContactProblem, solution: &ContactSolution, level: Level) -> String {
    if file.bodies.is_empty() {
        return String::new();
    }
    let names = level.names();
    let mut rows = vec![[
        "body".to_owned(),
        format!("{} {}", names.motion, names.motion_unit),
        format!("angular {}", names.turn_unit),
    ]];
    let noise = Noise::of(problem, solution).velocity;
    for (body, name) in file.body_names.iter().enumerate().take(MAX_SHOWN_ROWS) {
        let velocity = &solution.velocity[problem.block_range(body)];
        let [linear, angular] = [&velocity[..3], &velocity[3..]].map(|part| vector(part, noise));
        rows.push([name.clone(), linear, angular]);
    }
    let mut text = "\n".to_owned() + &table(&rows);
    if file.bodies.len() > MAX_SHOWN_ROWS {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "and {} more bodies (--json prints all)",
            file.bodies.len() - MAX_SHOWN_ROWS
        );
    }
    text
}

/// Columns of equal width, two spaces apart.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let line: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text += line.join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_and_no_trailing_zeros() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (-0.05, "-0.05"),
            (2.0 / 3.0, "0.66667"),
            (123.456_789, "123.457"),
            (100.0, "100"),
            (999_999.0, "999999"),
            (1e7, "1.00e7"),
            (-3e-9, "-3.00e-9"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
