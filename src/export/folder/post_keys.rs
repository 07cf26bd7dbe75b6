//! The front matter keys of posts and pages.

use jiff::Timestamp;

use crate::{
    catalog::{
        Catalog,
        fields::{POST_TEXTS, StoredText},
        records::Records,
    },
    clock::whole_seconds,
    content_files::{FileNaming, WrittenKeys},
    domain::{
        UNDATED,
        post::{Post, PostKind, Status, Visibility},
        record::Slugged,
    },
    id::Id,
    render::slug::Kind,
};

impl FileNaming<'_> {
    /// Returns the keys of a post or a page. `now` is the time at which the file is read.
    pub fn post(&self, post: &Post, catalog: &Catalog, now: Timestamp) -> WrittenKeys {
        let mut keys = WrittenKeys::new(self.form);
        keys.text("title", &post.title);
        self.identify(&mut keys, Kind::Post, post.kind.name(), &post.slug, post.id);
        if post.uuid != Post::derived_uuid(post.kind, &post.slug) {
            keys.text("uuid", &post.uuid.to_string());
        }
        if *post.comment_id != *post.id.to_string() {
            keys.text("comment_id", &post.comment_id);
        }
        add_status(&mut keys, post, now);
        add_dates(&mut keys, post);
        if post.featured {
            keys.switch("featured", true);
        }
        let is_default = post.visibility == catalog.settings.default_visibility();
        // Tiers require the visibility to be written. A post with an empty set of tiers can only be
        // expressed by the default.
        if !is_default || !post.tiers.is_empty() {
            keys.text("visibility", post.visibility.name());
        }
        if post.visibility == Visibility::Tiers {
            keys.texts("tiers", slugs(&post.tiers, &catalog.tiers));
        }
        keys.texts("tags", slugs(&post.tags, &catalog.tags));
        keys.texts("authors", slugs(&post.authors, &catalog.users));
        let aliases: Vec<String> = post.aliases.iter().map(|alias| written(alias)).collect();
        keys.texts("aliases", aliases.iter().map(String::as_str));
        if post.kind == PostKind::Page && !post.show_title_and_feature_image {
            keys.switch("show_title_and_feature_image", false);
        }
        for text in POST_TEXTS.iter().filter(|text| !text.rules.in_side_record) {
            keys.stored(text, post);
        }
        add_meta(&mut keys, post);
        keys
    }
}

/// Returns a former path as written in files, where `%`, `#` and `?` have a special meaning.
fn written(alias: &str) -> String {
    alias
        // The percent sign first, because the other replacements add percent signs.
        .replace('%', "%25")
        .replace('#', "%23")
        .replace('?', "%3F")
}

/// Adds the status, unless the date implies that the post is published.
fn add_status(keys: &mut WrittenKeys, post: &Post, now: Timestamp) {
    let is_to_come = post.published_at.is_some_and(|date| date > now);
    if post.status != Status::Published || is_to_come || post.public_status() != Status::Published {
        keys.text("status", post.status.name());
    }
}

/// Adds the dates that cannot be derived from other dates.
fn add_dates(keys: &mut WrittenKeys, post: &Post) {
    if let Some(published_at) = post.published_at {
        keys.time("published_at", published_at);
    }
    let is_dated = post.created_at != UNDATED || post.updated_at != UNDATED;
    if post.published_at != Some(post.created_at) && is_dated {
        keys.time("created_at", post.created_at);
    }
    // Dates in files have whole seconds, but the date of an edit may have milliseconds.
    if whole_seconds(post.updated_at) != post.published_at.unwrap_or(post.created_at) {
        keys.time("updated_at", post.updated_at);
    }
}

fn add_meta(keys: &mut WrittenKeys, post: &Post) {
    let Some(meta) = &post.meta else {
        return;
    };
    let others = keys.count();
    let is_mail = |text: &StoredText<Post>| text.name == "email_subject";
    for text in POST_TEXTS.iter().filter(|text| text.rules.in_side_record) {
        // Pages are not mailed.
        if post.kind == PostKind::Post || !is_mail(text) {
            keys.stored(text, post);
        }
    }
    // Filters distinguish a post without metadata from a post with empty metadata.
    if meta.email_only || keys.count() == others {
        keys.switch("email_only", meta.email_only);
    }
}

/// Returns the slugs of the records with these identifiers.
fn slugs<'a, R: Slugged>(ids: &'a [Id], records: &'a Records<R>) -> impl Iterator<Item = &'a str> {
    ids.iter()
        .filter_map(|id| records.get(*id))
        .map(|record| record.slug())
}
