//! Adds a profile up: by operator, by line of the program, by layer; and writes it as tables.

use crate::tree::Source;
use crate::{Place, Profile, SpanKind};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Times of a whole profile, in nanoseconds. `operators + labels + opening + outside + profiler` is `total`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// From beginning to end.
    pub total: u64,
    /// In operators and other calls of libraries.
    pub operators: u64,
    /// In parts that the program named, outside of operators.
    pub labels: u64,
    /// Until libraries were open.
    pub opening: u64,
    /// In the program itself.
    pub outside: u64,
    /// What measuring took.
    pub profiler: u64,
    /// What devices computed.
    pub device: u64,
    /// In operators on other threads, at the same time.
    pub aside: u64,
    /// The most bytes that tensors in main memory had at a time.
    pub peak: u64,
}

/// What all runs of an operator took.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OperatorRow {
    /// Its name.
    pub name: String,
    /// The shapes of its inputs, if rows are divided by them.
    pub shapes: String,
    /// How often it ran.
    pub calls: u64,
    /// Nanoseconds without what other operators took inside it.
    pub own: u64,
    /// Nanoseconds in all.
    pub total: u64,
    /// Nanoseconds of devices, without and with other operators inside it.
    pub device_own: u64,
    /// The same in all.
    pub device: u64,
    /// Bytes that it allocated.
    pub allocated: u64,
}

/// What the operators of a line took.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LineRow {
    /// The line, and the function that it is in.
    pub place: Place,
    /// How many operators and other functions of libraries it called.
    pub calls: u64,
    /// Nanoseconds.
    pub total: u64,
    /// Nanoseconds of devices.
    pub device: u64,
    /// Bytes that it allocated.
    pub allocated: u64,
}

/// What a layer took.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LayerRow {
    /// Where it is in the network, such as `net.fc1`.
    pub path: String,
    /// Its class.
    pub class: String,
    /// How often its `forward` ran.
    pub calls: u64,
    /// Nanoseconds of `forward`, those of layers inside included.
    pub forward: u64,
    /// Nanoseconds of operators in it, without those of layers inside.
    pub own: u64,
    /// Nanoseconds of the backward pass through its operators, without those of layers inside.
    pub backward: u64,
    /// Nanoseconds of devices, of forward and backward passes, without those of layers inside.
    pub device: u64,
    /// Bytes that `forward` allocated.
    pub allocated: u64,
}

/// What rows are sorted by, the largest first. The words are PyTorch's.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SortBy {
    /// `self_cpu_time_total`.
    #[default]
    Own,
    /// `cpu_time_total`.
    Total,
    /// `self_device_time_total`.
    DeviceOwn,
    /// `device_time_total`.
    Device,
    /// `cpu_memory_usage`.
    Memory,
    /// `count`.
    Calls,
}

impl SortBy {
    /// Reads a word of PyTorch's, or says which there are.
    ///
    /// # Errors
    ///
    /// A message that lists the words.
    pub fn read(word: &str) -> Result<SortBy, String> {
        Ok(match word {
            "" | "self_cpu_time_total" | "self_cpu_time" => SortBy::Own,
            "cpu_time_total" | "cpu_time" => SortBy::Total,
            "self_device_time_total" | "self_cuda_time_total" => SortBy::DeviceOwn,
            "device_time_total" | "cuda_time_total" => SortBy::Device,
            "cpu_memory_usage" | "self_cpu_memory_usage" | "cuda_memory_usage" => SortBy::Memory,
            "count" => SortBy::Calls,
            _ => {
                return Err(format!(
                    "cannot sort by `{word}`; expected self_cpu_time_total, cpu_time_total, self_device_time_total, \
                     device_time_total, cpu_memory_usage or count"
                ));
            }
        })
    }
}

