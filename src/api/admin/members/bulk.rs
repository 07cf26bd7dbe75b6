//! Changes of many members in one request.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::selection::{FILTER_RULES, search};
use crate::{
    admin::members::{self, BulkChange},
    api::{
        admin::{
            Reply, Request,
            envelope::{self, malformed},
        },
        listing,
    },
    catalog::{Catalog, members::MemberSearch},
    domain::member::Member,
    error::{Error, Kind, Result},
    id::Id,
};

/// `PUT admin/members/bulk/`
pub fn edit(request: &Request) -> Result<Reply> {
    let target = BulkTarget::of(request)?;
    let change = change(request)?;
    let actor = request.actor()?;
    let outcome = request.site().write(|transaction| {
        // The members are selected in the transaction, because it runs again on newer data if
        // another process commits first.
        let select = |catalog: &Catalog| target.select(request, catalog);
        members::bulk_edit(transaction, actor, select, change)
    })?;
    Ok(Reply::value(&json!({ "bulk": { "meta": {
        "stats": { "successful": outcome.successful, "unsuccessful": 0 },
        "errors": [],
        "unsuccessfulData": [],
    }}})))
}

/// `DELETE admin/members/`
pub fn delete(request: &Request) -> Result<Reply> {
    let target = BulkTarget::of(request)?;
    let actor = request.actor()?;
    let outcome = request.site().write(|transaction| {
        // Selected in the transaction, as in `edit`.
        let select = |catalog: &Catalog| target.select(request, catalog);
        members::bulk_delete(transaction, actor, select)
    })?;
    Ok(Reply::value(&json!({ "meta": {
        "stats": { "successful": outcome.successful, "unsuccessful": 0 },
        "unsuccessfulIds": [],
        "errors": [],
    }})))
}

/// The members of a bulk change: those that match `filter` and `search`. A change of all members
/// requires `all=true`.
#[derive(Default)]
struct BulkTarget {
    filter: Option<String>,
    search: Option<MemberSearch>,
}

impl BulkTarget {
    fn of(request: &Request) -> Result<Self> {
        if request.parameters.joined("all").as_deref() == Some("true") {
            return Ok(Self::default());
        }
        let filter = request.parameters.joined("filter");
        let filter = filter.filter(|filter| !filter.trim().is_empty());
        let search = search(request);
        match (&filter, &search) {
            (None, None) => Err(Error::new(
                Kind::IncorrectUsage,
                "The parameter \"filter\", \"search\" or \"all=true\" is required.",
            )),
            _ => Ok(Self { filter, search }),
        }
    }

    fn select(&self, request: &Request, catalog: &Catalog) -> Result<Vec<Arc<Member>>> {
        // `filter` returns `None` only for conditions on private fields, which members do not have.
        // Otherwise the change would apply to all of them.
        let filter = match &self.filter {
            None => None,
            Some(text) => listing::filter(catalog, request.now, text, &FILTER_RULES)?,
        };
        let members = catalog.members.at(request.now);
        let found = members.indexed().filter(|indexed| {
            let is_searched = |search: &MemberSearch| search.finds(indexed);
            self.search.as_ref().is_none_or(is_searched)
                && filter
                    .as_ref()
                    .is_none_or(|filter| filter.holds(&indexed.member))
        });
        Ok(found.map(|indexed| Arc::clone(&indexed.member)).collect())
    }
}

fn change(request: &Request) -> Result<BulkChange> {
    let bulk = envelope::bulk(request)?;
    match bulk.get("action").and_then(Value::as_str) {
        Some("addLabel") => label(&bulk).map(BulkChange::AddLabel),
        Some("removeLabel") => label(&bulk).map(BulkChange::RemoveLabel),
        Some("unsubscribe") => newsletter(&bulk).map(BulkChange::Unsubscribe),
        action => Err(Error::new(
            Kind::IncorrectUsage,
            format!(
                "\"{}\" is not a bulk action on members.",
                action.unwrap_or_default()
            ),
        )
        .help("The actions are addLabel, removeLabel and unsubscribe.")),
    }
}

fn label(bulk: &Map<String, Value>) -> Result<Id> {
    let label = bulk.get("meta").and_then(|meta| meta.get("label"));
    let id = label.and_then(|label| label.get("id"));
    id.and_then(Value::as_str)
        .and_then(|id| id.parse().ok())
        .ok_or_else(|| {
            malformed(
                "label",
                "required",
                "The action requires a \"label\" with its \"id\" in \"meta\".".to_owned(),
            )
        })
}

/// Returns the newsletter named next to the action or in `meta`; `None` for all newsletters.
fn newsletter(bulk: &Map<String, Value>) -> Result<Option<Id>> {
    let in_meta = || bulk.get("meta").and_then(|meta| meta.get("newsletter"));
    match bulk.get("newsletter").or_else(in_meta) {
        None | Some(Value::Null) => Ok(None),
        Some(newsletter) => {
            let id = newsletter.as_str().and_then(|id| id.parse().ok());
            id.map(Some).ok_or_else(|| {
                malformed(
                    "newsletter",
                    "type",
                    "\"newsletter\" must be an identifier.".to_owned(),
                )
            })
        }
    }
}
