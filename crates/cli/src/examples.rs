//! The scenes that come with the tool, by name, with the files that they need.

use std::path::{Path, PathBuf};

use stiction_scene::{Change, Scene};

use stiction_contact::nearest::did_you_mean;
use stiction_formats::BadInput;
use stiction_formats::temporary::TemporaryFolder;
use stiction_formats::write::write_whole_in_folder;

/// A scene that is part of the tool. Its name is the file's, with hyphens.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// Files that the scene names, by their path from the scene.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

/// `example!("ramp-hold", "ramp-hold.toml", "robots/a.urdf" = "drumwright/robots/a.urdf")`, paths below `scenes`.
macro_rules! example {
    ($name:literal, $file:literal $(, $path:literal = $beside:literal)*) => {
        Example {
            name: $name,
            text: include_str!(concat!("../scenes/", $file)),
            files: &[$(($path, include_str!(concat!("../scenes/", $beside)))),*],
        }
    };
}

/// All, by what they are about.
pub(crate) const EXAMPLES: &[(&str, &[Example])] = &[
    ("Showcase", &[example!("demo", "demo.toml")]),
    (
        "Friction",
        &[
            example!("ramp-hold", "ramp-hold.toml"),
            example!("ramp-slide", "ramp-slide.toml"),
            example!("ramp-below-friction-angle", "new/ramp_below_friction_angle.toml"),
            example!("ramp-above-friction-angle", "new/ramp_above_friction_angle.toml"),
            example!("planar-ramp", "planar-ramp.toml"),
        ],
    ),
    (
        "Structures",
        &[
            example!("stack-20", "stack-20.toml"),
            example!("tower-tilt", "tower-tilt.toml"),
            example!("tower-on-tilting-table", "new/tower_on_tilting_table.toml"),
            example!("wall-10x10", "wall-10x10.toml"),
            example!("arch-27", "arch-27.toml"),
            example!("planar-arch", "planar-arch.toml"),
            example!("card-house", "new/card_house.toml"),
            example!("overhang", "overhang.toml"),
            example!("prisms", "prisms.toml"),
            example!("mass-ratio", "mass-ratio.toml"),
        ],
    ),
    (
        "Grasps and robots",
        &[
            example!("grasp-4", "grasp-4.toml"),
            example!("grasp", "drumwright/grasp.toml"),
            example!("grasp-coulomb", "drumwright/grasp_coulomb.toml"),
            example!("peg-in-hole-16", "lloyd/peg_in_hole_16.toml"),
            example!(
                "quadruped",
                "quadruped.toml",
                "drumwright/robots/quadruped.urdf" = "drumwright/robots/quadruped.urdf"
            ),
            example!(
                "quadruped-no-slip",
                "drumwright/quadruped_no_slip.toml",
                "robots/quadruped_flat_feet.urdf" = "drumwright/robots/quadruped_flat_feet.urdf"
            ),
        ],
    ),
    (
        "Mechanisms",
        &[
            example!("four-bar", "four-bar.toml"),
            example!("atwood", "new/atwood.toml"),
            example!("capstan", "new/capstan.toml"),
            example!("planetary-gear", "new/planetary_gear.toml"),
            example!("block-feeder", "baraff/block_feeder.toml"),
            example!("double-action-jack", "baraff/double_action_jack.toml"),
        ],
    ),
    ("Rolling and spinning", &[example!("rattleback", "new/rattleback.toml")]),
    (
        "Corners",
        &[
            example!("block-over-hole-convex", "egan/block_over_hole_convex.toml"),
            example!("block-over-hole-nonconvex", "egan/block_over_hole_nonconvex.toml"),
            example!("point-at-corner", "egan/point_at_corner.toml"),
            example!("vertex-vertex", "egan/vertex_vertex.toml"),
            example!("many-sides", "egan/many_sides.toml"),
        ],
    ),
];

/// All examples in the order of the list.
pub(crate) fn all() -> impl Iterator<Item = &'static Example> {
    EXAMPLES.iter().flat_map(|(_, examples)| examples.iter())
}

