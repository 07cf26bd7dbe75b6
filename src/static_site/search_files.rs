//! The search index of a build: a manifest, and pieces with words, documents and texts, of which a search reads only a few.
//!
//! `docs/search.md` describes the format. The index contains words in the forms in which they occur, each with the documents that
//! contain any form of the word, so a reader of the index needs no stemmer. Pieces are named after their digest, and a change of
//! the site affects few of them: pieces of words are cut at words that only depend on a hash, and pieces of documents by number.

use std::{cmp::Ordering, collections::HashMap};

use serde::Serialize;

use super::{BuildError, manifest::ManifestEntry};
use crate::{
    api::{feeds::Publication, static_renderer::StaticRenderer},
    clock,
    domain::post::Post,
    error::Error,
    render::plaintext,
    search::{PublicIndex, public_text},
};

/// The path of the manifest below the Content API.
const MANIFEST: &str = "search/index.json";

/// The folder of the pieces.
pub const PIECES: &str = "search/pieces/";

/// The version of the index format.
const VERSION: u32 = 1;

/// Minimum size of a piece of words before it may be cut, and maximum size unless it contains a single longer word, in bytes.
const WORDS_BYTES_MIN: usize = 8 << 10;
const WORDS_BYTES_MAX: usize = 32 << 10;

/// Estimated size of a word in addition to its characters and its documents, in bytes.
const WORD_BYTES: usize = 8;

/// One in this number of words is a cut point, by its hash.
const CUT_WORDS: u8 = 32;

/// Number of documents in a piece.
const DOCUMENTS_PER_PIECE: usize = 16;

/// Maximum length of an excerpt, in characters.
const EXCERPT_CHARACTERS_MAX: usize = 200;

/// Maximum size of the text in one piece, in bytes.
const TEXT_BYTES_MAX: usize = 6000;

/// The score for a relevance of 1, and the score for a word in the title, which is more than the highest relevance.
const SCORE_UNIT: f32 = 40.0;
const TITLE_UNIT: u32 = 100;

/// Receives a file: its path below the Content API, and its content.
type VisitFile<'v> = &'v mut dyn FnMut(&str, &[u8]) -> Result<(), BuildError>;

/// The files of the index.
pub struct SearchFiles<'a> {
    site: &'a StaticRenderer<'a>,
    publication: &'a Publication<'a>,
    index: PublicIndex,
}

#[derive(Serialize)]
struct SearchManifest {
    version: u32,
    language: String,
    documents: usize,
    documents_per_piece: usize,
    /// The first word and the name of each piece of words.
    words: Vec<(String, String)>,
    /// The names of the pieces of documents.
    pieces: Vec<String>,
}

#[derive(Serialize)]
struct SearchDocument {
    #[serde(rename = "type")]
    kind: &'static str,
    url: String,
    title: String,
    excerpt: String,
    published_at: Option<String>,
    /// The names of the pieces with the document's text.
    text: Vec<String>,
}

/// The words of a term, and the documents that contain it: for each document, the difference from the previous number, and the
/// score.
#[derive(Serialize)]
struct WordsEntry<'a>(Vec<&'a str>, Vec<u32>);

impl<'a> SearchFiles<'a> {
    /// Indexes a site.
    ///
    /// # Errors
    ///
    /// If the site cannot be read.
    pub fn of(
        site: &'a StaticRenderer<'a>,
        publication: &'a Publication<'a>,
    ) -> Result<Self, BuildError> {
        Ok(Self {
            site,
            publication,
            index: PublicIndex::of(site.snapshot())?,
        })
    }

    /// Visits all files. The manifest is last, so that all files in it exist.
    ///
    /// # Errors
    ///
    /// If the site cannot be read; errors of `visit` are returned unchanged.
    pub fn each(
        &self,
        mut visit: impl FnMut(&str, &[u8]) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let words = self.each_piece_of_words(&mut visit)?;
        let pieces = self.each_piece_of_documents(&mut visit)?;
        let settings = &self.site.snapshot().catalog.settings;
        let manifest = SearchManifest {
            version: VERSION,
            language: settings.text("locale").unwrap_or_default(),
            documents: self.index.posts().len(),
            documents_per_piece: DOCUMENTS_PER_PIECE,
            words,
            pieces,
        };
        visit(MANIFEST, &json(&manifest)?)
    }

    /// Visits the pieces of words. Returns the first word and the name of each.
    fn each_piece_of_words(&self, visit: VisitFile) -> Result<Vec<(String, String)>, BuildError> {
        let mut forms: Vec<(&str, &str)> = self.index.forms().collect();
        // Scripts in browsers find the piece of a word with their own comparison of strings.
        forms.sort_by(|(form, _), (other, _)| in_browser_order(form, other));
        let mut pieces = Vec::new();
        let mut rest = &forms[..];
        while let Some((first, _)) = rest.first() {
            let (entries, count) = self.next_piece_of_words(rest);
            pieces.push(((*first).to_owned(), visit_piece(visit, &json(&entries)?)?));
            rest = &rest[count..];
        }
        Ok(pieces)
    }

