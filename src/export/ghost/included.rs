//! Tables that are exported only on request: members with their relations, and integrations without
//! their keys.

use jiff::Timestamp;
use serde::Serialize;

use super::{
    super::ExportError,
    document::{Columns, ExportDocument, Time},
};
use crate::{
    catalog::{
        Catalog,
        fields::{Field, LABELS, MEMBERS},
    },
    domain::{integration::Integration, member::Member},
    id::Id,
};

/// A row of `members_labels`.
#[derive(Serialize)]
struct LabelOfMember {
    id: Id,
    member_id: Id,
    label_id: Id,
    sort_order: usize,
}

/// A row of `members_newsletters`.
#[derive(Serialize)]
struct NewsletterOfMember {
    id: Id,
    member_id: Id,
    newsletter_id: Id,
}

/// A row of `members_products`.
#[derive(Serialize)]
struct TierOfMember {
    id: Id,
    member_id: Id,
    product_id: Id,
    sort_order: usize,
    expiry_at: Option<Time>,
}

/// A row of `integrations`.
#[derive(Serialize)]
struct IntegrationRow<'a> {
    id: Id,
    r#type: &'a str,
    name: &'a str,
    slug: &'a str,
    icon_image: Option<&'a str>,
    description: Option<&'a str>,
    created_at: Time,
    updated_at: Time,
}

/// Writes the supported tables among `requested`, each once, with members as of `now`.
pub fn write(
    catalog: &Catalog,
    requested: &[String],
    now: Timestamp,
    document: &mut ExportDocument,
) -> Result<(), ExportError> {
    // Tables are written in a fixed order, each once, whatever the request repeats: the same site
    // must give the same bytes.
    let is_requested = |name: &str| requested.iter().any(|requested| requested == name);
    let current = catalog.members.at(now);
    let members = || current.iter();
    if is_requested("labels") {
        document.records("labels", &LABELS, catalog.labels.iter())?;
    }
    if is_requested("members") {
        let columns = members().map(|member| Columns(&MEMBERS, &**member, is_member_column));
        rows(document, "members", columns)?;
    }
    if is_requested("members_labels") {
        let relations = members().flat_map(|member| labels_of(member));
        rows(document, "members_labels", relations)?;
    }
    if is_requested("members_newsletters") {
        let relations = members().flat_map(|member| newsletters_of(member));
        rows(document, "members_newsletters", relations)?;
    }
    if is_requested("members_products") {
        let relations = members().flat_map(|member| tiers_of(member));
        rows(document, "members_products", relations)?;
    }
    if is_requested("integrations") {
        let integrations = catalog
            .integrations()
            .map(|integration| IntegrationRow::of(integration));
        rows(document, "integrations", integrations)?;
    }
    Ok(())
}

fn rows<R: Serialize>(
    document: &mut ExportDocument,
    name: &str,
    rows: impl Iterator<Item = R>,
) -> Result<(), ExportError> {
    let mut table = document.table(name)?;
    for row in rows {
        table.row(&row)?;
    }
    table.end()?;
    Ok(())
}

/// Returns whether the field is a column of `members`.
fn is_member_column(field: &Field<Member>) -> bool {
    !matches!(field.name, "commenting" | "transient_id")
}

/// Returns the identifier of a relation of a member.
fn relation_id(table: &str, member: &Member, other: Id) -> Id {
    Id::derive(table, &format!("{}/{other}", member.id))
}

fn labels_of(member: &Member) -> impl Iterator<Item = LabelOfMember> + '_ {
    let labels = member.labels.iter().enumerate();
    labels.map(|(position, label)| LabelOfMember {
        id: relation_id("members_labels", member, *label),
        member_id: member.id,
        label_id: *label,
        sort_order: position,
    })
}

fn newsletters_of(member: &Member) -> impl Iterator<Item = NewsletterOfMember> + '_ {
    member
        .newsletters
        .iter()
        .map(|newsletter| NewsletterOfMember {
            id: relation_id("members_newsletters", member, *newsletter),
            member_id: member.id,
            newsletter_id: *newsletter,
        })
}

fn tiers_of(member: &Member) -> impl Iterator<Item = TierOfMember> + '_ {
    let grants = member.tiers.iter().enumerate();
    grants.map(|(position, grant)| TierOfMember {
        id: relation_id("members_products", member, grant.tier),
        member_id: member.id,
        product_id: grant.tier,
        sort_order: position,
        expiry_at: grant.expires_at.map(Time),
    })
}

impl<'a> IntegrationRow<'a> {
    fn of(integration: &'a Integration) -> Self {
        Self {
            id: integration.id,
            r#type: if integration.came_with_site {
                "builtin"
            } else {
                "custom"
            },
            name: &integration.name,
            slug: &integration.slug,
            icon_image: integration.icon_image.as_deref(),
            description: integration.description.as_deref(),
            created_at: Time(integration.created_at),
            updated_at: Time(integration.updated_at),
        }
    }
}
