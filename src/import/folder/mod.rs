//! Imports folders of Markdown: projects of generators, Galley's own content folders, and plain folders.
//!
//! Documents become ordinary posts and pages that are not bound to a file: their Markdown is converted to Lexical.
//! Missing tags and authors are created, and the images that documents use are copied into the data folder. Front
//! matter has the keys of content files; ignored keys are reported with file and line.
//!
//! Documents are read in two passes. The first assigns slugs, so that links between documents can be resolved; the
//! second converts the documents in parallel and saves them. If a document changed since an earlier import, its post is
//! updated, unless the post was edited as well.

mod conversion;
mod converted;
mod described_records;
mod import_record;
mod named_records;
mod plan;
mod project;
mod project_links;
mod saving;
mod upload_paths;

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use self::{
    conversion::{CHUNK, DocumentConverter, LinkTargets},
    plan::PlannedPost,
    project::Project,
    project_links::ProjectLinks,
    saving::Saver,
    upload_paths::UploadPaths,
};
use super::{Options, Report};
use crate::{
    content_files::{self, History, generator_files::Conditions},
    error::{Error, Kind, Result},
    progress::Progress,
    repository::FolderHistory,
    site::Transaction,
};

/// Imports the documents of a folder, which may be a project or part of one. Returns the files that they refer to, by their paths
/// in the data folder.
///
/// # Errors
///
/// `Validation` if the folder cannot be read or contains no documents. The transaction must not be committed then.
pub fn import(
    transaction: &mut Transaction,
    folder: &Path,
    options: &Options,
    report: &mut Report,
    progress: &dyn Progress,
) -> Result<BTreeMap<String, PathBuf>> {
    let project = Arc::new(Project::open(folder, &options.content_files, report)?);
    let documents = project.documents(report);
    let descriptions: Vec<&str> = project.descriptions().collect();
    if documents.is_empty() && descriptions.is_empty() {
        return Err(no_documents(folder, &project));
    }
    report.count_content("texts", documents.len(), 0);
    let history = if options.history {
        Some(Arc::new(history_of(&project.root, report)?))
    } else {
        None
    };
    let catalog = transaction.catalog();
    let mut converter = DocumentConverter {
        conditions: Conditions::of(&catalog.settings, transaction.now())
            .with_layout(Arc::clone(&project.layout))
            .with_history(history)
            .with_folder(&project.root),
        project: Arc::clone(&project),
        progress,
        done: 0,
        // Each document is read twice, hence twice the size.
        total: documents.iter().map(|document| document.size * 2).sum(),
    };
    let planned = converter.plan(transaction, documents, report)?;
    let outputs: HashMap<String, content_files::FileOutput> = planned
        .iter()
        .map(|planned| (planned.document.path.clone(), planned.output.clone()))
        .collect();
    let upload_paths = Arc::new(UploadPaths::of(&project, &options.uploads));
    let links = ProjectLinks::new(Arc::clone(&project), Arc::clone(&upload_paths), outputs);
    let mut saver = Saver::new(transaction, report, &project);
    saver.describe(&descriptions, &links, &converter.conditions)?;
    // This comes after the descriptions are saved, since documents may name their tags and authors.
    let targets = LinkTargets {
        directory: &saver.directory(&links),
        links: &links,
        site: &options.site,
    };
    convert_and_save(&mut converter, planned, targets, &mut saver)?;
    upload_paths.files_at(&saver.finish())
}

/// Converts documents and saves their posts. While the posts of one chunk are saved, the next chunk is converted.
fn convert_and_save(
    converter: &mut DocumentConverter,
    planned: Vec<PlannedPost>,
    targets: LinkTargets,
    saver: &mut Saver,
) -> Result<()> {
    let mut planned = planned.into_iter();
    let mut converted = Vec::new();
    loop {
        let chunk: Vec<PlannedPost> = planned.by_ref().take(CHUNK).collect();
        // The last round converts nothing and saves the previous chunk.
        let is_last = chunk.is_empty();
        let bytes: u64 = chunk.iter().map(|planned| planned.document.size).sum();
        // Other threads cannot share the transaction, so the records are read on this one.
        let chunk = saver.with_existing_records(chunk)?;
        let mut next = Vec::new();
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = converter.convert_all(chunk, targets));
            converted
                .into_iter()
                .try_for_each(|document| saver.save(document?))
        })?;
        if is_last {
            return Ok(());
        }
        converter.advance(bytes);
        converted = next;
    }
}

/// Returns the history of a project's files, and reports those with incomplete ones.
fn history_of(root: &Path, report: &mut Report) -> Result<History> {
    let read = FolderHistory::of(root).map_err(|error| {
        let message = format!("The history of {} cannot be read: {error}.", root.display());
        Error::new(Kind::Validation, message)
            .help("Import a folder of a git repository, or leave `--history` out.")
    })?;
    for file in read.incomplete {
        report.change(
            file,
            "the repository lacks an earlier version, as a partial clone does: if the file was renamed and changed in one commit, its first date is that of this commit",
        );
    }
    Ok(read.history)
}

fn no_documents(folder: &Path, project: &Project) -> Error {
    let paths = project.paths.iter().map(String::as_str);
    let reason = project.layout.absence(paths);
    let reason = reason.map_or_else(|| ".".to_owned(), |reason| format!(": {reason}."));
    let message = format!(
        "The folder {} contains no documents to import{reason}",
        folder.display()
    );
    Error::new(Kind::Validation, message).help(
        "Name the folder of a project of a generator, such as Hugo, Jekyll, MkDocs or VitePress, or one with Markdown files in it.",
    )
}
