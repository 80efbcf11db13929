//! Log-log charts as SVG and PNG: lines with points and quartile bars, labels beside the lines, a light grid.

use std::fmt::Write as _;
#[cfg(feature = "png")]
use std::sync::Arc;

#[cfg(feature = "png")]
use resvg::{tiny_skia, usvg};

#[cfg(feature = "png")]
use stiction_formats::BadInput;
use stiction_formats::markup::plain;

const INK: &str = "#1f2937";
const FAINT: &str = "#6b7280";
const GRID: &str = "#e5e7eb";

/// Size of a panel and the room around its plot [px].
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 460.0;
const LEFT_MARGIN: f64 = 66.0;
const RIGHT: f64 = 172.0;
const TOP: f64 = 74.0;
const BOTTOM: f64 = 54.0;

/// Pixels of a PNG for each of the SVG.
#[cfg(feature = "png")]
const PIXELS: f32 = 2.0;

/// Least distance between the labels beside the lines [px].
const LABEL_STEP: f64 = 36.0;

/// A measured point: median with its quartiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Abscissa.
    pub x: f64,
    /// Quartiles of what was measured there.
    pub quartiles: [f64; 3],
    /// Whether every problem behind the point was solved; hollow otherwise.
    pub whole: bool,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name.
    pub name: String,
    /// Second line of the label.
    pub note: String,
    /// Fitted growth, y ~ x^exponent.
    pub exponent: Option<f64>,
    /// Colour.
    pub colour: &'static str,
    /// Points, by abscissa.
    pub points: Vec<Point>,
}

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Title.
    pub title: String,
    /// Second line of the title.
    pub subtitle: String,
    /// What the abscissa is.
    pub x_label: String,
    /// Symbol of x in the labels' exponents.
    pub symbol: char,
    /// Abscissae with a label.
    pub ticks: Vec<f64>,
    /// Lines.
    pub series: Vec<Series>,
}

/// Exponent of y ∝ x^p, by least squares over the logarithms of the points from `from` on.
#[must_use]
pub fn exponent(points: &[Point], from: f64) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|p| p.x >= from && p.quartiles[1] > 0.0)
        .map(|p| (p.x.ln(), p.quartiles[1].ln()))
        .collect();
    let count = logs.len() as f64;
    let (sum_x, sum_y) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in &logs {
        above += (x - mean_x) * (y - mean_y);
        below += (x - mean_x) * (x - mean_x);
    }
    (logs.len() >= 3).then_some(above / below)
}

/// The panels side by side as one SVG; its size comes with it \[px\].
#[must_use]
pub fn svg(panels: &[Panel]) -> String {
    let width = WIDTH * panels.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" height=\"{HEIGHT}\" \
         font-family=\"'Noto Sans', 'Helvetica Neue', Arial, sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "<g transform=\"translate({} 0)\">", WIDTH * i as f64);
        panel.draw(&mut out);
        out += "</g>\n";
    }
    out + "</svg>\n"
}

