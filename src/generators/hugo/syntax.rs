//! Expands shortcodes of Hugo: `{{< name >}}` and `{{% name %}}`.

use std::ops::Range;

use crate::generators::syntax::{
    ExpandedText, ExpansionScope, InclusionRefusal,
    arguments::{Arguments, Notation},
    catalogue,
    catalogue::{TagRendering, split_reference},
    code::Code,
    embeds,
    escape::{code_text, html, inline_markdown, label},
    finder::MarkFinder,
    pairs,
    pairs::PairSide,
    tags::{OpenTags, TagPosition},
    without_front_matter,
    writer::ExpansionWriter,
};

/// Maximum length of a shortcode, in bytes. Longer ones are plain text.
const TAG_BYTES_MAX: usize = 10_000;

/// A shortcode.
struct Shortcode<'t> {
    range: Range<usize>,
    name: &'t str,
    arguments: &'t str,
    kind: ShortcodeKind<'t>,
}

#[derive(Clone, Copy)]
enum ShortcodeKind<'t> {
    Opens,
    Closes,
    /// Self-closing, with `/`.
    Alone,
    /// Escaped by comment marks; this is the literal text.
    Shown(&'t str),
}

/// Expands the shortcodes of a text.
pub fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let shortcodes = all(text);
    let mut writer = ExpansionWriter::new(text);
    if shortcodes.is_empty() {
        return writer.finish();
    }
    let partners = pairs::find(shortcodes.iter().map(|shortcode| match shortcode.kind {
        ShortcodeKind::Opens => PairSide::Opens(shortcode.name),
        ShortcodeKind::Closes => PairSide::Closes(shortcode.name),
        ShortcodeKind::Alone | ShortcodeKind::Shown(_) => PairSide::Standalone,
    }));
    let code = Code::of(text);
    let mut open = OpenTags::default();
    for (number, shortcode) in shortcodes.iter().enumerate() {
        let start = shortcode.range.start;
        if start < writer.offset() {
            continue;
        }
        if matches!(shortcode.kind, ShortcodeKind::Closes) {
            writer.copy_to(start);
            let is_shown = partners[number].is_none() && code.at(start).is_some();
            if is_shown {
                writer.copy_to(shortcode.range.end)
            } else {
                open.close(&mut writer, number, shortcode.range.end)
            }
            continue;
        }
        let closing = partners[number].map(|closing| (closing, shortcodes[closing].range.clone()));
        let is_code = open.is_code() || code.at(start).is_some();
        writer.copy_to(start);
        let content = closing
            .as_ref()
            .map(|(_, closing)| &text[shortcode.range.end..closing.start]);
        let rendering = match (shortcode.kind, is_code) {
            (ShortcodeKind::Shown(inside), _) => {
                writer.skip_to(shortcode.range.end);
                put_escaped(&mut writer, &text[shortcode.range.clone()], inside);
                continue;
            }
            (_, true) => in_code(shortcode, scope),
            (_, false) if include(&mut writer, shortcode, scope) => continue,
            (_, false) => rendering(shortcode, content, scope),
        };
        let position = TagPosition {
            tag: shortcode.range.clone(),
            closing,
        };
        match rendering {
            Some(rendering) if is_of_catalogue(shortcode.name) && writer.is_in_html_block() => {
                open.render(&mut writer, rendering.in_html(), position);
            }
            Some(rendering) => open.render(&mut writer, rendering, position),
            None if is_code => {
                let end = end_in_code(&position, code.at(start).map(|code| code.end));
                let name = shortcode.name;
                let remark = format!("the shortcode `{name}` is in code and is shown unchanged");
                writer.remark(start, remark);
                writer.copy_to(end);
            }
            None => {
                let name = shortcode.name;
                let remark = format!("the shortcode `{name}` is not known and is left out");
                writer.remark(start, remark);
                open.render(&mut writer, TagRendering::Content, position);
            }
        }
    }
    writer.finish()
}

/// Returns the end of a shortcode in code that ends at `code_end`. If its closing tag is after the code, this is the end of
/// its opening tag.
fn end_in_code(position: &TagPosition, code_end: Option<usize>) -> usize {
    let closing = position.closing.as_ref();
    let end = closing.map_or(position.tag.end, |(_, closing)| closing.end);
    match code_end {
        Some(code_end) if code_end < end => position.tag.end,
        _ => end,
    }
}

