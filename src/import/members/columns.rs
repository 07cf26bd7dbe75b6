//! Which column of a list says what.

use std::collections::HashMap;

use csv::StringRecord;

use crate::error::{Error, Kind, Result};

/// What a column may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Id,
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
}

/// The names of the columns: those of Ghost's lists (recorded), then others in use. Where two columns of a file say the
/// same, the one whose name stands first here counts; of two with one name, the last one.
const NAMES: [(Column, &[&str]); 12] = [
    (Column::Id, &["id"]),
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
];

/// How much of a header an error repeats, in characters.
const SHOWN_CHARACTERS_MAX: usize = 200;

/// Where the columns of one file are.
pub struct Columns {
    places: [Option<usize>; NAMES.len()],
    unknown: Vec<String>,
    count: usize,
}

impl Columns {
    /// Finds the columns by a file's header, with other names for those that `mapping` has. Case, blanks and dashes in
    /// names do not count.
    ///
    /// # Errors
    ///
    /// `Validation` when no column holds addresses: without it the file is no list of members.
    pub fn of(header: &StringRecord, mapping: &HashMap<String, String>) -> Result<Self> {
        let mapped = |name: &str| mapping.get(name.trim()).map(String::as_str);
        let names: Vec<String> = header
            .iter()
            .map(|name| normalized(mapped(name).unwrap_or(name)))
            .collect();
        let place_of = |known: &[&str]| {
            known
                .iter()
                .find_map(|known| names.iter().rposition(|name| name == known))
        };
        let places = NAMES.map(|(_, known)| place_of(known));
        let is_unknown = |&place: &usize| !places.contains(&Some(place));
        let columns = Self {
            unknown: (0..names.len())
                .filter(is_unknown)
                .map(|place| header[place].trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
            count: names.len(),
            places,
        };
        match columns.place(Column::Email) {
            Some(_) => Ok(columns),
            None => Err(no_addresses(header)),
        }
    }

    /// The columns that say nothing that a member has, as the file names them.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What stands in a column of `row`, without blanks at its ends; none when that is nothing.
    pub fn word<'a>(&self, column: Column, row: &'a StringRecord) -> Option<&'a str> {
        let word = row.get(self.place(column)?)?.trim();
        (!word.is_empty()).then_some(word)
    }

    /// What stands in a column of `row`, to the letter; none when that is nothing or blanks.
    pub fn text<'a>(&self, column: Column, row: &'a StringRecord) -> Option<&'a str> {
        let text = row.get(self.place(column)?)?;
        (!text.trim().is_empty()).then_some(text)
    }

    fn place(&self, column: Column) -> Option<usize> {
        NAMES
            .iter()
            .position(|(known, _)| *known == column)
            .and_then(|place| self.places[place])
    }
}

fn normalized(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn no_addresses(header: &StringRecord) -> Error {
    let names = header.iter().collect::<Vec<_>>().join(", ");
    let error = Error::new(Kind::Validation, "The list has no column \"email\".");
    let error = match header.iter().all(|name| name.trim().is_empty()) {
        true => error.context("Its first line is empty."),
        false => {
            let shown: String = names.chars().take(SHOWN_CHARACTERS_MAX).collect();
            error.context(format!("Its first line is: {}.", shown.escape_debug()))
        }
    };
    error.help("The first line of a list of members names its columns, such as email,name,labels.")
}
