//! Parses YAML 1.2 (core schema) to the common tree, from the events of the crate `saphyr-parser`.
//!
//! Aliases are expanded; a document that exceeds the limits in this way is rejected. The last value of a repeated key is
//! used, and the repetition is reported. Tags other than `!!str` are ignored.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, StrInput, Tag};

use super::{DocumentError, Kind, RecoveredDocument, Table, Value};
use crate::content_text::{
    Span, Spanned,
    document::{
        limits::{CONTENT_BYTES_MAX, DEPTH_MAX, VALUE_BYTES},
        recovery::Collector,
    },
};

const ADVICE: &str =
    "fix the YAML: put quotes around text with `: `, `#` or brackets, and indent with spaces";
const TOP_ADVICE: &str = "write `key: value`, one per line";

pub(super) fn parse(text: &str, start: usize) -> Result<RecoveredDocument, DocumentError> {
    match parse_strictly(text, start) {
        Err(error) => {
            // Only after an error, so that valid YAML is never changed. No correction changes the
            // length of the text, so positions remain those of the file.
            let spaced = with_spaces_after_keys(text);
            let joined = with_joined_brackets(spaced.as_deref().unwrap_or(text)).or(spaced);
            let quoted = with_joined_quotes(joined.as_deref().unwrap_or(text)).or(joined);
            match quoted {
                // The first error is returned, because it is about the text as written.
                Some(text) => parse_strictly(&text, start).map_err(|_| error),
                None => Err(error),
            }
        }
        parsed => parsed,
    }
}

/// Replaces tabs between a key and its value, which other parsers accept, with spaces; `None` without any. The length of the
/// text is unchanged.
fn with_spaces_after_keys(text: &str) -> Option<String> {
    let mut spaced = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let separator = line.find(":\t").or_else(|| {
            let colon = line.find(": ")?;
            let blanks = line[colon + 1..].trim_start_matches(' ');
            blanks.starts_with('\t').then_some(colon)
        });
        let Some(colon) = separator else {
            spaced.push_str(line);
            continue;
        };
        let (key, rest) = line.split_at(colon + 1);
        let value = rest.trim_start_matches([' ', '\t']);
        spaced.push_str(key);
        spaced.push_str(&" ".repeat(rest.len() - value.len()));
        spaced.push_str(value);
    }
    (spaced != text).then_some(spaced)
}

/// Joins the lines of lists and tables in brackets, because other parsers require no indentation of further lines; `None`
/// without any. The length of the text is unchanged.
fn with_joined_brackets(text: &str) -> Option<String> {
    let mut joined = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let value = content.split_once(": ").map_or("", |(_, value)| value);
        if depth > 0 || value.starts_with(['[', '{']) {
            let opened = content.matches(['[', '{']).count();
            let closed = content.matches([']', '}']).count();
            depth = (depth + opened).saturating_sub(closed);
        }
        joined.push_str(content);
        let end = &line[content.len()..];
        if depth > 0 {
            joined.push_str(&" ".repeat(end.len()));
        } else {
            joined.push_str(end);
        }
    }
    (depth == 0 && joined != text).then_some(joined)
}

/// Joins lines of quoted values that are not indented enough to the line before, because other parsers accept them; `None`
/// without any. The length of the text is unchanged.
fn with_joined_quotes(text: &str) -> Option<String> {
    let mut joined = String::with_capacity(text.len());
    let mut open: Option<(char, usize)> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let indentation = content.len() - content.trim_start_matches(' ').len();
        open = if let Some((quote, columns)) = open {
            let is_short = indentation <= columns && !content.trim().is_empty();
            if is_short {
                // Line breaks of blank lines are replaced, too, so that the joined line needs no indentation.
                let end = joined.trim_end_matches(['\n', '\r']).len();
                let breaks = joined.len() - end;
                joined.truncate(end);
                joined.push_str(&" ".repeat(breaks));
            }
            (!closes(content, quote)).then_some((quote, columns))
        } else {
            let value = content
                .split_once(": ")
                .map(|(_, value)| value.trim_start());
            let quote = value.and_then(|value| value.chars().next());
            let quote = quote.filter(|quote| matches!(quote, '\'' | '"'));
            let inside = value.and_then(|value| value.get(1..)).unwrap_or_default();
            let key = content.trim_start_matches([' ', '-']);
            let columns = content.len() - key.len();
            quote
                .filter(|quote| !closes(inside, *quote))
                .map(|quote| (quote, columns))
        };
        joined.push_str(line);
    }
    (open.is_none() && joined != text).then_some(joined)
}

