//! The admin toolbar: links from a page to the admin app, for staff.

use super::{
    page::{Page, text},
    scripts::script,
};
use crate::templates::{Value, escape};

/// The title of sites without one.
const UNTITLED: &str = "Ghost";

/// The record in the admin app that the toolbar links to.
enum Resource {
    /// A post or page, by its type and ID.
    Entry(&'static str, String),
    /// A tag, by its slug.
    Tag(String),
}

impl Resource {
    fn of(page: &Page) -> Option<Self> {
        let record = |name: &str| Some(page.root.get(name)).filter(Value::is_true);
        if let Some(entry) = record("post").or_else(|| record("page"))
            && let Some(id) = text(&entry.get("id"))
        {
            let is_page = text(&entry.get("type")).as_deref() == Some("page");
            let kind = if page.is("page") || is_page {
                "page"
            } else {
                "post"
            };
            return Some(Self::Entry(kind, id));
        }
        let tag = record("tag").filter(|_| page.is("tag"))?;
        text(&tag.get("slug")).map(Self::Tag)
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Entry(kind, _) => kind,
            Self::Tag(_) => "tag",
        }
    }
}

/// Returns the element for the toolbar, with the record that it links to (Ghost 6.65).
pub(super) fn admin_toolbar(page: &Page) -> String {
    let admin = escape(&page.state.staff_url);
    let title = page.setting("title");
    let title = escape(title.as_deref().unwrap_or(UNTITLED));
    let mut attributes = vec![
        ("ghost-admin-toolbar", admin.as_str()),
        ("site-title", &title),
    ];
    let resource = Resource::of(page);
    if let Some(resource) = &resource {
        attributes.push(("resource-type", resource.kind()));
        attributes.push(match resource {
            Resource::Entry(_, id) => ("resource-id", id),
            Resource::Tag(slug) => ("resource-slug", slug),
        });
    }
    if page.is("home") {
        attributes.push(("page-context", "home"));
        if page.has_members() {
            attributes.push(("members-enabled", "true"));
        }
    }
    let is_post = resource
        .as_ref()
        .is_some_and(|resource| resource.kind() == "post");
    if is_post && page.setting("comments_enabled").as_deref() == Some("off") {
        attributes.push(("comments-enabled", "false"));
    }
    script(&page.state.scripts.admin_toolbar, &attributes)
}
