//! The stored state of each content file: the version that was read, its record, and its dependencies.
//!
//! The store has one row for each file, written in the same commit as its record. A process that is killed while seeding
//! therefore restarts with consistent rows and records.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::{
    content_files::{folder_files::TreeFile, path_properties::FileKind, text_names::NamedText},
    domain::{post::PostKind, tag::Tag, tier::Tier, user::User},
    id::Id,
};

/// The version of the reader. It changes if content files are read differently than before, so that all of them are read
/// again.
const READER: &str = concat!("galley ", env!("CARGO_PKG_VERSION"), " reader 7");

/// The stored state of a file, with its references as [`StoredReference`] or in their stored form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileState<U = Arc<StoredReference>> {
    /// Metadata of the file when it was last read. While it is unchanged, the file is not read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<FileStat>,
    /// The fingerprint of its content.
    #[serde(default)]
    pub fingerprint: Fingerprint,
    /// The identity of the record of its last valid version.
    #[serde(default, rename = "made", skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<FileOutput>>,
    /// The references of that version, and their targets.
    #[serde(default = "no_uses", skip_serializing_if = "<[_]>::is_empty")]
    pub uses: Box<[U]>,
    /// The paths that were searched for included files.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub inclusions: Box<[Inclusion]>,
    /// Whether the file has diagnostics. If so, it is read again at the next start, so that they can be reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_problems: bool,
}

fn no_uses<U>() -> Box<[U]> {
    Box::default()
}

impl FileState<&RawValue> {
    /// Returns the state with references that are shared between files.
    ///
    /// # Errors
    ///
    /// If the kind of a reference is unknown to this program.
    pub fn with_uses(self, written: &WrittenUses) -> serde_json::Result<FileState> {
        let uses = self.uses.iter().map(|used| written.read(used));
        Ok(FileState {
            seen: self.seen,
            fingerprint: self.fingerprint,
            output: self.output,
            uses: uses.collect::<serde_json::Result<_>>()?,
            inclusions: self.inclusions,
            has_problems: self.has_problems,
        })
    }
}

impl FileState {
    /// Returns whether the states are equal except for metadata.
    pub fn is_same_but_for_facts(&self, other: &Self) -> bool {
        // Destructured, so that a new field does not compile before it is compared.
        let Self {
            seen: _,
            fingerprint,
            output,
            uses,
            inclusions,
            has_problems,
        } = self;
        (fingerprint, output, uses, inclusions, has_problems)
            == (
                &other.fingerprint,
                &other.output,
                &other.uses,
                &other.inclusions,
                &other.has_problems,
            )
    }
}

/// The stored state of the last run that changed something. While it matches, an unchanged file has an unchanged record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// The version of the program: another version may convert the same file differently.
    pub reader: String,
    /// A hash of the paths of all files of the folder.
    pub paths: Fingerprint,
    /// Whether the history of files supplied missing dates and authors.
    #[serde(default)]
    pub has_history: bool,
    /// The layout of the folder; empty for Galley's own layout with default settings.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub layout: String,
}

impl LastRun {
    /// Returns the state of a run of this program over a folder with these files, with or without their history.
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

    /// Returns whether the run was by this version of the program, with the same setting of history.
    pub fn is_own(&self, has_history: bool) -> bool {
        self.reader == READER && self.has_history == has_history
    }
}

/// Metadata of a file that changes when it is written or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStat {
    size: u64,
    modified_ns: i128,
    changed_ns: i128,
    inode: u64,
}

impl FileStat {
    /// Returns the metadata of `file`, unless it changed so recently that it may change again with equal metadata: file
    /// systems store times with a resolution of milliseconds, or of two seconds at worst.
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

/// A hash of a file's content and its reading conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// Returns the fingerprint of `bytes` read under `conditions`.
    pub fn of(bytes: &[u8], conditions: &str) -> Self {
        // With separators, so that no part can be mistaken for the beginning of the next.
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

/// The identity of a file's record, by which other files can refer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOutput {
    /// The kind of record.
    pub kind: FileKind,
    /// Its identifier.
    pub id: Id,
    /// Its slug; empty for the site itself.
    pub slug: Box<str>,
    /// Its name, by which files may refer to it; empty for posts and pages. For the site, the name of the default author.
    pub name: Box<str>,
    /// Its e-mail address, for authors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Box<str>>,
    /// The slug that it requested, if another file has that slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Box<str>>,
    /// Its former URLs, for posts and pages.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub aliases: Box<[Box<str>]>,
    /// Names by which other documents may refer to it, for notes.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub names: Box<[Box<str>]>,
    /// Whether its generator publishes it at the slug that it requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_at_slug: bool,
    /// Whether a post or a page has front matter only, such as a stub for a template of its generator.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stub: bool,
}

impl FileOutput {
    /// Returns the identity of a tag of the site.
    pub fn of_tag(tag: &Tag) -> Self {
        Self {
            kind: FileKind::Tag,
            id: tag.id,
            slug: tag.slug.clone(),
            name: tag.name.clone(),
            email: None,
            wanted: None,
            aliases: Box::default(),
            names: Box::default(),
            is_at_slug: false,
            is_stub: false,
        }
    }

