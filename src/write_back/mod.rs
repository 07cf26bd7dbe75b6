//! Writes edits of posts and other records into their content files.
//!
//! An edit is made on the text of the file: of its front matter the keys whose values differ, of its body the blocks. The
//! new text is then read like any content file, and what it says is what is stored and served, so that the site, the file and
//! every copy of it agree. A value that the file cannot say is an error, and nothing is changed.
//!
//! Edits wait in the store ([`FileEdit`](crate::domain::file_edit::FileEdit)) until [`waiting::write`] has put them into the
//! folder. A file that somebody else has changed meanwhile is merged with them.

mod access;
mod commits;
mod editing;
mod elsewhere;
mod files;
mod naming;
mod placing;
mod records;
mod values;
mod view;
mod waiting;

use std::{path::PathBuf, sync::Arc};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use serde::Deserialize;

use crate::{
    catalog::Catalog,
    content_files::{
        BodyFormat, ContentFile, FileOutput, PostFile, Record,
        conditions::Conditions,
        edits::{EditWriter, WrittenEdits},
        folder_view::FolderView,
        identity::identity,
        place::FileSyntax,
        records::convert,
        state::Fingerprint,
        symbol_table,
        symbol_table::Directory,
        tree,
    },
    content_text::{BodyReader, Diagnostic, EditError, FileShape, Source},
    domain::post::{ALIASES_MAX, Body, Post},
    error::{Error, Kind, Result},
    render::markdown::Address,
    site::{
        DeletedFile, EditedFile, EditedRecord, FileRecord, FileWriter, LeasedSite, TransactionView,
    },
    store::Table,
    uploads::Uploads,
    write_back::{editing::FileEditing, view::EditedViews},
};
pub use elsewhere::WriterElsewhere;
pub use naming::{NewFilePath, NewFiles};

/// Writes edits into the text of the files of a folder.
pub struct FolderWriter {
    root: PathBuf,
    uploads: Uploads,
    view: Arc<ArcSwap<FolderView>>,
    edited_views: EditedViews,
    new_files: NewFiles,
    /// Whether others write in the folder, too.
    is_shared: bool,
    /// Whether edits are committed once they are in the folder.
    are_committed: bool,
}

impl FolderWriter {
    /// Creates the writer of the files in `root`, which reads them as the last run in `view` did, for a site with these
    /// uploads.
    pub fn new(root: PathBuf, uploads: Uploads, view: Arc<ArcSwap<FolderView>>) -> Self {
        Self {
            root,
            uploads,
            view,
            edited_views: EditedViews::default(),
            new_files: NewFiles::default(),
            is_shared: false,
            are_committed: false,
        }
    }

    /// Expects that others write in the folder, too.
    pub fn beside_others(self) -> Self {
        Self {
            is_shared: true,
            ..self
        }
    }

    /// Queues edits for their commits once they are in the folder, if `are_committed`.
    pub fn with_commits(self, are_committed: bool) -> Self {
        Self {
            are_committed,
            ..self
        }
    }

    /// Puts new files there.
    pub fn with_new_files(self, new_files: NewFiles) -> Self {
        Self { new_files, ..self }
    }

    /// Returns the folder as the edits that wait, also of this transaction, will leave it.
    fn view_in(&self, transaction: &TransactionView) -> Result<Arc<FolderView>> {
        self.view_with(transaction, &[])
    }

    /// Returns the same folder with these uploads.
    fn view_with(
        &self,
        transaction: &TransactionView,
        uploads: &[Box<str>],
    ) -> Result<Arc<FolderView>> {
        self.edited_views
            .view(self.view.load_full(), transaction, uploads)
    }

    /// Returns the reader of a file.
    fn reader(&self, view: &FolderView, now: Timestamp, path: &str) -> FileReader {
        FileReader {
            path: path.into(),
            conditions: Conditions {
                now,
                ..view.conditions.clone()
            },
            directory: Arc::clone(&view.directory),
            known: None,
            uploads: Vec::new(),
        }
    }

    /// Returns the text of a file as the last edit that waits left it; without one, as it is in the folder.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file in the folder is not the one whose record the site has.
    fn current_text(
        &self,
        transaction: &TransactionView,
        reader: &mut FileReader,
    ) -> Result<(String, Option<FileOutput>)> {
        let state: Option<KnownFile> =
            transaction.read(Table::SourceFiles, reader.path.as_bytes())?;
        let known = state.as_ref().and_then(|state| state.made.clone());
        let last = transaction.last_file_edit(&reader.path)?;
        if let Some(text) = last.and_then(|edit| edit.after) {
            return Ok((text, known));
        }
        let bytes = tree::read(&self.root, &reader.path)
            .map_err(|problem| has_changed(&reader.path).context(problem.to_string()))?;
        let is_known = state.is_some_and(|state| {
            state.fingerprint == reader.conditions.fingerprint(&reader.path, &bytes)
        });
        let text = String::from_utf8(bytes).ok().filter(|_| is_known);
        text.map(|text| (text, known))
            .ok_or_else(|| has_changed(&reader.path))
    }
}

