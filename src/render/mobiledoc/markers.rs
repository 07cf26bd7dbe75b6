//! Conversion of the text of a section, which consists of markers with markups.

use serde_json::{Map, Value};

use super::{Nodes, element_at, list, malformed};
use crate::render::lexical::DocumentError;

/// The elements of text formats, each with its bit.
const FORMATS: [(&str, u32); 9] = [
    ("strong", 1),
    ("b", 1),
    ("em", 2),
    ("i", 2),
    ("s", 4),
    ("u", 8),
    ("code", 16),
    ("sub", 32),
    ("sup", 64),
];

/// Converts the markers of a section or a list item.
pub(super) struct Markers<'a> {
    document: &'a Map<String, Value>,
    nodes: Nodes,
    /// The open markups, from the outermost on.
    open: Vec<Markup>,
    /// The number of open markups for each bit.
    open_formats: [usize; 7],
    link: Option<Link<'a>>,
    /// The `rel` of the last link that had one. Following links without a `rel` get it, too (Ghost
    /// 6.65, recorded).
    rel: Option<&'a str>,
}

#[derive(Clone, Copy)]
enum Markup {
    Format(u32),
    Link,
    /// A markup that has no format in Lexical. Its text remains.
    Other,
}

/// The open link and its content so far.
struct Link<'a> {
    url: Option<&'a Value>,
    rel: Option<&'a str>,
    nodes: Nodes,
}

impl<'a> Markers<'a> {
    /// Creates a converter whose nodes have at most `bytes_max` bytes.
    pub(super) fn new(document: &'a Map<String, Value>, bytes_max: usize) -> Self {
        Self {
            document,
            nodes: Nodes::new(bytes_max),
            open: Vec::new(),
            open_formats: [0; 7],
            link: None,
            rel: None,
        }
    }

    /// Returns the nodes of these markers as JSON texts, separated by commas.
    pub(super) fn read(
        mut self,
        markers: Option<&Value>,
        position: &str,
    ) -> Result<String, DocumentError> {
        for (index, marker) in list(markers, || position.to_owned())?.iter().enumerate() {
            self.add_marker(marker, &format!("{position}[{index}]"))?;
        }
        self.close_link()?;
        Ok(self.nodes.json)
    }

    fn add_marker(&mut self, marker: &Value, position: &str) -> Result<(), DocumentError> {
        match marker.get(0).and_then(Value::as_u64) {
            Some(0) => self.add_text(marker, position),
            Some(1) => self.add_atom(marker, position),
            _ => Err(malformed(position, "is neither text (0) nor an atom (1)")),
        }
    }

    fn add_text(&mut self, marker: &Value, position: &str) -> Result<(), DocumentError> {
        for (index, markup) in list(marker.get(1), || format!("{position}[1]"))?
            .iter()
            .enumerate()
        {
            let markup_position = format!("{position}[1][{index}]");
            let markup = element_at(self.document, "markups", Some(markup), &markup_position)?;
            self.open(markup);
        }
        match marker.get(3) {
            None | Some(Value::Null) => {}
            Some(text @ (Value::String(_) | Value::Number(_))) => self.push_text(text)?,
            Some(_) => return Err(malformed(format!("{position}[3]"), "is not a string")),
        }
        let closing = marker.get(2).and_then(Value::as_u64).unwrap_or(0);
        // The number is the client's and may be huge; the loop ends with the open markups.
        for _ in 0..closing {
            let Some(markup) = self.open.pop() else {
                break;
            };
            match markup {
                Markup::Format(bit) => self.open_formats[bit.trailing_zeros() as usize] -= 1,
                Markup::Link => self.close_link()?,
                Markup::Other => {}
            }
        }
        Ok(())
    }

    /// Adds an atom. Only line breaks are supported. Markups that an atom opens or closes are
    /// ignored (Ghost 6.65, recorded), and a line break in a link moves before the link.
    fn add_atom(&mut self, marker: &Value, position: &str) -> Result<(), DocumentError> {
        let atom_position = format!("{position}[3]");
        let atom = element_at(self.document, "atoms", marker.get(3), &atom_position)?;
        if atom.get(0).and_then(Value::as_str) == Some("soft-return") {
            self.nodes.push(r#"{"type":"linebreak","version":1}"#)?;
        }
        Ok(())
    }

    fn open(&mut self, markup: &'a Value) {
        let tag = markup.get(0).and_then(Value::as_str).unwrap_or_default();
        let markup = if tag == "a" {
            self.open_link(markup.get(1));
            Markup::Link
        } else if let Some((_, bit)) = FORMATS.iter().find(|(name, _)| *name == tag) {
            self.open_formats[bit.trailing_zeros() as usize] += 1;
            Markup::Format(*bit)
        } else {
            Markup::Other
        };
        self.open.push(markup);
    }

    /// Opens a link with these attributes, alternating names and values. The URL is only recognised
    /// as the first attribute, and `rel` only as the second one (Ghost 6.65, observed).
    fn open_link(&mut self, attributes: Option<&'a Value>) {
        let attribute = |index: usize| attributes.and_then(|attributes| attributes.get(index));
        let mut url = None;
        if attribute(0).and_then(Value::as_str) == Some("href") {
            url = attribute(1);
        }
        if attribute(2).and_then(Value::as_str) == Some("rel") {
            let rel = attribute(3).and_then(Value::as_str);
            self.rel = rel.filter(|rel| !rel.is_empty());
        }
        let has_content = (self.link.as_ref()).is_some_and(|link| !link.nodes.json.is_empty());
        // A link inside a link belongs to the outer one.
        if !has_content {
            self.link = Some(Link {
                url,
                rel: self.rel,
                nodes: Nodes::new(self.nodes.bytes_max),
            });
        }
    }

    fn close_link(&mut self) -> Result<(), DocumentError> {
        let Some(link) = self.link.take() else {
            return Ok(());
        };
        let url = link.url.map(|url| format!(r#""url":{url},"#));
        self.nodes.push(&format!(
            r#"{{"children":[{}],"direction":"ltr","format":"","indent":0,"type":"link","rel":{},"target":null,"title":null,{}"version":1}}"#,
            link.nodes.json,
            Value::from(link.rel),
            url.unwrap_or_default()
        ))
    }

    fn push_text(&mut self, text: &Value) -> Result<(), DocumentError> {
        let bits = self.open_formats.iter().enumerate();
        let format = bits.fold(0, |format, (bit, &open)| {
            format | u32::from(open > 0) << bit
        });
        let nodes = (self.link.as_mut()).map_or(&mut self.nodes, |link| &mut link.nodes);
        nodes.push(&format!(
            r#"{{"detail":0,"format":{format},"mode":"normal","style":"","text":{},"type":"text","version":1}}"#,
            text
        ))
    }
}