/// The figure as PNG, with the embedded font alone.
#[cfg(feature = "png")]
pub fn png(svg: &str) -> Result<Vec<u8>, BadInput> {
    let broken = |what: &dyn std::fmt::Display| BadInput::new("figure", format!("internal: {what}"));
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    let options = usvg::Options {
        font_family: "Noto Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| broken(&error))?;
    let size = tree
        .size()
        .to_int_size()
        .scale_by(PIXELS)
        .ok_or_else(|| broken(&"empty"))?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).ok_or_else(|| broken(&"too large"))?;
    resvg::render(
        &tree,
        tiny_skia::Transform::from_scale(PIXELS, PIXELS),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(|error| broken(&error))
}

/// Where values lie on the page.
struct Axes {
    x: [f64; 2],
    y: [f64; 2],
}

impl Axes {
    fn px(&self, x: f64) -> f64 {
        LEFT_MARGIN + (x.log10() - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT_MARGIN - RIGHT)
    }

    fn py(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (y.log10() - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
    }
}

impl Panel {
    fn draw(&self, out: &mut String) {
        text(
            out,
            [LEFT_MARGIN - 46.0, 28.0],
            &format!("font-size=\"16\" font-weight=\"bold\" fill=\"{INK}\""),
            &self.title,
        );
        text(
            out,
            [LEFT_MARGIN - 46.0, 49.0],
            &format!("fill=\"{FAINT}\""),
            &self.second_line(),
        );
        let Some(axes) = self.axes() else {
            let middle = [WIDTH / 2.0, HEIGHT / 2.0];
            text(
                out,
                middle,
                &format!("text-anchor=\"middle\" fill=\"{FAINT}\""),
                "nothing was solved",
            );
            return;
        };
        self.grid(&axes, out);
        for series in &self.series {
            series.draw(&axes, out);
        }
        self.labels(&axes, out);
    }

    /// The subtitle, with a word on hollow points where there are any.
    fn second_line(&self) -> String {
        let hollow = self.series.iter().flat_map(|s| &s.points).any(|p| !p.whole);
        let word = if hollow { "; hollow: not all solved" } else { "" };
        format!("{}{word}", self.subtitle)
    }

    /// Axes that hold every point, y in whole decades; `None` without points.
    fn axes(&self) -> Option<Axes> {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let range = |value: fn(&Point) -> f64| {
            points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                [low.min(value(p).log10()), high.max(value(p).log10())]
            })
        };
        points().next()?;
        let [x0, x1] = range(|p| p.x);
        let [y0, _] = range(|p| p.quartiles[0]);
        let [_, y1] = range(|p| p.quartiles[2]);
        let pad = 0.04 * (x1 - x0).max(0.1);
        let (floor, ceil) = (y0.floor(), y1.ceil());
        Some(Axes {
            x: [x0 - pad, x1 + pad],
            y: [floor, if ceil > floor { ceil } else { floor + 1.0 }],
        })
    }

    fn grid(&self, axes: &Axes, out: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut decade = axes.y[0];
        while decade <= axes.y[1] + 0.5 {
            let y = axes.py(libm::pow(10.0, decade));
            line(out, [LEFT_MARGIN, y, right, y], GRID);
            let style = format!("text-anchor=\"end\" fill=\"{FAINT}\"");
            text(out, [LEFT_MARGIN - 8.0, y + 4.5], &style, &time(decade));
            decade += 1.0;
        }
        for &tick in &self.ticks {
            let x = axes.px(tick);
            if x >= LEFT_MARGIN && x <= right {
                line(out, [x, TOP, x, bottom], GRID);
                let style = format!("text-anchor=\"middle\" fill=\"{FAINT}\"");
                text(out, [x, bottom + 19.0], &style, &format!("{tick}"));
            }
        }
        let style = format!("text-anchor=\"middle\" fill=\"{INK}\"");
        let middle = f64::midpoint(LEFT_MARGIN, right);
        text(out, [middle, HEIGHT - 12.0], &style, &self.x_label);
    }

    /// Labels at the lines' right ends, moved apart where they would overlap.
    fn labels(&self, axes: &Axes, out: &mut String) {
        let mut ends: Vec<(f64, f64, &Series)> = self
            .series
            .iter()
            .filter_map(|s| s.points.last().map(|p| (axes.px(p.x), axes.py(p.quartiles[1]), s)))
            .collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let places = apart(&ends.iter().map(|end| end.1).collect::<Vec<_>>());
        for ((x, y, series), place) in ends.iter().zip(places) {
            let at = WIDTH - RIGHT + 22.0;
            let colour = series.colour;
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {y:.1} L{:.1} {place:.1}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\" stroke-dasharray=\"2 3\"/>",
                x + 7.0,
                at - 4.0
            );
            let growth = series
                .exponent
                .map_or_else(String::new, |p| escaped(&format!("~ {}^{p:.2}", self.symbol)));
            let note = if series.note.is_empty() {
                String::new()
            } else {
                format!("{}  ", escaped(&series.note))
            };
            let _ = writeln!(
                out,
                "<text x=\"{at:.1}\" y=\"{:.1}\" fill=\"{colour}\" font-weight=\"bold\">{}</text>\n\
                 <text x=\"{at:.1}\" y=\"{:.1}\" fill=\"{FAINT}\" font-size=\"12\">{note}{growth}</text>",
                place + 1.0,
                escaped(&series.name),
                place + 16.0
            );
        }
    }
}

