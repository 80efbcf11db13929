//! What is said of a scene before it runs: what is doubtful about it, and what was taken of it.

use std::io::Write as _;
use std::path::Path;

use stiction_scene::Scene;

use stiction_formats::BadInput;
use stiction_formats::bad_input::one_line;

/// Body groups that are listed before the rest is only counted.
const MAX_LISTED_GROUPS: usize = 12;

/// With `strict` warnings are errors.
pub(super) fn refuse(scene: &Scene, file: &Path, strict: bool) -> Result<(), BadInput> {
    if strict && !scene.warnings.is_empty() {
        return Err(BadInput::lines(warnings(scene, file)));
    }
    Ok(())
}

/// Says the warnings on stderr.
pub(super) fn warn(scene: &Scene, file: &Path) {
    for line in warnings(scene, file) {
        // Nothing is left to do where messages cannot be written.
        let _ = writeln!(std::io::stderr(), "warning: {line}");
    }
}

/// The same, then one line for each group of bodies, and what robots' files say that the scene does not take.
pub(super) fn say(scene: &Scene, file: &Path) {
    warn(scene, file);
    for line in bodies(scene).into_iter().chain(scene.notes.iter().cloned()) {
        let _ = writeln!(std::io::stderr(), "{}: {}", file.display(), one_line(&line));
    }
}

/// `FILE:LINE:COLUMN: path.to.key: what is doubtful, value found`, a line each.
pub(super) fn warnings(scene: &Scene, file: &Path) -> Vec<String> {
    scene.warnings.iter().map(|warning| warning.in_file(file)).collect()
}

/// `4 boxes 0.2 × 0.2 × 0.2 m, 8 kg each, friction 0.5`, a line for each group of bodies.
pub(super) fn bodies(scene: &Scene) -> Vec<String> {
    let groups = scene.summary();
    let mut lines: Vec<String> = groups.iter().take(MAX_LISTED_GROUPS).map(ToString::to_string).collect();
    let rest = &groups[lines.len()..];
    if !rest.is_empty() {
        let bodies: usize = rest.iter().map(|group| group.count).sum();
        lines.push(format!("{bodies} more bodies of {} other kinds", rest.len()));
    }
    lines
}
