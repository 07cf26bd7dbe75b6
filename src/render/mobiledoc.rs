//! Conversion of Mobiledoc, the documents of Ghost 1 to 4, to Lexical.
//!
//! A Mobiledoc is a list of sections. The text of a section consists of markers. Each marker
//! specifies the markups that open before its text, and the number of open markups that close after
//! it. Markups, atoms (inline elements other than text) and cards are stored in separate lists and
//! referred to by index.
//!
//! The rules are those of Ghost 6.65 (recorded), with one exception: in Ghost, the text of an
//! unclosed link is lost.

mod import;
mod markers;

use serde_json::{Map, Value};

use self::markers::Markers;
use super::lexical::{self, DOCUMENT_BYTES_MAX, DocumentError};
use super::limits::{Budget, Excess, JsonCost, TEXT_BYTES_MAX};

pub use self::import::clean_for_import;

/// Returns the Lexical document, as JSON text, for this Mobiledoc (JSON text, version 0.3.1).
///
/// The document has no nodes if the Mobiledoc has no sections.
///
/// # Errors
///
/// If it is not a Mobiledoc, or if the result is longer than documents may be, as a card may occur
/// many times.
pub fn to_lexical(mobiledoc: &str) -> Result<String, DocumentError> {
    converted(mobiledoc, DOCUMENT_BYTES_MAX)
}

/// Converts a Mobiledoc from a client to the document that is stored.
///
/// # Errors
///
/// As [`to_lexical`] and [`lexical::accepted`], whose limits apply to both documents.
pub fn accepted(mobiledoc: &str) -> Result<String, DocumentError> {
    let budget = Budget::of_sent(mobiledoc.len())?;
    // Before parsing, since the tree is what takes the memory.
    check(mobiledoc)?;
    let lexical = converted(mobiledoc, budget.bytes().min(TEXT_BYTES_MAX))?;
    lexical::accepted_within(&lexical, budget)
}

/// Checks that a Mobiledoc from another system is within the [limits](super::limits).
///
/// # Errors
///
/// If it exceeds the limits.
pub fn check(mobiledoc: &str) -> Result<(), DocumentError> {
    let mut tree = Budget::of_sent(mobiledoc.len())?;
    Ok(tree.take_json(mobiledoc.as_bytes(), JsonCost::OF_VALUES)?)
}

/// Converts to a Lexical document of at most `bytes_max` bytes.
fn converted(mobiledoc: &str, bytes_max: usize) -> Result<String, DocumentError> {
    let document = parse(mobiledoc)?;
    let mut nodes = Nodes::new(bytes_max);
    let sections = list(document.get("sections"), || "sections".to_owned())?;
    for (index, section) in sections.iter().enumerate() {
        nodes.add_section(&document, section, &format!("sections[{index}]"))?;
    }
    let direction = if nodes.has_text { "\"ltr\"" } else { "null" };
    Ok(format!(
        r#"{{"root":{{"children":[{}],"direction":{direction},"format":"","indent":0,"type":"root","version":1}}}}"#,
        nodes.json
    ))
}

/// Parses the JSON of a Mobiledoc. An empty string is an empty document.
fn parse(mobiledoc: &str) -> Result<Map<String, Value>, DocumentError> {
    if mobiledoc.len() > DOCUMENT_BYTES_MAX {
        return Err(DocumentError::TooLong {
            bytes: mobiledoc.len(),
        });
    }
    if mobiledoc.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(mobiledoc) {
        Ok(Value::Object(document)) => Ok(document),
        Ok(_) => Err(malformed("the document", "is not an object")),
        Err(error) => Err(DocumentError::NotJson(error.to_string())),
    }
}

/// Returns the elements of an optional list, which is at `position`.
fn list(
    value: Option<&Value>,
    position: impl FnOnce() -> String,
) -> Result<&[Value], DocumentError> {
    match value {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(elements)) => Ok(elements),
        Some(_) => Err(malformed(position(), "is not a list")),
    }
}

/// Returns the element at `index` of the document's list `name`. `position` is the position of the
/// reference to it.
fn element_at<'a>(
    document: &'a Map<String, Value>,
    name: &'static str,
    index: Option<&Value>,
    position: &str,
) -> Result<&'a Value, DocumentError> {
    let elements = document.get(name).and_then(Value::as_array);
    index
        .and_then(Value::as_u64)
        .and_then(|index| elements?.get(usize::try_from(index).ok()?))
        .ok_or_else(|| {
            malformed(
                position,
                format!("refers to no element of the list \"{name}\""),
            )
        })
}

fn malformed(position: impl Into<String>, problem: impl Into<String>) -> DocumentError {
    DocumentError::Malformed {
        position: position.into(),
        problem: problem.into(),
    }
}

/// Nodes as JSON text, separated by commas.
struct Nodes {
    json: String,
    /// The maximum length of `json`, in bytes.
    bytes_max: usize,
    /// True if one of the nodes is a list or a non-empty block of text. Such a document has a
    /// direction (Ghost 6.65, observed).
    has_text: bool,
}

