//! Export of posts as CSV, for spreadsheets.

use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};
use jiff::Timestamp;

use super::ExportError;
use crate::{
    catalog::Catalog,
    clock,
    domain::{
        post::{Post, Status, Visibility},
        post_email::PostEmail,
    },
    id::Id,
    nql::{self, Comparison, Expression, Predicate, Value},
    render::spreadsheet_cell::escape_cell,
};

/// A column: its name, and a function that returns the cell of a post.
type Column = (&'static str, fn(&ExportedPost<'_>) -> String);

/// The columns and their order, as in Ghost (Ghost 6.65, recorded). Opens and clicks are not
/// tracked.
const COLUMNS: &[Column] = &[
    ("id", |row| row.post.id.to_string()),
    ("title", |row| escape_cell(&row.post.title)),
    ("url", |row| row.url.clone()),
    ("author", |row| {
        let authors = row.catalog.users.all(&row.post.authors);
        joined(authors.iter().map(|author| &*author.name))
    }),
    ("status", |row| status(row).to_owned()),
    ("created_at", |row| date(row.post.created_at)),
    ("updated_at", |row| date(row.post.updated_at)),
    ("published_at", |row| {
        let published_at = row.post.published_at.filter(|_| row.post.is_out());
        published_at.map(date).unwrap_or_default()
    }),
    ("featured", |row| row.post.featured.to_string()),
    ("tags", |row| {
        let tags = row.catalog.tags.all(&row.post.tags);
        joined(tags.iter().map(|tag| &*tag.name))
    }),
    ("post_access", |row| access(row.catalog, row.post)),
    ("email_recipients", |row| {
        row.of_email(|email| match email.segment.as_deref() {
            None => "All subscribers".to_owned(),
            Some(segment) => escape_cell(&recipients(row.catalog, segment)),
        })
    }),
    (NEWSLETTER_NAME, |row| {
        row.of_email(|email| {
            let newsletter = row.catalog.newsletters.get(email.newsletter);
            newsletter.map_or_else(String::new, |newsletter| escape_cell(&newsletter.name))
        })
    }),
    ("sends", |row| {
        row.of_email(|email| email.recipients.to_string())
    }),
    ("opens", |row| row.of_email(|_| "0".to_owned())),
    ("clicks", |row| row.of_email(|_| "0".to_owned())),
    ("signups", |row| {
        if row.post.is_out() {
            "0".to_owned()
        } else {
            String::new()
        }
    }),
    ("feedback_more_like_this", |row| row.feedback()),
    ("feedback_less_like_this", |row| row.feedback()),
];

/// The column that is exported only by sites with several newsletters.
const NEWSLETTER_NAME: &str = "newsletter_name";

/// The prefix of the columns that are exported only by sites that ask for feedback in mails.
const FEEDBACK: &str = "feedback_";

/// A post to be written, with its URL and its email.
struct ExportedPost<'a> {
    catalog: &'a Catalog,
    post: &'a Post,
    url: String,
    email: Option<&'a PostEmail>,
}

impl ExportedPost<'_> {
    fn of_email(&self, text: impl Fn(&PostEmail) -> String) -> String {
        self.email.map(text).unwrap_or_default()
    }

    /// Returns the cell of a feedback column. Feedback is not tracked, so it is zero, or empty if
    /// the mail does not ask for feedback.
    fn feedback(&self) -> String {
        self.of_email(|email| {
            if asks_for_feedback(self.catalog, email.newsletter) {
                "0".to_owned()
            } else {
                String::new()
            }
        })
    }
}

/// Returns the columns of a site (Ghost 6.65, recorded).
fn columns(catalog: &Catalog) -> Vec<&'static Column> {
    let has_several = catalog.newsletters.iter().count() > 1;
    let has_feedback = catalog
        .newsletters
        .iter()
        .any(|newsletter| asks_for_feedback(catalog, newsletter.id));
    let is_included = |column: &&Column| match column.0 {
        NEWSLETTER_NAME => has_several,
        name => has_feedback || !name.starts_with(FEEDBACK),
    };
    COLUMNS.iter().filter(is_included).collect()
}

