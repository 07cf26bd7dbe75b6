//! The second pass over an export: the posts.

use std::collections::{HashMap, HashSet};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use uuid::Uuid;

use super::{
    Reading, columns,
    importer::{Importer, Standing, slug_taken},
    posts::{Incoming, MENDED, RefusedPost, derived_uuid},
    rows::Row,
    walk::{ExportError, RawRow, Visitor},
};
use crate::{
    domain::post::PostKind,
    error::{Error, Result},
    id::Id,
};

/// How many posts are converted before they are saved: enough to keep all processors busy.
const CHUNK_POSTS: usize = 128;

/// How many bytes of JSON they have at most, unless a single post has more.
const CHUNK_BYTES: usize = 4 << 20;

/// Most notes that a single post makes.
const NOTES_OF_POST_MAX: usize = 20;

/// Saves the posts of an export, which the second visit shows.
pub struct SecondPass<'a, 'p> {
    importer: Importer<'a>,
    reading: Reading<'p>,
    /// The posts that were there before, by UUID.
    known: HashMap<Uuid, Id>,
    /// The posts that there are now, by UUID.
    uuids: HashMap<Uuid, Id>,
    /// The author of posts that have none, once one is needed.
    fallback_author: Id,
    chunk: Vec<PendingConversion>,
    chunk_bytes: usize,
    /// Posts that came by.
    seen: HashSet<Id>,
    not_rows: u64,
}

/// A row that waits to be converted.
struct PendingConversion {
    number: u64,
    offset: u64,
    json: Vec<u8>,
}

/// What a row becomes; `None` when it is no row.
type Conversion = Option<Result<Incoming, RefusedPost>>;

impl<'a, 'p> SecondPass<'a, 'p> {
    /// A pass that tells `reading` how far it is.
    pub fn new(mut importer: Importer<'a>, reading: Reading<'p>) -> Result<Self> {
        let fallback_author = match importer.tables.posts {
            0 => Id::derive("nobody", ""),
            _ => importer.fallback_author()?,
        };
        let posts = &importer.transaction.catalog().posts;
        let known: HashMap<Uuid, Id> = posts.iter().map(|post| (post.uuid, post.id)).collect();
        Ok(Self {
            uuids: known.clone(),
            known,
            importer,
            reading,
            fallback_author,
            chunk: Vec::new(),
            chunk_bytes: 0,
            seen: HashSet::new(),
            not_rows: 0,
        })
    }

    /// Saves what is left, and tells what was left out.
    pub fn finish(mut self) -> Result<()> {
        self.save_chunk()?;
        self.importer.tell_missing_files();
        self.importer.tell_left_out(self.not_rows);
        Ok(())
    }

    fn save_chunk(&mut self) -> Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        self.chunk_bytes = 0;
        let (importer, known, author) = (&self.importer, &self.known, self.fallback_author);
        let converted: Result<Vec<Conversion>, ExportError> = chunk
            .par_iter()
            .map(|row| convert(row, importer, known, author))
            .collect();
        for conversion in converted? {
            match conversion {
                None => self.not_rows += 1,
                Some(Ok(incoming)) => self.save(incoming)?,
                Some(Err(refused)) => self
                    .importer
                    .report
                    .leave_out(refused.subject, refused.reason),
            }
        }
        Ok(())
    }

    fn save(&mut self, incoming: Incoming) -> Result<()> {
        let Incoming {
            standing,
            subject,
            mut post,
            body,
            changes,
            missing,
            losses,
            unknown_columns,
            ..
        } = incoming;
        let report = &mut *self.importer.report;
        self.importer.unknown_columns.add("posts", unknown_columns);
        if !self.seen.insert(post.id) {
            report.leave_out(subject, "it stands in the file twice; the first counts");
            return Ok(());
        }
        report.count(
            match post.kind {
                PostKind::Post => "posts",
                PostKind::Page => "pages",
            },
            standing.outcome(),
        );
        match standing {
            Standing::Same => return Ok(()),
            Standing::Kept(why) => {
                report.leave_out(subject, why);
                return Ok(());
            }
            Standing::New | Standing::Newer => {}
        }
        for change in changes.into_iter().take(NOTES_OF_POST_MAX) {
            report.change(subject.clone(), change);
        }
        for loss in losses.into_iter().take(NOTES_OF_POST_MAX) {
            report.leave_out(subject.clone(), loss);
        }
        self.importer.tell_missing(&subject, missing);
        let known = self.importer.transaction.catalog().posts.get(post.id);
        let known_slug = known.map(|known| known.slug.clone());
        let slug = self
            .importer
            .post_slug(post.id, &post.slug, known_slug.as_deref());
        if slug != *post.slug {
            self.importer
                .report
                .change(subject.clone(), slug_taken(&slug));
            post.slug = slug.into();
        }
        if *self.uuids.entry(post.uuid).or_insert(post.id) != post.id {
            self.importer
                .report
                .change(subject, "its UUID is another's; it got a new one");
            post.uuid = derived_uuid(post.id);
        }
        self.importer.transaction.save_post(post, body)
    }
}

