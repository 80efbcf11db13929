//! `[[mjcf]]`: a model from a file.

use super::{Mjcf, MjcfOptions, MjcfParts};
use crate::Pose;
use crate::Vec3;
use crate::scene::SceneBody;
use crate::scene::bodies::{Makers, Surface};
use crate::scene::error::Report;
use crate::scene::reader::Fields;
use crate::scene::urdf::table::Robots;

const KEYS: [&str; 6] = ["file", "prefix", "position", "orientation", "groups", "keyframe"];

impl Makers<'_> {
    /// Reads every `[[mjcf]]`.
    pub(in crate::scene) fn read_models(&mut self, root: &Fields<'_>, robots: &mut Robots, report: &mut Report<'_>) {
        for fields in root.tables("mjcf", report) {
            if root.planar {
                let problem = "must not be in a planar world: models are spatial";
                fields.fail("file", problem.to_owned(), report);
                continue;
            }
            if self.model(&fields, robots, report).is_none() {
                // Which bodies it would have had is not known.
                self.names.broken(fields.text_or("prefix", ""));
            }
        }
    }

    fn model(&mut self, fields: &Fields<'_>, robots: &mut Robots, report: &mut Report<'_>) -> Option<()> {
        fields.only(&KEYS, report);
        let node = fields.need("file", report);
        let position = fields.vector_or("position", Vec3::zeros(), report);
        let rotation = fields.rotation(report);
        let surface = self.surface(fields, report);
        let mut text = |key: &str| match fields.get(key) {
            Some(node) => node.string(report).map(|text| Some(text.to_owned())),
            None => Some(None),
        };
        let (prefix, keyframe) = (text("prefix"), text("keyframe"));
        let node = node?;
        let model = match Mjcf::read(self.folder, node.string(report)?) {
            Ok(model) => model,
            Err(error) => {
                for line in error.to_string().lines() {
                    node.fail::<()>(line, report);
                }
                return None;
            }
        };
        let keyframe = keyframe?;
        if let Some(wanted) = &keyframe
            && !model.has_keyframe(wanted)
        {
            let known = match model.keyframes()[..] {
                [] => "it has none with a name".to_owned(),
                ref names => names.join(", "),
            };
            let problem = format!("must be the name or the number of a keyframe of the model ({known})");
            return fields.get("keyframe")?.wrong(&problem, report);
        }
        let lost: usize = (model.report.ignored.iter())
            .filter(|(name, _)| name.starts_with("actuator "))
            .map(|(_, count)| count)
            .sum();
        if lost > 0 {
            let doubt =
                format!("has actuators that are ignored: they have no control (the notes name them), found {lost}");
            let file = fields.text_or("file", "");
            report.doubt(Some(node.span().start), &node.path, format!("{file}: {doubt}"));
        }
        // Geoms have friction of their own.
        let surface = Surface {
            has_friction: true,
            ..surface?
        };
        let options = MjcfOptions {
            prefix: prefix?.unwrap_or_default(),
            pose: Pose {
                position: position?,
                rotation: rotation?,
            },
            groups: surface.groups,
            keyframe,
        };
        let parts = match model.build(&options) {
            Ok(parts) => parts,
            Err(error) => return node.fail(error.to_string(), report),
        };
        let file = fields.text_or("file", "");
        let [says_gravity, says_timestep] = model.says;
        robots.options.push((
            file.clone(),
            says_gravity.then_some(model.gravity),
            says_timestep.then_some(model.timestep),
        ));
        for warning in &model.warnings {
            let line = warning.in_file(std::path::Path::new(&file));
            report.doubt(Some(node.span().start), &node.path, line);
        }
        robots
            .notes
            .extend(model.report.lines().iter().map(|line| format!("{file}: {line}")));
        robots
            .notes
            .extend(parts.changed.iter().map(|line| format!("{file}: {line}")));
        self.begin(fields, &file, surface, true);
        self.add_parts(parts, robots, (node.span().start, &node.path), report)
    }

    /// Adds what a model consists of to a scene.
    fn add_parts(
        &mut self,
        mut parts: MjcfParts,
        robots: &mut Robots,
        (at, path): (usize, &str),
        report: &mut Report<'_>,
    ) -> Option<()> {
        let first = self.bodies.len();
        // Joints of the scene itself come before those of robots: they are counted once these are known.
        parts.count_from([first, robots.joints.len(), robots.actuators.len(), robots.frames.len()]);
        for (body, state) in parts.bodies {
            let made = SceneBody {
                body,
                state,
                material: None,
            };
            self.push(made, at, path, report)?;
        }
        robots.armatures.resize(robots.joints.len(), 0.0);
        robots.armatures.extend(parts.armatures);
        robots.joints.extend(parts.joints);
        robots.apart.extend(parts.apart);
        robots.pairs.extend(parts.pairs);
        robots.actuators.extend(parts.actuators);
        robots.frames.extend(parts.frames);
        robots.sensors.extend(parts.sensors);
        Some(())
    }
}
