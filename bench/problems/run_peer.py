#!/usr/bin/env python3
"""Run one peer method on one scenario and form, one JSON line per problem.

usage: run_peer.py PEER SCENARIO FORM OUTFILE [--start I] [--count K] [--budget S]

Meant to be started by run_all.py, which restarts it after a crash or a
timeout.  Environment: PEERS_DIR (default target/peers) holds venv/, build/ and
problems/.  Time is that of the solve call alone, in this process, after one
warm-up, matrices already in the peer's own type."""
import argparse
import ctypes as C
import json
import os
import sys
import time
import numpy as np
np.seterr(all="ignore")
import contactgen as cg
import metrics

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEERS = os.environ.get("PEERS_DIR") or os.path.join(ROOT, "target", "peers")
MAXREP = 200


def dp(a):
    return a.ctypes.data_as(C.POINTER(C.c_double))


class Shim:
    """An LCP or cone solver behind one of the C++ shims."""

    def __init__(self, lib):
        self.lib = C.CDLL(os.path.join(PEERS, "build", lib + ".so"))

    def lcp(self, method, M, q, budget, iters=0, extra=()):
        n = len(q)
        z, t = np.zeros(n), np.zeros(MAXREP)
        nr, it = C.c_int(0), C.c_int(iters)
        ok = self.lib.peer_lcp(method, n, dp(M), dp(q), dp(z), MAXREP, C.c_double(budget), dp(t),
                               C.byref(nr), C.byref(it), *extra)
        return bool(ok), z, t[:nr.value], it.value

    def cone(self, sid, W, q, mu, budget, tol, maxit, storage):
        n = len(q)
        r, t = np.zeros(n), np.zeros(MAXREP)
        nr, it = C.c_int(0), C.c_int(0)
        ok = self.lib.peer_cone(sid, n // 3, dp(W), dp(q), dp(mu), dp(r), MAXREP, C.c_double(budget), dp(t),
                                C.byref(nr), C.byref(it), C.c_double(tol), C.c_int(maxit), C.c_int(storage))
        return bool(ok), r, t[:nr.value], it.value


def timed(f, budget, get_us=None):
    """Repeat f() within the budget; returns last value and times in us."""
    ts, spent = [], 0.0
    while len(ts) < MAXREP and (spent < budget or not ts):
        c0, t0 = time.thread_time(), time.perf_counter()
        v = f()
        us = (time.perf_counter() - t0) * 1e6
        cpu = (time.thread_time() - c0) * 1e6
        spent += us * 1e-6
        us = us if get_us is None else get_us(v)
        ts.append(min(us, cpu) if us > 50 else us)            # as in shims/bench.hpp
    return v, np.array(ts)


# ---- LCP peers: name -> factory(P, A, form) -> solve(i, budget) -> (ok, z, times, iters)
DRAKE = dict(lemke=0, lemke_reg=1, fast=2, fast_reg=3, unrev=4, unrev_warm=5)
SIC_LCP = dict(lexicolemke=(200, 0), pivot_bard=(215, 1), pivot_leastidx=(215, 2), pivot_lemke=(215, 3),
               pivot_pathsearch=(215, 4), lumod=(220, 0), lumod_lemke=(220, 3), pathsearch=(219, 0),
               avi_caoferris=(214, 0), newton_min_fblsa=(218, 0), newton_fb_fblsa=(209, 0), newtonmin=(208, 0),
               pgs=(202, 0), rpgs=(211, 0), psor=(210, 0), cpg=(203, 0), latin=(204, 0), latin_w=(205, 0),
               qp=(206, 0), nsqp=(207, 0), bard=(216, 0), murty=(217, 0), convexqp_pg=(222, 0), enum=(213, 0))


