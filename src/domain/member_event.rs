//! What happened to members: who signed up, subscribed and unsubscribed, became somebody who pays, and came back.
//!
//! The list of what happened and the counts over time are made of these. An event is never changed, and goes with its
//! member.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    actor::Actor,
    member::{Member, Status},
};
use crate::id::Id;

/// Something that happened to a member (Ghost 6.65, observed).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberEvent {
    /// The record's identifier, which begins with the time.
    pub id: Id,
    /// To whom.
    pub member: Id,
    /// Who brought it about.
    pub source: EventSource,
    /// What.
    pub happening: Happening,
    /// When.
    pub created_at: Timestamp,
}

/// Who brought something about that happened to a member (Ghost 6.65, observed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventSource {
    /// The member.
    Member,
    /// Somebody of the staff.
    Admin,
    /// An integration.
    Api,
    /// A list or an export that was brought in.
    Import,
    /// The program, or whoever has the machine.
    System,
}

impl EventSource {
    /// The word for it on the wire.
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

/// What can happen to a member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// Became a member.
    SignedUp,
    /// Came in with a link.
    SignedIn,
    /// Began or ceased to get a newsletter.
    Newsletter {
        /// Which one; it may be gone by now.
        newsletter: Id,
        /// Whether the member gets it from then on.
        subscribed: bool,
    },
    /// Has another address.
    EmailChanged {
        /// The address before.
        from: Box<str>,
        /// The address since.
        to: Box<str>,
    },
    /// Began or ceased to have a tier. It is counted, and not listed.
    StatusChanged {
        /// How the member could read before.
        from: Status,
        /// How since.
        to: Status,
    },
}

impl Happening {
    /// The word for it in the list of what happened; `None` for what is only counted.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::SignedUp => Some("signup_event"),
            Self::SignedIn => Some("login_event"),
            Self::Newsletter { .. } => Some("newsletter_event"),
            Self::EmailChanged { .. } => Some("email_change_event"),
            Self::StatusChanged { .. } => None,
        }
    }

    /// What happened when a member who was `before` became `after`; who was not there before signed up. Newsletters come in
    /// the order in which the member has them.
    pub fn between(before: Option<&Member>, after: &Member) -> Vec<Self> {
        let mut happened = Vec::new();
        let had: &[Id] = before.map_or(&[], |before| &before.newsletters);
        match before {
            None => happened.push(Self::SignedUp),
            Some(before) => {
                if before.email != after.email {
                    happened.push(Self::EmailChanged {
                        from: before.email.clone(),
                        to: after.email.clone(),
                    });
                }
                if before.status != after.status {
                    happened.push(Self::StatusChanged {
                        from: before.status,
                        to: after.status,
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
        happened.extend(gone.map(|id| change(id, false)));
        happened.extend(new.map(|id| change(id, true)));
        happened
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
    fn whoever_is_new_signed_up_and_gets_what_there_is() {
        let ana = member("ana@example.com", &["daily", "weekly"]);
        let subscribed = |name| Happening::Newsletter {
            newsletter: newsletter(name),
            subscribed: true,
        };
        assert_eq!(
            Happening::between(None, &ana),
            [
                Happening::SignedUp,
                subscribed("daily"),
                subscribed("weekly")
            ]
        );
    }

    #[test]
    fn what_differs_is_what_happened() {
        let before = member("ana@example.com", &["daily", "weekly"]);
        let after = Member {
            status: Status::Comped,
            ..member("ana@example.org", &["weekly", "rare"])
        };
        assert_eq!(
            Happening::between(Some(&before), &after),
            [
                Happening::EmailChanged {
                    from: "ana@example.com".into(),
                    to: "ana@example.org".into()
                },
                Happening::StatusChanged {
                    from: Status::Free,
                    to: Status::Comped
                },
                Happening::Newsletter {
                    newsletter: newsletter("daily"),
                    subscribed: false
                },
                Happening::Newsletter {
                    newsletter: newsletter("rare"),
                    subscribed: true
                },
            ]
        );
        assert_eq!(Happening::between(Some(&after), &after), []);
    }
}
