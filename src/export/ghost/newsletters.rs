//! Newsletters: `newsletters`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::{
    super::{ExportError, Report},
    document::{ExportDocument, Time},
};
use crate::{catalog::Catalog, domain::newsletter_design::DESIGN, id::Id};

/// A row of `newsletters`.
#[derive(Serialize)]
struct NewsletterRow<'a> {
    id: Id,
    uuid: Uuid,
    name: &'a str,
    description: Option<&'a str>,
    slug: &'a str,
    sender_email: Option<&'a str>,
    status: &'a str,
    visibility: &'a str,
    subscribe_on_signup: bool,
    sort_order: u32,
    #[serde(flatten)]
    design: BTreeMap<&'static str, Value>,
    created_at: Time,
    updated_at: Time,
}

/// Writes all newsletters.
pub fn write(
    catalog: &Catalog,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let mut table = document.table("newsletters")?;
    for newsletter in catalog.newsletters.iter() {
        table.row(&NewsletterRow {
            id: newsletter.id,
            uuid: newsletter.uuid,
            name: &newsletter.name,
            description: newsletter.description.as_deref(),
            slug: &newsletter.slug,
            sender_email: newsletter.sender_email.as_deref(),
            status: if newsletter.active {
                "active"
            } else {
                "archived"
            },
            visibility: &newsletter.visibility,
            subscribe_on_signup: newsletter.subscribe_on_signup,
            sort_order: newsletter.sort_order,
            design: DESIGN
                .iter()
                .map(|choice| (choice.name, newsletter.chosen(choice)))
                .collect(),
            created_at: Time(newsletter.created_at),
            updated_at: Time(newsletter.updated_at),
        })?;
    }
    report.add("newsletters", table.end()?);
    Ok(())
}