def make(peer, P, A, form):
    fam, _, meth = peer.partition(".")
    M = np.ascontiguousarray(A["M"])
    Q = np.ascontiguousarray(A["q"])
    mu = np.ascontiguousarray(A["mu"]) if "mu" in A else None

    if fam == "drake":
        sh = Shim("drake")
        return lambda i, b: sh.lcp(DRAKE[meth], M, Q[i], b)

    if fam in ("bullet", "bullet327", "dart"):
        sh = Shim(fam.replace("327", ""))
        if fam == "bullet327":
            use_pybullet(sh.lib)
        mup = dp(mu) if form == "box" else C.c_void_p(0)
        if meth.startswith("lemke"):
            loops = int(meth[5:]) if meth[5:] else 1000      # btLemkeSolver's own m_maxLoops
            return lambda i, b: sh.lcp(0, M, Q[i], b, loops, (C.c_void_p(0),))
        if meth == "dantzig":
            return lambda i, b: sh.lcp(1, M, Q[i], b, 0, (mup,))
        if meth == "dantzig_cfm":                            # DART's default: diag *= 1 + 1e-5
            Mr = np.ascontiguousarray(M + np.diag(1e-5 * np.diag(M)))
            return lambda i, b: sh.lcp(1, Mr, Q[i], b, 0, (mup,))
        if meth.startswith("pgs"):
            return lambda i, b: sh.lcp(2, M, Q[i], b, int(meth[3:]), (mup,))

    if fam == "siconos" and form != "cone":
        sh = Shim("siconos")
        sid, rule = SIC_LCP[meth]
        # tolerance 0 -> the solver's own default
        tol, maxit = (1e-9, 20000)
        return lambda i, b: sh.lcp(sid, M, Q[i], b, 0, (C.c_double(tol), C.c_int(maxit), C.c_int(rule)))

    if fam == "siconos":
        sh = Shim("siconos")
        name, _, st = meth.partition("@")                    # nsgs@sbm, nsgs@dense
        name, _, tol = name.partition(":")                   # nsgs:1e-4
        sid = fc_id(name.upper())
        storage = dict(dense=0, sbm=1, sparse=2)[st or "dense"]
        maxit = 200 if name.startswith("nsn") else 20000
        return lambda i, b: sh.cone(sid, M, Q[i], mu, b, float(tol or 1e-8), maxit, storage)

    if fam == "lemkelcp":
        from lemkelcp.lemkelcp import lemkelcp, lemketableau

        def run(q):
            if meth != "listfix":
                return lemkelcp(M, q, maxIter=20000)
            # 0.1 keeps two index lists as `range`, which Python 3 cannot
            # assign into; give the object real lists.
            t = lemketableau(M, q, maxIter=20000)
            t.wPos, t.zPos = list(t.wPos), list(t.zPos)
            return t.lemkeAlgorithm()

        def f(i, b):
            (z, code, msg), t = timed(lambda: run(Q[i]), b)
            return code == 0, (np.zeros(len(Q[i])) if z is None else np.asarray(z).ravel()), t, -1
        return f

    if peer == "quantecon":
        from quantecon.optimize.lcp_lemke import lcp_lemke

        def f(i, b):
            r, t = timed(lambda: lcp_lemke(M, Q[i], max_iter=10 ** 6), b)
            return bool(r.success), r.z, t, int(r.num_iter)
        return f

    if fam == "pin":
        return pinocchio(meth, M, Q, mu)
    if fam == "qp":
        return qp(meth, P, form)
    raise SystemExit("unknown peer " + peer)


def use_pybullet(shim):
    """Point the Bullet shim at btLemkeAlgorithm::solve of the pybullet wheel."""
    import importlib.util
    import subprocess
    so = importlib.util.find_spec("pybullet").origin
    off = {}
    for line in subprocess.run(["nm", so], capture_output=True, text=True).stdout.splitlines():
        f = line.split()
        if len(f) == 3 and f[2] in ("_ZN16btLemkeAlgorithm5solveEj", "PyInit_pybullet"):
            off[f[2]] = int(f[0], 16)
    base = C.cast(C.PyDLL(so).PyInit_pybullet, C.c_void_p).value - off["PyInit_pybullet"]
    shim.set_lemke_solve(C.c_void_p(base + off["_ZN16btLemkeAlgorithm5solveEj"]))


def fc_id(name):
    """Solver ids of siconos/Friction_cst.h (read from the installed header)."""
    import re
    txt = open("/usr/include/siconos/numerics/Friction_cst.h").read()
    return int(re.search(r"SICONOS_FRICTION_3D_%s\s*=\s*(\d+)" % name, txt).group(1))