impl Profile {
    /// The times of the whole.
    pub fn summary(&self) -> Summary {
        let recording = &self.recording;
        let mut summary = Summary {
            total: recording.end - recording.start,
            peak: recording.torch.peak,
            ..Summary::default()
        };
        for node in &self.nodes {
            summary.device += node.device;
            match self.kind(node) {
                Some(SpanKind::Layer) => {}
                _ if node.aside => summary.aside += node.own(),
                Some(SpanKind::Label) => summary.labels += node.own(),
                Some(SpanKind::Opening) => summary.opening += node.own(),
                _ => summary.operators += node.own(),
            }
            if let Source::Span(span) = node.source {
                summary.profiler += u64::from(self.span(span).cost);
            }
        }
        let known = summary.operators + summary.labels + summary.opening + summary.profiler;
        summary.outside = summary.total.saturating_sub(known);
        summary
    }

    /// Rows by operator. A foreign function that ran no operator of libtorch has a row too, and so has what the program named.
    pub fn operators(&self, sort: SortBy, by_shape: bool) -> Vec<OperatorRow> {
        let mut rows: FxHashMap<(&str, Option<u32>), OperatorRow> = FxHashMap::default();
        for node in &self.nodes {
            if self.kind(node) == Some(SpanKind::Layer) {
                continue;
            }
            let name = self.name(node);
            let shapes = match node.source {
                Source::Op(op) if by_shape => self.op(op).shapes,
                _ => None,
            };
            let row = rows.entry((name, shapes)).or_insert_with(|| OperatorRow {
                name: name.to_owned(),
                shapes: shapes
                    .map_or_else(String::new, |at| self.recording.torch.name(at).to_owned()),
                ..OperatorRow::default()
            });
            row.calls += 1;
            row.own += node.own();
            row.device_own += node.device;
            // An operator that calls itself is counted once.
            if !self.is_inside_its_like(node, name) {
                row.total += node.duration();
                row.device += node.device_all;
                row.allocated += match node.source {
                    Source::Op(op) => self.op(op).allocated,
                    Source::Span(_) => node.allocated_inside,
                };
            }
        }
        let mut rows: Vec<OperatorRow> = rows.into_values().collect();
        rows.sort_by_key(|row| {
            let key = match sort {
                SortBy::Own => row.own,
                SortBy::Total => row.total,
                SortBy::DeviceOwn => row.device_own,
                SortBy::Device => row.device,
                SortBy::Memory => row.allocated,
                SortBy::Calls => row.calls,
            };
            (u64::MAX - key, row.name.clone(), row.shapes.clone())
        });
        rows
    }

    fn is_inside_its_like(&self, node: &crate::tree::Node, name: &str) -> bool {
        let mut above = node.parent;
        while let Some(parent) = above {
            let parent = &self.nodes[parent as usize];
            if self.kind(parent) != Some(SpanKind::Layer) && self.name(parent) == name {
                return true;
            }
            above = parent.parent;
        }
        false
    }

    /// Rows by line of the program, the slowest first. What no line of the program asked for is not among them.
    pub fn lines(&self) -> Vec<LineRow> {
        let mut rows: FxHashMap<(&str, u32), LineRow> = FxHashMap::default();
        for node in &self.nodes {
            let (Some(SpanKind::Call | SpanKind::Opening), Some(call)) =
                (self.kind(node), node.call)
            else {
                continue;
            };
            let Some(place) = self.places(&self.nodes[call as usize]).first() else {
                continue;
            };
            let row = rows
                .entry((place.file.as_str(), place.line))
                .or_insert_with(|| LineRow {
                    place: place.clone(),
                    ..LineRow::default()
                });
            if self.kind(node) == Some(SpanKind::Opening) {
                row.total = row.total.saturating_sub(node.duration());
                continue;
            }
            row.calls += 1;
            row.total += node.duration();
            row.device += node.device_all;
            row.allocated += node.allocated_inside;
        }
        let mut rows: Vec<LineRow> = rows.into_values().collect();
        rows.sort_by_key(|row| (u64::MAX - row.total, row.place.file.clone(), row.place.line));
        rows
    }

