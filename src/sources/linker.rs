//! Looks up what a content file refers to: other files, pictures, tags, authors and tiers.
//!
//! Every reference is noted with what it led to, so that the file is read again when that changes. What leads nowhere is
//! reported where it was written: as an error where the file cannot be used without it ([`needs`]), else as a warning.

use std::{borrow::Cow, collections::HashSet};

use url::Url;

use super::{
    AuthorFields, AuthorReference, Body, ContentFile, Diagnostic, Reference, Source, Span, Spanned,
    TagFields, TagReference,
    history::FileHistory,
    keys::DIAGNOSTICS_MAX,
    state::{FileReference, ResolvedTarget, Target},
    symbol_table::{Address, Directory, Named},
    templates::Family,
    text_names::REFERENCE,
};
use crate::{
    domain::OptionalText,
    id::Id,
    render::{body_counts::BodyCounts, markdown, urls},
};

/// What must be there for a file to be used.
pub struct Need {
    /// What is referred to.
    pub target: Target,
    /// What is wrong when it is not there.
    pub problem: Diagnostic,
}

/// The tiers that a file refers to, and the authors whom it does not refer to by name.
pub fn needs(file: &ContentFile, source: &Source) -> Vec<Need> {
    let (ContentFile::Post(file) | ContentFile::Page(file)) = file else {
        return Vec::new();
    };
    // An author without a description comes into being where another generator's text names one.
    let authors = file.fields.authors.iter().flatten();
    let authors = authors
        .filter(|_| !file.makes_authors())
        .filter_map(|reference| {
            let (name, must_exist) = author_name(reference);
            let message = format!("there is no author \"{name}\"");
            let advice = "describe the author in a file in authors/, or write the author's name";
            must_exist.then(|| Need {
                target: Target::Author(name.into()),
                problem: source.error(reference.span, message, advice),
            })
        });
    let tiers = file.fields.tiers.iter().flatten().map(|name| {
        let message = format!("there is no tier \"{}\"", name.value);
        let advice = "describe the tier in a file in tiers/, or correct the name";
        Need {
            target: Target::Tier(name.as_str().into()),
            problem: source.error(name.span, message, advice),
        }
    });
    authors.chain(tiers).collect()
}

/// Looks references up, and notes them with what they led to.
pub struct Linker<'a> {
    /// The text of the file.
    pub source: &'a Source,
    directory: &'a Directory,
    /// Whether the file is another generator's, so that it makes the authors whom it names in whatever way.
    pub makes_authors: bool,
    /// What was looked up, and what it led to.
    pub uses: Vec<FileReference>,
    /// What was looked up, to look for.
    noted: HashSet<Target>,
    /// What led nowhere.
    pub diagnostics: Vec<Diagnostic>,
    /// What bodies that are converted hold.
    pub counts: BodyCounts,
}

impl<'a> Linker<'a> {
    /// Looks up what the file whose text is `source` refers to.
    pub fn new(source: &'a Source, directory: &'a Directory) -> Self {
        Self {
            source,
            directory,
            makes_authors: false,
            uses: Vec::new(),
            noted: HashSet::new(),
            diagnostics: Vec::new(),
            counts: BodyCounts::default(),
        }
    }

    fn note(&mut self, target: Target, led_to: &str) {
        if self.noted.insert(target.clone()) {
            self.uses.push(FileReference {
                target,
                led_to: ResolvedTarget::to(led_to),
            });
        }
    }

