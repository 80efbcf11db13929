"""mujoco_driver.py SCENE.json default|best DT BUDGET OUT.csv: steps a scene in MuJoCo and writes one line a step, for `bench/piles_peers.py`.

Columns as `pile_steps` writes them: processor time [s], contacts, then iterations of the solver in place of factorisations, and the deepest overlap [m].
`default` are MuJoCo's own settings; `best` those that keep closest to Coulomb's law: elliptic cones, stiff contacts, the pass that removes slip.
Calls from Python add some 0.3 µs to a step.
"""
import json
import math
import resource
import sys
import time

import mujoco

import scenes

BEST = ('cone="elliptic" impratio="100" noslip_iterations="20" iterations="200" tolerance="1e-12"', 'solref="0.002 1" solimp="0.99 0.999 0.001"')


def cpu():
    return time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID) * 1e-9


def peak_kb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def load(scene, settings, dt):
    """Model, data, and driven joints as (place in qpos, place in qvel, velocity, amplitude, rate)."""
    option, contact = BEST if settings == "best" else ("", "")
    model = mujoco.MjModel.from_xml_string(scenes.mjcf(scene, dt, option, contact))
    data, driven = mujoco.MjData(model), []
    forces = {j["a"]: j["force"] for j in scene["joints"]}
    for b in scene["bodies"]:
        if b["kind"] == "kinematic":
            for a in range(3):
                v, amplitude = b["motion"]["velocity"][a], b["motion"]["amplitude"][a]
                if v or amplitude:
                    joint = model.joint(f'{b["name"]}.{a}')
                    driven.append((joint.qposadr[0], joint.dofadr[0], v, amplitude, b["motion"]["rate"]))
        elif b["kind"] == "dynamic":
            at = model.joint(b["name"]).dofadr[0]
            if b["name"] in forces:
                data.qfrc_applied[at] = forces[b["name"]]
                continue
            data.qvel[at:at + 3] = b["velocity"]
            w, x, y, z = b["quat"]  # MuJoCo's spin is in the body's frame
            mujoco.mju_rotVecQuat(data.qvel[at + 3:at + 6], b["spin"], [w, -x, -y, -z])
    return model, data, driven


def main():
    file, settings, dt, budget, out = sys.argv[1:]
    dt, budget = float(dt), float(budget)
    with open(file) as f:
        scene = json.load(f)
    before = peak_kb()
    model, data, driven = load(scene, settings, dt)
    overhead = min(-cpu() + cpu() for _ in range(1000))
    end, start = "finished", cpu()
    with open(out, "w", buffering=1) as lines:
        for _ in range(round(scene["duration"] / dt)):
            t = data.time
            for q, v, velocity, amplitude, rate in driven:
                data.qpos[q] = velocity * t + amplitude * math.sin(rate * t)
                data.qvel[v] = velocity + amplitude * (math.sin(rate * (t + dt)) - math.sin(rate * t)) / dt
            begin = cpu()
            mujoco.mj_step(model, data)
            taken = cpu() - begin - overhead
            depth = max([0.0, *(-data.contact.dist)])
            lines.write(f"{taken:.4e},{data.ncon},{max(data.solver_niter)},0,1,1,{depth:.3e},0\n")
            if not math.isfinite(data.qpos.sum()):
                end = "failed: a position is not a number"
                break
            if cpu() - start > budget:
                end = "budget"
                break
        lines.write(f"# {end}; {peak_kb() - before} kB\n")


if __name__ == "__main__":
    main()