    /// Rows by layer, in the order in which they first ran.
    pub fn layers(&self) -> Vec<LayerRow> {
        let mut rows: Vec<LayerRow> = self
            .recording
            .layers
            .iter()
            .map(|layer| LayerRow {
                path: layer.path.clone(),
                class: layer.class.clone(),
                ..LayerRow::default()
            })
            .collect();
        for node in &self.nodes {
            match node.source {
                Source::Span(span) => {
                    let span = self.span(span);
                    let row = &mut rows[span.layer as usize];
                    match span.kind {
                        SpanKind::Layer => {
                            row.calls += 1;
                            row.forward += node.duration().saturating_sub(node.cost);
                        }
                        SpanKind::Call => {
                            row.own += node.duration();
                            row.device += node.device_all;
                            row.allocated += node.allocated_inside;
                        }
                        SpanKind::Opening => row.own = row.own.saturating_sub(node.duration()),
                        SpanKind::Label => {}
                    }
                }
                Source::Op(op) => {
                    let op = self.op(op);
                    if op.backward {
                        let row = &mut rows[self.forward_layer(op) as usize];
                        row.backward += node.duration();
                        row.device += node.device_all;
                    }
                }
            }
        }
        rows.retain(|row| row.calls > 0);
        rows
    }

    /// All tables as text.
    pub fn tables(&self, sort: SortBy, row_limit: usize) -> String {
        let mut text = self.heading();
        let tables = [
            self.operator_table(sort, row_limit, false),
            self.line_table(row_limit),
            self.layer_table(row_limit),
        ];
        // One of a head alone says nothing.
        for table in tables.iter().filter(|table| table.lines().count() > 1) {
            let _ = write!(text, "\n{table}");
        }
        text
    }

    /// What the whole took, a few lines.
    pub fn heading(&self) -> String {
        let summary = self.summary();
        let share = |part: u64| format!("{} ({})", time(part), percent(part, summary.total));
        let mut text = format!(
            "profile: {} in all; operators {}, the program itself {}, the profiler {}\n",
            time(summary.total),
            share(summary.operators),
            share(summary.outside + summary.labels),
            share(summary.profiler),
        );
        if summary.opening > 0 {
            let _ = writeln!(text, "opening libraries took {}", share(summary.opening));
        }
        if summary.device > 0 {
            let _ = writeln!(text, "devices computed for {}", share(summary.device));
        }
        if summary.peak > 0 {
            let _ = writeln!(
                text,
                "tensors in main memory took at most {} at a time",
                bytes(summary.peak)
            );
        }
        if summary.aside > 0 {
            let _ = writeln!(
                text,
                "operators on other threads took {} meanwhile",
                time(summary.aside)
            );
        }
        if self.recording.dropped > 0 {
            let _ = writeln!(
                text,
                "{} calls are missing: a profile has room for {}",
                self.recording.dropped,
                self.recording.spans.len()
            );
        }
        text
    }

    /// The rows of [`Profile::operators`] as a table.
    pub fn operator_table(&self, sort: SortBy, row_limit: usize, by_shape: bool) -> String {
        let rows = self.operators(sort, by_shape);
        let summary = self.summary();
        let on_device = summary.device > 0;
        let mut table = Table::new(&[
            "operator",
            "self CPU",
            "self %",
            "CPU total",
            "calls",
            "each",
        ]);
        if on_device {
            table.head(&["self device", "device total"]);
        }
        table.head(&["allocated"]);
        if by_shape {
            table.head(&["shapes of inputs"]);
        }
        for row in rows.iter().take(row_limit) {
            let mut cells = vec![
                row.name.clone(),
                time(row.own),
                percent(row.own, summary.total),
                time(row.total),
                row.calls.to_string(),
                time(row.total / row.calls.max(1)),
            ];
            if on_device {
                cells.extend([time(row.device_own), time(row.device)]);
            }
            cells.push(bytes(row.allocated));
            if by_shape {
                cells.push(row.shapes.clone());
            }
            table.rows.push(cells);
        }
        table.write(rows.len())
    }