/// Heights of labels near the given sorted heights, at least [`LABEL_STEP`] apart and on the page.
fn apart(heights: &[f64]) -> Vec<f64> {
    let mut places = heights.to_vec();
    let lowest = HEIGHT - BOTTOM - 8.0;
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + LABEL_STEP);
    }
    let mut limit = lowest;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - LABEL_STEP;
    }
    places
}

impl Series {
    fn draw(&self, axes: &Axes, out: &mut String) {
        let colour = self.colour;
        let mut path = String::new();
        for (i, p) in self.points.iter().enumerate() {
            let (x, y) = (axes.px(p.x), axes.py(p.quartiles[1]));
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { " L" });
            line(out, [x, axes.py(p.quartiles[0]), x, axes.py(p.quartiles[2])], colour);
        }
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>"
        );
        for p in &self.points {
            let fill = if p.whole { colour } else { "#ffffff" };
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.8\"/>",
                axes.px(p.x),
                axes.py(p.quartiles[1])
            );
        }
    }
}

/// A power of ten of microseconds, for a person.
fn time(decade: f64) -> String {
    let (power, unit) = match decade {
        d if d < 0.0 => (d + 3.0, "ns"),
        d if d < 3.0 => (d, "µs"),
        d if d < 6.0 => (d - 3.0, "ms"),
        d => (d - 6.0, "s"),
    };
    format!("{} {unit}", libm::pow(10.0, power).round())
}

fn line(out: &mut String, [x1, y1, x2, y2]: [f64; 4], colour: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"
    );
}

fn text(out: &mut String, [x, y]: [f64; 2], style: &str, words: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{}</text>", escaped(words));
}

/// The same; `^` raises what follows up to the next space or comma.
fn escaped(words: &str) -> String {
    let words = plain(words);
    let mut parts = words.split('^');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (raised, rest) = part.split_at(part.find([' ', ',']).unwrap_or(part.len()));
        // The next words come back down by the same 0.4 em of the smaller letters.
        let _ = write!(text, "<tspan dy=\"-0.4em\" font-size=\"75%\">{raised}</tspan>");
        if !rest.is_empty() {
            let _ = write!(text, "<tspan dy=\"0.3em\">{rest}</tspan>");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(growth: f64) -> Vec<Point> {
        [2.0, 8.0, 16.0, 64.0]
            .map(|x| Point {
                x,
                quartiles: [1.0, 1.0, 1.0].map(|s: f64| 3.0 * s * x.powf(growth)),
                whole: true,
            })
            .to_vec()
    }

    #[test]
    fn the_exponent_of_a_power_is_found() {
        assert!((exponent(&points(1.7), 0.0).unwrap() - 1.7).abs() < 1e-12);
        assert_eq!(exponent(&points(1.7), 16.0), None);
    }

    #[test]
    fn labels_keep_their_distance_and_stay_on_the_page() {
        let places = apart(&[100.0, 101.0, 390.0, 396.0]);
        assert!(
            places.windows(2).all(|pair| pair[1] - pair[0] >= LABEL_STEP - 1e-9),
            "{places:?}"
        );
        assert!(places.iter().all(|place| *place <= HEIGHT - BOTTOM), "{places:?}");
    }

    #[test]
    fn a_caret_raises_up_to_the_next_space() {
        let expected = "n<tspan dy=\"-0.4em\" font-size=\"75%\">1.5</tspan><tspan dy=\"0.3em\">, a &lt; b</tspan>";
        assert_eq!(escaped("n^1.5, a < b"), expected);
    }

    #[test]
    fn decades_have_units() {
        let names = [-1.0, 0.0, 2.0, 3.0, 5.0, 6.0].map(time);
        assert_eq!(names, ["100 ns", "1 µs", "100 µs", "1 ms", "100 ms", "1 s"]);
    }

    #[cfg(feature = "png")]
    #[test]
    fn a_figure_becomes_a_png_with_text() {
        let panel = Panel {
            title: "title".to_owned(),
            subtitle: String::new(),
            x_label: "x".to_owned(),
            symbol: 'n',
            ticks: vec![1.0, 10.0],
            series: Vec::new(),
        };
        let with = png(&svg(std::slice::from_ref(&panel))).unwrap();
        assert_eq!(&with[1..4], b"PNG");
        let without = png(&svg(&[Panel {
            title: String::new(),
            ..panel
        }]))
        .unwrap();
        assert_ne!(with, without, "the title must leave marks");
    }
}
