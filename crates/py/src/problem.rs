//! Contact problems from arrays, from bodies and contacts, and from a Delassus matrix.

use std::sync::Arc;

use pyo3::prelude::*;
use stiction_contact::{ContactPart, JointPart, Restitution, Touch};
use stiction_formats::case::one_wanted;
use stiction_formats::read::{Content, ReadOptions};

use crate::array::{finite, index, number, numbers, one_or_each, shaped};
use crate::bodies::{Lists, of_contact_file, read_bodies, read_impulsive, read_touching};
use crate::error::{of_contact, of_file, renamed, shown, wrong};
use crate::fields::{Fields, items};
use crate::given::Given;
use crate::{raw, record};

/// What the kind of a mapping must be.
const KINDS: &str = "must be contact, contact-acceleration or contact-raw";

/// A contact problem: impulses over a step, or forces at one moment. It does not change.
///
/// Make one with `from_bodies`, `at_acceleration`, `impulsive`, `from_arrays` or `from_local`.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct ContactProblem {
    /// Shared with the thread that solves it.
    pub(crate) problem: Arc<stiction_contact::ContactProblem>,
    /// Normal and tangents of each contact in world axes; of problems made from bodies.
    pub(crate) axes: Option<Arc<[[[f64; 3]; 3]]>>,
    /// Forces and accelerations are sought instead of impulses and velocities.
    pub(crate) forces: bool,
}

