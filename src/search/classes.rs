//! Classes of documents. The documents of a class have the same readers and the same language.
//!
//! A reader sees either all documents of a class or none, so the totals of the visible classes equal those of an index with only
//! the reader's documents.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

use super::{
    analysis::Analyzer,
    documents::{AccessLevel, Readers, Searcher},
};
use crate::{domain::post::Post, id::Id};

/// The classes of an index. A class that has lost its documents remains, with totals of zero.
#[derive(Clone)]
pub struct DocumentClasses {
    /// The analyzer for the site's language, followed by those for other languages of documents.
    analyzers: Vec<Analyzer>,
    numbers: OrdMap<ClassKey, u32>,
    /// The classes, indexed by number.
    classes: Vector<DocumentClass>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ClassKey {
    readers: Readers,
    /// The tiers that determine which paying members see the documents, in ascending order; empty if tiers do not matter.
    tiers: Arc<[Id]>,
    /// The index of the analyzer.
    analyzer: usize,
}

#[derive(Clone)]
struct DocumentClass {
    key: ClassKey,
    totals: Totals,
}

/// Totals of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of documents.
    pub documents: usize,
    /// The number of words in all bodies.
    pub words: u64,
}

/// The classes that a reader sees.
pub struct VisibleClasses {
    /// Whether a class is visible, indexed by its number.
    is_visible: Vec<bool>,
    /// The totals of the visible documents.
    pub totals: Totals,
    /// The analyzer for the site's language, and those for other languages of the visible documents.
    pub analyzers: Vec<Analyzer>,
}

impl DocumentClasses {
    /// Returns an empty set of classes for a site, given the analyzer for its language.
    pub fn new(of_site: Analyzer) -> Self {
        Self {
            analyzers: vec![of_site],
            numbers: OrdMap::new(),
            classes: Vector::new(),
        }
    }

    /// Returns the analyzer for the language of the site.
    pub fn analyzer_of_site(&self) -> Analyzer {
        self.analyzers[0]
    }

    /// Returns the number of the class for documents of a post with these readers and this analyzer. Adds the class if it is new.
    pub fn number(&mut self, post: &Post, readers: Readers, analyzer: Analyzer) -> u32 {
        let mut tiers: Vec<Id> = Vec::new();
        if readers.depend_on_tiers() {
            tiers.extend_from_slice(&post.tiers);
            // In one order and without duplicates, so that equal sets of tiers have one key.
            tiers.sort_unstable();
            tiers.dedup();
        }
        self.number_of(readers, tiers.into(), analyzer)
    }

    /// Returns the number of the class that equals a class of another index. Adds the class if it is new.
    pub fn number_as_in(&mut self, other: &Self, number: u32) -> Option<u32> {
        let key = &other.classes.get(number as usize)?.key;
        let analyzer = other.analyzers[key.analyzer];
        Some(self.number_of(key.readers, Arc::clone(&key.tiers), analyzer))
    }

    fn number_of(&mut self, readers: Readers, tiers: Arc<[Id]>, analyzer: Analyzer) -> u32 {
        let known = self.analyzers.iter().position(|known| *known == analyzer);
        let analyzer = known.unwrap_or_else(|| {
            self.analyzers.push(analyzer);
            self.analyzers.len() - 1
        });
        let key = ClassKey {
            readers,
            tiers,
            analyzer,
        };
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        // Numbers are never reused, because documents refer to their class by number.
        let number = self.classes.len() as u32;
        self.numbers.insert(key.clone(), number);
        self.classes.push_back(DocumentClass {
            key,
            totals: Totals::default(),
        });
        number
    }

    /// Returns the lowest access level of the readers of a class.
    pub fn lowest_level(&self, class: u32) -> AccessLevel {
        let class = self.classes.get(class as usize);
        class.map_or(AccessLevel::Staff, |class| class.key.readers.lowest_level())
    }

    /// Adds a document with this number of words to the totals of a class.
    pub fn add(&mut self, class: u32, words: u32) {
        if let Some(class) = self.classes.get_mut(class as usize) {
            class.totals.documents += 1;
            class.totals.words += u64::from(words);
        }
    }

    /// Subtracts a document from the totals of a class.
    pub fn remove(&mut self, class: u32, words: u32) {
        if let Some(class) = self.classes.get_mut(class as usize) {
            class.totals.documents -= 1;
            class.totals.words -= u64::from(words);
        }
    }

    /// Returns the classes that are visible to a reader.
    pub fn visible_to(&self, searcher: &Searcher) -> VisibleClasses {
        let mut visible = VisibleClasses {
            is_visible: Vec::with_capacity(self.classes.len()),
            totals: Totals::default(),
            analyzers: vec![self.analyzer_of_site()],
        };
        for DocumentClass { key, totals } in &self.classes {
            let is_visible = key.readers.contains(Readers::of(searcher, &key.tiers));
            visible.is_visible.push(is_visible);
            // A class that has lost its documents must have no effect, not even by its language.
            if is_visible && totals.documents > 0 {
                visible.totals.documents += totals.documents;
                visible.totals.words += totals.words;
                let analyzer = self.analyzers[key.analyzer];
                if !visible.analyzers.contains(&analyzer) {
                    visible.analyzers.push(analyzer);
                }
            }
        }
        visible
    }
}

impl VisibleClasses {
    /// Returns whether a class is visible.
    pub fn contains(&self, class: u32) -> bool {
        self.is_visible.get(class as usize) == Some(&true)
    }
}
