//! Converts Vue components in documents of VitePress and VuePress. They are not run: a badge shows its text, and others are
//! dropped or become elements with their content.

use std::collections::HashMap;

use crate::generators::syntax::{ExpandedText, code::Code, escape::html, writer::ExpansionWriter};

/// Maximum length of a tag, in bytes.
const TAG_BYTES_MAX: usize = 2_000;

/// The tag of a component.
struct ComponentTag<'t> {
    start: usize,
    end: usize,
    name: &'t str,
    attributes: &'t str,
    kind: TagKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Opens,
    Closes,
    Alone,
}

/// Converts the components of a text, whose names begin with a capital letter.
pub fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let tags = tags_in(text);
    let partners = partners_of(&tags);
    let mut names = vec![""; tags.len()];
    for (index, tag) in tags.iter().enumerate() {
        writer.copy_to(tag.start);
        let line = text[..tag.start].rsplit('\n').next().unwrap_or_default();
        let output = match (tag.kind, partners[index]) {
            (TagKind::Closes, Some(_)) => format!("</{}>", names[index]),
            (TagKind::Opens, Some(end)) => {
                let is_block = line.trim().is_empty() && tag.name != "Badge";
                // The end tag gets the same name as the start tag.
                names[end] = if is_block { "div" } else { "span" };
                opened(&mut writer, tag, names[end])
            }
            _ => alone(&mut writer, tag),
        };
        writer.put(&output);
        writer.skip_to(tag.end);
    }
    writer.finish()
}

/// Returns the start tag that replaces the start tag of a component.
fn opened(writer: &mut ExpansionWriter<'_>, tag: &ComponentTag<'_>, name: &str) -> String {
    match tag.name {
        "Badge" => badge(tag.attributes),
        // `ClientOnly` renders its content in browsers only.
        "ClientOnly" => format!("<{name}>"),
        known => {
            let message = format!("the component `{known}` is not known; its content stays");
            writer.remark(tag.start, message);
            format!("<{name}>")
        }
    }
}

/// Returns the HTML that replaces a component without content.
fn alone(writer: &mut ExpansionWriter<'_>, tag: &ComponentTag<'_>) -> String {
    match (tag.name, attribute(tag.attributes, "text")) {
        ("Badge", Some(text)) => format!("{}{}</span>", badge(tag.attributes), html(text)),
        (name, _) => {
            let message = format!("the component `{name}` is not known and is left out");
            writer.remark(tag.start, message);
            String::new()
        }
    }
}

/// Returns the start tag of a badge.
fn badge(attributes: &str) -> String {
    let kind = attribute(attributes, "type").unwrap_or("tip");
    format!("<span class=\"VPBadge {}\">", html(kind))
}

/// Returns the value of an attribute.
fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let mut found = attributes.match_indices(name);
    found.find_map(|(start, _)| {
        let is_own = attributes[..start].ends_with(char::is_whitespace);
        let value = attributes[start + name.len()..].strip_prefix('=')?;
        let quote = value
            .chars()
            .next()
            .filter(|quote| "\"'".contains(*quote))?;
        let value = value[1..].split(quote).next()?;
        is_own.then_some(value)
    })
}

/// Returns the tags of components outside of code and comments.
fn tags_in(text: &str) -> Vec<ComponentTag<'_>> {
    let code = Code::and_comments(text);
    let mut tags = Vec::new();
    let mut offset = 0;
    while let Some(found) = text[offset..].find('<') {
        let start = offset + found;
        offset = start + 1;
        if let Some(code) = code.at(start) {
            offset = code.end;
        } else if text[start..].starts_with("<!--") {
            // `Code` contains comments over several lines only.
            let length = text[start..].find("-->");
            offset = length.map_or(text.len(), |length| start + length);
        } else if let Some(tag) = tag_at(text, start) {
            offset = tag.end;
            tags.push(tag);
        }
    }
    tags
}

fn tag_at(text: &str, start: usize) -> Option<ComponentTag<'_>> {
    let rest = &text[start + 1..text.floor_char_boundary((start + TAG_BYTES_MAX).min(text.len()))];
    let named = rest.strip_prefix('/').unwrap_or(rest);
    let length = named.find(|character: char| !character.is_ascii_alphanumeric())?;
    let (name, attributes) = named.split_at(length);
    let is_component = name.len() > 1 && name.starts_with(|first: char| first.is_ascii_uppercase());
    if !is_component || !attributes.starts_with([' ', '\t', '\n', '/', '>']) {
        return None;
    }
    let mut quote = None;
    let length = attributes.find(|character| match quote {
        Some(open) => {
            quote = (open != character).then_some(open);
            false
        }
        None if "\"'".contains(character) => {
            quote = Some(character);
            false
        }
        None => character == '>',
    })?;
    let attributes = &attributes[..length];
    let kind = match (rest.starts_with('/'), attributes.ends_with('/')) {
        (true, _) => TagKind::Closes,
        (false, true) => TagKind::Alone,
        (false, false) => TagKind::Opens,
    };
    Some(ComponentTag {
        start,
        end: start + 1 + (rest.len() - named.len()) + name.len() + length + 1,
        name,
        attributes,
        kind,
    })
}

/// Returns, for each tag, the index of its partner.
fn partners_of(tags: &[ComponentTag<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tags.len()];
    let mut open: Vec<usize> = Vec::new();
    // The number of open tags by name, so that closing tags without a partner are found without a search: many of them would
    // take quadratic time.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (index, tag) in tags.iter().enumerate() {
        match tag.kind {
            TagKind::Opens => {
                open.push(index);
                *counts.entry(tag.name).or_default() += 1;
            }
            TagKind::Closes if counts.get(tag.name).is_none_or(|count| *count == 0) => {}
            TagKind::Closes => {
                let opening = open
                    .iter()
                    .rposition(|opened| tags[*opened].name == tag.name);
                if let Some(position) = opening {
                    let opening = open[position];
                    for closed in open.drain(position..) {
                        counts
                            .entry(tags[closed].name)
                            .and_modify(|count| *count -= 1);
                    }
                    partners[opening] = Some(index);
                    partners[index] = Some(opening);
                }
            }
            TagKind::Alone => {}
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_left_out_or_become_elements() {
        for (text, expected) in [
            (
                "# A <Badge type=\"info\" text=\"new\" />\n",
                "# A <span class=\"VPBadge info\">new</span>\n",
            ),
            (
                "a <Badge>b</Badge>\n",
                "a <span class=\"VPBadge tip\">b</span>\n",
            ),
            ("<Demo :a=\"b > c\"/>\nd\n", "\nd\n"),
            ("<Tabs>\n\n*a*\n\n</Tabs>\n", "<div>\n\n*a*\n\n</div>\n"),
            ("a <Tip>b</Tip> c\n", "a <span>b</span> c\n"),
            ("a <Odd> b\n", "a  b\n"),
            (
                "`<Demo />`\n<!-- <Demo /> -->\n<div>a</div>\n",
                "`<Demo />`\n<!-- <Demo /> -->\n<div>a</div>\n",
            ),
        ] {
            assert_eq!(pass(text).text, expected, "{text}");
        }
        let expanded = pass("a\n<Demo />\n<Tabs>b</Tabs>\n");
        let remarks: Vec<&str> = expanded
            .remarks
            .iter()
            .map(|one| one.text.as_str())
            .collect();
        assert_eq!(
            remarks,
            [
                "the component `Demo` is not known and is left out",
                "the component `Tabs` is not known; its content stays"
            ]
        );
    }
}
