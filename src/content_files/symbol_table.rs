//! The records and files that content files of a site may refer to.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::{
    catalog::Catalog,
    collation::TextKey,
    content_files::{
        assets::AssetTarget,
        file_state::{FileOutput, ReferenceTarget, ResolvedTarget},
        layout::Layout,
        path_properties::FileKind,
        public_files::{is_served_by_reference, public_path},
        text_names::TextNames,
    },
    domain::user::{DEFAULT_AUTHOR_NAME, DEFAULT_AUTHOR_SLUG, User},
    id::Id,
    render::{
        slug::{self, Kind},
        urls::PLACEHOLDER,
    },
};

/// Characters to escape in the path of a URL (RFC 3986, section 3.3; non-ASCII is escaped anyway).
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

/// Resolves URLs in files independently of the content folder's layout.
pub trait UrlLookup: Send + Sync {
    /// Resolves `written` in the file at `file`.
    fn url_target(&self, file: &str, written: &str) -> UrlTarget;
}

/// All records and files that can be referred to.
pub struct Directory {
    paths: Arc<BTreeSet<String>>,
    outputs: BTreeMap<String, Arc<FileOutput>>,
    others: Vec<FileOutput>,
    tags: NameIndex,
    authors: NameIndex,
    tiers: NameIndex,
    /// Posts and pages by current and former paths.
    holders: HashMap<String, Holder>,
    default_author: ResolvedName,
    lookup: Option<Box<dyn UrlLookup>>,
    layout: Arc<Layout>,
    /// The documents by their names, in the folder of another generator.
    names: TextNames,
}

/// Described records of one kind by slug, name, e-mail address and identifier, ignoring case.
type NameIndex = HashMap<TextKey, NamedRecord>;

/// A described record with one of its names.
struct NamedRecord {
    id: Id,
    name: String,
}

/// The target of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedName {
    /// A described record.
    Known(Id),
    /// An implied record, which is created because a file names it.
    Implied {
        /// Its identifier.
        id: Id,
        /// Its slug.
        slug: String,
        /// Its name, as spelt here.
        name: String,
    },
}

impl ResolvedName {
    fn implied(kind: &str, slug: String, name: &str) -> Self {
        Self::Implied {
            id: Id::derive(kind, &slug),
            slug,
            name: name.trim().to_owned(),
        }
    }

    /// Returns the identifier of the record.
    pub fn id(&self) -> Id {
        match self {
            Self::Known(id) | Self::Implied { id, .. } => *id,
        }
    }
}

/// The post or page that has or had a path.
pub struct Holder {
    id: Id,
    /// Its file.
    pub path: String,
    /// Whether the path is its current one.
    pub is_current: bool,
}

/// Returns posts and pages by current and former paths; empty if there are no former paths. A slug takes precedence over
/// a former URL of another post; of equal former URLs, the first file by path takes precedence.
fn holders(outputs: &BTreeMap<String, Arc<FileOutput>>) -> HashMap<String, Holder> {
    let mut holders = HashMap::new();
    // Without former URLs there can be no conflict, and the map of all posts is not built.
    if outputs.values().all(|output| output.aliases.is_empty()) {
        return holders;
    }
    let holder = |path: &String, output: &FileOutput, is_current| Holder {
        id: output.id,
        path: path.clone(),
        is_current,
    };
    for (path, output) in outputs {
        if output.namespace() == FileKind::Post {
            holders.insert(format!("/{}", output.slug), holder(path, output, true));
        }
    }
    for (path, output) in outputs {
        for alias in &output.aliases {
            let entry = holders.entry(alias.to_string());
            entry.or_insert_with(|| holder(path, output, false));
        }
    }
    holders
}

/// The directory of an empty folder.
impl Default for Directory {
    fn default() -> Self {
        Self::new(Arc::default(), BTreeMap::new())
    }
}

impl Directory {
    /// Creates the directory of the files at `paths`.
    pub fn new(paths: Arc<BTreeSet<String>>, outputs: BTreeMap<String, Arc<FileOutput>>) -> Self {
        Self::beside(Vec::new(), paths, outputs)
    }

