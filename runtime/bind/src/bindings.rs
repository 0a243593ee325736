//! What a header becomes: the declarations of a module of Simple in order, and what is not among them.
//!
//! Types are written by `map.rs`, the text by `write.rs`; `module.rs` has what is made here.

use crate::ctype::*;
use crate::eval::Value;
use crate::map::{Mapper, PAIRS, Param, file_name, member_name, raw_names};
use crate::module::{Item, Module, Named};
use crate::names::Names;
use crate::reason::{Reason, Unbound};
use crate::records::{Records, is_internal};
use crate::{Header, LARGEST_HEADER, Meaning, Options, comments::Comments};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What is needed while declarations are made.
struct Maker<'a> {
    header: &'a Header,
    mapper: Mapper<'a>,
    names: Names,
    comments: HashMap<usize, Comments>,
    module: Module,
}

/// The bindings of a header.
pub fn module(header: &Header, options: &Options) -> Module {
    let own = |place: Place| header.own.get(place.file).copied().unwrap_or(false);
    let (record_names, enum_names) = raw_names(&header.unit);
    let mapper = Mapper {
        unit: &header.unit,
        records: Records::new(&header.unit, header.wrong.clone(), &own),
        record_names,
        enum_names,
        used_records: HashSet::new(),
        used_enums: HashSet::new(),
        used_pairs: BTreeSet::new(),
    };
    let mut maker = Maker {
        header,
        mapper,
        names: Names::default(),
        comments: HashMap::new(),
        module: Module::default(),
    };
    maker.make(options, &own);
    let place = |unbound: &Unbound| {
        let name = file_name(&header.origins, unbound.place);
        format!("{name}:{}", unbound.place.line)
    };
    let mut module = maker.module;
    module.unbound.sort_by_key(|unbound| unbound.place);
    module.places = module.unbound.iter().map(place).collect();
    module
}