#[pymethods]
impl ContactProblem {
    /// Free rigid bodies over one step of `dt` seconds: v = v0 + M^-1 (dt wrench + impulses).
    ///
    /// Bodies are mappings with mass [kg], inertia [kg m^2] (3x3 in world axes, or 3), position [m], velocity (6: linear, angular) and
    /// wrench (6: force [N], torque [N m]). Contacts are mappings with a, b (None: the fixed world), point [m], normal (from b to a) and,
    /// unless 0, mu, gap [m], restitution, viscosity [N s/m]. Joints have a, b, rows (k, 12) and bias (k,).
    /// groups: nonconvex groups, each a list of sides, each a contact's index or a list of them: one side of each must hold.
    #[staticmethod]
    #[pyo3(
        signature = (bodies, contacts, joints = None, *, dt, restitution = Given::LeftOut, groups = None),
        text_signature = "(bodies, contacts, joints=None, *, dt, restitution='newton', groups=None)"
    )]
    fn from_bodies(
        bodies: &Bound<'_, PyAny>,
        contacts: &Bound<'_, PyAny>,
        joints: Option<&Bound<'_, PyAny>>,
        dt: &Bound<'_, PyAny>,
        restitution: Given<'_>,
        groups: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let restitution = restitution.named("restitution", Restitution::Newton, Restitution::ALL, Restitution::name)?;
        let given = Lists {
            bodies,
            contacts,
            joints,
        };
        read_bodies(&given, number(dt, "dt")?, restitution)?.with_groups(groups)
    }

    /// Forces and accelerations of bodies that touch and do not part: a = M^-1 (wrench + forces).
    ///
    /// As from_bodies, without gap and restitution; contacts may have normal_bias [m/s^2] and tangent_bias (3,) [m/s^2], the accelerations
    /// that velocities alone give, by default those of a flat contact. Results name forces [N] as impulses, accelerations as velocities.
    #[staticmethod]
    #[pyo3(signature = (bodies, contacts, joints = None))]
    fn at_acceleration(
        bodies: &Bound<'_, PyAny>,
        contacts: &Bound<'_, PyAny>,
        joints: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        read_touching(&Lists {
            bodies,
            contacts,
            joints,
        })
    }

    /// The impulses over a step of `dt` seconds for the bodies and contacts of at_acceleration: the answer where no finite force exists
    /// (status unbounded_drive).
    #[staticmethod]
    #[pyo3(signature = (bodies, contacts, joints = None, *, dt))]
    fn impulsive(
        bodies: &Bound<'_, PyAny>,
        contacts: &Bound<'_, PyAny>,
        joints: Option<&Bound<'_, PyAny>>,
        dt: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        read_impulsive(
            &Lists {
                bodies,
                contacts,
                joints,
            },
            number(dt, "dt")?,
        )
    }

    /// Mass blocks and Jacobians.
    ///
    /// mass: blocks of shape (m, k, k), or a sequence of square arrays. v_free: velocity without contact, (dof,). jacobian: (n, 3, dof),
    /// the rows normal, tangent, tangent of each contact. mu: (n,). bias: (n, 3) [m/s]. restitution: (n,), Poisson's. viscosity: (n,), impulse
    /// per slip velocity [kg]. A number alone for these is that of all contacts. slip: (n, 2), along the tangents at the start [m/s]. joints: (r, dof) with joint_bias (r,), joint_compliance
    /// (r,) and joint_most (r,), the largest impulse, inf for none. groups: as in from_bodies. forces: v_free is an acceleration, and forces
    /// are sought.
    #[staticmethod]
    #[pyo3(
        signature = (
            mass, v_free, jacobian, mu, *, bias = None, restitution = None, viscosity = None, slip = None, joints = None,
            joint_bias = None, joint_compliance = None, joint_most = None, groups = None, forces = Given::LeftOut
        ),
        text_signature = "(mass, v_free, jacobian, mu, *, bias=None, restitution=None, viscosity=None, slip=None, joints=None, joint_bias=None, joint_compliance=None, joint_most=None, groups=None, forces=False)"
    )]
    #[allow(clippy::too_many_arguments)]
    fn from_arrays(
        mass: &Bound<'_, PyAny>,
        v_free: &Bound<'_, PyAny>,
        jacobian: &Bound<'_, PyAny>,
        mu: &Bound<'_, PyAny>,
        bias: Option<&Bound<'_, PyAny>>,
        restitution: Option<&Bound<'_, PyAny>>,
        viscosity: Option<&Bound<'_, PyAny>>,
        slip: Option<&Bound<'_, PyAny>>,
        joints: Option<&Bound<'_, PyAny>>,
        joint_bias: Option<&Bound<'_, PyAny>>,
        joint_compliance: Option<&Bound<'_, PyAny>>,
        joint_most: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        forces: Given<'_>,
    ) -> PyResult<Self> {
        let forces = forces.flag("forces", false)?;
        let v_free = finite(v_free, "v_free", &[None])?;
        let mut problem = stiction_contact::ContactProblem::new();
        if forces {
            problem.set_forces();
        }
        add_blocks(&mut problem, mass, v_free.values())?;
        let dof = problem.dof();
        let jacobian = finite(jacobian, "jacobian", &[None, Some(3), Some(dof)])?;
        let n = jacobian.shape()[0];
        let mu = one_or_each(mu, "mu", n)?;
        for i in 0..n {
            let row = |c: usize| &jacobian.values()[(3 * i + c) * dof..(3 * i + c + 1) * dof];
            add_contact(&mut problem, i, [row(0), row(1), row(2)], mu[i])?;
        }
        let p = &mut problem;
        set_each(n, bias, "bias", |i, b: [f64; 3]| p.set_bias(i, b))?;
        set_each(n, restitution, "restitution", |i, [e]: [f64; 1]| {
            p.set_restitution(i, e)
        })?;
        set_each(n, viscosity, "viscosity", |i, [c]: [f64; 1]| p.set_viscosity(i, c))?;
        set_each(n, slip, "slip", |i, s: [f64; 2]| p.set_slip(i, s))?;
        add_joints(p, joints, [joint_bias, joint_compliance, joint_most])?;
        Self::of(problem, None, forces).with_groups(groups)
    }

    /// The Delassus form u = W p + q: W of shape (3n, 3n), symmetric positive semidefinite; q (3n,); mu (n,), or one number for all.
    #[staticmethod]
    #[pyo3(name = "from_local", signature = (W, q, mu))]
    #[allow(non_snake_case)]
    fn from_local(W: &Bound<'_, PyAny>, q: &Bound<'_, PyAny>, mu: &Bound<'_, PyAny>) -> PyResult<Self> {
        // A number alone is the friction of all contacts, and q says how many there are.
        let n = match numbers(mu, "mu")?.shape() {
            [n] => *n,
            _ => shaped(q, "q", &[None])?.values().len() / 3,
        };
        let mu = one_or_each(mu, "mu", n)?;
        let rows = 3 * n;
        let W = shaped(W, "W", &[Some(rows), Some(rows)])?;
        let q = shaped(q, "q", &[Some(rows)])?;
        let problem = stiction_contact::ContactProblem::from_local(W.values(), q.values(), &mu);
        Ok(Self::of(problem.map_err(of_contact)?, None, false))
    }

    /// The contact problem of a file, in any format that `stiction solve` reads: contact, contact-acceleration, contact-raw and contact-local JSON,
    /// Siconos, FCLIB, ContactBench npz. case: the name of one problem of a set.
    #[staticmethod]
    #[pyo3(signature = (path, case = None))]
    #[allow(clippy::needless_pass_by_value)] // Python hands it over
    fn read(path: std::path::PathBuf, case: Option<&str>) -> PyResult<Self> {
        let content = stiction_formats::case::content(&path, case, ReadOptions::default()).map_err(of_file)?;
        match content {
            Content::Contact(file) => of_contact_file(&file).map_err(|bad| of_file(bad.in_file(&path))),
            Content::Raw(file) if file.skew().is_some() => {
                Err(wrong(path.display(), "must have a symmetric W", "one that is not"))
            }
            Content::Raw(file) => Ok(Self::of(file.problem, None, false)),
            Content::Contacts(all) => Err(of_file(one_wanted(&path, all.len()))),
            Content::Problems(_) => Err(wrong(path.display(), "must be a contact problem", "an LCP")),
        }
    }

    /// Number of nonconvex groups.
    #[getter]
    fn group_count(&self) -> usize {
        self.problem.group_count()
    }

    /// Whether forces and accelerations are sought instead of impulses and velocities.
    #[getter]
    fn forces(&self) -> bool {
        self.forces
    }

    /// Number of contacts n.
    #[getter]
    fn contact_count(&self) -> usize {
        self.problem.contact_count()
    }

    /// Number of joint rows.
    #[getter]
    fn joint_count(&self) -> usize {
        self.problem.joint_count()
    }

    /// Number of mass blocks.
    #[getter]
    fn block_count(&self) -> usize {
        self.problem.block_count()
    }

    /// Number of velocity coordinates.
    #[getter]
    fn dof(&self) -> usize {
        self.problem.dof()
    }

    /// Velocity without contact, (dof,).
    #[getter]
    fn v_free<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        record::list(py, self.problem.v_free())
    }

    /// Mass blocks as given, each (k, k): [kg, kg m^2].
    #[getter]
    fn mass<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let blocks = 0..self.problem.block_count();
        blocks
            .map(|block| {
                let side = self.problem.block_range(block).len();
                record::table(py, self.problem.mass(block), &[side, side])
            })
            .collect()
    }

    /// Rows normal, tangent, tangent of each contact, (n, 3, dof).
    #[getter]
    fn jacobian<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (n, dof) = (self.problem.contact_count(), self.problem.dof());
        let mut out = vec![0.0; n * 3 * dof];
        for (i, rows) in out.chunks_exact_mut((3 * dof).max(1)).enumerate().take(n) {
            let columns = self.problem.columns_tilde(i);
            for (row, column) in [columns.normal, columns.tangents[0], columns.tangents[1]]
                .iter()
                .enumerate()
            {
                spread(columns.touches, column, &mut rows[row * dof..(row + 1) * dof]);
            }
        }
        record::table(py, &out, &[n, 3, dof])
    }

    /// Friction coefficients, (n,).
    #[getter]
    fn mu<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each_contact(py, stiction_contact::ContactProblem::mu)
    }

    /// What is added to the velocity at each contact, gap/h and moving ground [m/s], (n, 3).
    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let n = self.problem.contact_count();
        record::rows(py, &(0..n).map(|i| self.problem.bias(i)).collect::<Vec<_>>())
    }

    /// Coefficients of restitution after Poisson, (n,).
    #[getter]
    fn restitution<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each_contact(py, stiction_contact::ContactProblem::restitution)
    }

    /// Viscous friction: impulse per slip velocity [kg], (n,).
    #[getter]
    fn viscosity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each_contact(py, stiction_contact::ContactProblem::viscosity)
    }

    /// Rows of joints, (r, dof).
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (r, dof) = (self.problem.joint_count(), self.problem.dof());
        let mut out = vec![0.0; r * dof];
        for (k, row) in out.chunks_exact_mut(dof.max(1)).enumerate().take(r) {
            let (touches, column) = self.problem.joint_tilde(k);
            spread(touches, column, row);
        }
        record::table(py, &out, &[r, dof])
    }

    /// Their biases, (r,).
    #[getter]
    fn joint_bias<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each_joint(py, stiction_contact::ContactProblem::joint_bias)
    }

    /// Their compliances, 0 where they are firm, (r,).
    #[getter]
    fn joint_compliance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each_joint(py, |p, k| p.joint_yield(k).0)
    }

    /// Their largest impulses, inf for none, (r,).
    #[getter]
    fn joint_most<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.each_joint(py, |p, k| p.joint_yield(k).1)
    }

    fn __repr__(&self) -> String {
        let p = &self.problem;
        format!(
            "ContactProblem(block_count={}, contact_count={}, joint_count={}, dof={})",
            p.block_count(),
            p.contact_count(),
            p.joint_count(),
            p.dof()
        )
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Nothing of it changes: itself is as good as a copy.
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }
}

