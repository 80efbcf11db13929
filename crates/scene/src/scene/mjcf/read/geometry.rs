//! Shapes of geoms and sites, meshes and height fields.

use std::path::Path;
use std::sync::Arc;

use stiction_contact::nearest::did_you_mean;

use super::{Bodies, Within};
use crate::mass_properties::MassProperties;
use crate::scene::error::shorten;
use crate::scene::mjcf::defaults::Element;
use crate::scene::mjcf::document::{Findings, Tag};
use crate::scene::mjcf::{MjGeom, MjSite};
use crate::scene::{LENGTH_RANGE, mesh, shapes};
use crate::shape::Shape;
use crate::{Mat3, Pose, Quat, TriangleMesh, Vec3};

impl<'a> Bodies<'a> {
    /// Sizes, with the pose that `fromto` gives.
    fn sized(&self, element: &Element<'_>, kind: &str, findings: &mut Findings) -> ([f64; 3], Pose) {
        let mut size = element.up_to("size", [0.0; 3], findings);
        let mut pose = Pose {
            position: element.vector("pos", Vec3::zeros(), findings),
            rotation: Quat::identity(),
        };
        let lies = ["capsule", "cylinder", "box", "ellipsoid"].contains(&kind);
        let own_pose = ["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"];
        let is_own = |name: &&str| element.tag.attribute(name).is_some();
        let from_to = element
            .get("fromto")
            .filter(|_| lies && (element.tag.attribute("fromto").is_some() || !own_pose.iter().any(is_own)));
        if from_to.is_none() {
            pose.rotation = self.compiler.angles.orientation(element, findings);
            return (size, pose);
        }
        let [a, b, c, d, e, f] = element.numbers("fromto", [0.0; 6], findings);
        let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
        let along = from - to;
        if along.norm() < LENGTH_RANGE[0] {
            element.wrong::<()>("fromto", "must be two different points", findings);
            return (size, pose);
        }
        let half = 0.5 * along.norm();
        size = if ["box", "ellipsoid"].contains(&kind) {
            [size[0], size[0], half]
        } else {
            [size[0], half, 0.0]
        };
        pose = Pose {
            position: 0.5 * (from + to),
            rotation: crate::scene::joints::from_z(along.normalize()),
        };
        (size, pose)
    }

