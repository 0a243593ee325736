//! Which texts fit a few words best: an index from words to texts, ranked by Okapi BM25. Knows nothing of Simple.

use std::collections::HashMap;

/// How soon further occurrences of a word in a text stop to count.
const SATURATION: f64 = 1.2;
/// How much long texts are held back.
const LENGTH: f64 = 0.75;

/// Texts by their words; a text is known by its number, counted from 0.
#[derive(Debug, Default)]
pub struct Index {
    /// In which texts a word is, and how often.
    occurrences: HashMap<String, Vec<(usize, u32)>>,
    /// How many words each text has.
    lengths: Vec<usize>,
}

impl Index {
    /// Adds a text and yields its number.
    pub fn add(&mut self, text: &str) -> usize {
        let number = self.lengths.len();
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut length = 0;
        for word in words(text) {
            *counts.entry(word).or_default() += 1;
            length += 1;
        }
        for (word, count) in counts {
            self.occurrences
                .entry(word)
                .or_default()
                .push((number, count));
        }
        self.lengths.push(length);
        number
    }

    /// The texts that have any of the words, the best first, with their scores.
    pub fn search(&self, query: &str) -> Vec<(usize, f64)> {
        let count = self.lengths.len() as f64;
        let mean = self.lengths.iter().sum::<usize>() as f64 / count;
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for word in words(query) {
            let Some(found) = self.occurrences.get(&word) else {
                continue;
            };
            // A word that few texts have says more.
            let texts = found.len() as f64;
            let weight = ((count - texts + 0.5) / (texts + 0.5) + 1.0).ln();
            for &(number, times) in found {
                let times = f64::from(times);
                let length = self.lengths[number] as f64 / mean;
                let share = times * (SATURATION + 1.0)
                    / (times + SATURATION * (1.0 - LENGTH + LENGTH * length));
                *scores.entry(number).or_default() += weight * share;
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// The words that begin so, in order.
    pub fn complete(&self, start: &str) -> Vec<&str> {
        let start = start.to_lowercase();
        let all = self.occurrences.keys().map(String::as_str);
        let mut found: Vec<&str> = all.filter(|word| word.starts_with(&start)).collect();
        found.sort_unstable();
        found
    }
}

/// The words of a text: letters and digits, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
