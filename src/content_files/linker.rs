//! Resolves references of a content file: other files, images, tags, authors and tiers.
//!
//! Every reference is recorded with its target, so that the file is read again if the target changes. A dangling reference
//! is reported at its position: as an error if the file is unusable without it ([`needs`]), else as a warning.

use std::{borrow::Cow, collections::HashSet};

use url::Url;

use crate::{
    catalog::fields::{StoredText, TextContent},
    content_files::{
        author_file::{AuthorFields, AuthorReference},
        body::Body,
        file_state::{ReferenceTarget, ResolvedTarget, StoredReference},
        history::FileHistory,
        keys::{DIAGNOSTICS_MAX, Reference, Texts},
        parsed_file::ContentFile,
        symbol_table::{Directory, ResolvedName, UrlTarget},
        tag_file::{TagFields, TagReference},
        text_names::REFERENCE,
    },
    content_text::{Diagnostic, Source, Span, Spanned},
    domain::OptionalText,
    generators::Role,
    id::Id,
    render::{body_counts::BodyCounts, markdown, urls},
};

/// A reference that must be resolved for a file to be usable.
pub struct Requirement {
    /// The target.
    pub target: ReferenceTarget,
    /// The error if it is missing.
    pub problem: Diagnostic,
}

/// Returns the tiers that a file refers to, and the authors that it identifies by other fields than the name.
pub fn needs(file: &ContentFile, source: &Source) -> Vec<Requirement> {
    let (ContentFile::Post(file) | ContentFile::Page(file)) = file else {
        return Vec::new();
    };
    // An author without a description is created if a document of another generator names one.
    let authors = file.fields.authors.iter().flatten();
    let authors = authors
        .filter(|_| !file.creates_authors())
        .filter_map(|reference| {
            let (name, must_exist) = author_name(reference);
            let message = format!("there is no author \"{name}\"");
            let advice = "describe the author in a file in authors/, or write the author's name";
            must_exist.then(|| Requirement {
                target: ReferenceTarget::Author(name.into()),
                problem: source.error(reference.span, message, advice),
            })
        });
    let tiers = file.fields.tiers.iter().flatten().map(|name| {
        let message = format!("there is no tier \"{}\"", name.value);
        let advice = "describe the tier in a file in tiers/, or correct the name";
        Requirement {
            target: ReferenceTarget::Tier(name.as_str().into()),
            problem: source.error(name.span, message, advice),
        }
    });
    authors.chain(tiers).collect()
}

/// Resolves references, and records their targets.
pub struct Linker<'a> {
    /// The text of the file.
    pub source: &'a Source,
    directory: &'a Directory,
    /// Whether unknown authors are created by any field that names them, as in files of other generators.
    pub creates_authors: bool,
    /// The resolved references.
    pub uses: Vec<StoredReference>,
    /// The targets that have been recorded.
    recorded: HashSet<ReferenceTarget>,
    /// Warnings about dangling references.
    pub diagnostics: Vec<Diagnostic>,
    /// Element counts of converted bodies.
    pub counts: BodyCounts,
}

impl<'a> Linker<'a> {
    /// Creates a linker for the file with the text `source`.
    pub fn new(source: &'a Source, directory: &'a Directory) -> Self {
        Self {
            source,
            directory,
            creates_authors: false,
            uses: Vec::new(),
            recorded: HashSet::new(),
            diagnostics: Vec::new(),
            counts: BodyCounts::default(),
        }
    }

    fn record(&mut self, target: ReferenceTarget, resolved_to: &str) {
        if self.recorded.insert(target.clone()) {
            self.uses.push(StoredReference {
                target,
                resolved_to: ResolvedTarget::to(resolved_to),
            });
        }
    }

