//! What the debug information of a plain C library says about its functions, for `--check-ffi`.
//!
//! DWARF is read from the library itself, or from the separate file that `.gnu_debuglink` or the build number names; most installed
//! libraries have neither. Types are read as far as it matters how they cross: sizes, whether a number is a float, what is in a struct.
//! Nothing is opened or run. `compare.rs` compares a declaration with what is found here.

use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, RunTimeEndian, UnitOffset};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Where systems keep debug information apart from libraries.
const DEBUG_FOLDER: &str = "/usr/lib/debug";
/// Types that are nested deeper, and structs with more members, are not looked into.
const DEEPEST: usize = 24;
const MOST_MEMBERS: usize = 4096;

/// A function in C.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CFunction {
    pub params: Vec<CType>,
    pub result: CType,
    pub variadic: bool,
}

impl CFunction {
    /// The type of its address, as C writes it.
    fn name(&self) -> String {
        let params: Vec<&str> = self
            .params
            .iter()
            .map(|param| param.name.as_str())
            .collect();
        format!("{} (*)({})", self.result.name, params.join(", "))
    }
}

/// A type in C, with its name for messages.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CType {
    pub name: String,
    pub kind: CKind,
}

/// How a type of C crosses.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum CKind {
    Void,
    /// An integer, an enum or a truth value of so many bytes.
    Integer(u64),
    Float(u64),
    /// An address of this.
    Address(Box<CType>),
    /// A struct or union: its bytes, and where each scalar in a struct is: offset, bytes, whether it is a float.
    Record {
        bytes: u64,
        scalars: Option<Vec<(u64, u64, bool)>>,
    },
    Function(Box<CFunction>),
    /// A struct of which only the name is known, or what is not looked into.
    Unknown,
}

impl CType {
    fn void() -> CType {
        CType {
            name: "void".to_owned(),
            kind: CKind::Void,
        }
    }

    fn unknown() -> CType {
        CType {
            name: "...".to_owned(),
            kind: CKind::Unknown,
        }
    }

    /// Its bytes, if they are known.
    pub fn size(&self) -> Option<u64> {
        match &self.kind {
            CKind::Integer(bytes) | CKind::Float(bytes) | CKind::Record { bytes, .. } => {
                Some(*bytes)
            }
            CKind::Address(_) => Some(8),
            CKind::Void | CKind::Function(_) | CKind::Unknown => None,
        }
    }
}

/// What a library says of these functions, and in which file: those that it does not describe are left out.
pub(crate) fn functions(
    library: &Path,
    wanted: &HashSet<&str>,
) -> (HashMap<String, CFunction>, PathBuf) {
    let mut found = HashMap::new();
    for file in std::iter::once(library.to_owned()).chain(separate(library)) {
        // Damaged information says nothing.
        if let Ok(bytes) = std::fs::read(&file)
            && read(&bytes, wanted, &mut found).is_some()
            && !found.is_empty()
        {
            return (found, file);
        }
    }
    (found, library.to_owned())
}

/// The files that may have the debug information of a library.
fn separate(library: &Path) -> Vec<PathBuf> {
    let real = std::fs::canonicalize(library).unwrap_or_else(|_| library.to_owned());
    let mut files = Vec::new();
    let Ok(bytes) = std::fs::read(&real) else {
        return files;
    };
    let Ok(object) = object::File::parse(&*bytes) else {
        return files;
    };
    if let Ok(Some(id)) = object.build_id()
        && let Some((first, rest)) = id.split_first()
    {
        let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
        files.push(PathBuf::from(format!(
            "{DEBUG_FOLDER}/.build-id/{first:02x}/{rest}.debug"
        )));
    }
    if let (Ok(Some((name, _))), Some(folder)) = (object.gnu_debuglink(), real.parent())
        && let Ok(name) = std::str::from_utf8(name)
    {
        files.push(folder.join(name));
        files.push(folder.join(".debug").join(name));
        if let Ok(below) = folder.strip_prefix("/") {
            files.push(Path::new(DEBUG_FOLDER).join(below).join(name));
        }
    }
    files
}

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// Reads an object file. `None` where it has no information that can be read.
fn read(
    bytes: &[u8],
    wanted: &HashSet<&str>,
    found: &mut HashMap<String, CFunction>,
) -> Option<()> {
    let object = object::File::parse(bytes).ok()?;
    let endian = match object.is_little_endian() {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    };
    let sections = gimli::DwarfSections::load(|id| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let section = object.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        Ok(data.unwrap_or_default())
    })
    .ok()?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, endian));
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let reader = Reader {
            dwarf: &dwarf,
            unit: &unit,
        };
        let mut entries = unit.entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            // Functions of C are directly below the unit.
            if entry.tag() != gimli::DW_TAG_subprogram || entry.depth() != 1 {
                continue;
            }
            let external = matches!(
                entry.attr_value(gimli::DW_AT_external),
                Some(AttributeValue::Flag(true))
            );
            let Some(name) = reader
                .name(entry)
                .filter(|name| external && wanted.contains(name.as_str()))
            else {
                continue;
            };
            // A declaration without parameters may be one without a prototype.
            if let Some(function) = reader.function(entry, DEEPEST)
                && (entry.attr(gimli::DW_AT_declaration).is_none() || !found.contains_key(&name))
            {
                found.insert(name, function);
            }
        }
    }
    Some(())
}

