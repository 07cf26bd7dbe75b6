//! Commands about members, and members in replies.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    admin::members::{LostValue, MemberMerge},
    catalog::{Catalog, records::Records},
    domain::{
        member::{Member, SuppressionReason},
        record::Slugged,
    },
    id::Id,
};

/// A command about members.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberCommand {
    /// Merge the members with the same address.
    Merge {
        /// The address; `None` for all addresses that several members share.
        address: Option<String>,
        /// True if the merge is only reported, not made.
        dry_run: bool,
    },
}

/// A merge of members, as shown to the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MergeReport {
    /// The remaining member, after the merge.
    #[serde(rename = "kept")]
    pub target: MemberReport,
    /// The deleted members.
    pub deleted: Vec<MemberReport>,
    /// The values that are lost with the deleted members.
    pub lost: Vec<String>,
}

/// A member, as shown to the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemberReport {
    /// The member's identifier.
    pub id: String,
    /// The e-mail address.
    pub email: String,
    /// The name.
    pub name: Option<String>,
    /// The note of the staff.
    pub note: Option<String>,
    /// `free`, `paid` or `comped`.
    pub status: String,
    /// The names of the tiers.
    pub tiers: Vec<String>,
    /// The names of the newsletters.
    pub newsletters: Vec<String>,
    /// The names of the labels.
    pub labels: Vec<String>,
    /// The reason why no mail is sent to the member: `fail` or `spam`.
    pub suppression: Option<SuppressionReason>,
    /// Time of the sign-up.
    pub created_at: Timestamp,
}

impl MemberReport {
    fn of(member: &Member, catalog: &Catalog) -> Self {
        let tiers: Vec<Id> = member.tiers.iter().map(|grant| grant.tier).collect();
        Self {
            id: member.id.to_string(),
            email: member.email.to_string(),
            name: member.name.as_deref().map(str::to_owned),
            note: member.note.as_deref().map(str::to_owned),
            status: member.status().name().to_owned(),
            tiers: names(&catalog.tiers, &tiers),
            newsletters: names(&catalog.newsletters, &member.newsletters),
            labels: names(&catalog.labels, &member.labels),
            suppression: member
                .email_suppression
                .map(|suppression| suppression.reason),
            created_at: member.created_at,
        }
    }
}

impl MergeReport {
    pub(super) fn of(merge: &MemberMerge, catalog: &Catalog) -> Self {
        let deleted = merge.deleted.iter();
        let lost = merge.lost.iter().filter_map(|lost| match lost {
            LostValue::Text(field, text) => Some(format!("{field}: {text}")),
            LostValue::Newsletter(id) => {
                let newsletter = catalog.newsletters.get(*id)?;
                Some(format!(
                    "newsletter: {}, which one of them had unsubscribed from",
                    newsletter.name
                ))
            }
        });
        Self {
            target: MemberReport::of(&merge.target, catalog),
            deleted: deleted
                .map(|member| MemberReport::of(member, catalog))
                .collect(),
            lost: lost.collect(),
        }
    }
}

/// Returns the names of records; missing records are ignored.
pub(super) fn names<R: Slugged>(records: &Records<R>, ids: &[Id]) -> Vec<String> {
    let records = records.all(ids).into_iter();
    records.map(|record| record.title().to_owned()).collect()
}
