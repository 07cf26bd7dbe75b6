//! What a site has without a file for it: tags and authors that files only name, and the tiers and the newsletter that
//! every site starts with. All of it gives way to files, but for what members have.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use crate::{
    catalog::Catalog,
    domain::{
        UNDATED,
        newsletter::{self, Newsletter},
        tag::Tag,
        tier::Tier,
        user::User,
    },
    error::Result,
    id::Id,
    site::{CollectionRecord, Transaction},
    sources::{
        FileKind, Layout,
        reconcile::accounts,
        state::{FileOutput, FileReference, FileState, Target},
        symbol_table::{Directory, Named},
    },
};

/// A kind of record of which some come into being by themselves.
trait WithoutFile: CollectionRecord {
    /// Whether it came into being by itself, and no one changed it since.
    fn is_fileless(&self) -> bool;

    /// Whether it came from a file.
    fn is_of_file(&self) -> bool;

    /// Whether members have it.
    fn is_had(&self, _catalog: &Catalog) -> bool {
        false
    }

    /// The same, looking as `known` does, which it takes the place of.
    fn looking_like(self, _known: &Self) -> Self {
        self
    }
}

impl WithoutFile for Tag {
    fn is_fileless(&self) -> bool {
        self.implied
    }

    fn is_of_file(&self) -> bool {
        self.source.is_some()
    }
}

impl WithoutFile for User {
    fn is_fileless(&self) -> bool {
        self.implied
    }

    fn is_of_file(&self) -> bool {
        self.source.is_some()
    }
}

impl WithoutFile for Tier {
    fn is_fileless(&self) -> bool {
        self.is_untouched_default()
    }

    fn is_of_file(&self) -> bool {
        self.source.is_some()
    }

    fn is_had(&self, catalog: &Catalog) -> bool {
        let mut granted = catalog.members.iter().flat_map(|member| &member.tiers);
        granted.any(|grant| grant.tier == self.id)
    }
}

impl WithoutFile for Newsletter {
    fn is_fileless(&self) -> bool {
        self.is_untouched_default()
    }

    fn is_of_file(&self) -> bool {
        self.source.is_some()
    }

    fn is_had(&self, catalog: &Catalog) -> bool {
        catalog.members.uses_of_newsletter(self.id) > 0
    }

    /// What a new site's mails look like has changed with time; those of a site that is there do not.
    fn looking_like(self, known: &Self) -> Self {
        let design = known.design.clone();
        Self { design, ..self }
    }
}

/// Whether what a file makes cannot have its slug, because of a record that came neither from a file nor by itself.
pub fn is_in_the_way(catalog: &Catalog, made: &FileOutput) -> bool {
    fn any<R: WithoutFile>(catalog: &Catalog, made: &FileOutput) -> bool {
        R::of(catalog).by_slug(&made.slug).is_some_and(|record| {
            record.id() != made.id && !record.is_of_file() && !record.is_fileless()
        })
    }
    match made.kind {
        FileKind::Site => false,
        FileKind::Post | FileKind::Page => catalog
            .posts
            .by_slug(&made.slug)
            .is_some_and(|post| post.id != made.id && post.source.is_none()),
        FileKind::Tag => any::<Tag>(catalog, made),
        FileKind::Author => any::<User>(catalog, made),
        FileKind::Tier => any::<Tier>(catalog, made),
        FileKind::Newsletter => any::<Newsletter>(catalog, made),
    }
}

