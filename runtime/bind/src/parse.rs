//! From the tree of the C parser to what is declared, with typedefs, tags and enumerators resolved.
//!
//! The grammar is the parser crate's work (`tree.rs`); values of constant expressions are in `eval.rs`.

use crate::attributes::{UNKNOWN, attributes, collect_extensions, extended, has_attribute};
use crate::ctype::*;
use crate::eval::Value;
use crate::origin::Origins;
use crate::tree::{BUILTIN_TYPES, Tree, Trees};
use lang_c::ast::*;
use lang_c::span::{Node, Span};
use std::collections::HashMap;

/// Reads declarations and keeps what names mean.
pub struct Reader<'a> {
    pub(crate) unit: Unit,
    pub(crate) constants: HashMap<String, i64>,
    typedefs: HashMap<String, (CType, bool)>,
    tags: HashMap<String, CType>,
    names: HashMap<String, usize>,
    origins: &'a Origins,
    /// What must be added to an offset in the tree that is read for the offset in the text.
    base: usize,
}

/// Where offsets in the texts of macros begin, after those of every text.
const MACROS: usize = usize::MAX / 2;

/// What the specifiers of a declaration say.
struct Specifiers<'t> {
    ty: (CType, bool),
    typedef: bool,
    is_static: bool,
    thread_local: bool,
    extensions: Vec<&'t Extension>,
}

impl<'a> Reader<'a> {
    /// A reader that knows nothing yet.
    pub fn new(origins: &'a Origins) -> Reader<'a> {
        let builtin = BUILTIN_TYPES.map(|(name, size)| {
            let align = size.min(16);
            let special = match name {
                "__builtin_va_list" => Special::VA_LIST,
                name => Special { name, size, align },
            };
            (name.to_owned(), (CType::Special(special), false))
        });
        Reader {
            unit: Unit::default(),
            constants: HashMap::new(),
            typedefs: HashMap::from(builtin),
            tags: HashMap::new(),
            names: HashMap::new(),
            origins,
            base: 0,
        }
    }

    /// Whether a name is that of a function or a variable of a library.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        let found = self.names.get(name).map(|at| &self.unit.decls[*at].kind);
        matches!(found, Some(kind) if !matches!(kind, DeclKind::Own { .. }))
    }

    /// Whether a name is a typedef.
    pub fn is_typedef(&self, name: &str) -> bool {
        self.typedefs.contains_key(name)
    }

    /// Reads everything that is declared.
    pub fn read(&mut self, trees: &Trees) {
        for tree in &trees.trees {
            self.read_tree(tree, trees);
        }
    }

