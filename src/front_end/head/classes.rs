//! The classes of the body and of posts: `{{body_class}}`, `{{post_class}}`.

use super::{
    fonts::FontChoice,
    page::{Page, items},
};
use crate::{
    front_end::{PageState, helper_row::takes},
    templates::{Call, HelperResult, Value},
};

/// `{{body_class}}`: the type of the page, the tags of its post, and the fonts of the site.
pub(super) fn body_class(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let page = Page {
        state: call.state(),
        root: call.root(),
    };
    let shown = call.property("page");
    let is_page = shown.is_true();
    let post = call.property("post");
    let entry = if post.is_true() { post } else { shown };
    let mut classes = kind(call, &page, &entry, is_page);
    classes.extend(tag_classes(&entry.get("tags")));
    if page.is("paged") {
        classes.push("paged".to_owned());
    }
    classes.extend(FontChoice::of(&page).map(|fonts| fonts.body_class()));
    Ok(Value::html(classes.join(" ").trim()))
}

/// Returns the classes for the type of the page, if the context contains its record.
fn kind(call: &Call<PageState>, page: &Page, entry: &Value, is_page: bool) -> Vec<String> {
    let of_record = |kind: &str, record: &Value| {
        vec![
            format!("{kind}-template"),
            format!("{kind}-{}", record.get("slug")),
        ]
    };
    let (tag, author) = (call.property("tag"), call.property("author"));
    if page.is("home") {
        vec!["home-template".to_owned()]
    } else if page.is("post") && entry.is_true() && !is_page {
        vec!["post-template".to_owned()]
    } else if page.is("page") && entry.is_true() && is_page {
        of_record("page", entry)
    } else if page.is("tag") && tag.is_true() {
        of_record("tag", &tag)
    } else if page.is("author") && author.is_true() {
        of_record("author", &author)
    } else if page.is("private") {
        vec!["private-template".to_owned()]
    } else {
        Vec::new()
    }
}

/// `{{post_class}}`: the tags of the post, and whether it is featured, has no image or is a page.
pub(super) fn post_class(call: &mut Call<PageState>) -> HelperResult {
    let post = call.property("post");
    let property = |name: &str| {
        let own = post.get(name);
        if own.is_true() {
            own
        } else {
            call.property(name)
        }
    };
    let mut classes = vec!["post".to_owned()];
    classes.extend(tag_classes(&property("tags")));
    let flags = [
        (property("featured").is_true(), "featured"),
        (!property("feature_image").is_true(), "no-image"),
        (property("page").is_true(), "page"),
    ];
    classes.extend(
        flags
            .iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, class)| (*class).to_owned()),
    );
    Ok(Value::html(classes.join(" ")))
}

fn tag_classes(tags: &Value) -> Vec<String> {
    items(tags)
        .iter()
        .map(|tag| format!("tag-{}", tag.get("slug")))
        .collect()
}
