//! Splits a text file into front matter and body.
//!
//! [`FencedFrontMatter`] locates the front matter. A script (`---js`) is not run: its literal declarations are read, and a
//! script without any is rejected. In files of other generators front matter is optional.

use crate::{
    content_text::{
        Diagnostic, Source, Span, Spanned,
        document::{self, DocumentError, Kind, Language, RecoveredDocument, Table},
        front_matter::{FencedFrontMatter, Form, LeadingObject},
    },
    generators::{
        reading_rules::{MetadataLines, ReadingRules},
        syntax::{Declaration, declarations},
    },
};

/// Parsed front matter of a text file.
pub(crate) struct FrontMatter {
    pub language: Language,
    pub table: Table,
    /// Problems with ignored values, in the file of another generator.
    pub problems: Vec<DocumentError>,
    /// The opening line of the front matter, where missing keys are reported.
    pub opening: Span,
    /// Byte offset of the body.
    pub body_start: usize,
}

impl FrontMatter {
    /// Splits a text file and parses its front matter.
    ///
    /// # Errors
    ///
    /// One diagnostic if front matter is missing, unclosed or malformed.
    pub fn of_text(source: &Source) -> Result<FrontMatter, Diagnostic> {
        let text = source.text();
        let Some(found) = FencedFrontMatter::of(text) else {
            let first_line = Span::new(0, text.find('\n').unwrap_or(text.len()));
            let advice = "begin it with the lines `+++`, `title = \"…\"` and `+++`";
            return Err(source.error(
                first_line,
                "the file has no front matter and therefore no title",
                advice,
            ));
        };
        let front_matter = FrontMatter::fenced(source, found)?;
        match front_matter.problems.first() {
            Some(problem) => Err(source.error(problem.span, &problem.message, problem.advice)),
            None => Ok(front_matter),
        }
    }

    /// Splits the file of another generator, where front matter is optional and the last value of a repeated key counts.
    ///
    /// # Errors
    ///
    /// One diagnostic if front matter is unclosed or malformed.
    pub fn of_other_generator(
        source: &Source,
        rules: &ReadingRules,
    ) -> Result<FrontMatter, Diagnostic> {
        if let Some(found) = FencedFrontMatter::of_other_generator(source.text()) {
            let mut front_matter = FrontMatter::fenced(source, found)
                .or_else(|malformed| lines_in_fence(source, found, rules).ok_or(malformed))?;
            flatten_dates(&mut front_matter.table);
            return Ok(front_matter);
        }
        // A fence precedes the other forms, because lines such as `Note: …` may be text below it.
        if let Some((table, body_start)) = metadata_lines(source.text())
            .filter(|(table, _)| are_metadata(table, rules.metadata_lines))
        {
            return Ok(FrontMatter {
                language: Language::Yaml,
                table,
                problems: Vec::new(),
                opening: Span::default(),
                body_start,
            });
        }
        let (language, span, recovered) = match LeadingObject::of(source.text()) {
            LeadingObject::None => (
                Language::Yaml,
                Span::default(),
                RecoveredDocument::default(),
            ),
            LeadingObject::Complete(span) => (
                Language::Json,
                span,
                table_at(source, Language::Json, span)?,
            ),
            LeadingObject::Malformed(start) => {
                // Malformed JSON is parsed only for its diagnostic.
                table_at(
                    source,
                    Language::Json,
                    Span::new(start, source.text().len()),
                )?;
                (
                    Language::Yaml,
                    Span::default(),
                    RecoveredDocument::default(),
                )
            }
        };
        Ok(FrontMatter {
            language,
            table: recovered.table,
            problems: recovered.problems,
            opening: Span::new(span.start, span.start),
            body_start: span.end,
        })
    }

    fn fenced(source: &Source, found: FencedFrontMatter) -> Result<FrontMatter, Diagnostic> {
        let FencedFrontMatter { fence, opening, .. } = found;
        let Some(span) = found.content else {
            let advice = format!("put a line `{}` after the last key", fence.closing);
            return Err(source.error(opening, "the front matter is not closed", advice));
        };
        let (language, recovered) = match fence.form {
            Form::Data(language) => (language, table_at(source, language, span)?),
            Form::BareJson => (Language::Json, bare_json_at(source, span)?),
            Form::Script => (Language::Json, script_at(source, opening, span)?),
        };
        Ok(FrontMatter {
            language,
            table: recovered.table,
            problems: recovered.problems,
            opening,
            body_start: found.body_start,
        })
    }

    /// Parses a data file as front matter without a body.
    ///
    /// # Errors
    ///
    /// One diagnostic if it is malformed.
    pub fn of_data(source: &Source, language: Language) -> Result<FrontMatter, Diagnostic> {
        let end = source.text().len();
        let table = document::parse(language, source.text(), 0)
            .map_err(|malformed| diagnostic(source, malformed))?;
        Ok(FrontMatter {
            language,
            table,
            problems: Vec::new(),
            opening: Span::default(),
            body_start: end,
        })
    }
}

/// Replaces a table of dates, `date: {created: …, updated: …}`, with the keys `date` and `updated`.
fn flatten_dates(table: &mut Table) {
    // Material for MkDocs has dates in this form.
    let index = table
        .entries
        .iter()
        .position(|(key, value)| key.value == "date" && matches!(value.value, Kind::Table(_)));
    let Some(index) = index else {
        return;
    };
    let (_, dates) = table.entries.remove(index);
    if let Kind::Table(dates) = dates.value {
        for (mut key, value) in dates.entries {
            match key.value.as_str() {
                "created" => key.value = "date".to_owned(),
                "updated" => {}
                _ => continue,
            }
            table.entries.push((key, value));
        }
    }
}

