//! Reads the documents of a project twice: to plan their posts, and to convert them.

use std::{collections::BTreeSet, sync::Arc};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use url::Url;

use super::{
    converted::{BodyCountChange, ConvertedDocument, ConvertedPost, DocumentNote},
    import_record::ContentHash,
    plan::{PlannedPost, Planner, RequestedIdentity},
    project::{Project, ProjectDocument},
    project_links::ProjectLinks,
    saving::ExistingRecord,
};
use crate::{
    content_files::{
        folder_files,
        generator_files::{
            Conditions, Directory, GeneratorDocument, GeneratorPost, GeneratorReading,
            ResolvedName, SLUG_IS_TAKEN, renamed,
        },
    },
    domain::{
        document::Document,
        post::{Body, Post, PostKind},
    },
    error::Result,
    import::{Report, ghost::bodies},
    progress::Progress,
    render::{active_urls::lexical_without_active_urls, lexical::DocumentError},
    site::Transaction,
};

/// The number of documents that are read or converted at a time. Up to two chunks of converted documents are in memory.
pub const CHUNK: usize = 32;

/// The records, files and site that links in documents may refer to.
#[derive(Clone, Copy)]
pub struct LinkTargets<'a> {
    pub directory: &'a Directory,
    pub links: &'a ProjectLinks,
    /// The URL of the site.
    pub site: &'a Url,
}

/// Reads and converts the documents of a project.
pub struct DocumentConverter<'a> {
    pub project: Arc<Project>,
    pub conditions: Conditions,
    pub progress: &'a dyn Progress,
    pub done: u64,
    pub total: u64,
}

impl DocumentConverter<'_> {
    pub fn advance(&mut self, bytes: u64) {
        self.done += bytes;
        self.progress.advance(self.done.min(self.total), self.total);
    }

    /// Reads a document of the project.
    fn read(&self, document: &ProjectDocument) -> GeneratorReading {
        match folder_files::read(&self.project.root, &document.path) {
            Ok(bytes) => GeneratorDocument::read(&document.path, &bytes, &self.conditions),
            Err(problem) => GeneratorReading::Failed(vec![problem]),
        }
    }

    /// Plans the post of each document. Those that cannot be read are reported.
    pub fn plan(
        &mut self,
        transaction: &Transaction,
        documents: Vec<ProjectDocument>,
        report: &mut Report,
    ) -> Result<Vec<PlannedPost>> {
        let mut readable = Vec::with_capacity(documents.len());
        let mut documents = documents.into_iter();
        while !documents.as_slice().is_empty() {
            let chunk: Vec<ProjectDocument> = documents.by_ref().take(CHUNK).collect();
            let bytes = chunk.iter().map(|document| document.size).sum();
            // `collect` retains the order of the documents, so the report does not depend on the
            // threads.
            let read: Vec<(ProjectDocument, GeneratorReading)> = chunk
                .into_par_iter()
                .map(|document| {
                    let reading = self.read(&document);
                    (document, reading)
                })
                .collect();
            for (document, reading) in read {
                let identity = requested_identity(reading, report);
                readable.extend(identity.map(|identity| (document, identity)));
            }
            self.advance(bytes);
        }
        // If several documents have one slug, the same document gets it as when the folder is served.
        readable.sort_by(|(one, identity), (other, other_identity)| {
            let precedence = identity.output.precedence(&one.path);
            precedence.cmp(&other_identity.output.precedence(&other.path))
        });
        let mut planner = Planner::new(transaction, &self.project);
        let mut all = Vec::with_capacity(readable.len());
        for (document, identity) in readable {
            all.push(plan_document(&mut planner, document, &identity, report)?);
        }
        all.sort_by(|one, other| one.document.path.cmp(&other.document.path));
        Ok(all)
    }

    /// Converts documents in parallel.
    pub fn convert_all(
        &self,
        documents: Vec<(PlannedPost, ExistingRecord)>,
        targets: LinkTargets,
    ) -> Vec<Result<ConvertedDocument>> {
        let documents = documents.into_par_iter();
        documents
            .map(|(planned, existing)| self.convert(planned, &existing, targets))
            .collect()
    }

    /// Converts a document. Date and author default to the values in `existing`.
    fn convert(
        &self,
        planned: PlannedPost,
        existing: &ExistingRecord,
        targets: LinkTargets,
    ) -> Result<ConvertedDocument> {
        let path = planned.document.path.clone();
        let (mut text, diagnostics) = match self.read(&planned.document) {
            GeneratorReading::Text(text, diagnostics) => (text, diagnostics),
            // The file was changed after its post was planned.
            GeneratorReading::LeftOut(_) => return Ok(ConvertedDocument::failed(planned, &[])),
            GeneratorReading::Failed(problems) => {
                return Ok(ConvertedDocument::failed(planned, &problems));
            }
        };
        let note = |text: String| DocumentNote {
            subject: path.clone(),
            text,
        };
        let mut notes: Vec<DocumentNote> = diagnostics.iter().map(DocumentNote::of).collect();
        add_date(&mut text, existing);
        let mut converted = match text.convert(
            planned.id,
            &planned.slug,
            targets.directory,
            &self.conditions,
        ) {
            Ok(converted) => converted,
            Err(problems) => return Ok(ConvertedDocument::failed(planned, &problems)),
        };
        add_author(&mut converted, existing);
        notes.extend(converted.diagnostics.iter().map(DocumentNote::of));
        let post = match rendered(&converted.post, &converted.lexical, targets.site) {
            Ok((body, removed)) => {
                notes.extend(removed.iter().map(|url| note(bodies::removal(url))));
                let uploads = converted.urls.iter();
                let uploads = uploads.filter_map(|written| targets.links.upload(&path, written));
                let uploads = uploads.collect();
                let post = converted_post(converted, body, uploads)?;
                notes.extend(post.counts.differences().map(note));
                Some(post)
            }
            Err(error) => {
                notes.push(note(format!("it cannot be imported: {error}")));
                None
            }
        };
        Ok(ConvertedDocument {
            planned,
            post,
            notes,
        })
    }
}

