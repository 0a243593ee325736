//! A dictionary that keeps the order of its keys, for plain values and for values with positions.
//!
//! Small dictionaries, which nearly all are, are searched in order; larger ones also keep a hash index, so that a
//! document with a million keys still parses in linear time. The index uses the randomly seeded hasher of the
//! standard library: keys chosen to collide do not help an attacker.

use std::collections::HashMap;
use std::fmt;

use crate::value::Value;

/// Up to this many keys, comparing them one by one is cheaper than hashing.
const SEARCHED_IN_ORDER: usize = 16;

/// A dictionary with text keys in the order in which they were first inserted. Order is part of equality.
#[derive(Clone)]
pub struct Dict<V = Value> {
    entries: Vec<(String, V)>,
    #[expect(
        clippy::box_collection,
        reason = "every value is as large as a dict, and hardly any dict has an index"
    )]
    index: Option<Box<HashMap<String, usize>>>,
}

impl<V> Dict<V> {
    /// Makes an empty dictionary.
    pub fn new() -> Self {
        Dict {
            entries: Vec::new(),
            index: None,
        }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().position(|(name, _)| name == key),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.position(key)
            .and_then(|at| self.entries.get(at))
            .map(|(_, value)| value)
    }

    /// The value of a key, to change in place.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.position(key)
            .and_then(|at| self.entries.get_mut(at))
            .map(|(_, value)| value)
    }

    /// Whether the key is present.
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets a key and returns the value it had. A new key goes last; an old one keeps its place.
    pub fn insert(&mut self, key: impl Into<String>, value: V) -> Option<V> {
        let key = key.into();
        if let Some(old) = self.get_mut(&key) {
            return Some(std::mem::replace(old, value));
        }
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > SEARCHED_IN_ORDER {
            self.build_index();
        }
        None
    }

    /// Removes a key and returns its value. The keys after it move up, so this takes time linear in their number.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        let at = self.position(key)?;
        let (_, value) = self.entries.remove(at);
        self.index = None;
        if self.entries.len() > SEARCHED_IN_ORDER {
            self.build_index();
        }
        Some(value)
    }

    fn build_index(&mut self) {
        let index = self
            .entries
            .iter()
            .enumerate()
            .map(|(at, (key, _))| (key.clone(), at))
            .collect();
        self.index = Some(Box::new(index));
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &V)> + ExactSizeIterator {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }

    /// Keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    /// Values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }
}

impl<V> Default for Dict<V> {
    fn default() -> Self {
        Dict::new()
    }
}

impl<V: PartialEq> PartialEq for Dict<V> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<V: fmt::Debug> fmt::Debug for Dict<V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl<V> IntoIterator for Dict<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<K: Into<String>, V> FromIterator<(K, V)> for Dict<V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut dict = Dict::new();
        for (key, value) in pairs {
            dict.insert(key, value);
        }
        dict
    }
}

impl<K: Into<String>, V, const N: usize> From<[(K, V); N]> for Dict<V> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_finds_keys_on_both_sides_of_the_index() {
        for count in [3, SEARCHED_IN_ORDER, SEARCHED_IN_ORDER + 1, 200] {
            let mut dict: Dict<usize> = (0..count).map(|n| (format!("k{n}"), n)).collect();
            assert_eq!(dict.len(), count);
            assert!(dict.values().copied().eq(0..count));
            assert_eq!(dict.get("k2"), Some(&2));
            assert_eq!(dict.get(&format!("k{}", count - 1)), Some(&(count - 1)));
            assert_eq!(dict.get("absent"), None);
            assert_eq!(dict.insert("k0", 99), Some(0));
            assert_eq!(dict.keys().next(), Some("k0"));
            assert_eq!(dict.remove("k1"), Some(1));
            assert!(!dict.contains_key("k1"));
            assert_eq!(dict.get("k2"), Some(&2));
            assert_eq!(dict.len(), count - 1);
        }
    }

    #[test]
    fn order_is_part_of_equality() {
        assert_ne!(
            Dict::from([("a", 1), ("b", 2)]),
            Dict::from([("b", 2), ("a", 1)])
        );
    }
}