impl ContactProblem {
    pub(crate) fn of(
        problem: stiction_contact::ContactProblem,
        axes: Option<Arc<[[[f64; 3]; 3]]>>,
        forces: bool,
    ) -> Self {
        Self {
            problem: Arc::new(problem),
            axes,
            forces,
        }
    }

    fn each_contact<'py>(
        &self,
        py: Python<'py>,
        of: fn(&stiction_contact::ContactProblem, usize) -> f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = (0..self.problem.contact_count()).map(|i| of(&self.problem, i));
        record::list(py, &all.collect::<Vec<_>>())
    }

    fn each_joint<'py>(
        &self,
        py: Python<'py>,
        of: fn(&stiction_contact::ContactProblem, usize) -> f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = (0..self.problem.joint_count()).map(|k| of(&self.problem, k));
        record::list(py, &all.collect::<Vec<_>>())
    }

    /// The problem of a world's last step.
    pub(crate) fn of_world(world: &stiction_sim::World) -> Self {
        let problem = world.problem().clone();
        let forces = world.solution().law.is_acceleration();
        let normals: Vec<_> = world
            .contacts()
            .iter()
            .map(|c| [c.normal.x, c.normal.y, c.normal.z])
            .collect();
        // Limits of joints follow the contacts, and have no axes in the world.
        let axes = (0..problem.contact_count()).map(|i| match normals.get(i) {
            Some(n) if world.settings().planar => [*n, [n[1], -n[0], 0.0], [0.0; 3]],
            Some(n) => {
                let [t1, t2] = stiction_contact::tangents(*n);
                [*n, t1, t2]
            }
            None => [[0.0; 3]; 3],
        });
        let axes = axes.collect();
        Self::of(problem, Some(axes), forces)
    }

    /// A mapping in the form of a contact, contact-acceleration or contact-raw file.
    pub(crate) fn of_mapping(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let fields = Fields::of(value, "")?;
        let kind = match fields.get("kind")? {
            None => "contact".to_owned(),
            Some(kind) => kind
                .extract::<String>()
                .map_err(|_| wrong("kind", KINDS, shown(&kind)))?,
        };
        match kind.as_str() {
            "contact" => fields.only(&["kind", "name", "dt", "bodies", "contacts", "joints", "groups"])?,
            "contact-acceleration" => fields.only(&["kind", "name", "dt", "bodies", "contacts", "joints"])?,
            "contact-raw" => return raw::read(&fields),
            other => return Err(wrong("kind", KINDS, format!("'{other}'"))),
        }
        let (bodies, contacts, joints) = (fields.need("bodies")?, fields.need("contacts")?, fields.get("joints")?);
        let given = Lists {
            bodies: &bodies,
            contacts: &contacts,
            joints: joints.as_ref(),
        };
        if kind == "contact-acceleration" {
            if let Some(dt) = fields.get("dt")? {
                number(&dt, "dt")?;
            }
            return read_touching(&given);
        }
        let problem = read_bodies(&given, number(&fields.need("dt")?, "dt")?, Restitution::Newton)?;
        problem.with_groups(fields.get("groups")?.as_ref())
    }

    /// The same with nonconvex groups.
    pub(crate) fn with_groups(mut self, groups: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(groups) = groups else { return Ok(self) };
        let problem = Arc::make_mut(&mut self.problem);
        for (g, group) in items(groups, "groups")?.iter().enumerate() {
            let place = format!("groups[{g}]");
            let sides: PyResult<Vec<Vec<usize>>> = items(group, &place)?
                .iter()
                .enumerate()
                .map(|(s, side)| read_side(side, &format!("{place}[{s}]")))
                .collect();
            let sides = sides?;
            let sides: Vec<&[usize]> = sides.iter().map(Vec::as_slice).collect();
            problem.add_group(&sides).map_err(of_contact)?;
        }
        Ok(self)
    }
}

