//! Texts of other generators, read by the same keys as content files, without being bound to the site.
//!
//! They were not written for Galley. So what is wrong in their front matter is left out and told, and the rest is used; a
//! title that is missing is that of the first heading, or made from the file's name. Where the texts lie, and what their
//! addresses mean, is for the caller to know.

use jiff::Timestamp;

use super::{
    Body, BodyFormat, ContentFile, Diagnostic, FileKind, PostFile, Reference, Source, Status,
    TagReference,
    identity::identity,
    keys::Reader,
    layout,
    linker::needs,
    parts::Parts,
    post_file::{self, Role},
    records::{Record, convert},
    source::Spanned,
    state::{Made, Target},
};
pub use super::{
    conditions::Conditions,
    directory::{Address, AddressLookup, Directory, Named, stored},
};
use crate::{
    domain::post::{Post, PostKind, TITLE_CHARACTERS_MAX},
    id::Id,
    render::{body_counts::BodyCounts, markdown, plaintext},
};

/// A text that was read.
pub struct ForeignText {
    kind: PostKind,
    source: Source,
    file: PostFile,
}

/// What a text makes.
pub struct ForeignPost {
    /// The post, which no file binds.
    pub post: Post,
    /// Its body as a document of the editor, with addresses in stored form.
    pub lexical: String,
    /// The tags that it names.
    pub tags: Vec<Named>,
    /// The authors that it names, or the one who stands for nobody.
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

impl ForeignText {
    /// Reads the text at `path`, which has `/` between its parts. It is taken for Markdown unless its name ends in that of
    /// HTML.
    ///
    /// # Errors
    ///
    /// One diagnostic if it is no text or has front matter that cannot be read. Else there may be diagnostics beside it.
    pub fn read(
        path: &str,
        kind: PostKind,
        bytes: &[u8],
        conditions: &Conditions,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostic> {
        let (file_kind, role) = match kind {
            PostKind::Post => (FileKind::Post, Role::Post),
            PostKind::Page => (FileKind::Page, Role::Page),
        };
        let place = layout::foreign_place(path, file_kind).ok_or_else(|| {
            Diagnostic::about_file(path, "this is no text", "give it a name that ends in .md")
        })?;
        let source = Source::decode(path, bytes)?;
        let parts = Parts::of_foreign(&source, &place)?;
        let reader = Reader::new(&source, parts.language, &conditions.time_zone);
        let mut reader = reader.lenient();
        let mut file = post_file::read(&parts, role, &mut reader);
        let (diagnostics, _) = reader.finish();
        let (title, body) = titled(file.fields.title.take(), file.body, &file.stem);
        file.fields.title = Some(title);
        file.body = body;
        let text = Self { kind, source, file };
        Ok((text, diagnostics))
    }

    /// Where the body of a text begins, behind its front matter.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub fn body_start(path: &str, bytes: &[u8]) -> Result<(String, usize), Diagnostic> {
        let source = Source::decode(path, bytes)?;
        let place = layout::foreign_place(path, FileKind::Post);
        let start = match place {
            Some(place) => Parts::of_foreign(&source, &place)?.body_start(),
            None => 0,
        };
        Ok((source.text().to_owned(), start))
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
        dates.iter().any(Option::is_some)
    }

    /// Whether it is a draft.
    pub fn is_draft(&self) -> bool {
        self.file.fields.status == Some(Status::Draft)
    }

    /// Says when it was begun, where it does not say so itself.
    pub fn set_date(&mut self, date: Timestamp) {
        self.file.fields.created_at = Some(date);
    }

    /// Takes the tags through `change`; each comes with what stands in front of it in its line.
    pub fn change_tags(&mut self, mut change: impl FnMut(&str, &str) -> Vec<String>) {
        let Some(tags) = self.file.fields.tags.take() else {
            return;
        };
        let mut changed: Vec<TagReference> = Vec::new();
        for tag in tags {
            match &tag.value {
                Reference::Described(_) => changed.push(tag),
                Reference::Named(name) => {
                    let before = self.source.line_before(tag.span);
                    let names = change(before, name);
                    let named = |name| Spanned::new(Reference::Named(name), tag.span);
                    changed.extend(names.into_iter().map(named));
                }
            }
        }
        self.file.fields.tags = Some(changed);
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
    ) -> Result<ForeignPost, Vec<Diagnostic>> {
        let made = Made {
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
        let mut foreign = ForeignPost {
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

    fn made(&self) -> Made {
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

/// The title of a text, and its body without the heading that says the same.
fn titled(title: Option<String>, body: Body, stem: &str) -> (String, Body) {
    let heading = first_heading(&body);
    let title = title.filter(|title| !title.trim().is_empty());
    match (title, heading) {
        (Some(title), Some((heading, end))) if same(&title, &heading) => {
            (title, body.without_start(end))
        }
        (Some(title), _) => (title, body),
        (None, Some((heading, end))) => (cut(&heading), body.without_start(end)),
        (None, None) => (cut(&title_of(stem)), body),
    }
}

/// The text of the heading of the first level that a Markdown text begins with, and where the heading ends.
fn first_heading(body: &Body) -> Option<(String, usize)> {
    let text = body.text();
    let start = text.len() - text.trim_start().len();
    let line = text[start..].lines().next().unwrap_or_default();
    let is_heading = body.format == BodyFormat::Markdown && line.starts_with("# ");
    let heading = plaintext::from_html(&markdown::to_html(line, |_| None));
    let heading = heading.trim();
    (is_heading && !heading.is_empty()).then(|| (heading.to_owned(), start + line.len()))
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// `night-ferry` as people write it: `Night ferry`.
fn title_of(stem: &str) -> String {
    let words = stem.replace(['-', '_'], " ");
    let words = words.trim();
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => stem.to_owned(),
    }
}

fn cut(title: &str) -> String {
    title.chars().take(TITLE_CHARACTERS_MAX).collect()
}
