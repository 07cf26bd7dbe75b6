//! Webhook events, and the rules that derive them from the state of a record before and after a
//! change (Ghost 6.65, recorded).

use super::post::{Post, PostKind, Status};

/// An event that webhooks subscribe to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something that readers see has changed.
    SiteChanged,
    /// An event of a post or a page.
    Post(PostKind, PostEvent),
    /// An event of a tag.
    Tag(RecordEvent),
    /// An event of a member.
    Member(RecordEvent),
}

/// The events of posts and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostEvent {
    /// The post was created.
    Added,
    /// The post was edited, in any state.
    Edited,
    /// The post was published.
    Published,
    /// A published post was edited.
    PublishedEdited,
    /// A published post was unpublished.
    Unpublished,
    /// The post was scheduled.
    Scheduled,
    /// A scheduled post became a draft.
    Unscheduled,
    /// The date of a scheduled post was changed.
    Rescheduled,
    /// The post was deleted.
    Deleted,
    /// A tag was added to the post; one event for each.
    TagAttached,
    /// A tag was removed from the post; one event for each.
    TagDetached,
}

/// The events of other records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEvent {
    /// The record was created.
    Added,
    /// The record was edited.
    Edited,
    /// The record was deleted.
    Deleted,
}

/// Expands to the name of an event of one kind of post.
macro_rules! post_event_name {
    ($noun:literal, $event:expr) => {
        match $event {
            PostEvent::Added => concat!($noun, ".added"),
            PostEvent::Edited => concat!($noun, ".edited"),
            PostEvent::Published => concat!($noun, ".published"),
            PostEvent::PublishedEdited => concat!($noun, ".published.edited"),
            PostEvent::Unpublished => concat!($noun, ".unpublished"),
            PostEvent::Scheduled => concat!($noun, ".scheduled"),
            PostEvent::Unscheduled => concat!($noun, ".unscheduled"),
            PostEvent::Rescheduled => concat!($noun, ".rescheduled"),
            PostEvent::Deleted => concat!($noun, ".deleted"),
            PostEvent::TagAttached => concat!($noun, ".tag.attached"),
            PostEvent::TagDetached => concat!($noun, ".tag.detached"),
        }
    };
}

/// Expands to the name of an event of one other resource.
macro_rules! record_event_name {
    ($noun:literal, $event:expr) => {
        match $event {
            RecordEvent::Added => concat!($noun, ".added"),
            RecordEvent::Edited => concat!($noun, ".edited"),
            RecordEvent::Deleted => concat!($noun, ".deleted"),
        }
    };
}

impl Event {
    /// Returns the name that webhooks subscribe to, such as `post.published.edited`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SiteChanged => "site.changed",
            Self::Post(PostKind::Post, event) => post_event_name!("post", event),
            Self::Post(PostKind::Page, event) => post_event_name!("page", event),
            Self::Tag(event) => record_event_name!("tag", event),
            Self::Member(event) => record_event_name!("member", event),
        }
    }

    /// Returns all events.
    pub fn all() -> impl Iterator<Item = Self> {
        let of_posts = [PostKind::Post, PostKind::Page]
            .into_iter()
            .flat_map(|kind| PostEvent::ALL.map(|event| Self::Post(kind, event)));
        let of_tags = RecordEvent::ALL.map(Self::Tag);
        let of_members = RecordEvent::ALL.map(Self::Member);
        [Self::SiteChanged]
            .into_iter()
            .chain(of_posts)
            .chain(of_tags)
            .chain(of_members)
    }
}

/// The numbers of tags that were added to and removed from a post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagMoves {
    /// The number of added tags.
    pub attached: usize,
    /// The number of removed tags.
    pub detached: usize,
}

impl PostEvent {
    /// All post events.
    pub const ALL: [Self; 11] = [
        Self::Added,
        Self::Edited,
        Self::Published,
        Self::PublishedEdited,
        Self::Unpublished,
        Self::Scheduled,
        Self::Unscheduled,
        Self::Rescheduled,
        Self::Deleted,
        Self::TagAttached,
        Self::TagDetached,
    ];

    /// Returns the events for the change of a post from `before` to `after`, in the order in which
    /// they are sent: tags, publication status, edit. `is_edited` says whether anything in the post
    /// changed.
    pub fn of(
        before: Option<&Post>,
        after: Option<&Post>,
        is_edited: bool,
        tags: TagMoves,
    ) -> Vec<Self> {
        let mut events = vec![Self::TagAttached; tags.attached];
        events.extend(vec![Self::TagDetached; tags.detached]);
        match (before, after) {
            (None, None) => {}
            (None, Some(after)) => {
                events.push(Self::Added);
                events.extend(match after.status {
                    Status::Published => Some(Self::Published),
                    Status::Scheduled => Some(Self::Scheduled),
                    // A post that is mailed only never appears on the site, so it is not published.
                    Status::Draft | Status::Sent => None,
                });
            }
            (Some(before), None) => {
                if before.status == Status::Published {
                    events.push(Self::Unpublished);
                }
                events.push(Self::Deleted);
            }
            (Some(before), Some(after)) => {
                // Tags have their own events above, even if nothing else changed.
                if is_edited {
                    events.extend(Self::of_status_change(before, after));
                    events.push(Self::Edited);
                }
            }
        }
        events
    }

