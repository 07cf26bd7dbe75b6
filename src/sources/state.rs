//! What is remembered of each content file: which version was read, what it made, and what that depended on.
//!
//! One row of the store for each file, written in the same commit as what the file made. So a process that is killed
//! while it seeds starts again with rows and records that agree.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::{place::FileKind, tree::TreeFile};
use crate::{
    domain::{post::PostKind, tag::Tag, tier::Tier, user::User},
    id::Id,
};

/// Changes when content files are read differently than before, so that all are read again.
const READER: &str = concat!("galley ", env!("CARGO_PKG_VERSION"), " reader 4");

/// What is remembered of one file, with its references as a [`FileReference`] or as they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileState<U = Arc<FileReference>> {
    /// Facts about the file when it was last read. While they hold, it is not read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<FileStat>,
    /// What was read.
    #[serde(default)]
    pub fingerprint: Fingerprint,
    /// What its last good version made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Arc<FileOutput>>,
    /// What that version referred to, and what that led to.
    #[serde(default = "no_uses", skip_serializing_if = "<[_]>::is_empty")]
    pub uses: Box<[U]>,
    /// Something is wrong with it: it is read again at the next start, so that this can be reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_problems: bool,
}

fn no_uses<U>() -> Box<[U]> {
    Box::default()
}

impl FileState<&RawValue> {
    /// The same with references that are shared with all files that have them.
    ///
    /// # Errors
    ///
    /// If one of them is not a kind that this program knows.
    pub fn with_uses(self, written: &WrittenUses) -> serde_json::Result<FileState> {
        let uses = self.uses.iter().map(|used| written.read(used));
        Ok(FileState {
            seen: self.seen,
            fingerprint: self.fingerprint,
            made: self.made,
            uses: uses.collect::<serde_json::Result<_>>()?,
            has_problems: self.has_problems,
        })
    }
}

impl FileState {
    /// Whether the other state says the same of the file, whatever the facts about it are.
    pub fn is_same_but_for_facts(&self, other: &Self) -> bool {
        let Self {
            seen: _,
            fingerprint,
            made,
            uses,
            has_problems,
        } = self;
        (fingerprint, made, uses, has_problems)
            == (
                &other.fingerprint,
                &other.made,
                &other.uses,
                &other.has_problems,
            )
    }
}

/// What is remembered of the last run that changed something. While it holds, a file that is as it was makes what it made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// Which program ran: another version may make something else of the same file.
    pub reader: String,
    /// A hash of the paths of all files of the folder.
    pub paths: Fingerprint,
    /// Whether the history of files said what they did not.
    #[serde(default)]
    pub has_history: bool,
    /// What the files of the folder were; empty for a folder of Galley's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub layout: String,
}

impl LastRun {
    /// What is remembered of a run of this program over a folder with these files, with their history or without.
    pub fn now(paths: &BTreeSet<String>, has_history: bool, layout: String) -> Self {
        let mut digest = Sha256::new();
        for path in paths {
            digest.update(path);
            digest.update([0]);
        }
        Self {
            reader: READER.to_owned(),
            paths: Fingerprint::finish(digest),
            has_history,
            layout,
        }
    }

    /// Whether it was this version of the program that ran, with the history of files as it is wanted now.
    pub fn is_own(&self, has_history: bool) -> bool {
        self.reader == READER && self.has_history == has_history
    }
}

/// Facts about a file that change when it is written or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStat {
    size: u64,
    modified_ns: i128,
    changed_ns: i128,
    inode: u64,
}

impl FileStat {
    /// The facts about `file`, unless it was changed so recently that it may change again without their changing: file
    /// systems keep times to some milliseconds only, the coarsest to two seconds.
    pub fn of(file: &TreeFile, now_ns: i128) -> Option<Self> {
        const COARSEST_NS: i128 = 2_000_000_000;
        let is_settled =
            file.identity.changed_ns.max(file.identity.modified_ns) + COARSEST_NS < now_ns;
        is_settled.then_some(Self {
            size: file.size,
            modified_ns: file.identity.modified_ns,
            changed_ns: file.identity.changed_ns,
            inode: file.identity.inode,
        })
    }
}

/// A hash of a file's content, and of what decides how it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of `bytes` when they are read under `conditions`.
    pub fn of(bytes: &[u8], conditions: &str) -> Self {
        let digest = Sha256::new()
            .chain_update(READER)
            .chain_update([0])
            .chain_update(conditions)
            .chain_update([0])
            .chain_update(bytes);
        Self::finish(digest)
    }

    fn finish(digest: Sha256) -> Self {
        let mut start = [0; 16];
        start.copy_from_slice(&digest.finalize()[..16]);
        Self(start)
    }
}

