//! The context of reading a file's values, and its diagnostics.

use std::{borrow::Cow, sync::Arc};

use jiff::tz::TimeZone;

use crate::{
    content_text::{
        Diagnostic, Source, Span,
        document::{Kind, Language, Value},
    },
    domain::theme::ThemePackages,
    generators::ReadingRules,
};

/// Maximum number of diagnostics of one file; a file with more is probably not meant as a content file.
pub const DIAGNOSTICS_MAX: usize = 100;

/// The reader of a file's values.
pub struct Reader<'file> {
    pub source: &'file Source,
    pub language: Language,
    pub time_zone: &'file TimeZone,
    /// The rules of the generator that the file was written for.
    pub rules: ReadingRules,
    /// The themes whose settings a site file sets; `None` if they are not known.
    pub themes: Option<Arc<dyn ThemePackages>>,
    diagnostics: Vec<Diagnostic>,
    failed: bool,
    is_lenient: bool,
}

impl<'file> Reader<'file> {
    pub fn new(source: &'file Source, language: Language, time_zone: &'file TimeZone) -> Self {
        Reader {
            source,
            language,
            time_zone,
            rules: ReadingRules::default(),
            themes: None,
            diagnostics: Vec::new(),
            failed: false,
            is_lenient: false,
        }
    }

    /// Returns a reader for the file of another generator, which was not written for these keys: invalid values are ignored,
    /// and the file is used.
    pub fn lenient(self, rules: ReadingRules) -> Self {
        Self {
            is_lenient: true,
            rules,
            ..self
        }
    }

    /// Returns a reader for the file of a site with these themes.
    pub fn with_themes(self, themes: Option<Arc<dyn ThemePackages>>) -> Self {
        Self { themes, ..self }
    }

    /// Returns whether the file is usable in spite of invalid values.
    pub fn is_lenient(&self) -> bool {
        self.is_lenient
    }

    /// Returns whether words such as `yes` are booleans: everywhere but in Galley's own TOML.
    pub fn takes_words(&self) -> bool {
        self.is_lenient || self.language == Language::Yaml
    }

    /// Returns whether further diagnostics would be dropped, so that none need be computed.
    pub fn is_full(&self) -> bool {
        self.diagnostics.len() >= DIAGNOSTICS_MAX
    }

    /// Reports an error, which makes the file unusable.
    pub fn error(&mut self, span: Span, message: impl Into<String>, advice: impl Into<String>) {
        if self.is_lenient {
            return self.warning(span, message, advice);
        }
        // Even if the diagnostic is dropped, the file is unusable.
        self.failed = true;
        if !self.is_full() {
            self.diagnostics
                .push(self.source.error(span, message, advice));
        }
    }

    /// Reports an ignored value of a usable file.
    pub fn warning(&mut self, span: Span, message: impl Into<String>, advice: impl Into<String>) {
        if !self.is_full() {
            self.diagnostics
                .push(self.source.warning(span, message, advice));
        }
    }

    /// Reports an ignored or changed value of a usable file, with a detail that differs from file to file.
    pub fn warning_with_detail(
        &mut self,
        span: Span,
        message: impl Into<String>,
        detail: impl Into<String>,
        advice: impl Into<String>,
    ) {
        if !self.is_full() {
            let warning = self.source.warning(span, message, advice);
            self.diagnostics.push(warning.with_detail(detail));
        }
    }

    /// Returns the text of a value, or `None` for other types.
    ///
    /// In YAML and JSON an unquoted number or boolean may be meant as text (`title: 1984`), so it is read as written; in the
    /// files of other generators also in TOML.
    pub fn text<'value>(&self, value: &'value Value) -> Option<Cow<'value, str>>
    where
        'file: 'value,
    {
        match &value.value {
            Kind::Text(text) => Some(Cow::Borrowed(text)),
            Kind::Boolean(_) | Kind::Integer(_) | Kind::Number
                if self.language != Language::Toml || self.is_lenient =>
            {
                Some(Cow::Borrowed(self.source.slice(value.span)))
            }
            _ => None,
        }
    }

    /// Returns all diagnostics in the order of the file, and whether it is usable.
    pub fn finish(mut self) -> (Vec<Diagnostic>, bool) {
        // Fields are read in the order of their table, not of the file.
        self.diagnostics.sort_by_key(|diagnostic| {
            diagnostic
                .position
                .as_ref()
                .map_or((0, 0), |position| (position.line, position.column))
        });
        (self.diagnostics, !self.failed)
    }
}