/// Sets the date of an undated document: from its earlier import, or for a new draft from its file.
fn add_date(text: &mut GeneratorDocument, existing: &ExistingRecord) {
    let is_new_draft = text.is_draft() && text.kind() == PostKind::Post;
    // A new published document stays undated, as if the folder were served. In a clone, all files are from today, so
    // the post would be listed first.
    if existing.is_new && !is_new_draft {
        return;
    }
    if let Some(date) = existing.date.filter(|_| !text.is_dated()) {
        text.set_date(date);
    }
}

/// Sets the author of a post that names none to the author that it got at an earlier import.
fn add_author(converted: &mut GeneratorPost, existing: &ExistingRecord) {
    let known = existing
        .default_author
        .filter(|_| converted.names_no_author);
    if let Some(author) = known {
        converted.post.authors = vec![author];
        converted.authors = vec![ResolvedName::Known(author)];
    }
}

fn converted_post(
    converted: GeneratorPost,
    body: Body,
    uploads: BTreeSet<String>,
) -> Result<ConvertedPost> {
    let html = body.html.as_deref();
    let default_author = converted.post.authors.first().copied();
    Ok(ConvertedPost {
        hash: ContentHash::of(&converted.post, html, body.lexical.as_deref())?,
        counts: BodyCountChange::between(converted.counts, html.unwrap_or_default()),
        uploads,
        default_author: default_author.filter(|_| converted.names_no_author),
        post: converted.post,
        tags: converted.tags,
        authors: converted.authors,
        body,
    })
}

/// Returns the identity that a document requests; `None` if the document cannot be used, which is reported.
fn requested_identity(reading: GeneratorReading, report: &mut Report) -> Option<RequestedIdentity> {
    let problems = match reading {
        GeneratorReading::Text(read, _) => return Some(RequestedIdentity::of(&read)),
        GeneratorReading::LeftOut(reason) => vec![reason],
        GeneratorReading::Failed(problems) => problems,
    };
    for note in problems.iter().map(DocumentNote::of) {
        report.leave_out(note.subject, note.text);
    }
    None
}

/// Plans the post of a document. Reports a slug that differs from the requested one.
fn plan_document(
    planner: &mut Planner,
    document: ProjectDocument,
    identity: &RequestedIdentity,
    report: &mut Report,
) -> Result<PlannedPost> {
    let planned = planner.plan(document, identity)?;
    let preferred = &identity.output.slug;
    if *planned.slug != **preferred {
        let path = planned.document.path.clone();
        let detail = renamed(preferred, &planned.slug);
        report.change_with(path, SLUG_IS_TAKEN, detail);
    }
    Ok(planned)
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
    let body =
        Body::new(document.html, post.is_gated(), has_feature_image).with_lexical(document.lexical);
    Ok((body, removed))
}