fn asks_for_feedback(catalog: &Catalog, newsletter: Id) -> bool {
    let newsletter = catalog.newsletters.get(newsletter);
    let chosen = newsletter.and_then(|newsletter| newsletter.chosen("feedback_enabled"));
    chosen.is_some_and(|chosen| chosen == true)
}

/// Writes `posts` in the given order; `url` returns the URL of each. Cells are escaped so that
/// spreadsheets do not evaluate them as formulas.
///
/// # Errors
///
/// `Output` if `out` cannot be written.
pub fn write<'a>(
    catalog: &Catalog,
    posts: impl Iterator<Item = &'a Post>,
    url: impl Fn(&Post) -> String,
    out: impl Write,
) -> Result<(), ExportError> {
    let mut rows = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    let columns = columns(catalog);
    let names = columns.iter().map(|(name, _)| *name);
    rows.write_record(names).map_err(io::Error::from)?;
    for post in posts {
        let email = catalog.emails.of_post(post.id);
        let row = ExportedPost {
            catalog,
            post,
            url: url(post),
            // A post that is a draft again counts as not sent.
            email: email.map(AsRef::as_ref).filter(|_| post.is_out()),
        };
        let cells = columns.iter().map(|(_, cell)| cell(&row));
        rows.write_record(cells).map_err(io::Error::from)?;
    }
    // Explicit, because dropping the writer would ignore an error.
    rows.flush()?;
    Ok(())
}

fn status(row: &ExportedPost<'_>) -> &'static str {
    match (row.post.status, row.email) {
        (Status::Published, Some(_)) => "published and emailed",
        (Status::Published, None) => "published only",
        (Status::Sent, _) => "emailed only",
        (Status::Draft | Status::Scheduled, _) => row.post.status.name(),
    }
}

/// Describes a segment by its alternatives of status, labels and tiers (Ghost 6.65, observed).
fn recipients(catalog: &Catalog, segment: &str) -> String {
    let mut words = Vec::new();
    match nql::parse(segment) {
        Ok(expression) => describe(catalog, &expression, &mut words),
        Err(_) => return segment.to_owned(),
    }
    words.join(", ")
}

/// Adds the alternatives of an expression, whose depth is bounded by the parser.
fn describe(catalog: &Catalog, expression: &Expression, words: &mut Vec<String>) {
    let condition = match expression {
        // Ghost describes alternatives only (6.65, observed).
        Expression::And(_) => return,
        Expression::Or(members) => {
            return members
                .iter()
                .for_each(|member| describe(catalog, member, words));
        }
        Expression::Condition(condition) => &condition.node,
    };
    let Predicate::Compare { operator, value } = &condition.predicate else {
        return;
    };
    let (Value::Word(value) | Value::Text(value)) = &value.node else {
        return;
    };
    let name = match (condition.field.node.as_str(), operator, value.as_str()) {
        ("status", Comparison::Equal, "free") | ("status", Comparison::NotEqual, "paid") => {
            "Free subscribers".to_owned()
        }
        ("status", Comparison::Equal, "paid") | ("status", Comparison::NotEqual, "free") => {
            "Paid subscribers".to_owned()
        }
        ("status", Comparison::Equal, "comped") => "Complimentary subscribers".to_owned(),
        ("label", Comparison::Equal, slug) => match catalog.labels.with_slug(slug).next() {
            Some(label) => label.name.to_string(),
            None => slug.to_owned(),
        },
        ("tier", Comparison::Equal, slug) => match catalog.tiers.with_slug(slug).next() {
            Some(tier) => tier.name.to_string(),
            None => slug.to_owned(),
        },
        _ => return,
    };
    words.push(name);
}

fn access(catalog: &Catalog, post: &Post) -> String {
    match post.visibility {
        Visibility::Public => "Public".to_owned(),
        Visibility::Members => "Members-only".to_owned(),
        Visibility::Paid => "Paid members-only".to_owned(),
        Visibility::Tiers => {
            let tiers = catalog.tiers.all(&post.tiers);
            let names = if tiers.is_empty() {
                "none".to_owned()
            } else {
                joined(tiers.iter().map(|tier| &*tier.name))
            };
            format!("Specific tiers: {names}")
        }
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    escape_cell(&names.collect::<Vec<_>>().join(", "))
}

fn date(time: Timestamp) -> String {
    let utc = clock::utc(time);
    utc.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}