/// Writes an escaped shortcode without its comment marks.
fn put_escaped(writer: &mut ExpansionWriter<'_>, written: &str, inside: &str) {
    writer.put(&written[..3]);
    writer.put(inside);
    writer.put(&written[written.len() - 3..]);
}

/// Writes the file that a shortcode includes by path. Returns false if the shortcode is not an inclusion or the file does
/// not exist.
fn include(
    writer: &mut ExpansionWriter<'_>,
    shortcode: &Shortcode<'_>,
    scope: ExpansionScope<'_>,
) -> bool {
    const NAMES: [&str; 5] = [
        "include",
        "include-markdown",
        "include-md",
        "readfile",
        "readFile",
    ];
    if !NAMES.contains(&shortcode.name) {
        return false;
    }
    let arguments = Arguments::of(shortcode.arguments, Notation::Words);
    let Some(path) = arguments.named_or(&["file", "path", "src"], 0) else {
        return false;
    };
    let included = match scope.included(path) {
        Ok(included) => included,
        // The shortcode may have a different meaning in this theme, so it is rendered by its name.
        Err(InclusionRefusal::Missing) => return false,
        Err(refusal) => {
            let message = format!("the file `{path}` is not included: {refusal}");
            writer.remark(shortcode.range.start, message);
            writer.skip_to(shortcode.range.end);
            return true;
        }
    };
    if arguments.named(&["code"]) == Some("true") {
        let language = arguments.named(&["lang"]).unwrap_or_default();
        writer.skip_to(shortcode.range.end);
        writer.put_fence(shortcode.range.start, language, &included.text);
        return true;
    }
    // Remarks have the lines of the included file, whose front matter is not part of `body`.
    let (body, head_lines) = without_front_matter(&included.text);
    let mut expanded = pass(body, scope.within(&included));
    expanded
        .remarks
        .iter_mut()
        .for_each(|remark| remark.line += head_lines);
    writer.remark_all(shortcode.range.start, &included.path, expanded.remarks);
    writer.skip_to(shortcode.range.end);
    let (prefix, _) = writer.line_so_far();
    writer.put_block(&expanded.text.trim().replace('\n', &format!("\n{prefix}")));
    true
}

/// Returns the rendering of a shortcode in code; `None` if the shortcode is shown unchanged.
fn in_code(shortcode: &Shortcode<'_>, scope: ExpansionScope<'_>) -> Option<TagRendering> {
    // Hugo expands shortcodes before it parses Markdown, so also in code. Others are
    // shown, because authors document templates there.
    match shortcode.name {
        "param" => parameter(shortcode, scope).map(TagRendering::Text),
        "comment" => Some(TagRendering::Nothing),
        _ => None,
    }
}

fn rendering(
    shortcode: &Shortcode<'_>,
    content: Option<&str>,
    scope: ExpansionScope<'_>,
) -> Option<TagRendering> {
    let arguments = Arguments::of(shortcode.arguments, Notation::Words);
    match shortcode.name {
        "ref" | "relref" => {
            let target = arguments.named_or(&["path"], 0)?;
            Some(TagRendering::Text(split_reference(shortcode.name, target)))
        }
        "param" => parameter(shortcode, scope).map(TagRendering::Text),
        "figure" => embeds::figure(&arguments, content).map(TagRendering::Block),
        "highlight" => highlight(&arguments, content),
        "x" => catalogue::tweet(&arguments).map(TagRendering::Block),
        "qr" => qr(&arguments, content),
        "tab" if arguments.named(&["lang"]).is_some() => tab_of_code(&arguments, content?),
        name => catalogue::find(name, &arguments, content, None),
    }
}

/// Returns whether a shortcode is rendered by the shared catalogue, whose text is Markdown.
fn is_of_catalogue(name: &str) -> bool {
    !["ref", "relref", "param", "highlight"].contains(&name)
}

fn parameter(shortcode: &Shortcode<'_>, scope: ExpansionScope<'_>) -> Option<String> {
    let arguments = Arguments::of(shortcode.arguments, Notation::Words);
    scope.environment.parameter(arguments.positional(0)?)
}

/// Renders code between two shortcodes, inline on request.
fn highlight(arguments: &Arguments, content: Option<&str>) -> Option<TagRendering> {
    let language = arguments.named_or(&["lang"], 0).unwrap_or_default();
    let options = arguments.positional(1).unwrap_or_default();
    let is_inline = options.replace(' ', "").contains("hl_inline=true");
    match (content, is_inline) {
        (Some(content), true) => {
            let code = content.trim();
            Some(TagRendering::Text(format!(
                "<code class=\"language-{}\">{}</code>",
                html(language),
                code_text(code)
            )))
        }
        (Some(_), false) => Some(TagRendering::Code(language.to_owned())),
        (None, _) => None,
    }
}