    /// Creates the directory of a site that also has `others`, records without a file, which are used where no file
    /// matches.
    pub fn beside(
        others: Vec<FileOutput>,
        paths: Arc<BTreeSet<String>>,
        outputs: BTreeMap<String, Arc<FileOutput>>,
    ) -> Self {
        let unnamed =
            ResolvedName::implied("user", DEFAULT_AUTHOR_SLUG.to_owned(), DEFAULT_AUTHOR_NAME);
        let mut directory = Self {
            paths,
            outputs: BTreeMap::new(),
            others: Vec::new(),
            tags: NameIndex::new(),
            authors: NameIndex::new(),
            tiers: NameIndex::new(),
            holders: holders(&outputs),
            default_author: unnamed,
            lookup: None,
            layout: Arc::default(),
            names: TextNames::default(),
        };
        outputs
            .values()
            .for_each(|output| directory.add(output, true));
        others.iter().for_each(|other| directory.add(other, false));
        directory.outputs = outputs;
        directory.others = others;
        directory.choose_default_author();
        directory
    }

    fn add(&mut self, output: &FileOutput, is_of_file: bool) {
        let names = match output.kind {
            FileKind::Tag => &mut self.tags,
            FileKind::Author => &mut self.authors,
            FileKind::Tier => &mut self.tiers,
            FileKind::Site | FileKind::Post | FileKind::Page | FileKind::Newsletter => return,
        };
        // A slug is unambiguous; a name is not, so it does not replace another record's slug.
        if is_of_file {
            names.remove(&key(&output.slug));
        }
        let id = output.id.to_string();
        let further = [Some(&*output.name), output.email.as_deref(), Some(&*id)];
        for name in [Some(&*output.slug)].into_iter().chain(further).flatten() {
            // Of several records with the same name, the first by path has it.
            names.entry(key(name)).or_insert_with(|| NamedRecord {
                id: output.id,
                name: name.to_lowercase(),
            });
        }
    }

    /// Chooses the author of posts without one: the author in the site file, else the first author file by path, else the
    /// oldest author.
    fn choose_default_author(&mut self) {
        let all = || {
            self.outputs
                .values()
                .map(|output| &**output)
                .chain(&self.others)
        };
        let of_kind = |kind| all().filter(move |output| output.kind == kind);
        let name = of_kind(FileKind::Site).map(|site| &*site.name).next();
        let named = name
            .filter(|name| !name.is_empty())
            .map(|name| self.author(name));
        let first = || of_kind(FileKind::Author).next();
        if let Some(author) = named.or_else(|| Some(ResolvedName::Known(first()?.id))) {
            self.default_author = author;
        }
    }

    /// Returns the tags, authors and tiers of a site, which documents of another generator may name. Documents without an
    /// author belong to the site's owner, else to the author with the default slug, else to the oldest author.
    pub fn of_site(catalog: &Catalog, lookup: Box<dyn UrlLookup>) -> Self {
        let mut users: Vec<&Arc<User>> = catalog.users.iter().collect();
        users.sort_by_key(|user| (user.created_at, user.id));
        let users = users.into_iter().map(|user| FileOutput::of_user(user));
        let tags = catalog.tags.iter().map(|tag| FileOutput::of_tag(tag));
        let tiers = catalog.tiers.iter().map(|tier| FileOutput::of_tier(tier));
        let outputs = users.chain(tags).chain(tiers).enumerate();
        // There are no files; numbers preserve the order.
        let outputs = outputs.map(|(index, output)| (format!("{index:08}"), Arc::new(output)));
        let mut directory = Self {
            lookup: Some(lookup),
            ..Self::new(Arc::default(), outputs.collect())
        };
        // The oldest author is not sufficient: implied authors may have the same date as the default author.
        let unnamed = || catalog.users.by_slug(DEFAULT_AUTHOR_SLUG);
        if let Some(author) = catalog.owner().or_else(unnamed) {
            directory.default_author = ResolvedName::Known(author.id);
        }
        directory
    }

