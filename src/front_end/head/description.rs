//! Descriptions for search engines and social networks.

use super::{
    page::{Page, text},
    title::{MetadataKind, in_context},
};
use crate::{
    front_end::{
        PageState,
        helper_row::takes,
        helpers::downsize::{Cut, downsize},
    },
    templates::{Call, HelperResult, Value},
};

/// Maximum number of words of a post's text in its description for social networks.
const WORDS_MAX: i64 = 50;

/// `{{meta_description}}`: the description of the page, empty if it has none.
pub(super) fn meta_description(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let page = Page {
        state: call.state(),
        root: call.root(),
    };
    let own = text(&call.property("meta_description")).map(|own| own.trim().to_owned());
    let found = own.or_else(|| description(&page, &in_context(call), MetadataKind::Search));
    Ok(Value::text(found.unwrap_or_default()))
}

/// Returns the description of the page whose records are `data`.
pub(super) fn description(page: &Page, data: &Value, kind: MetadataKind) -> Option<String> {
    let has = |context: &str, name: &str| page.is(context) && data.get(name).is_true();
    let is_for_search = kind == MetadataKind::Search;
    let of_site = || page.setting("meta_description").filter(|_| !is_for_search);
    let property = kind.property("description");
    let first =
        |record: &Value, names: &[&str]| names.iter().find_map(|name| text(&record.get(name)));
    let found = if page.is("home") {
        let own = || {
            page.setting("meta_description")
                .or_else(|| page.setting("description"))
        };
        page.setting(&property)
            .filter(|_| !is_for_search)
            .or_else(own)
    } else if has("author", "author") {
        if is_for_search && page.is("paged") {
            return None;
        }
        first(&data.get("author"), &["meta_description", "bio"]).or_else(of_site)
    } else if has("tag", "tag") {
        if is_for_search && page.is("paged") {
            return None;
        }
        first(
            &data.get("tag"),
            &[&property, "meta_description", "description"],
        )
        .or_else(of_site)
    } else if has("post", "post") || has("page", "post") {
        of_entry(page, &data.get("post"), &property, is_for_search)
    } else if has("page", "page") {
        of_entry(page, &data.get("page"), &property, is_for_search)
    } else {
        None
    };
    found
        .map(|found| found.trim().to_owned())
        .filter(|found| !found.is_empty())
}

/// Returns the description of a post or page.
fn of_entry(page: &Page, entry: &Value, property: &str, is_for_search: bool) -> Option<String> {
    let first = |names: &[&str]| names.iter().find_map(|name| text(&entry.get(name)));
    if is_for_search {
        return first(&["meta_description", "custom_excerpt"]);
    }
    let beginning = || {
        Some(downsize(
            &text(&entry.get("excerpt"))?,
            Cut::Words(WORDS_MAX),
        ))
        .filter(|words| !words.is_empty())
    };
    first(&[property, "custom_excerpt", "meta_description"])
        .or_else(beginning)
        .or_else(|| page.setting("description"))
}
