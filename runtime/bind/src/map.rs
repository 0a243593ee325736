//! How types of C are written in Simple: one arm for each kind.
//!
//! Which structs are types of `@c` is decided in `records.rs`; what a whole declaration becomes in `bindings.rs`.

use crate::ctype::*;
use crate::origin::Origins;
use crate::reason::Reason;
use crate::records::{MOST_ELEMENTS, Member, Records, flattened};
use std::collections::{BTreeSet, HashSet};

/// Words in the name of a function that takes the address of an address to free what is there, not to fill it.
const FREEING: [&str; 7] = [
    "free", "destroy", "close", "release", "delete", "unref", "clear",
];

/// What names of parameters that are filled begin or end with.
const FILLED: [&str; 5] = ["out", "end", "endptr", "result", "ret"];

/// Names of parameters `T **` that are read: what a program was started with, and arrays.
const READ: [&str; 6] = ["argv", "envp", "environ", "list", "array", "items"];

/// Writes types.
pub struct Mapper<'a> {
    /// What is declared.
    pub unit: &'a Unit,
    /// Which structs are types of `@c`.
    pub records: Records<'a>,
    /// The names of structs, by their index.
    pub record_names: Vec<String>,
    /// The names of enums, by their index; those without one are numbers.
    pub enum_names: Vec<Option<String>>,
    /// Structs that something mentions, so that they must be declared.
    pub used_records: HashSet<usize>,
    /// Enums that something mentions.
    pub used_enums: HashSet<usize>,
    /// Complex numbers that something mentions.
    pub used_pairs: BTreeSet<&'static str>,
}

/// The structs of complex numbers: their names, what their two fields are, and what they are in C.
pub const PAIRS: [(&str, &str, Special); 2] = [
    ("complex_float", "f32", Special::COMPLEX_FLOAT),
    ("complex_double", "f64", Special::COMPLEX_DOUBLE),
];

/// A parameter in Simple.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Whether it comes back after the result.
    pub out: bool,
}