    /// Returns the directory of a folder with this layout.
    pub fn with_layout(self, layout: Arc<Layout>) -> Self {
        let names = if layout.is_own() {
            TextNames::default()
        } else {
            let texts = self.outputs.iter();
            let texts = texts.filter(|(_, output)| output.namespace() == FileKind::Post);
            let names = TextNames::of(texts.map(|(path, output)| output.named_text(path)));
            names.with_files(self.paths.iter().map(String::as_str))
        };
        Self {
            layout,
            names,
            ..self
        }
    }

    /// Returns the layout of the folder.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns the identity of each file's record, by path.
    pub fn outputs(&self) -> &BTreeMap<String, Arc<FileOutput>> {
        &self.outputs
    }

    /// Returns the records without a file.
    pub fn others(&self) -> &[FileOutput] {
        &self.others
    }

    /// Returns the paths of all files of the folder.
    pub fn paths(&self) -> &Arc<BTreeSet<String>> {
        &self.paths
    }

    /// Returns the tag with this name or slug. An unknown name implies a tag.
    pub fn tag(&self, name: &str) -> ResolvedName {
        resolved(&self.tags, Kind::Tag, "tag", name)
    }

    /// Returns the author with this name, slug or e-mail address. An unknown name implies an author.
    pub fn author(&self, name: &str) -> ResolvedName {
        if let Some(author) = self.layout.author(name)
            && let (Some(slug), Some(name)) = (&author.fields.slug, &author.fields.name)
            // A file in `authors/` takes precedence over the project's author file.
            && !self.authors.contains_key(&key(slug))
        {
            return ResolvedName::implied("user", slug.value.clone(), name);
        }
        resolved(&self.authors, Kind::User, "user", name)
    }

    /// Returns the existing author with this name, slug or e-mail address.
    pub fn known_author(&self, name: &str) -> Option<Id> {
        match self.author(name) {
            ResolvedName::Known(id) => Some(id),
            ResolvedName::Implied { .. } => None,
        }
    }

    /// Returns the author of posts without one.
    pub fn default_author(&self) -> &ResolvedName {
        &self.default_author
    }

    /// Returns the described author whose name or slug is most similar to `name`, if one is nearly equal.
    pub fn similar_author(&self, name: &str) -> Option<&str> {
        let distance_max = (name.chars().count() / 4).min(2);
        let name = name.trim().to_lowercase();
        let authors = self.authors.values().map(|known| &*known.name);
        authors
            .map(|known| (strsim::damerau_levenshtein(known, &name), known))
            .min()
            .filter(|(distance, _)| *distance <= distance_max)
            .map(|(_, known)| known)
    }

    /// Returns the tier with this name or slug.
    pub fn tier(&self, name: &str) -> Option<Id> {
        self.tiers.get(&key(name)).map(|tier| tier.id)
    }

    /// Returns the post or page at `path` other than `id`.
    pub fn other_at(&self, path: &str, id: Id) -> Option<&Holder> {
        self.holders.get(path).filter(|holder| holder.id != id)
    }

    /// Returns whether a file describes the author or the tier of a reference.
    pub fn describes(&self, target: &ReferenceTarget) -> bool {
        match target {
            ReferenceTarget::Author(name) => matches!(self.author(name), ResolvedName::Known(_)),
            ReferenceTarget::Tier(name) => self.tier(name).is_some(),
            ReferenceTarget::Url(_)
            | ReferenceTarget::Tag(_)
            | ReferenceTarget::DefaultAuthor
            | ReferenceTarget::Writer(_) => false,
        }
    }

