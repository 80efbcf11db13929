//! Dynamics in joint coordinates: mass matrix, forces, Jacobians.

use pyo3::prelude::*;
use stiction_sim::Vec3;

use crate::array::finite;
use crate::error::of_sim;
use crate::record::{list, table};
use crate::world::{World, finite_vector};

#[pymethods]
impl World {
    /// Number of velocities in joint coordinates: those of `v`, and six for each body that moves and that no joint places.
    #[getter]
    fn nv(&self) -> usize {
        self.inner.freedom_count()
    }

    /// The numbers of `v`, then velocity and spin of each body that moves and that no joint places, (nv,) [rad/s or m/s].
    #[getter]
    fn generalized_velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, &self.inner.velocities())
    }

    /// Mass matrix in joint coordinates, (nv, nv): kinetic energy is u M u / 2 of the generalized velocity u. Rotors count; what closes loops does not.
    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let n = self.inner.freedom_count();
        table(py, &self.inner.mass_matrix(), &[n, n])
    }

    /// Forces that keep the generalized velocity as it is: centrifugal and Coriolis forces and the weight, (nv,) [N m or N].
    fn bias_force<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, &self.inner.bias_force())
    }

    /// Forces that accelerate the generalized velocity by `acceleration` (nv,): M a + bias, (nv,) [N m or N]. Springs, dampers, friction and contacts are not among them.
    fn inverse_dynamics<'py>(&self, acceleration: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let n = self.inner.freedom_count();
        let a = finite(acceleration, "acceleration", &[Some(n)])?;
        let force = self.inner.inverse_dynamics(a.values()).map_err(of_sim)?;
        list(acceleration.py(), &force)
    }

    /// How a point of a body [m, in the world], by default its centre of mass, and the body itself move with the generalized velocity, (6, nv): velocity, then spin.
    /// The name of a frame stands for its origin.
    #[pyo3(signature = (body, point = None))]
    fn jacobian<'py>(&self, body: &Bound<'py, PyAny>, point: Option<&Bound<'_, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let (index, centre) = self.body_or_frame(body)?;
        let point = point.map_or(Ok(centre), |point| finite_vector(point, "point"))?;
        let rows = self.inner.jacobian(index, point).map_err(of_sim)?;
        table(body.py(), &rows, &[6, self.inner.freedom_count()])
    }

    /// How the points of `contacts` move, a against b, with the generalized velocity, (n, 3, nv): along the normal, and along the two tangents of the contact problem. Points and normals are
    /// those of the last step, the bodies are where they are now.
    fn contact_jacobian<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let world = &self.inner;
        let n = world.freedom_count();
        let found = world.contacts().len().min(world.solution().normal_impulse.len());
        let mut out = vec![0.0; found * 3 * n];
        for (contact, rows) in world.contacts().iter().zip(out.chunks_exact_mut((3 * n).max(1))) {
            let [t1, t2] = world.tangents(contact.normal);
            for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
                let of_body = world.jacobian(body, contact.point).map_err(of_sim)?;
                for (row, axis) in [contact.normal, t1, t2].iter().enumerate() {
                    for k in 0..n {
                        let moves = Vec3::new(of_body[k], of_body[n + k], of_body[2 * n + k]);
                        rows[row * n + k] += sign * axis.dot(&moves);
                    }
                }
            }
        }
        table(py, &out, &[found, 3, n])
    }
}
