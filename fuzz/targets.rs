//! What is fuzzed: one function a reader, and the solvers' raw input. Each takes any bytes and must neither panic nor run on.
//!
//! Shared by the targets of `cargo fuzz` (`fuzz_targets/`) and by the test that replays the corpora without it
//! (`crates/cli/tests/fuzz.rs`).

#[path = "hdf5_sums.rs"]
pub mod hdf5_sums;

use std::path::{Path, PathBuf};

use stiction_cli::hostile;
use stiction_contact::{ContactProblem, ContactSolver, Law, Options, Restitution, WarmStart};
use stiction_formats::read::{ContactFile, Content, Given, RawFile, ReadOptions, parse};
use stiction_lcp::{Lcp, Matrix, Solver};
use stiction_record::replay::Replay;
use stiction_scene::{
    Scene, WorldExt,
    urdf::{Urdf, UrdfOptions},
};
use stiction_sim::World;

/// Name, and what is done with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target; the corpus of each is the folder of its name.
pub const TARGETS: [Target; 17] = [
    ("scene", scene),
    ("contact_json", problem_json),
    ("lcp_json", problem_json),
    ("siconos", problem_text),
    ("matlab", problem_hdf5),
    ("fclib", problem_hdf5),
    ("npz", problem_text),
    ("answer", answer),
    ("viewer", viewer),
    ("csv", csv),
    ("urdf", urdf),
    ("stl", stl),
    ("obj", obj),
    ("mcap", mcap),
    ("saved_state", saved_state),
    ("warm_start", warm_start),
    ("solvers", solvers),
];

/// Problems larger than this are read and not solved: the target is the reader.
const SOLVED: usize = 12;

/// Bodies beyond which a world is built and not stepped.
const STEPPED: usize = 16;

/// The scene that a saved state is loaded into.
const LADDER: &str = include_str!("../scenes/soak/ladder.toml");

/// A scene file: read, built, stepped once.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(scene) = Scene::parse(text, "no such folder") else {
        return;
    };
    if let Ok(mut world) = World::from_scene(&scene)
        && world.bodies().len() <= STEPPED
    {
        let _ = world.step();
    }
}

/// A problem file in JSON of any kind.
pub fn problem_json(bytes: &[u8]) {
    problem(bytes, "problem.json");
}

/// A problem file in any other form: Siconos, MATLAB, FCLIB, NumPy archive, ArtiSynth, Yamanishi; the content says which.
pub fn problem_text(bytes: &[u8]) {
    problem(bytes, "problem.dat");
}

/// A problem file in HDF5, MATLAB or FCLIB: as it is, and as if whoever changed it had made its checksums right.
pub fn problem_hdf5(bytes: &[u8]) {
    problem_text(bytes);
    let sealed = hdf5_sums::sealed(bytes);
    if sealed != bytes {
        problem_text(&sealed);
    }
}

fn problem(bytes: &[u8], name: &str) {
    match parse(bytes, Path::new(name), ReadOptions { keep_decimals: true }) {
        Ok(Content::Problems(all)) => {
            for named in all.iter().filter(|named| named.problem.n() <= SOLVED) {
                let _ = named.problem.solve(&mut Solver::new());
            }
        }
        Ok(Content::Contact(file)) => solve_bodies(&file),
        Ok(Content::Contacts(all)) => all.iter().for_each(solve_bodies),
        Ok(Content::Raw(file)) if file.problem.contact_count() <= SOLVED => solve_raw(&file),
        _ => {}
    }
}

fn solve_bodies(file: &ContactFile) {
    if file.contact_count() <= SOLVED
        && let Ok(problem) = file.problem(Restitution::Newton)
    {
        solve_contacts(&problem, Options::default());
    }
}

fn solve_contacts(problem: &ContactProblem, options: Options) {
    if let Ok(mut solver) = ContactSolver::new(options) {
        let _ = solver.solve(problem);
    }
}

