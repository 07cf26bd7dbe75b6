//! The state of an import: the transaction, the records that rows became, and the slugs in use.

use std::collections::HashMap;

use jiff::Timestamp;
use url::Url;

use super::{
    keys::RowKey,
    rows::RowReader,
    tables::{OrderedLinks, Tables, UnknownColumns},
};
use crate::{
    catalog::fields::{StoredText, TextContent},
    domain::{
        OptionalText, newsletter::Newsletter, origin::RecordOrigin, tag::Tag, tier::Tier,
        user::User,
    },
    error::{Error, Result},
    id::Id,
    import::{Outcome, Report, files::FileIndex},
    render::urls,
    site::{CollectionRecord, Transaction},
};

/// Longest slug, in bytes (Ghost 6.65, recorded).
const SLUG_BYTES_MAX: usize = 191;

/// Longest number that is appended to a slug, in bytes: a dash and a `u64`.
const NUMBER_BYTES_MAX: usize = 21;

/// Longest name in a note, in characters.
const SUBJECT_CHARACTERS_MAX: usize = 80;

/// A running import.
pub struct Importer<'a> {
    /// The transaction that the import writes to.
    pub transaction: &'a mut Transaction,
    /// The report on the import.
    pub report: &'a mut Report,
    /// The site's public URL.
    pub site: &'a Url,
    /// The files that records may refer to.
    pub files: &'a FileIndex,
    /// All tables of the file except posts.
    pub tables: &'a Tables,
    /// The identifiers of the records that rows became.
    pub records: RecordIds,
    /// Columns that are unknown.
    pub unknown_columns: UnknownColumns,
    /// Number of references to missing files that were not reported individually.
    pub missing_files: u64,
    slugs: SlugAllocator,
}

/// Identifiers of the records that rows became, by the rows' keys.
#[derive(Default)]
pub struct RecordIds {
    /// Staff.
    pub users: HashMap<RowKey, Id>,
    /// Tags.
    pub tags: HashMap<RowKey, Id>,
    /// Tiers.
    pub tiers: HashMap<RowKey, Id>,
    /// Newsletters.
    pub newsletters: HashMap<RowKey, Id>,
}

/// A kind of record that is imported from rows and has a slug.
pub trait ImportableRecord: CollectionRecord {
    /// The plural name in the report.
    const PLURAL: &'static str;
    /// Returns the time of its last change.
    fn updated_at(&self) -> Timestamp;
    /// Returns its source.
    fn origin(&self) -> &RecordOrigin;
    /// Sets its slug.
    fn set_slug(&mut self, slug: &str);
}

macro_rules! importable {
    ($noun:ty, $plural:literal, $updated_at:expr) => {
        impl ImportableRecord for $noun {
            const PLURAL: &'static str = $plural;

            fn updated_at(&self) -> Timestamp {
                let updated_at: fn(&$noun) -> Timestamp = $updated_at;
                updated_at(self)
            }

            fn origin(&self) -> &RecordOrigin {
                &self.origin
            }

            fn set_slug(&mut self, slug: &str) {
                self.slug = slug.into();
            }
        }
    };
}

importable!(Tag, "tags", |tag| tag.updated_at);
importable!(User, "users", |user| user.updated_at);
importable!(Tier, "tiers", |tier| tier
    .updated_at
    .unwrap_or(tier.created_at));
importable!(Newsletter, "newsletters", |newsletter| newsletter
    .updated_at);

/// The action for the record of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpsertDecision {
    /// Add the record: it does not exist yet.
    Insert,
    /// Update the record: the row is newer.
    Update,
    /// Keep the record: it has the same modification time.
    Unchanged,
    /// Keep the record for this reason: it is newer, or a content file describes it.
    Skip(&'static str),
}

impl UpsertDecision {
    /// Returns the decision for a row that last changed at `updated_at`, given the modification time and origin of the
    /// existing record.
    pub fn of(known: Option<(Timestamp, &RecordOrigin)>, updated_at: Timestamp) -> Self {
        match known {
            None => Self::Insert,
            Some((_, RecordOrigin::File { .. })) => {
                Self::Skip("stays as it is: a content file describes it")
            }
            Some((here, RecordOrigin::Store)) if here < updated_at => Self::Update,
            Some((here, RecordOrigin::Store)) if here == updated_at => Self::Unchanged,
            Some(_) => Self::Skip("stays as it is: it was changed here since"),
        }
    }

