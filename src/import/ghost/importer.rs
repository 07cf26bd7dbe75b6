//! What the parts of an import share: the change in the making, what rows became which records, and which slugs are taken.

use std::collections::HashMap;

use jiff::Timestamp;
use url::Url;

use super::{
    keys::Key,
    rows::Reading,
    tables::{Tables, Tied, UnknownColumns},
};
use crate::{
    domain::{OptionalText, SourceFile, newsletter::Newsletter, tag::Tag, tier::Tier, user::User},
    error::{Error, Result},
    id::Id,
    import::{Outcome, Report, files::Files},
    render::urls,
    site::{CollectionRecord, Transaction},
};

/// Longest slug that is kept, in bytes (Ghost 6.65, recorded).
const SLUG_BYTES_MAX: usize = 191;

/// Longest name in a note, in characters.
const SUBJECT_CHARACTERS_MAX: usize = 80;

/// An import under way.
pub struct Importer<'a> {
    /// The change in the making.
    pub transaction: &'a mut Transaction,
    /// What is reported of it.
    pub report: &'a mut Report,
    /// The site's public address.
    pub site: &'a Url,
    /// What is known of files.
    pub files: &'a Files,
    /// Everything in the file but the posts.
    pub tables: &'a Tables,
    /// Which row of the file became which record.
    pub records: Records,
    /// Columns that were not read.
    pub unknown_columns: UnknownColumns,
    /// References to files that are not here, which were not reported one by one.
    pub missing_files: u64,
    slugs: Slugs,
}

/// Which row of the file became which record.
#[derive(Default)]
pub struct Records {
    /// Staff.
    pub users: HashMap<Key, Id>,
    /// Tags.
    pub tags: HashMap<Key, Id>,
    /// Tiers.
    pub tiers: HashMap<Key, Id>,
    /// Newsletters.
    pub newsletters: HashMap<Key, Id>,
}

/// A kind of record that comes in by rows and has a slug.
pub trait Imported: CollectionRecord {
    /// What several of them are called in the report.
    const PLURAL: &'static str;
    /// When it last changed.
    fn updated_at(&self) -> Timestamp;
    /// The content file that it came from.
    fn source(&self) -> &SourceFile;
    /// Gives it another slug.
    fn set_slug(&mut self, slug: &str);
}

macro_rules! imported {
    ($noun:ty, $plural:literal, $updated_at:expr) => {
        impl Imported for $noun {
            const PLURAL: &'static str = $plural;

            fn updated_at(&self) -> Timestamp {
                let updated_at: fn(&$noun) -> Timestamp = $updated_at;
                updated_at(self)
            }

            fn source(&self) -> &SourceFile {
                &self.source
            }

            fn set_slug(&mut self, slug: &str) {
                self.slug = slug.into();
            }
        }
    };
}

imported!(Tag, "tags", |tag| tag.updated_at);
imported!(User, "users", |user| user.updated_at);
imported!(Tier, "tiers", |tier| tier
    .updated_at
    .unwrap_or(tier.created_at));
imported!(Newsletter, "newsletters", |newsletter| newsletter
    .updated_at);

/// How a row stands to the record of its identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is none yet.
    New,
    /// The row is newer.
    Newer,
    /// It is of the same moment: nothing is to be done.
    Same,
    /// The record is newer, or not the import's to change.
    Kept(&'static str),
}

impl Standing {
    /// How a row that last changed at `updated_at` stands to a record, of which the date and the content file are given.
    pub fn of(known: Option<(Timestamp, &SourceFile)>, updated_at: Timestamp) -> Self {
        match known {
            None => Self::New,
            Some((_, Some(_))) => Self::Kept("stays as it is: a content file describes it"),
            Some((here, None)) if here < updated_at => Self::Newer,
            Some((here, None)) if here == updated_at => Self::Same,
            Some(_) => Self::Kept("stays as it is: it was changed here since"),
        }
    }

    /// What becomes of the record.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::New => Outcome::Added,
            Self::Newer => Outcome::Updated,
            Self::Same | Self::Kept(_) => Outcome::Unchanged,
        }
    }
}

