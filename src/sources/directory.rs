//! What the content files of a site may refer to: each other, tags, authors, tiers, and files beside the text.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{
    assets::{self, Resolution},
    layout::FileKind,
    state::{Made, Target},
};
use crate::{
    id::Id,
    render::{
        slug::{self, Kind},
        urls::PLACEHOLDER,
    },
};

/// What must be escaped in the path of an address (RFC 3986, section 3.3; non-ASCII is escaped anyway).
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\')
    .add(b'^')
    .add(b'|');

/// The slug of the author whom a site has when nobody is named anywhere.
pub const NOBODY_SLUG: &str = "author";

/// The name of that author.
pub const NOBODY_NAME: &str = "Author";

/// All that can be referred to.
#[derive(Debug, Default)]
pub struct Directory {
    paths: BTreeSet<String>,
    made: BTreeMap<String, Made>,
    tags: BTreeMap<String, Id>,
    authors: BTreeMap<String, Id>,
    tiers: BTreeMap<String, Id>,
    default_author: Option<String>,
}

/// What a name led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A record that some file describes.
    Known(Id),
    /// A record that is only named: it comes into being with this slug.
    Implied {
        /// Its identifier.
        id: Id,
        /// Its slug.
        slug: String,
    },
}

impl Named {
    /// The identifier of the record.
    pub fn id(&self) -> Id {
        match self {
            Self::Known(id) | Self::Implied { id, .. } => *id,
        }
    }
}

impl Directory {
    /// The directory of what these files make. `paths` are all files of the folder; `default_author` is how the site's
    /// file names the author of what names none.
    pub fn new(
        paths: BTreeSet<String>,
        made: BTreeMap<String, Made>,
        default_author: Option<String>,
    ) -> Self {
        let mut directory = Self {
            paths,
            default_author,
            ..Self::default()
        };
        made.values().for_each(|made| directory.add(made));
        directory.made = made;
        directory
    }

    fn add(&mut self, made: &Made) {
        let names = match made.kind {
            FileKind::Tag => Some(&mut self.tags),
            FileKind::Author => Some(&mut self.authors),
            FileKind::Tier => Some(&mut self.tiers),
            FileKind::Site | FileKind::Post | FileKind::Page | FileKind::Newsletter => None,
        };
        if let Some(names) = names {
            // A slug is what it says; a name may be anybody's, so it does not take another one's slug away.
            names.insert(key(&made.slug), made.id);
            names.entry(key(&made.name)).or_insert(made.id);
            if let Some(email) = &made.email {
                names.entry(key(email)).or_insert(made.id);
            }
        }
    }

    /// The tag of this name or slug. A name that no file describes makes one.
    pub fn tag(&self, name: &str) -> Named {
        match self.tags.get(&key(name)) {
            Some(id) => Named::Known(*id),
            None => implied("tag", slug::from_text(Kind::Tag, name, "")),
        }
    }

    /// The author of this name, slug or e-mail address; `None` for an address that no file knows. Another name that no
    /// file describes makes one.
    pub fn author(&self, name: &str) -> Option<Named> {
        match self.authors.get(&key(name)) {
            Some(id) => Some(Named::Known(*id)),
            None if name.contains('@') => None,
            None => Some(implied("user", slug::from_text(Kind::User, name, ""))),
        }
    }

    /// The author of what names none: whom the site's file names, else the first author's file by path.
    pub fn default_author(&self) -> Named {
        let first = || {
            self.made
                .values()
                .find(|made| made.kind == FileKind::Author)
        };
        let named = match &self.default_author {
            Some(name) => self.author(name),
            None => first().map(|made| Named::Known(made.id)),
        };
        named.unwrap_or_else(|| implied("user", NOBODY_SLUG.to_owned()))
    }

    /// How the site's file names the author of what names none.
    pub fn default_author_name(&self) -> Option<&str> {
        self.default_author.as_deref()
    }

    /// The described author whose name or slug is most like `name`, if one is nearly the same.
    pub fn similar_author(&self, name: &str) -> Option<&str> {
        self.authors
            .keys()
            .map(|known| {
                (
                    strsim::damerau_levenshtein(known, &key(name)),
                    known.as_str(),
                )
            })
            .min()
            .filter(|(distance, _)| *distance <= 2)
            .map(|(_, known)| known)
    }

    /// The tier of this name or slug.
    pub fn tier(&self, name: &str) -> Option<Id> {
        self.tiers.get(&key(name)).copied()
    }

    /// What an address in the file at `file` means; the address of what it leads to is in stored form.
    pub fn address(&self, file: &str, written: &str) -> Address {
        match assets::resolve(file, written, |path| self.paths.contains(path)) {
            Resolution::Asset { path, suffix } => {
                Address::Found(stored(&asset_path(&path), &suffix))
            }
            Resolution::Content { path, suffix } => match self.made.get(&path) {
                Some(made) => Address::Found(stored(&page_path(made), &suffix)),
                None => Address::Unusable(path),
            },
            Resolution::Missing { path } => Address::Broken(path),
            Resolution::Outside => Address::Outside,
            Resolution::Unchanged if written.starts_with('/') && !written.starts_with("//") => {
                Address::Found(format!("{PLACEHOLDER}{written}"))
            }
            Resolution::Unchanged => Address::Elsewhere,
        }
    }

    /// What a reference of the file at `file` leads to now, to compare with what it led to.
    pub fn lead(&self, file: &str, target: &Target) -> String {
        match target {
            Target::Address(written) => match self.address(file, written) {
                Address::Found(address) => address,
                Address::Broken(_)
                | Address::Unusable(_)
                | Address::Outside
                | Address::Elsewhere => String::new(),
            },
            Target::Tag(name) => self.tag(name).id().to_string(),
            Target::Author(name) => self
                .author(name)
                .map(|named| named.id().to_string())
                .unwrap_or_default(),
            Target::DefaultAuthor => self.default_author().id().to_string(),
            Target::Tier(name) => self.tier(name).map(|id| id.to_string()).unwrap_or_default(),
        }
    }
}

/// What an address in a content file means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An address on this site, in stored form.
    Found(String),
    /// A file of the folder that is not there: its path.
    Broken(String),
    /// A content file that makes nothing, because of a problem of its own: its path.
    Unusable(String),
    /// A path that leaves the content folder.
    Outside,
    /// Not a file of the folder: it stays as written.
    Elsewhere,
}

/// Names are the same in any case of letters.
fn key(name: &str) -> String {
    name.trim().to_lowercase()
}

fn implied(kind: &str, slug: String) -> Named {
    Named::Implied {
        id: Id::derive(kind, &slug),
        slug,
    }
}

fn stored(path: &str, suffix: &str) -> String {
    format!(
        "{PLACEHOLDER}{}{suffix}",
        utf8_percent_encode(path, ESCAPED)
    )
}

/// Where a file of the content folder is served: `images/a.png` at `/content/images/a.png`, and what lies beside the
/// text, as `posts/x/a.png`, at `/content/images/posts/x/a.png`.
fn asset_path(path: &str) -> String {
    match path.split_once('/') {
        Some(("images" | "media" | "files", _)) => format!("/content/{path}"),
        _ => format!("/content/images/{path}"),
    }
}

fn page_path(made: &Made) -> String {
    match made.kind {
        FileKind::Tag => format!("/tag/{}/", made.slug),
        FileKind::Author => format!("/author/{}/", made.slug),
        FileKind::Post | FileKind::Page => format!("/{}/", made.slug),
        FileKind::Site | FileKind::Tier | FileKind::Newsletter => "/".to_owned(),
    }
}