def pinocchio(meth, W, Q, mu):
    import pinocchio as pin
    nc = len(mu)
    # pinocchio orders a contact as (t1, t2, n)
    perm = np.array([[3 * c + 1, 3 * c + 2, 3 * c] for c in range(nc)]).ravel()
    Wp = np.asfortranarray(W[np.ix_(perm, perm)])
    model = pin.Model()
    jid = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "b")
    cms, cds = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for c in range(nc):
        m = pin.PointContactConstraintModel(model, jid)
        m.setFriction(float(mu[c]))
        cms.append(pin.ConstraintModel(m))
        cds.append(pin.ConstraintData(m.createData()))
    data = model.createData()
    kind, _, tol = meth.partition(":")
    tol = float(tol or 1e-8)
    S, R, Sol = ((pin.ADMMSolverSettings, pin.ADMMSolverResult, pin.ADMMConstraintSolver) if kind.startswith("admm")
                 else (pin.PGSSolverSettings, pin.PGSSolverResult, pin.PGSConstraintSolver))
    st = S()
    st.absolute_feasibility_tol = st.absolute_complementarity_tol = tol
    st.relative_feasibility_tol = st.relative_complementarity_tol = tol
    st.max_iterations = 20000
    st.solve_ncp = True
    st.measure_timings = True

    def f(i, b):
        g = np.ascontiguousarray(Q[i][perm])
        ts, spent = [], 0.0
        while len(ts) < MAXREP and (spent < b or not ts):
            delassus = pin.DelassusOperatorDense(Wp.copy())
            sol, res = Sol(len(g)), R()
            c0 = time.thread_time()
            ok = sol.solve(delassus, g, cms, cds, st, res)
            cpu = (time.thread_time() - c0) * 1e6
            us = sol.getElapsedTime()
            spent += us * 1e-6
            ts.append(min(us, cpu) if us > 50 else us)
        r = np.zeros(len(g))
        r[perm] = np.asarray(res.retrieveConstraintImpulses()).ravel()
        return bool(ok), r, np.array(ts), int(res.iterations)
    return f


def qp(meth, P, form):
    """Frictionless or no-slip problem as the primal strictly convex QP."""
    D = cg.primal(P)
    M, N, v0 = D["M"], D["N"], D["v0"]
    nv, n = N.shape[1], N.shape[0]
    if form == "noslip":                     # independent tangent rows, untimed
        import scipy.linalg as sl
        _, R, piv = sl.qr(D["T"].T, pivoting=True, mode="economic")
        r = int((np.abs(np.diag(R)) > 1e-9 * abs(R[0, 0])).sum())
        E = D["T"][piv[:r]]
    else:
        E = np.zeros((0, nv))
    ne = len(E)
    G = np.vstack([E, N])
    Mi = np.ascontiguousarray(M)

    if meth == "quadprog":
        import quadprog
        Ct = np.ascontiguousarray(G.T)
        h = np.zeros(ne + n)

        def f(i, b):
            a = Mi @ v0[i]
            try:
                r, t = timed(lambda: quadprog.solve_qp(Mi, a, Ct, h, ne), b)
            except ValueError:
                return False, np.zeros(n), np.array([np.nan]), -1
            return True, r[4][ne:], t, int(r[3][0])
        return f
    if meth == "daqp":
        import daqp
        A = np.ascontiguousarray(G)
        bu = np.concatenate([np.zeros(ne), np.full(n, 1e30)])
        bl = np.zeros(ne + n)
        sense = np.concatenate([np.full(ne, 5), np.zeros(n)]).astype(np.int32)

        def f(i, b):
            fv = -(Mi @ v0[i])
            r, t = timed(lambda: daqp.solve(Mi, fv, A, bu, bl, sense), b,
                         lambda r: (r[3]["solve_time"] + r[3]["setup_time"]) * 1e6)
            return r[2] > 0, -np.asarray(r[3]["lam"])[ne:], t, int(r[3]["iterations"])
        return f
    if meth == "proxqp":
        import proxsuite

        def f(i, b):
            def go():
                q = proxsuite.proxqp.dense.QP(nv, ne, n)
                q.settings.eps_abs, q.settings.eps_rel = 1e-9, 0
                q.init(Mi, -(Mi @ v0[i]), E if ne else None, np.zeros(ne) if ne else None, N, np.zeros(n),
                       np.full(n, 1e20))
                q.solve()
                return q
            q, t = timed(go, b)
            ok = q.results.info.status == proxsuite.proxqp.QPSolverOutput.PROXQP_SOLVED
            return ok, -np.asarray(q.results.z), t, int(q.results.info.iter)
        return f
    if meth == "clarabel":
        import clarabel
        import scipy.sparse as sp
        Ps, As = sp.csc_matrix(np.triu(Mi)), sp.csc_matrix(-G)
        cones = ([clarabel.ZeroConeT(ne)] if ne else []) + [clarabel.NonnegativeConeT(n)]

        def f(i, b):
            def go():
                st = clarabel.DefaultSettings()
                st.verbose = False
                st.tol_gap_abs = st.tol_gap_rel = st.tol_feas = 1e-10
                return clarabel.DefaultSolver(Ps, -(Mi @ v0[i]), As, np.zeros(ne + n), cones, st).solve()
            s, t = timed(go, b)
            return str(s.status) == "Solved", np.asarray(s.z)[ne:], t, int(s.iterations)
        return f
    if meth == "piqp":
        import piqp

        def f(i, b):
            def go():
                s = piqp.DenseSolver()
                s.settings.eps_abs, s.settings.eps_rel = 1e-10, 1e-10
                s.setup(Mi, -(Mi @ v0[i]), E, np.zeros(ne), N, np.zeros(n), np.full(n, 1e30))
                s.solve()
                return s
            s, t = timed(go, b)
            ok = s.result.info.status == piqp.PIQP_SOLVED
            return ok, np.asarray(s.result.z_l), t, int(s.result.info.iter)
        return f
    if meth == "qpoases":                    # through casadi, its binding's cost included
        import casadi as ca
        H, Aa = ca.DM(Mi), ca.DM(G)
        S = ca.conic("S", "qpoases", dict(h=H.sparsity(), a=Aa.sparsity()),
                     dict(printLevel="none", error_on_fail=False, terminationTolerance=1e-12))
        lo = ca.DM(np.zeros(ne + n))
        hi = ca.DM(np.concatenate([np.zeros(ne), np.full(n, np.inf)]))

        def f(i, b):
            g = ca.DM(-(Mi @ v0[i]))
            r, t = timed(lambda: S(h=H, a=Aa, g=g, lba=lo, uba=hi), b)
            return bool(S.stats()["success"]), -np.asarray(r["lam_a"]).ravel()[ne:], t, -1
        return f
    raise SystemExit("unknown qp " + meth)


