//! Where names are declared: within a module, by what it imports, or in the one module that declares such a name.
//!
//! Paths are resolved as the loader does it, but only among the modules of the reference: a path that leads elsewhere
//! has no link.

use super::Module;
use crate::{Entry, Import};
use std::collections::{BTreeMap, HashMap};

/// How many modules a name may be passed on through.
const DEEPEST: usize = 12;

/// A declaration: its module by number, and what it is called there; nothing for the module itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Target {
    pub module: usize,
    pub name: Option<String>,
}

/// All names of the reference.
pub(super) struct Names<'a> {
    modules: &'a [Module<'a>],
    by_path: HashMap<&'a str, usize>,
    /// The only declaration of each name; `None` where there are several.
    only: HashMap<&'a str, Option<usize>>,
    /// The best module to import a declaration from.
    best: BTreeMap<Target, usize>,
    /// The methods that other modules give a type: the module and the name of each.
    extended: BTreeMap<Target, Vec<(usize, String)>>,
}

impl<'a> Names<'a> {
    pub(super) fn of(modules: &'a [Module<'a>]) -> Names<'a> {
        let mut names = Names {
            modules,
            by_path: HashMap::new(),
            only: HashMap::new(),
            best: BTreeMap::new(),
            extended: BTreeMap::new(),
        };
        for (at, module) in modules.iter().enumerate() {
            names.by_path.insert(&module.source.module, at);
            for entry in shown(module) {
                let only = names.only.entry(&entry.name).or_insert(Some(at));
                if *only != Some(at) {
                    *only = None;
                }
            }
        }
        names.find_best();
        for at in 0..modules.len() {
            for method in names.given_methods(at) {
                let owner = method.owner.as_deref().unwrap_or_default();
                if let Some(target) = names.in_scope(at, owner, 0) {
                    names
                        .extended
                        .entry(target)
                        .or_default()
                        .push((at, method.name.clone()));
                }
            }
        }
        names
    }

    /// Notes for each declaration the shortest path among the packages around it that pass it on.
    fn find_best(&mut self) {
        let depth = |at: usize| self.modules[at].source.module.matches('.').count();
        let mut best: BTreeMap<Target, usize> = BTreeMap::new();
        for at in 0..self.modules.len() {
            for (name, target) in self.passed_on(at) {
                let own = &self.modules[target.module].source.module;
                let around = own.starts_with(&format!("{}.", self.modules[at].source.module));
                // A new name of it is another thing to import.
                if !around || target.name.as_ref() != Some(&name) {
                    continue;
                }
                let known = best.entry(target).or_insert(at);
                if depth(at) < depth(*known) {
                    *known = at;
                }
            }
        }
        self.best = best;
    }

    /// The methods that a module gives types of other modules, and built-in ones.
    pub(super) fn given_methods(&self, module: usize) -> Vec<&'a Entry> {
        let entries = self.modules[module].content.entries.iter();
        let given = |entry: &&Entry| {
            entry
                .owner
                .as_ref()
                .is_some_and(|owner| !self.declares(module, owner))
        };
        entries.filter(given).collect()
    }

    /// The methods that other modules give a type: the module and the name of each.
    pub(super) fn methods_elsewhere(&self, module: usize, name: &str) -> &[(usize, String)] {
        let target = Target {
            module,
            name: Some(name.to_owned()),
        };
        self.extended.get(&target).map_or(&[], Vec::as_slice)
    }

    /// The module from which a declaration is best imported.
    pub(super) fn import_from(&self, module: usize, name: &str) -> usize {
        let target = Target {
            module,
            name: Some(name.to_owned()),
        };
        self.best.get(&target).copied().unwrap_or(module)
    }

    /// What a module passes on from others: the name that it has here, and what it is.
    pub(super) fn passed_on(&self, module: usize) -> Vec<(String, Target)> {
        let mut found = Vec::new();
        self.collect_passed_on(module, &mut found, 0);
        let mut seen = std::collections::HashSet::new();
        found.retain(|(name, _)| seen.insert(name.clone()));
        found
    }

    fn collect_passed_on(&self, module: usize, found: &mut Vec<(String, Target)>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let exports = &self.modules[module].content.exports;
        for import in exports.imports.iter().filter(|import| import.exported) {
            match &import.names {
                Some(pairs) => {
                    for (name, called) in pairs {
                        if let Some(target) = self.imported(module, import, name, 0) {
                            found.push((called.clone(), target));
                        }
                    }
                }
                None => {
                    let Some(other) = self.module_of(module, import.dots, &import.path) else {
                        continue;
                    };
                    let own = shown(&self.modules[other]).map(|entry| entry.name.clone());
                    found.extend(own.map(|name| {
                        let target = Target {
                            module: other,
                            name: Some(name.clone()),
                        };
                        (name, target)
                    }));
                    self.collect_passed_on(other, found, depth + 1);
                }
            }
        }
        // `use .a.{f}` and `export f`.
        for name in &exports.listed {
            let own = self.declares(module, name);
            if let (false, Some(target)) = (own, self.in_scope(module, name, 0)) {
                found.push((name.clone(), target));
            }
        }
    }

    /// The module that a path in another module names.
    fn module_of(&self, from: usize, dots: u32, path: &[String]) -> Option<usize> {
        // The file of a folder may be named itself.
        let path = match path {
            [before @ .., last] if last == "mod" || last == "__init__" => before,
            path => path,
        };
        if dots == 0 {
            let path = match path {
                [lib, std, ..] if lib == "lib" && std == "std" => &path[1..],
                path => path,
            };
            let written = path.join(".");
            let beside = || {
                let folder = self.folder(from, 1)?;
                self.by_path.get(join(&folder, path).as_str())
            };
            let found = self.by_path.get(written.as_str()).or_else(beside);
            let std = || self.by_path.get(format!("std.{written}").as_str());
            return found.or_else(std).copied();
        }
        let folder = self.folder(from, dots)?;
        self.by_path.get(join(&folder, path).as_str()).copied()
    }

    /// The path of the folder that leading dots mean in a module.
    fn folder(&self, module: usize, dots: u32) -> Option<String> {
        let source = self.modules[module].source;
        let mut parts: Vec<&str> = source.module.split('.').collect();
        let up = dots as usize - usize::from(source.package);
        parts.truncate(parts.len().checked_sub(up)?);
        Some(parts.join("."))
    }

    fn imported(&self, from: usize, import: &Import, name: &str, depth: usize) -> Option<Target> {
        let mut whole = import.path.clone();
        whole.push(name.to_owned());
        let item = || {
            let other = self.module_of(from, import.dots, &import.path)?;
            self.in_module(other, name, depth + 1)
        };
        let module = || self.module_of(from, import.dots, &whole);
        item().or_else(|| module().map(|module| Target { module, name: None }))
    }

    /// What a name of another module is, which may pass it on.
    fn in_module(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        self.in_scope(module, name, depth)
    }

    fn declares(&self, module: usize, name: &str) -> bool {
        let content = &self.modules[module].content;
        let mut all = content.entries.iter().chain(&content.values);
        all.any(|entry| entry.owner.is_none() && entry.name == name)
    }

    fn in_scope(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        if depth > DEEPEST {
            return None;
        }
        let found = |module| Target {
            module,
            name: Some(name.to_owned()),
        };
        if self.declares(module, name) {
            return Some(found(module));
        }
        for import in &self.modules[module].content.exports.imports {
            let target = match &import.names {
                Some(pairs) => pairs
                    .iter()
                    .find(|(_, called)| called == name)
                    .and_then(|(name, _)| self.imported(module, import, name, depth + 1)),
                None => self
                    .module_of(module, import.dots, &import.path)
                    .filter(|other| *other != module)
                    .and_then(|other| self.in_scope(other, name, depth + 1)),
            };
            if target.is_some() {
                return target;
            }
        }
        None
    }

    /// What a name or path in the text of a module means, such as `Conv2d`, `Tensor.topk` or `lib.nn.conv`.
    pub(super) fn meant(&self, module: usize, written: &str) -> Option<Target> {
        if let Some(&module) = self.by_path.get(written) {
            return Some(Target { module, name: None });
        }
        let (owner, member) = match written.split_once('.') {
            Some((owner, member)) => (owner, Some(member)),
            None => (written, None),
        };
        let only = || {
            let module = (*self.only.get(owner)?)?;
            Some(Target {
                module,
                name: Some(owner.to_owned()),
            })
        };
        let target = self.in_scope(module, owner, 0).or_else(only)?;
        let Some(member) = member else {
            return self.has_page(&target).then_some(target);
        };
        let name = format!("{owner}.{member}");
        let content = &self.modules[target.module].content;
        let mut methods = content.entries.iter().filter(|entry| entry.owner.is_some());
        let own = methods.any(|entry| entry.full_name() == name);
        let module = match own {
            true => self.has_page(&target).then_some(target.module)?,
            false => {
                self.extended
                    .get(&target)?
                    .iter()
                    .find(|(_, it)| it == member)?
                    .0
            }
        };
        Some(Target {
            module,
            name: Some(name),
        })
    }

    /// Whether a declaration is shown: others may use it.
    fn has_page(&self, target: &Target) -> bool {
        match &target.name {
            None => true,
            Some(name) => self.modules[target.module].content.exports.shows(name),
        }
    }

    /// The address of a declaration.
    pub(super) fn link(&self, target: &Target) -> Option<String> {
        let first = target
            .name
            .as_ref()
            .map(|name| name.split('.').next().unwrap_or(name));
        let module = target.module;
        // A method of a type that another module declares is shown in any case.
        let elsewhere = first.is_some_and(|first| !self.declares(module, first));
        let whole = Target {
            module,
            name: first.map(str::to_owned),
        };
        if !elsewhere && !self.has_page(&whole) {
            return None;
        }
        let page = super::page_of(&self.modules[target.module].source.module);
        Some(match &target.name {
            Some(name) => format!("{page}#{name}"),
            None => page,
        })
    }
}

fn join(folder: &str, path: &[String]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    if !folder.is_empty() {
        parts.push(folder);
    }
    parts.extend(path.iter().map(String::as_str));
    parts.join(".")
}

/// The declarations of a module that others may use, without methods.
pub(super) fn shown<'a>(module: &'a Module<'_>) -> impl Iterator<Item = &'a Entry> {
    let content = &module.content;
    let all = content.entries.iter().chain(&content.values);
    all.filter(|entry| entry.owner.is_none() && content.exports.shows(&entry.name))
}
