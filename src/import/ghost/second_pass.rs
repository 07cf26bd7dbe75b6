//! The second pass over an export, which imports the posts.

use std::collections::{HashMap, HashSet};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use uuid::Uuid;

use super::{
    export_reader::{ExportError, RawRow, TableVisitor},
    importer::{Importer, UpsertDecision, slug_taken},
    posts::{ImportedPost, REPAIRED, SkippedPost, derived_uuid},
    rows::Row,
    tables,
};
use crate::{
    domain::post::PostKind,
    error::{Error, Result},
    id::Id,
    import::ghost::pass_progress::PassProgress,
};

/// Maximum number of posts that are converted before they are saved: enough to keep all processors
/// busy.
const CHUNK_POSTS: usize = 128;

/// Maximum size of the JSON of these posts, in bytes. A single post may be larger.
const CHUNK_BYTES: usize = 4 << 20;

/// Maximum number of notes about a single post.
const NOTES_OF_POST_MAX: usize = 20;

/// Converts and saves the posts of an export.
pub struct SecondPass<'a, 'p> {
    importer: Importer<'a>,
    progress: PassProgress<'p>,
    /// The posts that existed before, by UUID.
    known: HashMap<Uuid, Id>,
    /// The posts that exist now, by UUID.
    uuids: HashMap<Uuid, Id>,
    /// The author of posts that have none.
    fallback_author: Id,
    chunk: Vec<PendingConversion>,
    chunk_bytes: usize,
    /// The posts read so far.
    imported: HashSet<Id>,
    not_rows: u64,
}

/// A row to be converted.
struct PendingConversion {
    number: u64,
    offset: u64,
    json: Vec<u8>,
}

/// The post of a row; `None` if the row is not an object.
type ConvertedRow = Option<Result<ImportedPost, SkippedPost>>;

impl<'a, 'p> SecondPass<'a, 'p> {
    /// Returns a pass that reports to `progress`.
    pub fn new(mut importer: Importer<'a>, progress: PassProgress<'p>) -> Result<Self> {
        // Only if there are posts, because this may add a user.
        let fallback_author = match importer.tables.posts {
            0 => Id::derive("nobody", ""),
            _ => importer.fallback_author()?,
        };
        let posts = &importer.transaction.catalog().posts;
        let known: HashMap<Uuid, Id> = posts.iter().map(|post| (post.uuid, post.id)).collect();
        Ok(Self {
            // Two maps, because conversions read one in parallel, which must not change, and saving
            // adds to the other.
            uuids: known.clone(),
            known,
            importer,
            progress,
            fallback_author,
            chunk: Vec::new(),
            chunk_bytes: 0,
            imported: HashSet::new(),
            not_rows: 0,
        })
    }

    /// Saves the remaining posts, and reports the values that were left out.
    pub fn finish(mut self) -> Result<()> {
        self.save_chunk()?;
        self.importer.report_missing_files();
        self.importer.report_left_out(self.not_rows);
        Ok(())
    }