    fn read_tree(&mut self, tree: &Tree, trees: &Trees) {
        self.base = tree.base;
        for external in tree.unit.0.iter().skip(tree.known) {
            match &external.node {
                ExternalDeclaration::Declaration(declaration) => {
                    let defined = trees.is_defined(self.offset(external.span.start));
                    self.declaration(&declaration.node, external.span, defined);
                }
                ExternalDeclaration::FunctionDefinition(function) => {
                    let function = &function.node;
                    let specifiers = self.declaration_specifiers(&function.specifiers);
                    let declarator = &function.declarator.node;
                    self.declarator(declarator, None, specifiers, external.span, true);
                }
                ExternalDeclaration::StaticAssert(_) => {}
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration, span: Span, defined: bool) {
        let mut count = 0;
        loop {
            // Read again for each declarator: a struct in it is known by its tag or place then.
            let specifiers = self.declaration_specifiers(&declaration.specifiers);
            let Some(declarator) = declaration.declarators.get(count) else {
                return;
            };
            let InitDeclarator {
                declarator,
                initializer,
            } = &declarator.node;
            let initializer = initializer.as_ref().map(|initializer| &initializer.node);
            self.declarator(&declarator.node, initializer, specifiers, span, defined);
            count += 1;
        }
    }

    fn declarator(
        &mut self,
        declarator: &Declarator,
        initializer: Option<&Initializer>,
        specifiers: Specifiers,
        span: Span,
        defined: bool,
    ) {
        let (base, constant) = specifiers.ty;
        let (name, ty, constant) = self.declared(declarator, base, constant);
        let Some(name) = name else { return };
        let mut extensions = specifiers.extensions;
        collect_extensions(declarator, &mut extensions);
        if specifiers.typedef {
            match &ty {
                CType::Record(index) => set_alias(&mut self.unit.records[*index].alias, &name),
                CType::Enum(index) => set_alias(&mut self.unit.enums[*index].alias, &name),
                CType::Pointer { to, .. } => {
                    if let CType::Record(index) = **to {
                        set_alias(&mut self.unit.records[index].hint, &name);
                    }
                }
                _ => {}
            }
            self.typedefs.insert(name, (ty, constant));
            return;
        }
        let kind = match ty {
            CType::Function(function) => DeclKind::Function {
                ty: *function,
                inline: defined || specifiers.is_static,
                nonnull: self.nonnull(&extensions),
                returns_nonnull: has_attribute(&extensions, "returns_nonnull"),
            },
            ty if specifiers.is_static => {
                let value = match (initializer, constant) {
                    (Some(Initializer::Expression(value)), true) => self.value(&value.node),
                    _ => None,
                };
                DeclKind::Own {
                    value: value.and_then(|value| self.converted(&ty, value)),
                    ty,
                }
            }
            ty => DeclKind::Variable {
                ty,
                constant,
                thread_local: specifiers.thread_local,
            },
        };
        let symbol = extensions.iter().find_map(|extension| match extension {
            Extension::AsmLabel(label) => Some(label.node.concat().replace('"', "")),
            _ => None,
        });
        let end = self.place(span.end.saturating_sub(1));
        let place = self.place(span.start);
        self.declare(Decl {
            name,
            kind,
            symbol,
            place,
            end,
        });
    }

    /// The value that a constant has by its initializer: a number, or the text of an array of `char` or of a `char *`.
    fn converted(&self, ty: &CType, value: Value) -> Option<Value> {
        let is_char = |ty: &CType| *ty == CType::Char;
        match (ty, &value) {
            (CType::Array(item, _) | CType::Pointer { to: item, .. }, Value::Text(_)) => {
                is_char(item).then_some(value)
            }
            (CType::Array(..) | CType::Pointer { .. }, _) => None,
            _ => self.cast(ty, value),
        }
    }

    /// The offset in the whole text of one in the tree that is read.
    fn offset(&self, offset: usize) -> usize {
        offset.wrapping_add(self.base)
    }

    fn place(&self, offset: usize) -> Place {
        self.origins.place(self.offset(offset))
    }

    /// Notes a declaration. A name that is declared again keeps its first place, and what any of them says.
    fn declare(&mut self, decl: Decl) {
        let Some(&known) = self.names.get(&decl.name) else {
            self.names.insert(decl.name.clone(), self.unit.decls.len());
            self.unit.decls.push(decl);
            return;
        };
        let known = &mut self.unit.decls[known];
        known.symbol = known.symbol.take().or(decl.symbol);
        if let (DeclKind::Variable { ty, .. }, DeclKind::Variable { ty: again, .. }) =
            (&mut known.kind, &decl.kind)
            && matches!(ty, CType::Array(_, None))
        {
            // `int table[];`, and its size later.
            *ty = again.clone();
        }
        if let (
            DeclKind::Function {
                inline, nonnull, ..
            },
            DeclKind::Function {
                inline: again,
                nonnull: said,
                ..
            },
        ) = (&mut known.kind, decl.kind)
        {
            *inline |= again;
            if *nonnull == NonNull::Unknown {
                *nonnull = said;
            }
        }
    }

    fn nonnull(&mut self, extensions: &[&Extension]) -> NonNull {
        let mut indexes = Vec::new();
        let mut said = false;
        for attribute in attributes(extensions, "nonnull") {
            said = true;
            if attribute.arguments.is_empty() {
                return NonNull::All;
            }
            for argument in &attribute.arguments {
                if let Some(index) = self.integer(&argument.node)
                    && let Ok(index) = usize::try_from(index - 1)
                {
                    indexes.push(index);
                }
            }
        }
        if said {
            NonNull::Some(indexes)
        } else {
            NonNull::Unknown
        }
    }

    fn declaration_specifiers<'t>(
        &mut self,
        written: &'t [Node<DeclarationSpecifier>],
    ) -> Specifiers<'t> {
        let mut out = Specifiers {
            ty: (CType::INT, false),
            typedef: false,
            is_static: false,
            thread_local: false,
            extensions: Vec::new(),
        };
        let mut types = Vec::new();
        let mut constant = false;
        for specifier in written {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => out.typedef = true,
                    StorageClassSpecifier::Static => out.is_static = true,
                    StorageClassSpecifier::ThreadLocal => out.thread_local = true,
                    _ => {}
                },
                DeclarationSpecifier::TypeSpecifier(ty) => types.push(ty),
                DeclarationSpecifier::TypeQualifier(qualifier) => {
                    constant |= qualifier.node == TypeQualifier::Const;
                }
                DeclarationSpecifier::Function(_) | DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(extensions) => {
                    out.extensions
                        .extend(extensions.iter().map(|extension| &extension.node));
                }
            }
        }
        out.is_static &= !out.typedef;
        let (ty, by_name) = self.specified(&types);
        let ty = self.attributed(ty, &out.extensions);
        out.ty = (ty, by_name || constant);
        out
    }

    /// The type that type specifiers name together, and whether it is `const` by its typedef.
    fn specified(&mut self, types: &[&Node<TypeSpecifier>]) -> (CType, bool) {
        let (mut longs, mut short, mut unsigned, mut signed) = (0, false, false, false);
        let (mut complex, mut base) = (false, None);
        for ty in types {
            match &ty.node {
                TypeSpecifier::Long => longs += 1,
                TypeSpecifier::Short => short = true,
                TypeSpecifier::Unsigned => unsigned = true,
                TypeSpecifier::Signed => signed = true,
                TypeSpecifier::Complex => complex = true,
                TypeSpecifier::Int => {}
                TypeSpecifier::Void => base = Some((CType::Void, false)),
                TypeSpecifier::Char => base = Some((CType::Char, false)),
                TypeSpecifier::Float => base = Some((CType::Float, false)),
                TypeSpecifier::Double => base = Some((CType::Double, false)),
                TypeSpecifier::Bool => base = Some((CType::Bool, false)),
                TypeSpecifier::Atomic(_) => {
                    base = Some((CType::Special(Special::wide("_Atomic")), false));
                }
                TypeSpecifier::Struct(record) => {
                    base = Some((self.record(&record.node, ty.span), false));
                }
                TypeSpecifier::Enum(item) => {
                    base = Some((self.enumeration(&item.node, ty.span), false));
                }
                TypeSpecifier::TypedefName(name) => {
                    let known = self.typedefs.get(&name.node.name).cloned();
                    base = Some(known.unwrap_or((UNKNOWN, false)));
                }
                TypeSpecifier::TypeOf(of) => {
                    base = Some(match &of.node {
                        TypeOf::Type(name) => (self.type_name(&name.node), false),
                        TypeOf::Expression(_) => (CType::Special(Special::wide("typeof")), false),
                    });
                }
                TypeSpecifier::TS18661Float(float) => base = Some((extended(float), false)),
            }
        }
        let int = |bits| {
            let signed = !unsigned;
            (CType::Int { bits, signed }, false)
        };
        match base {
            // `__int128` comes as `long _Complex` (`cc.rs`), which is nothing else.
            None if complex => (CType::Special(Special::wide("__int128")), false),
            Some((CType::Float, _)) if complex => (CType::Special(Special::COMPLEX_FLOAT), false),
            Some((CType::Double, _)) if complex && longs == 0 => {
                (CType::Special(Special::COMPLEX_DOUBLE), false)
            }
            Some((CType::Double, _)) if complex => {
                (CType::Special(Special::COMPLEX_LONG_DOUBLE), false)
            }
            Some((CType::Double, _)) if longs > 0 => {
                (CType::Special(Special::wide("long double")), false)
            }
            Some((CType::Char, _)) if unsigned || signed => int(8),
            Some(base) => base,
            None if short => int(16),
            None if longs > 0 => int(64),
            None => int(32),
        }
    }

    fn qualified(&mut self, written: &[Node<SpecifierQualifier>]) -> (CType, bool) {
        let mut types = Vec::new();
        let mut said: Vec<&Extension> = Vec::new();
        let mut constant = false;
        for specifier in written {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(ty) => types.push(ty),
                SpecifierQualifier::TypeQualifier(qualifier) => {
                    constant |= qualifier.node == TypeQualifier::Const;
                }
                SpecifierQualifier::Extension(extensions) => {
                    said.extend(extensions.iter().map(|extension| &extension.node));
                }
            }
        }
        let (ty, by_name) = self.specified(&types);
        (self.attributed(ty, &said), by_name || constant)
    }

    /// The type that a cast or `sizeof` names.
    pub(crate) fn type_name(&mut self, name: &TypeName) -> CType {
        let (base, constant) = self.qualified(&name.specifiers);
        match &name.declarator {
            None => base,
            Some(declarator) => self.declared(&declarator.node, base, constant).1,
        }
    }

    /// Name and type of a declarator over its base type, and whether what is declared is `const`.
    fn declared(
        &mut self,
        declarator: &Declarator,
        base: CType,
        constant: bool,
    ) -> (Option<String>, CType, bool) {
        let said: Vec<&Extension> = declarator.extensions.iter().map(|one| &one.node).collect();
        let (mut ty, mut constant) = (self.attributed(base, &said), constant);
        let is_pointer = |derived: &&Node<DerivedDeclarator>| {
            matches!(
                derived.node,
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_)
            )
        };
        for derived in declarator.derived.iter().filter(is_pointer) {
            ty = ty.pointer(constant);
            constant = match &derived.node {
                DerivedDeclarator::Pointer(qualifiers) => qualifiers.iter().any(|qualifier| {
                    matches!(&qualifier.node, PointerQualifier::TypeQualifier(q) if q.node == TypeQualifier::Const)
                }),
                _ => false,
            };
        }
        // What is next to the name comes last: `int a[2][3]` is two arrays of three.
        for derived in declarator.derived.iter().rev() {
            match &derived.node {
                DerivedDeclarator::Array(array) => {
                    let size = match &array.node.size {
                        ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                            self.integer(&size.node)
                        }
                        ArraySize::Unknown | ArraySize::VariableUnknown => None,
                    };
                    ty = CType::Array(Box::new(ty), size.and_then(|size| u64::try_from(size).ok()));
                }
                DerivedDeclarator::Function(function) => {
                    ty = self.function(&function.node, ty);
                    constant = false;
                }
                DerivedDeclarator::KRFunction(_) => {
                    ty = CType::Function(Box::new(CFunction {
                        params: Vec::new(),
                        result: ty,
                        variadic: false,
                    }));
                    constant = false;
                }
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => {}
            }
        }
        match &declarator.kind.node {
            DeclaratorKind::Abstract => (None, ty, constant),
            DeclaratorKind::Identifier(name) => (Some(name.node.name.clone()), ty, constant),
            DeclaratorKind::Declarator(inner) => self.declared(&inner.node, ty, constant),
        }
    }

    fn function(&mut self, function: &FunctionDeclarator, result: CType) -> CType {
        let mut params = Vec::new();
        for param in &function.parameters {
            let specifiers = self.declaration_specifiers(&param.node.specifiers);
            let (base, constant) = specifiers.ty;
            let said: Vec<&Extension> = param.node.extensions.iter().map(|one| &one.node).collect();
            let base = self.attributed(base, &said);
            let (name, ty, constant) = match &param.node.declarator {
                Some(declarator) => self.declared(&declarator.node, base, constant),
                None => (None, base, constant),
            };
            params.push(CParam { name, ty, constant });
        }
        if let [
            CParam {
                name: None,
                ty: CType::Void,
                ..
            },
        ] = params[..]
        {
            params.clear();
        }
        CType::Function(Box::new(CFunction {
            params,
            result,
            variadic: function.ellipsis == Ellipsis::Some,
        }))
    }

    fn record(&mut self, record: &StructType, span: Span) -> CType {
        let union = record.kind.node == StructKind::Union;
        let place = self.place(span.start);
        let tag = record.identifier.as_ref().map(|tag| tag.node.name.clone());
        // One without a tag is known by where it is.
        let key = match &tag {
            Some(tag) => format!("{} {tag}", if union { "union" } else { "struct" }),
            None => format!("at {}", self.offset(span.start)),
        };
        let ty = match self.tags.get(&key) {
            Some(known) => known.clone(),
            None => {
                let ty = CType::Record(self.unit.records.len());
                self.unit.records.push(Record {
                    tag,
                    alias: None,
                    hint: None,
                    union,
                    fields: None,
                    place,
                });
                self.tags.insert(key, ty.clone());
                ty
            }
        };
        let (CType::Record(index), Some(declarations)) = (&ty, &record.declarations) else {
            return ty;
        };
        if self.unit.records[*index].fields.is_some() {
            return ty;
        }
        let mut fields = Vec::new();
        for declaration in declarations {
            let StructDeclaration::Field(field) = &declaration.node else {
                continue;
            };
            let place = self.place(field.span.start);
            let (base, constant) = self.qualified(&field.node.specifiers);
            if field.node.declarators.is_empty() {
                // A struct without a name whose members are this one's, or only a declaration of a type.
                let nameless =
                    matches!(base, CType::Record(inner) if self.unit.records[inner].tag.is_none());
                if nameless {
                    fields.push(Field {
                        name: None,
                        ty: base,
                        bits: None,
                        place,
                    });
                }
                continue;
            }
            for declarator in &field.node.declarators {
                let bits = declarator.node.bit_width.as_ref();
                let bits = bits.map(|width| self.integer(&width.node).unwrap_or(0).unsigned_abs());
                let (name, ty, _) = match &declarator.node.declarator {
                    Some(written) => self.declared(&written.node, base.clone(), constant),
                    None => (None, base.clone(), false),
                };
                fields.push(Field {
                    name,
                    ty,
                    bits: bits.map(|bits| bits as u64),
                    place,
                });
            }
        }
        let known = &mut self.unit.records[*index];
        known.fields = Some(fields);
        known.place = place;
        ty
    }

    fn enumeration(&mut self, item: &EnumType, span: Span) -> CType {
        let place = self.place(span.start);
        let tag = item.identifier.as_ref().map(|tag| tag.node.name.clone());
        let key = match &tag {
            Some(tag) => format!("enum {tag}"),
            None => format!("at {}", self.offset(span.start)),
        };
        let ty = match self.tags.get(&key) {
            Some(known) => known.clone(),
            None => {
                let ty = CType::Enum(self.unit.enums.len());
                self.unit.enums.push(Enum {
                    tag,
                    alias: None,
                    values: Vec::new(),
                    place,
                });
                self.tags.insert(key, ty.clone());
                ty
            }
        };
        let CType::Enum(index) = ty else { return ty };
        if item.enumerators.is_empty() || !self.unit.enums[index].values.is_empty() {
            return ty;
        }
        let mut next = 0i64;
        let mut values = Vec::new();
        for enumerator in &item.enumerators {
            let written = enumerator.node.expression.as_ref();
            if let Some(value) = written.and_then(|value| self.integer(&value.node)) {
                next = value as i64;
            }
            let name = enumerator.node.identifier.node.name.clone();
            self.constants.insert(name.clone(), next);
            let place = self.place(enumerator.span.start);
            values.push((name, next, place));
            next = next.wrapping_add(1);
        }
        self.unit.enums[index].values = values;
        self.unit.enums[index].place = place;
        ty
    }

    /// The value of a constant expression that is an integer.
    pub(crate) fn integer(&mut self, expression: &Expression) -> Option<i128> {
        match self.value(expression)? {
            Value::Int { value, .. } => Some(value),
            _ => None,
        }
    }
}

