//! One transaction for all that a run changes: records, what is only named, and what is remembered of each file.

use std::collections::{BTreeMap, BTreeSet};

use super::{Ready, Reconciler, Record, agree::Agreement};
use crate::{
    domain::{
        UNDATED,
        newsletter::{self, Newsletter},
        tag::Tag,
        tier::Tier,
        user::User,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Kept, Transaction},
    sources::{
        Diagnostic, FileKind,
        directory::{Directory, NOBODY_NAME, Named},
        state::{FileState, Made, Target},
    },
    store::Table,
};

impl Reconciler {
    /// Commits what was agreed on, and returns what is remembered of the files that were read. A record that the site
    /// refuses, because something that did not come from a file is in its way, is a problem of its file.
    pub(super) fn apply(
        &self,
        agreement: &mut Agreement,
        removed: &BTreeSet<String>,
        is_first: bool,
    ) -> Result<Vec<(String, FileState)>> {
        if agreement.ready.is_empty() && removed.is_empty() && !is_first {
            return Ok(Vec::new());
        }
        let mut refused: BTreeMap<String, Diagnostic> = BTreeMap::new();
        let states = self.site.write(|transaction| {
            self.remove_old(transaction, agreement, removed)?;
            self.save_implied(transaction, agreement, removed)?;
            for ready in &agreement.ready {
                match save(transaction, ready) {
                    Err(error) if error.kind() == Kind::Validation => {
                        refused.insert(ready.path.clone(), refusal(&ready.path, &error));
                    }
                    outcome => outcome?,
                }
            }
            self.remove_unnamed(transaction, agreement, removed)?;
            adjust_defaults(transaction)?;
            self.write_states(transaction, agreement, removed, &refused)
        })?;
        for ready in &mut agreement.ready {
            ready.diagnostics.extend(refused.remove(&ready.path));
        }
        Ok(states)
    }

    /// Deletes what removed files made, what changed files made under another identifier, and whatever gives up its slug
    /// in this run, so that another file can have it.
    fn remove_old(
        &self,
        transaction: &mut Transaction,
        agreement: &Agreement,
        removed: &BTreeSet<String>,
    ) -> Result<()> {
        if removed
            .iter()
            .any(|path| super::SITE_FILES.contains(&path.as_str()))
        {
            transaction.replace_settings(BTreeMap::new())?;
        }
        let gone = removed
            .iter()
            .filter_map(|path| self.states.get(path)?.made.as_ref());
        let moved = agreement.ready.iter().filter_map(|ready| {
            let old = self.states.get(&ready.path)?.made.as_ref()?;
            let new = ready.state.made.as_ref()?;
            (ready.record.is_some() && (old.id != new.id || old.slug != new.slug)).then_some(old)
        });
        for made in gone.chain(moved) {
            remove(transaction, made)?;
        }
        Ok(())
    }

    /// Adds tags and authors that are only named. The first file by path decides how a name is spelt.
    fn save_implied(
        &self,
        transaction: &mut Transaction,
        agreement: &Agreement,
        removed: &BTreeSet<String>,
    ) -> Result<()> {
        let implied = self.implied(agreement, removed);
        for (id, (slug, name)) in &implied.tags {
            let tag = Tag {
                implied: true,
                ..Tag::new(*id, slug, name, UNDATED)
            };
            transaction.save(tag)?;
        }
        for (id, (slug, name)) in &implied.users {
            let user = User {
                implied: true,
                ..User::new(*id, slug, name, UNDATED)
            };
            transaction.save(user)?;
        }
        Ok(())
    }

    /// Takes away tags and authors that are no longer named.
    fn remove_unnamed(
        &self,
        transaction: &mut Transaction,
        agreement: &Agreement,
        removed: &BTreeSet<String>,
    ) -> Result<()> {
        let implied = self.implied(agreement, removed);
        let catalog = transaction.catalog();
        let tags = unnamed(
            catalog
                .tags
                .iter()
                .filter(|tag| tag.implied)
                .map(|tag| tag.id),
            &implied.tags,
        );
        let users = unnamed(
            catalog
                .users
                .iter()
                .filter(|user| user.implied)
                .map(|user| user.id),
            &implied.users,
        );
        for id in tags {
            transaction.remove::<Tag>(id)?;
        }
        for id in users {
            transaction.remove::<User>(id)?;
        }
        Ok(())
    }

    fn implied(&self, agreement: &Agreement, removed: &BTreeSet<String>) -> Implied {
        let read: BTreeMap<&String, &FileState> = agreement
            .ready
            .iter()
            .map(|ready| (&ready.path, &ready.state))
            .collect();
        let unread = self
            .states
            .iter()
            .filter(|(path, _)| !removed.contains(*path) && !read.contains_key(path));
        let states: BTreeMap<&String, &FileState> = unread
            .chain(read.iter().map(|(path, state)| (*path, *state)))
            .collect();
        let mut implied = Implied::default();
        for used in states.values().flat_map(|state| &state.uses) {
            implied.add(&used.target, &agreement.directory);
        }
        implied
    }

