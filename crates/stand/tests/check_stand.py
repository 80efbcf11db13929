"""Checks the proofs of a stand.json from its own data, in rationals: nothing is shared with the program that wrote it.

A column of a contact is (d, (p - c) x d) in doubles, as docs/reference/stand-file.md says; all else is exact. Forces f prove that forces balance the load where
the residual r = Gf + w is smaller than the room in the cones: |r| <= sqrt(c) * room, c below the least eigenvalue of GG'. That c is proved by an exact LDL'.
"""

import json
import sys
from fractions import Fraction as Q


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class Scene:
    def __init__(self, report):
        self.bodies, self.planar = report["bodies"], report["planar"]
        self.free = [k for k, body in enumerate(self.bodies) if "mass" in body]
        self.place = {k: i for i, k in enumerate(self.free)}
        self.dim = 3 if self.planar else 6
        self.load = [Q(x) for k in self.free for x in self.bodies[k]["load"]]
        self.mu = [None if c["friction"] == "inf" else Q(c["friction"]) for c in report["contacts"]]
        self.columns = [self.of_contact(c) for c in report["contacts"]]
        assert not report["rows"], "scenes with joint rows are not checked here"

    def of_contact(self, contact):
        if "columns" in contact:
            return [(self.place[c["body"]], [list(map(Q, c["column"])), None, None]) for c in contact["columns"]]
        parts = []
        for end, sign in ((contact["a"], 1.0), (contact["b"], -1.0)):
            if end not in self.place:
                continue
            arm = [p - c for p, c in zip(contact["point"], self.bodies[end]["center"])]
            columns = []
            for d in (contact["normal"], *contact["tangents"]):
                whole = [sign * x for x in (*d, *cross(arm, d))]
                columns.append([Q(x) for x in ([whole[0], whole[1], whole[5]] if self.planar else whole)])
            parts.append((self.place[end], columns))
        return parts

    def velocities(self, j, v):
        """Velocity of contact j along normal and tangents."""
        of = lambda c: sum((a * b for i, cs in self.columns[j] if cs[c] for a, b in zip(cs[c], v[self.dim * i :])), Q(0))
        return [of(c) for c in range(3)]

    def opens(self, v):
        """Every contact opens at least mu times as fast as it slides."""
        for j, mu in enumerate(self.mu):
            n, x, y = self.velocities(j, v)
            if n < 0 or mu is None and (x or y) or mu is not None and n * n < mu * mu * (x * x + y * y):
                return False
        return True

    def balance(self, forces, load):
        """Whether forces that balance the load exactly are near these, inside the cones."""
        r, rows = list(load), []
        for j, f in enumerate(forces):
            for i, columns in self.columns[j]:
                for c in range(3):
                    if columns[c] and f[c]:
                        for k, x in enumerate(columns[c]):
                            r[self.dim * i + k] += x * Q(f[c])
            if any(f):
                for c in range(3 if self.mu[j] != 0 else 1):
                    row = [(self.dim * i + k, x) for i, cs in self.columns[j] for k, x in enumerate(cs[c]) if x]
                    rows.append(row)
        idle = set(range(len(r))) - {at for row in rows for at, _ in row}
        if any(r[at] for at in idle):
            return False
        # Newton's step in rationals, rounded: f - G'(GG')^-1 r is exact, and its size is bounded by |r| / sqrt(c).
        least = self.least(rows, idle, len(r))
        if least is None:
            return False
        squared = sum(x * x for x in r) / least
        for j, f in enumerate(forces):
            if not any(f):
                continue
            n, t2, mu = Q(f[0]), Q(f[1]) ** 2 + Q(f[2]) ** 2, self.mu[j] or Q(0)
            # (mu n - |T|)^2 > (1 + mu^2) s with s the squared distance, without roots: mu n > |T| + d.
            d2 = (1 + mu * mu) * squared
            if n <= 0 or n * n <= squared:
                return False
            if mu and not (mu * mu * n * n > t2 + d2 and (mu * mu * n * n - t2 - d2) ** 2 > 4 * t2 * d2):
                return False
        return True

    def least(self, rows, idle, size):
        """A number below the least eigenvalue of GG', proved by pivots of GG' - cI, each positive."""
        gram = [dict() for _ in range(size)]
        for row in rows:
            for a, x in row:
                for b, y in row:
                    gram[a][b] = gram[a].get(b, 0) + x * y
        for at in idle:
            gram[at][at] = Q(1)
        # Entries are rounded to short rationals; by Gershgorin that moves eigenvalues by less than `lost`.
        short = [{b: Q(round(x * 2**40), 2**40) for b, x in row.items()} for row in gram]
        lost = max(len(row) for row in gram) * Q(1, 2**40)
        c = Q(1, 8)
        while c > 2 * lost:
            if self.definite([dict(row) for row in short], c):
                return c - lost
            c /= 8
        return None

    @staticmethod
    def definite(a, c):
        """Pivots by intervals of doubles would round: they are kept as rationals of 200 bits, each rounded down."""
        n = len(a)
        for k in range(n):
            a[k][k] -= c
        cut = lambda x: Q((x.numerator << 200) // x.denominator, 1 << 200)
        for k in range(n):
            pivot = a[k].get(k, Q(0))
            if pivot <= Q(1, 2**60):
                return False
            below = [i for i in a[k] if i > k and a[k][i]]
            for i in below:
                by = a[k][i] / pivot
                for j in below:
                    a[i][j] = cut(a[i].get(j, Q(0)) - by * a[k][j])
                # What rounding down took of the rest of the matrix is far below the 2^-60 that each pivot must exceed.
        return True


def direction(scene, report, margin):
    """d of a margin by tilt, acceleration or load, in doubles as the program makes it."""
    d = [0.0] * len(scene.load)
    if margin["kind"] in ("tilt", "acceleration"):
        sign = 1 if margin["kind"] == "tilt" else -1
        g = sum(x * x for x in report["gravity"]) ** 0.5
        size = sum(x * x for x in margin["axis"]) ** 0.5
        for i, k in enumerate(scene.free):
            force = [scene.bodies[k]["mass"] * g * (sign * x) / size for x in margin["axis"]]
            d[scene.dim * i : scene.dim * i + (2 if scene.planar else 3)] = force[: 2 if scene.planar else 3]
    else:
        body = margin["body"]
        arm = [p - c for p, c in zip(margin["point"] or scene.bodies[body]["center"], scene.bodies[body]["center"])]
        whole = [*margin["force"], *cross(arm, margin["force"])]
        at = scene.dim * scene.place[body]
        d[at : at + scene.dim] = [whole[0], whole[1], whole[5]] if scene.planar else whole
    return [Q(x) for x in d]


def flat(v):
    return [Q(x) for body in v for x in body]


def check(report):
    scene, faults = Scene(report), []

    def claim(what, holds):
        print(("holds  " if holds else "REFUSED"), what)
        faults.extend([] if holds else [what])

    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    evidence = report["evidence"]
    if "forces" in evidence:
        claim("forces balance the loads", scene.balance(evidence["forces"]["contacts"], scene.load))
    if "mechanism" in evidence:
        v = flat(evidence["mechanism"]["velocity"])
        claim("no forces balance the loads", scene.opens(v) and dot(scene.load, v) > 0)
    for margin in report["margins"]:
        d = direction(scene, report, margin)
        if margin["low"] is not None:
            load = [w + Q(margin["low"]) * x for w, x in zip(scene.load, d)]
            claim(f"{margin['name']}: forces at {margin['low']}", scene.balance(margin["forces"]["contacts"], load))
        if margin["high"] is not None:
            v = flat(margin["mechanism"]["velocity"])
            along = dot(d, v)
            holds = scene.opens(v) and along > 0 and -dot(scene.load, v) <= Q(margin["high"]) * along
            claim(f"{margin['name']}: none beyond {margin['high']}", holds)
    return not faults


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        sys.exit(0 if check(json.load(file)) else 1)
