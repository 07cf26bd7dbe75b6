//! Texts that are imported: read as those that are served, and made posts that no file binds.

use jiff::Timestamp;

use super::{
    ContentFile, Diagnostic, Parsed, PostFile, Reference, Source, Status,
    identity::identity,
    linker::needs,
    records::{Record, convert},
    state::{FileOutput, Target},
};
pub use super::{
    conditions::Conditions,
    reconcile::slug_candidates,
    symbol_table::{Address, AddressLookup, Directory, Named, stored},
    text_names::TextNames,
};
use crate::{
    domain::post::{Post, PostKind},
    id::Id,
    render::body_counts::BodyCounts,
};

/// Why the page of a list is left out that says nothing of its own.
const EMPTY_LIST: &str = "it is the page of a list, which a theme makes";

/// A text that was read.
pub struct GeneratorDocument {
    kind: PostKind,
    source: Source,
    file: PostFile,
}

/// What a text makes.
pub struct GeneratorPost {
    /// The post, which no file binds.
    pub post: Post,
    /// Its body as a document of the editor, with addresses in stored form.
    pub lexical: String,
    /// The tags that it names.
    pub tags: Vec<Named>,
    /// The authors that it names, or the stand-in author.
    pub authors: Vec<Named>,
    /// What its body holds before it becomes a document.
    pub counts: BodyCounts,
    /// Whether it names no author, so that the default author stands for one.
    pub names_no_author: bool,
    /// The addresses in it, as written.
    pub addresses: Vec<Box<str>>,
    /// What does not count of what it says.
    pub diagnostics: Vec<Diagnostic>,
}

/// What reading a text came to.
pub enum GeneratorReading {
    /// It makes a post or a page. What is wrong in it is left out.
    Text(Box<GeneratorDocument>, Vec<Diagnostic>),
    /// It is left out, for this reason.
    LeftOut(Diagnostic),
    /// It cannot be used.
    Failed(Vec<Diagnostic>),
}

impl GeneratorDocument {
    /// Reads the text at `path`, which has `/` between its parts.
    pub fn read(path: &str, bytes: &[u8], conditions: &Conditions) -> GeneratorReading {
        let Parsed {
            source,
            value,
            diagnostics,
            left_out,
        } = conditions.parse(path, bytes);
        let (kind, mut file) = match value {
            Some(ContentFile::Post(file)) => (PostKind::Post, file),
            Some(ContentFile::Page(file)) => (PostKind::Page, file),
            _ => {
                let empty_list = || Diagnostic::about_file(path, EMPTY_LIST, "");
                return match left_out {
                    Some(_) => GeneratorReading::LeftOut(
                        diagnostics.into_iter().next().unwrap_or_else(empty_list),
                    ),
                    None => GeneratorReading::Failed(diagnostics),
                };
            }
        };
        let Some(source) = source else {
            return GeneratorReading::Failed(diagnostics);
        };
        file.is_imported = true;
        let text = Self {
            kind,
            source,
            file: *file,
        };
        GeneratorReading::Text(Box::new(text), diagnostics)
    }

    /// Whether it is a post or a page.
    pub fn kind(&self) -> PostKind {
        self.kind
    }

    /// Its title.
    pub fn title(&self) -> &str {
        self.file.fields.title.as_deref().unwrap_or_default()
    }

    /// The slug that it asks for, by itself or by the name of its file.
    pub fn slug(&self) -> Box<str> {
        self.made().slug
    }

    /// The identifier that it asks for, if it does.
    pub fn id(&self) -> Option<Id> {
        let id = self.file.fields.id.as_ref()?;
        id.parse().ok()
    }

    /// Whether it says when it was written or published.
    pub fn is_dated(&self) -> bool {
        let fields = &self.file.fields;
        let dates = [fields.published_at, fields.created_at, fields.updated_at];
        dates.iter().any(Option::is_some) || self.file.history.is_some()
    }

    /// Whether it is a draft.
    pub fn is_draft(&self) -> bool {
        self.file.fields.status == Some(Status::Draft)
    }

    /// Says when it was begun, where it does not say so itself.
    pub fn set_date(&mut self, date: Timestamp) {
        self.file.fields.created_at = Some(date);
    }

    /// Makes the post of this text, under this identifier and this slug.
    ///
    /// # Errors
    ///
    /// What is not there that it cannot do without: a tier whose members alone may read it.
    pub fn convert(
        self,
        id: Id,
        slug: &str,
        directory: &Directory,
        conditions: &Conditions,
    ) -> Result<GeneratorPost, Vec<Diagnostic>> {
        let made = FileOutput {
            id,
            slug: slug.into(),
            ..self.made()
        };
        let content = content(self.kind, self.file);
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        for need in needs(&content, &self.source) {
            match &need.target {
                target if directory.describes(target) => {}
                Target::Tier(_) => errors.push(need.problem),
                _ => warnings.push(need.problem),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let converted = convert(&content, &made, &self.source, directory, conditions);
        let Record::Post(post, body) = converted.record else {
            unreachable!("a text makes a post");
        };
        let mut foreign = GeneratorPost {
            post: *post,
            lexical: body.lexical.unwrap_or_default(),
            tags: Vec::new(),
            authors: Vec::new(),
            counts: converted.counts,
            names_no_author: false,
            addresses: Vec::new(),
            diagnostics: warnings,
        };
        foreign.diagnostics.extend(converted.diagnostics);
        for noted in converted.uses {
            match noted.target {
                Target::Tag(name) => foreign.tags.push(directory.tag(&name)),
                Target::Author(name) => foreign.authors.push(directory.author(&name)),
                Target::DefaultAuthor => {
                    foreign.names_no_author = true;
                    foreign.authors.push(directory.default_author().clone());
                }
                Target::Address(written) => foreign.addresses.push(written),
                Target::Tier(_) | Target::Writer(_) => {}
            }
        }
        foreign
            .authors
            .retain(|author| foreign.post.authors.contains(&author.id()));
        name_authors(&mut foreign.authors, &content);
        Ok(foreign)
    }

    fn made(&self) -> FileOutput {
        identity(&content(self.kind, self.file.clone()))
    }
}

/// What a content file of Galley's describes: a tag, an author, a tier or a newsletter.
pub struct Description {
    /// The record, as its file binds it.
    pub record: Record,
    /// The addresses in it, as written.
    pub addresses: Vec<Box<str>>,
    /// What does not count of what it says.
    pub diagnostics: Vec<Diagnostic>,
}

impl Description {
    /// Reads the content file at `path`.
    ///
    /// # Errors
    ///
    /// What keeps it from being used.
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
        let addresses = converted
            .uses
            .into_iter()
            .filter_map(|noted| match noted.target {
                Target::Address(written) => Some(written),
                _ => None,
            });
        Ok(Self {
            record: converted.record,
            addresses: addresses.collect(),
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

/// Gives authors whom a text knows by their slugs the names that it says.
fn name_authors(authors: &mut [Named], content: &ContentFile) {
    let (ContentFile::Post(file) | ContentFile::Page(file)) = content else {
        return;
    };
    for reference in file.fields.authors.iter().flatten() {
        let Reference::Described(fields) = &reference.value else {
            continue;
        };
        let (Some(slug), Some(said)) = (&fields.slug, &fields.name) else {
            continue;
        };
        for author in authors.iter_mut() {
            if let Named::Implied {
                slug: own, name, ..
            } = author
                && *own == **slug
            {
                said.trim().clone_into(name);
            }
        }
    }
}
