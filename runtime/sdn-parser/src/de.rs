//! The serde deserializer, over nodes, so that its errors have a line and a column.
//!
//! A place is attached to an error as it passes up, innermost first: a wrong value is reported at the value, an
//! unknown field or variant at its name, a missing field at the start of its dictionary.
//!
//! A named table reads as one map per row, a typed one as one sequence per row. Null reads as an empty map or sequence
//! where one is requested: `section:` with all its keys commented out is still a section.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected,
    IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

use crate::error::Error;
use crate::node::{Entry, Node, NodeValue, TableNode};
use crate::value::Value;

/// Parses a document and reads it into a type.
///
/// # Errors
///
/// As [`crate::parse`], or an [`crate::ErrorKind::Data`] error where the document is not what the type asks for.
pub fn from_str<T: DeserializeOwned>(source: &str) -> Result<T, Error> {
    from_node(&crate::parse_spanned(source)?)
}

/// Reads a plain value into a type. Its errors have no place; prefer [`from_str`] or [`from_node`] where there is one.
///
/// # Errors
///
/// An [`crate::ErrorKind::Data`] error where the value is not what the type asks for.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    from_node(&Node::from(value))
}

/// Reads a value with positions, such as a part of a document, into a type that may borrow its text.
///
/// # Errors
///
/// An [`crate::ErrorKind::Data`] error where the value is not what the type asks for, with its line and column.
pub fn from_node<'de, T: Deserialize<'de>>(node: &'de Node) -> Result<T, Error> {
    T::deserialize(node)
}

impl Node {
    fn place(&self, error: Error) -> Error {
        error.at(self.line, self.column)
    }

    fn seq<'de, V: Visitor<'de>>(
        &'de self,
        nodes: &'de [Node],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut items = Items {
            rest: nodes.iter(),
            fields: None,
        };
        let value = visitor.visit_seq(&mut items)?;
        end_of_items(items, nodes.len())?;
        Ok(value)
    }

    fn table<'de, V: Visitor<'de>>(
        &'de self,
        table: &'de TableNode,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut items = Items {
            rest: table.rows.iter(),
            fields: table.fields.as_deref(),
        };
        let value = visitor.visit_seq(&mut items)?;
        end_of_items(items, table.rows.len())?;
        Ok(value)
    }

    fn any<'de, V: Visitor<'de>>(&'de self, visitor: V) -> Result<V::Value, Error> {
        match &self.value {
            NodeValue::Null => visitor.visit_unit(),
            NodeValue::Bool(truth) => visitor.visit_bool(*truth),
            NodeValue::Int(number) => visitor.visit_i64(*number),
            NodeValue::Float(number) => visitor.visit_f64(*number),
            NodeValue::String(text) => visitor.visit_borrowed_str(text),
            NodeValue::Array(items) => self.seq(items, visitor),
            NodeValue::Dict(dict) => visitor.visit_map(Entries {
                rest: dict
                    .iter()
                    .map(DictEntry::from)
                    .collect::<Vec<_>>()
                    .into_iter(),
                value: None,
            }),
            NodeValue::Table(table) => self.table(table, visitor),
        }
    }
}

/// Refuses items that the type had no place for, such as the third of a pair.
fn end_of_items(items: Items<'_>, found: usize) -> Result<(), Error> {
    struct Fewer(usize);
    impl Expected for Fewer {
        fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(out, "{}", self.0)
        }
    }
    let left = items.rest.len();
    match items.rest.clone().next() {
        None => Ok(()),
        Some(extra) => Err(extra.place(Error::invalid_length(found, &Fewer(found - left)))),
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.any(visitor).map_err(|error| self.place(error))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            NodeValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
        .map_err(|error| self.place(error))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor
            .visit_newtype_struct(self)
            .map_err(|error| self.place(error))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() {
            return visitor
                .visit_map(Entries {
                    rest: Vec::new().into_iter(),
                    value: None,
                })
                .map_err(|error| self.place(error));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() {
            return self.seq(&[], visitor).map_err(|error| self.place(error));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let result = match &self.value {
            NodeValue::String(name) => visitor.visit_enum(Variant {
                name,
                name_at: None,
                content: None,
            }),
            NodeValue::Dict(dict) => match dict.iter().next() {
                Some((name, entry)) if dict.len() == 1 => visitor.visit_enum(Variant {
                    name,
                    name_at: Some(entry),
                    content: Some(&entry.node),
                }),
                _ => Err(Error::invalid_value(
                    Unexpected::Map,
                    &"a dict with one key, the name of the variant",
                )),
            },
            _ => Err(Error::custom(format!(
                "invalid type: {}, expected the name of a variant, or a dict with that name as its one key",
                self.kind_name()
            ))),
        };
        result.map_err(|error| self.place(error))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct tuple tuple_struct identifier
    }
}

impl<'de> IntoDeserializer<'de, Error> for &'de Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The items of an array, or the rows of a table.
struct Items<'de> {
    rest: std::slice::Iter<'de, Node>,
    /// The column names if these are rows of a named table.
    fields: Option<&'de [String]>,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(node) = self.rest.next() else {
            return Ok(None);
        };
        match self.fields {
            Some(fields) => seed.deserialize(RowDeserializer { row: node, fields }),
            None => seed.deserialize(node),
        }
        .map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// One row of a named table. It reads as a map, and as a sequence where a tuple or sequence is requested.
