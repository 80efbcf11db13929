#!/usr/bin/env python3
"""Coins, gyroscopes, whirling rods and tops at 1 and 4 ms, ours and MuJoCo's, beside exact solutions.

usage: slender_cases.py [--work DIR] [--tool FILE] [--only SLUG] [--machine NAME]

Needs our tool: `cargo build --release -p stiction-cli`.  MuJoCo runs where `import mujoco` works; where it does not, its columns stay empty.
It runs at its defaults with the elliptic friction cone, and with every combination of its integrators and of two softnesses of its constraints;
of these, the one with the smallest error at that step is shown as its best.

Exact courses are steady motions in closed form, or the equations of motion in coordinates of the case, integrated by RK4 at 0.1 ms or less.

With --machine NAME the table goes to bench/results/NAME/slender_cases.md and the figures to docs/images/slender-*.svg.
"""
import argparse
import csv
import functools
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
G = 9.81
STEPS = (1e-3, 4e-3)
SAMPLE = 4e-3
ENERGY = "energy, share of the kinetic energy at the start"
INTEGRATORS = ("Euler", "implicitfast", "implicit", "RK4")


# Vectors are tuples of three.

def add(a, b, share=1.0):
    return (a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2])


def times(s, a):
    return (s * a[0], s * a[1], s * a[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return math.sqrt(dot(a, a))


def axis(theta):
    """The z axis of a body that is turned by theta about y."""
    return (math.sin(theta), 0.0, math.cos(theta))


def degrees_from_vertical(k):
    return math.degrees(math.atan2(math.hypot(k[0], k[1]), k[2]))


@dataclass
class Body:
    """A body with moments (A, A, C), turned by theta about y at the start."""
    name: str
    shape: str
    geom: str
    mass: float
    A: float
    C: float
    position: tuple
    theta: float
    velocity: tuple = (0.0, 0.0, 0.0)
    spin: tuple = (0.0, 0.0, 0.0)

    def spin_body(self):
        s, c = math.sin(self.theta), math.cos(self.theta)
        x, y, z = self.spin
        return (c * x - s * z, y, s * x + c * z)


@dataclass
class Motion:
    """A body at one time: centre of mass, axis of symmetry, velocity, spin."""
    p: tuple
    k: tuple
    v: tuple
    w: tuple


@dataclass
class Case:
    """One case: scenes of both engines, the quantity of the curve with its exact course, and what is conserved."""
    slug: str
    title: str
    duration: float
    bodies: list
    joints: str          # TOML of ours
    mjcf: object         # function of the attributes of soft constraints: the worldbody and what follows it
    qvel: list           # velocities at the start in MuJoCo's coordinates
    label: str           # of the quantity of the curve, with its unit
    quantity: object     # function of the motions of all bodies
    exact: object        # function of the times of samples
    gravity: float = G
    window: tuple = (0.0, 1.0)       # range of the curve that the figure shows
    friction: float = 0.0
    floor: bool = False
    spring: object = None            # potential energy beside gravity's
    conserved: dict = field(default_factory=dict)
    energies: object = None          # exact energy over time where it is not constant
    inclination: float = None        # exact, where it is constant and not the quantity of the curve [°]
    precession: float = None         # exact rate at which the axis turns about the vertical [rad/s]
    other: object = None             # (name, mjcf, qvel) of another model of the same case in MuJoCo


# Scenes

def vector(v):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]"


def words(v):
    return " ".join(repr(float(x)) for x in v)


def scene(case, dt):
    text = f"format = 1\n[world]\ndt = {dt}\nduration = {case.duration}\ngravity = [0, 0, {-case.gravity}]\nfriction = {case.friction}\n"
    if case.floor:
        text += '[[body]]\nname = "floor"\nshape = { half_space = [0, 0, 1] }\n'
    else:
        text += '[[body]]\nname = "anchor"\nkind = "fixed"\nshape = { ball = 0.01 }\ngroups = []\n'
    for b in case.bodies:
        turn = f"[0, {math.sin(b.theta / 2)!r}, 0, {math.cos(b.theta / 2)!r}]"
        text += (f'[[body]]\nname = "{b.name}"\nshape = {b.shape}\nmass = {b.mass}\ninertia = {vector((b.A, b.A, b.C))}\ncentre = [0, 0, 0]\n'
                 f"position = {vector(b.position)}\norientation = {turn}\nvelocity = {vector(b.velocity)}\nspin = {vector(b.spin)}\n")
        if not case.floor:
            text += "groups = []\n"
    return text + case.joints


@dataclass(frozen=True)
class Setting:
    """Of MuJoCo.  Stiff: time constant of constraints 2 dt, the least it allows, impedance 0.99 to 0.9999, impratio 100."""
    integrator: str
    stiff: bool
    other: bool

    def name(self, case):
        return ", ".join([self.integrator] + ["stiff"] * self.stiff + [case.other[0] if self.other else ""] * self.other)


DEFAULTS = Setting("Euler", False, False)


def mjcf(case, dt, setting):
    integrator, stiff = setting.integrator, setting.stiff
    build = case.other[1] if setting.other else case.mjcf
    solref = f'solref="{2 * dt} 1" solimp="0.99 0.9999 0.001"' if stiff else ""
    impratio = ' impratio="100"' if stiff else ""
    return (f'<mujoco><option timestep="{dt}" integrator="{integrator}" cone="elliptic" gravity="0 0 {-case.gravity}"{impratio}/>'
            f"{build(solref)}</mujoco>")


def mj_body(b, joint, position=None, inside="", turned=True):
    quat = f' quat="{words((math.cos(b.theta / 2), 0, math.sin(b.theta / 2), 0))}"' if turned else ""
    return (f'<body name="{b.name}" pos="{words(position or b.position)}"{quat}>{joint}'
            f'<inertial pos="0 0 0" mass="{b.mass}" diaginertia="{words((b.A, b.A, b.C))}"/>{b.geom}{inside}</body>')


def on_floor(body, friction):
    """The worldbody of a free body on a plane."""
    def build(solref):
        surface = f'friction="{friction} 0.005 0.0001" {solref}'
        free = Body(**{**body.__dict__, "geom": body.geom.replace("/>", f" {surface}/>")})
        return f'<worldbody><geom type="plane" size="50 50 1" {surface}/>{mj_body(free, "<freejoint/>")}</worldbody>'
    return build


def joint(kind, a, b, more):
    return f'[[joint]]\nkind = "{kind}"\na = "{a}"\nb = "{b}"\n{more}\n'


# Exact courses

def rk4(f, y, ts, h):
    """States at the times ts of ẏ = f(y), with steps of at most h."""
    found = [y]
    for t0, t1 in zip(ts, ts[1:]):
        n = math.ceil((t1 - t0) / h - 1e-9)
        s = (t1 - t0) / n
        for _ in range(n):
            k1 = f(y)
            k2 = f([a + 0.5 * s * b for a, b in zip(y, k1)])
            k3 = f([a + 0.5 * s * b for a, b in zip(y, k2)])
            k4 = f([a + s * b for a, b in zip(y, k3)])
            y = [a + s / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        found.append(y)
    return found


def spin_rate(A, C, k, w, torque):
    """ω̇ of a body with moments (A, A, C)."""
    u = add(torque, cross(w, k), -(C - A) * dot(w, k))
    return add(times(1 / A, u), k, (1 / C - 1 / A) * dot(u, k))


def pivoted(A, C, mgl, body, ts):
    """Axes of a body with a fixed point; A and C about that point."""
    def f(y):
        k, w = tuple(y[:3]), tuple(y[3:])
        return [*cross(w, k), *spin_rate(A, C, k, w, cross(k, (0.0, 0.0, -mgl)))]
    return [tuple(y[:3]) for y in rk4(f, [*axis(body.theta), *body.spin], ts, 1e-4)]


class OnBall:
    """A body that touches the floor with a ball whose centre is `offset` above the centre of mass along the axis.  It slips or rolls.

    States are vx, vy, axis, spin; the height follows from the axis.
    """

    def __init__(self, body, radius, offset, mu):
        self.body, self.radius, self.offset, self.mu = body, radius, offset, mu

    def arm(self, k):
        return add(times(self.offset, k), (0.0, 0.0, -self.radius))

    def slip(self, y):
        turn = cross(tuple(y[5:8]), self.arm(tuple(y[2:5])))
        return y[0] + turn[0], y[1] + turn[1]

    def rate(self, y, force):
        """ẏ under a force at the contact, and the acceleration of the point of the body that touches."""
        b, k, w = self.body, tuple(y[2:5]), tuple(y[5:8])
        dk, arm = cross(w, k), self.arm(k)
        dw = spin_rate(b.A, b.C, k, w, cross(arm, force))
        dv = (force[0] / b.mass, force[1] / b.mass, force[2] / b.mass - G)
        point = add(add(dv, cross(dw, arm)), cross(w, times(self.offset, dk)))
        return [dv[0], dv[1], *dk, *dw], point

    def slips(self, y):
        """The point that touches stays at its height, and friction opposes its slip."""
        x, z = self.slip(y)
        size = math.hypot(x, z)
        pull = self.mu / size if self.mu and size > 0 else 0.0
        push = (-pull * x, -pull * z, 1.0)
        _, free = self.rate(y, (0.0, 0.0, 0.0))
        _, pressed = self.rate(y, push)
        return self.rate(y, times(free[2] / (free[2] - pressed[2]), push))[0]

    def grip(self, y):
        """The force at which the point that touches is not accelerated: three equations by Cramer's rule."""
        _, free = self.rate(y, (0.0, 0.0, 0.0))
        a, b, c = (add(self.rate(y, unit)[1], free, -1.0) for unit in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        det, r = dot(a, cross(b, c)), times(-1.0, free)
        return (dot(r, cross(b, c)) / det, dot(a, cross(r, c)) / det, dot(a, cross(b, r)) / det)

    @functools.cache
    def run(self, ts):
        """Motions at the times ts."""
        b = self.body
        y, rolls, found = [b.velocity[0], b.velocity[1], *axis(b.theta), *b.spin], False, []
        for t, after in zip(ts, (*ts[1:], ts[-1])):
            k, w = tuple(y[2:5]), tuple(y[5:8])
            found.append(Motion((0.0, 0.0, self.radius - self.offset * k[2]), k, (y[0], y[1], -self.offset * cross(w, k)[2]), w))
            while t < after - 1e-12:
                x, z = self.slip(y)
                size = math.hypot(x, z)
                if self.mu and (rolls or size < 1e-7):
                    force = self.grip(y)
                    rolls = math.hypot(force[0], force[1]) <= self.mu * force[2]
                if rolls:
                    y[0], y[1] = y[0] - x, y[1] - z
                # Shorter steps as the slip comes to its end.
                h = 1e-4 if rolls or not self.mu else min(1e-4, max(1e-8, 0.02 * size / (self.mu * G)))
                h = min(h, after - t)
                y = rk4((lambda state: self.rate(state, self.grip(state))[0]) if rolls else self.slips, y, (0.0, h), h)[-1]
                t += h
        return found


# Measures

def momentum(b, m):
    """About the centre of mass."""
    return add(times(b.A, m.w), m.k, (b.C - b.A) * dot(m.w, m.k))


def energy(case, motions):
    total = case.spring(motions) if case.spring else 0.0
    for b, m in zip(case.bodies, motions):
        total += 0.5 * b.mass * dot(m.v, m.v) + 0.5 * dot(m.w, momentum(b, m)) + b.mass * case.gravity * m.p[2]
    return total


def kinetic(case, motions):
    return sum(0.5 * b.mass * dot(m.v, m.v) + 0.5 * dot(m.w, momentum(b, m)) for b, m in zip(case.bodies, motions))


def whole_momentum(case, motions):
    """About the origin."""
    total = (0.0, 0.0, 0.0)
    for b, m in zip(case.bodies, motions):
        total = add(add(total, momentum(b, m)), cross(m.p, m.v), b.mass)
    return total


def about_origin(case):
    return lambda motions: whole_momentum(case, motions)[2]


def vertical(case):
    return lambda motions: momentum(case.bodies[0], motions[0])[2]


def along_axis(case):
    return lambda motions: dot(momentum(case.bodies[0], motions[0]), motions[0].k)


def jellett(case, radius, offset):
    """L · r, r the arm of the contact: constant under any friction at a point."""
    def value(motions):
        m = motions[0]
        return dot(momentum(case.bodies[0], m), add(times(offset, m.k), (0.0, 0.0, -radius)))
    return value


def constant(value):
    return lambda ts: [value] * len(ts)


# Cases

def rolling_disc(slug, title, r, half, mass, theta, rate, duration):
    """A disc that rolls in a circle: its axis leans by theta and turns about the vertical at `rate`."""
    s, c = math.sin(theta), math.cos(theta)
    A, C = mass * (r * r / 4 + half * half / 3), mass * r * r / 2
    z = r * s + half * c
    reach = r * c - half * s
    # Torque of the floor about the centre of mass = rate × L, with the centre of mass at x = R in axes that turn.
    w3 = (mass * z * rate ** 2 * half * s - mass * G * reach + A * rate ** 2 * s * c) / (rate * (C * s + mass * z * r))
    R = half * s - w3 * r / rate
    spin = add(times(w3, axis(theta)), (c, 0.0, -s), -rate * s)
    body = Body("disc", f"{{ cylinder = {{ radius = {r}, height = {2 * half} }} }}", f'<geom type="cylinder" size="{r} {half}"/>',
                mass, A, C, (R, 0.0, z), theta, (0.0, rate * R, 0.0), spin)
    if slug == "coin":
        quantity, label, exact = (lambda m: 1e3 * math.hypot(m[0].p[0], m[0].p[1])), "distance from the centre of the circle [mm]", 1e3 * abs(R)
    else:
        quantity, label, exact = (lambda m: 1e3 * m[0].p[2]), "height of the centre of mass [mm]", 1e3 * z
    case = Case(slug, title, duration, [body], "", on_floor(body, 1.0), [*body.velocity, *body.spin_body()], label, quantity, constant(exact),
                friction=1.0, floor=True)
    case.inclination, case.precession = math.degrees(theta), rate
    return case


def spinning(slug, title, body, l, label, quantity, duration, exact):
    """A body with a fixed point, l below its centre of mass along its axis."""
    A = body.A + body.mass * l * l
    pivot = add(body.position, axis(body.theta), -l)
    body.velocity = cross(body.spin, times(l, axis(body.theta)))
    build = lambda _: f'<worldbody>{mj_body(body, f"""<joint type="ball" pos="0 0 {-l}"/>""")}</worldbody>'
    case = Case(slug, title, duration, [body], joint("spherical", body.name, "anchor", f"position = {vector(pivot)}"), build,
                list(body.spin_body()), label, quantity, exact or (lambda ts: [degrees_from_vertical(k)
                                                                              for k in pivoted(A, body.C, body.mass * G * l, body, ts)]))
    case.conserved["L_z"] = about_origin(case)
    case.conserved["L_3"] = along_axis(case)
    return case


def gyroscope():
    m, r, l, spin = 1.0, 0.1, 0.2, 100.0
    A, C = m * r * r / 4, m * r * r / 2
    rate = m * G * l / (C * spin)
    body = Body("wheel", f"{{ cylinder = {{ radius = {r}, height = 0.02 }} }}", f'<geom type="cylinder" size="{r} 0.01" contype="0" conaffinity="0"/>',
                m, A, C, (l, 0.0, 0.0), math.pi / 2, spin=(spin, 0.0, rate))
    case = spinning("gyroscope", "gyroscope, axis horizontal, 100 rad/s", body, l, "droop of the axis [°]",
                    lambda ms: degrees_from_vertical(ms[0].k) - 90, 5.0, constant(0.0))
    case.precession = rate
    return case


def top():
    m, l = 0.2, 0.03
    body = Body("top", "{ cylinder = { radius = 0.03, height = 0.02 } }", '<geom type="cylinder" size="0.03 0.01" contype="0" conaffinity="0"/>',
                m, 6e-5, 9e-5, times(l, axis(0.4)), 0.4, spin=times(150.0, axis(0.4)))
    return spinning("top", "top with a fixed point, 150 rad/s, nutates", body, l, "inclination [°]", lambda ms: degrees_from_vertical(ms[0].k), 3.0, None)


def rod_on_ball_joint():
    m, r, rate, theta = 1.0, 0.005, 20.0, math.radians(80)
    body = Body("rod", f"{{ capsule = {{ radius = {r}, length = {1 - 2 * r} }} }}",
                f'<geom type="capsule" size="{r} {0.5 - r}" contype="0" conaffinity="0"/>', m, m / 12, m * r * r / 2,
                times(0.5, axis(theta)), theta, spin=(0.0, 0.0, rate))
    return spinning("rod-spherical", "rod of 1 m whirling on a spherical joint, 20 rad/s", body, 0.5, "inclination [°]",
                    lambda ms: degrees_from_vertical(ms[0].k), 5.0, None)


def rod_on_strut():
    """Strut of 0.3 m, then a rod of 1 m that points 30° off it; both turn at 20 rad/s at the start, without gravity."""
    m, d, l, r, rate, bend = 1.0, 0.3, 0.5, 0.005, 20.0, math.radians(30)
    I = m / 12
    # The rod lies along x; rod and strut move in the plane of x and y.
    end = (d * math.cos(bend), -d * math.sin(bend), 0.0)
    centre = (end[0] + l, end[1], 0.0)
    spin = (0.0, 0.0, rate)
    body = Body("rod", f"{{ capsule = {{ radius = {r}, length = {1 - 2 * r} }} }}",
                f'<geom type="capsule" size="{r} {0.5 - r}" contype="0" conaffinity="0"/><site name="end" pos="0 0 {-l}"/>', m, I, m * r * r / 2,
                centre, math.pi / 2, cross(spin, centre), spin)

    def build(solref):
        return (f'<worldbody><site name="anchor"/>{mj_body(body, "<freejoint/>")}</worldbody>'
                '<tendon><spatial name="strut"><site site="anchor"/><site site="end"/></spatial></tendon>'
                f'<equality><tendon tendon1="strut" {solref}/></equality>')

    def f(y):
        a, b, wa, wb = y
        s, c = math.sin(a - b), math.cos(a - b)
        # Rows of Lagrange's equations for the angles of strut and rod.
        m11, m12, m22 = m * d * d, m * d * l * c, I + m * l * l
        f1, f2 = -m * d * l * s * wb * wb, m * d * l * s * wa * wa
        det = m11 * m22 - m12 * m12
        return [wa, wb, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]

    def exact(ts):
        return [math.degrees(y[1] - y[0]) for y in rk4(f, [-bend, 0.0, rate, rate], ts, 1e-4)]

    def quantity(ms):
        k = ms[0].k
        e = add(ms[0].p, k, -l)
        return math.degrees(math.atan2(e[0] * k[1] - e[1] * k[0], e[0] * k[0] + e[1] * k[1]))
    case = Case("rod-distance", "rod of 1 m whirling on a distance joint, 20 rad/s", 2.0, [body],
                f'[[joint]]\nkind = "distance"\na = "rod"\nb = "anchor"\nposition_a = {vector(end)}\nposition_b = [0, 0, 0]\n',
                build, [*body.velocity, *body.spin_body()], "angle between rod and strut [°]", quantity, exact, gravity=0.0)

    def linked(_):
        inner = mj_body(body, f'<joint type="ball" pos="0 0 {-l}"/>')
        return f'<worldbody><body><joint type="ball"/><inertial pos="0 0 0" mass="1e-6" diaginertia="1e-9 1e-9 1e-9"/>{inner}</body></worldbody>'
    case.other = ("strut as a light body", linked, [*spin, 0.0, 0.0, 0.0])
    case.conserved["L_z"] = about_origin(case)
    return case


def rod_with_slider():
    """A bead on a spring slides along a rod that turns about its end, without gravity."""
    m, mb, r, start, rate, k = 1.0, 0.5, 0.005, 0.5, 20.0, 1000.0
    I, Ib = m / 12, mb * 0.04 ** 2 / 6
    spin = (0.0, 0.0, rate)
    rod = Body("rod", f"{{ capsule = {{ radius = {r}, length = {1 - 2 * r} }} }}",
               f'<geom type="capsule" size="{r} {0.5 - r}" contype="0" conaffinity="0"/>', m, I, m * r * r / 2, (0.5, 0.0, 0.0), math.pi / 2,
               cross(spin, (0.5, 0.0, 0.0)), spin)
    bead = Body("bead", "{ box = [0.04, 0.04, 0.04] }", '<geom type="box" size="0.02 0.02 0.02" contype="0" conaffinity="0"/>', mb, Ib, Ib,
                (start, 0.0, 0.0), math.pi / 2, cross(spin, (start, 0.0, 0.0)), spin)

    def build(_):
        inner = mj_body(bead, f'<joint type="slide" axis="0 0 1" stiffness="{k}"/>', (0.0, 0.0, start - 0.5), turned=False)
        return f'<worldbody>{mj_body(rod, """<joint type="hinge" axis="-1 0 0" pos="0 0 -0.5"/>""", inside=inner)}</worldbody>'
    whole = I + 0.25 * m + Ib
    L = (whole + mb * start ** 2) * rate

    def exact(ts):
        def f(y):
            w = L / (whole + mb * y[0] ** 2)
            return [y[1], y[0] * w * w - k / mb * (y[0] - start)]
        return [1e3 * y[0] for y in rk4(f, [start, 0.0], ts, 1e-4)]
    case = Case("rod-prismatic", "rod of 1 m turning at 20 rad/s with a sprung bead on a prismatic joint", 2.0, [rod, bead],
                joint("revolute", "rod", "anchor", "position = [0, 0, 0]") +
                joint("prismatic", "bead", "rod", f"position = [{start}, 0, 0]\naxis = [1, 0, 0]\nmotor = {{ stiffness = {k} }}"),
                build, [rate, 0.0], "distance of the bead [mm]", lambda ms: 1e3 * norm(ms[1].p), exact, gravity=0.0,
                spring=lambda ms: 0.5 * k * (norm(ms[1].p) - start) ** 2)
    case.conserved["L_z"] = about_origin(case)
    return case


def ball_footed(slug, title, radius, offset, mass, A, C, theta, spin, mu, duration):
    """A body of revolution that stands on a ball."""
    z = radius - offset * math.cos(theta)
    body = Body("top", f"{{ compound = [{{ ball = {radius}, position = [0, 0, {offset}] }}] }}", f'<geom type="sphere" size="{radius}" pos="0 0 {offset}"/>',
                mass, A, C, (0.0, 0.0, z), theta, spin=spin)
    exact = OnBall(body, radius, offset, mu)
    case = Case(slug, title, duration, [body], "", on_floor(body, mu), [*body.velocity, *body.spin_body()], "inclination [°]",
                lambda ms: degrees_from_vertical(ms[0].k), lambda ts: [degrees_from_vertical(m.k) for m in exact.run(tuple(ts))], friction=mu, floor=True)
    if mu == 0:
        case.conserved["L_z"] = vertical(case)
        case.conserved["L_3"] = along_axis(case)
    else:
        case.conserved["Jellett's L · r"] = jellett(case, radius, offset)
        case.energies = lambda ts: [energy(case, [m]) for m in exact.run(tuple(ts))]
    return case


def cases():
    m, foot, com, A, C, theta = 0.2, 0.003, -0.027, 6e-5, 9e-5, 0.4
    spun = times(150.0, axis(theta))
    found = [
        ((500, 760), rolling_disc("coin", "coin that rolls in a circle", 0.05, 0.0025, 0.1, math.radians(75), 1.5, 5.0)),
        ((3, 20), rolling_disc("disk", "Euler's disk at 15°", 0.0375, 0.005, 0.4, math.radians(15), 62.0, 2.0)),
        ((-1, 1), gyroscope()),
        ((-35, 35), rod_on_strut()),
        ((75, 110), rod_on_ball_joint()),
        ((450, 750), rod_with_slider()),
        ((10, 50), top()),
        ((22, 30), ball_footed("top-smooth", "top on a floor without friction, 150 rad/s", foot, com, m, A, C, theta, spun, 0.0, 1.5)),
        ((17, 35), ball_footed("top-rough", "top on a floor with friction 0.3, 150 rad/s", foot, com, m, A, C, theta, spun, 0.3, 1.5)),
        ((0, 185), ball_footed("tippe-top", "tippe top, friction 0.1, 200 rad/s", 0.02, 0.004, 0.02, 3.2e-6, 3.2e-6, 0.1, (0.0, 0.0, 200.0), 0.1, 6.0)),
    ]
    for window, case in found:
        case.window = window
    return [case for _, case in found]


# Runs

@dataclass
class Run:
    """One run: times, curve and figures."""
    ts: list
    curve: list
    energy_error: list
    figures: dict
    setting: str = ""


def ours(tool, work, case, dt):
    name = os.path.join(work, f"{case.slug}-{round(1e3 * dt)}ms")
    with open(name + ".toml", "w") as out:
        out.write(scene(case, dt))
    run = subprocess.run([tool, "run", name + ".toml", "-o", name + ".csv", "--every", str(round(SAMPLE / dt))], capture_output=True, text=True)
    if run.returncode:
        print(f"{name}.toml: {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    samples = {}
    with open(name + ".csv") as table:
        for row in csv.DictReader(table):
            number = lambda *keys: tuple(float(row[key]) for key in keys)
            x, y, z, w = number("qx", "qy", "qz", "qw")
            k = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
            samples.setdefault(float(row["time"]), {})[row["body"]] = Motion(number("x", "y", "z"), k, number("vx", "vy", "vz"), number("wx", "wy", "wz"))
    return [(t, [found[b.name] for b in case.bodies]) for t, found in samples.items()]


def theirs(mujoco, case, dt, setting):
    import numpy
    model = mujoco.MjModel.from_xml_string(mjcf(case, dt, setting))
    data, seen = mujoco.MjData(model), mujoco.MjData(model)
    data.qvel[:] = case.other[2] if setting.other else case.qvel
    ids = [model.body(b.name).id for b in case.bodies]
    samples, every = [], round(SAMPLE / dt)
    both = numpy.zeros(6)
    for n in range(round(case.duration / dt) + 1):
        if n % every == 0:
            # A copy, so that looking does not change the warm start.
            seen.qpos[:], seen.qvel[:] = data.qpos, data.qvel
            mujoco.mj_forward(model, seen)
            motions = []
            if any(w.number for w in data.warning):
                # It calls its simulation unstable, and has gone back to the start.
                samples.append((n * dt, [Motion(*[(math.nan,) * 3] * 4) for _ in ids]))
                continue
            for i in ids:
                mujoco.mj_objectVelocity(model, seen, mujoco.mjtObj.mjOBJ_BODY, i, both, 0)
                found = (seen.xpos[i], seen.xmat[i].reshape(3, 3)[:, 2], both[3:], both[:3])
                motions.append(Motion(*(tuple(v.tolist()) for v in found)))
            samples.append((n * dt, motions))
        if not any(w.number for w in data.warning):
            mujoco.mj_step(model, data)
    return samples


def turned(samples):
    """Angle by which the axis has turned about the vertical."""
    total, before = 0.0, samples[0][1][0].k
    for _, motions in samples[1:]:
        after = motions[0].k
        total += math.atan2(before[0] * after[1] - before[1] * after[0], before[0] * after[0] + before[1] * after[1])
        before = after
    return total


def measured(case, samples, exact, energies):
    ts = [t for t, _ in samples]
    curve = [case.quantity(motions) for _, motions in samples]
    first = samples[0][1]
    scale = kinetic(case, first)
    size = norm(whole_momentum(case, first))
    errors = [abs(energy(case, motions) - e) / scale for (_, motions), e in zip(samples, energies)]
    figures = {case.label: worst(abs(a - b) for a, b in zip(curve, exact)), ENERGY: worst(errors)}
    for name, value in case.conserved.items():
        values = [value(motions) for _, motions in samples]
        figures[name + (", relative" if name[0] == "J" else ", share of the angular momentum at the start")] = worst(abs(v - values[0]) / (abs(values[0]) if name[0] == "J" else size) for v in values)
    if case.inclination:
        figures["inclination [°]"] = worst(abs(degrees_from_vertical(motions[0].k) - case.inclination) for _, motions in samples)
    if case.precession:
        figures["angle of precession at the end [°]"] = worst([abs(math.degrees(turned(samples) - case.precession * ts[-1]))])
    return Run(ts, curve, errors, figures)


def worst(values):
    found = 0.0
    for v in values:
        if not math.isfinite(v):
            return math.inf
        found = max(found, v)
    return found


# Figures

COLOURS = {"ours": "#1d4ed8", "default": "#c2410c", "best": "#15803d"}
WIDTH, PANEL, LEFT, GAP = 760, 220, 70, 34


def ticks(low, high):
    step = 10 ** math.floor(math.log10((high - low) / 3))
    step = next(step * s for s in (1, 2, 5, 10) if (high - low) / (step * s) <= 5)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, math.floor(high / step + 1e-9) + 1)]


def thinned(xs, ys, most):
    every = max(1, math.ceil(len(xs) / most))
    picked = sorted(set(range(0, len(xs), every)) | {len(xs) - 1})
    return [xs[i] for i in picked], [ys[i] for i in picked]


class Panel:
    """Axes of one panel: a line of time below, values at the left."""

    def __init__(self, top, duration, low, high, label, log):
        self.top, self.duration, self.low, self.high, self.log = top, duration, low, high, log
        grid, text = 'stroke="#e5e7eb"', 'fill="#374151"'
        self.parts = [f'<clipPath id="at{top}"><rect x="{LEFT}" y="{top}" width="{WIDTH - 20 - LEFT}" height="{PANEL}"/></clipPath>',
                      f'<text x="{LEFT}" y="{top - 8}" {text}>{label}</text>']
        marks = range(math.ceil(low), math.floor(high) + 1, max(1, round((high - low) / 5))) if log else ticks(low, high)
        for mark in marks:
            y = self.y(10.0 ** mark if log else mark)
            shown = f"1e{mark}" if log else f"{mark:.6g}"
            self.parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 20}" y2="{y:.1f}" {grid}/>'
                              f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" {text}>{shown}</text>')
        for mark in ticks(0, duration):
            x = self.x(mark)
            self.parts.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{top + PANEL}" {grid}/>'
                              f'<text x="{x:.1f}" y="{top + PANEL + 16}" text-anchor="middle" {text}>{mark:.3g}</text>')

    def x(self, t):
        return LEFT + (WIDTH - 20 - LEFT) * t / self.duration

    def y(self, value):
        if self.log:
            value = math.log10(max(value, 1e-99))
        share = (value - self.low) / (self.high - self.low)
        return self.top + PANEL * (1 - min(2.0, max(-1.0, share)))

    def line(self, ts, values, colour, width, dashed):
        near = thinned(ts, values, 100 if self.log else 375)
        points = " ".join(f"{self.x(t):.1f},{self.y(v):.1f}" for t, v in zip(*near) if math.isfinite(v))
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        self.parts.append(f'<polyline clip-path="url(#at{self.top})" fill="none" stroke="{colour}" stroke-width="{width}"{dash} points="{points}"/>')


