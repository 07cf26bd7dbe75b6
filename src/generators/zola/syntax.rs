//! Expands shortcodes of Zola: `{{ name(a=1) }}` and `{% name(a=1) %} … {% end %}`.

use std::ops::Range;

use crate::generators::syntax::{
    ExpandedText,
    arguments::{Arguments, Notation},
    catalogue,
    catalogue::TagRendering,
    code::Code,
    finder::MarkFinder,
    tags::{OpenTags, TagPosition},
    writer::ExpansionWriter,
};

/// Maximum length of a tag, in bytes. Longer ones are plain text.
const TAG_BYTES_MAX: usize = 10_000;

struct ShortcodeTag<'t> {
    range: Range<usize>,
    kind: TagKind<'t>,
}

#[derive(Clone, Copy)]
enum TagKind<'t> {
    Alone(&'t str, &'t str),
    Opens(&'t str, &'t str),
    Closes,
    /// Escaped by comment marks; this is the literal text.
    Shown(&'t str),
}

/// Expands the shortcodes of a text.
pub fn pass(text: &str) -> ExpandedText {
    let tags = all(text);
    let mut writer = ExpansionWriter::new(text);
    if tags.is_empty() {
        return writer.finish();
    }
    let partners = partners(&tags);
    let code = Code::of(text);
    let mut open = OpenTags::default();
    for (number, tag) in tags.iter().enumerate() {
        if tag.range.start < writer.offset() {
            continue;
        }
        writer.copy_to(tag.range.start);
        let (name, arguments) = match tag.kind {
            TagKind::Shown(inside) => {
                writer.skip_to(tag.range.end);
                let written = &text[tag.range.clone()];
                writer.put(&written[..2]);
                writer.put(inside);
                writer.put(&written[written.len() - 2..]);
                continue;
            }
            // Tags without a partner are text, as in documents about templates.
            TagKind::Closes if partners[number].is_none() => continue,
            TagKind::Closes => {
                open.close(&mut writer, number, tag.range.end);
                continue;
            }
            TagKind::Opens(..) if partners[number].is_none() => continue,
            TagKind::Alone(name, arguments) | TagKind::Opens(name, arguments) => (name, arguments),
        };
        let closing = partners[number].map(|closing| (closing, tags[closing].range.clone()));
        let content = closing
            .as_ref()
            .map(|(_, closing)| &text[tag.range.end..closing.start]);
        let arguments = Arguments::of(arguments, Notation::List);
        let position = TagPosition {
            tag: tag.range.clone(),
            closing,
        };
        if open.is_code() || code.at(tag.range.start).is_some() {
            writer.remark(
                tag.range.start,
                format!("the shortcode `{name}` is in code and is shown unchanged"),
            );
            let end = position
                .closing
                .map_or(position.tag.end, |(_, closing)| closing.end);
            writer.copy_to(end);
            continue;
        }
        match catalogue::find(name, &arguments, content, None) {
            Some(rendering) => open.render(&mut writer, rendering, position),
            None => {
                writer.remark(
                    tag.range.start,
                    format!("the shortcode `{name}` is not known and is left out"),
                );
                open.render(&mut writer, TagRendering::Content, position);
            }
        }
    }
    writer.finish()
}

/// Returns, for each tag, the index of the matching opening or closing tag.
fn partners(tags: &[ShortcodeTag<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tags.len()];
    // `{% end %}` has no name, so it closes the last open tag.
    let mut open = Vec::new();
    for (number, tag) in tags.iter().enumerate() {
        match tag.kind {
            TagKind::Opens(..) => open.push(number),
            TagKind::Closes => {
                if let Some(opening) = open.pop() {
                    partners[opening] = Some(number);
                    partners[number] = Some(opening);
                }
            }
            TagKind::Alone(..) | TagKind::Shown(_) => {}
        }
    }
    partners
}

fn all(text: &str) -> Vec<ShortcodeTag<'_>> {
    let mut tags = Vec::new();
    let mut comment_end = MarkFinder::new("*/");
    let mut offset = 0;
    while let Some(next) = text[offset..].find('{') {
        let start = offset + next;
        match at(text, start, &mut comment_end) {
            Some(tag) => {
                offset = tag.range.end;
                tags.push(tag);
            }
            None => offset = start + 1,
        }
    }
    tags
}

/// Returns the tag at the byte `start`.
fn at<'t>(text: &'t str, start: usize, comment_end: &mut MarkFinder) -> Option<ShortcodeTag<'t>> {
    let rest = &text[start..];
    let is_alone = match rest.as_bytes().get(1)? {
        b'{' => true,
        b'%' => false,
        _ => return None,
    };
    let close = if is_alone { "}}" } else { "%}" };
    let window = &rest[2..rest.floor_char_boundary(TAG_BYTES_MAX)];
    if window.starts_with("/*") {
        let end = comment_end.find(text, start + 4)?;
        let is_closed = text[end + 2..].starts_with(close);
        return is_closed.then(|| ShortcodeTag {
            range: start..end + 4,
            kind: TagKind::Shown(&text[start + 4..end]),
        });
    }
    let inside = window.strip_prefix('-').unwrap_or(window).trim_start();
    let name_length = inside
        .find(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|length| *length > 0)?;
    let (name, after) = inside.split_at(name_length);
    let (kind, after) = match after.trim_start().strip_prefix('(') {
        Some(inside) => {
            let end = arguments_end(inside)?;
            let arguments = &inside[..end];
            let kind = if is_alone {
                TagKind::Alone(name, arguments)
            } else {
                TagKind::Opens(name, arguments)
            };
            (kind, &inside[end + 1..])
        }
        None if name == "end" && !is_alone => (TagKind::Closes, after),
        None => return None,
    };
    let after = after.trim_start();
    let after = after
        .strip_prefix('-')
        .unwrap_or(after)
        .strip_prefix(close)?;
    let length = window.len() - after.len();
    Some(ShortcodeTag {
        range: start..start + 2 + length,
        kind,
    })
}

/// Returns the byte offset of the parenthesis that ends leading arguments, ignoring text in quotation marks.
fn arguments_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut depth = 0_usize;
    for (offset, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return Some(offset),
            (None, ')') => depth -= 1,
            // Another tag or a blank line shows that the parenthesis is not closed.
            (None, '{') if text[offset..].starts_with("{{") || text[offset..].starts_with("{%") => {
                return None;
            }
            (None, '\n') if text[offset..].starts_with("\n\n") => return None,
            _ => {}
        }
    }
    None
}
