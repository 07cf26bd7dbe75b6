//! Member events: sign-ups, subscriptions, changes of status and sign-ins.
//!
//! The activity list and the statistics over time are computed from events. An event is never
//! changed, and is deleted with its member.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    actor::Actor,
    member::{Member, Status},
};
use crate::id::Id;

/// An event of a member (Ghost 6.65, observed).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberEvent {
    /// The record's identifier, which begins with the time.
    pub id: Id,
    /// The member.
    pub member: Id,
    /// The actor.
    pub source: EventSource,
    /// The kind of event.
    pub happening: MemberEventKind,
    /// The time of the event.
    pub created_at: Timestamp,
}

/// The actor of a member event (Ghost 6.65, observed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventSource {
    /// The member.
    Member,
    /// A staff user.
    Admin,
    /// An integration.
    Api,
    /// An import.
    Import,
    /// The program or the operator.
    System,
}

impl EventSource {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Api => "api",
            Self::Import => "import",
            Self::System => "system",
        }
    }
}

impl From<&Actor> for EventSource {
    fn from(actor: &Actor) -> Self {
        match actor {
            Actor::User { .. } => Self::Admin,
            Actor::Integration { .. } => Self::Api,
            Actor::Operator => Self::System,
        }
    }
}

/// The kind of a member event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberEventKind {
    /// The member signed up.
    SignedUp,
    /// The member signed in with a link.
    SignedIn,
    /// The member subscribed to or unsubscribed from a newsletter.
    Newsletter {
        /// The newsletter, which may have been deleted since.
        newsletter: Id,
        /// True if the member subscribed, false if the member unsubscribed.
        subscribed: bool,
    },
    /// The member's address was changed.
    EmailChanged {
        /// The previous address.
        from: Box<str>,
        /// The new address.
        to: Box<str>,
    },
    /// The member's status changed. The event is used for statistics, but not listed.
    StatusChanged {
        /// The previous status.
        from: Status,
        /// The new status.
        to: Status,
    },
}

impl MemberEventKind {
    /// Returns the name in the activity list; `None` for events that are not listed.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::SignedUp => Some("signup_event"),
            Self::SignedIn => Some("login_event"),
            Self::Newsletter { .. } => Some("newsletter_event"),
            Self::EmailChanged { .. } => Some("email_change_event"),
            Self::StatusChanged { .. } => None,
        }
    }

    /// Returns the newsletter that the event concerns, if any.
    pub fn newsletter(&self) -> Option<Id> {
        match self {
            Self::Newsletter { newsletter, .. } => Some(*newsletter),
            _ => None,
        }
    }

    /// Returns the events for the change of a member from `before` to `after`. A member who did not
    /// exist before has signed up. Newsletters are in the member's order.
    pub fn between(before: Option<&Member>, after: &Member) -> Vec<Self> {
        let mut events = Vec::new();
        let had: &[Id] = before.map_or(&[], |before| &before.newsletters);
        match before {
            // The first status needs no event: `member_counts` derives it from later changes or
            // from the record.
            None => events.push(Self::SignedUp),
            Some(before) => {
                if before.email != after.email {
                    events.push(Self::EmailChanged {
                        from: before.email.clone(),
                        to: after.email.clone(),
                    });
                }
                if before.status() != after.status() {
                    events.push(Self::StatusChanged {
                        from: before.status(),
                        to: after.status(),
                    });
                }
            }
        }
        let change = |newsletter: &Id, subscribed| Self::Newsletter {
            newsletter: *newsletter,
            subscribed,
        };
        let gone = had.iter().filter(|id| !after.newsletters.contains(id));
        let new = after.newsletters.iter().filter(|id| !had.contains(id));
        events.extend(gone.map(|id| change(id, false)));
        events.extend(new.map(|id| change(id, true)));
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(email: &str, newsletters: &[&str]) -> Member {
        let at = Timestamp::UNIX_EPOCH;
        Member {
            newsletters: newsletters.iter().map(|name| newsletter(name)).collect(),
            ..Member::new(Id::derive("member", "ana"), email, at)
        }
    }

    fn newsletter(name: &str) -> Id {
        Id::derive("newsletter", name)
    }

    #[test]
    fn new_member_signed_up_and_subscribed() {
        let ana = member("ana@example.com", &["daily", "weekly"]);
        let subscribed = |name| MemberEventKind::Newsletter {
            newsletter: newsletter(name),
            subscribed: true,
        };
        assert_eq!(
            MemberEventKind::between(None, &ana),
            [
                MemberEventKind::SignedUp,
                subscribed("daily"),
                subscribed("weekly")
            ]
        );
    }

    #[test]
    fn each_changed_field_is_an_event() {
        let before = member("ana@example.com", &["daily", "weekly"]);
        let after = Member {
            pays: true,
            ..member("ana@example.org", &["weekly", "rare"])
        };
        assert_eq!(
            MemberEventKind::between(Some(&before), &after),
            [
                MemberEventKind::EmailChanged {
                    from: "ana@example.com".into(),
                    to: "ana@example.org".into()
                },
                MemberEventKind::StatusChanged {
                    from: Status::Free,
                    to: Status::Paid
                },
                MemberEventKind::Newsletter {
                    newsletter: newsletter("daily"),
                    subscribed: false
                },
                MemberEventKind::Newsletter {
                    newsletter: newsletter("rare"),
                    subscribed: true
                },
            ]
        );
        assert_eq!(MemberEventKind::between(Some(&after), &after), []);
    }
}
