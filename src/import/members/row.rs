//! Parses a row of a list of members.

use csv::StringRecord;
use jiff::{Timestamp, tz::TimeZone};
use uuid::Uuid;

use super::columns::{Column, Columns};
use crate::{content_files::parse_date, id::Id, render::spreadsheet_cell::unescape_cell};

/// A member's consent to mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Yes.
    Agreed,
    /// No.
    Refused,
    /// The cell is empty or there is no such column.
    Unstated,
    /// The cell is neither yes nor no.
    Unclear,
}

/// A parsed row.
pub struct MemberRow {
    /// The identifier that the member had elsewhere.
    pub id: Option<Id>,
    /// The UUID that the member had elsewhere, which is in URLs of mails.
    pub uuid: Option<Uuid>,
    /// The e-mail address, not validated yet.
    pub email: String,
    /// The member's name.
    pub name: Option<Box<str>>,
    /// The note of the staff.
    pub note: Option<Box<str>>,
    /// The member's consent to mail.
    pub consent: Consent,
    /// True if the member has a complimentary tier; `None` if the list does not say.
    pub is_complimentary: Option<bool>,
    /// The customer identifier at Stripe.
    pub stripe_customer_id: Option<Box<str>>,
    /// Time of the sign-up.
    pub created_at: Option<Timestamp>,
    /// Names of labels, each once.
    pub labels: Vec<String>,
    /// The complimentary tier to add, by name, slug or identifier.
    pub import_tier: Option<String>,
    /// The tiers that the member had elsewhere, by name.
    pub tiers: Option<String>,
    /// The newsletters that the member got elsewhere, by name.
    pub newsletters: Option<String>,
    /// Remarks about ignored cells.
    pub remarks: Vec<String>,
}

impl MemberRow {
    /// Parses a row. `None` if all its cells are empty.
    ///
    /// # Errors
    ///
    /// The reason, if the row is invalid.
    pub fn read(
        cells: &StringRecord,
        columns: &Columns,
        site_zone: &TimeZone,
        now: Timestamp,
    ) -> Result<Option<Self>, String> {
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            return Ok(None);
        }
        // After an unquoted comma, all further cells would be in the wrong columns.
        if cells
            .iter()
            .skip(columns.count())
            .any(|cell| !cell.trim().is_empty())
        {
            return Err(format!(
                "it has {} cells, but there are {} columns; a cell with a comma in it needs quotation marks",
                cells.len(),
                columns.count()
            ));
        }
        let word = |column| columns.word(column, cells).map(unescape_cell);
        let text = |column| columns.text(column, cells).map(unescape_cell);
        let email = word(Column::Email).ok_or("it has no e-mail address")?;
        if let Some(date) = word(Column::DeletedAt) {
            return Err(format!("{email} was deleted ({date})"));
        }
        let mut remarks = Vec::new();
        let consent = consent(word(Column::Subscribed), &mut remarks);
        let is_complimentary = is_complimentary(word(Column::Complimentary), &mut remarks);
        let created_at = created_at(word(Column::CreatedAt), site_zone, now, &mut remarks);
        Ok(Some(Self {
            id: word(Column::Id).and_then(|id| id.parse().ok()),
            uuid: word(Column::Uuid).and_then(|uuid| Uuid::try_parse(uuid).ok()),
            email: email.to_owned(),
            name: text(Column::Name).map(Box::from),
            note: text(Column::Note).map(Box::from),
            consent,
            is_complimentary,
            stripe_customer_id: word(Column::StripeCustomer).map(Box::from),
            created_at,
            labels: labels(text(Column::Labels).unwrap_or_default()),
            import_tier: word(Column::ImportTier).map(str::to_owned),
            tiers: word(Column::Tiers).map(str::to_owned),
            newsletters: word(Column::Newsletters).map(str::to_owned),
            remarks,
        }))
    }
}

fn consent(word: Option<&str>, remarks: &mut Vec<String>) -> Consent {
    match word.map(truth) {
        None => Consent::Unstated,
        Some(Ok(true)) => Consent::Agreed,
        Some(Ok(false)) => Consent::Refused,
        Some(Err(word)) => {
            remarks.push(format!(
                "\"{word}\" in subscribed_to_emails is neither true nor false; no newsletter is added"
            ));
            Consent::Unclear
        }
    }
}

fn is_complimentary(word: Option<&str>, remarks: &mut Vec<String>) -> Option<bool> {
    match word.map(truth) {
        None => None,
        Some(Ok(is_complimentary)) => Some(is_complimentary),
        Some(Err(word)) => {
            remarks.push(format!(
                "\"{word}\" in complimentary_plan is neither true nor false; tiers are unchanged"
            ));
            None
        }
    }
}

/// Returns the time of the sign-up. A date that is invalid, ambiguous or in the future is ignored.
fn created_at(
    word: Option<&str>,
    site_zone: &TimeZone,
    now: Timestamp,
    remarks: &mut Vec<String>,
) -> Option<Timestamp> {
    let word = word?;
    let problem = match date(word, site_zone) {
        Ok(date) if date <= now => return Some(date),
        Ok(_) => "is in the future",
        Err(problem) => problem,
    };
    remarks.push(format!("\"{word}\" in created_at {problem} and is ignored"));
    None
}

/// Reads a date. In a numeric date with the year last, such as `12/31/2020` or `31.12.2020 09:30`, either one of the
/// first two numbers must be greater than 12, so that it is the day, or both must be equal.
///
/// # Errors
///
/// The problem with the date, for a remark.
fn date(word: &str, site_zone: &TimeZone) -> Result<Timestamp, &'static str> {
    const MONTHS: u8 = 12;
    const NO_DATE: &str = "is not a date";
    let Some(([first, second], rest)) = two_short_numbers(word) else {
        return parse_date(word, site_zone).ok_or(NO_DATE);
    };
    let (month, day) = match (first <= MONTHS, second <= MONTHS) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        (true, true) if first == second => (first, second),
        // Ghost 6.65 takes the first number for the month (recorded in admin-members-csv-dates; the
        // difference is in CONTRADICTIONS.md).
        (true, true) => {
            return Err(
                "is ambiguous, since either number may be the month (write it as 2020-02-03),",
            );
        }
        (false, false) => return Err(NO_DATE),
    };
    let (year, time) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    let date = format!("{year}-{month:02}-{day:02} {time}");
    let date = is_year
        .then(|| parse_date(date.trim_end(), site_zone))
        .flatten();
    date.ok_or(NO_DATE)
}

/// Returns the two numbers of at most two digits that begin a date, and the text after them.
fn two_short_numbers(word: &str) -> Option<([u8; 2], &str)> {
    let (first, rest) = word.split_once(['/', '.', '-'])?;
    let (second, rest) = rest.split_once(['/', '.', '-'])?;
    let number = |digits: &str| {
        let is_short = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_short.then(|| digits.parse().ok()).flatten()
    };
    Some(([number(first)?, number(second)?], rest))
}

/// Parses the words for yes and no; returns any other word as the error.
fn truth(word: &str) -> Result<bool, &str> {
    const YES: [&str; 4] = ["true", "yes", "1", "on"];
    const NO: [&str; 4] = ["false", "no", "0", "off"];
    let is_one_of = |words: [&str; 4]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    match (is_one_of(YES), is_one_of(NO)) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(word),
    }
}

fn labels(cell: &str) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for label in cell.split(',').map(str::trim) {
        if !label.is_empty() && !labels.iter().any(|known| known == label) {
            labels.push(label.to_owned());
        }
    }
    labels
}
