//! Contact answers in words, for a person.

use std::fmt::Write;

use stiction_contact::check::Residual;
use stiction_contact::{ContactProblem, ContactSolution, Law, Ray, Stats, Status};

use super::answer::Timed;
use super::{frame, in_plane};
use crate::read::ContactFile;
use crate::words::{ROWS, counted, small};

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
const NOISE: f64 = 1e-14;

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
            velocity: NOISE * largest(&mut problem.v_free().iter().chain(&solution.velocity).chain(speeds)),
            impulse: NOISE * largest(&mut solution.normal_impulse.iter().chain(frictions)),
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
pub(crate) fn size(file: &ContactFile) -> String {
    let bodies = match file.bodies.len() {
        0 => "no bodies".to_owned(),
        1 => "1 body".to_owned(),
        n => format!("{n} bodies"),
    };
    format!(
        "contact problem, {bodies}, {}, {}",
        counted(file.contacts.len(), "contact"),
        counted(file.joints.len(), "joint")
    )
}

/// The law in words.
pub(crate) fn law(law: Law, directions: usize) -> String {
    match law {
        Law::Frictionless => "frictionless: contacts push along their normals alone".to_owned(),
        Law::Polyhedral => format!("polyhedral: friction within a polygon of {directions} directions"),
        Law::Coulomb => "coulomb: friction within the round cone, opposed to the slip".to_owned(),
        other => other.name().to_owned(),
    }
}

fn meaning(status: Status) -> &'static str {
    match status {
        Status::Solved => {
            "velocities were recomputed from the problem's own data; every contact and joint obeys its law"
        }
        Status::Ray => "the path ended on a ray: the biases ask for internal forces that grow without bound",
        Status::PivotLimit => "the limit on pivots or Newton steps was reached; nothing is proven",
        Status::Inaccurate => "the method ended, but with impulses that the judge refuses",
        Status::NotRound => "the polygon's answer is right, but the round cone was not reached",
        _ => "see the documentation of this status",
    }
}

fn advice(status: Status, infeasible: bool, chosen: bool) -> Option<&'static str> {
    match status {
        Status::Solved => None,
        Status::Ray if infeasible => {
            Some("change the problem: widen the gaps or lower the restitution of these contacts")
        }
        Status::Ray => Some("lower the penetration or restitution of these contacts, or try --restitution poisson"),
        Status::NotRound => {
            Some("use --law polyhedral with more --directions, or the impulses below with their residual")
        }
        _ if chosen => Some("leave out --method, so that other methods are tried"),
        _ => Some(
            "look for joint rows that contradict each other and for sizes far apart: no method at hand solves this",
        ),
    }
}

/// Whether the normal impulses alone cancel, exactly or to rounding.
fn squeezes(ray: &Ray) -> bool {
    ray.infeasible || ray.least_speed > 0.0
}

/// The answer to a contact problem, for a person.
pub(crate) fn explain(file: &ContactFile, problem: &ContactProblem, timed: &Timed, tolerance: f64) -> String {
    let solution = &timed.solution;
    let status = solution.status;
    let mut text = format!("{}: {}\n", file.name, size(file));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}\n", status.name(), meaning(status));
    let _ = writeln!(text, "law        {}", law(solution.law, solution.directions));
    text += &cost(&solution.stats, timed);
    text += &residual(&solution.residual, tolerance);
    let ray = solution.ray.as_ref().filter(|_| status != Status::Solved);
    if let Some(ray) = ray {
        text += &squeeze(file, ray);
    }
    if let Some(advice) = advice(status, ray.is_some_and(squeezes), timed.chosen) {
        let _ = writeln!(text, "next       {advice}");
    }
    if status != Status::Solved && problem.dof() > 0 {
        text += "\nthe best impulses found, not an answer:";
    }
    text += &contacts(file, problem, solution);
    text += &bodies(file, problem, solution);
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
    format!(
        "method     {methods}\ncost       {}, {}, {}, {}, {:.1} us{least}\n",
        counted(stats.pivots, "pivot"),
        counted(stats.newton_steps, "Newton step"),
        counted(stats.fallbacks, "fallback"),
        counted(stats.islands, "island"),
        timed.time_us,
    )
}

/// The judge's figures with what each measures.
fn figures(residual: &Residual) -> [(&'static str, f64, &'static str); 6] {
    [
        ("gap", residual.gap, "velocity into a contact"),
        ("sign", residual.sign, "a normal impulse that pulls"),
        ("complementarity", residual.complementarity, "pushing while separating"),
        ("cone", residual.cone, "friction beyond its limit"),
        (
            "dissipation",
            residual.dissipation,
            "friction that does not oppose the slip with full strength",
        ),
        ("joints", residual.joints, "velocity left in a joint"),
    ]
}

