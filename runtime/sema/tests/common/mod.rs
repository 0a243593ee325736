//! What the tests share: a loader over a map, signatures over a list, rendered diagnostics, a compact dump.

#![allow(dead_code, reason = "each test program uses its own part of this")]

pub mod dump;
pub mod marks;

use simple_ffi_abi::contract::Contract;
use simple_ffi_abi::signature::Signature;
use simple_ffi_abi::{SffiFailure, effects};
use simple_sema::loader::*;
use simple_sema::{CheckOptions, Checked, check};
use simple_syntax::{Severity, SourceMap};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Modules by path. `std.x` is found as `lib/std/x.spl`; everything else beside the importer, then at the top.
#[derive(Default)]
pub struct MapLoader {
    pub files: BTreeMap<String, String>,
}

impl MapLoader {
    fn paths(request: ModuleRequest<'_>) -> Vec<String> {
        let tail = request.segments.join("/").replace("std/src/", "std/");
        let folder = request
            .importer
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let mut roots: Vec<String> = Vec::new();
        match request.dots {
            0 if request.segments.first() == Some(&"std") => roots.push("lib/".into()),
            0 => roots.extend([
                if folder.is_empty() {
                    String::new()
                } else {
                    format!("{folder}/")
                },
                String::new(),
            ]),
            1 => roots.push(if folder.is_empty() {
                String::new()
            } else {
                format!("{folder}/")
            }),
            _ => roots.push(
                folder
                    .rsplit_once('/')
                    .map_or(String::new(), |(up, _)| format!("{up}/")),
            ),
        }
        roots
            .iter()
            .flat_map(|root| {
                let at = format!("{root}{tail}");
                [
                    format!("{at}/__init__.spl"),
                    format!("{at}/mod.spl"),
                    format!("{at}.spl"),
                ]
            })
            .collect()
    }
}

impl SourceLoader for MapLoader {
    fn find(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        let mut paths = MapLoader::paths(request).into_iter();
        let path = paths.find(|path| self.files.contains_key(path))?;
        Some(FoundModule {
            library: path.starts_with("lib/"),
            path,
        })
    }

    fn read(&self, path: &str) -> Result<String, String> {
        self.files.get(path).cloned().ok_or_else(String::new)
    }

    fn searched(&self, request: ModuleRequest<'_>) -> Vec<String> {
        MapLoader::paths(request)
    }

    fn candidates(&self, _: ModuleRequest<'_>) -> Vec<String> {
        self.files
            .keys()
            .map(|path| path.trim_end_matches(".spl").replace('/', "."))
            .collect()
    }
}

/// Signatures that the tests take as known.
pub struct Known;

impl ExternSignatures for Known {
    fn lookup(&self, symbol: &str, _: Option<&str>) -> ExternLookup {
        let known = |params: &[&str], ret: &str| ExternLookup::Known {
            origin: "the runtime".to_owned(),
            signature: Signature {
                params: params.iter().map(|p| (*p).to_owned()).collect(),
                result: ret.to_owned(),
                contract: Contract {
                    failure: SffiFailure::Value,
                    failure_value: 0,
                    effects: match symbol {
                        "rt_torch_torchtensor_item" => effects::READS,
                        _ => effects::PURE,
                    },
                    absent: None,
                },
            },
        };
        match symbol {
            "rt_math_sqrt" => known(&["f64"], "f64"),
            "rt_torch_version" => known(&[], "text"),
            "rt_torch_tensor_zeros" => known(&["[i64]"], "i64"),
            "rt_torch_torchtensor_item" => known(&["i64"], "f64"),
            "sys_get_args" => known(&[], "[text]"),
            _ => ExternLookup::Unknown,
        }
    }

    fn is_plain(&self, library: &str) -> bool {
        library == "c"
    }

    fn gone(&self, symbol: &str) -> Option<Gone> {
        let message = "libtorch 2.15.0 has no `cholesky`".to_owned();
        let help = "`linalg_cholesky` does the same".to_owned();
        (symbol == "rt_torch_cholesky").then_some(Gone { message, help })
    }
}

/// Splits a golden source into files at `#=== file NAME` lines; the first is `main.spl`. `std.tensors` is there for all.
pub fn split_files(source: &str) -> (String, MapLoader) {
    let mut loader = MapLoader::default();
    let mut name = "main.spl".to_owned();
    let mut text = String::new();
    for line in source.split_inclusive('\n') {
        match line.strip_prefix("#=== file ") {
            Some(next) => {
                loader.files.insert(
                    std::mem::replace(&mut name, next.trim().to_owned()),
                    std::mem::take(&mut text),
                );
            }
            None => text.push_str(line),
        }
    }
    loader.files.insert(name, text);
    loader.files.insert(
        "lib/std/tensors.spl".to_owned(),
        include_str!("tensors.spl").to_owned(),
    );
    let root = loader.files.get("main.spl").cloned().unwrap_or_default();
    (root, loader)
}

/// Checks a source that may hold several files, on a thread with room for deep trees.
pub fn run(source: &str) -> Checked {
    run_with(source, CheckOptions::default())
}

/// The same with options.
#[allow(dead_code, reason = "not every test needs it")]
pub fn run_with(source: &str, options: CheckOptions) -> Checked {
    let source = source.to_owned();
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || {
            let (text, loader) = split_files(&source);
            let root = LoadedSource {
                path: "main.spl".into(),
                text,
                library: false,
            };
            check(root, &loader, &Known, options)
        })
        .expect("a thread starts")
        .join()
        .expect("the checker does not panic")
}

/// The diagnostics as text.
pub fn render(checked: &Checked) -> String {
    let mut out = String::new();
    for d in &checked.diagnostics {
        let at = |map: &SourceMap, span| {
            let place = map.position(span);
            format!(
                "{}:{}:{}",
                map.file(span.file).path,
                place.line,
                place.column
            )
        };
        let severity = if d.severity == Severity::Error {
            "error"
        } else {
            "warning"
        };
        let _ = writeln!(
            out,
            "{severity}[{}] {} {}",
            d.code,
            at(&checked.sources, d.span),
            d.message
        );
        for (span, text) in &d.related {
            let _ = writeln!(out, "  at {} {text}", at(&checked.sources, *span));
        }
        let facts = [("found", &d.found), ("expected", &d.expected)];
        for (name, fact) in facts {
            if let Some(fact) = fact {
                let _ = writeln!(out, "  {name}: {fact}");
            }
        }
        for note in &d.notes {
            let _ = writeln!(out, "  note: {note}");
        }
        if let Some(help) = &d.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}