/// Slugs that were found to be taken, with the number to try next: so that ten thousand posts of one slug do not ask for
/// each number ten thousand times.
#[derive(Default)]
pub struct Slugs(HashMap<(&'static str, String), u64>);

impl Slugs {
    /// The slug that a record gets which wants `wanted`, and has the slug `known` if it is there already.
    pub fn choose(
        &mut self,
        kind: &'static str,
        wanted: &str,
        known: Option<&str>,
        is_free: impl Fn(&str) -> bool,
    ) -> String {
        let wanted = &wanted[..wanted.len().min(SLUG_BYTES_MAX)];
        if is_free(wanted) {
            return wanted.to_owned();
        }
        // What had to go by another slug at the last import goes by it again.
        let is_numbered = |slug: &&str| {
            let number = slug
                .strip_prefix(wanted)
                .and_then(|rest| rest.strip_prefix('-'));
            number.is_some_and(|number| number.parse::<u64>().is_ok())
        };
        if let Some(known) = known.filter(is_numbered).filter(|slug| is_free(slug)) {
            return known.to_owned();
        }
        let next = self.0.entry((kind, wanted.to_owned())).or_insert(2);
        loop {
            let slug = format!("{wanted}-{next}");
            *next += 1;
            if is_free(&slug) {
                return slug;
            }
        }
    }
}

impl<'a> Importer<'a> {
    /// An import into `transaction` of a file of which all but the posts is in `tables`.
    pub fn new(
        transaction: &'a mut Transaction,
        report: &'a mut Report,
        site: &'a Url,
        files: &'a Files,
        tables: &'a Tables,
    ) -> Self {
        Self {
            transaction,
            report,
            site,
            files,
            tables,
            records: Records::default(),
            unknown_columns: UnknownColumns::default(),
            missing_files: 0,
            slugs: Slugs::default(),
        }
    }

    /// Puts a record in its place, under a slug that is free, and counts it. False when the record that is there stays.
    pub fn place<R: Imported>(&mut self, mut record: R) -> Result<bool> {
        let known = R::of(self.transaction.catalog()).get(record.id()).cloned();
        let standing = Standing::of(
            known
                .as_ref()
                .map(|known| (known.updated_at(), known.source())),
            record.updated_at(),
        );
        self.report.count(R::PLURAL, standing.outcome());
        let subject = subject(R::NAME, record.slug());
        match standing {
            Standing::Same => return Ok(false),
            Standing::Kept(why) => {
                self.report.leave_out(subject, why);
                return Ok(false);
            }
            Standing::New | Standing::Newer => {}
        }
        let (id, wanted) = (record.id(), record.slug().to_owned());
        let records = R::of(self.transaction.catalog());
        let slug = self.slugs.choose(
            R::NAME,
            &wanted,
            known.as_ref().map(|known| known.slug()),
            |slug| records.by_slug(slug).is_none_or(|other| other.id() == id),
        );
        if slug != wanted {
            self.report.change(&*subject, slug_taken(&slug));
            record.set_slug(&slug);
        }
        let fields = serde_json::to_string(&record).map_err(Error::internal)?;
        self.tell_missing(&subject, self.files.missing(&fields));
        self.transaction.save(record)?;
        Ok(true)
    }

    /// The slug that a post gets, which is free among posts and pages.
    pub fn post_slug(&mut self, id: Id, wanted: &str, known: Option<&str>) -> String {
        let posts = &self.transaction.catalog().posts;
        self.slugs.choose("post", wanted, known, |slug| {
            posts.by_slug(slug).is_none_or(|other| other.id == id)
        })
    }

    /// Tells of files that a record refers to and that are not here: one by one when the files came along, else only how
    /// many there are.
    pub fn tell_missing(&mut self, subject: &str, missing: Vec<String>) {
        match self.files.are_complete() {
            true => {
                for path in missing {
                    let text = format!("refers to the file {path}, which is not there");
                    self.report.change(subject, text);
                }
            }
            false => self.missing_files += missing.len() as u64,
        }
    }

    /// Tells which columns of a row could not be read.
    pub fn tell_misfits(&mut self, subject: &str, row: &Reading<'_>) {
        for column in row.misfits() {
            self.report.leave_out(subject, misfit(column));
        }
    }

    /// The URL of an image in the first of these columns that holds one, in stored form.
    pub fn address(&self, row: &Reading<'_>, columns: &[&'static str]) -> OptionalText {
        let address = row.first_image(columns)?;
        let stored = urls::address_to_stored(&address, self.site);
        Some(self.files.renamed(&stored).as_ref().into())
    }

    /// The markup in the column, with addresses in stored form.
    pub fn markup(&self, row: &Reading<'_>, column: &'static str) -> OptionalText {
        let markup = row.text(column)?;
        let stored = urls::html_to_stored(&markup, self.site);
        Some(self.files.renamed(&stored).as_ref().into())
    }
}

/// Notes that the row known by `key` is the record `id`; false when another row was known by it before, which counts.
pub fn first_of_its_key(records: &mut HashMap<Key, Id>, key: &Key, id: Id) -> bool {
    let is_first = !records.contains_key(key);
    if is_first {
        records.insert(key.clone(), id);
    }
    is_first
}

/// What is tied to `from`, in order, each once.
pub fn tied<'t>(ties: &'t Tied, from: Option<&Key>) -> Vec<&'t Key> {
    let mut ties: Vec<_> = from
        .and_then(|from| ties.get(from))
        .into_iter()
        .flatten()
        .collect();
    ties.sort_by_key(|(order, _)| *order);
    let mut keys: Vec<&Key> = Vec::with_capacity(ties.len());
    let mut known = std::collections::HashSet::with_capacity(ties.len());
    keys.extend(
        ties.into_iter()
            .map(|(_, key)| key)
            .filter(|key| known.insert(*key)),
    );
    keys
}

/// How a note names a record.
pub fn subject(kind: &str, name: &str) -> String {
    let name: String = name.chars().take(SUBJECT_CHARACTERS_MAX).collect();
    format!("{kind} \"{name}\"")
}

/// What a note says of a slug that was taken.
pub fn slug_taken(slug: &str) -> String {
    format!("its slug is taken by another; here it is \"{slug}\"")
}

/// What a note says of a column that could not be read.
pub fn misfit(column: &str) -> String {
    format!("its \"{column}\" cannot be read")
}
