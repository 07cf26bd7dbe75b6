//! The kinds of preview pages, and the readers for whom they show a post.

use uuid::Uuid;

use crate::{
    api::params::QueryParameters,
    domain::post::{Post, Visibility},
};

/// The kind of page that shows a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostPageKind {
    /// The preview of a draft, for its author.
    Preview,
    /// The web version of a post sent only by mail.
    Email,
    /// The preview of a published post without the site's front end.
    Published,
}

impl PostPageKind {
    /// Parses a path into the kind of page, the identifier, and whether there is a trailing slash.
    pub fn of(path: &str) -> Option<(Self, Uuid, bool)> {
        let (kind, rest) = match path.strip_prefix("/p/") {
            Some(rest) => (Self::Preview, rest),
            None => (Self::Email, path.strip_prefix("/email/")?),
        };
        let (text, has_slash) = match rest.strip_suffix('/') {
            Some(text) => (text, true),
            None => (rest, false),
        };
        let uuid = Uuid::try_parse(text).ok()?;
        // UUIDs can be written in several forms, but only one of them is a URL.
        let is_usual = uuid.hyphenated().to_string() == text.to_ascii_lowercase();
        is_usual.then_some((kind, uuid, has_slash))
    }
}

/// The kind of reader for whom a post is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReaderStatus {
    /// A visitor who is not a member.
    Anonymous,
    /// A free member.
    FreeMember,
    /// A paying member, who may read everything.
    PayingMember,
}

impl ReaderStatus {
    /// Returns the reader that the parameter `member_status` selects. Previews of drafts are complete by
    /// default; other pages ignore the parameter.
    pub fn of(kind: PostPageKind, query: &QueryParameters) -> Self {
        let requested = query.joined("member_status");
        match (kind, requested.as_deref()) {
            (PostPageKind::Preview, None | Some("paid")) => Self::PayingMember,
            (PostPageKind::Preview, Some("free")) => Self::FreeMember,
            (PostPageKind::Preview | PostPageKind::Email | PostPageKind::Published, _) => {
                Self::Anonymous
            }
        }
    }

    /// Returns the name of these readers for people.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Anonymous => "Visitors",
            Self::FreeMember => "Free members",
            Self::PayingMember => "Paid members",
        }
    }

    /// Returns whether these readers may read the whole post.
    pub fn may_read(self, post: &Post) -> bool {
        match self {
            Self::Anonymous => post.visibility == Visibility::Public,
            Self::FreeMember => {
                matches!(post.visibility, Visibility::Public | Visibility::Members)
            }
            Self::PayingMember => true,
        }
    }
}