    /// Returns the event for a change of the publication status.
    fn of_status_change(before: &Post, after: &Post) -> Option<Self> {
        match (before.status, after.status) {
            (Status::Published, Status::Published) => Some(Self::PublishedEdited),
            (_, Status::Published) => Some(Self::Published),
            (Status::Published, Status::Draft | Status::Sent) => Some(Self::Unpublished),
            (Status::Scheduled, Status::Scheduled) => {
                (before.published_at != after.published_at).then_some(Self::Rescheduled)
            }
            (_, Status::Scheduled) => Some(Self::Scheduled),
            (Status::Scheduled, Status::Draft) => Some(Self::Unscheduled),
            (Status::Draft | Status::Sent, Status::Draft | Status::Sent)
            | (Status::Scheduled, Status::Sent) => None,
        }
    }
}

impl RecordEvent {
    /// All record events.
    pub const ALL: [Self; 3] = [Self::Added, Self::Edited, Self::Deleted];

    /// Returns the event for a record, given whether the record existed before and exists after the
    /// change. `is_edited` says whether anything in the record changed.
    pub fn of(existed: bool, exists: bool, is_edited: bool) -> Option<Self> {
        match (existed, exists) {
            (false, true) => Some(Self::Added),
            (true, false) => Some(Self::Deleted),
            (true, true) => is_edited.then_some(Self::Edited),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{domain::UNDATED, id::Id};

    /// Returns a post in this state; `@` and a character set its date.
    fn post(state: &str) -> Option<Post> {
        let (status, date) = state.split_once('@').unwrap_or((state, "a"));
        let status = Status::from_name(status)?;
        let date = UNDATED + jiff::SignedDuration::from_secs(i64::from(date.as_bytes()[0]));
        let draft = Post::draft(
            Id::derive("post", "a"),
            Uuid::nil(),
            PostKind::Post,
            UNDATED,
        );
        Some(Post {
            status,
            published_at: Some(date),
            ..draft
        })
    }

    fn names_of(events: &[PostEvent]) -> String {
        let names = events.iter().map(|event| {
            let name = Event::Post(PostKind::Post, *event).name();
            name.strip_prefix("post.").unwrap()
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn post_events_follow_from_the_state_before_and_after() {
        for (before, after, expected) in [
            ("-", "draft", "added"),
            ("-", "published", "added published"),
            ("-", "scheduled", "added scheduled"),
            ("-", "sent", "added"),
            ("draft", "draft", "edited"),
            ("draft", "published", "published edited"),
            ("draft", "scheduled", "scheduled edited"),
            ("draft", "sent", "edited"),
            ("scheduled", "scheduled", "edited"),
            ("scheduled@a", "scheduled@b", "rescheduled edited"),
            ("scheduled", "draft", "unscheduled edited"),
            ("scheduled", "published", "published edited"),
            ("scheduled", "sent", "edited"),
            ("published", "published", "published.edited edited"),
            ("published", "draft", "unpublished edited"),
            ("sent", "sent", "edited"),
            ("sent", "draft", "edited"),
            ("draft", "-", "deleted"),
            ("scheduled", "-", "deleted"),
            ("sent", "-", "deleted"),
            ("published", "-", "unpublished deleted"),
        ] {
            let (was, is) = (post(before), post(after));
            let events = PostEvent::of(was.as_ref(), is.as_ref(), true, TagMoves::default());
            assert_eq!(names_of(&events), expected, "{before} to {after}");
        }
    }

    #[test]
    fn tag_events_come_first_one_for_each_tag() {
        let tags = TagMoves {
            attached: 2,
            detached: 1,
        };
        let events = PostEvent::of(post("draft").as_ref(), post("draft").as_ref(), true, tags);
        assert_eq!(
            names_of(&events),
            "tag.attached tag.attached tag.detached edited"
        );
    }

    #[test]
    fn unchanged_records_have_no_events() {
        for state in ["draft", "scheduled", "published", "sent"] {
            let post = post(state);
            let events = PostEvent::of(post.as_ref(), post.as_ref(), false, TagMoves::default());
            assert_eq!(events, [], "{state}");
        }
        assert_eq!(RecordEvent::of(true, true, false), None);
        assert_eq!(RecordEvent::of(false, false, true), None);
    }

    #[test]
    fn every_event_has_a_unique_name() {
        let names: Vec<&str> = Event::all().map(Event::name).collect();
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
        assert_eq!(names.len(), 29);
        assert!(names.contains(&"page.tag.detached"));
        assert!(names.contains(&"member.edited"));
    }
}