/// A problem of matrices: by its Delassus matrix where that is given, as `solve` does.
fn solve_raw(file: &RawFile) {
    let Ok(mut solver) = ContactSolver::new(Options::default()) else {
        return;
    };
    match &file.given {
        Given::Local(local) => {
            let _ = local.solve(&file.problem, &mut solver);
        }
        _ => {
            let _ = solver.solve(&file.problem);
        }
    }
}

/// Problems that answers are given to: an LCP, contacts with and without joints, forces, a Delassus matrix.
const ASKED: [(&str, &str); 5] = [
    ("lcp", include_str!("corpus/lcp_json/infeasible-squeeze.json")),
    ("walls", include_str!("corpus/contact_json/closing-walls.json")),
    (
        "joint",
        include_str!("corpus/contact_json/pendulum-redundant-joint.json"),
    ),
    (
        "forces",
        include_str!("../problems/contact-acceleration/incline-slips.json"),
    ),
    (
        "local",
        r#"{"kind":"contact-local","dimension":2,"W":[[1,0.5],[0.5,1]],"q":[-1,0.2],"mu":[0.5]}"#,
    ),
];

/// An answer of anyone, to each problem of several, as `check` and `compare` judge it.
pub fn answer(bytes: &[u8]) {
    for (name, problem) in ASKED {
        let answers = written(&format!("{name}.json"), bytes);
        let asked = answers.join("asked");
        let problem_file = asked.join(format!("{name}.json"));
        if !problem_file.exists() {
            let _ = std::fs::create_dir_all(&asked);
            let _ = std::fs::write(&problem_file, problem);
        }
        let _ = hostile::check(&problem_file, &answers.join(format!("{name}.json")));
        let _ = hostile::compare(&problem_file, &answers);
    }
}

/// What a viewer sends, a message a line.
pub fn viewer(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // Each may ask for a step.
    let text: Vec<&str> = text.lines().take(STEPPED).collect();
    if let Ok(scene) = Scene::parse(LADDER, "no such folder") {
        let _ = hostile::messages(scene, &text.join("\n"));
    }
}

/// The tables of a recording in CSV, with a line `===` between them.
pub fn csv(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split("===\n");
    let mut folder = PathBuf::new();
    for name in ["poses.csv", "stats.csv", "contacts.csv"] {
        folder = written(name, parts.next().unwrap_or_default().as_bytes());
    }
    let _ = hostile::plot(&folder);
}

/// A robot: read and built.
pub fn urdf(bytes: &[u8]) {
    let folder = written("robot.urdf", bytes);
    if let Ok(robot) = Urdf::read(&folder, "robot.urdf") {
        let _ = robot.build(&UrdfOptions::default());
    }
}

/// A mesh in STL.
pub fn stl(bytes: &[u8]) {
    mesh("part.stl", bytes);
}

/// A mesh in OBJ.
pub fn obj(bytes: &[u8]) {
    mesh("part.obj", bytes);
}

fn mesh(name: &str, bytes: &[u8]) {
    let folder = written(name, bytes);
    let text = format!("format = 1\n[[body]]\nname = \"part\"\nshape = {{ mesh = \"{name}\" }}\n");
    if let Ok(scene) = Scene::parse(&text, &folder) {
        let _ = World::from_scene(&scene);
    }
}

/// A recording.
pub fn mcap(bytes: &[u8]) {
    let folder = written("recording.mcap", bytes);
    let _ = Replay::read(&folder.join("recording.mcap"));
    let _ = hostile::plot(&folder.join("recording.mcap"));
}

/// A saved state, loaded into a world that it may or may not be of.
pub fn saved_state(bytes: &[u8]) {
    let Ok(scene) = Scene::parse(LADDER, "no such folder") else {
        return;
    };
    let Ok(mut world) = World::from_scene(&scene) else {
        return;
    };
    // As it is, and as if whoever changed it had put the right hash at its end.
    for bytes in [bytes.to_vec(), sealed(bytes)] {
        if world.load(&bytes).is_ok() {
            let _ = world.step();
        }
    }
}