impl Maker<'_> {
    fn make(&mut self, options: &Options, own: &dyn Fn(Place) -> bool) {
        let unit = &self.header.unit;
        // Names with two underscores are the compiler's and the library's own.
        let wanted = |decl: &&Decl| {
            own(decl.place) && !decl.name.starts_with("__") && options.wants(&decl.name)
        };
        let mut decls: Vec<Decl> = unit.decls.iter().filter(wanted).cloned().collect();
        self.rename(&mut decls, options);
        // Functions have their names first: the library knows them by these.
        let mut taken = Vec::new();
        for decl in &decls {
            taken.push(self.names.take(&decl.name));
        }
        for (name, ..) in PAIRS {
            self.names.take(name);
        }
        self.name_types(options, own);
        for (decl, name) in decls.iter().zip(taken) {
            self.declare(decl, name);
        }
        for broken in &unit.broken {
            if own(broken.place) && options.wants(&broken.name) && !broken.name.starts_with("__") {
                let reason = Reason::not_understood();
                self.leave_out(broken.place, &broken.name, broken.function, reason);
            }
        }
        // What the structs mention is used too.
        let mut written = HashSet::new();
        for (index, record) in unit.records.iter().enumerate() {
            let wanted = own(record.place) && options.wants(&self.mapper.record_names[index]);
            if wanted && self.mapper.records.full.contains(&index) {
                self.mapper.used_records.insert(index);
            }
        }
        loop {
            let used = self.mapper.used_records.iter().copied();
            let mut open: Vec<usize> = used.filter(|index| !written.contains(index)).collect();
            if open.is_empty() {
                break;
            }
            open.sort_unstable();
            for index in open {
                written.insert(index);
                self.record(index);
            }
        }
        self.enums(options, own);
        self.macros(options);
        self.hidden(options, own);
        self.pairs();
    }

    /// Macros that expand to another function or variable: C programs know it by the name of the macro.
    fn rename(&self, decls: &mut Vec<Decl>, options: &Options) {
        let unit = &self.header.unit;
        let by_name: HashMap<&str, &Decl> = unit
            .decls
            .iter()
            .map(|decl| (decl.name.as_str(), decl))
            .collect();
        for (known, meaning) in &self.header.macros {
            let Some(Meaning::Name(meant)) = meaning else {
                continue;
            };
            let Some(meant) = by_name.get(meant.as_str()) else {
                continue;
            };
            if known.name == meant.name || !options.wants(&known.name) {
                continue;
            }
            let renamed = Decl {
                name: known.name.clone(),
                symbol: Some(meant.symbol.clone().unwrap_or_else(|| meant.name.clone())),
                ..(*meant).clone()
            };
            match decls.iter_mut().find(|decl| decl.name == known.name) {
                Some(hidden) => *hidden = renamed,
                None => decls.push(renamed),
            }
        }
    }

    /// Types of the header that are not in the bindings, because nothing uses them and Simple cannot describe them.
    fn hidden(&mut self, options: &Options, own: &dyn Fn(Place) -> bool) {
        let header = self.header;
        for (index, record) in header.unit.records.iter().enumerate() {
            let name = match record.spelling() {
                Some(name) if own(record.place) && !is_internal(record) => name,
                _ => continue,
            };
            let bare = self.mapper.record_names[index].clone();
            let is_used = self.mapper.used_records.contains(&index);
            if bare.starts_with("__") || is_used || !options.wants(&bare) {
                continue;
            }
            let reason = match (&record.fields, self.mapper.records.possible(index)) {
                (None, _) => Reason::unused(),
                (_, Err(reason)) => reason,
                (_, Ok(())) => continue,
            };
            self.leave_out(record.place, &name, false, reason);
        }
    }

    /// The structs of the complex numbers that are used.
    fn pairs(&mut self) {
        let used = PAIRS
            .iter()
            .filter(|(name, ..)| self.mapper.used_pairs.contains(name));
        for (name, part, special) in used {
            let field = |name: &str| (name.to_owned(), (*part).to_owned(), None);
            let item = Item::Record {
                union: false,
                fields: vec![field("re"), field("im")],
            };
            self.module.types.push(Named {
                name: (*name).to_owned(),
                docs: Some(format!("`{}` of C.", special.name)),
                item,
            });
        }
    }

    fn leave_out(&mut self, place: Place, name: &str, function: bool, reason: Reason) {
        self.module.unbound.push(Unbound {
            place,
            name: name.to_owned(),
            function,
            reason,
        });
    }

    /// Gives types names that nothing else has.
    fn name_types(&mut self, options: &Options, own: &dyn Fn(Place) -> bool) {
        for (index, record) in self.header.unit.records.iter().enumerate() {
            let word = if record.union { "union" } else { "struct" };
            let name = &mut self.mapper.record_names[index];
            // Thousands of system types that nothing uses need no names of their own.
            if own(record.place) || !name.starts_with("__") {
                *name = self.names.take_type(name, word);
            }
        }
        for (index, item) in self.header.unit.enums.iter().enumerate() {
            let Some(name) = &mut self.mapper.enum_names[index] else {
                continue;
            };
            *name = self.names.take_type(name, "enum");
            let as_enum = options.enums && is_distinct(item);
            if !as_enum && !own(item.place) {
                self.mapper.enum_names[index] = None;
            }
        }
    }

    fn declare(&mut self, decl: &Decl, name: Option<String>) {
        if let DeclKind::Own { ty, value } = &decl.kind {
            return self.own_constant(decl, name, ty, value.as_ref());
        }
        // Code in the header is not a function of the library.
        let is_function = matches!(decl.kind, DeclKind::Function { inline: false, .. });
        let item = match name {
            Some(_) => self.item(decl),
            None => Err(Reason::taken()),
        };
        match (item, name) {
            (Ok(mut item), Some(name)) => {
                if let Item::Function { symbol, .. } | Item::Variable { symbol, .. } = &mut item
                    && symbol.is_none()
                    && name != decl.name
                {
                    *symbol = Some(decl.name.clone());
                }
                let docs = self.about(decl.place, decl.end);
                self.module.functions.push(Named { name, docs, item });
            }
            (Err(reason), _) => self.leave_out(decl.place, &decl.name, is_function, reason),
            (Ok(_), None) => {}
        }
    }

    /// A `static const` of the header.
    fn own_constant(
        &mut self,
        decl: &Decl,
        name: Option<String>,
        ty: &CType,
        value: Option<&Value>,
    ) {
        let written = value.and_then(literal).and_then(|(kind, value)| match ty {
            CType::Bool => Some(("bool".to_owned(), (value != "0").to_string())),
            CType::Array(..) | CType::Pointer { .. } => Some((kind, value)),
            ty => self.mapper.value(ty).ok().map(|ty| (ty, value)),
        });
        match (written, name) {
            (Some((ty, value)), Some(name)) => {
                let docs = self.about(decl.place, decl.end);
                let item = Item::Const { ty, value };
                self.module.constants.push(Named { name, docs, item });
            }
            (None, _) => self.leave_out(decl.place, &decl.name, false, Reason::own_variable()),
            (Some(_), None) => self.leave_out(decl.place, &decl.name, false, Reason::taken()),
        }
    }

    fn item(&mut self, decl: &Decl) -> Result<Item, Reason> {
        let symbol = decl.symbol.clone().filter(|symbol| *symbol != decl.name);
        match &decl.kind {
            DeclKind::Function { inline: true, .. } => Err(Reason::inline()),
            DeclKind::Function {
                ty,
                nonnull,
                returns_nonnull,
                ..
            } => {
                let docs = self.about(decl.place, decl.end).unwrap_or_default();
                let mut params: Vec<Param> = Vec::new();
                for (index, param) in ty.params.iter().enumerate() {
                    let last = index + 1 == ty.params.len() && index > 0;
                    let written = param.name.as_deref().unwrap_or_default();
                    let documented = is_documented_out(&docs, written);
                    let nullable = !nonnull.has(index);
                    let mapped = self
                        .mapper
                        .param(&decl.name, param, nullable, last, documented);
                    let (ty, out) = mapped.map_err(|reason| match written {
                        "" => reason.of(&format!("parameter {}", index + 1)),
                        name => reason.of(&format!("`{name}`")),
                    })?;
                    let name = self.param_name(written, index, &params);
                    params.push(Param { name, ty, out });
                }
                let result = self.mapper.result(&ty.result, !returns_nonnull);
                Ok(Item::Function {
                    symbol,
                    params,
                    variadic: ty.variadic,
                    result: result.map_err(|reason| reason.of("the result"))?,
                })
            }
            DeclKind::Variable {
                thread_local: true, ..
            } => Err(Reason::thread_local()),
            DeclKind::Own { .. } => Err(Reason::own_variable()),
            DeclKind::Variable {
                ty: ty @ CType::Array(..),
                constant,
                ..
            } => Ok(Item::Variable {
                symbol,
                ty: self.mapper.array(ty)?,
                mutable: !constant,
            }),
            DeclKind::Variable { ty, constant, .. } => {
                let written = match (ty, constant) {
                    (CType::Pointer { .. }, true) => self.mapper.result(ty, true)?,
                    _ => None,
                };
                let ty = match written {
                    Some(text) => text,
                    None => self.mapper.value(ty)?,
                };
                Ok(Item::Variable {
                    symbol,
                    ty,
                    mutable: !constant,
                })
            }
        }
    }

    fn param_name(&mut self, written: &str, index: usize, before: &[Param]) -> String {
        let mut name = match written.trim_start_matches('_') {
            "" => format!("p{}", index + 1),
            bare if bare.starts_with(|c: char| c.is_ascii_digit()) => format!("p{bare}"),
            bare => self.names.plain(bare),
        };
        while before.iter().any(|param| param.name == name) {
            name.push('_');
        }
        name
    }

    fn record(&mut self, index: usize) {
        let record = &self.header.unit.records[index];
        let name = self.mapper.record_names[index].clone();
        let docs = self.about(record.place, record.place);
        if !self.mapper.records.full.contains(&index) {
            let item = Item::Opaque;
            self.module.types.push(Named { name, docs, item });
            return;
        }
        let mut fields: Vec<(String, String, Option<String>)> = Vec::new();
        for (at, field) in record.fields.iter().flatten().enumerate() {
            let Ok(Some(ty)) = self.mapper.member(field, record.union) else {
                let whole = format!("{name}.{}", member_name(field, at));
                self.leave_out(field.place, &whole, false, Reason::no_room());
                continue;
            };
            let mut name = self.names.plain(&member_name(field, at));
            while fields.iter().any(|(known, ..)| *known == name) {
                name.push('_');
            }
            let docs = self.beside(field.place);
            fields.push((name, ty, docs));
        }
        let item = Item::Record {
            union: record.union,
            fields,
        };
        self.module.types.push(Named { name, docs, item });
    }

    fn enums(&mut self, options: &Options, own: &dyn Fn(Place) -> bool) {
        for (index, item) in self.header.unit.enums.iter().enumerate() {
            let used = self.mapper.used_enums.contains(&index);
            let named = self.mapper.enum_names[index].as_deref();
            let asked = named.is_some_and(|name| options.wants(name));
            let some = item.values.iter().any(|(name, ..)| options.wants(name));
            if !used && !(own(item.place) && (asked || some)) {
                continue;
            }
            let docs = self.about(item.place, item.place);
            let name = self.mapper.enum_names[index].clone();
            let documented = |maker: &mut Self, place| {
                maker
                    .beside(place)
                    .filter(|text| Some(text) != docs.as_ref())
            };
            if let Some(name) = name.clone()
                && options.enums
                && is_distinct(item)
            {
                let mut variants = Vec::new();
                for (variant, value, place) in &item.values {
                    let variant = self.names.plain(variant);
                    variants.push((variant, *value, documented(self, *place)));
                }
                let item = Item::Enum(variants);
                self.module.types.push(Named { name, docs, item });
                continue;
            }
            let ty = item.ctype();
            // `unsigned int` in C; `int` has the values too, and is what other integers of headers are.
            let narrow = item
                .values
                .iter()
                .all(|(_, value, _)| i32::try_from(*value).is_ok());
            let ty = match narrow {
                true => CType::INT,
                false => ty,
            };
            let Ok(ty) = self.mapper.value(&ty) else {
                continue;
            };
            if let Some(name) = name.filter(|_| asked || used) {
                let item = Item::Alias(ty.clone());
                self.module.types.push(Named {
                    name,
                    docs: docs.clone(),
                    item,
                });
            }
            if !own(item.place) {
                continue;
            }
            let wanted = item
                .values
                .iter()
                .filter(|(name, ..)| asked || used || options.wants(name));
            for (name, value, place) in wanted {
                let docs = documented(self, *place);
                self.constant(*place, name, docs, ty.clone(), value.to_string());
            }
        }
    }

    fn macros(&mut self, options: &Options) {
        let header = self.header;
        let wanted = header
            .macros
            .iter()
            .filter(|(known, _)| options.wants(&known.name));
        for (known, value) in wanted {
            let reason = match (known.function, value) {
                (true, _) => Reason::function_macro(),
                (false, None) => Reason::no_constant(),
                // It is a function or a variable of the bindings, if that can be one.
                (false, Some(Meaning::Name(_))) => continue,
                (false, Some(Meaning::Value(value))) => match literal(value) {
                    Some((ty, value)) => {
                        let docs = self.beside(known.place);
                        self.constant(known.place, &known.name, docs, ty, value);
                        continue;
                    }
                    None => Reason::no_constant(),
                },
            };
            self.leave_out(known.place, &known.name, false, reason);
        }
    }

    fn constant(
        &mut self,
        place: Place,
        name: &str,
        docs: Option<String>,
        ty: String,
        value: String,
    ) {
        let Some(taken) = self.names.take(name) else {
            // `#define NAME NAME` beside an enumerator, or a macro of a function's name.
            let constants = &self.module.constants;
            if !constants.iter().any(|known| known.name == name) {
                self.leave_out(place, name, false, Reason::taken());
            }
            return;
        };
        let item = Item::Const { ty, value };
        let name = taken;
        self.module.constants.push(Named { name, docs, item });
    }

    fn about(&mut self, first: Place, last: Place) -> Option<String> {
        let last = if last.file == first.file {
            last.line
        } else {
            first.line
        };
        let text = self.comments(first.file).about(first.line, last)?;
        Some(text.to_owned())
    }

    fn beside(&mut self, place: Place) -> Option<String> {
        let text = self.comments(place.file).beside(place.line)?;
        Some(text.to_owned())
    }

    fn comments(&mut self, file: usize) -> &Comments {
        let path = self.header.origins.path(file);
        self.comments.entry(file).or_insert_with(|| {
            // Without the header's text there is no documentation, but the bindings are made.
            let bytes = simple_system::open::read(path, LARGEST_HEADER).unwrap_or_default();
            Comments::of(&String::from_utf8_lossy(&bytes))
        })
    }
}