impl Mapper<'_> {
    /// A type where it is by value: a result, a field, what an address leads to.
    pub fn value(&mut self, ty: &CType) -> Result<String, Reason> {
        Ok(match ty {
            CType::Bool => "bool".to_owned(),
            CType::Char => "i8".to_owned(),
            CType::Int { bits, signed } => format!("{}{bits}", if *signed { 'i' } else { 'u' }),
            CType::Float => "f32".to_owned(),
            CType::Double => "f64".to_owned(),
            CType::Pointer { to, .. } => self.address(to, true),
            CType::Enum(index) => {
                self.used_enums.insert(*index);
                match &self.enum_names[*index] {
                    Some(name) => name.clone(),
                    None => return self.value(&self.unit.enums[*index].ctype()),
                }
            }
            CType::Record(index) => {
                self.records.possible(*index)?;
                self.used_records.insert(*index);
                self.record_names[*index].clone()
            }
            CType::Special(special) => {
                let pair = PAIRS.iter().find(|(.., pair)| pair == special);
                let (name, ..) = pair.ok_or_else(|| Reason::special(special.name))?;
                self.used_pairs.insert(name);
                (*name).to_owned()
            }
            CType::Array(..) => return Err(Reason::no_value("an array")),
            CType::Function(_) => return Err(Reason::no_value("a function")),
            CType::Void => return Err(Reason::no_value("`void`")),
        })
    }

    /// The address of something. Always possible: where nothing is known about what is there it is `Ptr<()>`.
    pub fn address(&mut self, to: &CType, nullable: bool) -> String {
        let mark = if nullable { "?" } else { "" };
        let item = match to {
            CType::Char => "u8".to_owned(),
            CType::Record(index) if !self.records.full.contains(index) => {
                self.used_records.insert(*index);
                return format!("{}{mark}", self.record_names[*index]);
            }
            CType::Array(..) => {
                let (item, _) = flattened(to);
                return self.address(&item.clone(), nullable);
            }
            CType::Void | CType::Function(_) => "()".to_owned(),
            other => self.value(other).unwrap_or_else(|_| "()".to_owned()),
        };
        format!("Ptr<{item}>{mark}")
    }

    /// A member of a struct or union: its type, or nothing if it takes no room.
    pub fn member(&mut self, field: &Field, union: bool) -> Result<Option<String>, Reason> {
        if union {
            let ty = self.value(&field.ty)?;
            let mark = if ty.ends_with('?') { "" } else { "?" };
            return Ok(Some(format!("{ty}{mark}")));
        }
        Ok(match self.records.member(field)? {
            Member::Plain(ty) => Some(self.value(&ty)?),
            Member::Inline(CType::Char, count) => Some(format!("[u8; {count}]")),
            Member::Inline(item, count) | Member::Bytes(item, count) => {
                Some(format!("[{}; {count}]", self.value(&item)?))
            }
            Member::Nothing => None,
        })
    }

    /// A variable that is an array.
    pub fn array(&mut self, ty: &CType) -> Result<String, Reason> {
        let (item, count) = flattened(ty);
        if count == 0 || count >= MOST_ELEMENTS || !self.records.is_flat(item) {
            return Err(Reason::array_variable());
        }
        let item = match item {
            CType::Char => "u8".to_owned(),
            item => self.value(item)?,
        };
        Ok(format!("[{item}; {count}]"))
    }

    /// A result; `None` for `void`.
    pub fn result(&mut self, ty: &CType, nullable: bool) -> Result<Option<String>, Reason> {
        match ty {
            CType::Void => Ok(None),
            CType::Pointer { to, constant } if is_text(to, *constant) => {
                Ok(Some(if nullable { "cstr?" } else { "cstr" }.to_owned()))
            }
            CType::Pointer { to, .. } => Ok(Some(self.address(to, nullable))),
            other => self.passed(other).map(Some),
        }
    }

    /// A type that is passed by value.
    fn passed(&mut self, ty: &CType) -> Result<String, Reason> {
        if let CType::Record(index) = ty {
            self.records.passed(*index)?;
        }
        self.value(ty)
    }

    /// A parameter of a function. `last` says that nothing follows it, `documented` that the header's text marks it as one
    /// that is filled.
    pub fn param(
        &mut self,
        function: &str,
        param: &CParam,
        nullable: bool,
        last: bool,
        documented: bool,
    ) -> Result<(String, bool), Reason> {
        if let (
            item @ (CType::Int { .. } | CType::Float | CType::Double | CType::Char),
            count @ 1..,
        ) = flattened(&param.ty)
            && matches!(param.ty, CType::Array(..))
        {
            let item = match item {
                CType::Char => "u8".to_owned(),
                item => self.value(item)?,
            };
            return Ok((format!("[{item}; {count}]"), false));
        }
        // `T *names[]` is an array by the header's own word.
        let last = last && !matches!(param.ty, CType::Array(..));
        let ty = param.ty.clone().decayed(param.constant);
        let CType::Pointer { to, constant } = &ty else {
            return self.passed(&ty).map(|ty| (ty, false));
        };
        Ok(match &**to {
            CType::Special(special) if *special == Special::VA_LIST => {
                return Err(Reason::special(special.name));
            }
            to if is_text(to, *constant) => {
                (if nullable { "cstr?" } else { "cstr" }.to_owned(), false)
            }
            CType::Function(called) => match self.callback(called) {
                Some(ty) if nullable => (format!("({ty})?"), false),
                Some(ty) => (ty, false),
                None => (self.address(to, nullable), false),
            },
            CType::Pointer { to: inner, constant: of_constants }
                // An address of addresses of constants is more often an array that is read.
                if !constant && is_filled(function, param.name.as_deref(), last && !of_constants, documented) =>
            {
                let ty = match is_text(inner, *of_constants) {
                    true => "cstr?".to_owned(),
                    false => self.address(inner, true),
                };
                (ty, true)
            }
            CType::Bool | CType::Int { .. } | CType::Float | CType::Double if documented => {
                (self.value(to)?, true)
            }
            to => (self.address(to, nullable), false),
        })
    }

    /// A function that C calls; `None` for one that Simple cannot offer.
    fn callback(&mut self, function: &CFunction) -> Option<String> {
        if function.variadic {
            return None;
        }
        let mut params = Vec::with_capacity(function.params.len());
        for param in &function.params {
            params.push(match param.ty.clone().decayed(param.constant) {
                CType::Pointer { to, .. } if *to == CType::Special(Special::VA_LIST) => {
                    return None;
                }
                CType::Pointer { to, constant } if is_text(&to, constant) => "cstr?".to_owned(),
                ty => self.passed(&ty).ok()?,
            });
        }
        let names = function.params.iter().map(|param| param.name.as_deref());
        let params: Vec<String> = match names.collect::<Option<Vec<&str>>>() {
            Some(names) if names.iter().all(|name| crate::names::is_name(name)) => {
                let named = names.iter().zip(&params);
                named.map(|(name, ty)| format!("{name}: {ty}")).collect()
            }
            _ => params,
        };
        let params = params.join(", ");
        match &function.result {
            CType::Void => Some(format!("fn({params})")),
            ty => Some(format!("fn({params}) -> {}", self.passed(ty).ok()?)),
        }
    }
}