    /// Tells of something that does not keep the file from being used.
    pub fn warn(&mut self, span: Span, message: String, advice: String) {
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics
                .push(self.source.warning(span, message, advice));
        }
    }

    /// The stored form of an address in the front matter.
    pub fn address(&mut self, address: &Option<Spanned<String>>) -> OptionalText {
        let address = address.as_ref()?;
        let found = self.lead(&address.value, address.span);
        if found.as_deref() == Some(markdown::NOWHERE) {
            return None;
        }
        Some(
            found
                .unwrap_or_else(|| in_ascii(&address.value).into_owned())
                .into(),
        )
    }

    /// The address of a page: a path on the site stays as it is written (Ghost 6.65, recorded), and only what leads to a file
    /// of the folder is looked up.
    pub fn page(&mut self, address: &Option<Spanned<String>>) -> OptionalText {
        let found = self.address(address)?;
        let written = &address.as_ref()?.value;
        match found.strip_prefix(urls::PLACEHOLDER) {
            Some(path) if path == written => Some(path.into()),
            _ => Some(found),
        }
    }

    /// What an address leads to, in stored form; `None` when it stays as written.
    ///
    /// A reference in the manner of a generator that leads to nothing is [`markdown::NOWHERE`], so that its text alone stays.
    pub fn lead(&mut self, written: &str, span: Span) -> Option<String> {
        let found = self.found(written, span);
        found.or_else(|| {
            self.is_reference(written)
                .then(|| markdown::NOWHERE.to_owned())
        })
    }

    /// Returns whether an address names a text of the site in the manner of its generator, which makes no page with one that
    /// leads nowhere.
    fn is_reference(&self, written: &str) -> bool {
        let is_zola = self.directory.layout().profile().family == Family::Zola;
        written.starts_with(REFERENCE) || is_zola && written.starts_with("@/")
    }

    fn found(&mut self, written: &str, span: Span) -> Option<String> {
        let found = self.directory.address(self.source.path(), written);
        match &found {
            Address::Found(address) => {
                self.note(Target::Address(written.into()), address);
                return Some(address.clone());
            }
            Address::Unserved { address, path } => {
                self.note(Target::Address(written.into()), address);
                self.warn(
                    span,
                    format!("this leads to {path}, and files of this kind are not served"),
                    "put it into an archive such as a .zip file, or link to it elsewhere"
                        .to_owned(),
                );
            }
            Address::Broken(path) => {
                self.note(Target::Address(written.into()), "");
                self.warn(
                    span,
                    format!("this leads to {path}, which is not there"),
                    "put the file there, or correct the address".to_owned(),
                );
            }
            Address::Unusable(path) => {
                self.note(Target::Address(written.into()), "");
                self.warn(
                    span,
                    format!("this leads to {path}, which cannot be used"),
                    "mend that file first".to_owned(),
                );
            }
            Address::Outside => self.warn(
                span,
                "this leads out of the content folder".to_owned(),
                "put the file into the content folder".to_owned(),
            ),
            Address::Elsewhere if self.is_reference(written) => {
                self.note(Target::Address(written.into()), "");
                self.warn(
                    span,
                    format!("this leads to {written}, which is not there"),
                    "correct the reference".to_owned(),
                );
            }
            Address::Elsewhere => {}
        }
        None
    }

    /// The same for an address of which only the text is known: it is reported where that text stands first.
    pub fn lead_by_text(&mut self, written: &str) -> Option<String> {
        let start = self.source.text().find(written).unwrap_or(0);
        self.lead(written, Span::from(start..start + written.len()))
    }

    /// HTML in the front matter, with its addresses in stored form.
    pub fn markup(&mut self, markup: &Option<String>) -> OptionalText {
        let markup = markup.as_deref()?;
        Some(self.resolved_markup(markup).into())
    }

    /// The same for markup that is there.
    pub fn resolved_markup<'m>(&mut self, markup: &'m str) -> Cow<'m, str> {
        markdown::resolve_html(markup, |address| self.lead_by_text(address.written))
    }

    /// What an address in a text leads to, in stored form; `None` when it stays as written.
    pub fn lead_in(&mut self, body: &Body, address: markdown::Address<'_>) -> Option<String> {
        let end = address.position + address.written.len().max(1);
        let span = body.span(address.position, end);
        if address.is_removed {
            self.warn(
                span,
                "this URL runs code, so it is left out".to_owned(),
                "correct the URL, or write the link in HTML if that is meant".to_owned(),
            );
            return None;
        }
        self.lead(address.written, span)
    }

    /// The tags that a post names.
    pub fn tags(&mut self, references: &Option<Vec<TagReference>>) -> Vec<Id> {
        let mut ids = Vec::new();
        for reference in references.iter().flatten() {
            let name = match &reference.value {
                Reference::Named(name) => name.clone(),
                Reference::Described(fields) => self.described_tag(fields, reference.span),
            };
            let id = self.directory.tag(&name).id();
            self.note(Target::Tag(name.into()), &id.to_string());
            // The same tag twice counts once (Ghost 6.65, recorded).
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// The name by which a tag that a post describes is looked up.
    fn described_tag(&mut self, fields: &TagFields, span: Span) -> String {
        let name = fields.name.clone();
        let bare = TagFields {
            slug: fields.slug.clone().filter(|_| name.is_none()),
            name: name.clone(),
            ..TagFields::default()
        };
        if *fields != bare {
            self.warn(
                span,
                "only the name of a tag counts here".to_owned(),
                "describe the tag in a file of its own in tags/".to_owned(),
            );
        }
        let precise = [&fields.slug, &fields.id].into_iter().flatten().next();
        name.or_else(|| precise.map(|precise| precise.value.clone()))
            .unwrap_or_default()
    }

    /// The authors that a post names; when it names none, who wrote it first by its history, if that is an author of the site,
    /// and otherwise the site's default author.
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
            self.note(Target::DefaultAuthor, &id.to_string());
            ids.push(id);
        }
        ids
    }

    /// The author whom a history names, by name or address. No author comes into being by that.
    fn writer(&mut self, name: &str) -> Option<Id> {
        let known = self.directory.known_author(name);
        let led_to = known.map_or_else(String::new, |id| id.to_string());
        self.note(Target::Writer(name.into()), &led_to);
        known
    }

    /// The author that is named; `None` when there is no such author and the name makes none.
    pub fn author(&mut self, reference: &AuthorReference) -> Option<Id> {
        let (mut name, mut must_exist) = author_name(reference);
        if must_exist && self.makes_authors && self.directory.known_author(&name).is_none() {
            let unknown = self.directory.author(&name).id();
            self.note(Target::Author(name.as_str().into()), &unknown.to_string());
            (name, must_exist) = match slug_of(reference) {
                // A slug makes an author as a name does, so that it makes no difference whether another text did so before.
                Some(slug) => (slug, false),
                None => {
                    let stand_in = own_name(reference).unwrap_or(name.clone());
                    let message =
                        format!("there is no author \"{name}\"; \"{stand_in}\" is one now");
                    let advice =
                        "describe the author in a file in authors/, or write the author's name";
                    self.warn(reference.span, message, advice.to_owned());
                    (stand_in, false)
                }
            };
        }
        let named = self.directory.author(&name);
        let is_described = matches!(named, Named::Known(_));
        if !is_described && let Some(similar) = self.directory.similar_author(&name) {
            let message = format!(
                "no file in authors/ describes \"{name}\", but one describes \"{similar}\""
            );
            let advice = format!("write \"{similar}\" if that is who is meant");
            self.warn(reference.span, message, advice);
        }
        if let Reference::Described(fields) = &reference.value
            && names_more_than_itself(fields)
        {
            self.warn(
                reference.span,
                "what is said about the author here does not count".to_owned(),
                "describe the author in a file of its own in authors/".to_owned(),
            );
        }
        let id = named.id();
        self.note(Target::Author(name.into()), &id.to_string());
        (is_described || !must_exist).then_some(id)
    }

    /// Warns of old addresses of the post `id` that another one has, too.
    pub fn check_aliases(&mut self, written: &Option<Vec<Spanned<String>>>, id: Id) {
        for alias in written.iter().flatten() {
            let Some(other) = self.directory.other_at(&alias.value, id) else {
                continue;
            };
            let (alias, span, path) = (&alias.value, alias.span, &other.path);
            let message = match other.is_current {
                true => format!("the old address {alias} is that of {path} now, to which it leads"),
                false => format!(
                    "the old address {alias} is also one of {path}; it leads to one of the two"
                ),
            };
            self.warn(span, message, "take it out here or there".to_owned());
        }
    }

    /// The tiers that a post names.
    pub fn tiers(&mut self, names: &Option<Vec<Spanned<String>>>) -> Vec<Id> {
        let mut ids = Vec::new();
        for name in names.iter().flatten() {
            let id = self.directory.tier(name);
            self.note(
                Target::Tier(name.as_str().into()),
                &id.map(|id| id.to_string()).unwrap_or_default(),
            );
            ids.extend(id);
        }
        ids
    }
}

/// The name by which an author is looked up, and whether there must be such an author already: a slug, an address or an
/// identifier makes no record.
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

/// The slug by which an author is referred to.
fn slug_of(reference: &AuthorReference) -> Option<String> {
    match &reference.value {
        Reference::Described(fields) => fields.slug.as_ref().map(|slug| slug.value.clone()),
        Reference::Named(_) => None,
    }
}

/// The name of an author who is referred to by something more precise: of an e-mail address, what stands before the `@`.
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

/// Whether a table says more of an author than who is meant.
fn names_more_than_itself(fields: &AuthorFields) -> bool {
    let bare = AuthorFields {
        name: fields.name.clone(),
        slug: fields.slug.clone(),
        id: fields.id.clone(),
        email: fields.email.clone(),
        ..AuthorFields::default()
    };
    *fields != bare
}

/// A URL of the web in the form in which clients may send it back: percent-encoded, with its host in Punycode.
fn in_ascii(address: &str) -> Cow<'_, str> {
    let is_web = address.starts_with("http://") || address.starts_with("https://");
    match is_web && !address.is_ascii() {
        true => {
            Url::parse(address).map_or(Cow::Borrowed(address), |url| Cow::Owned(String::from(url)))
        }
        false => Cow::Borrowed(address),
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
