//! A pattern of paths, and the role that it determines.

use globset::GlobMatcher;

use crate::{content_files::pattern::matcher, generators::Role};

/// A pattern, and the role of the files that match it.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    pub(super) glob: GlobMatcher,
    pub(super) role: Role,
    /// The source of the pattern.
    origin: &'static str,
}

/// The role of a file, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The role.
    pub role: Role,
    /// The pattern that matches; empty without one.
    pub pattern: String,
    /// The source of the pattern: the name of a generator, `content_files.posts` and the like.
    pub origin: &'static str,
}

impl Matcher {
    /// Compiles a pattern; `None` if it is invalid.
    pub(super) fn new(pattern: &str, role: Role, origin: &'static str) -> Option<Self> {
        let glob = matcher(pattern).ok()?;
        Some(Self { glob, role, origin })
    }

    /// Returns the role of a file that matches, with this pattern as its source.
    pub(super) fn reason(&self) -> Reason {
        Reason {
            role: self.role,
            pattern: self.glob.glob().glob().to_owned(),
            origin: self.origin,
        }
    }
}
