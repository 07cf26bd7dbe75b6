//! The snippets of an export.

use super::{
    importer::{Importer, Standing, subject},
    keys::record_id,
    rows::Reading,
};
use crate::{
    domain::{
        UNDATED,
        snippet::{DOCUMENT_BYTES_MAX, NAME_CHARACTERS_MAX, SNIPPETS_MAX, Snippet},
    },
    error::Result,
    render::{lexical, urls},
};

/// What snippets are called in the report.
const PLURAL: &str = "snippets";

/// A document of the editor before that says nothing.
const EMPTY_MOBILEDOC: &str = "{}";

impl Importer<'_> {
    /// Brings in the snippets.
    pub fn snippets(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.snippets {
            self.snippet(&row.read())?;
        }
        Ok(())
    }

    fn snippet(&mut self, row: &Reading<'_>) -> Result<()> {
        let Some(name) = row.boxed("name").filter(|name| is_name(name)) else {
            self.report.leave_out(
                "a row of the table snippets",
                format!("it has no name of 1 to {NAME_CHARACTERS_MAX} characters"),
            );
            return Ok(());
        };
        let subject = subject("snippet", &name);
        let id = record_id("snippet", row.key("id").as_ref(), &name);
        let updated_at = row.date("updated_at").or_else(|| row.date("created_at"));
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
        self.tell_misfits(&subject, row);
        let names = self.transaction.snippet_names()?;
        let is_taken = |(other, name): &(_, Box<str>)| *other != id && *name == snippet.name;
        let known = self.transaction.snippet(id)?;
        let standing = match &known {
            _ if names.iter().any(is_taken) => {
                Standing::Kept("is left out: there is a snippet with this name")
            }
            None if names.len() >= SNIPPETS_MAX => {
                Standing::Kept("is left out: there are as many snippets as a site may have")
            }
            known => {
                let known = known.as_ref().map(|known| (known.updated_at, &None));
                Standing::of(known, snippet.updated_at)
            }
        };
        self.report.count(PLURAL, standing.outcome());
        match standing {
            Standing::New | Standing::Newer => self.transaction.save_snippet(&snippet),
            Standing::Kept(why) => {
                self.report.leave_out(subject, why);
                Ok(())
            }
            Standing::Same => Ok(()),
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= NAME_CHARACTERS_MAX
}

/// The document in the column, unless it is invalid or too long.
fn document(row: &Reading<'_>, column: &'static str) -> Option<String> {
    let text = row.json_text(column)?;
    (text.len() <= DOCUMENT_BYTES_MAX)
        .then(|| lexical::minified(&text).ok())
        .flatten()
}
