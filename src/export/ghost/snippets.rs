//! Snippets: `snippets`.

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    document::{ExportDocument, Time},
};
use crate::{domain::snippet::Snippet, id::Id, site::SiteSnapshot, store::Table};

/// A row of `snippets`.
#[derive(Serialize)]
struct SnippetRow<'a> {
    id: Id,
    name: &'a str,
    mobiledoc: &'a str,
    lexical: Option<&'a str>,
    created_at: Time,
    updated_at: Time,
}

/// Writes all snippets.
pub fn write(
    snapshot: &SiteSnapshot,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let snippets: Vec<Snippet> = snapshot.all(Table::Snippets)?;
    let mut table = document.table("snippets")?;
    for snippet in &snippets {
        table.row(&SnippetRow {
            id: snippet.id,
            name: &snippet.name,
            mobiledoc: &snippet.mobiledoc,
            lexical: snippet.lexical.as_deref(),
            created_at: Time(snippet.created_at),
            updated_at: Time(snippet.updated_at),
        })?;
    }
    report.add("snippets", table.end()?);
    Ok(())
}
