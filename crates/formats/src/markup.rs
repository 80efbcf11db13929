//! Colours and text of charts and pages.

/// Grey, then colours that stay apart for every kind of colour vision (Okabe, Ito 2008).
pub const PALETTE: [&str; 6] = ["#7a7a7a", "#56b4e9", "#0072b2", "#cc79a7", "#d55e00", "#009e73"];

/// Text for SVG, whatever is in it.
#[must_use]
pub fn plain(words: &str) -> String {
    let clean: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