    fn primitive(kind: &str, [a, b, c]: [f64; 3], element: &Element<'_>, findings: &mut Findings) -> Option<Shape> {
        let count = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            _ => 3,
        };
        let [least, most] = LENGTH_RANGE;
        if [a, b, c][..count].iter().any(|x| !(least..=most).contains(x)) {
            let requirement = format!("must be {count} positive sizes for a {kind}");
            return element.wrong("size", &requirement, findings);
        }
        Some(match kind {
            "sphere" => Shape::Ball { radius: a },
            "capsule" => Shape::Capsule {
                half_length: b,
                radius: a,
            },
            "cylinder" => Shape::Cylinder {
                half_height: b,
                radius: a,
            },
            "ellipsoid" => Shape::Ellipsoid {
                semi_axes: Vec3::new(a, b, c),
            },
            _ => Shape::cuboid(Vec3::new(a, b, c)),
        })
    }

    #[allow(clippy::too_many_lines)] // One attribute after the other.
    pub(super) fn geom(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        const KINDS: [&str; 9] = [
            "plane",
            "hfield",
            "sphere",
            "capsule",
            "ellipsoid",
            "cylinder",
            "box",
            "mesh",
            "sdf",
        ];
        let element = self.element(tag, within, findings);
        let given = element.choice("type", &KINDS, findings);
        if given.is_none() && element.get("type").is_some() {
            return;
        }
        let meshed = given.is_none() && tag.attribute("mesh").is_some();
        let kind = given.unwrap_or(if meshed { "mesh" } else { "sphere" });
        let (size, own) = self.sized(&element, kind, findings);
        let pose = within.frame.then(&own);
        let shape = match kind {
            "plane" => Some(Shape::HalfSpace {
                normal: pose.direction(Vec3::z()),
            }),
            "mesh" => self.mesh(&element, findings),
            "hfield" => self.height_field(&element, findings),
            "sdf" => {
                self.report.ignore("geom sdf");
                return;
            }
            _ => Self::primitive(kind, size, &element, findings),
        };
        if matches!(kind, "plane" | "hfield") && within.body != 0 && !self.is_static(within.body) {
            let problem = format!("must be fixed to the world, found a {kind} in a body that moves");
            findings.fail::<()>(tag.place, &element.path, problem);
        }
        let [contype, conaffinity] = ["contype", "conaffinity"].map(|name| element.whole(name, 1, findings));
        let condim = element.whole("condim", 3, findings);
        if ![1, 3, 4, 6].contains(&condim) {
            element.wrong::<()>("condim", "must be 1, 3, 4 or 6", findings);
        }
        if condim > 3 {
            self.report
                .change("geom.condim 4 or 6 taken as 3: no torsional and rolling friction");
        }
        if element.choice("shellinertia", &["true", "false"], findings) == Some("true") {
            let requirement = "must be false: mass on the surface alone is not known; give an inertial instead";
            element.wrong::<()>("shellinertia", requirement, findings);
        }
        let friction = element.up_to("friction", [1.0, 0.005, 0.0001], findings);
        if friction[0] < 0.0 {
            element.wrong::<()>("friction", "must not be negative", findings);
        }
        let number: usize = self.list.iter().map(|body| body.geoms.len()).sum();
        let name = self.name(tag, within, format!("geom{number}"));
        let group = element.number("group", 0.0, findings);
        let [low, high] = self.compiler.groups;
        let weighs = (low..=high).contains(&group);
        let solid = shape.as_ref().and_then(MassProperties::of).filter(|_| weighs);
        let mass = solid.map_or((0.0, Vec3::zeros(), Mat3::zeros()), |solid| {
            let posed = solid.posed(&pose);
            let mass = match element.get("mass") {
                Some(_) => element.not_negative("mass", 0.0, findings),
                None => posed.volume * element.not_negative("density", 1000.0, findings),
            };
            (mass, posed.centre, posed.inertia * (mass / posed.volume))
        });
        let Some(shape) = shape else { return };
        self.report.take(format!("geom {kind}"));
        #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation)] // Masks of bits.
        self.list[within.body].geoms.push(MjGeom {
            name,
            pose: if kind == "plane" {
                Pose {
                    position: pose.position,
                    rotation: Quat::identity(),
                }
            } else {
                pose
            },
            shape,
            mass: mass.0,
            centre: mass.1,
            inertia: mass.2,
            friction: if condim == 1 { 0.0 } else { friction[0] },
            sliding: friction[0],
            is_frictionless: condim == 1,
            masks: [contype as u32, conaffinity as u32],
            priority: element.whole("priority", 0, findings),
            place: tag.place,
        });
    }

    /// Whether a body is fixed to the world by what is known of it so far.
    fn is_static(&self, mut body: usize) -> bool {
        while body != 0 {
            if !self.list[body].joints.is_empty() || self.list[body].mocap {
                return false;
            }
            body = self.list[body].parent;
        }
        true
    }

    /// An asset by the name in an attribute.
    fn asset(&self, element: &Element<'_>, kind: &'static str, findings: &mut Findings) -> Option<&'a Tag> {
        let Some(name) = element.value(kind) else {
            return element.wrong(kind, "must be given", findings);
        };
        let file_name = |tag: &Tag| {
            let file = tag
                .value("file")
                .map(|file| Path::new(file).file_stem().unwrap_or_default());
            file.map(|stem| stem.to_string_lossy().into_owned())
        };
        let name_of = |tag: &Tag| tag.value("name").map(str::to_owned).or_else(|| file_name(tag));
        let root: &'a Tag = self.root;
        let found = root
            .in_sections("asset", kind)
            .find(|tag| name_of(tag).as_deref() == Some(name));
        if found.is_none() {
            let names: Vec<String> = root.in_sections("asset", kind).filter_map(name_of).collect();
            let meant = did_you_mean(name, names.iter().map(String::as_str));
            let place = element.get(kind).map_or(element.tag.place, |a| a.place);
            let problem = format!(
                "must be the name of a {kind} among the assets, found {}{meant}",
                shorten(name)
            );
            findings.fail::<()>(place, &format!("{}.{kind}", element.path), problem);
        }
        found
    }

    fn mesh(&mut self, element: &Element<'a>, findings: &mut Findings) -> Option<Shape> {
        let tag = self.asset(element, "mesh", findings)?;
        let asset = self.defaults.element(tag, None, Self::path(tag, ""), findings);
        let scale = asset.vector("scale", Vec3::new(1.0, 1.0, 1.0), findings);
        if asset.choice("inertia", &["convex", "exact", "legacy", "shell"], findings) == Some("shell") {
            let requirement = "must not be shell: mass on the surface alone is not known; give an inertial instead";
            asset.wrong::<()>("inertia", requirement, findings);
        }
        let corners = if let Some(list) = asset.list("vertex", findings) {
            if list.len() % 3 != 0 {
                return asset.wrong("vertex", "must be three numbers for each vertex", findings);
            }
            list.chunks_exact(3).map(Vec3::from_column_slice).collect()
        } else {
            let file = asset.value("file").or_else(|| {
                asset.wrong::<()>("file", "must be given", findings);
                None
            })?;
            let path = self.reader.within.join(&self.compiler.meshdir).join(file);
            match mesh::read(self.reader.folder, &path.to_string_lossy()) {
                Ok(file) => file.corners,
                Err(problem) => {
                    let place = asset.get("file").map_or(tag.place, |a| a.place);
                    return findings.fail(place, &format!("{}.file", asset.path), problem);
                }
            }
        };
        // Shifted and turned first, then scaled.
        let inner = Pose {
            position: asset.vector("refpos", Vec3::zeros(), findings),
            rotation: {
                let [w, x, y, z] = asset.numbers("refquat", [1.0, 0.0, 0.0, 0.0], findings);
                Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z))
            },
        };
        let points = corners
            .iter()
            .map(|corner| inner.point_in_body(*corner).component_mul(&scale));
        self.report
            .change("geom mesh taken as its convex hull, with the mass of the hull");
        match shapes::hull_of(points.collect()) {
            Ok(shape) => Some(shape),
            Err(problem) => findings.fail(tag.place, &asset.path, problem),
        }
    }

    fn height_field(&mut self, element: &Element<'a>, findings: &mut Findings) -> Option<Shape> {
        let tag = self.asset(element, "hfield", findings)?;
        let asset = self.defaults.element(tag, None, Self::path(tag, ""), findings);
        let [x, y, height, _] = asset.numbers("size", [1.0, 1.0, 1.0, 1.0], findings);
        if asset.get("file").is_some() {
            return asset.wrong(
                "file",
                "must be elevation instead: files of heights are not read",
                findings,
            );
        }
        let [rows, columns] = ["nrow", "ncol"].map(|name| usize::try_from(asset.whole(name, 0, findings)).unwrap_or(0));
        let values = asset.list("elevation", findings).unwrap_or_default();
        if rows < 2 || columns < 2 || values.len() != rows * columns {
            let requirement = format!("must be {rows} rows of {columns} numbers, two of each at least");
            return asset.wrong("elevation", &requirement, findings);
        }
        // Heights are scaled to between 0 and 1; rows begin at the top.
        let [low, high] = values
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(*x), high.max(*x)]
            });
        let span = if high > low { high - low } else { 1.0 };
        let mut heights = Vec::with_capacity(values.len());
        for row in values.chunks_exact(columns).rev() {
            heights.extend(row.iter().map(|z| (z - low) / span * height));
        }
        let spacing = (2.0 * x / (columns - 1) as f64, 2.0 * y / (rows - 1) as f64);
        match TriangleMesh::height_map(columns, rows, spacing, &heights) {
            Ok(mesh) => {
                let shape = Shape::Mesh(Arc::new(mesh));
                Some(shape)
            }
            Err(error) => findings.fail(tag.place, &asset.path, format!("must make a surface: {error}")),
        }
    }

    pub(super) fn site(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        let element = self.element(tag, within, findings);
        let kinds = ["sphere", "capsule", "ellipsoid", "cylinder", "box"];
        let kind = element.choice("type", &kinds, findings).unwrap_or("sphere");
        let (size, own) = self.sized(&element, kind, findings);
        let number: usize = self.list.iter().map(|body| body.sites.len()).sum();
        let name = self.name(tag, within, format!("site{number}"));
        if self
            .list
            .iter()
            .flat_map(|body| &body.sites)
            .any(|site| site.name == name)
        {
            element.wrong::<()>("name", "must be the name of one site only", findings);
        }
        let size = if element.get("size").is_some() || element.get("fromto").is_some() {
            size
        } else {
            [0.005; 3]
        };
        let size = [
            size[0],
            if size[1] > 0.0 { size[1] } else { 0.005 },
            if size[2] > 0.0 { size[2] } else { 0.005 },
        ];
        let Some(zone) = Self::primitive(kind, size, &element, findings) else {
            return;
        };
        self.report.take("site");
        self.list[within.body].sites.push(MjSite {
            name,
            pose: within.frame.then(&own),
            zone,
        });
    }
}
