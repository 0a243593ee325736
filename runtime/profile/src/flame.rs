//! A profile as a flame graph: an SVG in which each box is as wide as what it stands for took.
//!
//! From below: the whole, the functions of the program with their lines, the layer, the operators. Boxes of one name over one box are joined, the widest
//! first. A crate would bring more than these lines; what it would have beyond them is a search.

use crate::tables::time;
use crate::tree::Node;
use crate::{Profile, SpanKind};
use rustc_hash::FxHashMap;
use std::fmt::Write;

const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 18.0;
/// Narrower boxes are left out: nobody could see them, and a file of a long run would have millions.
const NARROWEST: f64 = 0.1;
const CHARACTER: f64 = 6.6;

/// A box, with those over it.
#[derive(Default)]
struct Frame {
    total: u64,
    /// What kind of thing it is, which decides its colour.
    hue: u32,
    over: FxHashMap<String, Frame>,
}

impl Frame {
    fn depth(&self) -> usize {
        1 + self.over.values().map(Frame::depth).max().unwrap_or(0)
    }
}

const PROGRAM: u32 = 210;
const LAYER: u32 = 130;
const LABEL: u32 = 280;
const OPERATOR: u32 = 25;

impl Profile {
    /// The text of the graph.
    pub fn flame_graph(&self) -> String {
        let summary = self.summary();
        let mut root = Frame {
            total: summary.total,
            hue: PROGRAM,
            over: FxHashMap::default(),
        };
        for node in &self.nodes {
            let is_layer = self.kind(node) == Some(SpanKind::Layer);
            if !node.aside && !is_layer && node.own() > 0 {
                self.add(node, &mut root);
            }
        }
        for (name, took) in [
            ("the program itself", summary.outside),
            ("the profiler", summary.profiler),
        ] {
            let frame = root.over.entry(name.to_owned()).or_default();
            frame.total += took;
            frame.hue = PROGRAM;
        }
        draw(&root)
    }

    /// Adds what a node took itself to the boxes from the whole up to its own.
    fn add(&self, node: &Node, root: &mut Frame) {
        let mut boxes: Vec<(String, u32)> = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            let name = self.name(node).to_owned();
            match self.kind(node) {
                Some(SpanKind::Layer) => {}
                Some(SpanKind::Label) => boxes.push((name, LABEL)),
                Some(SpanKind::Call | SpanKind::Opening) | None => boxes.push((name, OPERATOR)),
            }
            at = node.parent.map(|parent| &self.nodes[parent as usize]);
        }
        let layer = &self.recording.layers[self.layer(node) as usize];
        let is_label = self.kind(node) == Some(SpanKind::Label);
        if !layer.path.is_empty() && !is_label {
            boxes.push((format!("{} ({})", layer.path, layer.class), LAYER));
        }
        for place in self.places(node) {
            boxes.push((
                format!("{} {}:{}", place.function, place.file, place.line),
                PROGRAM,
            ));
        }
        let took = node.own();
        let mut frame = root;
        for (name, hue) in boxes.into_iter().rev() {
            frame = frame.over.entry(name).or_default();
            frame.total += took;
            frame.hue = hue;
        }
    }
}

fn draw(root: &Frame) -> String {
    let depth = root.depth();
    let height = HEIGHT * (depth as f64 + 2.0);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"monospace\" font-size=\"11\">\n\
         <style>rect {{ stroke: white; stroke-width: 0.5 }} g:hover rect {{ stroke: black }}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#f8f8f8\"/>\n"
    );
    draw_frame(
        &mut text,
        root,
        "all",
        (0.0, WIDTH),
        height - 1.5 * HEIGHT,
        root.total,
    );
    text.push_str("</svg>\n");
    text
}

fn draw_frame(
    text: &mut String,
    frame: &Frame,
    name: &str,
    (left, width): (f64, f64),
    top: f64,
    whole: u64,
) {
    let share = 100.0 * frame.total as f64 / whole.max(1) as f64;
    let fits = ((width - 6.0) / CHARACTER) as usize;
    let label: String = match name.chars().count() {
        length if length <= fits => name.to_owned(),
        _ if fits < 4 => String::new(),
        _ => name.chars().take(fits - 2).chain("..".chars()).collect(),
    };
    let _ = writeln!(
        text,
        "<g><title>{}: {} ({share:.1} %)</title><rect x=\"{left:.2}\" y=\"{top:.1}\" width=\"{width:.2}\" height=\"{HEIGHT}\" \
         fill=\"hsl({},{}%,{}%)\"/><text x=\"{:.2}\" y=\"{:.1}\">{}</text></g>",
        escaped(name),
        time(frame.total),
        frame.hue,
        70,
        70 + name.bytes().map(u32::from).sum::<u32>() % 12,
        left + 3.0,
        top + 13.0,
        escaped(&label),
    );
    let mut over: Vec<(&String, &Frame)> = frame.over.iter().collect();
    over.sort_by_key(|(name, frame)| (u64::MAX - frame.total, *name));
    let mut at = left;
    for (name, frame) in over {
        let share = WIDTH * frame.total as f64 / whole.max(1) as f64;
        if share >= NARROWEST {
            draw_frame(text, frame, name, (at, share), top - HEIGHT, whole);
        }
        at += share;
    }
}

/// A text inside of XML; what XML cannot hold is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            character if character.is_control() => {}
            character => out.push(character),
        }
    }
    out
}