/// What a file made, as far as other files can refer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOutput {
    /// What kind of thing.
    pub kind: FileKind,
    /// Its identifier.
    pub id: Id,
    /// Its slug; empty for the site itself.
    pub slug: Box<str>,
    /// Its name, where others refer to it by that: empty for posts and pages, and for the site itself the name of the
    /// author of what names none.
    pub name: Box<str>,
    /// Its e-mail address, for authors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Box<str>>,
    /// The slug that it asks for, where another file has that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Box<str>>,
    /// Its old addresses, for posts and pages.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub aliases: Box<[Box<str>]>,
}

impl FileOutput {
    /// What texts may know a tag of the site by.
    pub fn of_tag(tag: &Tag) -> Self {
        Self {
            kind: FileKind::Tag,
            id: tag.id,
            slug: tag.slug.clone(),
            name: tag.name.clone(),
            email: None,
            wanted: None,
            aliases: Box::default(),
        }
    }

    /// What texts may know an author of the site by.
    pub fn of_user(user: &User) -> Self {
        Self {
            kind: FileKind::Author,
            id: user.id,
            slug: user.slug.clone(),
            name: user.name.clone(),
            email: user.email.clone(),
            wanted: None,
            aliases: Box::default(),
        }
    }

    /// What texts may know a tier of the site by.
    pub fn of_tier(tier: &Tier) -> Self {
        Self {
            kind: FileKind::Tier,
            id: tier.id,
            slug: tier.slug.clone(),
            name: tier.name.clone(),
            email: None,
            wanted: None,
            aliases: Box::default(),
        }
    }

    /// Returns the slug that it asks for.
    pub fn wanted_slug(&self) -> &str {
        self.wanted.as_deref().unwrap_or(&self.slug)
    }

    /// Returns the same under another slug, because another file has the one that it asks for.
    pub fn with_slug(&self, slug: &str) -> Self {
        let noun = match self.kind {
            FileKind::Page => PostKind::Page.name(),
            _ => PostKind::Post.name(),
        };
        let is_derived = self.id == Id::derive(noun, &self.slug);
        let wanted = self.wanted_slug();
        Self {
            id: match is_derived {
                true => Id::derive(noun, slug),
                false => self.id,
            },
            wanted: (slug != wanted).then(|| wanted.into()),
            slug: slug.into(),
            ..self.clone()
        }
    }

    /// What its slug must be unique among: posts and pages share theirs.
    pub fn namespace(&self) -> FileKind {
        match self.kind {
            FileKind::Page => FileKind::Post,
            kind => kind,
        }
    }
}

/// A reference in a file, and what it led to when the file was last read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileReference {
    /// What is referred to.
    pub target: Target,
    /// What it led to.
    pub led_to: ResolvedTarget,
}

/// References that many files have in common, each to be in memory once: a site has some tags and authors, and each of its
/// files names a dozen of them.
///
/// Found by what they led to, which is short. Two that led to the same without being equal are not shared.
#[derive(Default)]
pub struct SharedUses(HashMap<ResolvedTarget, Arc<FileReference>>);

impl SharedUses {
    /// Puts what was seen before in the place of what is equal to it.
    pub fn share(&mut self, uses: &mut [Arc<FileReference>]) {
        for used in uses {
            let known = self.0.entry(used.led_to);
            let known = known.or_insert_with(|| Arc::clone(used));
            if known == used {
                *used = Arc::clone(known);
            }
        }
    }
}

/// References as they are written in the store, each read once for all files that have it.
#[derive(Default)]
pub struct WrittenUses(papaya::HashMap<Box<str>, Arc<FileReference>>);

impl WrittenUses {
    fn read(&self, written: &RawValue) -> serde_json::Result<Arc<FileReference>> {
        let known = self.0.pin();
        if let Some(used) = known.get(written.get()) {
            return Ok(Arc::clone(used));
        }
        let used = serde_json::from_str(written.get())?;
        let used = known.get_or_insert(written.get().into(), Arc::new(used));
        Ok(Arc::clone(used))
    }
}

/// What a reference led to: a hash of the address or the identifier, which is only ever compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResolvedTarget(u64);

impl ResolvedTarget {
    /// To this; empty for nowhere.
    pub fn to(what: &str) -> Self {
        let digest = Sha256::digest(what);
        let mut start = [0; 8];
        start.copy_from_slice(&digest[..8]);
        Self(u64::from_be_bytes(start))
    }
}

/// What a file can refer to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// An address as written.
    Address(Box<str>),
    /// A tag by its name or slug.
    Tag(Box<str>),
    /// An author by name, slug or e-mail address.
    Author(Box<str>),
    /// The author of what names none.
    DefaultAuthor,
    /// Whoever wrote it first by its history, by name or e-mail address, if that is an author of the site.
    Writer(Box<str>),
    /// A tier by its name or slug.
    Tier(Box<str>),
}
