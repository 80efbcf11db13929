//! Contact problems from arrays, from bodies and contacts, and from a Delassus matrix.

use std::sync::Arc;

use pyo3::prelude::*;
use stiction_contact::{Body, BodyContact, BodyJoint, ContactPart, JointPart, Restitution};

use crate::array::{finite, index, number, numbers, shaped, vector};
use crate::error::{of_contact, renamed, shown, wrong};
use crate::fields::{Fields, items};
use crate::record;

/// A velocity-level contact problem; it does not change.
///
/// Make one with `from_bodies`, `from_arrays` or `from_local`.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct ContactProblem {
    pub(crate) problem: stiction_contact::ContactProblem,
    /// Normal and tangents of each contact in world axes; of problems made from bodies.
    pub(crate) axes: Option<Arc<[[[f64; 3]; 3]]>>,
}

#[pymethods]
impl ContactProblem {
    /// Free rigid bodies over one step of `dt` seconds: v = v0 + M^-1 (dt wrench + impulses).
    ///
    /// Bodies are mappings with mass [kg], inertia [kg m^2] (3x3 in world axes, or 3), position [m], velocity (6: linear, angular) and
    /// wrench (6: force [N], torque [N m]). Contacts are mappings with a, b (None: the fixed world), point [m], normal (from b to a) and,
    /// unless 0, mu, gap [m], restitution, viscosity [N s/m]. Joints have a, b, rows (k, 12) and bias (k,).
    #[staticmethod]
    #[pyo3(signature = (bodies, contacts, joints = None, *, dt, restitution = "newton"))]
    fn from_bodies(
        bodies: &Bound<'_, PyAny>,
        contacts: &Bound<'_, PyAny>,
        joints: Option<&Bound<'_, PyAny>>,
        dt: &Bound<'_, PyAny>,
        restitution: &str,
    ) -> PyResult<Self> {
        let restitution = match restitution {
            "newton" => Restitution::Newton,
            "poisson" => Restitution::Poisson,
            other => return Err(wrong("restitution", "must be newton or poisson", format!("'{other}'"))),
        };
        of_bodies(bodies, contacts, joints, number(dt, "dt")?, restitution)
    }

    /// Mass blocks and Jacobians.
    ///
    /// mass: blocks of shape (m, k, k), or a sequence of square arrays. v_free: velocity without contact, (dof,). jacobian: (n, 3, dof),
    /// the rows normal, tangent, tangent of each contact. mu: (n,). bias: (n, 3) [m/s]. restitution: (n,), Poisson's.
    /// joints: (r, dof) with joint_bias (r,).
    #[staticmethod]
    #[pyo3(signature = (mass, v_free, jacobian, mu, *, bias = None, restitution = None, joints = None, joint_bias = None))]
    #[allow(clippy::too_many_arguments)]
    fn from_arrays(
        mass: &Bound<'_, PyAny>,
        v_free: &Bound<'_, PyAny>,
        jacobian: &Bound<'_, PyAny>,
        mu: &Bound<'_, PyAny>,
        bias: Option<&Bound<'_, PyAny>>,
        restitution: Option<&Bound<'_, PyAny>>,
        joints: Option<&Bound<'_, PyAny>>,
        joint_bias: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let v_free = finite(v_free, "v_free", &[None])?;
        let mut problem = stiction_contact::ContactProblem::new();
        add_blocks(&mut problem, mass, v_free.values())?;
        let dof = problem.dof();
        let jacobian = finite(jacobian, "jacobian", &[None, Some(3), Some(dof)])?;
        let n = jacobian.shape()[0];
        let mu = shaped(mu, "mu", &[Some(n)])?;
        let bias = bias.map(|b| finite(b, "bias", &[Some(n), Some(3)])).transpose()?;
        let restitution = restitution.map(|e| shaped(e, "restitution", &[Some(n)])).transpose()?;
        for i in 0..n {
            let row = |c: usize| &jacobian.values()[(3 * i + c) * dof..(3 * i + c + 1) * dof];
            add_contact(&mut problem, i, [row(0), row(1), row(2)], mu.values()[i])?;
            if let Some(b) = &bias {
                let b = &b.values()[3 * i..3 * i + 3];
                let set = problem.set_bias(i, [b[0], b[1], b[2]]);
                set.map_err(|e| renamed(e, &format!("contacts[{i}].bias"), &format!("bias[{i}]")))?;
            }
            if let Some(e) = &restitution {
                let set = problem.set_restitution(i, e.values()[i]);
                set.map_err(|e| renamed(e, &format!("contacts[{i}].restitution"), &format!("restitution[{i}]")))?;
            }
        }
        add_joints(&mut problem, joints, joint_bias)?;
        Ok(Self { problem, axes: None })
    }

