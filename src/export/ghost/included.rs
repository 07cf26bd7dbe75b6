//! Tables that an export has only on request: members with their relations, and integrations
//! without their keys.

use serde::Serialize;
use uuid::Uuid;

use super::{
    super::ExportError,
    document::{ExportDocument, Time},
};
use crate::{
    catalog::Catalog,
    domain::{integration::Integration, label::Label, member::Member},
    id::Id,
};

/// A row of `labels`.
#[derive(Serialize)]
struct LabelRow<'a> {
    id: Id,
    name: &'a str,
    slug: &'a str,
    created_at: Time,
    updated_at: Time,
}

/// A row of `members`. Columns that are not tracked here are zero.
#[derive(Serialize)]
struct MemberRow<'a> {
    id: Id,
    uuid: Uuid,
    email: &'a str,
    status: &'a str,
    name: Option<&'a str>,
    expertise: Option<&'a str>,
    note: Option<&'a str>,
    geolocation: Option<&'a str>,
    enable_comment_notifications: bool,
    email_count: u32,
    email_opened_count: u32,
    email_open_rate: Option<u32>,
    email_disabled: bool,
    last_seen_at: Option<Time>,
    last_commented_at: Option<Time>,
    created_at: Time,
    updated_at: Time,
}

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

/// Writes those of the tables `wanted` that exist here, each once.
pub fn write(
    catalog: &Catalog,
    requested: &[String],
    document: &mut ExportDocument,
) -> Result<(), ExportError> {
    let is_requested = |name: &str| requested.iter().any(|requested| requested == name);
    let members = || catalog.members.iter();
    if is_requested("labels") {
        rows(
            document,
            "labels",
            catalog.labels.iter().map(|label| LabelRow::of(label)),
        )?;
    }
    if is_requested("members") {
        rows(
            document,
            "members",
            members().map(|member| MemberRow::of(member)),
        )?;
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

impl<'a> LabelRow<'a> {
    fn of(label: &'a Label) -> Self {
        Self {
            id: label.id,
            name: &label.name,
            slug: &label.slug,
            created_at: Time(label.created_at),
            updated_at: Time(label.updated_at),
        }
    }
}

impl<'a> MemberRow<'a> {
    fn of(member: &'a Member) -> Self {
        Self {
            id: member.id,
            uuid: member.uuid,
            email: &member.email,
            status: member.status.name(),
            name: member.name.as_deref(),
            expertise: None,
            note: member.note.as_deref(),
            geolocation: member.geolocation.as_deref(),
            enable_comment_notifications: true,
            email_count: 0,
            email_opened_count: 0,
            email_open_rate: None,
            email_disabled: member.email_suppression.is_some(),
            last_seen_at: member.last_seen_at.map(Time),
            last_commented_at: None,
            created_at: Time(member.created_at),
            updated_at: Time(member.updated_at),
        }
    }
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