def figure(case, runs, exact):
    """Two panels: the quantity, and the error of energy."""
    height = 2 * PANEL + 3 * GAP + 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    upper = Panel(GAP + 36, case.duration, *case.window, case.label, False)
    errors = [e for run in runs.values() for e in run.energy_error if math.isfinite(e) and e > 0]
    top = min(1, math.ceil(math.log10(max(errors))))
    lower = Panel(2 * GAP + 36 + PANEL + 10, case.duration, -16, max(top, -10), "error of the " + ENERGY, True)
    ts = next(iter(runs.values())).ts
    upper.line(ts, exact, "#9ca3af", 5, False)
    shown = [("exact", "#9ca3af", 5, False)]
    for (who, dt), run in runs.items():
        dashed = dt > STEPS[0]
        name = {"ours": "Stiction", "default": "MuJoCo, defaults", "best": "MuJoCo, best"}[who]
        shown.append((f"{name}, {1e3 * dt:.0f} ms", COLOURS[who], 1.5, dashed))
        # A run whose energy is off by ten times the kinetic energy has left the figure.
        gone = next((i for i, e in enumerate(run.energy_error) if not e < 10), len(run.ts))
        upper.line(run.ts[:gone], run.curve[:gone], COLOURS[who], 1.5, dashed)
        lower.line(run.ts[1:], run.energy_error[1:], COLOURS[who], 1.5, dashed)
    for i, (name, colour, width, dashed) in enumerate(shown):
        x, y = LEFT + (90 + 190 * ((i - 1) // 2) if i else 0), 16 + 18 * ((i + 1) % 2)
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        parts.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 26}" y2="{y - 4}" stroke="{colour}" stroke-width="{width}"{dash}/>'
                     f'<text x="{x + 32}" y="{y}" fill="#374151">{name}</text>')
    parts += upper.parts + lower.parts
    parts.append(f'<text x="{WIDTH - 20}" y="{height - 8}" text-anchor="end" fill="#374151">time [s]</text></svg>')
    return "\n".join(parts) + "\n"


