//! One file of the configuration: the keys at its top level, those of its `dl:` block, which win, and the blocks `training:` and
//! `inference:`.

use std::path::Path;

use sdn_parser::{Dict, Document, Entry, Node, NodeValue};
use simple_system::{in_words, open};

use super::{DlConfig, Place, Section, backend, value};

/// The keys of a `dl:` block and of the top level.
const KEYS: [&str; 11] = [
    "device",
    "dtype",
    "backend",
    "autograd",
    "amp",
    "seed",
    "debug_cuda",
    "deterministic",
    "cudnn_benchmark",
    "matmul_precision",
    "fallback",
];
/// The keys of `training:` and `inference:`.
const SECTION_KEYS: [&str; 8] = [
    "device",
    "dtype",
    "backend",
    "autograd",
    "amp",
    "seed",
    "batch_size",
    "gradient_checkpointing",
];
/// The blocks beside the keys of the top level.
const BLOCKS: [&str; 3] = ["dl", "training", "inference"];
/// A file of the configuration has a few lines; one that is far larger is something else.
const LARGEST_FILE: u64 = 1 << 20;

/// Reads a file into the configuration as layer number `layer`, if it is there.
pub(super) fn apply(
    config: &mut DlConfig,
    warnings: &mut Vec<String>,
    layer: usize,
    path: &Path,
) -> Result<(), String> {
    if std::fs::symlink_metadata(path)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Ok(());
    }
    let file = path.display().to_string();
    let text = open::read(path, LARGEST_FILE).and_then(open::text_of);
    let text = text.map_err(|error| format!("cannot read {file}: {}", in_words(&error)))?;
    let document =
        Document::parse_named(&text, file.as_str()).map_err(|error| error.to_string())?;
    Reader {
        config,
        warnings,
        layer,
        file: &file,
    }
    .read(&document.root)
}

struct Reader<'a> {
    config: &'a mut DlConfig,
    warnings: &'a mut Vec<String>,
    layer: usize,
    file: &'a str,
}