/// Returns whether a part of a quoted value ends with its quote.
fn closes(text: &str, quote: char) -> bool {
    let text = text.trim_end();
    let quotes = text.len() - text.trim_end_matches(quote).len();
    match quote {
        '"' => quotes > 0 && !text.ends_with("\\\""),
        // In single quotes, two quotes stand for one in the text.
        _ => quotes % 2 == 1,
    }
}

fn parse_strictly(text: &str, start: usize) -> Result<RecoveredDocument, DocumentError> {
    let mut reader = YamlReader::new(text, start);
    let table = loop {
        match reader.next()? {
            (Event::StreamEnd | Event::DocumentEnd, _) => break Table::default(),
            (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
            // Further documents of the stream are ignored.
            (event, span) => break top_table(reader.value(event, span, 0)?)?,
        }
    };
    Ok(RecoveredDocument {
        table,
        problems: reader.collector.problems,
    })
}

fn top_table(value: Value) -> Result<Table, DocumentError> {
    match value.value {
        Kind::Table(table) => Ok(table),
        Kind::Nothing => Ok(Table::default()),
        other => {
            let message = format!("keys and values are expected here, not {}", other.name());
            Err(DocumentError::new(value.span, message, TOP_ADVICE))
        }
    }
}

struct YamlReader<'text> {
    parser: Parser<'text, StrInput<'text>>,
    /// The byte offset of every character, and of the end, because the parser counts characters.
    positions: Vec<usize>,
    anchors: HashMap<usize, AnchorValue>,
    bytes_left: usize,
    collector: Collector,
}

/// The value of an anchor (`&name`), with the cost of repeating it.
struct AnchorValue {
    value: Value,
    bytes: usize,
    depth: usize,
}

impl<'text> YamlReader<'text> {
    fn new(text: &'text str, start: usize) -> Self {
        let characters = text.char_indices().map(|(position, _)| start + position);
        YamlReader {
            parser: Parser::new_from_str(text),
            positions: characters.chain([start + text.len()]).collect(),
            anchors: HashMap::new(),
            bytes_left: CONTENT_BYTES_MAX,
            collector: Collector::default(),
        }
    }