impl Nodes {
    fn new(bytes_max: usize) -> Self {
        Self {
            json: String::new(),
            bytes_max,
            has_text: false,
        }
    }

    fn push(&mut self, node: &str) -> Result<(), DocumentError> {
        if !self.json.is_empty() {
            self.json.push(',');
        }
        self.json.push_str(node);
        match self.json.len() {
            bytes if bytes > DOCUMENT_BYTES_MAX => Err(DocumentError::TooLong { bytes }),
            bytes if bytes > self.bytes_max => Err(Excess::Form.into()),
            _ => Ok(()),
        }
    }

    /// Adds the nodes of a section. Image sections (2) are ignored: only the earliest Mobiledocs
    /// contain them, and Ghost never wrote any. Sections of unknown kinds are ignored as well.
    fn add_section(
        &mut self,
        document: &Map<String, Value>,
        section: &Value,
        position: &str,
    ) -> Result<(), DocumentError> {
        let Value::Array(section) = section else {
            return Err(malformed(position, "is not a list"));
        };
        match section.first().and_then(Value::as_u64) {
            Some(1) => self.add_block(document, section, position),
            Some(3) => self.add_list(document, section, position),
            Some(10) => self.add_card(document, section.get(1), position),
            _ => Ok(()),
        }
    }

    fn add_block(
        &mut self,
        document: &Map<String, Value>,
        section: &[Value],
        position: &str,
    ) -> Result<(), DocumentError> {
        let markers_position = format!("{position}[2]");
        let children =
            Markers::new(document, self.bytes_max).read(section.get(2), &markers_position)?;
        let tag = section.get(1).and_then(Value::as_str).unwrap_or("p");
        let kind = match tag {
            "p" => r#""type":"paragraph""#.to_owned(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                format!(r#""type":"heading","tag":"{tag}""#)
            }
            "blockquote" => r#""type":"quote""#.to_owned(),
            other => format!(r#""type":{}"#, Value::from(other)),
        };
        self.has_text |= !children.is_empty();
        self.push(&format!(
            r#"{{"children":[{children}],"direction":"ltr","format":"","indent":0,{kind},"version":1}}"#
        ))
    }

    fn add_list(
        &mut self,
        document: &Map<String, Value>,
        section: &[Value],
        position: &str,
    ) -> Result<(), DocumentError> {
        let mut items = Nodes::new(self.bytes_max);
        let item_lists = list(section.get(2), || format!("{position}[2]"))?;
        for (index, item) in item_lists.iter().enumerate() {
            let item_position = format!("{position}[2][{index}]");
            let children =
                Markers::new(document, self.bytes_max).read(Some(item), &item_position)?;
            items.push(&format!(
                r#"{{"children":[{children}],"direction":"ltr","format":"","indent":0,"type":"listitem","value":{},"version":1}}"#,
                index + 1
            ))?;
        }
        let tag = section.get(1).and_then(Value::as_str).unwrap_or("ul");
        let kind = if tag == "ul" { "bullet" } else { "number" };
        self.has_text = true;
        self.push(&format!(
            r#"{{"children":[{}],"direction":"ltr","format":"","indent":0,"tag":{},"type":"list","listType":"{kind}","start":1,"version":1}}"#,
            items.json,
            Value::from(tag)
        ))
    }

    fn add_card(
        &mut self,
        document: &Map<String, Value>,
        index: Option<&Value>,
        position: &str,
    ) -> Result<(), DocumentError> {
        let card = element_at(document, "cards", index, position)?;
        let name = card.get(0).and_then(Value::as_str);
        let Some(name) = name else {
            return Err(malformed(position, "refers to a card without a name"));
        };
        let payload = match card.get(1) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(payload)) => payload.clone(),
            Some(_) => {
                return Err(malformed(
                    position,
                    "refers to a card whose payload is not an object",
                ));
            }
        };
        self.push(&card_node(name, payload).to_string())
    }
}

/// Returns the node of a card: its payload with the current name of the card.
fn card_node(name: &str, mut payload: Map<String, Value>) -> Value {
    let kind = match name {
        "hr" => "horizontalrule",
        "code" => "codeblock",
        _ => name,
    };
    // `type` is the kind of the node, so the payload's own `type` is renamed.
    if name == "embed"
        && let Some(embed_kind) = payload.get("type").cloned()
    {
        payload.insert("embedType".to_owned(), embed_kind);
    }
    // If the background of a callout is a CSS colour, it is replaced by a colour name.
    if name == "callout"
        && let Some(Value::String(colour)) = payload.get_mut("backgroundColor")
        && !colour
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        *colour = "white".to_owned();
    }
    let mut node = Map::from_iter([("type".to_owned(), Value::from(kind))]);
    node.extend(payload.into_iter().filter(|(key, _)| key != "type"));
    Value::Object(node)
}
