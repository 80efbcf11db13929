//! The elements of a model with their places, all `<include>` files put in.

use std::path::{Path, PathBuf};

use crate::scene::error::{Problem, SceneError, shorten};
use crate::scene::{MAX_SCENE_BYTES, mesh, urdf};

/// Files within files, at most.
const MAX_INCLUDE_DEPTH: usize = 16;
/// Elements in elements, at most.
const MAX_ELEMENT_DEPTH: usize = 200;
/// Nodes of one document, at most.
const MAX_DOCUMENT_NODES: u32 = 1_000_000;
/// Problems that are listed before the rest is only counted.
const MAX_LISTED_PROBLEMS: usize = 100;

/// Where something stands: number of the file, line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Place {
    file: usize,
    line: usize,
    column: usize,
}

/// An attribute.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) place: Place,
}

/// An element.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Tag>,
    pub(super) place: Place,
}

impl Tag {
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|attribute| attribute.value.as_str())
    }

    /// The elements of one kind directly in this one.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The elements of one kind in all sections of a name: sections may be repeated.
    pub(super) fn in_sections<'a>(&'a self, section: &'a str, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.all(section).flat_map(move |section| section.all(name))
    }
}

/// Collects what is wrong or doubtful.
#[derive(Debug, Default)]
pub(super) struct Findings {
    files: Vec<PathBuf>,
    wrong: Vec<(Place, String, String)>,
    doubtful: Vec<(Place, String, String)>,
}

impl Findings {
    /// Notes a problem.
    pub(super) fn fail<T>(&mut self, place: Place, path: &str, problem: impl Into<String>) -> Option<T> {
        self.wrong.push((place, path.to_owned(), problem.into()));
        None
    }

