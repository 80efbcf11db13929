#!/usr/bin/env bash
# A program outside the workspace uses the packaged crates: it depends on `stiction` by path, builds a world, steps it, reads a contact force and
# solves a contact file. The same from the Python package, where scripts/python.sh has installed it (VENV names its environment). Needs Rust; takes
# the packages of scripts/package.sh where they are of this version, and makes them without the viewer's page otherwise. With `--fresh` always.
set -euo pipefail
cd "$(dirname "$0")/.."
root="$PWD"
target="${CARGO_TARGET_DIR:-$root/target}"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)"
if [ "${1:-}" = --fresh ] || [ ! -f "$target/package/stiction-$version.crate" ]; then
    # Those that do not build show it below: the program needs them.
    cargo package --quiet --workspace --exclude stiction-lab --no-verify --allow-dirty --offline
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for package in "$target"/package/*-"$version".crate; do
    tar -xzf "$package" -C "$work"
done
mkdir -p "$work/program/src"
cp problems/contact/block-on-floor.json "$work/program"
# The same versions of other people's crates, so that nothing is fetched and what is compiled already is used.
cp Cargo.lock "$work/program"
{
    cat <<EOF
[package]
name = "outside"
version = "0.0.0"
edition = "2024"

[dependencies]
stiction = { path = "../stiction-$version" }

# As the workspace has it, so that other people's crates are compiled once.
[profile.dev]
opt-level = 1
debug = "line-tables-only"
[profile.dev.package."*"]
debug = false

[patch.crates-io]
EOF
    # Where a package needs another one, that is the package beside it.
    for folder in "$work"/stiction-*-"$version"; do
        name="$(basename "$folder" "-$version")"
        case "$name" in
            stiction-cli | stiction-answers | stiction-show) ;;
            *) echo "$name = { path = \"../$(basename "$folder")\" }" ;;
        esac
    done
} >"$work/program/Cargo.toml"
cat >"$work/program/src/main.rs" <<'EOF'
use stiction::contact::{ContactSolver, Options, Restitution, Status};
use stiction::formats::read::{Content, ReadOptions, read_content};
use stiction::scene::{Scene, WorldExt};
use stiction::sim::World;

const SCENE: &str = r#"
format = 1
world = { friction = 0.5 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "box", shape = { box = [1, 1, 1] }, mass = 3, position = [0, 0, 0.5] },
]"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::from_scene(&Scene::parse(SCENE, ".")?)?;
    for _ in 0..100 {
        world.step()?;
    }
    let impulse: f64 = world.solution().normal_impulse.iter().sum();
    let force = impulse / world.settings().dt;
    println!("the ground carries {force:.6} N");
    assert!((force - 3.0 * 9.81).abs() < 1e-9);

    let Content::Contact(file) = read_content("block-on-floor.json".as_ref(), ReadOptions::default())? else {
        return Err("must be a contact file".into());
    };
    let problem = file.problem(Restitution::default())?;
    let solution = ContactSolver::new(Options::default())?.solve(&problem)?.clone();
    println!("{} contacts: {}", problem.contact_count(), solution.status.name());
    assert_eq!(solution.status, Status::Solved);
    Ok(())
}
EOF
echo "== Outside: Rust"
(cd "$work/program" && CARGO_TARGET_DIR="$target" cargo run --quiet --offline)
python="${VENV:-target/python}/bin/python"
if [ ! -x "$python" ]; then
    echo "scripts/outside.sh: the Python package is not installed: scripts/python.sh does that" >&2
    exit 77
fi
python="$(cd "$(dirname "$python")" && pwd)/python"
echo "== Outside: Python"
cat >"$work/program/main.py" <<'EOF'
import stiction

world = stiction.World.parse("""
format = 1
world = { friction = 0.5 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "box", shape = { box = [1, 1, 1] }, mass = 3, position = [0, 0, 0.5] },
]""")
world.step(100).raise_for_status()
force = world.contacts.normal_force.sum()
print(f"the ground carries {force:.6f} N")
assert abs(force - 3 * 9.81) < 1e-9

solution = stiction.solve(stiction.ContactProblem.read("block-on-floor.json"))
print(f"{len(solution.contacts)} contacts: {solution.status}")
assert solution.status == "solved"
EOF
(cd "$work/program" && "$python" main.py)