/// The residual and its worst figure.
pub(crate) fn residual(residual: &Residual, tolerance: f64) -> String {
    let all = figures(residual);
    let list: Vec<String> = all
        .iter()
        .map(|(name, value, _)| format!("{name} {}", small(*value)))
        .collect();
    let mut text = format!(
        "residual   {} relative to the problem's size; up to {tolerance:e} counts as solved\n",
        small(residual.worst)
    );
    let worst = all
        .iter()
        .fold(all[0], |worst, figure| if figure.1 > worst.1 { *figure } else { worst });
    if worst.1 > 0.0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "           the worst figure is {}: {}", worst.0, worst.2);
    }
    let _ = writeln!(text, "           {}", list.join(", "));
    text
}

/// A ray in words: who is squeezed, by whom, and what it shows.
fn squeeze(file: &ContactFile, ray: &Ray) -> String {
    let mut parts: Vec<String> = ray
        .contacts
        .iter()
        .map(|(i, impulse)| {
            let name = file.contacts.get(*i).map_or_else(String::new, |contact| {
                format!(
                    " ({} against {})",
                    file.body_name(Some(contact.a)),
                    file.body_name(contact.b)
                )
            });
            format!("contact {i}{name} with {}", short(*impulse))
        })
        .collect();
    parts.extend(
        ray.joints
            .iter()
            .map(|(i, impulse)| format!("joint row {i} with {}", short(*impulse))),
    );
    let more = parts.len().saturating_sub(ROWS);
    parts.truncate(ROWS);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let verdict = if ray.infeasible {
        "these impulses cancel in every body, so no velocity can open all of these contacts as far as they ask"
            .to_owned()
    } else if ray.least_speed > 0.0 {
        let (speed, left) = (small(ray.least_speed), small(ray.defect));
        format!(
            "these impulses cancel in every body but for {left}: to open all of these contacts takes more than {speed} m/s"
        )
    } else {
        "friction takes part in the squeeze: the contacts jam; an answer may exist that was not found".to_owned()
    };
    format!(
        "squeeze    {}{more}\n           {verdict}\n           what is asked for: {} m/s in total; net impulse left: {} relative\n",
        parts.join("; "),
        short(ray.work),
        small(ray.defect)
    )
}

fn contacts(file: &ContactFile, problem: &ContactProblem, solution: &ContactSolution) -> String {
    if file.contacts.is_empty() {
        return String::new();
    }
    let mut rows = vec![[
        "contact".to_owned(),
        "a, b".to_owned(),
        "state".to_owned(),
        "normal N s".to_owned(),
        "friction on a N s".to_owned(),
        "slip of a m/s".to_owned(),
        String::new(),
    ]];
    let noise = Noise::of(problem, solution);
    for (i, contact) in file.contacts.iter().enumerate().take(ROWS) {
        let frame = frame(problem, i, contact.a);
        let [_, x, y] = solution.contact_velocity[i];
        rows.push([
            i.to_string(),
            format!("{}, {}", file.body_name(Some(contact.a)), file.body_name(contact.b)),
            solution.state[i].name().to_owned(),
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
    if file.contacts.len() > ROWS {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "and {} more contacts (--json prints all)",
            file.contacts.len() - ROWS
        );
    }
    if solution.unique.iter().any(|unique| !unique) {
        text += "not unique: touching contacts could share the load otherwise, with the same motion\n";
    }
    text
}

fn bodies(file: &ContactFile, problem: &ContactProblem, solution: &ContactSolution) -> String {
    if file.bodies.is_empty() {
        return String::new();
    }
    let mut rows = vec![["body".to_owned(), "velocity m/s".to_owned(), "angular rad/s".to_owned()]];
    let noise = Noise::of(problem, solution).velocity;
    for (body, name) in file.body_names.iter().enumerate().take(ROWS) {
        let velocity = &solution.velocity[problem.block_range(body)];
        let [linear, angular] = [&velocity[..3], &velocity[3..]].map(|part| vector(part, noise));
        rows.push([name.clone(), linear, angular]);
    }
    let mut text = "\n".to_owned() + &table(&rows);
    if file.bodies.len() > ROWS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "and {} more bodies (--json prints all)", file.bodies.len() - ROWS);
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
