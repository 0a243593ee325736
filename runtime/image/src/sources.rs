//! Of the texts of a program's modules what its errors can show: the lines that a site is in. An executable carries
//! no more of them.
//!
//! Line numbers and columns stay as they are. The lines that are left out are empty; sites get the places that they
//! have in what remains.

use crate::form::Image;
use simple_syntax::{FileId, SourceMap, Span};
use std::collections::BTreeSet;

/// The texts that belong to the image's sites, which from now on refer to them and no more to `sources`.
pub fn shown_sources(image: &mut Image, sources: &SourceMap) -> SourceMap {
    let count = sources.files().count();
    let mut lines: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
    for site in &image.sites {
        let span = site.span;
        if let Some(lines) = lines.get_mut(span.file.0 as usize) {
            lines.insert(sources.position(span).line);
        }
    }
    let mut shown = SourceMap::default();
    // Per file: where each kept line was and where it is, in order.
    let mut moved: Vec<Vec<(u32, u32)>> = Vec::with_capacity(count);
    for (id, file) in sources.files() {
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut start = 0;
        let last = lines[id.0 as usize].last().copied().unwrap_or(0);
        for (line, content) in (1..=last).zip(file.text.split_inclusive('\n')) {
            if lines[id.0 as usize].contains(&line) {
                places.push((start, text.len() as u32));
                text.push_str(content);
            } else {
                text.push('\n');
            }
            start += content.len() as u32;
        }
        let new = shown.add(file.path.clone(), text);
        if file.library {
            shown.mark_library(new);
        }
        moved.push(places);
    }
    for site in &mut image.sites {
        site.span = moved_span(site.span, &moved);
    }
    shown
}

/// A span of a kept line, in what remains of its file.
fn moved_span(span: Span, moved: &[Vec<(u32, u32)>]) -> Span {
    let FileId(file) = span.file;
    let Some(places) = moved.get(file as usize) else {
        return span;
    };
    let at = places.partition_point(|&(was, _)| was <= span.lo);
    let Some(&(was, is)) = at.checked_sub(1).and_then(|at| places.get(at)) else {
        return span;
    };
    Span {
        lo: span.lo - was + is,
        hi: (span.hi - was) + is,
        ..span
    }
}
