//! Imported documents: read like served ones, and converted to posts without a file.

use jiff::Timestamp;

pub use crate::content_files::{
    conditions::Conditions,
    reconcile::{SLUG_IS_TAKEN, renamed, slug_candidates},
    symbol_table::{Directory, ResolvedName, UrlLookup, UrlTarget, stored},
    text_names::TextNames,
};
use crate::{
    content_files::{
        file_state::{FileOutput, ReferenceTarget},
        identity::identity,
        keys::Reference,
        linker::needs,
        parsed_file::{ContentFile, ParsedFile},
        post_file::{PostFile, Status},
        records::{ConvertedRecord, convert},
    },
    content_text::{Diagnostic, Source},
    domain::post::{Post, PostKind},
    id::Id,
    render::body_counts::BodyCounts,
};

/// A parsed document.
pub struct GeneratorDocument {
    kind: PostKind,
    source: Source,
    file: PostFile,
}

/// The result of converting a document.
pub struct GeneratorPost {
    /// The post, without a file.
    pub post: Post,
    /// Its body as a Lexical document in stored form.
    pub lexical: String,
    /// The tags of the document.
    pub tags: Vec<ResolvedName>,
    /// The authors of the document, or the default author.
    pub authors: Vec<ResolvedName>,
    /// Element counts of the body before the conversion.
    pub counts: BodyCounts,
    /// Whether the document names no author, so that the default author is used.
    pub names_no_author: bool,
    /// The URLs in the document, as written.
    pub urls: Vec<Box<str>>,
    /// Warnings about ignored values.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of reading a document.
pub enum GeneratorReading {
    /// A post or a page, with warnings about ignored values.
    Text(Box<GeneratorDocument>, Vec<Diagnostic>),
    /// The document is left out, for this reason.
    LeftOut(Diagnostic),
    /// The document is unusable.
    Failed(Vec<Diagnostic>),
}

impl GeneratorDocument {
    /// Reads the document at `path`, whose separator is `/`.
    pub fn read(path: &str, bytes: &[u8], conditions: &Conditions) -> GeneratorReading {
        let ParsedFile {
            source,
            value,
            diagnostics,
            left_out,
            inclusions: _,
        } = conditions.parse(path, bytes);
        let (kind, mut file) = match value {
            Some(ContentFile::Post(file)) => (PostKind::Post, file),
            Some(ContentFile::Page(file)) => (PostKind::Page, file),
            _ => {
                return match left_out {
                    Some(left_out) => {
                        let silent = || Diagnostic::about_file(path, left_out.reason(), "");
                        let reason = diagnostics.into_iter().next();
                        GeneratorReading::LeftOut(reason.unwrap_or_else(silent))
                    }
                    None => GeneratorReading::Failed(diagnostics),
                };
            }
        };
        let Some(source) = source else {
            return GeneratorReading::Failed(diagnostics);
        };
        // Set after parsing, because only the conversion differs from that of a served document.
        file.is_imported = true;
        let text = Self {
            kind,
            source,
            file: *file,
        };
        GeneratorReading::Text(Box::new(text), diagnostics)
    }

    /// Returns whether the document is a post or a page.
    pub fn kind(&self) -> PostKind {
        self.kind
    }

    /// Returns the title.
    pub fn title(&self) -> &str {
        self.file.fields.title.as_deref().unwrap_or_default()
    }

    /// Returns the names by which other documents may refer to this one: its slug, from the front matter or the file name,
    /// its former URLs and its further names.
    pub fn output(&self) -> FileOutput {
        identity(&content(self.kind, self.file.clone()))
    }

    /// Returns the identifier in the front matter.
    pub fn id(&self) -> Option<Id> {
        let id = self.file.fields.id.as_ref()?;
        id.parse().ok()
    }

    /// Returns whether the document has a date of creation or publication.
    pub fn is_dated(&self) -> bool {
        let fields = &self.file.fields;
        let dates = [fields.published_at, fields.created_at, fields.updated_at];
        dates.iter().any(Option::is_some) || self.file.history.is_some()
    }

    /// Returns whether the document is a draft.
    pub fn is_draft(&self) -> bool {
        self.file.fields.status == Some(Status::Draft)
    }

    /// Sets the creation date if the document has none.
    pub fn set_date(&mut self, date: Timestamp) {
        self.file.fields.created_at = Some(date);
    }