/// A saved state whose last eight bytes are made the hash of those before.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mix = |x: u64| {
        let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    };
    let body = &bytes[..bytes.len().saturating_sub(8)];
    let hash = body.chunks(8).fold(mix(body.len() as u64), |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash ^ u64::from_le_bytes(word))
    });
    [body, &hash.to_le_bytes()].concat()
}

/// A sound state to begin with: that of the ladder after some steps.
pub fn sound_state() -> Option<Vec<u8>> {
    let mut world = World::from_scene(&Scene::parse(LADDER, "no such folder").ok()?).ok()?;
    for _ in 0..3 {
        world.step().ok()?;
    }
    Some(world.save())
}

/// What a solver leaves for the next solve.
pub fn warm_start(bytes: &[u8]) {
    let Ok(warm) = WarmStart::from_bytes(bytes) else { return };
    let mut problem = ContactProblem::new();
    let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    let rows: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
    let built = problem
        .add_block(&mass, &[0.3, 0.0, -1.0])
        .and_then(|block| problem.add_contact(&[(block, rows)], 0.5));
    if built.is_err() {
        return;
    }
    for law in [Law::Coulomb, Law::Polyhedral] {
        let options = Options {
            law,
            ..Options::default()
        };
        if let Ok(mut solver) = ContactSolver::new(options) {
            solver.set_warm_start(warm.clone());
            let _ = solver.solve_warm(&problem);
        }
    }
}

/// Numbers for the solvers as the bytes give them, NaN and infinity included.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn below(&mut self, limit: u8) -> usize {
        usize::from(self.byte() % limit)
    }

    /// A plain number most of the time, else any double.
    fn number(&mut self) -> f64 {
        match self.byte() {
            kind @ 0..=223 => f64::from(kind) / 56.0 - 2.0,
            _ => f64::from_le_bytes([(); 8].map(|()| self.byte())),
        }
    }

    fn numbers<const N: usize>(&mut self) -> [f64; N] {
        [(); N].map(|()| self.number())
    }
}

/// An LCP or a contact problem of a few point masses, with any numbers at all.
pub fn solvers(bytes: &[u8]) {
    let mut input = Numbers(bytes);
    if input.byte() % 2 == 0 {
        let n = 1 + input.below(6);
        let columns = (0..n * n).map(|_| input.number()).collect();
        let q = (0..n).map(|_| input.number()).collect();
        if let Ok(lcp) = Matrix::from_columns(n, columns).and_then(|matrix| Lcp::new(matrix, q)) {
            let _ = Solver::new().solve(&lcp);
        }
        return;
    }
    let mut problem = ContactProblem::new();
    let bodies = 1 + input.below(3);
    for _ in 0..bodies {
        let (mass, v) = (input.number(), input.numbers::<3>());
        let _ = problem.add_block(&[mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, mass], &v);
    }
    for _ in 0..input.below(8) {
        let (a, b) = (input.below(4), input.below(4));
        let rows: [[f64; 3]; 3] = [(); 3].map(|()| input.numbers());
        let against = rows.map(|row| row.map(|x| -x));
        let [n, x, y] = &rows;
        let [m, u, w] = &against;
        let parts: [(usize, [&[f64]; 3]); 2] = [(a, [n, x, y]), (b, [m, u, w])];
        let used = if b == 0 { 1 } else { 2 };
        if let Ok(contact) = problem.add_contact(&parts[..used], input.number()) {
            let _ = problem.set_bias(contact, input.numbers());
        }
    }
    let law = [Law::Coulomb, Law::Polyhedral, Law::Frictionless, Law::NoSlip][input.below(4)];
    solve_contacts(
        &problem,
        Options {
            law,
            ..Options::default()
        },
    );
}

/// The folder of a file with these bytes, this process's and this thread's own.
fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let thread = format!("{:?}", std::thread::current().id());
    let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
    let folder = std::env::temp_dir().join(format!("stiction-fuzz-{}-{thread}", std::process::id()));
    // A file that cannot be written is not there, and reading it says so.
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join(name), bytes);
    folder
}
