//! Recommendations of other sites (rules as recorded from Ghost 6.65).

use std::sync::Arc;

use serde_json::json;
use url::Url;

use super::collection::{self, Collection, invalid};
use crate::{
    domain::{OptionalText, action::ActionEvent, actor::Actor, recommendation::Recommendation},
    error::{Error, Result},
    id::Id,
    site::{Site, Transaction},
};

/// New values for a recommendation; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct RecommendationChanges {
    /// The title of the other site.
    pub title: Option<Box<str>>,
    /// The reason for the recommendation.
    pub description: Option<OptionalText>,
    /// The other site's description of itself.
    pub excerpt: Option<OptionalText>,
    /// URL of an image, in stored form.
    pub featured_image: Option<OptionalText>,
    /// URL of a small image, in stored form.
    pub favicon: Option<OptionalText>,
    /// The URL of the other site.
    pub url: Option<Box<str>>,
    /// True if readers can subscribe to its newsletter from here.
    pub one_click_subscribe: Option<bool>,
}

/// Recommends a site.
///
/// # Errors
///
/// `Validation` without a title or a URL, for a URL that is not `http` or `https`, and for a second
/// recommendation of the same URL.
pub fn add(
    site: &Site,
    actor: &Actor,
    changes: RecommendationChanges,
) -> Result<Arc<Recommendation>> {
    site.write(|transaction| {
        let now = transaction.now();
        let new = Recommendation {
            id: Id::generate(now).map_err(Error::internal)?,
            title: "".into(),
            description: None,
            excerpt: None,
            featured_image: None,
            favicon: None,
            url: "".into(),
            one_click_subscribe: false,
            created_at: now,
            updated_at: now,
        };
        let new = changed(transaction, new, changes.clone())?;
        let saved = collection::save(transaction, actor, ActionEvent::Added, new)?;
        show_if_any(transaction)?;
        Ok(saved)
    })
}

/// Updates a recommendation.
///
/// # Errors
///
/// `NotFound` if it does not exist; otherwise as [`add`].
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: RecommendationChanges,
) -> Result<Arc<Recommendation>> {
    site.write(|transaction| {
        let existing: Arc<Recommendation> = collection::found(transaction, actor, id)?;
        let mut new = changed(
            transaction,
            Recommendation::clone(&existing),
            changes.clone(),
        )?;
        if new == *existing {
            return Ok(existing);
        }
        new.updated_at = transaction.now_after(new.updated_at);
        collection::save(transaction, actor, ActionEvent::Edited, new)
    })
}

impl Collection for Recommendation {
    fn after_deletion(&self, transaction: &mut Transaction) -> Result<()> {
        show_if_any(transaction)
    }
}

/// Enables recommendations in front ends as long as there are any, unless a content file sets
/// `recommendations_enabled` (Ghost 6.65, observed).
fn show_if_any(transaction: &mut Transaction) -> Result<()> {
    let recommendations = &transaction.catalog().recommendations;
    // Called after the record was saved or deleted, so the catalog has the result.
    let is_any = recommendations.iter().next().is_some();
    transaction.edit_settings([("recommendations_enabled".to_owned(), json!(is_any))].into())
}

fn changed(
    transaction: &Transaction,
    mut new: Recommendation,
    changes: RecommendationChanges,
) -> Result<Recommendation> {
    new.title = changes.title.unwrap_or(new.title);
    new.description = changes.description.unwrap_or(new.description);
    new.excerpt = changes.excerpt.unwrap_or(new.excerpt);
    new.featured_image = changes.featured_image.unwrap_or(new.featured_image);
    new.favicon = changes.favicon.unwrap_or(new.favicon);
    new.one_click_subscribe = changes
        .one_click_subscribe
        .unwrap_or(new.one_click_subscribe);
    if new.title.trim().is_empty() {
        return Err(invalid("A recommendation needs a title."));
    }
    if let Some(url) = changes.url {
        new.url = web_url("url", &url)?.as_str().into();
    }
    // In the catalog, the site of a recommendation is its slug.
    let other = transaction.catalog().recommendations.by_slug(new.site());
    match other.filter(|other| other.id != new.id) {
        Some(other) => Err(invalid(format!(
            "A recommendation with the \"url\" {} already exists: \"{}\".",
            new.site(),
            other.title
        ))),
        None => Ok(new),
    }
}

/// Parses an `http` or `https` URL and normalises it as browsers do: the host in Punycode, always
/// with a path (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` for any other URL; the message contains the field `name`.
pub fn web_url(name: &str, text: &str) -> Result<Url> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| {
            invalid(format!(
                "\"{name}\" of a recommendation must be a URL that begins with http:// or https://; \"{text}\" is not one."
            ))
        })
}
