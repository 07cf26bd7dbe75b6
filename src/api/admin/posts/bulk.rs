//! Changes of many posts or pages in one request.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{PostResource, invalidation::EVERYTHING, references};
use crate::{
    admin::posts::{self, BulkChange, BulkOutcome, ChangeContext},
    api::{
        admin::{Reply, Request, envelope},
        listing,
    },
    domain::post::{Post, PostKind, Visibility},
    error::{Error, Kind, Result},
    site::{BodySearch, Transaction},
};

/// `PUT admin/posts/bulk/`
pub fn edit_posts(request: &Request) -> Result<Reply> {
    edit(request, PostKind::Post)
}

/// `PUT admin/pages/bulk/`
pub fn edit_pages(request: &Request) -> Result<Reply> {
    edit(request, PostKind::Page)
}

/// `DELETE admin/posts/`
pub fn delete_posts(request: &Request) -> Result<Reply> {
    delete(request, PostKind::Post)
}

/// `DELETE admin/pages/`
pub fn delete_pages(request: &Request) -> Result<Reply> {
    delete(request, PostKind::Page)
}

fn edit(request: &Request, kind: PostKind) -> Result<Reply> {
    let filter = filter(request)?;
    let change = change(request)?;
    let context = context(request)?;
    let outcome = request.site().write(|transaction| {
        // The posts are selected in the transaction, because it runs again on newer data if another
        // process commits first.
        let select = |transaction: &Transaction| selected(request, transaction, kind, &filter);
        posts::bulk_edit(transaction, &context, select, &change)
    })?;
    Ok(bulk_reply(&outcome))
}

fn delete(request: &Request, kind: PostKind) -> Result<Reply> {
    let filter = filter(request)?;
    let context = context(request)?;
    let outcome = request.site().write(|transaction| {
        // Selected in the transaction, as in `edit`.
        let select = |transaction: &Transaction| selected(request, transaction, kind, &filter);
        posts::bulk_delete(transaction, &context, select)
    })?;
    Ok(bulk_reply(&outcome))
}

fn context<'a>(request: &'a Request) -> Result<ChangeContext<'a>> {
    Ok(ChangeContext {
        actor: request.actor()?,
        site: request.site_urls.url(),
    })
}

/// Returns the filter, which is required, because otherwise all records would be changed.
fn filter(request: &Request) -> Result<String> {
    let filter = request.parameters.joined("filter");
    filter
        .filter(|filter| !filter.trim().is_empty())
        .ok_or_else(|| {
            Error::new(
                Kind::Validation,
                "The parameter \"filter\" is required to change many records.",
            )
        })
}

/// Returns the posts or pages that match the filter.
fn selected(
    request: &Request,
    transaction: &Transaction,
    kind: PostKind,
    filter: &str,
) -> Result<Vec<Arc<Post>>> {
    let catalog = transaction.catalog();
    let rules = PostResource::of(kind).filter_rules();
    let filter = listing::filter(catalog, request.now, filter, &rules)?;
    let filter = filter.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            "The filter names no field of the records, so it would match all of them.",
        )
    })?;
    let posts = catalog.posts.staff_listing(kind).iter();
    let filter =
        BodySearch::new(transaction, request.site_urls.url()).decide(filter, posts.clone())?;
    Ok(posts.filter(|post| filter.holds(post)).cloned().collect())
}

fn change(request: &Request) -> Result<BulkChange> {
    let bulk = envelope::bulk(request)?;
    let no_meta = Map::new();
    let meta = bulk
        .get("meta")
        .and_then(Value::as_object)
        .unwrap_or(&no_meta);
    match bulk.get("action").and_then(Value::as_str) {
        Some("feature") => Ok(BulkChange::Feature(true)),
        Some("unfeature") => Ok(BulkChange::Feature(false)),
        Some("unpublish") => Ok(BulkChange::Unpublish),
        Some("unschedule") => Ok(BulkChange::Unschedule),
        Some("access") => access(meta),
        Some("addTag") => match meta.get("tags").and_then(Value::as_array) {
            Some(tags) if tags.iter().all(is_named) => {
                Ok(BulkChange::AddTags(references::tags(tags)?))
            }
            _ => Err(incorrect_usage(
                "The action \"addTag\" requires a list \"tags\" in \"meta\", of objects with an id or a name.",
            )),
        },
        action => Err(Error::new(
            Kind::IncorrectUsage,
            format!(
                "\"{}\" is not a bulk action on posts.",
                action.unwrap_or_default()
            ),
        )
        .help("The actions are feature, unfeature, access, addTag, unpublish and unschedule.")),
    }
}

fn access(meta: &Map<String, Value>) -> Result<BulkChange> {
    let visibility = meta.get("visibility").and_then(Value::as_str);
    let visibility = visibility.and_then(Visibility::from_name).ok_or_else(|| {
        incorrect_usage(
            "The action \"access\" requires a \"visibility\" in \"meta\": public, members, paid or tiers.",
        )
    })?;
    let tiers = match (visibility, meta.get("tiers").and_then(Value::as_array)) {
        (Visibility::Tiers, None) => {
            return Err(incorrect_usage(
                "The visibility \"tiers\" requires a list \"tiers\" in \"meta\".",
            ));
        }
        (Visibility::Tiers, Some(tiers)) => references::tiers(tiers)?,
        _ => Vec::new(),
    };
    Ok(BulkChange::Access(visibility, tiers))
}

/// Returns whether a tag has an identifier or a name, and both are texts if present.
fn is_named(tag: &Value) -> bool {
    let texts = ["id", "name"].map(|key| match tag.get(key) {
        None | Some(Value::Null) => Some(""),
        Some(value) => value.as_str(),
    });
    matches!(texts, [Some(id), Some(name)] if !(id.is_empty() && name.is_empty()))
}

/// Returns the error for an invalid action: incorrect usage, not an invalid record (Ghost 6.65,
/// observed).
fn incorrect_usage(message: &str) -> Error {
    Error::new(Kind::IncorrectUsage, message)
}

fn bulk_reply(outcome: &BulkOutcome) -> Reply {
    let errors: Vec<Value> = outcome
        .refused
        .iter()
        .map(|(id, error)| {
            json!({
                "id": id,
                "message": error.message(),
                "context": error.context_text(),
                "help": error.help_text(),
            })
        })
        .collect();
    let unsuccessful: Vec<Value> = outcome
        .refused
        .iter()
        .map(|(id, _)| json!({"id": id}))
        .collect();
    Reply::value(&json!({"bulk": {"meta": {
        "stats": {
            "successful": outcome.successful,
            "unsuccessful": outcome.refused.len(),
        },
        "errors": errors,
        "unsuccessfulData": unsuccessful,
    }}}))
    .invalidating(EVERYTHING)
}