impl Reader<'_> {
    fn read(&mut self, root: &Node) -> Result<(), String> {
        let top = match &root.value {
            NodeValue::Null => return Ok(()),
            NodeValue::Dict(top) => top,
            _ => {
                return Err(self.at(
                    root,
                    format!(
                        "the file is {}, but keys such as `device: cpu` are needed",
                        value::kind(root)
                    ),
                ));
            }
        };
        for (key, entry) in top.iter() {
            if !BLOCKS.contains(&key) {
                self.setting(key, entry, &BLOCKS)?;
            }
        }
        if let Some(keys) = self.block(top, "dl")? {
            for (key, entry) in keys.iter() {
                self.setting(key, entry, &[])?;
            }
        }
        for name in ["training", "inference"] {
            if let Some(keys) = self.block(top, name)? {
                self.section(name, keys)?;
            }
        }
        Ok(())
    }

    /// The keys of a block, if the file has it.
    fn block<'d>(
        &self,
        top: &'d Dict<Entry>,
        name: &str,
    ) -> Result<Option<&'d Dict<Entry>>, String> {
        let Some(block) = top.get(name) else {
            return Ok(None);
        };
        match &block.node.value {
            NodeValue::Null => Ok(None),
            NodeValue::Dict(keys) => Ok(Some(keys)),
            _ => Err(format!(
                "{}:{}:{}: `{name}` is {}, but a block of keys such as `device: cpu` is needed",
                self.file,
                block.line,
                block.column,
                value::kind(&block.node)
            )),
        }
    }

    fn at(&self, node: &Node, what: impl std::fmt::Display) -> String {
        format!("{}:{}:{}: {what}", self.file, node.line, node.column)
    }

    fn unknown<'k>(
        &mut self,
        key: &str,
        entry: &Entry,
        known: impl Iterator<Item = &'k str> + Clone,
    ) {
        let hint = if BLOCKS.contains(&key) {
            format!("`{key}:` is a block of its own, at the top level of the file")
        } else {
            let in_capitals = known.clone().find(|known| known.eq_ignore_ascii_case(key));
            let near = in_capitals.or_else(|| simple_spelling::nearest(key, known.clone()));
            near.map_or_else(
                || format!("known keys: {}", known.collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean `{near}`?"),
            )
        };
        self.warnings.push(format!(
            "{}:{}:{}: unknown key `{key}` is ignored; {hint}",
            self.file, entry.line, entry.column
        ));
    }

    /// A key of the top level or of `dl:`.
    fn setting(&mut self, key: &str, entry: &Entry, blocks: &[&str]) -> Result<(), String> {
        let Some(known) = KEYS.into_iter().find(|known| *known == key) else {
            self.unknown(key, entry, KEYS.into_iter().chain(blocks.iter().copied()));
            return Ok(());
        };
        let node = &entry.node;
        self.set(known, node)
            .map_err(|reason| self.at(node, reason))?;
        let place = Place {
            layer: self.layer,
            shown: self.at(node, "").trim_end_matches(": ").to_owned(),
        };
        self.config.places.insert(known, place);
        Ok(())
    }

    fn set(&mut self, key: &str, node: &Node) -> Result<(), String> {
        let config = &mut *self.config;
        match key {
            "autograd" => config.autograd = value::truth(key, node)?,
            "amp" => config.amp = value::truth(key, node)?,
            "debug_cuda" => config.debug_cuda = value::truth(key, node)?,
            "deterministic" => config.deterministic = value::truth(key, node)?,
            "cudnn_benchmark" => config.cudnn_benchmark = value::truth(key, node)?,
            "matmul_precision" => config.matmul_precision = Some(value::precision(node)?),
            "fallback" => config.fallback = value::truth(key, node)?,
            "seed" => config.seed = value::seed(node)?,
            "device" => config.device = value::device(value::word(key, node)?)?,
            "dtype" => config.dtype = value::dtype(value::word(key, node)?)?,
            _ => config.backend = value::backend(value::word(key, node)?)?,
        }
        Ok(())
    }

    /// The keys of `training:` or `inference:`.
    fn section(&mut self, name: &str, keys: &Dict<Entry>) -> Result<(), String> {
        let mut section = match name {
            "training" => self.config.training.clone(),
            _ => self.config.inference.clone(),
        };
        for (key, entry) in keys.iter() {
            if !SECTION_KEYS.contains(&key) {
                self.unknown(key, entry, SECTION_KEYS.into_iter());
                continue;
            }
            let node = &entry.node;
            set_in_section(&mut section, key, node).map_err(|reason| self.at(node, reason))?;
            if key == "gradient_checkpointing" && section.gradient_checkpointing == Some(true) {
                let why = "`gradient_checkpointing: true` has no effect: the activations of a forward pass are kept until its backward pass";
                self.warnings.push(self.at(node, why));
            }
        }
        if let (Some(of), Some(device)) = (&section.backend, &section.device)
            && let Some(problem) = backend::disagreement(of, device)
        {
            let node = keys.get("backend").or_else(|| keys.get("device"));
            let place = node.map_or_else(
                || self.file.to_owned(),
                |entry| format!("{}:{}:{}", self.file, entry.line, entry.column),
            );
            return Err(format!("{place}: {problem}"));
        }
        match name {
            "training" => self.config.training = section,
            _ => self.config.inference = section,
        }
        Ok(())
    }
}

fn set_in_section(section: &mut Section, key: &str, node: &Node) -> Result<(), String> {
    match key {
        "autograd" => section.autograd = Some(value::truth(key, node)?),
        "amp" => section.amp = Some(value::truth(key, node)?),
        "seed" => section.seed = value::seed(node)?,
        "batch_size" => section.batch_size = Some(value::batch_size(node)?),
        "gradient_checkpointing" => {
            section.gradient_checkpointing = Some(value::truth(key, node)?);
        }
        "device" => section.device = Some(value::device(value::word(key, node)?)?),
        "dtype" => section.dtype = Some(value::dtype(value::word(key, node)?)?),
        _ => section.backend = Some(value::backend(value::word(key, node)?)?),
    }
    Ok(())
}