    /// Returns the entries of the piece that begins with the first word in `forms`, and the number of words in it.
    fn next_piece_of_words<'f>(
        &self,
        forms: &[(&'f str, &'f str)],
    ) -> (Vec<WordsEntry<'f>>, usize) {
        let mut entries: Vec<WordsEntry> = Vec::new();
        let mut indexes: HashMap<&str, usize> = HashMap::new();
        let mut bytes = 0;
        for (count, (form, term)) in forms.iter().enumerate() {
            let index = indexes.get(term).copied();
            // The documents of a term are written once per piece, with its first form.
            let documents = index.map_or_else(|| self.scores(term), |_| Vec::new());
            let numbers = documents.iter().map(|number| digits(*number) + 1);
            let added = form.len() + WORD_BYTES + numbers.sum::<usize>();
            let is_full = bytes + added > WORDS_BYTES_MAX;
            // A word that occurs in two languages may be in the list twice.
            let is_other = count > 0 && forms[count - 1].0 != *form;
            // A piece ends before a word with a certain hash, so that an added word changes few
            // pieces.
            if is_other && (is_full || bytes >= WORDS_BYTES_MIN && is_cut(form)) {
                return (entries, count);
            }
            bytes += added;
            match index {
                Some(index) => entries[index].0.push(form),
                None => {
                    indexes.insert(term, entries.len());
                    entries.push(WordsEntry(vec![form], documents));
                }
            }
        }
        (entries, forms.len())
    }

    /// Returns the documents that contain a term in the format of [`WordsEntry`].
    fn scores(&self, term: &str) -> Vec<u32> {
        let mut written = Vec::new();
        let mut before = 0;
        self.index
            .each_document(term, |number, relevance, title_words| {
                // At least 1: 0 would be a document without the word.
                let score = (relevance * SCORE_UNIT).round().max(1.0) as u32;
                written.extend([number - before, title_words * TITLE_UNIT + score]);
                before = number;
            });
        written
    }

    /// Visits the pieces of documents. Returns their names.
    fn each_piece_of_documents(&self, visit: VisitFile) -> Result<Vec<String>, BuildError> {
        let posts: Vec<_> = self.index.posts().collect();
        let mut pieces = Vec::new();
        for posts in posts.chunks(DOCUMENTS_PER_PIECE) {
            let documents = posts.iter().map(|post| self.document(post, &mut *visit));
            let documents: Vec<SearchDocument> = documents.collect::<Result<_, _>>()?;
            pieces.push(visit_piece(visit, &json(&documents)?)?);
        }
        Ok(pieces)
    }

    fn document(&self, post: &Post, visit: VisitFile) -> Result<SearchDocument, BuildError> {
        let text = public_text(self.site.snapshot(), post)?;
        let text = joined(&self.site.site_urls().absolute(&text));
        let mut names = Vec::new();
        let mut rest = &*text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(end_of_piece(rest));
            // Texts are separate pieces: a search reads them only for the results that it shows.
            names.push(visit_piece(visit, &json(&piece.trim_end())?)?);
            rest = after;
        }
        Ok(SearchDocument {
            kind: post.kind.name(),
            url: self
                .publication
                .link(&self.site.site_urls().post_path(post)),
            title: post.title.to_string(),
            excerpt: plaintext::beginning(
                &joined(&self.site.excerpt(post)),
                EXCERPT_CHARACTERS_MAX,
            ),
            published_at: post.published_at.map(clock::written),
            text: names,
        })
    }
}

/// Visits a piece and returns its name.
fn visit_piece(visit: VisitFile, content: &[u8]) -> Result<String, BuildError> {
    let mut name = ManifestEntry::of(content).hash;
    // 64 bits suffice to distinguish the pieces of one site, and keep the manifest small.
    name.truncate(16);
    visit(&format!("{PIECES}{name}.json"), content)?;
    Ok(name)
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, BuildError> {
    serde_json::to_vec(value).map_err(|error| Error::internal(error).into())
}

/// Compares strings in the order in which browsers sort them.
fn in_browser_order(text: &str, other: &str) -> Ordering {
    text.encode_utf16().cmp(other.encode_utf16())
}

/// Returns whether a piece of words may be cut before this word.
fn is_cut(form: &str) -> bool {
    let sum = form
        .bytes()
        .fold(0, |sum: u8, byte| sum.wrapping_mul(31).wrapping_add(byte));
    sum.is_multiple_of(CUT_WORDS)
}

fn digits(number: u32) -> usize {
    number.checked_ilog10().unwrap_or_default() as usize + 1
}

/// Joins the lines of a text with spaces.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the end of the first piece of a text, which is after a space if possible.
fn end_of_piece(text: &str) -> usize {
    if text.len() <= TEXT_BYTES_MAX {
        return text.len();
    }
    // A text without spaces, such as a Chinese one, is cut between any characters.
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    text[..end].rfind(' ').map_or(end, |space| space + 1)
}
