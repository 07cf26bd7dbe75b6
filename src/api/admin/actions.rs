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
        OptionalText,
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
    // Only the records of the page are held in memory; the others are only counted.
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

/// Writes the current state of the actor; an empty object if it was deleted.
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

/// Writes the current state of the resource; an empty object if it was deleted.
fn write_resource(view: &View, object: &mut Object, action: &Action) {
    let mut resource = Object::begin(object.name("resource"));
    if let Some(description) = describe(view, action) {
        resource.field("id", action.resource_id);
        resource.field(description.name_field, description.name.as_deref());
        if let Some(slug) = description.slug {
            resource.field("slug", &*slug);
        }
        if let Some(image) = description.image {
            let image = image.as_deref();
            resource.field("image", image.map(|image| view.site_urls.absolute(image)));
        }
    }
    resource.end();
}

/// The fields that describe the resource of an action.
struct ResourceDescription {
    /// The name of the field that holds the resource's name or title.
    name_field: &'static str,
    name: OptionalText,
    /// The slug; `None` for resources without a URL (Ghost 6.65, observed).
    slug: Option<Box<str>>,
    /// The image; the outer `None` is for types of resources without an image.
    image: Option<OptionalText>,
}

impl ResourceDescription {
    fn new(name: &str, slug: &str, image: &OptionalText) -> Self {
        Self {
            name_field: "name",
            name: Some(name.into()),
            slug: Some(slug.into()),
            image: Some(image.clone()),
        }
    }

    fn without_url(name: OptionalText) -> Self {
        Self {
            name_field: "name",
            name,
            slug: None,
            image: None,
        }
    }
}

/// Returns the description of the resource of an action; `None` if it was deleted.
fn describe(view: &View, action: &Action) -> Option<ResourceDescription> {
    let catalog = view.catalog();
    let id = action.resource_id;
    Some(match &*action.resource_type {
        "post" => {
            let post = catalog.posts.get(id)?;
            ResourceDescription {
                name_field: "title",
                ..ResourceDescription::new(&post.title, &post.slug, &post.feature_image)
            }
        }
        "tag" => {
            let tag = catalog.tags.get(id)?;
            ResourceDescription::new(&tag.name, &tag.slug, &tag.feature_image)
        }
        "user" => {
            let user = catalog.users.get(id)?;
            ResourceDescription::new(&user.name, &user.slug, &user.profile_image)
        }
        "tier" => {
            let tier = catalog.tiers.get(id)?;
            ResourceDescription::new(&tier.name, &tier.slug, &None)
        }
        "newsletter" => {
            let newsletter = catalog.newsletters.get(id)?;
            ResourceDescription::new(&newsletter.name, &newsletter.slug, &None)
        }
        "integration" | "api_key" => {
            // An entry about a key has the identifier of its integration.
            let integration = catalog.integrations().find(|known| known.id == id)?;
            ResourceDescription::new(
                &integration.name,
                &integration.slug,
                &integration.icon_image,
            )
        }
        "label" => {
            let label = catalog.labels.get(id)?;
            ResourceDescription {
                image: None,
                ..ResourceDescription::new(&label.name, &label.slug, &None)
            }
        }
        "member" => ResourceDescription::without_url(catalog.members.get(id)?.name.clone()),
        "offer" => ResourceDescription::without_url(Some(catalog.offers.get(id)?.name.clone())),
        "snippet" => {
            // An entry whose snippet cannot be read is shown like one whose snippet was deleted.
            let snippet = Snippet::find(view.snapshot, id).ok().flatten()?;
            ResourceDescription::without_url(Some(snippet.name.clone()))
        }
        _ => return None,
    })
}