/// Reads types of one unit.
struct Reader<'d, 'a> {
    dwarf: &'d gimli::Dwarf<Slice<'a>>,
    unit: &'d gimli::Unit<Slice<'a>>,
}

impl<'a> Reader<'_, 'a> {
    fn name(&self, entry: &Entry<'a>) -> Option<String> {
        let name = self
            .dwarf
            .attr_string(self.unit, entry.attr_value(gimli::DW_AT_name)?)
            .ok()?;
        Some(name.to_string_lossy().into_owned())
    }

    fn number(&self, entry: &Entry<'a>, attribute: gimli::DwAt) -> Option<u64> {
        entry.attr(attribute)?.udata_value()
    }

    /// A function, or the type of one; `None` for a declaration without a prototype.
    fn function(&self, entry: &Entry<'a>, depth: usize) -> Option<CFunction> {
        let prototyped = matches!(
            entry.attr_value(gimli::DW_AT_prototyped),
            Some(AttributeValue::Flag(true))
        );
        let mut function = CFunction {
            params: Vec::new(),
            result: self.type_of(entry, depth),
            variadic: false,
        };
        self.children(entry, |child| {
            match child.tag() {
                gimli::DW_TAG_formal_parameter => function.params.push(self.type_of(child, depth)),
                gimli::DW_TAG_unspecified_parameters => function.variadic = true,
                _ => {}
            }
            Some(())
        })?;
        (prototyped || !function.params.is_empty()).then_some(function)
    }

    /// Shows the entries directly below one.
    fn children(
        &self,
        entry: &Entry<'a>,
        mut visit: impl FnMut(&Entry<'a>) -> Option<()>,
    ) -> Option<()> {
        let mut tree = self.unit.entries_tree(Some(entry.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            visit(child.entry())?;
        }
        Some(())
    }

    /// The type that an entry refers to; `void` if it refers to none.
    fn type_of(&self, entry: &Entry<'a>, depth: usize) -> CType {
        match entry.attr_value(gimli::DW_AT_type) {
            None => CType::void(),
            Some(AttributeValue::UnitRef(offset)) if depth > 0 => self
                .type_at(offset, depth - 1)
                .unwrap_or_else(CType::unknown),
            Some(_) => CType::unknown(),
        }
    }

    fn type_at(&self, offset: UnitOffset, depth: usize) -> Option<CType> {
        let entry = self.unit.entry(offset).ok()?;
        let name = || self.name(&entry);
        let bytes = || self.number(&entry, gimli::DW_AT_byte_size);
        Some(match entry.tag() {
            gimli::DW_TAG_base_type => {
                let kind = match entry.attr_value(gimli::DW_AT_encoding)? {
                    AttributeValue::Encoding(gimli::DW_ATE_float) => CKind::Float(bytes()?),
                    AttributeValue::Encoding(gimli::DW_ATE_complex_float) => CKind::Unknown,
                    _ => CKind::Integer(bytes()?),
                };
                CType {
                    name: name()?,
                    kind,
                }
            }
            gimli::DW_TAG_enumeration_type => CType {
                name: format!("enum {}", name().unwrap_or_default()),
                kind: CKind::Integer(bytes()?),
            },
            gimli::DW_TAG_typedef => CType {
                name: name()?,
                ..self.type_of(&entry, depth)
            },
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => {
                let to = self.type_of(&entry, depth);
                CType {
                    name: match &to.kind {
                        CKind::Function(function) => function.name(),
                        _ => format!("{} *", to.name),
                    },
                    kind: CKind::Address(Box::new(to)),
                }
            }
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => self.type_of(&entry, depth),
            gimli::DW_TAG_subroutine_type => CType {
                name: "a function".to_owned(),
                kind: match self.function(&entry, depth) {
                    Some(function) => CKind::Function(Box::new(function)),
                    None => CKind::Unknown,
                },
            },
            tag @ (gimli::DW_TAG_structure_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_class_type) => {
                let union = tag == gimli::DW_TAG_union_type;
                let word = if union { "union" } else { "struct" };
                let kind = match bytes() {
                    Some(bytes) => {
                        let mut scalars = Vec::new();
                        let seen = !union && self.scalars(&entry, 0, depth, &mut scalars).is_some();
                        CKind::Record {
                            bytes,
                            scalars: seen.then_some(scalars),
                        }
                    }
                    None => CKind::Unknown,
                };
                CType {
                    name: name().map_or(word.to_owned(), |name| format!("{word} {name}")),
                    kind,
                }
            }
            _ => CType::unknown(),
        })
    }

    /// Where the scalars of a struct are, those of structs and arrays in it too; `None` if it has bit fields, unions or what is not known.
    fn scalars(
        &self,
        entry: &Entry<'a>,
        at: u64,
        depth: usize,
        out: &mut Vec<(u64, u64, bool)>,
    ) -> Option<()> {
        self.children(entry, |child| {
            if child.tag() != gimli::DW_TAG_member {
                return Some(());
            }
            if child.attr(gimli::DW_AT_bit_size).is_some() {
                return None;
            }
            let at = at + self.number(child, gimli::DW_AT_data_member_location)?;
            let Some(AttributeValue::UnitRef(offset)) = child.attr_value(gimli::DW_AT_type) else {
                return None;
            };
            self.member(offset, at, depth.checked_sub(1)?, out)
        })
    }

    fn member(
        &self,
        offset: UnitOffset,
        at: u64,
        depth: usize,
        out: &mut Vec<(u64, u64, bool)>,
    ) -> Option<()> {
        let entry = self.unit.entry(offset).ok()?;
        let below = || match entry.attr_value(gimli::DW_AT_type) {
            Some(AttributeValue::UnitRef(offset)) => Some(offset),
            _ => None,
        };
        match entry.tag() {
            gimli::DW_TAG_structure_type => self.scalars(&entry, at, depth, out),
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {
                self.member(below()?, at, depth.checked_sub(1)?, out)
            }
            gimli::DW_TAG_array_type => {
                let mut count = 1;
                self.children(&entry, |range| {
                    let of = |attribute| self.number(range, attribute);
                    count *= of(gimli::DW_AT_count)
                        .or_else(|| Some(of(gimli::DW_AT_upper_bound)? + 1))?;
                    Some(())
                })?;
                let first = out.len();
                self.member(below()?, at, depth.checked_sub(1)?, out)?;
                let size = self.type_at(below()?, depth)?.size()?;
                let item: Vec<(u64, u64, bool)> = out[first..].to_vec();
                if item.len() as u64 * count > MOST_MEMBERS as u64 {
                    return None;
                }
                for index in 1..count {
                    out.extend(
                        item.iter()
                            .map(|(at, bytes, float)| (at + index * size, *bytes, *float)),
                    );
                }
                Some(())
            }
            _ => {
                let ty = self.type_at(offset, depth)?;
                let float = matches!(ty.kind, CKind::Float(_));
                match ty.kind {
                    CKind::Integer(_) | CKind::Float(_) | CKind::Address(_) => {
                        out.push((at, ty.size()?, float))
                    }
                    _ => return None,
                }
                Some(())
            }
        }
    }
}
