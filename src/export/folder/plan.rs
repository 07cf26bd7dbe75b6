//! The plan of an export, which assigns a file to each record.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use jiff::Timestamp;

use url::Url;

use super::{
    super::ExportError,
    comparison::{self, StoredBody},
    files::SiteFiles,
    names::FileNames,
    record::ExportedRecord,
};
use crate::{
    content_files::{ConvertedRecord, FileOutput, Preview, WrittenKeys},
    content_text::url_form::UrlForm,
    id::Id,
    site::SiteSnapshot,
};

/// Maximum length of a name or title that is valid in all kinds of files, in characters.
const NAME_CHARACTERS_MAX: usize = 191;

/// The files of all records, and the settings with which they will be read.
pub struct ExportPlan<'a> {
    /// The snapshot of the site.
    pub snapshot: &'a SiteSnapshot,
    /// The public URL of the site.
    pub site: &'a Url,
    /// The time of the export.
    pub now: Timestamp,
    /// The planned files, one for each record.
    pub entries: Vec<PlannedFile>,
    /// The settings with which the planned folder will be read.
    pub preview: Preview,
}

/// The file of a record.
pub struct PlannedFile {
    /// Its path in the folder.
    pub path: String,
    /// The record.
    pub original: ExportedRecord,
    /// The content file that the record comes from, with the same path.
    pub source: Option<PathBuf>,
}

/// The content of a file.
#[derive(Default)]
pub struct WrittenFile {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Values that the file cannot express.
    pub remarks: Vec<String>,
}

