#!/usr/bin/env python3
"""Other people's solvers behind the protocol of `stiction compare --peers`.

usage: driver.py --list                     the solvers that this Python has, one line each; lines with # say what is missing
       driver.py SOLVER PROBLEM ANSWER      one problem through one solver
       driver.py --build                    compile the shims in shims/ (g++, and the headers of Eigen and Bullet)

A problem is an `lcp` file (M, q) or a `contact-local` file (dimension, W, q, mu; u = W r + q, normal first), as JSON.
An answer holds `status` ("solved" where the solver says so), `z` or `r`, and `time_us`: the least time of a few calls of
the solver alone, problem construction excluded. Nothing here judges anything.
"""
import ctypes
import importlib.util
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("STICTION_PEERS_BUILD", os.path.join(HERE, "..", "..", "target", "peers"))
BUDGET = 0.2            # seconds of repeated calls
REPEATS = 20
TOLERANCE = 1e-8        # given to iterative solvers
ITERATIONS = 20000


def timed(solve):
    """The first answer and the least time [us] of a few calls."""
    best, spent, found = float("inf"), 0.0, None
    for _ in range(REPEATS):
        start = time.perf_counter()
        value = solve()
        took = time.perf_counter() - start
        found = value if found is None else found
        best, spent = min(best, took), spent + took
        if spent > BUDGET:
            break
    return found, best * 1e6


# --- LCPs: solve(M, q) -> (says solved, z, time) ------------------------------------------------------------------------


def quantecon():
    from quantecon.optimize.lcp_lemke import lcp_lemke

    def solve(M, q):
        lcp_lemke(M, q, max_iter=10 ** 6)               # compiled at the first call
        found, us = timed(lambda: lcp_lemke(M, q, max_iter=10 ** 6))
        return bool(found.success), found.z, us
    return solve


def drake(name):
    """Drake's solvers through their front door, a mathematical program."""
    def make():
        from pydrake import solvers

        def solve(M, q):
            program = solvers.MathematicalProgram()
            z = program.NewContinuousVariables(len(q))
            program.AddLinearComplementarityConstraint(M, q, z)
            found, us = timed(lambda: getattr(solvers, name)().Solve(program))
            return bool(found.is_success()), found.GetSolution(z), us
        return solve
    return make


def siconos_lcp(name):
    def make():
        import siconos.numerics as sn

        def solve(M, q):
            import numpy as np
            sn.numerics_set_verbose(0)

            def once():
                problem = sn.LCP(M, q)
                options = sn.SolverOptions(getattr(sn, "SICONOS_LCP_" + name))
                options.dparam[sn.SICONOS_DPARAM_TOL] = TOLERANCE
                options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = ITERATIONS
                z, w = np.zeros(len(q)), np.zeros(len(q))
                return sn.linearComplementarity_driver(problem, z, w, options), z
            (info, z), us = timed(once)
            return info == 0, z, us
        return solve
    return make


def shim(library, method):
    """A solver in a shim: int peer_lcp(method, n, M row-major, q, z)."""
    def make():
        lib = ctypes.CDLL(os.path.join(BUILD, library + ".so"))
        pointer = ctypes.POINTER(ctypes.c_double)

        def solve(M, q):
            import numpy as np
            M, q, z = np.ascontiguousarray(M), np.ascontiguousarray(q), np.zeros(len(q))
            a = [x.ctypes.data_as(pointer) for x in (M, q, z)]
            ok, us = timed(lambda: lib.peer_lcp(method, len(q), *a))
            return bool(ok), z, us
        return solve
    return make


# --- contacts: solve(W, q, mu) -> (says solved, r, time), normal first, three numbers a contact -----------------------------


def siconos_contact(name, iterations=ITERATIONS):
    def make():
        import siconos.numerics as sn

        def solve(W, q, mu):
            import numpy as np
            sn.numerics_set_verbose(0)

            def once():
                problem = sn.FrictionContactProblem(3, W, q, mu)
                options = sn.SolverOptions(getattr(sn, "SICONOS_FRICTION_3D_" + name))
                options.dparam[sn.SICONOS_DPARAM_TOL] = TOLERANCE
                options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = iterations
                r, u = np.zeros(len(q)), np.zeros(len(q))
                return sn.fc3d_driver(problem, r, u, options), r
            (info, r), us = timed(once)
            return info == 0, r, us
        return solve
    return make


def pinocchio(kind):
    def make():
        import pinocchio as pin
        kinds = {"admm": (pin.ADMMSolverSettings, pin.ADMMSolverResult, pin.ADMMConstraintSolver),
                 "pgs": (pin.PGSSolverSettings, pin.PGSSolverResult, pin.PGSConstraintSolver)}
        Settings, Result, Solver = kinds[kind]

        def solve(W, q, mu):
            import numpy as np
            order = np.arange(len(q)).reshape(-1, 3)[:, [1, 2, 0]].ravel()      # the normal comes last there
            model = pin.Model()
            joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
            models, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
            for x in mu:
                contact = pin.PointContactConstraintModel(model, joint)
                contact.setFriction(float(x))
                models.append(pin.ConstraintModel(contact))
                data.append(pin.ConstraintData(contact.createData()))
            settings = Settings()
            settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = TOLERANCE
            settings.relative_feasibility_tol = settings.relative_complementarity_tol = TOLERANCE
            settings.max_iterations, settings.solve_ncp = ITERATIONS, True
            g, matrix = np.ascontiguousarray(q[order]), np.asfortranarray(W[np.ix_(order, order)])

            def once():
                result = Result()
                ok = Solver(len(g)).solve(pin.DelassusOperatorDense(matrix.copy()), g, models, data, settings, result)
                return ok, result
            (ok, result), us = timed(once)
            r = np.zeros(len(q))
            r[order] = np.asarray(result.retrieveConstraintImpulses()).ravel()
            return bool(ok), r, us
        return solve
    return make


