//! Panels below each other as one SVG, for light and dark pages.

use std::fmt::Write as _;

use super::scale::{prefix, tick, ticks, value};
use super::{Axis, Line, Panel};

/// Size of a panel and the room around its plot \[px\].
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 250.0;
const LEFT_MARGIN: f64 = 74.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 34.0;
/// Above the first panel, for the name of the recording \[px\].
const HEAD_HEIGHT: f64 = 40.0;
/// Least distance between the labels beside the lines \[px\].
const LABEL_STEP: f64 = 17.0;
/// Letters of a label.
const MAX_LABEL_LETTERS: usize = 26;
/// Decades below the largest value that are drawn.
const MAX_DECADES: f64 = 18.0;

/// Colours that stay apart for every kind of colour vision (after Okabe, Ito 2008), darkened or lightened until they can be read as
/// letters on the background; dashes tell lines apart without colour.
const LIGHT: [&str; 8] = [
    "#0072b2", "#c24e00", "#00795a", "#a3447a", "#1f2937", "#8a6d00", "#6b7280", "#6d45c9",
];
const DARK: [&str; 8] = [
    "#56b4e9", "#ff9d5c", "#3ddbaa", "#e79cc6", "#f3f4f6", "#f0e442", "#9ca3af", "#bfa8ff",
];
const DASHES: [&str; 8] = ["", "7 3", "2 3", "9 3 2 3", "", "4 2", "1 3", "12 4"];

/// The panels as one figure.
#[must_use]
pub fn svg(name: &str, panels: &[Panel]) -> String {
    let height = HEAD_HEIGHT + HEIGHT * panels.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"'Noto Sans', 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\">\n"
    );
    styles(&mut out);
    let _ = writeln!(out, "<rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\"/>");
    text(&mut out, [20.0, 27.0], "ink title", "", name);
    for (i, panel) in panels.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "<g transform=\"translate(0 {})\">",
            HEAD_HEIGHT + HEIGHT * i as f64
        );
        draw(panel, &mut out);
        out += "</g>\n";
    }
    out + "</svg>\n"
}

fn styles(out: &mut String) {
    let theme = |page: &str, ink: &str, faint: &str, grid: &str, colours: &[&str]| {
        let mut css = format!(
            ".page{{fill:{page}}}.ink{{fill:{ink}}}.faint{{fill:{faint}}}.grid{{stroke:{grid}}}.zero{{stroke:{faint}}}"
        );
        for (i, colour) in colours.iter().enumerate() {
            let _ = write!(css, ".l{i}{{stroke:{colour}}}.t{i}{{fill:{colour}}}");
        }
        css
    };
    let light = theme("#ffffff", "#1f2937", "#5b6472", "#e5e7eb", &LIGHT);
    let dark = theme("#10151d", "#e5e7eb", "#a3acb9", "#2b3441", &DARK);
    let _ = writeln!(
        out,
        "<style>.title{{font-size:16px;font-weight:bold}}.head{{font-size:13.5px;font-weight:bold}}.line{{fill:none;stroke-width:1.7;stroke-linejoin:round}}\
         {light}\n@media (prefers-color-scheme: dark){{{dark}}}</style>"
    );
}

/// Where values lie on the page.
struct Place {
    time: [f64; 2],
    low: f64,
    high: f64,
    axis: Axis,
}