    fn write_states(
        &self,
        transaction: &mut Transaction,
        agreement: &Agreement,
        removed: &BTreeSet<String>,
        refused: &BTreeMap<String, Diagnostic>,
    ) -> Result<Vec<(String, FileState)>> {
        for path in removed {
            transaction.delete(Table::SourceFiles, path.as_bytes())?;
        }
        let mut states = Vec::new();
        for ready in &agreement.ready {
            let mut state = ready.state.clone();
            if refused.contains_key(&ready.path) {
                state.has_problems = true;
                state.made = None;
            }
            let known = self.states.get(&ready.path);
            let is_news = known.is_none_or(|known| {
                FileState {
                    seen: state.seen,
                    ..known.clone()
                } != state
            });
            if is_news {
                transaction.put(Table::SourceFiles, ready.path.as_bytes(), &state)?;
            }
            states.push((ready.path.clone(), state));
        }
        Ok(states)
    }
}

/// What is only named: slug and spelling by identifier.
#[derive(Default)]
struct Implied {
    tags: BTreeMap<Id, (String, String)>,
    users: BTreeMap<Id, (String, String)>,
}

impl Implied {
    fn add(&mut self, target: &Target, directory: &Directory) {
        let (records, named, name) = match target {
            Target::Tag(name) => (&mut self.tags, Some(directory.tag(name)), &**name),
            Target::Author(name) => (&mut self.users, directory.author(name), &**name),
            Target::DefaultAuthor => (
                &mut self.users,
                Some(directory.default_author()),
                NOBODY_NAME,
            ),
            Target::Address(_) | Target::Tier(_) => return,
        };
        if let Some(Named::Implied { id, slug }) = named {
            records
                .entry(id)
                .or_insert_with(|| (slug, name.trim().to_owned()));
        }
    }
}

fn unnamed(ids: impl Iterator<Item = Id>, named: &BTreeMap<Id, (String, String)>) -> Vec<Id> {
    ids.filter(|id| !named.contains_key(id)).collect()
}

fn remove(transaction: &mut Transaction, made: &Made) -> Result<()> {
    match made.kind {
        FileKind::Site => Ok(()),
        FileKind::Post | FileKind::Page => transaction.delete_post(made.id),
        FileKind::Tag => transaction.remove::<Tag>(made.id),
        FileKind::Author => transaction.remove::<User>(made.id),
        FileKind::Tier => transaction.remove::<Tier>(made.id),
        FileKind::Newsletter => transaction.remove::<Newsletter>(made.id),
    }
}

fn save(transaction: &mut Transaction, ready: &Ready) -> Result<()> {
    match &ready.record {
        None => Ok(()),
        Some(Record::Settings(values)) => transaction.replace_settings(values.clone()),
        Some(Record::Post(post, body)) => transaction.save_post(post.as_ref().clone(), body),
        Some(Record::Tag(tag)) => transaction.save(tag.as_ref().clone()),
        Some(Record::User(user)) => transaction.save(user.as_ref().clone()),
        Some(Record::Tier(tier)) => transaction.save(tier.as_ref().clone()),
        Some(Record::Newsletter(newsletter)) => transaction.save(newsletter.as_ref().clone()),
    }
}

fn refusal(path: &str, error: &Error) -> Diagnostic {
    Diagnostic::about_file(
        path,
        error.to_string(),
        "change what is in the way, or give this file another slug",
    )
}

/// The tiers and the newsletter that a site starts with are named after it, and give way to those that files describe.
fn adjust_defaults(transaction: &mut Transaction) -> Result<()> {
    let title = transaction
        .catalog()
        .settings
        .text("title")
        .unwrap_or_default();
    let is_untouched = |tier: &Tier| tier.source.is_none() && tier.updated_at.is_none();
    let is_paid = |tier: &Tier| tier.source.is_some() && tier.price.is_some();
    adjust_default(
        transaction,
        Tier::default_paid(&title),
        is_paid,
        is_untouched,
    )?;
    let is_free = |tier: &Tier| tier.source.is_some() && tier.price.is_none();
    adjust_default(transaction, Tier::free(), is_free, is_untouched)?;
    adjust_default(
        transaction,
        Newsletter::new(newsletter::DEFAULT_SLUG, &title),
        |newsletter| newsletter.source.is_some(),
        |newsletter| newsletter.source.is_none() && newsletter.updated_at == UNDATED,
    )
}

/// Keeps `default`, unless some record `replaces` it, or somebody changed it since.
fn adjust_default<R: Kept>(
    transaction: &mut Transaction,
    default: R,
    replaces: impl Fn(&R) -> bool,
    is_untouched: impl Fn(&R) -> bool,
) -> Result<()> {
    let records = R::of(transaction.catalog());
    let is_replaced = records.iter().any(|record| replaces(record));
    match records.get(default.id()) {
        Some(known) if !is_untouched(known) => Ok(()),
        Some(_) if is_replaced => transaction.remove::<R>(default.id()),
        None if is_replaced => Ok(()),
        _ => transaction.save(default),
    }
}