/// Whether an address is that of a text that nobody changes.
fn is_text(to: &CType, constant: bool) -> bool {
    constant && *to == CType::Char
}

/// Whether a parameter `T **` is filled by the function: it is the last one or named so, and the function frees nothing.
fn is_filled(function: &str, name: Option<&str>, last: bool, documented: bool) -> bool {
    let function = function.to_ascii_lowercase();
    if FREEING.iter().any(|word| function.contains(word)) {
        return false;
    }
    let name = name.unwrap_or_default();
    let hungarian = ["pp", "pz"].iter().any(|start| {
        name.strip_prefix(start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    });
    let name = name.trim_matches('_').to_ascii_lowercase();
    let named = FILLED.iter().any(|word| {
        name == *word
            || name.starts_with(&format!("{word}_"))
            || name.ends_with(&format!("_{word}"))
    });
    documented || hungarian || named || (last && !READ.contains(&name.as_str()))
}

/// Gives every struct and enum a name: its typedef or tag, or that of the struct that contains it.
pub fn raw_names(unit: &Unit) -> (Vec<String>, Vec<Option<String>>) {
    let mut records: Vec<Option<String>> = unit
        .records
        .iter()
        .map(|record| record.alias.clone().or_else(|| record.tag.clone()))
        .collect();
    for (name, record) in records.iter_mut().zip(&unit.records) {
        *name = name.take().or_else(|| record.hint.clone());
    }
    for (index, record) in unit.records.iter().enumerate() {
        // The outer one comes first.
        let outer = records[index]
            .get_or_insert_with(|| "nameless".to_owned())
            .clone();
        for (at, field) in record.fields.iter().flatten().enumerate() {
            let mut ty = &field.ty;
            while let CType::Array(inner, _) | CType::Pointer { to: inner, .. } = ty {
                ty = inner;
            }
            if let CType::Record(inner) = ty
                && records[*inner].is_none()
            {
                let name = member_name(field, at);
                records[*inner] = Some(format!("{outer}_{name}"));
            }
        }
    }
    let enums = unit
        .enums
        .iter()
        .map(|item| item.alias.clone().or_else(|| item.tag.clone()))
        .collect();
    (records.into_iter().flatten().collect(), enums)
}

/// The name of a member; those of nameless structs inside are numbered.
pub fn member_name(field: &Field, at: usize) -> String {
    field
        .name
        .clone()
        .unwrap_or_else(|| format!("part{}", at + 1))
}

/// The name of a file as the bindings show it: without its folder.
pub fn file_name(origins: &Origins, place: Place) -> String {
    let name = origins.path(place.file).file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