# Table

NOTES = """
Errors are the largest over the run. MuJoCo: elliptic friction cone; its defaults are the integrator `Euler` and constraints with a time constant of 20 ms;
its best is that setting of `Euler`, `implicitfast`, `implicit` and `RK4`, with default or stiff constraints, whose error in the first line of the case is
smallest at that step. Stiff: time constant of 2 dt, impedance 0.99 to 0.9999, impratio 100. lost: MuJoCo calls its simulation unstable and starts again.
A distance joint is an equality constraint on a tendon in MuJoCo, or, as a light body, a strut of 1 mg with two ball joints.
"""


def shown(value):
    if value is None or not math.isfinite(value):
        return "" if value is None else "lost"
    if value < 1e-2 or value >= 9.5e3:
        return f"{value:.1e}"
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def rows(case, runs):
    """Lines of the table; the setting of MuJoCo's best beside the first."""
    lines = []
    for i, name in enumerate(runs["ours", STEPS[0]].figures):
        entries = []
        for who in ("ours", "default", "best"):
            for dt in STEPS:
                run = runs.get((who, dt))
                entries.append(shown(run and run.figures[name]) + (f" ({run.setting})" if run and who == "best" and i == 0 else ""))
        lines.append(f"| {case.title if i == 0 else ''} | {name} | " + " | ".join(entries) + " |")
    return lines