    /// Reports a warning.
    pub fn warn(&mut self, span: Span, message: String, advice: String) {
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics
                .push(self.source.warning(span, message, advice));
        }
    }

    /// Returns the stored form of a URL.
    pub fn stored_url(&mut self, written: &Spanned<String>) -> OptionalText {
        let url = self.resolve(&written.value, written.span);
        if url.as_deref() == Some(markdown::NOWHERE) {
            return None;
        }
        Some(
            url.unwrap_or_else(|| in_ascii(&written.value).into_owned())
                .into(),
        )
    }

    /// Returns the stored form of a page's URL: a path on the site is unchanged (Ghost 6.65, recorded), and only references
    /// to files of the folder are resolved.
    fn page(&mut self, written: &Spanned<String>) -> OptionalText {
        let url = self.stored_url(written)?;
        match url.strip_prefix(urls::PLACEHOLDER) {
            Some(path) if path == written.value => Some(path.into()),
            _ => Some(url),
        }
    }

    /// Resolves a URL to its stored form; `None` if it is unchanged.
    ///
    /// A dangling reference in the syntax of a generator becomes [`markdown::NOWHERE`], so that only the text of the link
    /// remains.
    pub fn resolve(&mut self, written: &str, span: Span) -> Option<String> {
        let target = self.resolve_target(written, span);
        target.or_else(|| {
            self.is_reference(written)
                .then(|| markdown::NOWHERE.to_owned())
        })
    }

    /// Resolves a URL whose problems were reported already to its stored form; `None` if it is unchanged.
    pub fn resolve_quietly(&self, written: &str) -> Option<String> {
        match self.directory.url_target(self.source.path(), written) {
            UrlTarget::Found(url) => Some(url),
            // The link is removed as in `resolve`, so that both forms of the body show the same.
            _ if self.is_reference(written) => Some(markdown::NOWHERE.to_owned()),
            _ => None,
        }
    }

    /// Returns whether a URL is a reference in the syntax of the generator, whose build fails on dangling references.
    fn is_reference(&self, written: &str) -> bool {
        let generator = self.directory.layout().generator();
        written.starts_with(REFERENCE) || generator.is_reference(written)
    }

    fn resolve_target(&mut self, written: &str, span: Span) -> Option<String> {
        let target = self.directory.url_target(self.source.path(), written);
        match &target {
            UrlTarget::Found(url) => {
                self.record(ReferenceTarget::Url(written.into()), url);
                return Some(url.clone());
            }
            UrlTarget::Unserved { url, path } => {
                self.record(ReferenceTarget::Url(written.into()), url);
                let (problem, advice) = self.why_unserved(path);
                self.warn(
                    span,
                    format!("the link target {path} {problem}"),
                    advice.to_owned(),
                );
            }
            // Recorded without a target, so that the file is read again once the target exists.
            UrlTarget::Broken(path) => {
                self.record(ReferenceTarget::Url(written.into()), "");
                self.warn(
                    span,
                    format!("link target not found: {path}"),
                    "put the file there, or correct the URL".to_owned(),
                );
            }
            UrlTarget::Unusable(path) => {
                self.record(ReferenceTarget::Url(written.into()), "");
                self.warn(
                    span,
                    format!("link target has errors: {path}"),
                    "fix that file first".to_owned(),
                );
            }
            UrlTarget::Outside => self.warn(
                span,
                "the link target is outside of the content folder".to_owned(),
                "put the file into the content folder".to_owned(),
            ),
            UrlTarget::Elsewhere if self.is_reference(written) => {
                self.record(ReferenceTarget::Url(written.into()), "");
                self.warn(
                    span,
                    format!("link target not found: {written}"),
                    "correct the reference".to_owned(),
                );
            }
            UrlTarget::Elsewhere => {}
        }
        None
    }

    /// Returns why the file at `path` is not served, and what to do.
    fn why_unserved(&self, path: &str) -> (String, &'static str) {
        let layout = self.directory.layout();
        if layout.reason(path).role == Role::Template {
            let title = layout.profile().title;
            return (
                format!("is a template of {title} and is not served"),
                "no action is needed if the front end serves that page",
            );
        }
        match layout.omission_of(path) {
            Some(omission) => (
                format!("is a document that is not served: {}", omission.reason),
                "link to it elsewhere, or change the rules below `[content_files]` to serve it",
            ),
            None => (
                "is of a kind that is not served".to_owned(),
                "put it into an archive such as a .zip file, or link to it elsewhere",
            ),
        }
    }

    /// Resolves a URL whose position is unknown. Problems are reported at its first occurrence in the file.
    pub fn resolve_by_text(&mut self, written: &str) -> Option<String> {
        let start = self.source.text().find(written).unwrap_or(0);
        self.resolve(written, Span::from(start..start + written.len()))
    }

    /// Sets the texts of `table` in `record` to those of a file, with their URLs in stored form.
    pub fn set_texts<R>(
        &mut self,
        record: &mut R,
        table: &[&'static StoredText<R>],
        texts: &Texts,
    ) {
        for field in table {
            let Some(text) = texts.get(field.name) else {
                continue;
            };
            let text = match field.content {
                TextContent::Plain(_) | TextContent::Account(_) | TextContent::Scalar(_) => {
                    Some(text.as_str().into())
                }
                TextContent::Markup(_) => Some(self.resolved_markup(text).into()),
                TextContent::Image | TextContent::Page | TextContent::Website => {
                    self.stored_url(text)
                }
                TextContent::Link => self.page(text),
            };
            (field.set)(record, text);
        }
    }

    /// Returns markup with its URLs in stored form.
    pub fn resolved_markup<'m>(&mut self, markup: &'m str) -> Cow<'m, str> {
        markdown::resolve_html(markup, |url| self.resolve_by_text(url.written))
    }

    /// Resolves a URL in a body to its stored form; `None` if it is unchanged.
    pub fn resolve_in(&mut self, body: &Body, url: markdown::BodyUrl<'_>) -> Option<String> {
        let end = url.position + url.written.len().max(1);
        let span = body.span(url.position, end);
        if url.is_removed {
            self.warn(
                span,
                "this URL runs code, so it is left out".to_owned(),
                "correct the URL, or write the link in HTML if it is intended".to_owned(),
            );
            return None;
        }
        self.resolve(url.written, span)
    }

    /// Replaces references outside of links, in HTML or a document of the editor, with the URLs that the generator prints for
    /// them. A site URL or base path before a reference is removed, because the resolved URL includes it. Dangling references
    /// are reported and removed.
    pub fn with_references_in_text(&mut self, text: String) -> String {
        if !text.contains(REFERENCE) || self.directory.layout().is_own() {
            return text;
        }
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(start) = rest.find(REFERENCE) {
            let (before, found) = rest.split_at(start);
            resolved.push_str(before);
            let is_of_url = |character: char| {
                character.is_ascii_alphanumeric() || ":/-._~%#".contains(character)
            };
            let end = found.find(|character| !is_of_url(character));
            // A trailing `.` or `:` may be punctuation.
            let written = found[..end.unwrap_or(found.len())].trim_end_matches(['.', ':']);
            let url = self.resolve_by_text(written);
            if let Some(url) = url.filter(|url| url != markdown::NOWHERE) {
                self.remove_site_url(&mut resolved);
                resolved.push_str(&url);
            }
            // At least one byte, so that the loop ends.
            rest = &found[written.len().max(1)..];
        }
        resolved.push_str(rest);
        resolved
    }

    /// Removes the site's URL or base path from the end of `text`, because the URL that follows includes it.
    fn remove_site_url(&self, text: &mut String) {
        let settings = self.directory.layout().settings();
        for part in [&settings.base_path, &settings.origin] {
            let length = part.trim_end_matches('/').len();
            let is_at_end = length > 0 && text.ends_with(&part[..length]);
            if is_at_end {
                text.truncate(text.len() - length);
            }
        }
    }

    /// Resolves the tags of a post.
    pub fn tags(&mut self, references: &Option<Vec<TagReference>>) -> Vec<Id> {
        let mut ids = Vec::new();
        for reference in references.iter().flatten() {
            let name = match &reference.value {
                Reference::Named(name) => name.clone(),
                Reference::Described(fields) => self.described_tag(fields, reference.span),
            };
            let id = self.directory.tag(&name).id();
            self.record(ReferenceTarget::Tag(name.into()), &id.to_string());
            // A repeated tag counts once (Ghost 6.65, recorded).
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// Returns the name by which a described tag is resolved.
    fn described_tag(&mut self, fields: &TagFields, span: Span) -> String {
        let name = fields.name.clone();
        // Fields that only identify the tag cause no warning.
        let bare = TagFields {
            slug: fields.slug.clone().filter(|_| name.is_none()),
            name: name.clone(),
            ..TagFields::default()
        };
        if *fields != bare {
            self.warn(
                span,
                "only the name of a tag is used here".to_owned(),
                "describe the tag in a separate file in tags/".to_owned(),
            );
        }
        let precise = [&fields.slug, &fields.id].into_iter().flatten().next();
        name.or_else(|| precise.map(|precise| precise.value.clone()))
            .unwrap_or_default()
    }

    /// Resolves the authors of a post. A post without authors has its first author in the history of the repository, if the
    /// site has that author, and otherwise the site's default author.
    pub fn authors(
        &mut self,
        references: &Option<Vec<AuthorReference>>,
        history: Option<&FileHistory>,
    ) -> Vec<Id> {
        let mut ids = Vec::new();
        for reference in references.iter().flatten() {
            if let Some(id) = self.author(reference)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        if ids.is_empty()
            && let Some(history) = history
        {
            ids.extend(
                self.writer(&history.author_email)
                    .or_else(|| self.writer(&history.author)),
            );
        }
        if ids.is_empty() {
            let id = self.directory.default_author().id();
            self.record(ReferenceTarget::DefaultAuthor, &id.to_string());
            ids.push(id);
        }
        ids
    }

    /// Resolves the author that a history names, by name or e-mail address. No author is created.
    fn writer(&mut self, name: &str) -> Option<Id> {
        let known = self.directory.known_author(name);
        let resolved_to = known.map_or_else(String::new, |id| id.to_string());
        // Recorded even if unknown: the author may be added later.
        self.record(ReferenceTarget::Writer(name.into()), &resolved_to);
        known
    }

    /// Resolves an author; `None` if the author does not exist and is not created.
    pub fn author(&mut self, reference: &AuthorReference) -> Option<Id> {
        let (mut name, mut must_exist) = author_name(reference);
        if must_exist && self.creates_authors && self.directory.known_author(&name).is_none() {
            // Recorded although the reference is replaced below: the author may be added later.
            let unknown = self.directory.author(&name).id();
            self.record(
                ReferenceTarget::Author(name.as_str().into()),
                &unknown.to_string(),
            );
            (name, must_exist) = match slug_of(reference) {
                // A slug creates an author like a name does, so the order of documents does not matter.
                Some(slug) => (slug, false),
                None => {
                    let stand_in = own_name(reference).unwrap_or(name.clone());
                    let message =
                        format!("the author \"{name}\" does not exist; \"{stand_in}\" is created");
                    let advice =
                        "describe the author in a file in authors/, or write the author's name";
                    self.warn(reference.span, message, advice.to_owned());
                    (stand_in, false)
                }
            };
        }
        let named = self.directory.author(&name);
        let is_described = matches!(named, ResolvedName::Known(_));
        if !is_described && let Some(similar) = self.directory.similar_author(&name) {
            let message = format!(
                "no file in authors/ describes \"{name}\", but one describes \"{similar}\""
            );
            let advice = format!("write \"{similar}\" if you mean that author");
            self.warn(reference.span, message, advice);
        }
        if let Reference::Described(fields) = &reference.value
            && has_details(fields)
        {
            self.warn(
                reference.span,
                "the author's details here are ignored".to_owned(),
                "describe the author in a separate file in authors/".to_owned(),
            );
        }
        let id = named.id();
        self.record(ReferenceTarget::Author(name.into()), &id.to_string());
        (is_described || !must_exist).then_some(id)
    }

    /// Reports former URLs of the post `id` that another post also has.
    pub fn check_aliases(&mut self, written: &Option<Vec<Spanned<String>>>, id: Id) {
        for alias in written.iter().flatten() {
            let Some(other) = self.directory.other_at(&alias.value, id) else {
                continue;
            };
            let (alias, span, path) = (&alias.value, alias.span, &other.path);
            let message = if other.is_current {
                format!("the alias {alias} is also the current URL of {path} and opens that page")
            } else {
                format!("the alias {alias} is also one of {path}; it opens one of the two")
            };
            self.warn(span, message, "remove it from one of the two".to_owned());
        }
    }

    /// Resolves the tiers of a post.
    pub fn tiers(&mut self, names: &Option<Vec<Spanned<String>>>) -> Vec<Id> {
        let mut ids = Vec::new();
        for name in names.iter().flatten() {
            let id = self.directory.tier(name);
            self.record(
                ReferenceTarget::Tier(name.as_str().into()),
                &id.map(|id| id.to_string()).unwrap_or_default(),
            );
            ids.extend(id);
        }
        ids
    }
}

/// Returns the name by which an author is resolved, and whether the author must exist: a slug, an e-mail address or an
/// identifier creates no record.
pub fn author_name(reference: &AuthorReference) -> (String, bool) {
    match &reference.value {
        Reference::Named(name) => (name.clone(), false),
        Reference::Described(fields) => {
            let precise = [&fields.email, &fields.slug, &fields.id];
            match (precise.into_iter().flatten().next(), &fields.name) {
                (Some(precise), _) => (precise.value.clone(), true),
                (None, name) => (name.clone().unwrap_or_default(), false),
            }
        }
    }
}

/// Returns the slug of a reference to an author.
fn slug_of(reference: &AuthorReference) -> Option<String> {
    match &reference.value {
        Reference::Described(fields) => fields.slug.as_ref().map(|slug| slug.value.clone()),
        Reference::Named(_) => None,
    }
}

/// Returns the name of an author in a reference by other fields: the `name`, or else the part of the e-mail address before the
/// `@`.
fn own_name(reference: &AuthorReference) -> Option<String> {
    let Reference::Described(fields) = &reference.value else {
        return None;
    };
    let of_email = || {
        let email = fields.email.as_ref()?;
        let (user, _) = email.rsplit_once('@')?;
        Some(user.to_owned())
    };
    fields.name.clone().or_else(of_email)
}

/// Returns whether a table describes an author beyond identifying one.
fn has_details(fields: &AuthorFields) -> bool {
    let bare = AuthorFields {
        name: fields.name.clone(),
        slug: fields.slug.clone(),
        id: fields.id.clone(),
        email: fields.email.clone(),
        ..AuthorFields::default()
    };
    *fields != bare
}

/// Returns a web URL in the form that clients can send: percent-encoded, with its host in Punycode.
fn in_ascii(url: &str) -> Cow<'_, str> {
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    if is_web && !url.is_ascii() {
        Url::parse(url).map_or(Cow::Borrowed(url), |url| Cow::Owned(String::from(url)))
    } else {
        Cow::Borrowed(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_urls_are_encoded_in_ascii_and_others_unchanged() {
        assert_eq!(
            in_ascii("https://schöner.example/ö.png"),
            "https://xn--schner-yxa.example/%C3%B6.png"
        );
        for same in ["https://a.example", "/ö.png", "http://"] {
            assert_eq!(in_ascii(same), same);
        }
    }
}
