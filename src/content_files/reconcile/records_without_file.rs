//! Records without a file: implied tags and authors, and the default tiers and newsletter of every site. Records of files
//! replace them, unless members have them.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use crate::{
    catalog::Catalog,
    content_files::{
        file_state::{FileOutput, FileState, ReferenceTarget, StoredReference},
        layout::Layout,
        path_properties::FileKind,
        reconcile::accounts,
        symbol_table::{Directory, ResolvedName},
    },
    domain::{UNDATED, newsletter, newsletter::Newsletter, tag::Tag, tier::Tier, user::User},
    error::Result,
    id::Id,
    site::{CollectionRecord, Transaction},
};

/// A kind of record that may be created implicitly.
trait WithoutFile: CollectionRecord {
    /// Returns whether it was created implicitly, and not changed since.
    fn is_fileless(&self) -> bool;

    /// Returns whether it came from a file.
    fn is_of_file(&self) -> bool;

    /// Returns whether members have it.
    fn is_in_use(&self, _catalog: &Catalog) -> bool {
        false
    }

    /// Returns the record with the design of `known`, which it replaces.
    fn with_design_of(self, _known: &Self) -> Self {
        self
    }
}

impl WithoutFile for Tag {
    fn is_fileless(&self) -> bool {
        self.implied
    }

    fn is_of_file(&self) -> bool {
        self.origin.is_file()
    }
}

impl WithoutFile for User {
    fn is_fileless(&self) -> bool {
        self.implied
    }

    fn is_of_file(&self) -> bool {
        self.origin.is_file()
    }
}

impl WithoutFile for Tier {
    fn is_fileless(&self) -> bool {
        self.is_untouched_default()
    }

    fn is_of_file(&self) -> bool {
        self.origin.is_file()
    }

    fn is_in_use(&self, catalog: &Catalog) -> bool {
        // The access of these members depends on the tier.
        catalog.members.is_tier_granted(self.id)
    }
}

impl WithoutFile for Newsletter {
    fn is_fileless(&self) -> bool {
        self.is_untouched_default()
    }

    fn is_of_file(&self) -> bool {
        self.origin.is_file()
    }

    fn is_in_use(&self, catalog: &Catalog) -> bool {
        catalog.members.uses_of_newsletter(self.id) > 0
    }

    /// The default design of mails has changed between versions; the design of an existing site does not change.
    fn with_design_of(self, known: &Self) -> Self {
        let design = known.design.clone();
        Self { design, ..self }
    }
}

/// Returns whether a record that was neither read from a file nor created implicitly has the slug of a file's record.
pub fn is_in_the_way(catalog: &Catalog, output: &FileOutput) -> bool {
    fn any<R: WithoutFile>(catalog: &Catalog, output: &FileOutput) -> bool {
        R::of(catalog).by_slug(&output.slug).is_some_and(|record| {
            record.id() != output.id && !record.is_of_file() && !record.is_fileless()
        })
    }
    match output.kind {
        FileKind::Site => false,
        FileKind::Post | FileKind::Page => catalog
            .posts
            .by_slug(&output.slug)
            .is_some_and(|post| post.id != output.id && post.origin.is_store()),
        FileKind::Tag => any::<Tag>(catalog, output),
        FileKind::Author => any::<User>(catalog, output),
        FileKind::Tier => any::<Tier>(catalog, output),
        FileKind::Newsletter => any::<Newsletter>(catalog, output),
    }
}