    /// Returns the identity of an author of the site.
    pub fn of_user(user: &User) -> Self {
        Self {
            kind: FileKind::Author,
            id: user.id,
            slug: user.slug.clone(),
            name: user.name.clone(),
            email: user.email.clone(),
            wanted: None,
            aliases: Box::default(),
            names: Box::default(),
            is_at_slug: false,
            is_stub: false,
        }
    }

    /// Returns the identity of a tier of the site.
    pub fn of_tier(tier: &Tier) -> Self {
        Self {
            kind: FileKind::Tier,
            id: tier.id,
            slug: tier.slug.clone(),
            name: tier.name.clone(),
            email: None,
            wanted: None,
            aliases: Box::default(),
            names: Box::default(),
            is_at_slug: false,
            is_stub: false,
        }
    }

    /// Returns the names by which references may identify the document at `path` with this identity.
    pub fn named_text<'a>(&'a self, path: &'a str) -> NamedText<'a> {
        NamedText {
            path,
            slug: &self.slug,
            aliases: &self.aliases,
            names: &self.names,
        }
    }

    /// Returns the sort key of documents that request the same slug, which the first of them gets. Documents with text
    /// precede stubs; then documents that their generator publishes at the slug precede others; then those in the fewest
    /// folders. `path` is the path of the document's file.
    pub fn precedence<'a>(&self, path: &'a str) -> (bool, bool, usize, &'a str) {
        let depth = path.matches('/').count();
        // `false` sorts before `true`.
        (self.is_stub, !self.is_at_slug, depth, path)
    }

    /// Returns the requested slug.
    pub fn wanted_slug(&self) -> &str {
        self.wanted.as_deref().unwrap_or(&self.slug)
    }

    /// Returns the identity with another slug, because another file has the requested slug.
    pub fn with_slug(&self, slug: &str) -> Self {
        let noun = match self.kind {
            FileKind::Page => PostKind::Page.name(),
            _ => PostKind::Post.name(),
        };
        // A derived identifier follows the slug; one of the front matter stays.
        let is_derived = self.id == Id::derive(noun, &self.slug);
        let wanted = self.wanted_slug();
        Self {
            id: if is_derived {
                Id::derive(noun, slug)
            } else {
                self.id
            },
            wanted: (slug != wanted).then(|| wanted.into()),
            slug: slug.into(),
            ..self.clone()
        }
    }

    /// Returns the namespace of its slug: posts and pages share a namespace.
    pub fn namespace(&self) -> FileKind {
        match self.kind {
            FileKind::Page => FileKind::Post,
            kind => kind,
        }
    }
}

/// A path that was searched for an included file, and its state when the document was last read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inclusion {
    /// The path in the content folder.
    pub path: Box<str>,
    /// The content; the default if the file did not exist.
    pub content: Fingerprint,
}

/// A reference in a file, and its target when the file was last read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoredReference {
    /// The reference.
    pub target: ReferenceTarget,
    /// Its target.
    #[serde(rename = "led_to")]
    pub resolved_to: ResolvedTarget,
}

/// References that many files have in common, each stored in memory once: a site has few tags and authors, but each file
/// refers to a dozen of them.
///
/// The key is the target, which is short. References with equal targets that differ otherwise are not shared.
#[derive(Default)]
pub struct SharedUses(HashMap<ResolvedTarget, Arc<StoredReference>>);

impl SharedUses {
    /// Replaces references with equal ones that are already shared.
    pub fn share(&mut self, uses: &mut [Arc<StoredReference>]) {
        for used in uses {
            let known = self.0.entry(used.resolved_to);
            let known = known.or_insert_with(|| Arc::clone(used));
            if known == used {
                *used = Arc::clone(known);
            }
        }
    }
}

/// References in their stored form, each parsed once for all files that contain it.
#[derive(Default)]
pub struct WrittenUses(papaya::HashMap<Box<str>, Arc<StoredReference>>);

impl WrittenUses {
    fn read(&self, written: &RawValue) -> serde_json::Result<Arc<StoredReference>> {
        // Several threads decode rows at the same time (`read_all`).
        let known = self.0.pin();
        if let Some(used) = known.get(written.get()) {
            return Ok(Arc::clone(used));
        }
        let used = serde_json::from_str(written.get())?;
        // Another thread may have been faster; then both share its value.
        let used = known.get_or_insert(written.get().into(), Arc::new(used));
        Ok(Arc::clone(used))
    }
}

/// The target of a reference: a hash of the URL or the identifier, which is only compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResolvedTarget(u64);

impl ResolvedTarget {
    /// Returns the hash of a URL or an identifier, which is empty for a dangling reference.
    pub fn to(what: &str) -> Self {
        let digest = Sha256::digest(what);
        let mut start = [0; 8];
        start.copy_from_slice(&digest[..8]);
        Self(u64::from_be_bytes(start))
    }
}

/// A reference of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceTarget {
    /// A URL as written.
    // The name in stores of earlier versions.
    #[serde(rename = "address")]
    Url(Box<str>),
    /// A tag by its name or slug.
    Tag(Box<str>),
    /// An author by name, slug or e-mail address.
    Author(Box<str>),
    /// The author of posts without one.
    DefaultAuthor,
    /// The first author by history, by name or e-mail address, if the site has that author.
    Writer(Box<str>),
    /// A tier by its name or slug.
    Tier(Box<str>),
}