    fn next(&mut self) -> Result<(Event<'text>, Span), DocumentError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((
                event,
                Span::new(self.position(span.start), self.position(span.end)),
            )),
            Some(Err(error)) => {
                let start = self.position(*error.marker());
                let message = format!("invalid YAML: {}", error.info());
                Err(DocumentError::new(Span::new(start, start), message, ADVICE))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn position(&self, marker: Marker) -> usize {
        let last = self.positions.len() - 1;
        self.positions[marker.index().min(last)]
    }

    fn value(
        &mut self,
        event: Event<'text>,
        span: Span,
        depth: usize,
    ) -> Result<Value, DocumentError> {
        if depth > DEPTH_MAX {
            return Err(DocumentError::new(
                span,
                "lists and tables are nested too deeply",
                "reduce the nesting",
            ));
        }
        let bytes_before = self.bytes_left;
        self.spend(VALUE_BYTES, span)?;
        let (anchor, kind) = match event {
            Event::Alias(anchor) => return self.alias(anchor, span, depth),
            Event::Scalar(text, style, anchor, tag) => {
                self.spend(text.len(), span)?;
                (anchor, scalar(&text, style, tag.as_deref()))
            }
            Event::SequenceStart(anchor, _) => (anchor, Kind::List(self.list(depth)?)),
            Event::MappingStart(anchor, _) => (anchor, Kind::Table(self.table(depth)?)),
            _ => {
                return Err(DocumentError::new(
                    span,
                    "the YAML ends unexpectedly",
                    ADVICE,
                ));
            }
        };
        let value = Spanned::new(kind, span);
        // The parser counts anchors from 1; 0 means none. The stored copy is counted, too.
        if anchor > 0 {
            let bytes = bytes_before - self.bytes_left;
            self.spend(bytes, span)?;
            self.anchors.insert(
                anchor,
                AnchorValue {
                    value: value.clone(),
                    bytes,
                    depth: depth_of(&value),
                },
            );
        }
        Ok(value)
    }

    fn spend(&mut self, bytes: usize, span: Span) -> Result<(), DocumentError> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| {
            let limit = CONTENT_BYTES_MAX / 1024 / 1024;
            let message = format!(
                "the values take more than {limit} MiB, including the values that aliases repeat"
            );
            DocumentError::new(span, message, "shorten the values, or use fewer aliases")
        })?;
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span, depth: usize) -> Result<Value, DocumentError> {
        // An anchor is stored when its value is complete, so an unknown one is an outer value.
        let Some(anchored) = self.anchors.get(&anchor) else {
            return Err(DocumentError::new(
                span,
                "an alias contains itself",
                "write the value out",
            ));
        };
        if depth + anchored.depth > DEPTH_MAX {
            return Err(DocumentError::new(
                span,
                "aliases nest lists and tables too deeply",
                "write the values out",
            ));
        }
        let bytes = anchored.bytes;
        self.spend(bytes, span)?;
        Ok(self.anchors[&anchor].value.clone())
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value>, DocumentError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, span) => items.push(self.value(event, span, depth + 1)?),
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<Table, DocumentError> {
        let mut table = Table::default();
        let mut seen = HashMap::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(table),
                (event, span) => self.key(event, span, depth)?,
            };
            let (event, span) = self.next()?;
            let value = self.value(event, span, depth + 1)?;
            if let Some(key) = key {
                self.collector.add(&mut table, &mut seen, key, value);
            }
        }
    }

    /// Returns a key; `None` if it is a list or a table, which is reported.
    fn key(
        &mut self,
        event: Event<'text>,
        span: Span,
        depth: usize,
    ) -> Result<Option<Spanned<String>>, DocumentError> {
        match event {
            Event::Scalar(text, ..) => {
                self.spend(VALUE_BYTES + text.len(), span)?;
                Ok(Some(Spanned::new(text.into_owned(), span)))
            }
            event => {
                // Read to consume its events.
                self.value(event, span, depth + 1)?;
                self.collector.leave_out_key(span);
                Ok(None)
            }
        }
    }
}

fn depth_of(value: &Value) -> usize {
    match &value.value {
        Kind::List(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        Kind::Table(table) => {
            1 + table
                .entries
                .iter()
                .map(|(_, value)| depth_of(value))
                .max()
                .unwrap_or(0)
        }
        _ => 0,
    }
}

/// Returns the value of a plain scalar (YAML 1.2, section 10.3.2); quoted and block scalars are text.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Kind {
    let tagged_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || tagged_text {
        return Kind::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Nothing,
        // `yes` and `on` are texts in YAML 1.2; fields with a boolean accept them as words.
        "true" | "True" | "TRUE" => Kind::Boolean(true),
        "false" | "False" | "FALSE" => Kind::Boolean(false),
        _ => number(text).unwrap_or_else(|| Kind::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Kind> {
    let prefixed = |digits: &str, radix| i64::from_str_radix(digits, radix).ok().map(Kind::Integer);
    if let Some(digits) = text.strip_prefix("0x") {
        return prefixed(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return prefixed(digits, 8);
    }
    if let Ok(integer) = text.parse() {
        return Some(Kind::Integer(integer));
    }
    // `f64` also parses words such as `inf` and `nan`, which are text.
    let numeric = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    (numeric && text.parse::<f64>().is_ok()).then_some(Kind::Number)
}