/// Takes a name that a typedef gives.
fn set_alias(alias: &mut Option<String>, name: &str) {
    let better = |known: &String| known.starts_with('_') && !name.starts_with('_');
    if alias.as_ref().is_none_or(better) {
        *alias = Some(name.to_owned());
    }
}

impl Reader<'_> {
    /// The value of a macro from what it stands for (not an empty text); `None` if that is neither a number nor a text.
    pub(crate) fn macro_value(&mut self, text: &str) -> Option<Value> {
        // Casts name types, which the parser has to know as such.
        let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let mut source = String::new();
        let mut words: Vec<&str> = text.split(|c| !is_word(c)).collect();
        words.sort_unstable();
        words.dedup();
        for word in words.into_iter().filter(|word| self.is_typedef(word)) {
            source.push_str(&format!("typedef int {word};\n"));
        }
        source.push_str(&format!("int simple_bind_value = ({text}\n);\n"));
        // A struct in a macro is not one of those of the text.
        self.base = self.base.max(MACROS) + source.len();
        let tree = crate::tree::parsed(source)?;
        let ExternalDeclaration::Declaration(declaration) = &tree.0.last()?.node else {
            return None;
        };
        let [declarator] = &declaration.node.declarators[..] else {
            return None;
        };
        match &declarator.node.initializer.as_ref()?.node {
            Initializer::Expression(expression) => self.value(&expression.node),
            Initializer::List(_) => None,
        }
    }
}
