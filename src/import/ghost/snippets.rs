//! Imports snippets.

use super::{
    importer::{Importer, UpsertDecision, subject},
    keys::record_id,
    rows::RowReader,
};
use crate::{
    collation,
    domain::{
        UNDATED,
        origin::RecordOrigin,
        snippet::{DOCUMENT_BYTES_MAX, NAME_CHARACTERS_MAX, SNIPPETS_MAX, Snippet},
    },
    error::Result,
    render::{lexical, urls},
    site::EditableRecord,
    store::Table,
};

/// The name of snippets in the report.
const PLURAL: &str = "snippets";

/// An empty document of Ghost's former editor.
const EMPTY_MOBILEDOC: &str = "{}";

impl Importer<'_> {
    /// Imports the snippets.
    pub fn snippets(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.snippets {
            self.snippet(&row.read())?;
        }
        Ok(())
    }

    fn snippet(&mut self, row: &RowReader<'_>) -> Result<()> {
        let Some(name) = row.boxed("name").filter(|name| is_name(name)) else {
            self.report.leave_out(
                "a row of the table snippets",
                format!("it has no name of 1 to {NAME_CHARACTERS_MAX} characters"),
            );
            return Ok(());
        };
        let subject = subject("snippet", &name);
        let id = record_id("snippet", row.key("id").as_ref(), &name);
        let updated_at = row.first_date(&["updated_at", "created_at"]);
        let snippet = Snippet {
            id,
            mobiledoc: document(row, "mobiledoc")
                .unwrap_or_else(|| EMPTY_MOBILEDOC.to_owned())
                .into(),
            lexical: document(row, "lexical").map(|text| {
                self.files
                    .renamed(&urls::lexical_to_stored(&text, self.site))
                    .as_ref()
                    .into()
            }),
            created_at: row.date("created_at").or(updated_at).unwrap_or(UNDATED),
            updated_at: updated_at.unwrap_or(UNDATED),
            name,
        };
        self.report_columns(&subject, row, PLURAL, &[]);
        let names = self.transaction.all(Table::Snippets, |snippet: Snippet| {
            (snippet.id, snippet.name)
        })?;
        let is_taken = |(other, name): &(_, Box<str>)| {
            *other != id && collation::is_equal(name, &snippet.name)
        };
        let known = Snippet::find(self.transaction, id)?;
        let decision = match &known {
            _ if names.iter().any(is_taken) => {
                UpsertDecision::Skip("is left out: there is a snippet with this name")
            }
            None if names.len() >= SNIPPETS_MAX => {
                UpsertDecision::Skip("is left out: the site has the maximum number of snippets")
            }
            known => {
                let known = known
                    .as_ref()
                    .map(|known| (known.updated_at, &RecordOrigin::Store));
                UpsertDecision::of(known, snippet.updated_at)
            }
        };
        self.report.count(PLURAL, decision.outcome());
        match decision {
            UpsertDecision::Insert | UpsertDecision::Update => {
                snippet.save(self.transaction).map(drop)
            }
            UpsertDecision::Skip(reason) => {
                self.report.leave_out(subject, reason);
                Ok(())
            }
            UpsertDecision::Unchanged => Ok(()),
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= NAME_CHARACTERS_MAX
}

/// Returns the document in the column; `None` if it is invalid or too long.
fn document(row: &RowReader<'_>, column: &'static str) -> Option<String> {
    let text = row.json_text(column)?;
    (text.len() <= DOCUMENT_BYTES_MAX)
        .then(|| lexical::minified(&text).ok())
        .flatten()
}