def run_case(case, tool, work, mujoco):
    ts = [SAMPLE * i for i in range(round(case.duration / SAMPLE) + 1)]
    exact = case.exact(ts)
    runs, samples = {}, {}
    for dt in STEPS:
        samples[dt] = ours(tool, work, case, dt)
    start = energy(case, samples[STEPS[0]][0][1])
    energies = case.energies(ts) if case.energies else [start] * len(ts)
    for dt in STEPS:
        runs["ours", dt] = measured(case, samples[dt], exact, energies)
    if mujoco:
        settings = [Setting(i, stiff, other) for other in (False, True)[:2 if case.other else 1] for stiff in (False, True) for i in INTEGRATORS]
        found = {(setting, dt): measured(case, theirs(mujoco, case, dt, setting), exact, energies) for setting in settings for dt in STEPS}
        for dt in STEPS:
            runs["default", dt] = found[DEFAULTS, dt]
        for dt in STEPS:
            best = min(settings, key=lambda s: found[s, dt].figures[case.label])
            runs["best", dt] = found[best, dt]
            runs["best", dt].setting = best.name(case)
    return runs, exact


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--work")
    parser.add_argument("--tool", default=os.path.join(ROOT, "target", "release", "stiction"))
    parser.add_argument("--only")
    parser.add_argument("--machine")
    options = parser.parse_args()
    if not os.path.exists(options.tool):
        sys.exit(f"no tool at {options.tool}: cargo build --release -p stiction-cli")
    try:
        import mujoco
        # Warnings are counted in its data; it would also write them to a file in this folder.
        mujoco.set_mju_user_warning(lambda _: None)
    except ImportError:
        mujoco = None
        print("skipped: MuJoCo is not here", file=sys.stderr)
    lines = ["| case | largest error of | Stiction, 1 ms | 4 ms | MuJoCo, defaults, 1 ms | 4 ms | MuJoCo, best, 1 ms | 4 ms |", "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as own:
        work = options.work or own
        os.makedirs(work, exist_ok=True)
        for case in cases():
            if options.only not in (None, case.slug):
                continue
            runs, exact = run_case(case, options.tool, work, mujoco)
            lines += rows(case, runs)
            print("\n".join(rows(case, runs)), flush=True)
            folder = os.path.join(ROOT, "docs", "images") if options.machine else work
            with open(os.path.join(folder, f"slender-{case.slug}.svg"), "w") as out:
                out.write(figure(case, runs, exact))
    version = f"MuJoCo {mujoco.__version__}" if mujoco else "without MuJoCo"
    if options.machine:
        folder = os.path.join(ROOT, "bench", "results", options.machine)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "slender_cases.md"), "w") as out:
            out.write(f"Made by `bench/slender_cases.py`, {version}.\n\n" + "\n".join(lines) + "\n" + NOTES)


if __name__ == "__main__":
    main()