fn convert(
    waiting: &PendingConversion,
    importer: &Importer<'_>,
    known: &HashMap<Uuid, Id>,
    author: Id,
) -> Result<Conversion, ExportError> {
    let row = Row::parse(&waiting.json, &columns::POSTS).map_err(|error| {
        let raw = RawRow {
            table: "posts",
            number: waiting.number,
            offset: waiting.offset,
            json: &waiting.json,
        };
        raw.broken(&error)
    })?;
    let known = |uuid: Uuid| known.get(&uuid).copied();
    Ok(row.map(|row| importer.incoming(&row, author, known)))
}

impl Visitor for SecondPass<'_, '_> {
    type Error = Error;

    fn wants(&mut self, table: &str) -> bool {
        table == "posts"
    }

    fn meta(&mut self, _json: &[u8]) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, row: &RawRow<'_>) -> Result<()> {
        if self.chunk.len() == CHUNK_POSTS || self.chunk_bytes + row.json.len() > CHUNK_BYTES {
            self.save_chunk()?;
        }
        self.chunk_bytes += row.json.len();
        self.chunk.push(PendingConversion {
            number: row.number,
            offset: row.offset,
            json: row.json.to_vec(),
        });
        Ok(())
    }

    fn passed(&mut self, offset: u64) -> Result<()> {
        Ok(self.reading.passed(offset)?)
    }
}

impl Importer<'_> {
    /// Tells how many files are not here, when they were not in the file either.
    fn tell_missing_files(&mut self) {
        let what_to_do = "copy content/images, content/media and content/files of the old site into the data folder";
        match self.missing_files {
            0 => {}
            1 => self.report.change(
                "1 reference to a file",
                format!("the file is not here: {what_to_do}"),
            ),
            count => self.report.change(
                format!("{count} references to files"),
                format!("the files are not here: {what_to_do}"),
            ),
        }
    }

    /// Tells which tables, columns and rows were not read.
    fn tell_left_out(&mut self, posts_that_are_none: u64) {
        let tables = self.tables;
        for (table, rows) in &tables.left_out {
            self.report.leave_out(
                format!("table {table} ({})", rows_of(*rows)),
                columns::reason(table),
            );
        }
        self.unknown_columns.extend(&tables.unknown_columns);
        for (table, columns) in &self.unknown_columns.0 {
            self.report.leave_out(
                format!("columns of the table {table} that Galley does not have"),
                super::listed(columns.iter().map(String::as_str)),
            );
        }
        let posts = Some(("posts", posts_that_are_none)).filter(|(_, count)| *count > 0);
        let others = tables
            .not_rows
            .iter()
            .map(|(table, count)| (table.as_str(), *count));
        for (table, count) in others.chain(posts) {
            self.report.leave_out(
                format!("table {table}"),
                match count {
                    1 => "1 row is no object".to_owned(),
                    count => format!("{count} rows are no objects"),
                },
            );
        }
        for (table, count) in &tables.mended {
            self.report
                .change(format!("table {table} ({})", rows_of(*count)), MENDED);
        }
        for (table, count) in &tables.repeated {
            self.report.leave_out(
                format!("table {table}"),
                format!(
                    "{} belong to nothing, or to what another row is for",
                    rows_of(*count)
                ),
            );
        }
    }
}

fn rows_of(count: u64) -> String {
    match count {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    }
}