/// A sparse column as a row of all coordinates.
fn spread(touches: &[Touch], column: &[f64], row: &mut [f64]) {
    for touch in touches {
        row[touch.at..touch.at + touch.len].copy_from_slice(&column[touch.start..touch.start + touch.len]);
    }
}

/// Contacts of a side: a list of their indices, or one alone.
fn read_side(side: &Bound<'_, PyAny>, path: &str) -> PyResult<Vec<usize>> {
    let Ok(contacts) = items(side, path) else {
        let one =
            index(side, path).map_err(|_| wrong(path, "must be a contact's index or a list of them", shown(side)))?;
        return Ok(vec![one]);
    };
    let each = contacts.iter().enumerate();
    each.map(|(k, contact)| index(contact, &format!("{path}[{k}]")))
        .collect()
}

/// Sets K numbers of each contact, where they are given: an array of shape (n, K), or (n,) for one.
fn set_each<const K: usize>(
    n: usize,
    values: Option<&Bound<'_, PyAny>>,
    name: &str,
    mut set: impl FnMut(usize, [f64; K]) -> Result<(), stiction_contact::InputError>,
) -> PyResult<()> {
    let Some(values) = values else { return Ok(()) };
    let each = if K == 1 {
        one_or_each(values, name, n)?
    } else {
        shaped(values, name, &[Some(n), Some(K)])?.values().to_vec()
    };
    let (rows, _) = each.as_chunks::<K>();
    for (i, row) in rows.iter().enumerate() {
        set(i, *row).map_err(|e| renamed(e, &format!("contacts[{i}].{name}"), &format!("{name}[{i}]")))?;
    }
    Ok(())
}

