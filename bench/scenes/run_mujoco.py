"""MuJoCo driver.  configs: default = stock options; best = elliptic cone, discrete (implicit)
integrator, stiff contact, tight tolerance; best_noslip = the same plus the no-slip post-pass."""
import mujoco
import numpy as np

from common import args, save, simulate

CONFIGS = {
    "mujoco-default": {},
    "mujoco-best": dict(integrator="discrete", cone="elliptic", impratio=100, tolerance=1e-12, iterations=200, stiff=True),
    "mujoco-noslip": dict(integrator="Euler", cone="elliptic", impratio=10, tolerance=1e-12, iterations=200, noslip_iterations=50,
                          noslip_tolerance=1e-12, stiff=True),
}


def fmt(v):
    return " ".join(repr(float(x)) for x in v)


def mjcf(s, cfg, dt):
    opt = {k: v for k, v in cfg.items() if k != "stiff"}
    o = " ".join(f'{k}="{v}"' for k, v in opt.items())
    x = [f'<mujoco><option timestep="{dt}" gravity="{fmt(s["gravity"])}" {o}>',
         '<flag diagexact="enable"/>' if cfg.get("stiff") else "", "</option>"]
    contact = f'friction="{s["mu"]} 0.005 0.0001" condim="3"'
    if cfg.get("stiff"):
        contact += f' solref="{2 * dt} 1" solimp="0.99 0.999 0.0001 0.5 2"'
    hulls = {}
    for b in s["bodies"]:
        if b["shape"]["type"] == "hull":
            hulls.setdefault(str(b["shape"]["verts"]), (f"h{len(hulls)}", b["shape"]["verts"]))
    x.append("<asset>" + "".join(f'<mesh name="{n}" vertex="{fmt(np.ravel(v))}"/>' for n, v in hulls.values()) + "</asset>")
    x.append("<worldbody>")
    if s["plane"]:
        x.append(f'<geom type="plane" size="50 50 1" {contact}/>')
    act = []
    for i, b in enumerate(s["bodies"]):
        sh = b["shape"]
        geo = {"box": lambda: f'type="box" size="{fmt(sh["half"])}"', "sphere": lambda: f'type="sphere" size="{sh["r"]}"',
               "hull": lambda: f'type="mesh" mesh="{hulls[str(sh["verts"])][0]}"'}[sh["type"]]()
        x.append(f'<body name="b{i}" pos="{fmt(b["pos"])}" quat="{fmt(b["quat"])}">')
        if b["mass"] > 0:
            x.append(f'<inertial pos="0 0 0" mass="{b["mass"]}" diaginertia="{fmt(b["inertia"])}"/>')
            if b["slider"]:
                x.append(f'<joint name="j{i}" type="slide" axis="{fmt(b["slider"]["axis"])}"/>')
                act.append((i, b["slider"]["force"]))
            else:
                x.append(f'<freejoint name="j{i}"/>')
        x.append(f"<geom {geo} {contact}/></body>")
    x.append("</worldbody></mujoco>")
    return "\n".join(x), act


def run(s, cfg, dt, budget):
    xml, act = mjcf(s, CONFIGS[cfg], dt)
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    ids = [m.body(f"b{i}").id for i in range(len(s["bodies"]))]
    for i, b in enumerate(s["bodies"]):
        if b["mass"] > 0 and not b["slider"]:
            a = m.jnt_dofadr[m.joint(f"j{i}").id]
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, np.array(b["quat"], float))
            d.qvel[a:a + 3] = b["vel"]
            d.qvel[a + 3:a + 6] = R.reshape(3, 3).T @ b["omega"]
    for i, f in act:
        d.qfrc_applied[m.jnt_dofadr[m.joint(f"j{i}").id]] = f
    mujoco.mj_forward(m, d)
    v6 = np.zeros(6)

    def state():
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_comVel(m, d)
        V, W = [], []
        for i in ids:
            mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_BODY, i, v6, 0)
            W.append(v6[:3].copy())
            V.append(v6[3:].copy())
        return d.xpos[ids].copy(), d.xquat[ids].copy(), np.array(V), np.array(W)

    r = simulate(s, dt, lambda: mujoco.mj_step(m, d), state, budget)
    w = [(mujoco.mjtWarning(k).name, int(x.number)) for k, x in enumerate(d.warning) if x.number]
    if w and r["status"] == "ok":
        r["status"] = "warn " + str(w)
    return r


if __name__ == "__main__":
    for s, c, dt, a in args(CONFIGS):
        save(a.out, s, c, dt, run(s, c, dt, a.budget))
