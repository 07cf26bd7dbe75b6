//! Titles for search engines and social networks.

use super::page::{Page, text};
use crate::{
    front_end::{PageState, helper_row::takes},
    templates::{Call, HelperResult, Value},
};

/// The vocabulary that a title or a description is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetadataKind {
    Search,
    OpenGraph,
    Twitter,
}

impl MetadataKind {
    /// Returns the name of a property in this vocabulary, such as `og_title`, of posts, tags and the site.
    pub fn property(self, name: &str) -> String {
        let prefix = match self {
            Self::Search => "meta",
            Self::OpenGraph => "og",
            Self::Twitter => "twitter",
        };
        format!("{prefix}_{name}")
    }
}

/// `{{meta_title}}`: the title of the page. `page` is the pattern for the number of the page, such as `" (Page %)"`.
pub(super) fn meta_title(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let pattern = match call.option("page") {
        None => None,
        Some(Value::Text(pattern)) => Some(pattern.to_string()),
        // Only pages of lists have a number (Ghost 6.65, recorded).
        Some(_) if !call.root().get("pagination").is_some() => None,
        Some(_) => {
            return Err(call
                .error("`page` must be a string")
                .help("Write a string such as page=\" (Page %)\"."));
        }
    };
    let page = Page {
        state: call.state(),
        root: call.root(),
    };
    let own = text(&call.property("meta_title"));
    let data = if own.is_some() {
        Value::Undefined
    } else {
        in_context(call)
    };
    let title =
        own.unwrap_or_else(|| title(&page, &data, MetadataKind::Search, pattern.as_deref()));
    Ok(Value::text(title.trim()))
}

/// Returns the records in the context of a helper. Inside `{{#foreach}}`, they differ from those of the page.
pub(super) fn in_context(call: &Call<PageState>) -> Value {
    let names = ["post", "page", "tag", "author"];
    let properties = names.iter().map(|name| (*name, call.property(name)));
    let record = properties.fold(
        crate::templates::PlainObject::new(),
        |record, (name, value)| record.with(name, value),
    );
    record.into()
}

/// Returns the title of the page whose records are `data`. `pattern` is the pattern for the number of the page.
pub(super) fn title(
    page: &Page,
    data: &Value,
    kind: MetadataKind,
    pattern: Option<&str>,
) -> String {
    let site = page.setting("title");
    let number = page_number(page, pattern);
    let of_site = site
        .as_ref()
        .map(|site| format!(" - {site}"))
        .unwrap_or_default();
    let property = kind.property("title");
    let is_paged = page.is("paged");
    let own = |name: &str, last: &str| {
        let record = data.get(name);
        let own = [property.as_str(), "meta_title", last]
            .into_iter()
            .find_map(|name| text(&record.get(name)));
        own.unwrap_or_default()
    };
    let has = |context: &str, name: &str| page.is(context) && data.get(name).is_true();
    let title = if page.is("home") {
        page.setting(&property).or(site).unwrap_or_default()
    } else if has("author", "author") {
        let name = data.get("author").get("name");
        if is_paged {
            format!("{name}{}", paged_site(site.as_deref(), &number))
        } else {
            format!("{name}{of_site}")
        }
    } else if has("tag", "tag") {
        let tag = data.get("tag");
        let name = tag.get("name");
        if is_paged {
            text(&tag.get("meta_title"))
                .unwrap_or_else(|| format!("{name}{}", paged_site(site.as_deref(), &number)))
        } else {
            let own = [property.as_str(), "meta_title"]
                .into_iter()
                .find_map(|name| text(&tag.get(name)));
            own.unwrap_or_else(|| format!("{name}{of_site}"))
        }
    } else if has("post", "post") || has("page", "post") {
        own("post", "title")
    } else if has("page", "page") {
        own("page", "title")
    } else {
        format!("{}{number}", site.unwrap_or_default())
    };
    title.trim().to_owned()
}

/// Returns the end of the title for the second and later pages.
fn paged_site(site: Option<&str>, number: &str) -> String {
    match site {
        Some(site) => format!(" - {site}{number}"),
        None if number.is_empty() => String::new(),
        None => format!(" -{number}"),
    }
}

/// Formats the number of the page by the pattern; empty unless the list has more than one post.
fn page_number(page: &Page, pattern: Option<&str>) -> String {
    let pagination = page.root.get("pagination");
    match pagination.get("total") {
        Value::Number(total) if total > 1.0 => {
            let number = pagination.get("page").to_string();
            pattern.unwrap_or(" (Page %)").replacen('%', &number, 1)
        }
        _ => String::new(),
    }
}
