//! The webhook payloads of records: records in the form of the Admin API for staff, but with the
//! rendered forms of a body instead of the editor's document (Ghost 6.65, recorded).
//!
//! `current` is the record after the change, and is empty for a deleted record. `previous` contains the
//! old values of the changed fields. It is empty for a new record, and the whole record for a deleted
//! one. The memory for writing a long post is reserved from the budget that requests share.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{
    admin::{
        long_reply::LongReply,
        members::{MemberView, avatar::MemberAvatars},
        posts::PostResource,
        view::View,
    },
    json::{self, Object},
    params::{Defaults, Format, Rows, Selection},
};
use crate::{
    body_memory::BodyMemory,
    catalog::fields::{Exposure, Field, FieldSource, STAFF_TAGS, Schema},
    domain::{
        member::Member,
        post::{Post, PostKind},
        tag::Tag,
    },
    error::Result,
    site::{AnnouncedChange, Announcer, RecordState},
    site_urls::{SiteUrlSources, SiteUrls},
};

/// The formats in which the body of a post is sent.
const FORMATS: &[Format] = &[Format::Html, Format::Plaintext];

/// The defaults for a new post or page (Ghost 6.65, recorded).
const NEW: Defaults = Defaults {
    include: &["tags", "authors", "tiers", "post_revisions"],
    formats: FORMATS,
};

/// The defaults for an existing post. They include the roles of its authors, the author of each
/// revision, and counts.
const EXISTING_POST: Defaults = Defaults {
    include: &[
        "tags",
        "authors",
        "authors.roles",
        "tiers",
        "post_revisions",
        "post_revisions.author",
        "count.clicks",
        "count.positive_feedback",
        "count.negative_feedback",
    ],
    formats: FORMATS,
};

/// The defaults for an existing page.
const EXISTING_PAGE: Defaults = Defaults {
    include: &[
        "tags",
        "authors",
        "authors.roles",
        "tiers",
        "post_revisions",
        "post_revisions.author",
        "count.signups",
        "count.paid_conversions",
        "count.positive_feedback",
        "count.negative_feedback",
    ],
    formats: FORMATS,
};

/// The defaults for a member.
const MEMBER: Defaults = Defaults {
    include: &["newsletters", "labels", "tiers"],
    formats: &[],
};

/// The fields sent for a deleted member, in addition to its relations.
const DELETED_MEMBER: &[&str] = &[
    "id",
    "uuid",
    "email",
    "status",
    "name",
    "note",
    "geolocation",
    "enable_comment_notifications",
    "enable_updates_and_announcements",
    "email_count",
    "email_opened_count",
    "email_open_rate",
    "last_seen_at",
    "commenting",
    "created_at",
    "updated_at",
    "can_comment",
];

/// The fields of members that are in responses of the Admin API but not in webhooks.
const HIDDEN_MEMBER_FIELDS: &[&str] = &["email_suppression", "unsubscribe_url"];

/// Writes the webhook payloads of a site.
pub struct Announcements {
    site_urls: SiteUrlSources,
    member_avatars: MemberAvatars,
    memory: Arc<BodyMemory>,
}

impl Announcements {
    /// Returns a writer that gets the URLs of the site from `site_urls` and the images of members from
    /// `member_avatars`, and reserves its memory from `memory`.
    pub fn new(
        site_urls: SiteUrlSources,
        member_avatars: MemberAvatars,
        memory: Arc<BodyMemory>,
    ) -> Self {
        Self {
            site_urls,
            member_avatars,
            memory,
        }
    }

    fn urls_of<R>(&self, state: &RecordState<R>) -> SiteUrls {
        self.site_urls.of(state.site.catalog())
    }

    /// Writes the given rows of a post and the relations that `selection` includes.
    fn write_post(
        &self,
        bytes: &mut Vec<u8>,
        state: &RecordState<Post>,
        selection: &Selection,
        rows: &Rows<Post>,
    ) -> Result<()> {
        let view = View {
            snapshot: state.site,
            site_urls: &self.urls_of(state),
            selection,
        };
        // A payload follows from a committed change, so it is never refused for lack of memory.
        view.post(
            bytes,
            state.record,
            rows,
            &mut LongReply::in_memory(&self.memory),
        )
    }

    fn write_tag(&self, bytes: &mut Vec<u8>, state: &RecordState<Tag>, rows: &Rows<Tag>) {
        let view = View {
            snapshot: state.site,
            site_urls: &self.urls_of(state),
            selection: &Selection::default(),
        };
        let mut object = Object::begin(bytes);
        view.tag(&mut object, state.record, rows);
        object.end();
    }

    fn member_of(&self, state: &RecordState<Member>) -> Map<String, Value> {
        let selection = Selection::of_defaults(&MEMBER);
        let site_urls = self.urls_of(state);
        // Uses the record as it is, without expiring tiers, so that the payload can show the state before
        // the expiry of a tier.
        let always = Timestamp::MIN;
        let view = MemberView::of(
            &site_urls,
            state.site,
            &selection,
            self.member_avatars,
            always,
        );
        view.member(state.record)
    }
}