    /// Returns the outcome for the record.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Insert => Outcome::Added,
            Self::Update => Outcome::Updated,
            Self::Unchanged | Self::Skip(_) => Outcome::Unchanged,
        }
    }
}

/// Assigns unique slugs. Stores the next number to try for each slug in use: without it, ten thousand posts with one
/// slug would each try thousands of numbers.
#[derive(Default)]
pub struct SlugAllocator(HashMap<(&'static str, String), u64>);

impl SlugAllocator {
    /// Returns a free slug: `preferred`, or else `preferred` with a number. `known` is the slug of the existing record.
    pub fn choose(
        &mut self,
        kind: &'static str,
        preferred: &str,
        known: Option<&str>,
        is_free: impl Fn(&str) -> bool,
    ) -> String {
        // Slugs are ASCII, so no character is split.
        let preferred = &preferred[..preferred.len().min(SLUG_BYTES_MAX)];
        if is_free(preferred) {
            return preferred.to_owned();
        }
        let stem = &preferred[..preferred.len().min(SLUG_BYTES_MAX - NUMBER_BYTES_MAX)];
        // A record that got a number at an earlier import keeps it.
        let is_numbered = |slug: &&str| {
            let number = slug
                .strip_prefix(stem)
                .and_then(|rest| rest.strip_prefix('-'));
            number.is_some_and(|number| number.parse::<u64>().is_ok())
        };
        if let Some(known) = known.filter(is_numbered).filter(|slug| is_free(slug)) {
            return known.to_owned();
        }
        let next = self.0.entry((kind, stem.to_owned())).or_insert(2);
        loop {
            let slug = format!("{stem}-{next}");
            *next += 1;
            if is_free(&slug) {
                return slug;
            }
        }
    }
}

impl<'a> Importer<'a> {
    /// Returns an importer into `transaction` for a file whose tables other than posts are `tables`.
    pub fn new(
        transaction: &'a mut Transaction,
        report: &'a mut Report,
        site: &'a Url,
        files: &'a FileIndex,
        tables: &'a Tables,
    ) -> Self {
        Self {
            transaction,
            report,
            site,
            files,
            tables,
            records: RecordIds::default(),
            unknown_columns: UnknownColumns::default(),
            missing_files: 0,
            slugs: SlugAllocator::default(),
        }
    }

    /// Saves a record under a free slug, and counts it. Returns false if the existing record stays unchanged.
    pub fn save_record<R: ImportableRecord>(&mut self, mut record: R) -> Result<bool> {
        let known = R::of(self.transaction.catalog()).get(record.id()).cloned();
        let decision = UpsertDecision::of(
            known
                .as_ref()
                .map(|known| (known.updated_at(), known.origin())),
            record.updated_at(),
        );
        self.report.count(R::PLURAL, decision.outcome());
        let subject = subject(R::KIND, record.slug());
        match decision {
            UpsertDecision::Unchanged => return Ok(false),
            UpsertDecision::Skip(reason) => {
                self.report.leave_out(subject, reason);
                return Ok(false);
            }
            UpsertDecision::Insert | UpsertDecision::Update => {}
        }
        let (id, preferred) = (record.id(), record.slug().to_owned());
        let records = R::of(self.transaction.catalog());
        let slug = self.slugs.choose(
            R::KIND,
            &preferred,
            known.as_ref().map(|known| known.slug()),
            |slug| records.by_slug(slug).is_none_or(|other| other.id() == id),
        );
        if slug != preferred {
            self.report.change(&*subject, slug_taken(&slug));
            record.set_slug(&slug);
        }
        // As JSON, so that one search covers all fields of any kind of record.
        let fields = serde_json::to_string(&record).map_err(Error::internal)?;
        self.report_missing(&subject, self.files.missing(&fields));
        self.transaction.save(record)?;
        Ok(true)
    }

    /// Returns a slug for a post that is free among posts and pages.
    pub fn post_slug(&mut self, id: Id, preferred: &str, known: Option<&str>) -> String {
        let posts = &self.transaction.catalog().posts;
        self.slugs.choose("post", preferred, known, |slug| {
            posts.by_slug(slug).is_none_or(|other| other.id == id)
        })
    }

    /// Reports missing files that a record refers to: individually if the import brings its files, otherwise only their
    /// number.
    pub fn report_missing(&mut self, subject: &str, missing: Vec<String>) {
        if self.files.are_complete() {
            for path in missing {
                let text = format!("refers to the file {path}, which does not exist");
                self.report.change(subject, text);
            }
        } else {
            self.missing_files += missing.len() as u64
        }
    }

    /// Reports the columns of a row of `table` that could not be read, and the unread ones that are not in `skipped`.
    pub fn report_columns(
        &mut self,
        subject: &str,
        row: &RowReader<'_>,
        table: &str,
        skipped: &[&str],
    ) {
        for column in row.unreadable_columns() {
            self.report.leave_out(subject, unreadable_column(column));
        }
        self.unknown_columns.add(table, row.unread(skipped));
    }

    /// Returns the URL of an image in the first of these columns that holds one, in stored form.
    pub fn image_url(
        &self,
        row: &RowReader<'_>,
        columns: impl IntoIterator<Item = &'static str>,
    ) -> OptionalText {
        let url = row.first_image(columns)?;
        let stored = urls::url_to_stored(&url, self.site);
        Some(self.files.renamed(&stored).as_ref().into())
    }

    /// Returns the HTML in the column, with URLs in stored form.
    pub fn markup(&self, row: &RowReader<'_>, column: &'static str) -> OptionalText {
        let markup = row.text(column)?;
        let stored = urls::html_to_stored(&markup, self.site);
        Some(self.files.renamed(&stored).as_ref().into())
    }

    /// Sets these texts of `record` to those of the row.
    pub fn set_texts<R>(
        &self,
        record: &mut R,
        row: &RowReader<'_>,
        texts: &[&'static StoredText<R>],
    ) {
        for field in texts {
            (field.set)(record, self.text(field, row));
        }
    }

    /// Returns the text in the first of the field's columns that holds one, with URLs in stored form.
    pub fn text<R>(&self, field: &StoredText<R>, row: &RowReader<'_>) -> OptionalText {
        let columns = field.columns();
        match field.content {
            TextContent::Plain(_) | TextContent::Scalar(_) => row.first(columns, RowReader::boxed),
            TextContent::Website | TextContent::Link | TextContent::Account(_) => {
                row.first(columns, RowReader::boxed_link)
            }
            TextContent::Markup(_) => row.first(columns, |row, column| self.markup(row, column)),
            TextContent::Image => self.image_url(row, columns),
            TextContent::Page => {
                let url = row.first(columns, RowReader::link)?;
                let stored = urls::canonical_url_to_stored(&url, self.site);
                Some(stored.as_ref().into())
            }
        }
    }
}

/// Adds the record `id` for the row with this key. Returns false if an earlier row has the key; the earlier row takes
/// precedence.
pub fn insert_first(records: &mut HashMap<RowKey, Id>, key: &RowKey, id: Id) -> bool {
    let is_first = !records.contains_key(key);
    if is_first {
        records.insert(key.clone(), id);
    }
    is_first
}

/// Returns the keys that `from` is linked to, in order, each once.
pub fn linked<'t>(links: &'t OrderedLinks, from: Option<&RowKey>) -> Vec<&'t RowKey> {
    let mut links: Vec<_> = from
        .and_then(|from| links.get(from))
        .into_iter()
        .flatten()
        .collect();
    links.sort_by_key(|(order, _)| *order);
    let mut keys: Vec<&RowKey> = Vec::with_capacity(links.len());
    let mut seen = std::collections::HashSet::with_capacity(links.len());
    keys.extend(
        links
            .into_iter()
            .map(|(_, key)| key)
            .filter(|key| seen.insert(*key)),
    );
    keys
}

/// Returns the subject of notes about a record.
pub fn subject(kind: &str, name: &str) -> String {
    let name: String = name.chars().take(SUBJECT_CHARACTERS_MAX).collect();
    format!("{kind} \"{name}\"")
}

/// Returns the note on a slug that was in use.
pub fn slug_taken(slug: &str) -> String {
    format!("its slug is in use; here it is \"{slug}\"")
}

/// Returns the note on a column that could not be read.
pub fn unreadable_column(column: &str) -> String {
    format!("its \"{column}\" cannot be read")
}
