//! Which file each record gets.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use jiff::Timestamp;

use url::Url;

use super::{
    super::ExportError,
    address::Form,
    comparison::{self, StoredBody},
    files::Files,
    front_matter::FrontMatter,
    names::Names,
    record::Original,
};
use crate::{
    id::Id,
    site::Edition,
    sources::{Made, Preview, Record},
};

/// Most characters of what records are called, in any kind of file.
const NAME_CHARACTERS_MAX: usize = 191;

/// All files that records get, and how they will be read.
pub struct Plan<'a> {
    /// The site.
    pub edition: &'a Edition,
    /// Its public address.
    pub site: &'a Url,
    /// The time of the export.
    pub now: Timestamp,
    /// A file for each record.
    pub entries: Vec<Entry>,
    /// The folder as it is to be.
    pub preview: Preview,
}

/// A file for a record.
pub struct Entry {
    /// Its path in the folder.
    pub path: String,
    /// What it is about.
    pub original: Original,
    /// The file that the record came from, at the same path.
    pub source: Option<PathBuf>,
}

/// A file, ready to be written.
#[derive(Default)]
pub struct Written {
    /// What it holds.
    pub bytes: Vec<u8>,
    /// What it does not say of the record.
    pub remarks: Vec<String>,
}

impl<'a> Plan<'a> {
    /// Gives each record a file: the one that it came from, or one that is named after its slug.
    pub fn new(edition: &'a Edition, site: &'a Url, now: Timestamp, files: &Files) -> Self {
        let originals = Original::all(&edition.catalog);
        let mut plan = Self {
            edition,
            site,
            now,
            entries: Vec::new(),
            preview: Preview::new(
                BTreeSet::new(),
                BTreeMap::new(),
                &edition.catalog.settings,
                now,
            ),
        };
        plan.place(originals, files, |_| true);
        plan.look_ahead(files);
        // A file of data can be copied or written anew, and then it is TOML. A text can be either under its name.
        let copied: BTreeSet<Id> = plan
            .entries
            .iter()
            .filter(|entry| entry.original.is_text() || plan.copy_of(entry).is_some())
            .map(|entry| entry.original.id())
            .collect();
        let originals = plan.entries.drain(..).map(|entry| entry.original).collect();
        plan.place(originals, files, |original| copied.contains(&original.id()));
        plan.look_ahead(files);
        plan
    }