/// Adds mass blocks, given as one array or one by one.
fn add_blocks(problem: &mut stiction_contact::ContactProblem, mass: &Bound<'_, PyAny>, v_free: &[f64]) -> PyResult<()> {
    let mut at = 0;
    for (i, block) in items(mass, "mass")?.iter().enumerate() {
        let path = format!("mass[{i}]");
        let block = finite(block, &path, &[None, None])?;
        let (dim, columns) = (block.shape()[0], block.shape()[1]);
        if dim != columns {
            return Err(wrong(path, "must be square", format!("shape ({dim}, {columns})")));
        }
        let Some(v) = v_free.get(at..at + dim) else {
            let requirement = format!(
                "must have at least {} entries, one a coordinate of the blocks",
                at + dim
            );
            return Err(wrong("v_free", requirement, v_free.len()));
        };
        let added = problem.add_block(block.values(), v);
        added.map_err(|e| renamed(e, &format!("blocks[{i}].mass"), &path))?;
        at += dim;
    }
    if at == v_free.len() {
        return Ok(());
    }
    let requirement = format!("must have {at} entries, one a coordinate of the blocks");
    Err(wrong("v_free", requirement, v_free.len()))
}

/// Adds a contact over the blocks at which one of its rows is not zero.
fn add_contact(problem: &mut stiction_contact::ContactProblem, i: usize, rows: [&[f64]; 3], mu: f64) -> PyResult<()> {
    let mut parts: Vec<ContactPart<'_>> = Vec::new();
    for block in 0..problem.block_count() {
        let part = rows.map(|row| &row[problem.block_range(block)]);
        if part.iter().any(|row| touches(row)) {
            parts.push((block, part));
        }
    }
    match problem.add_contact(&parts, mu) {
        Ok(_) => Ok(()),
        Err(error) if error.to_string().starts_with(&format!("contacts[{i}].mu")) => {
            Err(renamed(error, &format!("contacts[{i}].mu"), &format!("mu[{i}]")))
        }
        Err(error) => Err(renamed(
            error,
            &format!("contacts[{i}].normal"),
            &format!("jacobian[{i}][0]"),
        )),
    }
}