impl Place {
    fn x(&self, time: f64) -> f64 {
        LEFT_MARGIN + (time - self.time[0]) / (self.time[1] - self.time[0]) * (WIDTH - LEFT_MARGIN - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let share = match self.axis {
            Axis::Linear => (value - self.low) / (self.high - self.low),
            Axis::Decades if value <= 0.0 => 0.0,
            Axis::Decades => ((libm::log10(value) - self.low) / (self.high - self.low)).max(0.0),
        };
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }
}

fn draw(panel: &Panel, out: &mut String) {
    text(out, [20.0, 24.0], "ink head", "", &panel.title);
    text(out, [20.0, 42.0], "faint", "", &panel.subtitle);
    let points = || panel.lines.iter().flat_map(|l| &l.points);
    if points().next().is_none() {
        text(
            out,
            [LEFT_MARGIN, f64::midpoint(TOP, HEIGHT - BOTTOM)],
            "faint",
            "",
            panel.nothing,
        );
        return;
    }
    let (mut time, mut range) = ([f64::INFINITY, f64::NEG_INFINITY], [0.0_f64, 0.0_f64]);
    for [t, v] in points() {
        time = [time[0].min(*t), time[1].max(*t)];
        range = [range[0].min(*v), range[1].max(*v)];
    }
    if time[1] <= time[0] {
        // One frame: in the middle of a span of its own.
        let pad = if time[0] == 0.0 { 1.0 } else { 0.5 * time[0].abs() };
        time = [time[0] - pad, time[1] + pad];
    }
    let place = match panel.axis {
        Axis::Linear => linear(panel, time, range, out),
        Axis::Decades => decades(time, range[1], points().map(|p| p[1]), out),
    };
    for t in ticks(time[0], time[1], 8) {
        let x = place.x(t);
        if (LEFT_MARGIN - 0.5..=WIDTH - RIGHT + 0.5).contains(&x) {
            rule(out, "grid", [x, TOP, x, HEIGHT - BOTTOM]);
            text(
                out,
                [x, HEIGHT - BOTTOM + 16.0],
                "faint",
                " text-anchor=\"middle\"",
                &tick(t),
            );
        }
    }
    text(
        out,
        [WIDTH - RIGHT + 16.0, HEIGHT - BOTTOM + 16.0],
        "faint",
        "",
        panel.across,
    );
    for (i, line) in panel.lines.iter().enumerate() {
        curve(line, &place, i % LIGHT.len(), out);
    }
    labels(panel, &place, out);
}

/// Grid and numbers of a linear axis with its prefixed unit.
fn linear(panel: &Panel, time: [f64; 2], range: [f64; 2], out: &mut String) -> Place {
    let largest = range[1].max(-range[0]).max(panel.floor);
    let (factor, prefix) = prefix(largest, panel.unit);
    // What is within rounding of zero lies on it.
    let bottom = if range[0] < -panel.floor {
        range[0] / factor
    } else {
        0.0
    };
    let top = if range[1] > panel.floor || bottom == 0.0 {
        range[1].max(panel.floor) / factor
    } else {
        0.0
    };
    let marks = ticks(bottom, top, 4);
    let (low, high) = (marks[0] * factor, marks[marks.len() - 1] * factor);
    let place = Place {
        time,
        low,
        high: if high > low { high } else { low + factor },
        axis: Axis::Linear,
    };
    for mark in &marks {
        let y = place.y(mark * factor);
        rule(
            out,
            if *mark == 0.0 { "zero" } else { "grid" },
            [LEFT_MARGIN, y, WIDTH - RIGHT, y],
        );
        let unit = if *mark == 0.0 || panel.unit.is_empty() {
            String::new()
        } else {
            format!(" {prefix}{}", panel.unit)
        };
        text(
            out,
            [LEFT_MARGIN - 8.0, y + 4.0],
            "faint",
            " text-anchor=\"end\"",
            &format!("{}{unit}", tick(*mark)),
        );
    }
    place
}

/// Grid and numbers of decades; the lowest line stands for zero.
fn decades(time: [f64; 2], largest: f64, values: impl Iterator<Item = f64>, out: &mut String) -> Place {
    let least = values.filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
    let high = if largest > 0.0 {
        libm::ceil(libm::log10(largest))
    } else {
        0.0
    };
    let least = if least.is_finite() {
        libm::floor(libm::log10(least))
    } else {
        high - 1.0
    };
    let low = least.max(high - MAX_DECADES) - 1.0;
    let place = Place {
        time,
        low,
        high: if high > low + 1.0 { high } else { low + 2.0 },
        axis: Axis::Decades,
    };
    let step = libm::ceil((place.high - low) / 5.0).max(1.0);
    let mut power = place.high;
    while power > low + 0.5 {
        let y = place.y(libm::pow(10.0, power));
        rule(out, "grid", [LEFT_MARGIN, y, WIDTH - RIGHT, y]);
        text(
            out,
            [LEFT_MARGIN - 8.0, y + 4.0],
            "faint",
            " text-anchor=\"end\"",
            &format!("1e{power}"),
        );
        power -= step;
    }
    let y = place.y(0.0);
    rule(out, "zero", [LEFT_MARGIN, y, WIDTH - RIGHT, y]);
    text(out, [LEFT_MARGIN - 8.0, y + 4.0], "faint", " text-anchor=\"end\"", "0");
    place
}

/// A line; where several points share a column of pixels, their first, least, largest and last.
fn curve(line: &Line, place: &Place, colour: usize, out: &mut String) {
    let mut path = String::new();
    let mut push = |x: f64, y: f64| {
        let letter = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{x:.1} {y:.1}");
    };
    let places: Vec<[f64; 2]> = line.points.iter().map(|[t, v]| [place.x(*t), place.y(*v)]).collect();
    let mut from = 0;
    while from < places.len() {
        let column = libm::floor(places[from][0]);
        let count = places[from..]
            .iter()
            .take_while(|p| libm::floor(p[0]) == column)
            .count();
        let group = &places[from..from + count];
        if count <= 4 {
            for p in group {
                push(p[0], p[1]);
            }
        } else {
            let by_y = |a: &&[f64; 2], b: &&[f64; 2]| a[1].total_cmp(&b[1]);
            let x = column + 0.5;
            push(group[0][0], group[0][1]);
            let (least, largest) = (group.iter().min_by(by_y), group.iter().max_by(by_y));
            for p in [least, largest].into_iter().flatten() {
                push(x, p[1]);
            }
            push(x, group[count - 1][1]);
        }
        from += count;
    }
    if let [[x, y]] = places[..] {
        let _ = writeln!(
            out,
            "<circle class=\"t{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>"
        );
        return;
    }
    let dash = DASHES[colour];
    let dash = if dash.is_empty() {
        String::new()
    } else {
        format!(" stroke-dasharray=\"{dash}\"")
    };
    let _ = writeln!(out, "<path class=\"line l{colour}\"{dash} d=\"{path}\"/>");
}

/// Names and last values at the right ends of the lines, moved apart where they would overlap.
fn labels(panel: &Panel, place: &Place, out: &mut String) {
    let mut ends: Vec<(f64, usize, &Line, f64)> = panel
        .lines
        .iter()
        .enumerate()
        .filter_map(|(i, line)| line.points.last().map(|p| (place.y(p[1]), i, line, p[1])))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let heights = apart(&ends.iter().map(|end| end.0).collect::<Vec<_>>());
    for ((y, i, line, last), height) in ends.iter().zip(heights) {
        let (i, at) = (i % LIGHT.len(), WIDTH - RIGHT);
        let _ = writeln!(
            out,
            "<path class=\"line l{i}\" stroke-opacity=\"0.6\" d=\"M{:.1} {y:.1}L{:.1} {height:.1}\"/>",
            at + 3.0,
            at + 16.0
        );
        let shown = match panel.axis {
            Axis::Linear if last.abs() < 1e-3 * panel.floor && !panel.unit.is_empty() => {
                format!("{} {}", stiction_formats::figures::small(*last), panel.unit)
            }
            Axis::Linear => value(*last, panel.unit),
            Axis::Decades => stiction_formats::figures::small(*last),
        };
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"t{i}\"><tspan font-weight=\"bold\">{}</tspan> <tspan class=\"faint\">{shown}</tspan></text>",
            at + 20.0,
            height + 4.0,
            stiction_formats::markup::plain(&shortened(&line.name))
        );
    }
}