    /// Resolves a URL in the file at `file` to its stored form.
    pub fn url_target(&self, file: &str, written: &str) -> UrlTarget {
        // HTML allows spaces around a URL (HTML standard, "valid URL potentially surrounded by spaces").
        let written = written.trim_ascii();
        if let Some(lookup) = &self.lookup {
            return lookup.url_target(file, written);
        }
        let exists = |path: &str| self.paths.contains(path);
        match self.names.resolve(&self.layout, file, written, exists) {
            AssetTarget::Asset { path, suffix } => {
                let url = format!("/content/{}", public_path(&path));
                let url = stored(&url, &suffix);
                if is_served_by_reference(&path) {
                    UrlTarget::Found(url)
                } else {
                    UrlTarget::Unserved { url, path }
                }
            }
            AssetTarget::Content { path, suffix } => match self.outputs.get(&path) {
                Some(output) => UrlTarget::Found(stored(&page_path(output), &suffix)),
                None => match self.layout.section_of(&path) {
                    Some(section) => UrlTarget::Found(stored(&section, &suffix)),
                    None => UrlTarget::Unusable(path),
                },
            },
            AssetTarget::Missing { path } => UrlTarget::Broken(path),
            AssetTarget::Outside => UrlTarget::Outside,
            // `//host/path` is a URL of another host.
            AssetTarget::Unchanged if written.starts_with('/') && !written.starts_with("//") => {
                UrlTarget::Found(format!("{PLACEHOLDER}{written}"))
            }
            AssetTarget::Unchanged => UrlTarget::Elsewhere,
        }
    }

    /// Returns the current target of a reference in the file at `file`, to compare with the former one.
    pub fn resolved_target(&self, file: &str, target: &ReferenceTarget) -> ResolvedTarget {
        let id = match target {
            ReferenceTarget::Url(written) => {
                return match self.url_target(file, written) {
                    UrlTarget::Found(url) | UrlTarget::Unserved { url, .. } => {
                        ResolvedTarget::to(&url)
                    }
                    _ => ResolvedTarget::to(""),
                };
            }
            ReferenceTarget::Tag(name) => Some(self.tag(name).id()),
            ReferenceTarget::Author(name) => Some(self.author(name).id()),
            ReferenceTarget::DefaultAuthor => Some(self.default_author().id()),
            ReferenceTarget::Writer(name) => self.known_author(name),
            ReferenceTarget::Tier(name) => self.tier(name),
        };
        ResolvedTarget::to(&id.map(|id| id.to_string()).unwrap_or_default())
    }
}

/// The meaning of a URL in a content file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlTarget {
    /// A URL on this site, in stored form.
    Found(String),
    /// A file of the folder of a kind that is never served.
    Unserved {
        /// The URL that it would have on this site, in stored form.
        url: String,
        /// Its path.
        path: String,
    },
    /// A missing file of the folder: its path.
    Broken(String),
    /// An unusable content file: its path.
    Unusable(String),
    /// A path outside the content folder.
    Outside,
    /// Not a file of the folder: the URL is unchanged.
    Elsewhere,
}

fn key(name: &str) -> TextKey {
    TextKey::of(name.trim())
}

/// Returns the target of a name. A name with the slug of a described record refers to that record.
fn resolved(names: &NameIndex, slugs: Kind, noun: &str, name: &str) -> ResolvedName {
    if let Some(known) = names.get(&key(name)) {
        return ResolvedName::Known(known.id);
    }
    let slug = slug::from_text(slugs, name, "");
    match names.get(&key(&slug)) {
        Some(known) => ResolvedName::Known(known.id),
        None => ResolvedName::implied(noun, slug, name),
    }
}

/// Returns the stored form of a path on the site with its query and fragment.
pub fn stored(path: &str, suffix: &str) -> String {
    // The path is a file name or a slug, so even its `%` is escaped; the suffix is already part of
    // a URL.
    format!(
        "{PLACEHOLDER}{}{suffix}",
        utf8_percent_encode(path, ESCAPED)
    )
}

fn page_path(output: &FileOutput) -> String {
    match output.kind {
        FileKind::Tag => format!("/tag/{}/", output.slug),
        FileKind::Author => format!("/author/{}/", output.slug),
        FileKind::Post | FileKind::Page => format!("/{}/", output.slug),
        FileKind::Site | FileKind::Tier | FileKind::Newsletter => "/".to_owned(),
    }
}
