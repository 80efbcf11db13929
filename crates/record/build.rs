//! Finds the viewer's page: in the package (`page/index.html`), or as `web/` has built it. In a release build from a clone in which it is not built, and with npm at
//! hand, it is built now, so that `cargo install --path crates/cli` and `pip install .` need no second step; without npm the tool is built without it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const WEB: &str = "../../web";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(viewer_page)");
    println!("cargo::rerun-if-changed=build.rs");
    let built = Path::new(WEB).join("dist/index.html");
    let places = [PathBuf::from("page/index.html"), built.clone()];
    for folder in places
        .iter()
        .filter_map(|page| page.parent())
        .filter(|folder| folder.is_dir())
    {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let found = places.into_iter().find(|page| page.is_file());
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let Some(page) = found.or_else(|| (is_release && build()).then_some(built)) else {
        return;
    };
    let copied = env::var("OUT_DIR").map(|out| fs::copy(&page, Path::new(&out).join("page.html")));
    match copied {
        Ok(Ok(_)) => println!("cargo::rustc-cfg=viewer_page"),
        _ => println!("cargo::warning=the viewer's page, {}, cannot be copied", page.display()),
    }
}

/// Builds the page; whether it is there.
fn build() -> bool {
    let npm = |arguments: &[&str]| {
        let ran = Command::new("npm").args(arguments).current_dir(WEB).output();
        ran.is_ok_and(|output| output.status.success())
    };
    let is_built = Path::new(WEB).join("package.json").is_file()
        && npm(&["ci", "--no-progress", "--loglevel=error"])
        && npm(&["run", "--silent", "build"]);
    if !is_built {
        println!(
            "cargo::warning=without the viewer's page: it needs Node 20.19 or newer with npm (scripts/build.sh says more)"
        );
    }
    is_built
}
