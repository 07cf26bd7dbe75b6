//! Parses YAML to a tree with positions.

use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput};

use super::tree::{Entry, Layout, Node, NodeKind};

/// Maximum nesting of lists and tables.
const DEPTH_MAX: usize = 32;

/// Returns the tree of a document; `None` if it is empty or not a table.
pub fn parse(text: &str) -> Result<Option<Node>, String> {
    let mut reader = TreeReader {
        parser: Parser::new_from_str(text),
        positions: text
            .char_indices()
            .map(|(position, _)| position)
            .chain([text.len()])
            .collect(),
        text,
    };
    loop {
        match reader.next()? {
            (Event::StreamEnd | Event::DocumentEnd, _) => return Ok(None),
            (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
            (event, span) => {
                let node = reader.node(event, span, 0)?;
                let is_table = node.table().is_some();
                return Ok(is_table.then_some(node));
            }
        }
    }
}

struct TreeReader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// The byte offset of each character, and of the end.
    positions: Vec<usize>,
    text: &'t str,
}

impl<'t> TreeReader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), String> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(error.info().to_owned()),
            None => Err("it ends unexpectedly".to_owned()),
        }
    }

    fn position(&self, marker: Marker) -> usize {
        self.positions[marker.index().min(self.positions.len() - 1)]
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, String> {
        if depth > DEPTH_MAX {
            return Err("lists and tables are nested too deeply".to_owned());
        }
        let start = self.position(span.start);
        let written = &self.text[start..self.position(span.end).max(start)];
        let end = start + written.trim_end().len();
        // The first event of a list or table in brackets covers the bracket; in other lists and
        // tables it covers no text.
        let layout = if written.ends_with(['[', '{']) {
            Layout::Flow
        } else {
            Layout::Block
        };
        match event {
            Event::Alias(_) => Ok(Node {
                span: start..end,
                kind: NodeKind::Scalar('*', String::new()),
            }),
            Event::Scalar(text, style, ..) => Ok(self.scalar(text.into_owned(), style, start..end)),
            Event::SequenceStart(..) => {
                let (items, closing) = self.items(depth)?;
                let end = match (layout, items.last()) {
                    (Layout::Block, Some(last)) => last.span.end,
                    _ => self.end_of_flow(closing),
                };
                Ok(Node {
                    span: start..end,
                    kind: NodeKind::List(layout, items),
                })
            }
            Event::MappingStart(..) => {
                let (entries, closing) = self.entries(depth)?;
                let end = match (layout, entries.last()) {
                    (Layout::Block, Some(last)) => last.value.span.end.max(last.key_span.end),
                    _ => self.end_of_flow(closing),
                };
                Ok(Node {
                    span: start..end,
                    kind: NodeKind::Table(layout, entries),
                })
            }
            _ => Err("it ends unexpectedly".to_owned()),
        }
    }

    /// Returns the node of a scalar with the parser's `span`, whose end is corrected for quotation marks.
    fn scalar(&self, text: String, style: ScalarStyle, span: Range<usize>) -> Node {
        let first = match style {
            ScalarStyle::Literal => '|',
            ScalarStyle::Folded => '>',
            ScalarStyle::SingleQuoted => '\'',
            ScalarStyle::DoubleQuoted => '"',
            ScalarStyle::Plain => 'a',
        };
        let end = match first {
            '"' | '\'' => self.end_of_quotes(span.start, first).unwrap_or(span.end),
            _ => span.end,
        };
        Node {
            span: span.start..end,
            kind: NodeKind::Scalar(first, text),
        }
    }

    /// Reads the items of a list and its end.
    fn items(&mut self, depth: usize) -> Result<(Vec<Node>, Span), String> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((items, span)),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    /// Reads the entries of a table and its end.
    fn entries(&mut self, depth: usize) -> Result<(Vec<Entry>, Span), String> {
        let mut entries = Vec::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, span) => return Ok((entries, span)),
                (event, span) => self.node(event, span, depth + 1)?,
            };
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            let NodeKind::Scalar(_, text) = key.kind else {
                return Err("a key is not text".to_owned());
            };
            entries.push(Entry {
                key: text,
                key_span: key.span,
                value,
            });
        }
    }

    /// Returns the end of a list or table in brackets; the parser's end includes the comment after it.
    fn end_of_flow(&self, closing: Span) -> usize {
        (self.position(closing.start) + 1).min(self.text.len())
    }

    /// Returns the end of a scalar in quotation marks; the parser's end includes the spaces after it.
    fn end_of_quotes(&self, start: usize, mark: char) -> Option<usize> {
        let opening = start + self.text[start..].find(mark)?;
        let mut characters = self.text[opening + 1..].char_indices().peekable();
        while let Some((offset, character)) = characters.next() {
            match character {
                '\\' if mark == '"' => drop(characters.next()),
                '\'' if mark == '\'' && characters.next_if(|(_, next)| *next == '\'').is_some() => {
                }
                _ if character == mark => return Some(opening + 2 + offset),
                _ => {}
            }
        }
        None
    }
}