/// Renders a QR code, which Galley does not draw, as its text or as a link to its URL.
fn qr(arguments: &Arguments, content: Option<&str>) -> Option<TagRendering> {
    let text = arguments.named_or(&["text"], 0).or(content)?.trim();
    Some(TagRendering::Text(if text.contains("://") {
        format!("[{}](<{text}>)", label(text))
    } else {
        text.to_owned()
    }))
}

/// Renders a tab whose content is code.
fn tab_of_code(arguments: &Arguments, content: &str) -> Option<TagRendering> {
    let title = arguments.named_or(&["header", "title", "name"], 0)?;
    let language = arguments.named(&["lang"])?;
    Some(TagRendering::Block(format!(
        "<section class=\"tab\"><p class=\"tab-label\"><strong>{}</strong></p><pre><code \
         class=\"language-{}\">{}</code></pre></section>",
        inline_markdown(title),
        html(language),
        code_text(content.trim()),
    )))
}

/// Returns the shortcodes of a text, in order.
fn all(text: &str) -> Vec<Shortcode<'_>> {
    let mut shortcodes = Vec::new();
    let mut comment_end = MarkFinder::new("*/");
    let mut offset = 0;
    while let Some(next) = text[offset..].find("{{") {
        let start = offset + next;
        match at(text, start, &mut comment_end) {
            Some(shortcode) => {
                offset = shortcode.range.end;
                shortcodes.push(shortcode);
            }
            None => offset = start + 1,
        }
    }
    shortcodes
}

/// Returns the shortcode at the byte `start`.
fn at<'t>(text: &'t str, start: usize, comment_end: &mut MarkFinder) -> Option<Shortcode<'t>> {
    let rest = &text[start..];
    let close = match rest.as_bytes().get(2)? {
        b'<' => ">}}",
        b'%' => "%}}",
        _ => return None,
    };
    let inside = &rest[3..rest.floor_char_boundary(TAG_BYTES_MAX)];
    let end = if inside.starts_with("/*") {
        let end = comment_end.find(text, start + 5)? + 2 - (start + 3);
        // The comment may end beyond the window. Such a shortcode is too long and is text.
        inside.get(end..)?.starts_with(close).then_some(end)?
    } else {
        tag_end(inside, close)?
    };
    let inside = &inside[..end];
    let range = start..start + 3 + end + close.len();
    if let Some(shown) = inside
        .strip_prefix("/*")
        .and_then(|shown| shown.strip_suffix("*/"))
    {
        return Some(Shortcode {
            range,
            name: "",
            arguments: "",
            kind: ShortcodeKind::Shown(shown),
        });
    }
    let inside = inside.trim();
    let (inside, kind) = match (inside.strip_prefix('/'), inside.strip_suffix('/')) {
        (Some(inside), _) => (inside.trim(), ShortcodeKind::Closes),
        (None, Some(inside))
            // A slash after an unquoted argument belongs to it: `{{< ref posts/ >}}`.
            if inside.ends_with(|character: char| {
                character.is_whitespace() || "\"`".contains(character)
            }) || !inside.contains(char::is_whitespace) =>
        {
            (inside.trim(), ShortcodeKind::Alone)
        }
        _ => (inside, ShortcodeKind::Opens),
    };
    let name_length = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let (name, arguments) = inside.split_at(name_length);
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|character| character.is_alphanumeric() || "-_./".contains(character));
    is_name.then_some(Shortcode {
        range,
        name,
        arguments,
        kind,
    })
}

/// Returns the offset of the mark `close` outside of quotation marks; `None` if another shortcode begins before it.
fn tag_end(inside: &str, close: &str) -> Option<usize> {
    let mut quote = None;
    let mut is_escaped = false;
    for (offset, character) in inside.char_indices() {
        let is_escape = is_escaped;
        is_escaped = false;
        match (quote, character) {
            (Some('"'), '\\') if !is_escape => is_escaped = true,
            (Some(open), _) if open == character && !is_escape => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(character),
            (None, '>' | '%') if inside[offset..].starts_with(close) => return Some(offset),
            (None, '{') if inside[offset..].starts_with("{{") => return None,
            _ => {}
        }
    }
    // A quotation mark is unclosed, so quotation marks are ignored.
    inside.find(close)
}