/// The part of a file's stored state that edits need.
#[derive(Deserialize)]
struct KnownFile {
    #[serde(default)]
    fingerprint: Fingerprint,
    #[serde(default)]
    made: Option<FileOutput>,
}

impl EditWriter for FolderWriter {
    fn check_new_files(&self) -> Result<()> {
        match self.view.load() {
            view if view.is_read() => self.new_files.check(&view.conditions.layout),
            _ => Ok(()),
        }
    }

    fn write_edits(&self, site: &LeasedSite) -> Result<WrittenEdits> {
        self.write_waiting(site, &[], &[])
    }
}

impl FileWriter for FolderWriter {
    fn edited(
        &self,
        transaction: &TransactionView,
        mut post: Post,
        body: Body,
    ) -> Result<EditedFile> {
        let path = Box::from(post.origin.path().unwrap_or_default());
        self.check_reach([&*path])?;
        let catalog = transaction.catalog();
        add_former_path(catalog, &mut post);
        let uploads = self.uploads_of(&*self.view_in(transaction)?, &path, &post, &body)?;
        let (post, body) = uploads.refer(post, body)?;
        let uploads = uploads.new;
        let view = self.view_with(transaction, &uploads)?;
        let mut reader = self.reader(&view, transaction.now(), &path);
        reader.uploads.clone_from(&uploads);
        let (before, known) = self.current_text(transaction, &mut reader)?;
        reader.known = known;
        let place = naming::place_after(&reader, &before, &post)?;
        self.check_reach([&*place])?;
        let edit = FileEditing {
            reader: &reader.at(&place),
            catalog,
            is_new: false,
        };
        let (after, post, body) = edit.apply(&before, post, body)?;
        Ok(EditedFile {
            moved_from: (place != path).then_some(path),
            path: place,
            before: Some(before),
            after,
            post,
            body,
            uploads,
        })
    }

    fn added(&self, transaction: &TransactionView, post: Post, body: Body) -> Result<EditedFile> {
        let catalog = transaction.catalog();
        let view = self.view_in(transaction)?;
        let (set, kind) = (&self.new_files, post.kind);
        set.check(&view.conditions.layout)?;
        let pattern = naming::Pattern::of(set, catalog, &view, &self.root, kind);
        let is_taken = |path: &str| {
            view.directory.paths().contains(path)
                || catalog
                    .posts
                    .iter()
                    .any(|post| post.origin.path() == Some(path))
        };
        let path = pattern.path_of(&post, is_taken);
        self.check_reach([&*path])?;
        let uploads = self.uploads_of(&view, &path, &post, &body)?;
        let (post, body) = uploads.refer(post, body)?;
        let uploads = uploads.new;
        let view = self.view_with(transaction, &uploads)?;
        let mut reader = self.reader(&view, transaction.now(), &path);
        reader.uploads.clone_from(&uploads);
        let edit = FileEditing {
            reader: &reader,
            catalog,
            is_new: true,
        };
        let (after, post, body) = edit.apply(pattern.empty_file(), post, body)?;
        Ok(EditedFile {
            path,
            moved_from: None,
            before: None,
            after,
            post,
            body,
            uploads,
        })
    }

    fn edited_record(
        &self,
        transaction: &TransactionView,
        record: FileRecord,
    ) -> Result<Option<EditedRecord>> {
        self.edit_record(transaction, record)
    }

    fn deleted(&self, transaction: &TransactionView, path: &str) -> Result<DeletedFile> {
        self.check_reach([path])?;
        let view = self.view_in(transaction)?;
        let mut reader = self.reader(&view, transaction.now(), path);
        Ok(DeletedFile {
            text: self.current_text(transaction, &mut reader)?.0,
            images: self.own_pictures(&view, transaction.catalog(), path),
        })
    }
}

/// Makes the path of a post that readers know lead to it under its new slug.
fn add_former_path(catalog: &Catalog, post: &mut Post) {
    let known = catalog.posts.get(post.id);
    let Some(known) = known.filter(|known| known.is_listed() && known.slug != post.slug) else {
        return;
    };
    let path: Box<str> = format!("/{}", known.slug).into();
    if !post.aliases.contains(&path) && post.aliases.len() < ALIASES_MAX {
        post.aliases = [&[path], &*post.aliases].concat().into();
    }
}

