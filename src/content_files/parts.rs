//! The parts of a content file: properties of its path, keys, and body. The readers of each kind start from here.

use jiff::civil::Date;

use crate::{
    content_files::{
        body::{Body, BodyFormat},
        keys::{Reader, check_length},
        path_properties::{FileSyntax, PathProperties},
    },
    content_text::{
        Diagnostic, Source, Span, Spanned,
        document::{DocumentError, Language, Table},
    },
    generators::{ReadingRules, front_matter::FrontMatter},
};

/// The parts of a file.
pub(super) struct Parts<'file> {
    pub source: &'file Source,
    /// The name in the path.
    pub stem: &'file str,
    /// The date in the path.
    pub date: Option<Date>,
    /// Whether it is in a folder of drafts.
    pub in_drafts: bool,
    pub language: Language,
    pub table: Table,
    /// Ignored values of the front matter, in the file of another generator.
    pub problems: Vec<DocumentError>,
    /// The position at which missing keys are reported.
    pub opening: Span,
    body_format: BodyFormat,
    body_start: usize,
}

impl<'file> Parts<'file> {
    /// Splits a file into its parts.
    ///
    /// # Errors
    ///
    /// One diagnostic if its front matter or data is malformed.
    pub fn of(
        source: &'file Source,
        properties: &PathProperties<'file>,
    ) -> Result<Parts<'file>, Diagnostic> {
        let (front_matter, body_format) = match properties.format {
            FileSyntax::Data(language) => (
                FrontMatter::of_data(source, language)?,
                BodyFormat::Markdown,
            ),
            FileSyntax::Markdown => (FrontMatter::of_text(source)?, BodyFormat::Markdown),
            FileSyntax::Html => (FrontMatter::of_text(source)?, BodyFormat::Html),
            FileSyntax::Mdx => (
                FrontMatter::of_other_generator(source, &ReadingRules::GALLEY)?,
                BodyFormat::Markdown,
            ),
        };
        Ok(Self::with(source, properties, front_matter, body_format))
    }

    /// Splits the file of another generator, where front matter is optional.
    ///
    /// # Errors
    ///
    /// One diagnostic if its front matter is malformed.
    pub fn of_other_generator(
        source: &'file Source,
        properties: &PathProperties<'file>,
        rules: &ReadingRules,
    ) -> Result<Parts<'file>, Diagnostic> {
        let front_matter = FrontMatter::of_other_generator(source, rules)?;
        let body_format = match properties.format {
            FileSyntax::Html => BodyFormat::Html,
            FileSyntax::Data(_) | FileSyntax::Markdown | FileSyntax::Mdx => BodyFormat::Markdown,
        };
        Ok(Self::with(source, properties, front_matter, body_format))
    }

    fn with(
        source: &'file Source,
        properties: &PathProperties<'file>,
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
        let PathProperties {
            name: stem,
            date,
            draft: in_drafts,
            ..
        } = *properties;
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

    /// Returns the text after the front matter; empty in a data file.
    pub fn body(&self) -> Body {
        Body::new(self.body_format, self.source.clone(), self.body_start)
    }

    /// Returns the body as the value of the field `name`, unless it is empty or the key at `key` sets it.
    pub fn body_as(
        &self,
        name: &str,
        max: usize,
        key: Option<Span>,
        reader: &mut Reader<'_>,
    ) -> Option<Spanned<String>> {
        let body = self.body();
        let text = body.text().trim();
        if text.is_empty() {
            return None;
        }
        if let Some(key) = key {
            let message =
                format!("`{name}` is used, and the text after the front matter is ignored");
            reader.warning(key, message, format!("remove `{name}` or the text"));
            return None;
        }
        let start = body.text().len() - body.text().trim_start().len();
        let span = body.span(start, start + text.len());
        check_length(text, max, name, span, reader);
        Some(Spanned::new(text.to_owned(), span))
    }
}
