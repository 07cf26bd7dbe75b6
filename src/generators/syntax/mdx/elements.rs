//! Converts tags of MDX to HTML, and their attributes to arguments.

use std::fmt::Write as _;

use serde_json::Value;

use crate::generators::syntax::{
    arguments::Arguments,
    mdx::{
        statements::Module,
        tokens::{Attribute, MdxTag, TagSide, VOID},
    },
    setting_text::scalar_text,
};

/// Returns whether a name is the name of an HTML element.
pub fn is_element(name: &str) -> bool {
    name.starts_with(|character: char| character.is_ascii_lowercase()) && !name.contains('.')
}

/// Returns the tag as HTML, and the names of attributes with unknown values.
pub fn opening<'t>(tag: &MdxTag<'t>, module: &Module) -> (String, Vec<&'t str>) {
    let mut html = format!("<{}", tag.name);
    let mut unknown = Vec::new();
    for (name, value) in &tag.attributes {
        let Some(known) = html_name(name) else {
            continue;
        };
        let value = match value {
            Attribute::Bare => Some(None),
            Attribute::Text(text) => Some(Some((*text).to_owned())),
            Attribute::Expression(expression) => attribute_value(&known, expression, module),
        };
        match value {
            Some(None) => {
                let _ = write!(html, " {known}");
            }
            Some(Some(value)) => {
                let _ = write!(html, " {known}=\"{}\"", attribute_text(&value));
            }
            // React leaves out attributes with these values.
            None if is_false(tag, name) => {}
            None => unknown.push(*name),
        }
    }
    html.push('>');
    // In HTML, `<div/>` would be an opening tag.
    if tag.side == TagSide::Alone && !VOID.contains(&tag.name) {
        let _ = write!(html, "</{}>", tag.name);
    }
    (html, unknown)
}

/// Returns the value of an attribute in HTML: `Some(None)` for an attribute without a value.
fn attribute_value(name: &str, expression: &str, module: &Module) -> Option<Option<String>> {
    match module.value(expression)? {
        Value::Object(style) if name == "style" => Some(Some(style_text(&style))),
        Value::Bool(true) => Some(None),
        value => scalar_text(&value)
            .filter(|_| value != Value::Bool(false))
            .map(Some),
    }
}

fn is_false(tag: &MdxTag<'_>, name: &str) -> bool {
    tag.attributes.iter().any(|(known, value)| {
        *known == name && matches!(value, Attribute::Expression(text) if ["false", "null", "undefined"].contains(&text.trim()))
    })
}

/// Converts `style={{ maxWidth: 300 }}` to `max-width:300px`.
fn style_text(style: &serde_json::Map<String, Value>) -> String {
    // React adds `px` to numbers, except in these properties.
    const WITHOUT_UNIT: [&str; 8] = [
        "opacity",
        "zIndex",
        "fontWeight",
        "lineHeight",
        "flex",
        "flexGrow",
        "order",
        "flexShrink",
    ];
    let mut text = String::new();
    for (name, value) in style {
        let Some(mut written) = scalar_text(value) else {
            continue;
        };
        if value.is_number() && written != "0" && !WITHOUT_UNIT.contains(&name.as_str()) {
            written.push_str("px");
        }
        let _ = write!(text, "{}:{written};", with_hyphens(name));
    }
    text
}

fn with_hyphens(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}

/// Returns the name of an attribute in HTML; `None` for attributes of the framework.
fn html_name(name: &str) -> Option<String> {
    let is_handler = name.len() > 2
        && name.starts_with("on")
        && name[2..].starts_with(|character: char| character.is_ascii_uppercase());
    let is_plain = name
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || "-_".contains(character));
    if is_handler || ["key", "ref", "dangerouslySetInnerHTML"].contains(&name) || !is_plain {
        // Attributes such as `client:load` also belong to the framework.
        return None;
    }
    let is_svg_attribute = ["stroke", "fill", "clip", "stop", "font", "text"]
        .iter()
        .any(|start| {
            name.strip_prefix(start).is_some_and(|rest| {
                rest.starts_with(|character: char| character.is_ascii_uppercase())
            })
        });
    Some(match name {
        "className" => "class".to_owned(),
        "htmlFor" => "for".to_owned(),
        _ if is_svg_attribute => with_hyphens(name),
        "viewBox" | "preserveAspectRatio" | "gradientUnits" | "gradientTransform" => {
            name.to_owned()
        }
        _ => name.to_ascii_lowercase(),
    })
}

/// Returns the HTML that an attribute sets as the content of the tag, if its value is known: `set:html` and `set:text` of
/// Astro, `dangerouslySetInnerHTML` of React. Blank lines are replaced with comments.
pub fn inner_html(tag: &MdxTag<'_>, module: &Module) -> Option<String> {
    let inner = tag.attributes.iter().find_map(|(name, value)| {
        let value = match value {
            Attribute::Bare => return None,
            Attribute::Text(text) => Value::String((*text).to_owned()),
            Attribute::Expression(expression) => module.value(expression)?,
        };
        match (*name, value) {
            ("set:html", Value::String(html)) => Some(html),
            ("set:text", Value::String(text)) => Some(escaped_text(&text)),
            ("dangerouslySetInnerHTML", Value::Object(html)) => {
                Some(html.get("__html")?.as_str()?.to_owned())
            }
            _ => None,
        }
    })?;
    let lines = inner.trim_end_matches('\n').lines();
    // A blank line would end the HTML block.
    let lines = lines.map(|line| {
        if line.trim().is_empty() {
            "<!-- -->"
        } else {
            line
        }
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn escaped_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn attribute_text(text: &str) -> String {
    text.replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('\n', " ")
}

/// Returns the attributes with known values, as arguments.
pub fn arguments(tag: &MdxTag<'_>, module: &Module) -> Arguments {
    let mut arguments = Arguments::default();
    for (name, value) in &tag.attributes {
        match value {
            Attribute::Bare => arguments.add(name, "true"),
            Attribute::Text(text) => arguments.add(name, decoded(text)),
            Attribute::Expression(expression) => match module.value(expression) {
                Some(Value::Object(map)) => {
                    // `sources={{ light, dark }}`, `src={{ src: … }}`.
                    let inside = ["light", "src", "default"]
                        .iter()
                        .find_map(|key| map.get(*key));
                    if let Some(text) = inside.and_then(scalar_text) {
                        let name = if *name == "sources" { "src" } else { name };
                        arguments.add(name, text);
                    }
                }
                Some(value) => {
                    if let Some(text) = scalar_text(&value) {
                        arguments.add(name, text);
                    }
                }
                None => {}
            },
        }
    }
    arguments
}

/// Returns the labels of tabs by their values, from `items={['a']}` or `values={[{value, label}]}`.
pub fn labels(tag: &MdxTag<'_>, module: &Module) -> Vec<(String, String)> {
    let list = tag.attributes.iter().find_map(|(name, value)| match value {
        Attribute::Expression(expression) if ["items", "values"].contains(name) => {
            module.value(expression)
        }
        _ => None,
    });
    let Some(Value::Array(list)) = list else {
        return Vec::new();
    };
    let field = |item: &Value, name: &str| item.get(name).and_then(scalar_text);
    list.iter()
        .filter_map(|item| {
            let label = scalar_text(item).or_else(|| field(item, "label"))?;
            let value = field(item, "value").unwrap_or_else(|| label.clone());
            Some((value, label))
        })
        .collect()
}

fn decoded(text: &str) -> String {
    // Attributes of JSX may contain entities. `&amp;` is last, so that `&amp;lt;` is decoded once.
    text.replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&apos;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}