/// The authors, oldest first, tags and tiers that came neither from a file nor by themselves: they were imported, or made
/// by hand. Content files may refer to them.
pub fn others(catalog: &Catalog) -> Vec<FileOutput> {
    fn of<'c, R: WithoutFile + 'c>(catalog: &'c Catalog) -> impl Iterator<Item = &'c R> {
        let records = R::of(catalog).iter().map(|record| &**record);
        records.filter(|record| !record.is_of_file() && !record.is_fileless())
    }
    let mut users: Vec<&User> = of(catalog).collect();
    users.sort_by_key(|user| (user.created_at, user.id));
    let users = users.into_iter().map(FileOutput::of_user);
    users
        .chain(of(catalog).map(FileOutput::of_tag))
        .chain(of(catalog).map(FileOutput::of_tier))
        .collect()
}

/// Takes away what came into being by itself under the slug of what a file makes.
pub fn give_way(transaction: &mut Transaction, made: &FileOutput) -> Result<()> {
    fn remove<R: WithoutFile>(transaction: &mut Transaction, made: &FileOutput) -> Result<()> {
        match R::of(transaction.catalog()).by_slug(&made.slug) {
            Some(record) if record.is_fileless() && record.id() != made.id => {
                let id = record.id();
                transaction.remove::<R>(id)
            }
            _ => Ok(()),
        }
    }
    match made.kind {
        FileKind::Site | FileKind::Post | FileKind::Page => Ok(()),
        FileKind::Tag => remove::<Tag>(transaction, made),
        FileKind::Author => remove::<User>(transaction, made),
        FileKind::Tier => remove::<Tier>(transaction, made),
        FileKind::Newsletter => remove::<Newsletter>(transaction, made),
    }
}

/// The tiers and the newsletter that a site starts with are named after it, and give way to those of files.
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

/// Keeps `default`, unless somebody changed it since, or there is another that `replaces` it: one of a file takes its place
/// unless members have it, and none is made again beside any other. What is made by hand stands beside it; what is imported
/// takes its place when it comes.
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
        Some(known) if is_replaced(R::is_of_file) && !known.is_had(catalog) => {
            transaction.remove::<R>(default.id())
        }
        Some(known) => {
            let renewed = default.looking_like(known);
            transaction.save(renewed)
        }
        None if is_replaced(|_| true) => Ok(()),
        None => transaction.save(default),
    }
}

/// Tags and authors that are only named: slug and name by identifier.
#[derive(Default)]
pub struct Implied {
    tags: BTreeMap<Id, (String, String)>,
    users: BTreeMap<Id, (String, String)>,
    layout: Arc<Layout>,
}

impl Implied {
    /// What the files of these states name. The first of them decides how a name is spelt.
    pub fn by<'a>(states: impl Iterator<Item = &'a FileState>, directory: &Directory) -> Self {
        let mut implied = Self {
            layout: Arc::clone(directory.layout()),
            ..Self::default()
        };
        let mut known: HashSet<&Target> = HashSet::new();
        // Most files share what they name, which are distinguished much faster by where they lie.
        let mut seen: HashSet<*const FileReference> = HashSet::new();
        for used in states.flat_map(|state| &state.uses) {
            if seen.insert(Arc::as_ptr(used)) && known.insert(&used.target) {
                implied.add(&used.target, directory);
            }
        }
        implied
    }

    fn add(&mut self, target: &Target, directory: &Directory) {
        let (records, named) = match target {
            Target::Tag(name) => (&mut self.tags, directory.tag(name)),
            Target::Author(name) => (&mut self.users, directory.author(name)),
            Target::DefaultAuthor => (&mut self.users, directory.default_author().clone()),
            Target::Address(_) | Target::Tier(_) | Target::Writer(_) => return,
        };
        if let Named::Implied { id, slug, name } = named {
            records.entry(id).or_insert((slug, name));
        }
    }

    /// Makes the site have these, and no others that are only named.
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
            if accounts::is_somebody(transaction.catalog(), id, &slug) {
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
    let unnamed: Vec<Id> = R::of(transaction.catalog())
        .iter()
        .filter(|record| record.is_fileless() && !named.contains_key(&record.id()))
        .map(|record| record.id())
        .collect();
    unnamed
        .into_iter()
        .try_for_each(|id| transaction.remove::<R>(id))
}

/// What a file refers to that may be only named.
pub fn named(uses: &[Arc<FileReference>]) -> impl Iterator<Item = &FileReference> {
    uses.iter().map(|used| &**used).filter(|used| {
        matches!(
            used.target,
            Target::Tag(_) | Target::Author(_) | Target::DefaultAuthor
        )
    })
}
