//! The audit log of actions, newest first (Ghost 6.65, recorded).
//!
//! A page without a filter reads only that page. A filter scans all stored actions, whose number is
//! bounded.

use std::{ops::ControlFlow, sync::Arc};

use super::{Reply, Request, view::View};
use crate::{
    api::{
        json::{self, Object},
        listing::{self, FilterRules, pagination},
        params::{Defaults, Paging, Selection},
    },
    catalog::{browse::Page, fields::ACTIONS, filter::Filter},
    domain::{
        action::{Action, ActionActor},
        snippet::Snippet,
    },
    error::Result,
    site::{EditableRecord, SiteSnapshot},
};

/// `GET admin/actions/`
pub fn browse(request: &Request) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &Defaults::NONE);
    let paging = Paging::parse(request.parameters)?;
    let filter = match &paging.filter {
        Some(text) => listing::filter(
            &request.snapshot.catalog,
            request.now,
            text,
            &FilterRules::of_fields(&ACTIONS),
        )?,
        None => None,
    };
    let page = match filter {
        Some(filter) => filtered(request.snapshot, &paging, &filter)?,
        None => newest(request.snapshot, &paging)?,
    };
    let view = View {
        snapshot: request.snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    let rows = selection.rows(&ACTIONS, &[]);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    json::list(
        envelope.name("actions"),
        page.records.iter(),
        |bytes, action| {
            let mut object = Object::begin(bytes);
            view.fields(&mut object, action.as_ref(), &rows, |_, _, _| {});
            if selection.includes("actor") {
                write_actor(&view, &mut object, action);
            }
            if selection.includes("resource") {
                write_resource(&view, &mut object, action);
            }
            object.end();
        },
    );
    envelope.field("meta", pagination(&page, &paging));
    envelope.end();
    Ok(Reply::json(bytes))
}

fn newest(snapshot: &SiteSnapshot, paging: &Paging) -> Result<Page<Action>> {
    let mut records = Vec::new();
    let total = snapshot.action_count();
    let first = (paging.page - 1).saturating_mul(paging.limit) as u64;
    if first < total {
        snapshot.visit_actions(first, |action| {
            records.push(Arc::new(action));
            if records.len() < paging.limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
    }
    Ok(Page {
        records,
        total: total as usize,
    })
}

fn filtered(
    snapshot: &SiteSnapshot,
    paging: &Paging,
    filter: &Filter<Action>,
) -> Result<Page<Action>> {
    let first = (paging.page - 1).saturating_mul(paging.limit);
    let window = first..first.saturating_add(paging.limit);
    let mut page = Page {
        records: Vec::new(),
        total: 0,
    };
    snapshot.visit_actions(0, |action| {
        if filter.holds(&action) {
            if window.contains(&page.total) {
                page.records.push(Arc::new(action));
            }
            page.total += 1;
        }
        ControlFlow::Continue(())
    })?;
    Ok(page)
}

/// Writes the actor as it is now; a deleted actor is an empty object.
fn write_actor(view: &View, object: &mut Object, action: &Action) {
    let catalog = view.catalog();
    let mut actor = Object::begin(object.name("actor"));
    match action.actor {
        ActionActor::User(id) => {
            if let Some(user) = catalog.users.get(id) {
                let image = user.profile_image.as_deref();
                actor.field("id", id);
                actor.field("name", &user.name);
                actor.field("slug", &user.slug);
                actor.field("image", image.map(|image| view.site_urls.absolute(image)));
            }
        }
        ActionActor::Integration(id) => {
            if let Some(integration) = catalog.integrations().find(|known| known.id == id) {
                actor.field("id", id);
                actor.field("name", &integration.name);
                actor.field("slug", &integration.slug);
                actor.field("image", &integration.icon_image);
            }
        }
        ActionActor::Operator => {}
    }
    actor.end();
}

/// Writes the resource as it is now; a deleted resource is an empty object.
fn write_resource(view: &View, object: &mut Object, action: &Action) {
    let catalog = view.catalog();
    let id = action.resource_id;
    let mut resource = Object::begin(object.name("resource"));
    let mut write = |name: &str, title: &str, slug: &str, image: Option<&str>| {
        resource.field("id", id);
        resource.field(name, title);
        resource.field("slug", slug);
        resource.field("image", image.map(|image| view.site_urls.absolute(image)));
    };
    match &*action.resource_type {
        "post" => {
            if let Some(post) = catalog.posts.get(id) {
                write(
                    "title",
                    &post.title,
                    &post.slug,
                    post.feature_image.as_deref(),
                );
            }
        }
        "tag" => {
            if let Some(tag) = catalog.tags.get(id) {
                write("name", &tag.name, &tag.slug, tag.feature_image.as_deref());
            }
        }
        "user" => {
            if let Some(user) = catalog.users.get(id) {
                write(
                    "name",
                    &user.name,
                    &user.slug,
                    user.profile_image.as_deref(),
                );
            }
        }
        "tier" => {
            if let Some(tier) = catalog.tiers.get(id) {
                write("name", &tier.name, &tier.slug, None);
            }
        }
        "newsletter" => {
            if let Some(newsletter) = catalog.newsletters.get(id) {
                write("name", &newsletter.name, &newsletter.slug, None);
            }
        }
        "integration" | "api_key" => {
            if let Some(integration) = catalog.integrations().find(|known| known.id == id) {
                write(
                    "name",
                    &integration.name,
                    &integration.slug,
                    integration.icon_image.as_deref(),
                );
            }
        }
        "label" => {
            if let Some(label) = catalog.labels.get(id) {
                resource.field("id", id);
                resource.field("name", &label.name);
                resource.field("slug", &label.slug);
            }
        }
        // These have no URL (Ghost 6.65, observed).
        kind => {
            let name = match kind {
                "member" => catalog.members.get(id).map(|member| member.name.clone()),
                "offer" => catalog.offers.get(id).map(|offer| Some(offer.name.clone())),
                "snippet" => {
                    let snippet = Snippet::find(view.snapshot, id).ok().flatten();
                    snippet.map(|snippet| Some(snippet.name.clone()))
                }
                _ => None,
            };
            if let Some(name) = name {
                resource.field("id", id);
                resource.field("name", name.as_deref());
            }
        }
    }
    resource.end();
}
