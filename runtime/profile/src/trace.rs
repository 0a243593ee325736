//! A profile as a trace: the JSON that Perfetto and Chrome read ("Trace Event Format").
//!
//! Process 1 is the program, with a track for each thread; each device is a process of its own, with a track for each stream. Times
//! are microseconds from the beginning of the profile.

use crate::tree::{Node, Source};
use crate::{Profile, SpanKind};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PROGRAM: u64 = 1;
/// The process of the first device.
const DEVICES: u64 = 100;

impl Profile {
    /// The text of the trace.
    pub fn trace(&self) -> String {
        let mut events = vec![
            named(PROGRAM, None, "program"),
            named(PROGRAM, Some(0), "main thread"),
        ];
        let torch = &self.recording.torch;
        let main = torch.main_thread;
        let threads: BTreeSet<u64> = torch.ops.iter().map(|op| op.thread).collect();
        for thread in threads.into_iter().filter(|thread| *thread != main) {
            events.push(named(PROGRAM, Some(thread), &format!("thread {thread}")));
        }
        let devices: BTreeSet<(u32, u64)> = torch
            .kernels
            .iter()
            .map(|kernel| (kernel.device, kernel.stream))
            .collect();
        for (device, stream) in devices {
            let process = DEVICES + u64::from(device);
            events.push(named(process, None, &format!("device {device}")));
            events.push(named(process, Some(stream), &format!("stream {stream}")));
        }
        events.extend(self.nodes.iter().map(|node| self.event(node)));
        for kernel in &torch.kernels {
            events.push(json!({
                "ph": "X", "cat": "kernel", "name": torch.name(kernel.name),
                "pid": DEVICES + u64::from(kernel.device), "tid": kernel.stream,
                "ts": self.moment(kernel.start), "dur": microseconds(kernel.end.saturating_sub(kernel.start)),
                "args": {},
            }));
        }
        let whole = json!({ "displayTimeUnit": "ms", "traceEvents": events });
        format!("{whole}\n")
    }

    fn moment(&self, at: u64) -> f64 {
        microseconds(at.saturating_sub(self.recording.start))
    }

    fn event(&self, node: &Node) -> Value {
        let mut args = serde_json::Map::new();
        let category = match self.kind(node) {
            Some(SpanKind::Label) => "user_annotation",
            Some(SpanKind::Layer) => "layer",
            Some(SpanKind::Call) => "call",
            Some(SpanKind::Opening) => "opening",
            None => "cpu_op",
        };
        let mut thread = 0;
        if let Some(place) = self.places(node).first() {
            args.insert(
                "line".into(),
                format!("{}:{}", place.file, place.line).into(),
            );
            args.insert("function".into(), place.function.clone().into());
        }
        let layer = &self.recording.layers[self.layer(node) as usize];
        if !layer.path.is_empty() {
            args.insert("layer".into(), layer.path.clone().into());
            args.insert("class".into(), layer.class.clone().into());
        }
        if let Source::Op(op) = node.source {
            let op = self.op(op);
            if op.thread != self.recording.torch.main_thread {
                thread = op.thread;
            }
            if let Some(shapes) = op.shapes {
                args.insert("shapes".into(), self.recording.torch.name(shapes).into());
            }
            if op.sequence >= 0 {
                args.insert("sequence".into(), op.sequence.into());
            }
            if op.allocated > 0 {
                args.insert("allocated bytes".into(), op.allocated.into());
            }
            if op.backward {
                let layer = &self.recording.layers[self.forward_layer(op) as usize];
                args.insert("backward of".into(), layer.path.clone().into());
            }
        }
        json!({
            "ph": "X", "cat": category, "name": self.name(node), "pid": PROGRAM, "tid": thread,
            "ts": self.moment(node.start), "dur": microseconds(node.duration()), "args": args,
        })
    }
}

/// The name of a process, or of a thread of it.
fn named(process: u64, thread: Option<u64>, name: &str) -> Value {
    let kind = match thread {
        Some(_) => "thread_name",
        None => "process_name",
    };
    json!({ "ph": "M", "name": kind, "pid": process, "tid": thread.unwrap_or(0), "args": { "name": name } })
}

fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}
