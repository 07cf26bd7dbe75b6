//! Imports folders of Markdown: projects of generators, Galley's own content folders, and plain folders.
//!
//! Documents become ordinary posts and pages that are not bound to a file: their Markdown is converted to Lexical. Tags and
//! authors that they name are created, and images that they show are copied into the data folder. Front matter has the keys of
//! content files; keys that are ignored are reported with file and line.
//!
//! Documents are read in two passes. The first assigns slugs, so that links between documents can be resolved; the second
//! converts them in parallel and saves them. A post of an earlier import is updated if its document changed, unless the post was
//! edited since.

mod import_record;
mod plan;
mod project;
mod project_links;
mod saving;
mod upload_paths;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use url::Url;

use self::{
    import_record::ContentHash,
    plan::{PlannedPost, Planner},
    project::{Project, ProjectDocument},
    project_links::ProjectLinks,
    saving::{ExistingRecord, Saver},
    upload_paths::UploadPaths,
};
use super::{Options, Progress, Report, ghost::bodies};
use crate::{
    domain::{
        document::Document,
        post::{Body, Post, PostKind},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{
        active_urls::lexical_without_active_urls, body_counts::BodyCounts, lexical::DocumentError,
    },
    site::Transaction,
    sources::{
        self, Diagnostic, History,
        generator_files::{
            Conditions, Directory, GeneratorDocument, GeneratorReading, ResolvedName,
            SLUG_IS_TAKEN, renamed,
        },
        git::FolderHistory,
        tree,
    },
};

/// Documents that are converted before they are saved.
const CHUNK: usize = 64;

/// Imports the documents of a folder, which may be a project or part of one. Returns the files that they refer to, by their paths
/// in the data folder.
///
/// # Errors
///
/// `Validation` if the folder cannot be read or holds no documents. The transaction must not be committed then.
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
        return Err(no_documents(folder));
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
        // Each document is read twice.
        total: documents.iter().map(|document| document.size * 2).sum(),
    };
    let planned = converter.plan(transaction, documents, report)?;
    let outputs: HashMap<String, sources::FileOutput> = planned
        .iter()
        .map(|planned| (planned.document.path.clone(), planned.output.clone()))
        .collect();
    let upload_paths = Arc::new(UploadPaths::of(&project, &options.uploads));
    let links = ProjectLinks::new(Arc::clone(&project), Arc::clone(&upload_paths), outputs);
    let mut saver = Saver::new(transaction, report, &project);
    saver.describe(&descriptions, &links, &converter.conditions)?;
    let directory = saver.directory(&links);
    let mut planned = planned.into_iter();
    while !planned.as_slice().is_empty() {
        let chunk: Vec<(PlannedPost, ExistingRecord)> = planned
            .by_ref()
            .take(CHUNK)
            .map(|planned| {
                let existing = saver.existing_record(&planned)?;
                Ok((planned, existing))
            })
            .collect::<Result<_>>()?;
        let bytes: u64 = chunk.iter().map(|(planned, _)| planned.document.size).sum();
        let converted: Vec<Result<ConvertedDocument>> = chunk
            .into_par_iter()
            .map(|(planned, existing)| {
                converter.convert(planned, &existing, &directory, &links, &options.site)
            })
            .collect();
        for converted in converted {
            saver.save(converted?)?;
        }
        converter.advance(bytes);
    }
    Ok(upload_paths.files_at(&saver.finish()))
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

fn no_documents(folder: &Path) -> Error {
    let message = format!(
        "The folder {} holds no documents to import.",
        folder.display()
    );
    Error::new(Kind::Validation, message).help(
        "Name the folder of a project of Hugo, Zola, Jekyll, Eleventy, Astro, Next.js, Docusaurus or Obsidian, or one with Markdown files in it.",
    )
}

/// Reads and converts the documents of a project.
struct DocumentConverter<'a> {
    project: Arc<Project>,
    conditions: Conditions,
    progress: &'a dyn Progress,
    done: u64,
    total: u64,
}

/// A converted document.
struct ConvertedDocument {
    planned: PlannedPost,
    /// Its post; `None` if it cannot be used.
    post: Option<ConvertedPost>,
    /// Notes on changed or ignored values, or the reason why it cannot be used.
    notes: Vec<Note>,
}