/// The example of a name; underscores stand for hyphens.
///
/// # Errors
/// A name that is not there, with the nearest that is.
pub(crate) fn find(name: &str) -> Result<&'static Example, BadInput> {
    let wanted = name.replace('_', "-");
    if let Some(example) = all().find(|example| example.name == wanted) {
        return Ok(example);
    }
    let meant = did_you_mean(&wanted, all().map(|example| example.name));
    let problem = format!("must be one that stiction examples lists, found {name}{meant}");
    Err(BadInput::new("example", problem))
}

impl Example {
    /// The first sentence of the scene's head, up to a semicolon.
    pub(crate) fn about(&self) -> String {
        let head: Vec<&str> = self
            .text
            .lines()
            .map_while(|line| line.strip_prefix('#').map(str::trim))
            .collect();
        let head = head.join(" ");
        let letters: Vec<(usize, char)> = head.char_indices().collect();
        // A full stop before a capital ends a sentence; the one in "Fig. 1" does not.
        let end = letters.windows(3).find_map(|w| match w {
            [(at, '.'), (_, ' '), (_, next)] if next.is_uppercase() => Some(*at),
            _ => None,
        });
        let sentence = head[..end.unwrap_or(head.len())].trim_end_matches('.');
        let sentence = sentence.split("; ").next().unwrap_or(sentence);
        // What stands in brackets is the paper.
        let tagged = sentence.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        tagged.map_or_else(|| sentence.to_owned(), |(paper, rest)| format!("{paper}, {rest}"))
    }

    /// The scene, read, with values that take the place of its own; files that it names are laid beside it for the moment.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub(crate) fn scene(&self, changes: &[Change]) -> Result<Scene, BadInput> {
        if self.files.is_empty() {
            return self.parse(Path::new("."), changes);
        }
        let folder = TemporaryFolder::new()?;
        self.write_files(folder.path())?;
        self.parse(folder.path(), changes)
    }

    fn parse(&self, folder: &Path, changes: &[Change]) -> Result<Scene, BadInput> {
        let file = folder.join(format!("{}.toml", self.name));
        Scene::parse_changed(self.text, file, changes).map_err(|error| BadInput::each_line(&error))
    }

    /// Writes the files that the scene names into a folder; returns their paths.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn write_files(&self, folder: &Path) -> Result<Vec<PathBuf>, BadInput> {
        let mut written = Vec::new();
        for (path, text) in self.files {
            let path = folder.join(path);
            if std::fs::read(&path).is_ok_and(|found| found != text.as_bytes()) {
                return Err(
                    BadInput::whole("must not exist yet with another content, or it would be lost").in_file(&path),
                );
            }
            write_whole_in_folder(&path, text)?;
            written.push(path);
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_scene::WorldExt;
    use stiction_sim::World;

    #[test]
    fn every_example_can_be_read_and_makes_a_step() {
        for example in all() {
            let scene = example.scene(&[]).unwrap();
            assert_eq!(scene.name, example.name);
            let mut world = World::from_scene(&scene).unwrap();
            world.step().unwrap();
            let about = example.about();
            assert!(about.len() > 15 && !about.contains('['), "{}: {about}", example.name);
            assert_eq!(find(&example.name.replace('-', "_")).unwrap().name, example.name);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let bad = find("towertilt").unwrap_err().to_string();
        assert_eq!(
            bad,
            "example: must be one that stiction examples lists, found towertilt; did you mean tower-tilt?"
        );
        let bad = find("zzzzzz").unwrap_err().to_string();
        assert_eq!(bad, "example: must be one that stiction examples lists, found zzzzzz");
    }

    #[test]
    fn fig_1_does_not_end_a_sentence() {
        let about = find("block-over-hole-convex").unwrap().about();
        assert!(
            about.starts_with("Egan, Berard and Trinkle, Fig. 1: a block slides"),
            "{about}"
        );
    }
}
