//! One content file taken apart: what its path says, its keys, its body. The readers of each kind start from here.

use jiff::civil::Date;

use super::body::{Body, BodyFormat};
use super::diagnostic::Diagnostic;
use super::document::{Language, Malformed, Table};
use super::front_matter::FrontMatter;
use super::keys::{Reader, check_length};
use super::place::{Format, Place};
use super::source::{Source, Span};

/// A file in its parts.
pub(super) struct Parts<'file> {
    pub source: &'file Source,
    /// The name that the path gives it.
    pub stem: &'file str,
    /// The date that the path gives it.
    pub date: Option<Date>,
    /// Whether it lies in a folder of drafts.
    pub in_drafts: bool,
    pub language: Language,
    pub table: Table,
    /// What does not count of the front matter, in the file of another generator.
    pub problems: Vec<Malformed>,
    /// Where something that is missing is reported.
    pub opening: Span,
    body_format: BodyFormat,
    body_start: usize,
}

impl<'file> Parts<'file> {
    /// Takes a file apart.
    ///
    /// # Errors
    ///
    /// One diagnostic if its front matter or data cannot be read.
    pub fn of(source: &'file Source, place: &Place<'file>) -> Result<Parts<'file>, Diagnostic> {
        let (front_matter, body_format) = match place.format {
            Format::Data(language) => (
                FrontMatter::of_data(source, language)?,
                BodyFormat::Markdown,
            ),
            Format::Markdown => (FrontMatter::of_text(source)?, BodyFormat::Markdown),
            Format::Html => (FrontMatter::of_text(source)?, BodyFormat::Html),
            Format::Mdx => (FrontMatter::of_foreign_text(source)?, BodyFormat::Markdown),
        };
        Ok(Self::with(source, place, front_matter, body_format))
    }

    /// Takes the file of another generator apart, which may have no front matter.
    ///
    /// # Errors
    ///
    /// One diagnostic if its front matter cannot be read.
    pub fn of_foreign(
        source: &'file Source,
        place: &Place<'file>,
    ) -> Result<Parts<'file>, Diagnostic> {
        let front_matter = FrontMatter::of_foreign_text(source)?;
        let body_format = match place.format {
            Format::Html => BodyFormat::Html,
            Format::Data(_) | Format::Markdown | Format::Mdx => BodyFormat::Markdown,
        };
        Ok(Self::with(source, place, front_matter, body_format))
    }

    fn with(
        source: &'file Source,
        place: &Place<'file>,
        front_matter: FrontMatter,
        body_format: BodyFormat,
    ) -> Self {
        let FrontMatter {
            language,
            table,
            problems,
            opening,
            body_start,
        } = front_matter;
        let Place {
            name: stem,
            date,
            draft: in_drafts,
            ..
        } = *place;
        Parts {
            source,
            stem,
            date,
            in_drafts,
            language,
            table,
            problems,
            opening,
            body_format,
            body_start,
        }
    }

    /// The text behind the front matter; empty in a file that is all data.
    pub fn body(&self) -> Body {
        Body::new(self.body_format, self.source.clone(), self.body_start)
    }

    /// Lets the body stand for the text `name`, unless the key at `key` sets that already.
    pub fn body_as(
        &self,
        name: &str,
        max: usize,
        field: &mut Option<String>,
        key: Option<Span>,
        reader: &mut Reader<'_>,
    ) {
        let body = self.body();
        let text = body.text().trim();
        if text.is_empty() {
            return;
        }
        if let Some(key) = key {
            let message = format!("`{name}` counts, and the text behind the front matter does not");
            return reader.warning(key, message, format!("remove `{name}` or the text"));
        }
        let start = body.text().len() - body.text().trim_start().len();
        check_length(
            text,
            max,
            name,
            body.span(start, start + text.len()),
            reader,
        );
        *field = Some(text.to_owned());
    }
}
