//! Nodes of a document as blocks of Markdown.
//!
//! The results are proposals: the caller checks whether they are read back as the same node. This module therefore does not
//! detect content that Markdown cannot express, and omits rare nodes.

use serde_json::Value;

use super::inline::{FormatSyntax, Inline, attribute};
use crate::content_text::url_form::UrlWriter;

/// Maximum nesting of lists that is written.
const DEPTH_MAX: usize = 16;

/// Returns the Markdown forms of a node, the most readable first. `before` is the preceding block.
pub fn of_node(node: &Value, form: &dyn UrlWriter, before: Option<&str>) -> Vec<String> {
    let styles = [FormatSyntax::Delimiters, FormatSyntax::Tags];
    let inline = |style| Inline { form, style };
    let children = || node["children"].as_array().map(Vec::as_slice);
    let each = |write: &dyn Fn(Inline<'_>, &[Value]) -> Option<String>| {
        let Some(children) = children() else {
            return Vec::new();
        };
        let mut variants: Vec<String> = styles
            .into_iter()
            .filter_map(|style| write(inline(style), children))
            .collect();
        variants.dedup();
        variants
    };
    match node["type"].as_str().unwrap_or_default() {
        "paragraph" => each(&|inline, children| {
            if children.is_empty() {
                Some("<p></p>".to_owned())
            } else {
                inline.write(children)
            }
        }),
        "heading" | "extended-heading" => each(&|inline, children| heading(node, inline, children)),
        "quote" | "extended-quote" => each(&|inline, children| quote(inline, children)),
        "list" => each(&|inline, _| {
            let lines = list(node, inline, is_other_marker(before), 0)?;
            Some(lines.join("\n"))
        }),
        "horizontalrule" => vec!["---".to_owned()],
        "paywall" => vec!["<!--members-only-->".to_owned()],
        "codeblock" => code(node),
        "image" => image(node, form),
        "html" => html(node, form),
        "markdown" => vec![form.markdown(text(node, "markdown"))],
        _ => Vec::new(),
    }
}

fn text<'n>(node: &'n Value, key: &str) -> &'n str {
    node[key].as_str().unwrap_or_default()
}

fn heading(node: &Value, inline: Inline<'_>, children: &[Value]) -> Option<String> {
    let level: usize = text(node, "tag").strip_prefix('h')?.parse().ok()?;
    let words = inline.write(children)?;
    // A heading with `#` ends with its line.
    let is_one_line = (1..=6).contains(&level) && !words.contains('\n');
    is_one_line.then(|| format!("{} {words}", "#".repeat(level)))
}

/// Writes a quote, in which two line breaks begin another paragraph.
fn quote(inline: Inline<'_>, children: &[Value]) -> Option<String> {
    let is_break = |node: &Value| node["type"] == "linebreak";
    let mut paragraphs = Vec::new();
    let mut rest = children;
    while let Some(position) = rest.windows(2).position(|pair| pair.iter().all(is_break)) {
        paragraphs.push(inline.write(&rest[..position])?);
        rest = &rest[position + 2..];
    }
    paragraphs.push(inline.write(rest)?);
    let lines = paragraphs.join("\n\n");
    let quoted: Vec<String> = lines
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    Some(quoted.join("\n"))
}

/// Returns whether a list needs other markers, to be distinguished from a list before it.
fn is_other_marker(before: Option<&str>) -> bool {
    let Some(start) = before.and_then(|before| before.lines().next()) else {
        return false;
    };
    let number = start.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_numbered = number.len() < start.len() && number.starts_with(". ");
    start.starts_with("- ") || start == "-" || is_numbered
}

fn list(node: &Value, inline: Inline<'_>, is_other: bool, depth: usize) -> Option<Vec<String>> {
    let items = node["children"].as_array().filter(|_| depth < DEPTH_MAX)?;
    let start = node["start"].as_u64().unwrap_or(1);
    let mut lines: Vec<String> = Vec::new();
    let mut number = start;
    let mut width = None;
    for item in items {
        let children = item["children"].as_array()?;
        if let [inner] = children.as_slice()
            && inner["type"] == "list"
        {
            // A list in a separate item belongs to the preceding item.
            let indent = " ".repeat(width?);
            let inner = list(inner, inline, false, depth + 1)?;
            lines.extend(inner.iter().map(|line| format!("{indent}{line}")));
            continue;
        }
        let marker = match (text(node, "listType"), is_other) {
            ("number", false) => format!("{number}."),
            ("number", true) => format!("{number})"),
            ("bullet", false) => "-".to_owned(),
            ("bullet", true) => "*".to_owned(),
            _ => return None,
        };
        number += 1;
        let indent = marker.len() + 1;
        let words = inline.write(children)?;
        for (position, line) in words.split('\n').enumerate() {
            let lead = match position {
                0 => format!("{marker} "),
                _ => " ".repeat(indent),
            };
            lines.push(format!("{lead}{line}").trim_end().to_owned());
        }
        width = Some(indent);
    }
    Some(lines)
}

fn code(node: &Value) -> Vec<String> {
    let code = text(node, "code");
    let longest = code.split(|character| character != '`').map(str::len).max();
    // A fence has at least three backticks, and more than any run of them in the code.
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    let code = if code.is_empty() {
        String::new()
    } else {
        format!("{code}\n")
    };
    vec![format!("{fence}{}\n{code}{fence}", text(node, "language"))]
}

/// Returns an image as Markdown, as a tag with its size, and as a figure with its caption.
fn image(node: &Value, form: &dyn UrlWriter) -> Vec<String> {
    let source = form.url(text(node, "src"));
    let inline = Inline {
        form,
        style: FormatSyntax::Delimiters,
    };
    let markdown = format!(
        "!{}",
        inline.link(
            &inline.escaped(text(node, "alt")),
            source,
            text(node, "title")
        )
    );
    let mut tag = format!("<img src=\"{}\"", attribute(source));
    for name in ["alt", "title"] {
        if !text(node, name).is_empty() {
            tag += &format!(" {name}=\"{}\"", attribute(text(node, name)));
        }
    }
    for name in ["width", "height"] {
        if node[name].is_number() {
            tag += &format!(" {name}=\"{}\"", node[name]);
        }
    }
    tag.push('>');
    let linked = match text(node, "href") {
        "" => tag.clone(),
        href => format!("<a href=\"{}\">{tag}</a>", attribute(form.url(href))),
    };
    let width = match text(node, "cardWidth") {
        "" | "regular" => String::new(),
        width => format!(" kg-width-{width}"),
    };
    let caption = match text(node, "caption") {
        "" => String::new(),
        caption => format!("<figcaption>{}</figcaption>", form.markup(caption)),
    };
    let figure =
        format!("<figure class=\"kg-card kg-image-card{width}\">{linked}{caption}</figure>");
    vec![markdown, tag, figure]
}

/// Returns raw HTML between the comments that delimit the card.
fn html(node: &Value, form: &dyn UrlWriter) -> Vec<String> {
    let html = form.markup(text(node, "html"));
    vec![format!(
        "<!--kg-card-begin: html-->\n{html}\n<!--kg-card-end: html-->"
    )]
}