impl Announcer for Announcements {
    fn post(&self, event: &AnnouncedChange<Post>) -> Result<String> {
        // A change has at least one of the two states.
        let kind = event.after.as_ref().or(event.before.as_ref());
        let kind = kind.map_or(PostKind::Post, |state| state.record.kind);
        let schema = PostResource::of(kind).schema;
        let mut text = RecordPayload::begin(kind.name());
        let current = text.part("current");
        match &event.after {
            Some(after) => {
                let defaults = match (&event.before, kind) {
                    (None, _) => &NEW,
                    (Some(_), PostKind::Post) => &EXISTING_POST,
                    (Some(_), PostKind::Page) => &EXISTING_PAGE,
                };
                let selection = Selection::of_defaults(defaults);
                self.write_post(current, after, &selection, &selection.rows(schema, &[]))?;
            }
            None => empty_object(current),
        }
        let previous = text.part("previous");
        match (&event.before, &event.after) {
            (None, _) => empty_object(previous),
            (Some(before), None) => {
                let post = before.record;
                let relations = [
                    ("tags", !post.tags.is_empty()),
                    ("authors", true),
                    ("tiers", !post.tiers.is_empty()),
                ];
                let relations = relations.iter().filter(|(_, is_there)| *is_there);
                let selection = related(relations.map(|(name, _)| *name));
                let rows = rows_called(schema, is_of_deleted_post);
                self.write_post(previous, before, &selection, &rows)?;
            }
            (Some(before), Some(_)) => {
                let parts = &event.changed.parts;
                let is_changed = |field: &Field<Post>| {
                    let is_row = event.changed.rows.iter().any(|row| row.name == field.name);
                    let is_body = matches!(field.name, "html" | "plaintext");
                    is_row || (is_body && parts.contains(&"html"))
                };
                let rows = rows_called(schema, is_changed);
                self.write_post(previous, before, &related(parts.iter().copied()), &rows)?;
            }
        }
        Ok(text.end())
    }

    fn tag(&self, event: &AnnouncedChange<Tag>) -> String {
        let mut text = RecordPayload::begin("tag");
        let current = text.part("current");
        match &event.after {
            Some(after) => {
                let rows = Selection::default().related_rows(&STAFF_TAGS);
                self.write_tag(current, after, &rows);
            }
            None => empty_object(current),
        }
        let previous = text.part("previous");
        match (&event.before, &event.after) {
            (None, _) => empty_object(previous),
            // The URL of a deleted tag is not sent (Ghost 6.65, recorded).
            (Some(before), None) => {
                let is_stored = |field: &Field<Tag>| matches!(field.source, FieldSource::Record(_));
                self.write_tag(previous, before, &rows_called(&STAFF_TAGS, is_stored));
            }
            (Some(before), Some(_)) => self.write_tag(previous, before, &event.changed.rows),
        }
        text.end()
    }

    fn member(&self, event: &AnnouncedChange<Member>) -> String {
        let mut text = RecordPayload::begin("member");
        let current = text.part("current");
        match &event.after {
            Some(after) => {
                let mut member = self.member_of(after);
                member.retain(|name, _| !HIDDEN_MEMBER_FIELDS.contains(&name.as_str()));
                json::value(current, member);
            }
            None => empty_object(current),
        }
        let previous = text.part("previous");
        match (&event.before, &event.after) {
            (None, _) => empty_object(previous),
            (Some(before), after) => {
                let changed = event.changed;
                let is_sent = |name: &str, value: &Value| match after {
                    None if MEMBER.include.contains(&name) => {
                        value.as_array().is_some_and(|list| !list.is_empty())
                    }
                    None => DELETED_MEMBER.contains(&name),
                    Some(_) => {
                        changed.parts.contains(&name)
                            || changed.rows.iter().any(|row| row.name == name)
                    }
                };
                let mut member = self.member_of(before);
                member.retain(|name, value| is_sent(name, value));
                json::value(previous, member);
            }
        }
        text.end()
    }
}

/// The part of a payload that describes one record: `"post":{"current":…,"previous":…}`.
struct RecordPayload {
    bytes: Vec<u8>,
}

impl RecordPayload {
    fn begin(noun: &str) -> Self {
        let mut bytes = Vec::new();
        json::value(&mut bytes, noun);
        bytes.extend_from_slice(b":{");
        Self { bytes }
    }

    /// Writes a name and returns the buffer for its value.
    fn part(&mut self, name: &str) -> &mut Vec<u8> {
        if self.bytes.last() != Some(&b'{') {
            self.bytes.push(b',');
        }
        json::value(&mut self.bytes, name);
        self.bytes.push(b':');
        &mut self.bytes
    }

    fn end(mut self) -> String {
        self.bytes.push(b'}');
        String::from_utf8(self.bytes).expect("invariant: JSON is written as UTF-8")
    }
}

fn empty_object(bytes: &mut Vec<u8>) {
    Object::begin(bytes).end();
}

/// Returns a selection with only these relations; authors include their roles.
fn related<'a>(names: impl Iterator<Item = &'a str>) -> Selection {
    Selection::of_relations(names.chain(["authors.roles"]))
}

/// Returns whether the payload for a deleted post has this field. It has the stored fields that are neither
/// in the side record of the post nor about its email, and a few computed fields (Ghost 6.65, recorded).
fn is_of_deleted_post(field: &Field<Post>) -> bool {
    match field.name {
        "html" | "reading_time" => true,
        "email_segment" | "email_only" => false,
        _ => matches!(field.source, FieldSource::Record(_)) && !field.in_side_record,
    }
}

fn rows_called<R>(schema: &Schema<R>, is_wanted: impl Fn(&Field<R>) -> bool) -> Rows<R> {
    let shown = schema
        .rows()
        .filter(|field| schema.exposure(field) != Exposure::QueryOnly);
    shown.filter(|field| is_wanted(field)).collect()
}
