//! The bodies of posts: Lexical as it is, Mobiledoc and bare HTML as Lexical, and the HTML that all of it renders to.

use url::Url;

use crate::{
    domain::document::Document,
    import::files::Files,
    render::{
        active_urls::{lexical_without_active_urls, without_active_urls},
        html_to_lexical,
        lexical::{self, Context, DocumentError},
        mobiledoc, plaintext, urls,
    },
};

/// How much is reported of a URL that was taken out, in characters.
const REMOVED_CHARACTERS_MAX: usize = 80;

/// The forms in which a file has a body.
pub struct BodyColumns<'a> {
    /// The editor's document.
    pub lexical: Option<&'a str>,
    /// The document of the editor before.
    pub mobiledoc: Option<&'a str>,
    /// What was rendered from either, or all there is.
    pub html: Option<&'a str>,
}

/// A body as it is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ConvertedBody {
    /// The editor's document, with addresses in stored form.
    pub lexical: Option<String>,
    /// What it renders to, with addresses in stored form; empty when nothing of it shows.
    pub html: String,
    /// What could not be kept, in words.
    pub losses: Vec<String>,
    /// The URLs that were taken out because they run code, in words.
    pub removals: Vec<String>,
}

/// Makes of a body what is kept: the first form that can be used decides.
pub fn convert(written: &BodyColumns<'_>, site: &Url, files: &Files) -> ConvertedBody {
    let mut losses = Vec::new();
    let mut removals = Vec::new();
    let documents = [
        (
            "Lexical",
            written.lexical.map(|lexical| Ok(lexical.to_owned())),
        ),
        ("Mobiledoc", written.mobiledoc.map(of_mobiledoc)),
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
                return kept(&document, losses, removals, files);
            }
            Err(DocumentError::Empty) => {}
            Err(error) => losses.push(format!("its {name} cannot be used: {error}")),
        }
    }
    match written.html {
        None => ConvertedBody {
            losses,
            ..ConvertedBody::default()
        },
        Some(html) => {
            let mut removed = Vec::new();
            let served = urls::to_served(html, site);
            let document = without_active_urls(&served, &mut removed)
                .map_err(DocumentError::from)
                .and_then(|html| document_of(&html, site))
                .and_then(|document| {
                    let document = lexical_without_active_urls(&document, &mut removed);
                    Document::rendered(document.into_owned(), site)
                });
            removals.extend(removed.iter().map(|url| removal(url)));
            match document {
                Ok(document) => kept(&document, losses, removals, files),
                Err(error) => {
                    // HTML of which nothing shows makes a document without content.
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

/// Says that a URL was taken out.
pub fn removal(url: &str) -> String {
    let shown: String = url.chars().take(REMOVED_CHARACTERS_MAX).collect();
    format!("a URL that runs code was taken out: {shown}")
}

fn of_mobiledoc(mobiledoc: &str) -> Result<String, DocumentError> {
    // Ghost rejects a document without cards; other programs leave the list out where there are none.
    mobiledoc::check(mobiledoc)?;
    match mobiledoc.contains("\"cards\"") {
        true => mobiledoc::to_lexical(&mobiledoc::clean_for_import(mobiledoc)?),
        false => mobiledoc::to_lexical(mobiledoc),
    }
}

fn kept(
    document: &Document,
    mut losses: Vec<String>,
    removals: Vec<String>,
    files: &Files,
) -> ConvertedBody {
    losses.extend(document.losses.iter().map(|loss| {
        format!(
            "a part of its body is not shown: {} ({})",
            loss.reason, loss.place
        )
    }));
    ConvertedBody {
        lexical: Some(files.renamed(&document.lexical).into_owned()),
        html: files.renamed(&document.html).into_owned(),
        losses,
        removals,
    }
}

/// The document of a body that is HTML only: as Ghost's importer makes it, unless that loses some of the text.
fn document_of(html: &str, site: &Url) -> Result<String, DocumentError> {
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