    /// The Delassus form u = W p + q: W of shape (3n, 3n), symmetric positive semidefinite; q (3n,); mu (n,).
    #[staticmethod]
    #[pyo3(name = "from_local", signature = (W, q, mu))]
    #[allow(non_snake_case)]
    fn from_local(W: &Bound<'_, PyAny>, q: &Bound<'_, PyAny>, mu: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mu = shaped(mu, "mu", &[None])?;
        let rows = 3 * mu.shape()[0];
        let W = shaped(W, "W", &[Some(rows), Some(rows)])?;
        let q = shaped(q, "q", &[Some(rows)])?;
        let problem = stiction_contact::ContactProblem::from_local(W.values(), q.values(), mu.values());
        let problem = problem.map_err(of_contact)?;
        Ok(Self { problem, axes: None })
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
}

impl ContactProblem {
    /// A mapping in the form of a contact file.
    pub(crate) fn of_mapping(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let known = ["kind", "name", "dt", "bodies", "contacts", "joints"];
        let fields = Fields::read(value, "", &known)?;
        if let Some(kind) = fields.get("kind")?
            && kind.extract::<String>().ok().as_deref() != Some("contact")
        {
            return Err(wrong("kind", "must be 'contact'", shown(&kind)));
        }
        let joints = fields.get("joints")?;
        of_bodies(
            &fields.need("bodies")?,
            &fields.need("contacts")?,
            joints.as_ref(),
            number(&fields.need("dt")?, "dt")?,
            Restitution::Newton,
        )
    }
}

fn of_bodies(
    bodies: &Bound<'_, PyAny>,
    contacts: &Bound<'_, PyAny>,
    joints: Option<&Bound<'_, PyAny>>,
    dt: f64,
    restitution: Restitution,
) -> PyResult<ContactProblem> {
    let bodies = each(Some(bodies), "bodies", read_body)?;
    let contacts = each(Some(contacts), "contacts", read_contact)?;
    let joints = each(joints, "joints", read_joint)?;
    let problem = stiction_contact::ContactProblem::from_bodies(&bodies, &contacts, &joints, dt, restitution);
    let problem = problem.map_err(of_contact)?;
    let axes = contacts
        .iter()
        .enumerate()
        .map(|(i, c)| axes_of(&problem, i, c.a))
        .collect();
    Ok(ContactProblem {
        problem,
        axes: Some(axes),
    })
}

/// Normal and tangents of a contact: the linear part of its columns over body a.
fn axes_of(problem: &stiction_contact::ContactProblem, contact: usize, a: usize) -> [[f64; 3]; 3] {
    let columns = problem.columns_tilde(contact);
    let start = columns.touches.iter().find(|t| t.block == a).map_or(0, |t| t.start);
    [columns.normal, columns.tangents[0], columns.tangents[1]].map(|c| [c[start], c[start + 1], c[start + 2]])
}

fn each<T>(
    value: Option<&Bound<'_, PyAny>>,
    path: &str,
    read: impl Fn(&Bound<'_, PyAny>, String) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let all = items(value, path)?;
    all.iter()
        .enumerate()
        .map(|(i, item)| read(item, format!("{path}[{i}]")))
        .collect()
}

fn read_body(value: &Bound<'_, PyAny>, path: String) -> PyResult<Body> {
    let known = ["name", "mass", "inertia", "position", "velocity", "wrench"];
    let fields = Fields::read(value, path, &known)?;
    Ok(Body {
        mass: number(&fields.need("mass")?, &fields.at("mass"))?,
        inertia: read_inertia(&fields.need("inertia")?, &fields.at("inertia"))?,
        position: vector(&fields.need("position")?, &fields.at("position"))?,
        velocity: vector(&fields.need("velocity")?, &fields.at("velocity"))?,
        wrench: vector(&fields.need("wrench")?, &fields.at("wrench"))?,
    })
}

fn read_inertia(value: &Bound<'_, PyAny>, path: &str) -> PyResult<[[f64; 3]; 3]> {
    let array = numbers(value, path)?;
    let mut inertia = [[0.0; 3]; 3];
    if array.shape() == [3] {
        for (k, x) in array.values().iter().enumerate() {
            inertia[k][k] = *x;
        }
    } else {
        let array = shaped(value, path, &[Some(3), Some(3)])?;
        inertia.as_flattened_mut().copy_from_slice(array.values());
    }
    Ok(inertia)
}

fn read_contact(value: &Bound<'_, PyAny>, path: String) -> PyResult<BodyContact> {
    let known = ["a", "b", "point", "normal", "mu", "gap", "restitution", "viscosity"];
    let fields = Fields::read(value, path, &known)?;
    let or_zero = |key: &str| match fields.get(key)? {
        Some(value) => number(&value, &fields.at(key)),
        None => Ok(0.0),
    };
    Ok(BodyContact {
        a: index(&fields.need("a")?, &fields.at("a"))?,
        b: fields.get("b")?.map(|b| index(&b, &fields.at("b"))).transpose()?,
        point: vector(&fields.need("point")?, &fields.at("point"))?,
        normal: vector(&fields.need("normal")?, &fields.at("normal"))?,
        mu: read_mu(&fields)?,
        gap: or_zero("gap")?,
        restitution: or_zero("restitution")?,
        viscosity: or_zero("viscosity")?,
    })
}

/// Files write infinite friction as the text `inf`.
fn read_mu(fields: &Fields<'_>) -> PyResult<f64> {
    match fields.get("mu")? {
        None => Ok(0.0),
        Some(mu) if mu.extract::<&str>().is_ok_and(|text| text == "inf") => Ok(f64::INFINITY),
        Some(mu) => number(&mu, &fields.at("mu")),
    }
}

fn read_joint(value: &Bound<'_, PyAny>, path: String) -> PyResult<BodyJoint> {
    let fields = Fields::read(value, path, &["a", "b", "rows", "bias"])?;
    let rows = shaped(&fields.need("rows")?, &fields.at("rows"), &[None, Some(12)])?;
    let bias = shaped(&fields.need("bias")?, &fields.at("bias"), &[None])?;
    let (rows, _) = rows.values().as_chunks::<12>();
    Ok(BodyJoint {
        a: index(&fields.need("a")?, &fields.at("a"))?,
        b: fields.get("b")?.map(|b| index(&b, &fields.at("b"))).transpose()?,
        rows: rows.to_vec(),
        bias: bias.values().to_vec(),
    })
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
    bias: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let Some(joints) = joints else {
        return match bias {
            Some(_) => Err(wrong("joint_bias", "must be given with joints", "it alone")),
            None => Ok(()),
        };
    };
    let dof = problem.dof();
    let rows = finite(joints, "joints", &[None, Some(dof)])?;
    let count = rows.shape()[0];
    let bias = bias.map(|b| finite(b, "joint_bias", &[Some(count)])).transpose()?;
    for i in 0..count {
        let row = &rows.values()[i * dof..(i + 1) * dof];
        let ranges = (0..problem.block_count()).map(|b| (b, problem.block_range(b)));
        let parts = ranges
            .map(|(b, range)| (b, &row[range]))
            .filter(|(_, part)| touches(part));
        let parts: Vec<JointPart<'_>> = parts.collect();
        let bias = bias.as_ref().map_or(0.0, |b| b.values()[i]);
        let added = problem.add_joint(&parts, bias);
        added.map_err(|e| renamed(e, &format!("joints[{i}].bias"), &format!("joint_bias[{i}]")))?;
    }
    Ok(())
}