/// Heights of labels near the given sorted heights, [`LABEL_STEP`] apart and beside the plot.
fn apart(heights: &[f64]) -> Vec<f64> {
    let mut places = heights.to_vec();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + LABEL_STEP);
    }
    let mut limit = HEIGHT - BOTTOM;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - LABEL_STEP;
    }
    places
}

/// A name that fits beside the plot: its middle goes.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MAX_LABEL_LETTERS {
        return name.to_owned();
    }
    let half = MAX_LABEL_LETTERS / 2;
    let (head, tail) = (&letters[..half], &letters[letters.len() - half + 1..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

fn rule(out: &mut String, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(out: &mut String, [x, y]: [f64; 2], class: &str, more: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\"{more}>{}</text>",
        stiction_formats::markup::plain(words)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(points: Vec<[f64; 2]>) -> Panel {
        Panel {
            title: "a < b".to_owned(),
            subtitle: String::new(),
            unit: "J",
            across: "s",
            axis: Axis::Linear,
            floor: 1e-9,
            lines: vec![Line {
                name: "line & more".to_owned(),
                points,
            }],
            nothing: "nothing",
        }
    }

    #[test]
    fn a_figure_is_well_formed_and_holds_no_nonsense() {
        let long = (0..100_000).map(|i| [f64::from(i) * 1e-3, f64::from(i % 7)]).collect();
        for points in [
            vec![],
            vec![[1.0, 2.0]],
            vec![[0.0, 0.0]],
            vec![[0.0, 1e-30], [1.0, 1e30]],
            vec![[-1e300, -1e300], [1e300, 1e300]],
            long,
        ] {
            for axis in [Axis::Linear, Axis::Decades] {
                let text = svg(
                    "name",
                    &[Panel {
                        axis,
                        ..panel(points.clone())
                    }],
                );
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                assert!(text.len() < 100_000, "{}", text.len());
                #[cfg(feature = "png")]
                assert!(crate::chart::png(&text).is_ok());
            }
        }
    }

    #[test]
    fn labels_stay_apart_and_long_names_are_cut() {
        let places = apart(&[100.0, 101.0, 215.0, 216.0]);
        assert!(
            places.windows(2).all(|p| p[1] - p[0] >= LABEL_STEP - 1e-9),
            "{places:?}"
        );
        assert!(places[3] <= HEIGHT - BOTTOM);
        assert_eq!(shortened(&"x".repeat(40)).chars().count(), MAX_LABEL_LETTERS);
    }
}
