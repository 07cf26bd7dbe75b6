//! The main record of a page, as its metadata describes it.

use jiff::Timestamp;

use crate::{
    clock::written_time,
    front_end::PageState,
    templates::{PlainObject, Value},
};

/// The records that pages show: a context, and the property with the record, in order of preference.
const RECORDS: [(&str, &str); 5] = [
    ("page", "post"),
    ("post", "post"),
    ("page", "page"),
    ("tag", "tag"),
    ("author", "author"),
];

/// A page: its state, and the root context of its template.
pub(super) struct Page<'p> {
    pub state: &'p PageState,
    pub root: &'p Value,
}

impl Page<'_> {
    /// Returns whether the page has a context.
    pub fn is(&self, context: &str) -> bool {
        self.state.contexts.iter().any(|own| own == context)
    }

    /// Returns the first context, which alone determines some properties.
    pub fn first_context(&self) -> Option<&str> {
        self.state.contexts.first().map(String::as_str)
    }

    /// Returns whether the page shows a post or page.
    pub fn is_entry(&self) -> bool {
        self.is("post") || self.is("page")
    }

    /// Returns a setting of the site that is a string; `None` if it is empty.
    pub fn setting(&self, key: &str) -> Option<String> {
        self.state.snapshot.catalog.settings.text(key)
    }

    /// Returns a setting that is a URL as an absolute URL; `None` if it is empty.
    pub fn url_setting(&self, key: &str) -> Option<String> {
        let stored = self.setting(key)?;
        Some(self.state.site_urls.absolute(&stored).into_owned())
    }

    /// Returns whether readers may become members of the site.
    pub fn has_members(&self) -> bool {
        self.setting("members_signup_access").as_deref() != Some("none")
    }

    /// Returns the URL of the request.
    pub fn url(&self) -> String {
        format!("{}{}", self.state.site_urls.base(), self.state.path)
    }

    /// Returns the canonical URL, for search engines.
    pub fn canonical_url(&self) -> String {
        let post = Some("post").filter(|_| self.is_entry());
        let tag = Some("tag").filter(|_| self.is("tag"));
        let names = [post, tag].into_iter().flatten();
        let mut own = names.filter_map(|name| text(&self.root.get(name).get("canonical_url")));
        own.next().unwrap_or_else(|| self.url())
    }

    /// Returns the record that the page shows; without one, properties of the site.
    pub fn record(&self) -> Value {
        self.first_record(|context| self.is(context), &self.state.contexts.join(","))
    }

    /// Returns the record that the first context names; without one, properties of the site. Ghost searches the first context for
    /// the types of records as substrings, so the page of a route has a record if the route's name contains a type, such as
    /// `landing-pages`. Previews and mailed posts have a different first context, so they lack the values that are read from this
    /// record, such as the author's URL (Ghost 6.65, recorded).
    pub fn first_context_record(&self) -> Value {
        let first = self.first_context().unwrap_or_default();
        self.first_record(|context| first.contains(context), first)
    }

    /// Returns the first record whose context satisfies `is`, else the one that the template has under `name`.
    fn first_record(&self, is: impl Fn(&str) -> bool, name: &str) -> Value {
        let records = RECORDS
            .iter()
            .filter(|(context, _)| is(context))
            .map(|(_, name)| self.root.get(name))
            .chain([self.root.get(name)]);
        let mut records = records.filter(Value::is_true);
        records.next().unwrap_or_else(|| {
            // As in Ghost, metadata of a page without a record falls back to that of the site.
            let site = PlainObject::new()
                .with("cover_image", self.url_setting("cover_image"))
                .with("facebook", self.setting("facebook"))
                .with("twitter", self.setting("twitter"));
            site.into()
        })
    }

    /// Returns the first author of the post or page.
    pub fn primary_author(&self) -> Value {
        if self.is_entry() {
            self.record().get("primary_author")
        } else {
            Value::Undefined
        }
    }

    /// Returns the names of the public tags of the post; `None` if the post has no tags at all.
    pub fn keywords(&self) -> Option<Vec<String>> {
        // Pages are included: their record is in `post`, too.
        let tags = self.root.get("post").get("tags");
        let tags = items(&tags);
        let is_public = |tag: &&Value| text(&tag.get("visibility")).as_deref() == Some("public");
        let names = tags
            .iter()
            .filter(is_public)
            .map(|tag| tag.get("name").to_string());
        (!tags.is_empty()).then(|| names.collect())
    }
}

/// Returns the text of a value; `None` if the value is falsy.
pub(super) fn text(value: &Value) -> Option<String> {
    value.is_true().then(|| match value.as_text() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    })
}

/// Returns the items of a list; for other values, an empty slice.
pub(super) fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

/// Returns a date of a record in UTC, in the format of JavaScript's `toISOString`.
pub(super) fn utc(date: &Value) -> Option<String> {
    let time: Timestamp = match date {
        Value::Time(time) => *time,
        other => text(other)?.parse().ok()?,
    };
    Some(written_time(time))
}