struct RowDeserializer<'de> {
    row: &'de Node,
    fields: &'de [String],
}

impl<'de> Deserializer<'de> for RowDeserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let cells = self.row.as_array().unwrap_or_default();
        let entries: Vec<_> = self
            .fields
            .iter()
            .zip(cells)
            .map(|(name, node)| DictEntry {
                name,
                line: node.line,
                column: node.column,
                node,
            })
            .collect();
        visitor
            .visit_map(Entries {
                rest: entries.into_iter(),
                value: None,
            })
            .map_err(|error| self.row.place(error))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.row.deserialize_tuple(length, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.row.deserialize_tuple_struct(name, length, visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.row.deserialize_seq(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct map struct enum identifier
    }
}

/// A name with its place, and its value.
#[derive(Clone, Copy)]
struct DictEntry<'de> {
    name: &'de str,
    line: u32,
    column: u32,
    node: &'de Node,
}

impl<'de> From<(&'de str, &'de Entry)> for DictEntry<'de> {
    fn from((name, entry): (&'de str, &'de Entry)) -> Self {
        DictEntry {
            name,
            line: entry.line,
            column: entry.column,
            node: &entry.node,
        }
    }
}

/// The entries of a dict or of a row.
struct Entries<'de> {
    rest: std::vec::IntoIter<DictEntry<'de>>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(entry) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(entry.node);
        seed.deserialize(KeyDeserializer { name: entry.name })
            .map(Some)
            .map_err(|error| error.at(entry.line, entry.column))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.value.take() {
            Some(node) => seed.deserialize(node),
            None => Err(Error::custom("a value was asked for before its key")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A key. Keys are text; where a number or boolean is requested, the text is read as one.
struct KeyDeserializer<'de> {
    name: &'de str,
}

macro_rules! key_as {
    ($($method:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.name.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_borrowed_str(self.name),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for KeyDeserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.name)
    }

    key_as! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i64 deserialize_i16 visit_i64 deserialize_i32 visit_i64 deserialize_i64 visit_i64
        deserialize_u8 visit_u64 deserialize_u16 visit_u64 deserialize_u32 visit_u64 deserialize_u64 visit_u64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(Variant {
            name: self.name,
            name_at: None,
            content: None,
        })
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

/// A variant: its name, and its content if it has any.
struct Variant<'de> {
    name: &'de str,
    name_at: Option<&'de Entry>,
    content: Option<&'de Node>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        match seed.deserialize(BorrowedStrDeserializer::<Error>::new(self.name)) {
            Ok(variant) => Ok((variant, self)),
            Err(error) => Err(match self.name_at {
                Some(entry) => error.at(entry.line, entry.column),
                None => error,
            }),
        }
    }
}

impl<'de> Variant<'de> {
    fn content(self, expected: &str) -> Result<&'de Node, Error> {
        self.content
            .ok_or_else(|| Error::invalid_type(Unexpected::UnitVariant, &expected))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.content {
            Some(node) => <()>::deserialize(node),
            None => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(
            self.content("a dict with the variant's name as key and its content as value")?,
        )
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.content("a dict with the variant's name as key and an array as value")?
            .deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.content("a dict with the variant's name as key and a dict as value")?
            .deserialize_map(visitor)
    }
}