    /// Gives each of `originals` a path.
    fn place(
        &mut self,
        originals: Vec<Original>,
        files: &Files,
        keeps_file: impl Fn(&Original) -> bool,
    ) {
        let mut names = Names::default();
        for (_, path) in files.assets() {
            names.take(path);
        }
        let source_of = |original: &Original| {
            let path = original.source()?.to_owned();
            let file = files.content_file(&path)?.to_owned();
            keeps_file(original).then_some((path, file))
        };
        let (kept, others): (Vec<_>, Vec<_>) = originals
            .into_iter()
            .map(|original| (source_of(&original), original))
            .partition(|(source, _)| source.is_some());
        for (source, original) in kept {
            if let Some((path, file)) = source {
                names.take(&path);
                self.entries.push(Entry {
                    path,
                    original,
                    source: Some(file),
                });
            }
        }
        for (_, original) in others {
            self.entries.push(Entry {
                path: original.path(&mut names),
                original,
                source: None,
            });
        }
        self.entries.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// Sees how files will be read in the folder as it is planned.
    fn look_ahead(&mut self, files: &Files) {
        let assets = files.assets().map(|(_, path)| path.to_owned());
        let texts = self.entries.iter().map(|entry| entry.path.clone());
        let made: BTreeMap<String, Made> = self
            .entries
            .iter()
            .map(|entry| (entry.path.clone(), entry.original.made()))
            .collect();
        let settings = &self.edition.catalog.settings;
        self.preview = Preview::new(texts.chain(assets).collect(), made, settings, self.now);
    }

    /// What the file for a record holds.
    pub fn text_of(&self, entry: &Entry) -> Result<Written, ExportError> {
        if let Some(bytes) = self.copy_of(entry) {
            return Ok(Written {
                bytes,
                remarks: Vec::new(),
            });
        }
        match &entry.original {
            Original::Post(post) => self.post(entry, post),
            _ => Ok(self.described(entry)),
        }
    }

    /// The file that a record came from, if it still makes the same.
    fn copy_of(&self, entry: &Entry) -> Option<Vec<u8>> {
        let bytes = fs::read(entry.source.as_ref()?).ok()?;
        let record = self.preview.read(&entry.path, &bytes).ok()?;
        self.is_same(entry, &record).then_some(bytes)
    }

    /// Whether a file that makes `record` says what is to be said.
    fn is_same(&self, entry: &Entry, record: &Record) -> bool {
        let body = match &entry.original {
            Original::Post(post) => self.body_of(post.id).ok(),
            _ => None,
        };
        self.differences(entry, body.as_ref(), record).is_empty()
    }

    /// What a file that makes `record` does not say of what is to be said.
    pub fn differences(
        &self,
        entry: &Entry,
        body: Option<&StoredBody>,
        record: &Record,
    ) -> Vec<String> {
        comparison::differences(&entry.original, body, record, self.site)
    }

    /// The body of a post.
    pub fn body_of(&self, post: Id) -> Result<StoredBody, ExportError> {
        Ok(StoredBody {
            html: self.edition.bodies([post].into_iter())?.pop().flatten(),
            lexical: self.edition.lexical(post)?,
        })
    }

    /// The file for a record that is no post.
    fn described(&self, entry: &Entry) -> Written {
        let mut nearest = None;
        for form in [Form::Path, Form::Stored] {
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

    /// The keys of a file, without those that content files cannot have.
    pub fn usable_keys(&self, entry: &Entry, form: Form) -> UsableKeys {
        let catalog = &self.edition.catalog;
        let keys = entry.original.keys(&entry.path, form, catalog, self.now);
        let mut usable = UsableKeys {
            keys,
            removed: Vec::new(),
            remarks: Vec::new(),
        };
        let subject = entry.original.subject();
        let text = |keys: &FrontMatter| {
            if entry.original.is_text() {
                keys.with_body(None, "")
            } else {
                keys.to_toml()
            }
        };
        while let Err(problems) = self
            .preview
            .read(&entry.path, text(&usable.keys).as_bytes())
        {
            let Some(problem) = problems.iter().find(|problem| problem.is_error()) else {
                break;
            };
            let line = problem
                .place
                .as_ref()
                .map_or(0, |place| place.line as usize);
            let Some(key) = usable.keys.at_line(&text(&usable.keys), line) else {
                break;
            };
            // A file must say what its record is called.
            let is_cut = matches!(key, "name" | "title");
            match is_cut {
                true if usable.keys.cut(key, NAME_CHARACTERS_MAX) => {}
                true => break,
                false => usable.keys.remove(key),
            }
            let done = if is_cut { "cut" } else { "left out" };
            let remark = format!("{subject}: `{key}` is {done}: {}", problem.message);
            usable.remarks.push(remark);
            usable.removed.push(key);
        }
        usable
    }
}

/// Keys that content files can have, and what is said of those that they cannot.
pub struct UsableKeys {
    /// The keys.
    pub keys: FrontMatter,
    removed: Vec<&'static str>,
    remarks: Vec<String>,
}

impl UsableKeys {
    /// Whether all that differs are keys that were left out.
    pub fn covers(&self, differences: &[String]) -> bool {
        differences.iter().all(|field| self.is_removed(field))
    }

    fn is_removed(&self, field: &str) -> bool {
        let name = field.rsplit('.').next().unwrap_or(field);
        self.removed.contains(&name)
    }

    /// The file with what is to be said of it.
    pub fn written(&self, entry: &Entry, bytes: Vec<u8>, differences: &[String]) -> Written {
        let subject = entry.original.subject();
        let differing = differences.iter().filter(|field| !self.is_removed(field));
        let inexact = differing.map(|field| {
            format!("{subject}: its {field} cannot be said exactly in a content file")
        });
        Written {
            bytes,
            remarks: self.remarks.iter().cloned().chain(inexact).collect(),
        }
    }
}
