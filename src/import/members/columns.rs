//! Detects the columns of a list of members.

use std::collections::HashMap;

use csv::StringRecord;

use crate::error::{Error, Kind, Result};

/// The fields of a member that a column may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Id,
    Uuid,
    Email,
    Name,
    Note,
    Subscribed,
    Complimentary,
    StripeCustomer,
    CreatedAt,
    DeletedAt,
    Labels,
    Tiers,
    ImportTier,
    Newsletters,
}

/// The names of columns: those of Ghost's lists (recorded), Galley's column for newsletters, and other common ones. If
/// two columns of a file hold the same field, the name that comes first here takes precedence; if two columns have the
/// same name, the last one does.
const NAMES: [(Column, &[&str]); 14] = [
    (Column::Id, &["id"]),
    (Column::Uuid, &["uuid"]),
    (Column::Email, &["email", "email_address", "e_mail"]),
    (Column::Name, &["name", "full_name"]),
    (Column::Note, &["note"]),
    (Column::Subscribed, &["subscribed_to_emails", "subscribed"]),
    (Column::Complimentary, &["complimentary_plan"]),
    (Column::StripeCustomer, &["stripe_customer_id"]),
    (Column::CreatedAt, &["created_at"]),
    (Column::DeletedAt, &["deleted_at"]),
    (Column::Labels, &["labels"]),
    (Column::Tiers, &["tiers"]),
    (Column::ImportTier, &["import_tier"]),
    (Column::Newsletters, &["newsletters"]),
];

/// Longest part of a header in an error, in characters.
const SHOWN_CHARACTERS_MAX: usize = 200;

/// The positions of the columns in one file.
pub struct Columns {
    positions: [Option<usize>; NAMES.len()],
    unknown: Vec<String>,
    count: usize,
}

impl Columns {
    /// Detects the columns in a file's header, after renaming columns as in `mapping`. Case, spaces and dashes in names
    /// are ignored.
    ///
    /// # Errors
    ///
    /// `Validation` if no column holds e-mail addresses, so the file is not a list of members.
    pub fn of(header: &StringRecord, mapping: &HashMap<String, String>) -> Result<Self> {
        let mapped = |name: &str| mapping.get(name.trim()).map(String::as_str);
        let names: Vec<String> = header
            .iter()
            .map(|name| normalized(mapped(name).unwrap_or(name)))
            .collect();
        let position_of = |known: &[&str]| {
            known
                .iter()
                .find_map(|known| names.iter().rposition(|name| name == known))
        };
        let positions = NAMES.map(|(_, known)| position_of(known));
        let is_unknown = |&position: &usize| !positions.contains(&Some(position));
        let columns = Self {
            unknown: (0..names.len())
                .filter(is_unknown)
                .map(|position| header[position].trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
            count: names.len(),
            positions,
        };
        match columns.position(Column::Email) {
            Some(_) => Ok(columns),
            None => Err(missing_email_column(header)),
        }
    }

    /// Returns the names of unknown columns, as written in the file.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Returns the number of columns.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the trimmed text in a column of `row`; `None` if it is empty.
    pub fn word<'a>(&self, column: Column, row: &'a StringRecord) -> Option<&'a str> {
        let word = row.get(self.position(column)?)?.trim();
        (!word.is_empty()).then_some(word)
    }

    /// Returns the verbatim text in a column of `row`; `None` if it is blank.
    pub fn text<'a>(&self, column: Column, row: &'a StringRecord) -> Option<&'a str> {
        let text = row.get(self.position(column)?)?;
        (!text.trim().is_empty()).then_some(text)
    }

    fn position(&self, column: Column) -> Option<usize> {
        NAMES
            .iter()
            .position(|(known, _)| *known == column)
            .and_then(|index| self.positions[index])
    }
}

fn normalized(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn missing_email_column(header: &StringRecord) -> Error {
    let names = header.iter().collect::<Vec<_>>().join(", ");
    let error = Error::new(Kind::Validation, "The list has no column \"email\".");
    let error = if header.iter().all(|name| name.trim().is_empty()) {
        error.context("Its first line is empty.")
    } else {
        let shown: String = names.chars().take(SHOWN_CHARACTERS_MAX).collect();
        error.context(format!("Its first line is: {}.", shown.escape_debug()))
    };
    error.help("The first line of a list of members names its columns, such as email,name,labels.")
}
