//! The floor plan: crates depend on each other one way, no files depend on each other in circles, and ARCHITECTURE.md names every file.
#![allow(clippy::unwrap_used)]

mod running;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use running::workspace;

/// Each crate may depend on those before it.
const ORDER: [&str; 13] = [
    "lcp", "contact", "formats", "answers", "collide", "sim", "scene", "record", "stand", "show", "stiction", "cli",
    "lab",
];
/// Crates without circles between their files.
const WITHOUT_CIRCLES: [&str; 6] = ["cli", "formats", "answers", "record", "show", "lab"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Files of a crate, by their path below `src`.
fn files(of: &str) -> Vec<(String, String)> {
    let folder = workspace().join("crates").join(of).join("src");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    sources(&folder).into_iter().map(read).collect()
}

#[test]
fn crates_depend_on_each_other_one_way() {
    for (place, name) in ORDER.iter().enumerate() {
        let manifest = std::fs::read_to_string(workspace().join("crates").join(name).join("Cargo.toml")).unwrap();
        let (_, rest) = manifest.split_once("[dependencies]").unwrap_or_default();
        let section = rest.split("\n[").next().unwrap();
        for needed in section.lines().filter_map(|line| line.strip_prefix("stiction-")) {
            let needed = needed.split(['.', ' ', '=']).next().unwrap();
            let allowed = ORDER[..place].contains(&needed) && needed != "lab";
            assert!(allowed, "crates/{name} must not depend on crates/{needed}");
        }
    }
}

/// A module by its path in the crate; the root is empty.
type Module = Vec<String>;

/// The module that a file holds.
fn module(file: &str) -> Module {
    let mut names: Module = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names
        .last()
        .is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str()))
    {
        names.pop();
    }
    names
}

/// How many `#` a text without escapes has that begins here.
fn raw(chars: &[char], at: usize) -> Option<usize> {
    let inside = at > 0 && (chars[at - 1].is_alphanumeric() && chars[at - 1] != 'b' || chars[at - 1] == '_');
    let signs = chars.get(at + 1..)?.iter().take_while(|&&c| c == '#').count();
    (chars[at] == 'r' && !inside && chars.get(at + 1 + signs) == Some(&'"')).then_some(signs)
}

/// Names, `::` and single signs of a source, without comments and texts.
fn tokens(source: &str) -> Vec<String> {
    let chars: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let is = |at: usize, word: &str| word.chars().enumerate().all(|(k, c)| chars.get(at + k) == Some(&c));
    while at < chars.len() {
        let start = at;
        at += 1;
        if is(start, "//") {
            at = (start..chars.len()).find(|&k| chars[k] == '\n').unwrap_or(chars.len());
        } else if let Some(signs) = raw(&chars, start) {
            let end: String = std::iter::once('"').chain("#".repeat(signs).chars()).collect();
            let begin = (start..chars.len()).find(|&k| chars[k] == '"').unwrap_or(start) + 1;
            at = (begin..chars.len())
                .find(|&k| is(k, &end))
                .map_or(chars.len(), |k| k + end.len());
        } else if chars[start] == '"' {
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if is(start, "'{'") || is(start, "'}'") || is(start, "'\"'") {
            at = start + 3;
        } else if is(start, "'\\") {
            at = (start + 3..chars.len())
                .find(|&k| chars[k] == '\'')
                .map_or(chars.len(), |k| k + 1);
        } else if chars[start].is_alphanumeric() || chars[start] == '_' {
            let ends = |&k: &usize| !(chars[k].is_alphanumeric() || chars[k] == '_');
            at = (start..chars.len()).find(ends).unwrap_or(chars.len());
            found.push(chars[start..at].iter().collect());
        } else if is(start, "::") {
            at = start + 2;
            found.push("::".to_owned());
        } else if !chars[start].is_whitespace() {
            found.push(chars[start].to_string());
        }
    }
    found
}

/// The paths of a tree like `a::{b::c, d::{e, f as g}}` behind a start, and where it ends.
fn paths(tokens: &[String], mut at: usize, mut start: Module, found: &mut Vec<Module>) -> usize {
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                while tokens.get(at).is_some_and(|token| token != "}") {
                    at = paths(tokens, at + 1, start.clone(), found);
                }
                return at + 1;
            }
            Some("super") => drop(start.pop()),
            Some("self" | "*") => {}
            Some(name) if name.starts_with(|c: char| c.is_alphanumeric() || c == '_') => start.push(name.to_owned()),
            _ => return at,
        }
        at += 1;
        if tokens.get(at).is_some_and(|token| token == "as") {
            at += 2;
        }
        if tokens.get(at).is_none_or(|token| token != "::") {
            found.push(start);
            return at;
        }
        at += 1;
    }
}

/// The paths within the crate that a file names, and those that it imports, for those who come by it.
fn named(file: &Module, source: &str, modules: &BTreeSet<Module>) -> (Vec<Module>, Vec<Module>) {
    let tokens = tokens(source);
    let (mut all, mut imports) = (Vec::new(), Vec::new());
    // Modules within the file, with the depth of braces at which they begin.
    let (mut inner, mut depth, mut read) = (Vec::new(), 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        if at < read {
            continue;
        }
        let before = at.checked_sub(1).map_or("", |k| tokens[k].as_str());
        let after = tokens.get(at + 1).map_or("", String::as_str);
        let mut here = file.clone();
        here.extend(inner.iter().map(|(name, _): &(String, usize)| name.clone()));
        match token.as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inner.retain(|(_, start)| *start < depth);
            }
            _ if before == "mod" && after == "{" => inner.push((token.clone(), depth)),
            "crate" | "super" | "self" if before != "::" && after == "::" => {
                let start = if token == "crate" { Vec::new() } else { here };
                let mut found = Vec::new();
                let skip = if token == "super" { 0 } else { 2 };
                read = paths(&tokens, at + skip, start, &mut found);
                if before == "use" {
                    imports.extend(found.clone());
                }
                all.extend(found);
            }
            // `use child::name;`
            child if before == "use" && inner.is_empty() => {
                let mut below = file.clone();
                below.push(child.to_owned());
                if modules.contains(&below) {
                    paths(&tokens, at, file.clone(), &mut imports);
                }
            }
            _ => {}
        }
    }
    (all, imports)
}