/// Reads a content file of a post.
struct FileReader {
    path: Box<str>,
    conditions: Conditions,
    directory: Arc<Directory>,
    /// The identity of the record that the last version of the file made.
    known: Option<FileOutput>,
    /// Uploads that go into the folder with the edit.
    uploads: Vec<Box<str>>,
}

/// A record as a text says it.
struct ReadRecord {
    file: ContentFile,
    record: Record,
    /// Whether its generator's templates made the body.
    is_expanded: bool,
}

/// A post as a text says it.
struct ReadPost {
    file: PostFile,
    /// Whether its generator's templates made the body.
    is_expanded: bool,
    post: Post,
    body: Body,
}

impl FileReader {
    /// Returns the reader of the same file at another path.
    fn at(&self, path: &str) -> Self {
        Self {
            path: path.into(),
            conditions: self.conditions.clone(),
            directory: Arc::clone(&self.directory),
            known: self.known.clone(),
            uploads: self.uploads.clone(),
        }
    }

    /// Reads a text of the file of a post.
    ///
    /// # Errors
    ///
    /// `Validation` if it cannot be used.
    fn read(&self, text: &str) -> Result<ReadPost> {
        let ReadRecord {
            file,
            record,
            is_expanded,
        } = self.read_any(text)?;
        match (record, file) {
            (Record::Post(post, body), ContentFile::Post(file) | ContentFile::Page(file)) => {
                Ok(ReadPost {
                    file: *file,
                    is_expanded,
                    post: *post,
                    body,
                })
            }
            _ => Err(self.unusable(None)),
        }
    }

    fn read_any(&self, text: &str) -> Result<ReadRecord> {
        let parsed = self.conditions.parse(&self.path, text.as_bytes());
        let problem = parsed.diagnostics.iter().find(|found| found.is_error());
        let (Some(content), Some(source), None) = (parsed.value, parsed.source, problem) else {
            return Err(self.unusable(problem));
        };
        let mut made = identity(&content);
        // The slug that the file requests is another file's.
        if let Some(known) = &self.known
            && known.wanted.as_deref() == Some(&*made.slug)
        {
            made = made.with_slug(&known.slug);
        }
        let is_expanded = Source::decode(&self.path, text.as_bytes())
            .is_ok_and(|written| written.text() != source.text());
        let converted = convert(&content, &made, &source, &self.directory, &self.conditions);
        Ok(ReadRecord {
            file: content,
            record: converted.record,
            is_expanded,
        })
    }

    fn unusable(&self, problem: Option<&Diagnostic>) -> Error {
        let reason = problem.map_or_else(
            || "it would be no such file any more".to_owned(),
            ToString::to_string,
        );
        cannot_say(&self.path, "this change").context(reason)
    }

    fn shape(&self) -> FileShape<'static> {
        let place = self.conditions.layout.place_of(&self.path);
        match place.map(|place| place.format) {
            Some(FileSyntax::Data(language)) => FileShape::data(language),
            _ => FileShape::DOCUMENT,
        }
    }

    /// Calls `work` with the reader of this file's body, which is of this format.
    fn with_bodies<T>(
        &self,
        format: BodyFormat,
        work: impl FnOnce(FileShape<'_>, &BodyReader<'_>) -> T,
    ) -> T {
        let resolve = |address: Address<'_>| self.resolve(address.written);
        let uploads = self.uploads.iter().map(|upload| {
            let stored = files::stored_url(upload);
            (self.written_url(&stored), stored)
        });
        let addresses: Vec<(String, String)> = uploads.collect();
        let bodies = BodyReader {
            format,
            dialect: self.conditions.layout.dialect_of(&self.path),
            resolve: &resolve,
            addresses: &addresses,
            expand: None,
        };
        work(self.shape(), &bodies)
    }

    fn refused(&self, error: &EditError) -> Error {
        let what = error
            .key
            .as_ref()
            .map_or_else(|| "this change".to_owned(), |key| format!("`{key}`"));
        cannot_say(&self.path, &what).context(error.reason.clone())
    }

    /// Returns the stored form of a URL as it is written in the file.
    fn resolve(&self, written: &str) -> Option<String> {
        match self.directory.address(&self.path, written) {
            symbol_table::Address::Found(address) => Some(address),
            _ => None,
        }
    }
}

/// The error for a value that a file cannot hold.
fn cannot_say(path: &str, what: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("The file {path} cannot store {what}; nothing was changed."),
    )
    .help("Change it in the file.")
}

fn has_changed(path: &str) -> Error {
    Error::new(
        Kind::UpdateCollision,
        format!("The file {path} has just changed and is being read."),
    )
    .help("Read the post again and repeat the change.")
    .code("UPDATE_COLLISION")
}