/// The post of a document.
struct ConvertedPost {
    post: Post,
    body: Body,
    hash: ContentHash,
    /// The elements of the body in the document and in the post.
    counts: BodyCountChange,
    tags: Vec<ResolvedName>,
    authors: Vec<ResolvedName>,
    /// The author that it gets if it names none.
    default_author: Option<Id>,
    /// The paths of the files that it refers to.
    uploads: BTreeSet<String>,
}

/// The number of elements in a body before and after conversion.
#[derive(Clone, Copy)]
struct BodyCountChange {
    before: BodyCounts,
    after: BodyCounts,
}

impl BodyCountChange {
    fn between(before: BodyCounts, html: &str) -> Self {
        let after = BodyCounts::of_html(html);
        Self { before, after }
    }

    /// Returns each kind of element with its numbers before and after.
    fn kinds(self) -> impl Iterator<Item = (&'static str, usize, usize)> {
        let pairs = self.before.named().into_iter().zip(self.after.named());
        pairs.map(|((kind, before), (_, after))| (kind, before, after))
    }

    /// Returns notes on the kinds whose numbers differ.
    fn differences(self) -> impl Iterator<Item = String> {
        let different = self.kinds().filter(|(_, before, after)| before != after);
        different.map(|(kind, before, after)| {
            let kind = kind.replace('_', " ");
            format!("the file has {before} {kind}, and the post has {after}")
        })
    }
}

/// A note about a document.
struct Note {
    subject: String,
    text: String,
}

impl Note {
    fn of(diagnostic: &Diagnostic) -> Self {
        let line = diagnostic.place.as_ref().map(|place| place.line as usize);
        Self {
            subject: subject(&diagnostic.file, line),
            text: diagnostic.message.clone(),
        }
    }
}

impl DocumentConverter<'_> {
    fn advance(&mut self, bytes: u64) {
        self.done += bytes;
        self.progress.advance(self.done.min(self.total), self.total);
    }

    /// Reads a document of the project.
    fn read(&self, document: &ProjectDocument) -> GeneratorReading {
        match tree::read(&self.project.root, &document.path) {
            Ok(bytes) => GeneratorDocument::read(&document.path, &bytes, &self.conditions),
            Err(problem) => GeneratorReading::Failed(vec![problem]),
        }
    }

    /// Plans the post of each document. Those that cannot be read are reported.
    fn plan(
        &mut self,
        transaction: &Transaction,
        mut documents: Vec<ProjectDocument>,
        report: &mut Report,
    ) -> Result<Vec<PlannedPost>> {
        // Of several documents with one slug, the one gets it that also gets it when the folder is served.
        documents.sort_by_cached_key(|document| {
            (document.path.matches('/').count(), document.path.clone())
        });
        let mut planner = Planner::new(transaction, &self.project);
        let mut all = Vec::with_capacity(documents.len());
        let mut documents = documents.into_iter();
        while !documents.as_slice().is_empty() {
            let chunk: Vec<ProjectDocument> = documents.by_ref().take(CHUNK).collect();
            let bytes = chunk.iter().map(|document| document.size).sum();
            let read: Vec<(ProjectDocument, GeneratorReading)> = chunk
                .into_par_iter()
                .map(|document| {
                    let reading = self.read(&document);
                    (document, reading)
                })
                .collect();
            for (document, reading) in read {
                all.extend(plan_document(&mut planner, document, reading, report)?);
            }
            self.advance(bytes);
        }
        all.sort_by(|one, other| one.document.path.cmp(&other.document.path));
        Ok(all)
    }

    /// The post of a document. `known` has the values that it lacks.
    fn convert(
        &self,
        planned: PlannedPost,
        existing: &ExistingRecord,
        directory: &Directory,
        links: &ProjectLinks,
        site: &Url,
    ) -> Result<ConvertedDocument> {
        let path = &planned.document.path;
        let (mut text, diagnostics) = match self.read(&planned.document) {
            GeneratorReading::Text(text, diagnostics) => (text, diagnostics),
            // The file changed after it was planned.
            GeneratorReading::LeftOut(_) => return Ok(ConvertedDocument::failed(planned, &[])),
            GeneratorReading::Failed(problems) => {
                return Ok(ConvertedDocument::failed(planned, &problems));
            }
        };
        let mut notes: Vec<Note> = diagnostics.iter().map(Note::of).collect();
        if let Some(date) = existing.date.filter(|_| !text.is_dated()) {
            if text.kind() == PostKind::Post && !text.is_draft() {
                notes.push(Note {
                    subject: path.clone(),
                    text: "it has no date; the modification time of the file is used instead"
                        .to_owned(),
                });
            }
            text.set_date(date);
        }
        let mut converted =
            match text.convert(planned.id, &planned.slug, directory, &self.conditions) {
                Ok(converted) => converted,
                Err(problems) => return Ok(ConvertedDocument::failed(planned, &problems)),
            };
        if let Some(author) = existing
            .default_author
            .filter(|_| converted.names_no_author)
        {
            converted.post.authors = vec![author];
            converted.authors = vec![ResolvedName::Known(author)];
        }
        notes.extend(converted.diagnostics.iter().map(Note::of));
        let uploads = converted.addresses.iter();
        let uploads = uploads.filter_map(|written| links.upload(path, written));
        let (body, removed) = match rendered(&converted.post, &converted.lexical, site) {
            Ok(rendered) => rendered,
            Err(error) => {
                notes.push(Note {
                    subject: path.clone(),
                    text: format!("it cannot be imported: {error}"),
                });
                return Ok(ConvertedDocument {
                    planned,
                    post: None,
                    notes,
                });
            }
        };
        let hash = ContentHash::of(
            &converted.post,
            body.html.as_deref(),
            body.lexical.as_deref(),
        )?;
        notes.extend(removed.iter().map(|url| Note {
            subject: path.clone(),
            text: bodies::removal(url),
        }));
        let counts =
            BodyCountChange::between(converted.counts, body.html.as_deref().unwrap_or_default());
        notes.extend(counts.differences().map(|text| Note {
            subject: path.clone(),
            text,
        }));
        let post = ConvertedPost {
            counts,
            uploads: uploads.collect(),
            default_author: (converted.names_no_author)
                .then(|| converted.post.authors.first().copied())
                .flatten(),
            post: converted.post,
            tags: converted.tags,
            authors: converted.authors,
            body,
            hash,
        };
        Ok(ConvertedDocument {
            planned,
            post: Some(post),
            notes,
        })
    }
}