    /// The rows of [`Profile::lines`] as a table; empty when there are none.
    pub fn line_table(&self, row_limit: usize) -> String {
        let rows = self.lines();
        if rows.is_empty() {
            return String::new();
        }
        let summary = self.summary();
        let mut table = Table::new(&["line", "CPU total", "CPU %", "calls"]);
        if summary.device > 0 {
            table.head(&["device"]);
        }
        table.head(&["allocated", "source"]);
        let mut files: FxHashMap<&str, Vec<String>> = FxHashMap::default();
        for row in rows.iter().take(row_limit) {
            let lines = files.entry(&row.place.file).or_insert_with(|| {
                let text = simple_system::open::read(row.place.file.as_ref(), MOST_SOURCE);
                let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
                text.lines().map(|line| line.trim().to_owned()).collect()
            });
            let source = lines
                .get((row.place.line as usize).saturating_sub(1))
                .cloned()
                .unwrap_or_default();
            let mut cells = vec![
                format!("{}:{}", row.place.file, row.place.line),
                time(row.total),
                percent(row.total, summary.total),
                row.calls.to_string(),
            ];
            if summary.device > 0 {
                cells.push(time(row.device));
            }
            cells.extend([bytes(row.allocated), shortened(&source, 60)]);
            table.rows.push(cells);
        }
        table.write(rows.len())
    }

    /// The rows of [`Profile::layers`] as a table; empty when there are none.
    pub fn layer_table(&self, row_limit: usize) -> String {
        let rows = self.layers();
        if rows.is_empty() {
            return String::new();
        }
        let on_device = self.summary().device > 0;
        let mut table = Table::new(&["layer", "class", "calls", "forward", "self", "backward"]);
        table.texts = 2;
        if on_device {
            table.head(&["device"]);
        }
        table.head(&["allocated"]);
        for row in rows.iter().take(row_limit) {
            let mut cells = vec![
                row.path.clone(),
                row.class.clone(),
                row.calls.to_string(),
                time(row.forward),
                time(row.own),
                time(row.backward),
            ];
            if on_device {
                cells.push(time(row.device));
            }
            cells.push(bytes(row.allocated));
            table.rows.push(cells);
        }
        table.write(rows.len())
    }
}

/// No source of a program is longer.
const MOST_SOURCE: u64 = 64 << 20;

/// Columns of texts; the first ones and the last one to the left, numbers to the right.
struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// How many columns at the beginning are texts.
    texts: usize,
}

impl Table {
    fn new(head: &[&'static str]) -> Table {
        Table {
            head: head.to_vec(),
            rows: Vec::new(),
            texts: 1,
        }
    }

    fn head(&mut self, more: &[&'static str]) {
        self.head.extend(more);
    }

    /// `all` is how many rows there would be without a limit.
    fn write(&self, all: usize) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells
                .chain([self.head[column].len()])
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        let is_text = |column: usize| {
            column < self.texts || matches!(self.head[column], "source" | "shapes of inputs")
        };
        let mut line = |cells: &[&str]| {
            let mut row = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                let _ = match is_text(column) {
                    true => write!(row, "{gap}{cell:<width$}", width = widths[column]),
                    false => write!(row, "{gap}{cell:>width$}", width = widths[column]),
                };
            }
            text.push_str(row.trim_end());
            text.push('\n');
        };
        line(&self.head);
        for row in &self.rows {
            line(&row.iter().map(String::as_str).collect::<Vec<_>>());
        }
        if all > self.rows.len() {
            let _ = writeln!(text, "... and {} more", all - self.rows.len());
        }
        text
    }
}

/// A time with four digits: `1.234 ms`.
pub(crate) fn time(nanoseconds: u64) -> String {
    let ns = nanoseconds as f64;
    match nanoseconds {
        0 => "0".to_owned(),
        1..1_000_000 => format!("{:.3} us", ns / 1e3),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns / 1e6),
        _ => format!("{:.3} s", ns / 1e9),
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// An amount of memory: `1.50 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    let amount = count as f64;
    match count {
        0 => "0".to_owned(),
        1..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.2} KiB", amount / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.2} MiB", amount / 1_048_576.0),
        _ => format!("{:.2} GiB", amount / 1_073_741_824.0),
    }
}

fn shortened(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