    fn save_chunk(&mut self) -> Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        self.chunk_bytes = 0;
        let (importer, known, author) = (&self.importer, &self.known, self.fallback_author);
        let converted: Result<Vec<ConvertedRow>, ExportError> = chunk
            .par_iter()
            .map(|row| convert(row, importer, known, author))
            .collect();
        for conversion in converted? {
            match conversion {
                None => self.not_rows += 1,
                Some(Ok(imported_post)) => self.save(imported_post)?,
                Some(Err(skipped)) => self
                    .importer
                    .report
                    .leave_out(skipped.subject, skipped.reason),
            }
        }
        Ok(())
    }

    fn save(&mut self, imported_post: ImportedPost) -> Result<()> {
        let ImportedPost {
            decision,
            subject,
            mut post,
            body,
            changes,
            missing,
            losses,
            unknown_columns,
            ..
        } = imported_post;
        let report = &mut *self.importer.report;
        self.importer.unknown_columns.extend(&unknown_columns);
        // Posts are converted in parallel and saved in file order, so repetitions are detected
        // here.
        if !self.imported.insert(post.id) {
            report.leave_out(subject, "it is in the file twice; the first one counts");
            return Ok(());
        }
        report.count(
            match post.kind {
                PostKind::Post => "posts",
                PostKind::Page => "pages",
            },
            decision.outcome(),
        );
        match decision {
            UpsertDecision::Unchanged => return Ok(()),
            UpsertDecision::Skip(reason) => {
                report.leave_out(subject, reason);
                return Ok(());
            }
            UpsertDecision::Insert | UpsertDecision::Update => {}
        }
        for change in changes.into_iter().take(NOTES_OF_POST_MAX) {
            report.change(subject.clone(), change);
        }
        for loss in losses.into_iter().take(NOTES_OF_POST_MAX) {
            report.leave_out(subject.clone(), loss);
        }
        self.importer.report_missing(&subject, missing);
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
        // The UUID identifies a post in preview URLs, so two posts cannot share one.
        if *self.uuids.entry(post.uuid).or_insert(post.id) != post.id {
            self.importer
                .report
                .change(subject, "another post has its UUID; it got a new one");
            post.uuid = derived_uuid(post.id);
        }
        self.importer.transaction.save_post(post, body)
    }
}

fn convert(
    pending: &PendingConversion,
    importer: &Importer<'_>,
    known: &HashMap<Uuid, Id>,
    author: Id,
) -> Result<ConvertedRow, ExportError> {
    let row = Row::parse(&pending.json).map_err(|error| {
        let raw = RawRow {
            table: "posts",
            number: pending.number,
            offset: pending.offset,
            json: &pending.json,
        };
        raw.broken(&error)
    })?;
    let known = |uuid: Uuid| known.get(&uuid).copied();
    Ok(row.map(|row| importer.imported_post(&row, author, known)))
}

impl TableVisitor for SecondPass<'_, '_> {
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
            // A copy, because the stream reuses its buffer for the next row.
            json: row.json.to_vec(),
        });
        Ok(())
    }

    fn passed(&mut self, offset: u64) -> Result<()> {
        Ok(self.progress.passed(offset)?)
    }
}

impl Importer<'_> {
    /// Reports the number of references to missing files, for an import that does not bring its
    /// files.
    fn report_missing_files(&mut self) {
        let instruction = "copy content/images, content/media and content/files of the old site into the data folder";
        match self.missing_files {
            0 => {}
            1 => self.report.change(
                "1 reference to a file",
                format!("the file does not exist: {instruction}"),
            ),
            count => self.report.change(
                format!("{count} references to files"),
                format!("the files do not exist: {instruction}"),
            ),
        }
    }

    /// Reports the tables, columns and rows that were not read.
    fn report_left_out(&mut self, not_posts: u64) {
        let tables = self.tables;
        for (table, rows) in &tables.left_out {
            self.report.leave_out(
                format!("table {table} ({})", rows_of(*rows)),
                tables::reason(table),
            );
        }
        self.unknown_columns.extend(&tables.unknown_columns);
        for (table, columns) in &self.unknown_columns.0 {
            self.report.leave_out(
                format!("columns of the table {table} that Galley does not have"),
                super::name_list::listed(columns.iter().map(String::as_str)),
            );
        }
        let posts = Some(("posts", not_posts)).filter(|(_, count)| *count > 0);
        let others = tables
            .not_rows
            .iter()
            .map(|(table, count)| (table.as_str(), *count));
        for (table, count) in others.chain(posts) {
            self.report.leave_out(
                format!("table {table}"),
                match count {
                    1 => "1 row is not an object".to_owned(),
                    count => format!("{count} rows are not objects"),
                },
            );
        }
        for (table, count) in &tables.repaired {
            self.report
                .change(format!("table {table} ({})", rows_of(*count)), REPAIRED);
        }
        for (table, count) in &tables.repeated {
            self.report.leave_out(
                format!("table {table}"),
                format!(
                    "{} for no post, or for one that an earlier row describes",
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