# name: kind, what it needs, how it is made, words
SOLVERS = {
    "quantecon": ("lcp", "quantecon", quantecon, "QuantEcon lcp_lemke"),
    "drake.moby": ("lcp", "pydrake", drake("MobyLcpSolver"), "Drake MobyLcpSolver, as a mathematical program"),
    "drake.unrevised": ("lcp", "pydrake", drake("UnrevisedLemkeSolver"), "Drake UnrevisedLemkeSolver, likewise"),
    "drake.fast": ("lcp", "drake.so", shim("drake", 0), "Drake SolveLcpFast (shim)"),
    "drake.lemke": ("lcp", "drake.so", shim("drake", 1), "Drake SolveLcpLemke (shim)"),
    "bullet.lemke": ("lcp", "bullet.so", shim("bullet", 0), "Bullet btLemkeAlgorithm, 1000 loops (shim)"),
    "bullet.dantzig": ("lcp", "bullet.so", shim("bullet", 1), "Bullet btSolveDantzigLCP (shim)"),
    "siconos.lemke": ("lcp", "siconos", siconos_lcp("LEMKE"), "Siconos lexicographic Lemke"),
    "siconos.nsgs": ("contact", "siconos", siconos_contact("NSGS"), "Siconos non-smooth Gauss-Seidel"),
    "siconos.nsn": ("contact", "siconos", siconos_contact("NSN_AC", 1000), "Siconos semismooth Newton, Alart-Curnier"),
    "siconos.admm": ("contact", "siconos", siconos_contact("ADMM"), "Siconos ADMM"),
    "pin.admm": ("contact", "pinocchio", pinocchio("admm"), "Pinocchio ADMM"),
    "pin.pgs": ("contact", "pinocchio", pinocchio("pgs"), "Pinocchio PGS"),
}
SYMMETRIC = {"bullet.dantzig"}      # asks for a symmetric M


def missing(need):
    """Why a solver cannot run here; None where it can."""
    if need.endswith(".so"):
        there = os.path.exists(os.path.join(BUILD, need))
        return None if there else f"{need} is not built (driver.py --build)"
    if importlib.util.find_spec(need) is None:
        return f"{need} is not installed for {sys.executable}"
    return None if importlib.util.find_spec("numpy") else f"numpy is not installed for {sys.executable}"


def listing():
    for name, (kind, need, _, words) in SOLVERS.items():
        why = missing(need)
        print(f"# {name}: {why}" if why else f"{name} {kind} {words}")


def build():
    os.makedirs(BUILD, exist_ok=True)
    flags = ["g++", "-O2", "-std=c++17", "-fPIC", "-shared"]
    jobs = {"bullet": ["-DBT_USE_DOUBLE_PRECISION", "-I/usr/include/bullet", "-lBulletDynamics-float64",
                       "-lBulletCollision-float64", "-lLinearMath-float64"]}
    drake = importlib.util.find_spec("pydrake")
    if drake:
        lib = os.path.join(os.path.dirname(drake.origin), "lib")
        jobs["drake"] = ["-I/usr/include/eigen3", "-L" + lib, "-ldrake", "-Wl,-rpath," + lib,
                         "-Wl,--allow-shlib-undefined"]
    else:
        print("drake: pydrake is not installed")
    for name, rest in jobs.items():
        run = flags + [os.path.join(HERE, "shims", name + ".cpp"), "-o", os.path.join(BUILD, name + ".so")] + rest
        done = subprocess.run(run, capture_output=True, text=True)
        print(f"{name}: {'built' if done.returncode == 0 else done.stderr.strip()}")


def main():
    if sys.argv[1:] == ["--list"]:
        return listing()
    if sys.argv[1:] == ["--build"]:
        return build()
    if len(sys.argv) != 4 or sys.argv[1] not in SOLVERS:
        sys.exit(__doc__)
    import numpy as np
    np.seterr(all="ignore")
    kind, _, make, _ = SOLVERS[sys.argv[1]]
    with open(sys.argv[2]) as file:
        problem = json.load(file)
    array = lambda key: np.array(problem[key], dtype=float)
    key = "z" if kind == "lcp" else "r"
    if kind == "lcp":
        M = array("M")
        fits = sys.argv[1] not in SYMMETRIC or abs(M - M.T).max() <= 1e-12 * abs(M).max()
        ok, x, us = make()(M, array("q")) if fits else ("unfit", [], 0.0)
    elif problem["dimension"] != 3:
        ok, x, us = "unfit", [], 0.0
    else:
        ok, x, us = make()(array("W"), array("q"), array("mu"))
    x = [float(v) for v in np.asarray(x, dtype=float).ravel()]
    status = ok if isinstance(ok, str) else "solved" if ok else "failed"
    answer = {"status": status, "time_us": us}
    if all(np.isfinite(x)) and len(x):
        answer[key] = x
    with open(sys.argv[3], "w") as file:
        json.dump(answer, file)
    sys.stdout.flush()
    os._exit(0)             # some libraries crash on the way out, with the answer written


if __name__ == "__main__":
    main()
