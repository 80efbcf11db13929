"""Which tilt does a tower of five cubes stand? Many worlds at once; statics says up to atan 1/5 = 11.31 degrees."""

from __future__ import annotations

import stiction

TOWER = """
format = 1
world = {{ friction = 0.5, density = 1000 }}
[[body]]
name = "plane"
shape = {{ half_space = [0, 0, 1] }}
orientation = {{ axis = [0, 1, 0], degrees = {tilt} }}
[[stack]]
name = "tower"
box = [0.2, 0.2, 0.2]
count = 5
orientation = {{ axis = [0, 1, 0], degrees = {tilt} }}
"""


def main() -> None:
    tilts = [11.0, 11.1, 11.2, 11.3, 11.32, 11.4, 11.5]
    scenes = [TOWER.format(tilt=tilt) for tilt in tilts]
    ends = stiction.run_scenes(scenes, steps=500, threads=2)
    stands = []
    for tilt, end in zip(tilts, ends):
        end.raise_for_status()
        speed = float(abs(end.velocities).max())
        stands.append(speed < 1e-6)
        print(f"{tilt:6.2f} degrees: {'stands' if stands[-1] else 'tips'}, fastest {speed:.9f}, state {end.state_hash:016x}")
    assert stands == [tilt < 11.31 for tilt in tilts]


if __name__ == "__main__":
    main()
