//! Whether the viewer's page is built: `web/dist/index.html`, by `scripts/build.sh`. Nothing is built here.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(viewer_page)");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = Path::new("../../web/dist");
    if folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    if folder.join("index.html").is_file() {
        println!("cargo::rustc-cfg=viewer_page");
    }
}