/// Parses `Key: value` lines at the beginning of a text, up to the first blank line, a line `---` or `...`, or another line
/// without a key. Lines indented by four spaces or a tab continue a value. Returns the values and the byte offset of the
/// body; `None` if the text does not begin with such a line.
fn metadata_lines(text: &str) -> Option<(Table, usize)> {
    let mut table = Table::default();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with("    ") || line.starts_with('\t') {
            let (_, value) = table.entries.last_mut()?;
            if let Kind::Text(text) = &mut value.value {
                *text = format!("{text}\n{}", line.trim()).trim().to_owned();
                value.span.end = start + line.trim_end().len();
            }
            continue;
        }
        if ["---", "..."].contains(&line.trim_end()) {
            break;
        }
        let is_of_key =
            |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        // A line that begins with a URL is text.
        let entry = line.split_once(':').filter(|(key, value)| {
            !key.is_empty() && key.chars().all(is_of_key) && !value.starts_with("//")
        });
        let Some((key, value)) = entry else {
            // The line without a key is the first one of the body.
            offset = start;
            break;
        };
        let key_span = Span::new(start, start + key.len());
        let value_start = start + key.len() + 1 + (value.len() - value.trim_start().len());
        let value = value.trim();
        let span = Span::new(value_start, value_start + value.len());
        // Python-Markdown converts keys to lower case, too.
        let key = Spanned::new(key.to_lowercase(), key_span);
        table
            .entries
            .push((key, Spanned::new(Kind::Text(value.to_owned()), span)));
    }
    (!table.entries.is_empty()).then_some((table, offset))
}

/// Keys that, together with a title, identify leading lines as metadata.
const KEYS_OF_LINES: [&str; 12] = [
    "author",
    "authors",
    "category",
    "date",
    "description",
    "keywords",
    "modified",
    "slug",
    "status",
    "subtitle",
    "summary",
    "tags",
];

/// Returns whether `rule` accepts the lines in `table` as metadata.
fn are_metadata(table: &Table, rule: MetadataLines) -> bool {
    let has = |names: &[&str]| {
        let mut entries = table.entries.iter();
        entries.any(|(key, _)| names.contains(&key.value.as_str()))
    };
    match rule {
        MetadataLines::None => false,
        MetadataLines::Titled => has(&["title"]) && has(&KEYS_OF_LINES),
        MetadataLines::Any => true,
    }
}

/// Returns the front matter between fences whose lines are not YAML, such as `title: DataFusion: an engine`. Python-Markdown
/// also accepts such lines between fences.
fn lines_in_fence(
    source: &Source,
    found: FencedFrontMatter,
    rules: &ReadingRules,
) -> Option<FrontMatter> {
    let span = found
        .content
        .filter(|_| rules.metadata_lines == MetadataLines::Any)?;
    let (mut table, end) = metadata_lines(source.slice(span))?;
    // Only YAML that consists of such lines is read this way, so that
    // other errors are still reported.
    if !source.slice(span)[end..].trim().is_empty() {
        return None;
    }
    // The offsets are relative to the slice, and diagnostics need those of the file.
    for (key, value) in &mut table.entries {
        for span_in_fence in [&mut key.span, &mut value.span] {
            span_in_fence.start += span.start;
            span_in_fence.end += span.start;
        }
    }
    Some(FrontMatter {
        language: Language::Yaml,
        table,
        problems: Vec::new(),
        opening: found.opening,
        body_start: found.body_start,
    })
}

fn diagnostic(source: &Source, malformed: DocumentError) -> Diagnostic {
    source.error(malformed.span, malformed.message, malformed.advice)
}

fn table_at(
    source: &Source,
    language: Language,
    span: Span,
) -> Result<RecoveredDocument, Diagnostic> {
    document::parse_leniently(language, source.slice(span), span.start)
        .map_err(|malformed| diagnostic(source, malformed))
}

/// Parses the literal declarations of a script.
fn script_at(source: &Source, opening: Span, span: Span) -> Result<RecoveredDocument, Diagnostic> {
    let advice = "write its values as YAML between two lines `---`";
    let mut recovered = RecoveredDocument::default();
    let text = source.slice(span);
    let declarations = match text.len() {
        ..=document::DOCUMENT_BYTES_MAX => declarations::of(text),
        _ => Vec::new(),
    };
    // An empty script is a document without values, as an empty fence of YAML is.
    let is_read = declarations.is_empty() && text.trim().is_empty()
        || declarations
            .iter()
            .any(|declared| declared.values.is_some());
    if !is_read {
        let message = "the front matter is a program, which is not run";
        return Err(source.error(opening, message, advice));
    }
    for Declaration { range, values } in declarations {
        let declared = Span::new(span.start + range.start, span.start + range.end);
        match values {
            Some(values) => recovered.table.complete(&values, declared),
            None => recovered.problems.push(DocumentError {
                span: declared,
                message: "this value is computed by code".to_owned(),
                advice,
                remedy: ", and is left out",
            }),
        }
    }
    Ok(recovered)
}

/// Parses a JSON object with or without its braces.
fn bare_json_at(source: &Source, span: Span) -> Result<RecoveredDocument, Diagnostic> {
    let text = source.slice(span);
    if text.trim_start().starts_with('{') {
        return table_at(source, Language::Json, span);
    }
    // The added brace takes the offset of the preceding line break, so that later offsets stay the same.
    let text = format!("{{{}}}", text.trim_end().trim_end_matches(','));
    document::parse_leniently(Language::Json, &text, span.start.saturating_sub(1))
        .map_err(|malformed| diagnostic(source, malformed))
}