    /// Converts the document to a post with this identifier and slug.
    ///
    /// # Errors
    ///
    /// The diagnostics about tiers that the document's visibility names and that do not exist.
    pub fn convert(
        self,
        id: Id,
        slug: &str,
        directory: &Directory,
        conditions: &Conditions,
    ) -> Result<GeneratorPost, Vec<Diagnostic>> {
        let identity = FileOutput {
            // The import has found a free slug; the requested one may be taken.
            id,
            slug: slug.into(),
            ..self.output()
        };
        let content = content(self.kind, self.file);
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        for need in needs(&content, &self.source) {
            match &need.target {
                target if directory.describes(target) => {}
                // An error, not a warning: without its tiers, the post would have other readers.
                ReferenceTarget::Tier(_) => errors.push(need.problem),
                _ => warnings.push(need.problem),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let converted = convert(&content, &identity, &self.source, directory, conditions);
        let ConvertedRecord::Post(post, body) = converted.record else {
            unreachable!("a document converts to a post");
        };
        let mut generator_post = GeneratorPost {
            post: *post,
            lexical: body.lexical.unwrap_or_default(),
            tags: Vec::new(),
            authors: Vec::new(),
            counts: converted.counts,
            names_no_author: false,
            urls: Vec::new(),
            diagnostics: warnings,
        };
        generator_post.diagnostics.extend(converted.diagnostics);
        for noted in converted.uses {
            match noted.target {
                ReferenceTarget::Tag(name) => generator_post.tags.push(directory.tag(&name)),
                ReferenceTarget::Author(name) => {
                    generator_post.authors.push(directory.author(&name))
                }
                ReferenceTarget::DefaultAuthor => {
                    generator_post.names_no_author = true;
                    generator_post
                        .authors
                        .push(directory.default_author().clone());
                }
                ReferenceTarget::Url(written) => generator_post.urls.push(written),
                ReferenceTarget::Tier(_) | ReferenceTarget::Writer(_) => {}
            }
        }
        // The linker also records authors that it could not resolve.
        generator_post
            .authors
            .retain(|author| generator_post.post.authors.contains(&author.id()));
        name_authors(&mut generator_post.authors, &content);
        Ok(generator_post)
    }
}

/// A content file of Galley's that describes a tag, an author, a tier or a newsletter.
pub struct Description {
    /// The record of the file.
    pub record: ConvertedRecord,
    /// The URLs in the file, as written.
    pub urls: Vec<Box<str>>,
    /// Warnings about ignored values.
    pub diagnostics: Vec<Diagnostic>,
}

impl Description {
    /// Reads the content file at `path`.
    ///
    /// # Errors
    ///
    /// The errors that make it unusable.
    pub fn read(
        path: &str,
        bytes: &[u8],
        directory: &Directory,
        conditions: &Conditions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let parsed = conditions.parse(path, bytes);
        let (Some(file), Some(source)) = (parsed.value, parsed.source) else {
            return Err(parsed.diagnostics);
        };
        let converted = convert(&file, &identity(&file), &source, directory, conditions);
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(converted.diagnostics);
        let urls = converted
            .uses
            .into_iter()
            .filter_map(|noted| match noted.target {
                ReferenceTarget::Url(written) => Some(written),
                _ => None,
            });
        Ok(Self {
            record: converted.record,
            urls: urls.collect(),
            diagnostics,
        })
    }
}

fn content(kind: PostKind, file: PostFile) -> ContentFile {
    match kind {
        PostKind::Post => ContentFile::Post(Box::new(file)),
        PostKind::Page => ContentFile::Page(Box::new(file)),
    }
}

/// Sets the names of authors that a document describes with a slug and a name.
fn name_authors(authors: &mut [ResolvedName], content: &ContentFile) {
    let (ContentFile::Post(file) | ContentFile::Page(file)) = content else {
        return;
    };
    for reference in file.fields.authors.iter().flatten() {
        let Reference::Described(fields) = &reference.value else {
            continue;
        };
        let (Some(slug), Some(given)) = (&fields.slug, &fields.name) else {
            continue;
        };
        for author in authors.iter_mut() {
            if let ResolvedName::Implied {
                slug: own, name, ..
            } = author
                && *own == **slug
            {
                given.trim().clone_into(name);
            }
        }
    }
}