def peer_is_native(peer):
    return peer != "quantecon"


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("peer")
    ap.add_argument("scenario")
    ap.add_argument("form")
    ap.add_argument("out")
    ap.add_argument("--start", type=int, default=0)
    ap.add_argument("--count", type=int, default=20)
    ap.add_argument("--budget", type=float, default=0.05)
    a = ap.parse_args()
    P = cg.load(os.path.join(PEERS, "problems", a.scenario + ".npz"))
    A = cg.assemble(P, a.form)
    solve = make(a.peer, P, A, a.form)
    out = open(a.out, "a")
    out.write(json.dumps(dict(ready=True)) + "\n")
    out.flush()
    for i in range(a.start, min(a.count, len(A["q"]))):
        if i == a.start:
            for _ in range(2):                                # warm-up (and JIT)
                t0 = time.perf_counter()
                solve(i, 0.0)
                slow = time.perf_counter() - t0
                if slow < 1:
                    break
                if peer_is_native(a.peer):
                    break
            if slow > 1:                                      # too slow to repeat
                a.budget = 0.0
        ok, z, t, it = solve(i, a.budget)
        z = np.asarray(z, float)
        if not np.all(np.isfinite(z)):
            r = dict(res=float("inf"), comp=float("inf"))
        elif a.form == "cone":
            r = metrics.cone(A["M"], A["q"][i], A["mu"], z)
        elif a.form == "box":
            r = metrics.box(A["M"], A["q"][i], A["mu"], z)
        else:
            r = metrics.lcp(A["M"], A["q"][i], z)
        r = {k: (v if np.isfinite(v) else float("inf")) for k, v in r.items()}
        out.write(json.dumps(dict(i=i, ok=bool(ok), tmin=float(np.min(t)), tmed=float(np.median(t)), reps=len(t),
                                  iters=it, **r)) + "\n")
        out.flush()


if __name__ == "__main__":
    sys.stdout.flush()
    main()