    /// Notes something doubtful.
    pub(super) fn doubt(&mut self, place: Place, path: &str, doubt: impl Into<String>) {
        self.doubtful.push((place, path.to_owned(), doubt.into()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.wrong.is_empty()
    }

    /// `FILE:LINE:COLUMN` of something.
    pub(super) fn place_text(&self, place: Place) -> String {
        let file = self
            .files
            .get(place.file)
            .map_or(String::new(), |file| file.display().to_string());
        format!("{file}:{}:{}", place.line, place.column)
    }

    fn problems(&self, list: &[(Place, String, String)]) -> Vec<Problem> {
        let mut sorted: Vec<&(Place, String, String)> = list.iter().collect();
        sorted.sort_by_key(|(place, ..)| *place);
        let problem = |(place, path, text): &(Place, String, String)| {
            // Lines of files that are included are named in the path.
            let is_own = place.file == 0;
            let path = match (is_own, path.is_empty()) {
                (true, _) => path.clone(),
                (false, true) => self.place_text(*place),
                (false, false) => format!("{}: {path}", self.place_text(*place)),
            };
            Problem {
                line: if is_own { place.line } else { 0 },
                column: if is_own { place.column } else { 0 },
                path,
                problem: text.clone(),
            }
        };
        sorted.into_iter().take(MAX_LISTED_PROBLEMS).map(problem).collect()
    }

    /// All problems.
    pub(super) fn into_error(self, file: &Path) -> SceneError {
        SceneError {
            file: file.to_owned(),
            problems: self.problems(&self.wrong),
            more: self.wrong.len().saturating_sub(MAX_LISTED_PROBLEMS),
        }
    }

    /// What is doubtful.
    pub(super) fn warnings(&self) -> Vec<Problem> {
        self.problems(&self.doubtful)
    }
}

/// Reads documents below a folder.
pub(super) struct Reader<'a> {
    /// The folder that nothing is read outside of.
    pub(super) folder: &'a Path,
    /// Folder of the model's file below it; those of other files are sought from there.
    pub(super) within: &'a Path,
    /// Open files, outermost first.
    open: Vec<PathBuf>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(folder: &'a Path, within: &'a Path) -> Self {
        Self {
            folder,
            within,
            open: Vec::new(),
        }
    }

    /// The root element of a text.
    pub(super) fn document(&mut self, text: &str, file: &Path, findings: &mut Findings) -> Option<Tag> {
        let number = findings.files.len();
        findings.files.push(file.to_owned());
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let place = |at: usize| {
            let line = starts.partition_point(|start| *start <= at);
            let column = text
                .get(starts[line - 1]..at)
                .map_or(1, |before| before.chars().count() + 1);
            Place {
                file: number,
                line,
                column,
            }
        };
        if let Err((at, problem)) = urdf::bounded(text) {
            return findings.fail(place(at), "", problem);
        }
        // Without a document type there are no entities that could be expanded.
        let options = roxmltree::ParsingOptions {
            allow_dtd: false,
            nodes_limit: MAX_DOCUMENT_NODES,
            ..roxmltree::ParsingOptions::default()
        };
        let document = match roxmltree::Document::parse_with_options(text, options) {
            Ok(document) => document,
            Err(error) => {
                let at = urdf::offset(text, error.pos());
                return findings.fail(place(at), "", format!("must be well-formed XML: {error}"));
            }
        };
        let element = document.root_element();
        if self.open.is_empty() && element.tag_name().name() != "mujoco" {
            // What is not MJCF is refused by its name, whatever is in it.
            return Some(Tag {
                name: element.tag_name().name().to_owned(),
                attributes: Vec::new(),
                children: Vec::new(),
                place: place(element.range().start),
            });
        }
        self.open.push(file.to_owned());
        let root = self.tag(document.root_element(), 0, &place, findings);
        self.open.pop();
        root
    }

    fn tag(
        &mut self,
        node: roxmltree::Node<'_, '_>,
        depth: usize,
        place: &impl Fn(usize) -> Place,
        findings: &mut Findings,
    ) -> Option<Tag> {
        if depth > MAX_ELEMENT_DEPTH {
            let problem = format!("must not lie in more than {MAX_ELEMENT_DEPTH} elements, found more");
            return findings.fail(place(node.range().start), node.tag_name().name(), problem);
        }
        let mut tag = Tag {
            name: node.tag_name().name().to_owned(),
            attributes: Vec::new(),
            children: Vec::new(),
            place: place(node.range().start),
        };
        for attribute in node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            tag.attributes.push(Attribute {
                name: attribute.name().to_owned(),
                value: attribute.value().to_owned(),
                place: place(attribute.range_value().start),
            });
        }
        for child in node.children().filter(roxmltree::Node::is_element) {
            let child = self.tag(child, depth + 1, place, findings)?;
            if child.name == "include" {
                tag.children.extend(self.include(&child, findings)?);
            } else {
                tag.children.push(child);
            }
        }
        Some(tag)
    }

    /// The elements of a file that is included.
    fn include(&mut self, tag: &Tag, findings: &mut Findings) -> Option<Vec<Tag>> {
        let Some(attribute) = tag.attribute("file") else {
            return findings.fail(tag.place, "include.file", "must be given, found nothing");
        };
        let path = self.within.join(&attribute.value);
        let mut wrong = |problem: String| findings.fail(attribute.place, "include.file", problem);
        if self.open.contains(&path) {
            return wrong(format!("must not include itself, found {}", shorten(&attribute.value)));
        }
        if self.open.len() >= MAX_INCLUDE_DEPTH {
            return wrong(format!(
                "must not lie deeper than {MAX_INCLUDE_DEPTH} files, found more"
            ));
        }
        let name = path.to_string_lossy().into_owned();
        let bytes = match mesh::read_below(self.folder, &name, MAX_SCENE_BYTES) {
            Ok(bytes) => bytes,
            Err(problem) => return wrong(problem),
        };
        let Ok(text) = String::from_utf8(bytes) else {
            return wrong(format!("must be UTF-8 text, found other bytes in {}", shorten(&name)));
        };
        let root = self.document(&text, &path, findings)?;
        Some(root.children)
    }
}