/// Returns the authors, oldest first, tags and tiers that were neither read from files nor created implicitly: they were
/// imported or created by users. Content files may refer to them.
pub fn others(catalog: &Catalog) -> Vec<FileOutput> {
    fn of<'c, R: WithoutFile + 'c>(catalog: &'c Catalog) -> impl Iterator<Item = &'c R> {
        let records = R::of(catalog).iter().map(|record| &**record);
        records.filter(|record| !record.is_of_file() && !record.is_fileless())
    }
    let mut users: Vec<&User> = of(catalog).collect();
    // Without an author in files, the first user becomes the default author.
    users.sort_by_key(|user| (user.created_at, user.id));
    let users = users.into_iter().map(FileOutput::of_user);
    users
        .chain(of(catalog).map(FileOutput::of_tag))
        .chain(of(catalog).map(FileOutput::of_tier))
        .collect()
}

/// Deletes an implicit record with the slug of a file's record.
pub fn give_way(transaction: &mut Transaction, output: &FileOutput) -> Result<()> {
    fn remove<R: WithoutFile>(transaction: &mut Transaction, output: &FileOutput) -> Result<()> {
        match R::of(transaction.catalog()).by_slug(&output.slug) {
            Some(record) if record.is_fileless() && record.id() != output.id => {
                let id = record.id();
                transaction.remove::<R>(id)
            }
            _ => Ok(()),
        }
    }
    match output.kind {
        FileKind::Site | FileKind::Post | FileKind::Page => Ok(()),
        FileKind::Tag => remove::<Tag>(transaction, output),
        FileKind::Author => remove::<User>(transaction, output),
        FileKind::Tier => remove::<Tier>(transaction, output),
        FileKind::Newsletter => remove::<Newsletter>(transaction, output),
    }
}

/// Names the default tiers and newsletter after the site, and replaces them with those of files.
pub fn adjust_defaults(transaction: &mut Transaction) -> Result<()> {
    let settings = &transaction.catalog().settings;
    let title = settings.text("title").unwrap_or_default();
    adjust_default(transaction, Tier::default_paid(&title), |tier| {
        tier.price.is_some()
    })?;
    adjust_default(transaction, Tier::free(), |tier| tier.price.is_none())?;
    let newsletter = Newsletter::new(newsletter::DEFAULT_SLUG, &title);
    adjust_default(transaction, newsletter, |_| true)
}

/// Creates or updates `default`. A default that was changed by users is untouched. Another record for which `replaces` is
/// true replaces the default: a record of a file removes it, unless members have it, and a missing default is not created
/// next to any such record. A record created by users remains next to the default; an imported record replaces it.
fn adjust_default<R: WithoutFile>(
    transaction: &mut Transaction,
    default: R,
    replaces: impl Fn(&R) -> bool,
) -> Result<()> {
    let catalog = transaction.catalog();
    let records = R::of(catalog);
    let is_replaced = |by: fn(&R) -> bool| {
        records
            .iter()
            .any(|record| record.id() != default.id() && replaces(record) && by(record))
    };
    match records.get(default.id()) {
        Some(known) if !known.is_fileless() => Ok(()),
        Some(known) if is_replaced(R::is_of_file) && !known.is_in_use(catalog) => {
            transaction.remove::<R>(default.id())
        }
        Some(known) => {
            let renewed = default.with_design_of(known);
            transaction.save(renewed)
        }
        None if is_replaced(|_| true) => Ok(()),
        None => transaction.save(default),
    }
}

/// Implied tags and authors: slug and name by identifier.
#[derive(Default)]
pub struct ImpliedRecords {
    tags: BTreeMap<Id, (String, String)>,
    users: BTreeMap<Id, (String, String)>,
    layout: Arc<Layout>,
}

impl ImpliedRecords {
    /// Returns the implied records of these states. The first state that names a record determines the spelling of its name.
    pub fn by<'a>(states: impl Iterator<Item = &'a FileState>, directory: &Directory) -> Self {
        let mut implied = Self {
            layout: Arc::clone(directory.layout()),
            ..Self::default()
        };
        let mut known: HashSet<&ReferenceTarget> = HashSet::new();
        // Most files share their references, which are compared faster by pointer.
        let mut shared_seen: HashSet<*const StoredReference> = HashSet::new();
        for used in states.flat_map(|state| &state.uses) {
            if shared_seen.insert(Arc::as_ptr(used)) && known.insert(&used.target) {
                implied.add(&used.target, directory);
            }
        }
        implied
    }

    fn add(&mut self, target: &ReferenceTarget, directory: &Directory) {
        let (records, named) = match target {
            ReferenceTarget::Tag(name) => (&mut self.tags, directory.tag(name)),
            ReferenceTarget::Author(name) => (&mut self.users, directory.author(name)),
            ReferenceTarget::DefaultAuthor => (&mut self.users, directory.default_author().clone()),
            ReferenceTarget::Url(_) | ReferenceTarget::Tier(_) | ReferenceTarget::Writer(_) => {
                return;
            }
        };
        if let ResolvedName::Implied { id, slug, name } = named {
            records.entry(id).or_insert((slug, name));
        }
    }

    /// Saves these records, and deletes all other implied records.
    pub fn save(self, transaction: &mut Transaction) -> Result<()> {
        remove_unnamed::<Tag>(transaction, &self.tags)?;
        remove_unnamed::<User>(transaction, &self.users)?;
        for (id, (slug, name)) in self.tags {
            let tag = Tag::new(id, &slug, &name, UNDATED);
            transaction.save(Tag {
                implied: true,
                ..tag
            })?;
        }
        for (id, (slug, name)) in self.users {
            if accounts::has_explicit_user(transaction.catalog(), id, &slug) {
                continue;
            }
            let user = User::new(id, &slug, &name, UNDATED);
            let user = match self.layout.author_by_slug(&slug) {
                Some(author) => author.describe(user),
                None => user,
            };
            transaction.save(User {
                implied: true,
                ..user
            })?;
        }
        Ok(())
    }
}

fn remove_unnamed<R: WithoutFile>(
    transaction: &mut Transaction,
    named: &BTreeMap<Id, (String, String)>,
) -> Result<()> {
    // Collected first, because removals change the catalog.
    let unnamed: Vec<Id> = R::of(transaction.catalog())
        .iter()
        .filter(|record| record.is_fileless() && !named.contains_key(&record.id()))
        .map(|record| record.id())
        .collect();
    unnamed
        .into_iter()
        .try_for_each(|id| transaction.remove::<R>(id))
}

/// Returns the references of a file that may imply a record.
pub fn named(uses: &[Arc<StoredReference>]) -> impl Iterator<Item = &StoredReference> {
    uses.iter().map(|used| &**used).filter(|used| {
        matches!(
            used.target,
            ReferenceTarget::Tag(_) | ReferenceTarget::Author(_) | ReferenceTarget::DefaultAuthor
        )
    })
}
