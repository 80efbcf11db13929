//! The viewer's page, as `web/` builds it, and the page with a replay in it.

use std::fmt;

use stiction_sim::World;

use crate::replay::Replay;
use crate::{PosesRecord, WorldRecord};

/// The page as it was found when this was compiled.
#[cfg(viewer_page)]
const PAGE: Option<&str> = Some(include_str!(concat!(env!("OUT_DIR"), "/page.html")));
#[cfg(not(viewer_page))]
const PAGE: Option<&str> = None;

/// Where a replay goes.
const PLACE: &str = "<!--stiction-replay-->";
/// What stands before and after the page's own rules for what it may load.
const POLICY: [&str; 2] = ["http-equiv=\"Content-Security-Policy\" content=\"", "\""];

/// The page was not there when this was compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageMissing;

impl fmt::Display for PageMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the viewer's page is not part of this build: scripts/build.sh builds both, with Node 20.19 or newer",
        )
    }
}

impl std::error::Error for PageMissing {}

/// The page alone: it asks the server that it came from for what to show.
///
/// # Errors
/// Where it was not there at compile time.
pub fn html() -> Result<&'static str, PageMissing> {
    PAGE.ok_or(PageMissing)
}

/// What the page may load, as it says itself: nothing from elsewhere.
#[must_use]
pub fn policy(page: &str) -> Option<&str> {
    let start = page.find(POLICY[0])? + POLICY[0].len();
    let length = page[start..].find(POLICY[1])?;
    Some(&page[start..start + length])
}

/// The page with a replay in it: one file that needs nothing else.
///
/// # Errors
/// Where the page was not there at compile time.
pub fn html_with_replay(replay: &Replay) -> Result<String, PageMissing> {
    html()?;
    html_with_json(&replay.json())
}

/// The same with a replay as [`Replay::json`] writes it.
///
/// # Errors
/// Where the page was not there at compile time.
pub fn html_with_json(json: &str) -> Result<String, PageMissing> {
    // Inside a script element only `<` could end it or open a comment.
    let json = json.replace('<', "\\u003c");
    let script = format!("<script type=\"application/json\" id=\"stiction-replay\">{json}</script>");
    Ok(html()?.replacen(PLACE, &script, 1))
}

/// The page with an answer of `stiction stand` in it: the scene at rest, the report as a file has it and in the words of the tool.
///
/// # Errors
/// Where the page was not there at compile time.
pub fn html_with_stand(world: &World, report: &serde_json::Value, words: &str) -> Result<String, PageMissing> {
    let data = serde_json::json!({
        "format": 1,
        "words": words,
        "report": report,
        "world": WorldRecord::of(world),
        "poses": PosesRecord::of(world),
    });
    let json = data.to_string().replace('<', "\\u003c");
    let script = format!("<script type=\"application/json\" id=\"stiction-stand\">{json}</script>");
    Ok(html()?.replacen(PLACE, &script, 1))
}

/// The page as an element of another page, such as a notebook: a frame of some height in pixels that may run scripts and nothing else.
#[must_use]
pub fn frame(page: &str, height: u32) -> String {
    // In an attribute in double quotes only these two have a meaning.
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<iframe sandbox=\"allow-scripts\" style=\"width:100%;height:{height}px;border:0\" srcdoc=\"{page}\"></iframe>"
    )
}

#[cfg(all(test, viewer_page))]
mod tests {
    use super::*;
    use stiction_scene::{Scene, WorldExt};

    #[test]
    fn the_page_has_a_place_for_a_replay_and_loads_nothing_from_elsewhere() {
        let page = html().expect("compiled with the page");
        assert_eq!(page.matches(PLACE).count(), 1);
        let policy = policy(page).expect("the page has a policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    }

    #[test]
    fn an_answer_stands_in_the_page_with_its_scene() {
        let text = r#"
            format = 1
            body = [
                { name = "ground", shape = { half_space = [0, 0, 1] } },
                { name = "</script>", mass = 1, shape = { box = [1, 1, 1] }, position = [0, 0, 0.5] },
            ]"#;
        let scene = Scene::parse(text, ".").expect("a scene");
        let world = World::from_scene(&scene).expect("a world");
        let page = html_with_stand(&world, &serde_json::json!({ "verdict": "stands" }), "STANDS  <b>").expect("a page");
        let (_, rest) = page.split_once("id=\"stiction-stand\">").expect("the answer");
        let (json, _) = rest.split_once("</script>").expect("its end");
        let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(data["words"], "STANDS  <b>");
        assert_eq!(data["report"]["verdict"], "stands");
        assert_eq!(data["world"]["bodies"][1]["name"], "</script>");
        assert_eq!(data["poses"]["positions"][1][2], 0.5);
    }
}