impl<'a> ExportPlan<'a> {
    /// Assigns a file to each record: the file that it comes from, or a file named after its slug.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn new(
        snapshot: &'a SiteSnapshot,
        site: &'a Url,
        now: Timestamp,
        files: &SiteFiles,
    ) -> Result<Self, ExportError> {
        let originals = ExportedRecord::all(snapshot)?;
        let mut plan = Self {
            snapshot,
            site,
            now,
            entries: Vec::new(),
            preview: Preview::new(
                BTreeSet::new(),
                BTreeMap::new(),
                &snapshot.catalog.settings,
                now,
            ),
        };
        plan.assign_paths(originals, files, |_| true);
        plan.prepare_preview(files);
        // A data file that cannot be copied is rewritten as TOML, which may change its name. The
        // name of a document does not change when it is rewritten.
        let copied: BTreeSet<Id> = plan
            .entries
            .iter()
            .filter(|entry| entry.original.is_text() || plan.copy_of(entry).is_some())
            .map(|entry| entry.original.id())
            .collect();
        let originals = plan.entries.drain(..).map(|entry| entry.original).collect();
        plan.assign_paths(originals, files, |original| copied.contains(&original.id()));
        plan.prepare_preview(files);
        Ok(plan)
    }

    /// Assigns a path to each of `originals`.
    fn assign_paths(
        &mut self,
        originals: Vec<ExportedRecord>,
        files: &SiteFiles,
        keeps_file: impl Fn(&ExportedRecord) -> bool,
    ) {
        let mut names = FileNames::default();
        for (_, path) in files.assets() {
            names.take(path);
        }
        let source_of = |original: &ExportedRecord| {
            let path = original.source()?.to_owned();
            let file = files.content_file(&path)?.to_owned();
            keeps_file(original).then_some((path, file))
        };
        let (copied, others): (Vec<_>, Vec<_>) = originals
            .into_iter()
            .map(|original| (source_of(&original), original))
            .partition(|(source, _)| source.is_some());
        // Copied files first, because their paths are fixed; the other records get names that are
        // free.
        for (source, original) in copied {
            if let Some((path, file)) = source {
                names.take(&path);
                self.entries.push(PlannedFile {
                    path,
                    original,
                    source: Some(file),
                });
            }
        }
        for (_, original) in others {
            self.entries.push(PlannedFile {
                path: original.path(&mut names),
                original,
                source: None,
            });
        }
        self.entries.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// Prepares the preview for reading files in the planned folder.
    fn prepare_preview(&mut self, files: &SiteFiles) {
        let assets = files.assets().map(|(_, path)| path.to_owned());
        let texts = self.entries.iter().map(|entry| entry.path.clone());
        let identities: BTreeMap<String, FileOutput> = self
            .entries
            .iter()
            .map(|entry| (entry.path.clone(), entry.original.identity()))
            .collect();
        let settings = &self.snapshot.catalog.settings;
        self.preview = Preview::new(
            texts.chain(assets).collect(),
            identities,
            settings,
            self.now,
        );
    }

    /// Returns the content of the file of a record.
    pub fn text_of(&self, entry: &PlannedFile) -> Result<WrittenFile, ExportError> {
        if let Some(bytes) = self.copy_of(entry) {
            return Ok(WrittenFile {
                bytes,
                remarks: Vec::new(),
            });
        }
        match &entry.original {
            ExportedRecord::Post(post) => self.post(entry, post),
            _ => Ok(self.record_keys(entry)),
        }
    }

    /// Returns the content of the file that a record comes from, if it still describes the record.
    fn copy_of(&self, entry: &PlannedFile) -> Option<Vec<u8>> {
        // If the file cannot be read any more, or has changed, the file is written from the record.
        let bytes = fs::read(entry.source.as_ref()?).ok()?;
        let record = self.preview.read(&entry.path, &bytes).ok()?;
        self.is_same(entry, &record).then_some(bytes)
    }

    /// Returns whether `record` is equivalent to the original.
    fn is_same(&self, entry: &PlannedFile, record: &ConvertedRecord) -> bool {
        let body = match &entry.original {
            ExportedRecord::Post(post) => self.body_of(post.id).ok(),
            _ => None,
        };
        self.differences(entry, body.as_ref(), record).is_empty()
    }

    /// Returns the fields of the original that differ in `record`.
    pub fn differences(
        &self,
        entry: &PlannedFile,
        body: Option<&StoredBody>,
        record: &ConvertedRecord,
    ) -> Vec<String> {
        comparison::differences(&entry.original, body, record, self.site)
    }

    /// Returns the body of a post.
    pub fn body_of(&self, post: Id) -> Result<StoredBody, ExportError> {
        Ok(StoredBody {
            html: self.snapshot.html(post)?,
            lexical: self.snapshot.lexical(post)?,
        })
    }

    /// Returns the file of a record other than a post.
    fn record_keys(&self, entry: &PlannedFile) -> WrittenFile {
        let mut nearest = None;
        for form in [UrlForm::Path, UrlForm::Stored] {
            let usable = self.usable_keys(entry, form);
            let bytes = usable.keys.to_toml().into_bytes();
            let differences = match self.preview.read(&entry.path, &bytes) {
                Ok(record) => self.differences(entry, None, &record),
                Err(_) => vec!["file".to_owned()],
            };
            let written = usable.written(entry, bytes, &differences);
            if usable.covers(&differences) {
                return written;
            }
            nearest.get_or_insert(written);
        }
        nearest.unwrap_or_default()
    }

    /// Returns the keys of a file, without those that content files reject.
    pub fn usable_keys(&self, entry: &PlannedFile, form: UrlForm) -> UsableKeys {
        let catalog = &self.snapshot.catalog;
        let keys = entry.original.keys(&entry.path, form, catalog, self.now);
        let mut usable = UsableKeys {
            keys,
            removed: Vec::new(),
            remarks: Vec::new(),
        };
        let subject = entry.original.subject();
        let text = |keys: &WrittenKeys| {
            if entry.original.is_text() {
                keys.with_body(None, "")
            } else {
                keys.to_toml()
            }
        };
        // Each round removes or shortens one key, so the loop ends.
        while let Err(problems) = self
            .preview
            .read(&entry.path, text(&usable.keys).as_bytes())
        {
            let Some(problem) = problems.iter().find(|problem| problem.is_error()) else {
                break;
            };
            let line = problem
                .position
                .as_ref()
                .map_or(0, |position| position.line as usize);
            // A problem without a key remains, and is reported when the file is read back.
            let Some(key) = usable.keys.at_line(&text(&usable.keys), line) else {
                break;
            };
            // A name or title is mandatory, so it is truncated instead of removed.
            let is_cut = matches!(key, "name" | "title");
            if !is_cut {
                usable.keys.remove(key);
            } else if !usable.keys.cut(key, NAME_CHARACTERS_MAX) {
                break;
            }
            let done = if is_cut { "truncated" } else { "left out" };
            let remark = format!("{subject}: `{key}` is {done}: {}", problem.message);
            usable.remarks.push(remark);
            usable.removed.push(key);
        }
        usable
    }
}

/// The keys that content files accept, with remarks about the others.
pub struct UsableKeys {
    /// The keys.
    pub keys: WrittenKeys,
    removed: Vec<&'static str>,
    remarks: Vec<String>,
}

impl UsableKeys {
    /// Returns whether all differences are keys that were left out.
    pub fn covers(&self, differences: &[String]) -> bool {
        differences.iter().all(|field| self.is_removed(field))
    }

    fn is_removed(&self, field: &str) -> bool {
        let name = field.rsplit('.').next().unwrap_or(field);
        self.removed.contains(&name)
    }

    /// Returns the file with its remarks.
    pub fn written(
        &self,
        entry: &PlannedFile,
        bytes: Vec<u8>,
        differences: &[String],
    ) -> WrittenFile {
        let subject = entry.original.subject();
        let differing = differences.iter().filter(|field| !self.is_removed(field));
        let inexact = differing.map(|field| {
            format!("{subject}: {field} cannot be expressed exactly in a content file")
        });
        WrittenFile {
            bytes,
            remarks: self.remarks.iter().cloned().chain(inexact).collect(),
        }
    }
}
