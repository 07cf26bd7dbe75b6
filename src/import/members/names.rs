//! Finds the records that a cell names, separated by commas.

use crate::{collation, id::Id};

/// A record that a list of members may name.
pub struct NamedRecord {
    /// Its identifier.
    id: Id,
    id_text: String,
    slug: Box<str>,
    name: Box<str>,
}

impl NamedRecord {
    /// Returns a record with its names.
    pub fn new(id: Id, slug: &str, name: &str) -> Self {
        Self {
            id,
            id_text: id.to_string(),
            slug: slug.into(),
            name: name.into(),
        }
    }
}

/// Returns the records that a cell names by name, slug or identifier, and the words that match none. A name may contain
/// commas: the longest match counts.
pub fn named<'c>(records: &[NamedRecord], cell: &'c str) -> (Vec<Id>, Vec<&'c str>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    let commas = records
        .iter()
        .map(|record| record.name.matches(',').count());
    let commas_max = commas.max().unwrap_or_default();
    let mut rest = Some(cell);
    while let Some(words) = rest {
        let ends = words.match_indices(',').map(|(end, _)| end);
        // No name has more commas, so a long cell does not need quadratic time.
        let ends: Vec<usize> = ends.chain([words.len()]).take(commas_max + 1).collect();
        let longest = ends.iter().rev().find_map(|&end| {
            let record = find(records, words[..end].trim())?;
            Some((end, record))
        });
        let end = match longest {
            Some((end, id)) => {
                found.push(id);
                end
            }
            None => {
                let word = words[..ends[0]].trim();
                if !word.is_empty() {
                    unknown.push(word);
                }
                ends[0]
            }
        };
        rest = words.get(end + 1..);
    }
    (found, unknown)
}

fn find(records: &[NamedRecord], word: &str) -> Option<Id> {
    let by = |matches: &dyn Fn(&NamedRecord) -> bool| {
        let record = records.iter().find(|record| matches(record));
        record.map(|record| record.id)
    };
    // An exact match of any kind takes precedence over one that ignores case.
    by(&|record| *record.name == *word)
        .or_else(|| by(&|record| *record.slug == *word))
        .or_else(|| by(&|record| record.id_text == word))
        .or_else(|| by(&|record| collation::is_equal(&record.name, word)))
}
