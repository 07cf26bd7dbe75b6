//! What happens to a publication that other programs are told of, and the rule from what a record was and is to what
//! happened to it (Ghost 6.65, recorded).

use super::post::{Post, PostKind, Status};

/// Something that webhooks are told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// What readers see changed, whatever it was.
    SiteChanged,
    /// Something happened to a post or a page.
    Post(PostKind, PostEvent),
    /// Something happened to a tag.
    Tag(RecordEvent),
    /// Something happened to a member.
    Member(RecordEvent),
}

/// What happens to posts and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostEvent {
    /// It is new.
    Added,
    /// It is other than it was, in whatever state.
    Edited,
    /// It became public.
    Published,
    /// It was public, is so still, and is other than it was.
    PublishedEdited,
    /// It is public no more.
    Unpublished,
    /// It waits for its time.
    Scheduled,
    /// It waits no more, and did not become public.
    Unscheduled,
    /// It waits for another time.
    Rescheduled,
    /// It is gone.
    Deleted,
    /// It got a tag; told once for each.
    TagAttached,
    /// It lost a tag; told once for each.
    TagDetached,
}

/// What happens to other records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEvent {
    /// It is new.
    Added,
    /// It is other than it was.
    Edited,
    /// It is gone.
    Deleted,
}

/// The names of the events of one kind of post.
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

/// The names of the events of one kind of other records.
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
    /// The name by which webhooks ask for it, such as `post.published.edited`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SiteChanged => "site.changed",
            Self::Post(PostKind::Post, event) => post_event_name!("post", event),
            Self::Post(PostKind::Page, event) => post_event_name!("page", event),
            Self::Tag(event) => record_event_name!("tag", event),
            Self::Member(event) => record_event_name!("member", event),
        }
    }

    /// Every event there is.
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

/// How many tags a post got and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagMoves {
    /// How many it got.
    pub attached: usize,
    /// How many it lost.
    pub detached: usize,
}

impl PostEvent {
    /// Every one.
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

    /// What happened to a post that was `before` and is `after`, in the order in which it is told: its tags, then how far it
    /// is on its way to readers, then that it was edited. `is_edited` says whether anything of it is other than it was.
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
                if is_edited {
                    events.extend(Self::of_way(before, after));
                    events.push(Self::Edited);
                }
            }
        }
        events
    }

    /// What a change did to how far a post is on its way to readers.
    fn of_way(before: &Post, after: &Post) -> Option<Self> {
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
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Added, Self::Edited, Self::Deleted];

    /// What happened to a record that was there or not, and is there or not; `is_edited` says whether anything of it is other
    /// than it was.
    pub fn of(was_there: bool, is_there: bool, is_edited: bool) -> Option<Self> {
        match (was_there, is_there) {
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

    /// A post in this state, if there is one; `@` and a letter say for when.
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

    fn told(events: &[PostEvent]) -> String {
        let names = events.iter().map(|event| {
            let name = Event::Post(PostKind::Post, *event).name();
            name.strip_prefix("post.").unwrap()
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_was_and_what_is_say_what_happened_to_a_post() {
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
            assert_eq!(told(&events), expected, "{before} to {after}");
        }
    }

    #[test]
    fn tags_are_told_of_first_and_one_by_one() {
        let tags = TagMoves {
            attached: 2,
            detached: 1,
        };
        let events = PostEvent::of(post("draft").as_ref(), post("draft").as_ref(), true, tags);
        assert_eq!(
            told(&events),
            "tag.attached tag.attached tag.detached edited"
        );
    }

    #[test]
    fn what_is_as_it_was_is_not_told_of() {
        for state in ["draft", "scheduled", "published", "sent"] {
            let post = post(state);
            let events = PostEvent::of(post.as_ref(), post.as_ref(), false, TagMoves::default());
            assert_eq!(events, [], "{state}");
        }
        assert_eq!(RecordEvent::of(true, true, false), None);
        assert_eq!(RecordEvent::of(false, false, true), None);
    }

    #[test]
    fn every_event_has_a_name_of_its_own_that_a_webhook_can_ask_for() {
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