/// The module in which what a path names is defined, by the imports on the way.
fn defined(path: &Module, modules: &BTreeSet<Module>, imports: &BTreeMap<Module, Vec<Module>>, left: usize) -> Module {
    let length = (0..=path.len())
        .rev()
        .find(|&n| modules.contains(&path[..n]))
        .unwrap_or(0);
    let holder = path[..length].to_vec();
    let import = path.get(length).and_then(|name| {
        let mut from = imports.get(&holder).into_iter().flatten();
        from.find(|import| import.last() == Some(name) && import[..import.len() - 1] != holder[..])
    });
    match import {
        Some(import) if left > 0 => defined(import, modules, imports, left - 1),
        _ => holder,
    }
}

/// What needs what among the files and folders of each folder of a crate. A folder's own file stands above what the folder holds.
fn needs(of: &str) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
    let files = files(of);
    let modules: BTreeSet<Module> = files.iter().map(|(name, _)| module(name)).collect();
    let (mut all, mut imports) = (Vec::new(), BTreeMap::new());
    for (file, text) in &files {
        let file = module(file);
        let (paths, imported) = named(&file, text, &modules);
        imports.insert(file.clone(), imported);
        all.extend(paths.into_iter().map(|path| (file.clone(), path)));
    }
    let mut found: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (file, path) in all {
        let needed = defined(&path, &modules, &imports, 4);
        let shared = file.iter().zip(&needed).take_while(|(a, b)| a == b).count();
        if let (Some(a), Some(b)) = (file.get(shared), needed.get(shared)) {
            let folder = found.entry(file[..shared].to_vec()).or_default();
            folder.entry(a.clone()).or_default().insert(b.clone());
        }
    }
    found
}

/// What is left of a graph once all that needs nothing in it is taken away, again and again: its circles, and what needs them.
fn circles(mut needs: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let known: BTreeSet<String> = needs.keys().cloned().collect();
        for needed in needs.values_mut() {
            needed.retain(|name| known.contains(name));
        }
        let before = needs.len();
        needs.retain(|_, needed| !needed.is_empty());
        if needs.len() == before {
            return needs;
        }
    }
}

#[test]
fn files_do_not_depend_on_each_other_in_circles() {
    let mut found = Vec::new();
    for name in WITHOUT_CIRCLES {
        for (folder, needs) in needs(name) {
            let circles = circles(needs);
            if !circles.is_empty() {
                found.push(format!("crates/{name}/src/{}: {circles:?}", folder.join("/")));
            }
        }
    }
    assert!(found.is_empty(), "files in circles: {found:#?}");
}

#[test]
fn paths_are_read_with_super_and_braces() {
    let modules = ["", "a", "b", "b/c", "b/d"]
        .map(|name| module(&format!("{name}{}", if name.is_empty() { "lib.rs" } else { ".rs" })));
    let modules: BTreeSet<Module> = modules.into();
    let source = r#"
        // use crate::comment;
        use super::{d::{self, X}, super::a::Y};
        fn f() { crate::a::g("{ crate::text"); }
        mod tests { use super::super::d::Z; }
    "#;
    let (all, imports) = named(&module("b/c.rs"), source, &modules);
    let written: Vec<String> = all.iter().map(|path| path.join("/")).collect();
    assert_eq!(written, ["b/d", "b/d/X", "a/Y", "a/g", "b/d/Z"]);
    assert_eq!(imports.len(), 4);
    assert!(circles(BTreeMap::from([("a".to_owned(), BTreeSet::from(["b".to_owned()]))])).is_empty());
}

#[test]
fn the_plan_names_every_file() {
    let plan = std::fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let mut missing = Vec::new();
    for name in ORDER.iter().chain(&["py"]) {
        let start = plan
            .find(&format!("## Inside `{name}`"))
            .unwrap_or_else(|| panic!("no part for {name}"));
        let part = plan[start + 1..].split("\n## ").next().unwrap();
        for (file, _) in files(name) {
            let path = Path::new(&file);
            let bare = path.file_name().unwrap().to_string_lossy();
            // A folder stands for what is in it.
            let mut above = path.ancestors().skip(1).filter(|folder| *folder != Path::new(""));
            let by_folder = above.any(|folder| part.contains(&format!("`{}/`", folder.display())));
            let is_named = [file.as_str(), &bare]
                .iter()
                .any(|name| part.contains(&format!("{name}`")));
            if !(by_folder || is_named || bare == "lib.rs" || bare == "tests.rs" || bare == "main.rs") {
                missing.push(format!("crates/{name}/src/{file}"));
            }
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md does not name {missing:#?}");
}

#[test]
fn the_tool_stays_thin() {
    let lines: usize = files("cli").iter().map(|(_, text)| text.lines().count()).sum();
    assert!(lines <= 6000, "{lines} lines in crates/cli/src");
}
