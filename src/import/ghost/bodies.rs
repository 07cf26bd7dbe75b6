//! Converts bodies of posts: Mobiledoc and HTML to Lexical, and Lexical to HTML.

use url::Url;

use crate::{
    domain::document::Document,
    import::files::FileIndex,
    render::{
        active_urls::{lexical_without_active_urls, without_active_urls},
        html_to_lexical,
        lexical::{self, Context, DocumentError},
        mobiledoc, plaintext, urls,
    },
};

/// Longest part of a removed URL in the report, in characters.
const REMOVED_CHARACTERS_MAX: usize = 80;

/// The columns of a body, in the formats that the file has.
pub struct BodyColumns<'a> {
    /// The editor's document.
    pub lexical: Option<&'a str>,
    /// The document of Ghost's former editor.
    pub mobiledoc: Option<&'a str>,
    /// The rendered HTML, or the body itself if the file has no other format.
    pub html: Option<&'a str>,
}

/// A body in stored form.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ConvertedBody {
    /// The editor's document, with URLs in stored form.
    pub lexical: Option<String>,
    /// The rendered HTML, with URLs in stored form; empty if the body has no visible content.
    pub html: String,
    /// Messages about parts that were lost.
    pub losses: Vec<String>,
    /// Messages about URLs that were removed because they run code.
    pub removals: Vec<String>,
}

/// Converts a body to stored form, from the first column that is valid.
pub fn convert(columns: &BodyColumns<'_>, site: &Url, files: &FileIndex) -> ConvertedBody {
    let mut losses = Vec::new();
    let mut removals = Vec::new();
    let documents = [
        (
            "Lexical",
            columns.lexical.map(|lexical| Ok(lexical.to_owned())),
        ),
        ("Mobiledoc", columns.mobiledoc.map(lexical_of_mobiledoc)),
    ];
    for (name, document) in documents {
        let Some(document) = document else {
            continue;
        };
        let mut removed = Vec::new();
        let document = document.and_then(|document| {
            lexical::check(&document)?;
            let document = lexical_without_active_urls(&document, &mut removed);
            Document::rendered(document.into_owned(), site)
        });
        match document {
            Ok(document) => {
                removals.extend(removed.iter().map(|url| removal(url)));
                return stored(&document, losses, removals, files);
            }
            // An empty document is not a loss: the content may be in the next column.
            Err(DocumentError::Empty) => {}
            Err(error) => losses.push(format!("its {name} cannot be used: {error}")),
        }
    }
    match columns.html {
        None => ConvertedBody {
            losses,
            ..ConvertedBody::default()
        },
        Some(html) => {
            let mut removed = Vec::new();
            let served = urls::to_served(html, site);
            let document = without_active_urls(&served, &mut removed)
                .map_err(DocumentError::from)
                .and_then(|html| lexical_of_html(&html, site))
                .and_then(|document| {
                    let document = lexical_without_active_urls(&document, &mut removed);
                    Document::rendered(document.into_owned(), site)
                });
            removals.extend(removed.iter().map(|url| removal(url)));
            match document {
                Ok(document) => stored(&document, losses, removals, files),
                Err(error) => {
                    // HTML without visible content becomes a document without content.
                    if error != DocumentError::Empty {
                        losses.push(format!("its HTML cannot be used: {error}"));
                    }
                    ConvertedBody {
                        losses,
                        removals,
                        ..ConvertedBody::default()
                    }
                }
            }
        }
    }
}

/// Returns the message about a removed URL.
pub fn removal(url: &str) -> String {
    let shown: String = url.chars().take(REMOVED_CHARACTERS_MAX).collect();
    format!("a URL that runs code was removed: {shown}")
}

fn lexical_of_mobiledoc(mobiledoc: &str) -> Result<String, DocumentError> {
    // Ghost rejects a document without a list of cards; other programs omit an empty list.
    mobiledoc::check(mobiledoc)?;
    if mobiledoc.contains("\"cards\"") {
        mobiledoc::to_lexical(&mobiledoc::clean_for_import(mobiledoc)?)
    } else {
        mobiledoc::to_lexical(mobiledoc)
    }
}

fn stored(
    document: &Document,
    mut losses: Vec<String>,
    removals: Vec<String>,
    files: &FileIndex,
) -> ConvertedBody {
    losses.extend(document.losses.iter().map(|loss| {
        format!(
            "a part of its body is not shown: {} ({})",
            loss.reason, loss.position
        )
    }));
    ConvertedBody {
        lexical: Some(files.renamed(&document.lexical).into_owned()),
        html: files.renamed(&document.html).into_owned(),
        losses,
        removals,
    }
}

/// Converts HTML to a Lexical document as Ghost's importer does. Fails if that would lose text.
fn lexical_of_html(html: &str, site: &Url) -> Result<String, DocumentError> {
    let document = html_to_lexical::accepted(html)?;
    let text = |html: &str| {
        plaintext::from_html(html)
            .split_whitespace()
            .collect::<String>()
    };
    match lexical::to_html(&document, Context { site }) {
        Ok(rendering) if text(&rendering.html) == text(html) => Ok(document),
        _ => Ok(html_to_lexical::to_lexical_faithfully(html, site)),
    }
}
