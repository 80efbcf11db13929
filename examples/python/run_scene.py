"""Steps a scene, saves it half way, goes on from there with the same bits, and reads contact forces."""

from __future__ import annotations

import sys
from pathlib import Path

import stiction

SCENES = Path(__file__).resolve().parents[2] / "scenes"


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else SCENES / "ramp-slide.toml"
    world = stiction.World.read(file)
    world.step(100).raise_for_status()
    half = world.save()
    report = world.step(100)
    report.raise_for_status()
    print(f"{world.name}: {world.time:.3f} s")
    print(f"  residual {report.residual / 1e-15:.1f}e-15, penetration {report.penetration / 1e-9:.3f} nm")

    contacts = world.contacts
    for k in range(min(len(contacts), 4)):
        force, state = contacts.normal_force[k], contacts.state[k]
        print(f"  {contacts.a[k]} on {contacts.b[k]}: {force:.4f} N, {state}")

    again = stiction.World.read(file)
    again.load(half)
    again.step(100)
    assert again.state_hash == world.state_hash
    print(f"state {world.state_hash:016x}, the same after loading")


if __name__ == "__main__":
    main()