/// Plans the post of a document; `None` if it cannot be used, which is reported.
fn plan_document(
    planner: &mut Planner,
    document: ProjectDocument,
    reading: GeneratorReading,
    report: &mut Report,
) -> Result<Option<PlannedPost>> {
    let problems = match reading {
        GeneratorReading::Text(read, _) => {
            let preferred = read.made().slug;
            let planned = planner.plan(document, &read)?;
            if *planned.slug != *preferred {
                let path = planned.document.path.clone();
                let detail = renamed(&preferred, &planned.slug);
                report.change_with(path, SLUG_IS_TAKEN, detail);
            }
            return Ok(Some(planned));
        }
        GeneratorReading::LeftOut(reason) => vec![reason],
        GeneratorReading::Failed(problems) => problems,
    };
    for note in problems.iter().map(Note::of) {
        report.leave_out(note.subject, note.text);
    }
    Ok(None)
}

impl ConvertedDocument {
    fn failed(planned: PlannedPost, problems: &[Diagnostic]) -> Self {
        Self {
            planned,
            post: None,
            notes: problems.iter().map(Note::of).collect(),
        }
    }
}

/// Returns the subject of a note: `posts/ferry.md:12`.
fn subject(path: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    }
}

/// Renders a document on the site at `site`. Returns the body and the URLs that were removed.
fn rendered(
    post: &Post,
    lexical: &str,
    site: &Url,
) -> std::result::Result<(Body, Vec<String>), DocumentError> {
    let mut removed = Vec::new();
    let lexical = lexical_without_active_urls(lexical, &mut removed).into_owned();
    let document = Document::rendered(lexical, site)?;
    let has_feature_image = post.feature_image.is_some();
    let body = Body::new(document.html, post.is_closed(), has_feature_image)
        .with_lexical(document.lexical);
    Ok((body, removed))
}