/// Whether a row has an entry other than zero, which one that is no number is too.
fn touches(row: &[f64]) -> bool {
    row.iter().any(|x| *x != 0.0)
}

fn add_joints(
    problem: &mut stiction_contact::ContactProblem,
    joints: Option<&Bound<'_, PyAny>>,
    terms: [Option<&Bound<'_, PyAny>>; 3],
) -> PyResult<()> {
    let names = ["joint_bias", "joint_compliance", "joint_most"];
    let Some(joints) = joints else {
        return match terms.iter().zip(names).find(|(term, _)| term.is_some()) {
            Some((_, name)) => Err(wrong(name, "must be given with joints", "it alone")),
            None => Ok(()),
        };
    };
    let dof = problem.dof();
    let rows = finite(joints, "joints", &[None, Some(dof)])?;
    let count = rows.shape()[0];
    let mut values = [vec![0.0; count], vec![0.0; count], vec![f64::INFINITY; count]];
    for ((term, name), values) in terms.iter().zip(names).zip(&mut values) {
        if let Some(term) = term {
            values.copy_from_slice(shaped(term, name, &[Some(count)])?.values());
        }
    }
    let [bias, compliance, most] = values;
    for i in 0..count {
        let row = &rows.values()[i * dof..(i + 1) * dof];
        let ranges = (0..problem.block_count()).map(|b| (b, problem.block_range(b)));
        let parts = ranges
            .map(|(b, range)| (b, &row[range]))
            .filter(|(_, part)| touches(part));
        let parts: Vec<JointPart<'_>> = parts.collect();
        let added = problem.add_joint(&parts, bias[i]);
        added.map_err(|e| renamed(e, &format!("joints[{i}].bias"), &format!("joint_bias[{i}]")))?;
        // Rows that do not yield are left as they are.
        if compliance[i] != 0.0 || most[i] != f64::INFINITY {
            problem.set_yield(i, compliance[i], most[i]).map_err(|e| {
                let of = if e.to_string().contains("compliance") {
                    "compliance"
                } else {
                    "most"
                };
                renamed(e, &format!("joints[{i}].{of}"), &format!("joint_{of}[{i}]"))
            })?;
        }
    }
    Ok(())
}
