//! Snippets: stored parts of a document (rules as recorded from Ghost 6.65).

use std::sync::Arc;

use url::Url;

use super::collection::{self, Collection};
use crate::{
    collation,
    domain::{
        OptionalText,
        action::ActionEvent,
        actor::Actor,
        snippet::{DOCUMENT_BYTES_MAX, SNIPPETS_MAX, Snippet},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{lexical, urls},
    site::{EditableRecord, Site, Transaction},
    store::Table,
};

/// The values of a snippet.
#[derive(Debug)]
pub struct SnippetChanges {
    /// The name.
    pub name: Box<str>,
    /// The document in the format of Ghost's earlier editor.
    pub mobiledoc: Box<str>,
    /// The document of the editor; `None` leaves it unchanged, `Some(None)` removes it.
    pub lexical: Option<OptionalText>,
}

/// Adds a snippet. `site_url` is the site's URL.
///
/// # Errors
///
/// `Validation` for a name that is empty or in use, for a document that is invalid or too long, and
/// if the site has the maximum number of snippets.
pub fn add(
    site: &Site,
    actor: &Actor,
    site_url: &Url,
    changes: SnippetChanges,
) -> Result<Arc<Snippet>> {
    let changes = checked(site_url, changes)?;
    site.write(|transaction| {
        let names = names(transaction)?;
        if names.len() >= SNIPPETS_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!("A site can have at most {SNIPPETS_MAX} snippets."),
            ));
        }
        let now = transaction.now();
        let new = Snippet {
            id: Id::generate(now).map_err(Error::internal)?,
            name: changes.name.clone(),
            mobiledoc: changes.mobiledoc.clone(),
            lexical: changes.lexical.clone().flatten(),
            created_at: now,
            updated_at: now,
        };
        refuse_taken_name(&names, &new)?;
        collection::save(transaction, actor, ActionEvent::Added, new)
    })
}

/// Updates a snippet.
///
/// # Errors
///
/// `NotFound` if it does not exist; otherwise as [`add`]. Ghost 6.65 responds with 500 if the name
/// is in use.
pub fn edit(
    site: &Site,
    actor: &Actor,
    site_url: &Url,
    id: Option<Id>,
    changes: SnippetChanges,
) -> Result<Arc<Snippet>> {
    let changes = checked(site_url, changes)?;
    site.write(|transaction| {
        let existing: Arc<Snippet> = collection::found(transaction, actor, id)?;
        let mut new = Snippet {
            name: changes.name.clone(),
            mobiledoc: changes.mobiledoc.clone(),
            lexical: changes
                .lexical
                .clone()
                .unwrap_or_else(|| existing.lexical.clone()),
            ..Snippet::clone(&existing)
        };
        if new == *existing {
            return Ok(existing);
        }
        refuse_taken_name(&names(transaction)?, &new)?;
        new.updated_at = transaction.now_after(new.updated_at);
        collection::save(transaction, actor, ActionEvent::Edited, new)
    })
}

impl EditableRecord for Snippet {
    const TABLE: Table = Table::Snippets;
}

impl Collection for Snippet {}

/// Returns the changes with their documents in stored form: minified, and URLs in the `lexical`
/// document relative to the site.
fn checked(site_url: &Url, changes: SnippetChanges) -> Result<SnippetChanges> {
    if changes.name.trim().is_empty() {
        return Err(invalid("name", "A snippet needs a name.".to_owned()));
    }
    let mobiledoc = document("mobiledoc", &changes.mobiledoc)?;
    let lexical = match changes.lexical {
        Some(Some(text)) => {
            let document_text = document("lexical", &text)?;
            Some(Some(
                urls::lexical_to_stored(&document_text, site_url).into(),
            ))
        }
        other => other,
    };
    Ok(SnippetChanges {
        name: changes.name,
        mobiledoc: mobiledoc.into(),
        lexical,
    })
}

fn document(field: &'static str, text: &str) -> Result<String> {
    if text.len() > DOCUMENT_BYTES_MAX {
        return Err(invalid(
            field,
            format!(
                "A snippet has at most {DOCUMENT_BYTES_MAX} bytes in \"{field}\"; this one has {}.",
                text.len()
            ),
        ));
    }
    lexical::minified(text).map_err(|error| invalid(field, format!("{error}.")))
}

/// Returns the identifiers and names of all snippets, oldest first.
///
/// # Errors
///
/// If the store cannot be read.
pub fn names(transaction: &Transaction) -> Result<Vec<(Id, Box<str>)>> {
    // Only identifiers and names are held in memory: each document may have a megabyte.
    transaction.all(Table::Snippets, |snippet: Snippet| {
        (snippet.id, snippet.name)
    })
}

fn refuse_taken_name(names: &[(Id, Box<str>)], new: &Snippet) -> Result<()> {
    let known = names.iter().find(|(id, _)| *id == new.id);
    // As in `Records::is_name_taken`, an unchanged name is accepted, so that snippets of earlier
    // versions remain editable.
    let is_new = known.is_none_or(|(_, name)| *name != new.name);
    let is_taken =
        |(id, name): &(Id, Box<str>)| *id != new.id && collation::is_equal(name, &new.name);
    if is_new && names.iter().any(is_taken) {
        Err(Error::already_exists(format!(
            "A snippet named \"{}\"",
            new.name
        )))
    } else {
        Ok(())
    }
}

fn invalid(field: &str, message: String) -> Error {
    Error::new(Kind::Validation, message).property(field)
}