/// Whether documentation says that a parameter is filled, as Doxygen writes it.
fn is_documented_out(docs: &str, name: &str) -> bool {
    !name.is_empty()
        && docs.split("param[out]").skip(1).any(|after| {
            let word = after.split_whitespace().next().unwrap_or_default();
            word.trim_matches(|c: char| !(c == '_' || c.is_alphanumeric())) == name
        })
}

/// Whether an enum can be one of `@c`: no two constants have the same value, and `int` has them all.
fn is_distinct(item: &Enum) -> bool {
    let mut seen = HashSet::new();
    let fits = |value: i64| i32::try_from(value).is_ok();
    !item.values.is_empty()
        && item
            .values
            .iter()
            .all(|(_, value, _)| fits(*value) && seen.insert(*value))
}

/// A value as Simple writes it, with its type.
fn literal(value: &Value) -> Option<(String, String)> {
    match value {
        Value::Int {
            value,
            bits,
            signed,
        } => {
            let sign = if *signed { 'i' } else { 'u' };
            Some((format!("{sign}{bits}"), value.to_string()))
        }
        Value::Float(value) if value.is_finite() => Some(("f64".to_owned(), format!("{value:?}"))),
        Value::Float(_) => None,
        Value::Text(text) => {
            let mut out = String::from("\"");
            for c in text.chars() {
                match c {
                    '"' | '\\' => out.extend(['\\', c]),
                    '\n' => out.push_str("\\n"),
                    '\t' => out.push_str("\\t"),
                    '{' | '}' => out.extend([c, c]),
                    c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                    c => out.push(c),
                }
            }
            out.push('"');
            Some(("text".to_owned(), out))
        }
    }
}
