//! HTML as Markdown, for programs that read texts without their layout.
//!
//! Elements that only browsers use are omitted: styles, scripts, forms, and the controls of
//! players. Blocks are separated by empty lines.

use super::{
    feed_html::STYLE_DEPENDENT_CLASSES,
    html_tree::{HtmlNodeKind, Node, parse_fragment},
};

/// Elements that are omitted together with their content.
const SILENT: &[&str] = &[
    "area", "base", "canvas", "col", "datalist", "head", "input", "link", "meta", "noscript",
    "object", "param", "script", "select", "source", "style", "svg", "template", "textarea",
    "title", "track",
];

/// Block elements in addition to headings, quotes, rules, lists, tables and preformatted text.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "audio",
    "body",
    "button",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "html",
    "iframe",
    "li",
    "main",
    "nav",
    "p",
    "section",
    "summary",
    "video",
];

/// Returns HTML as Markdown without blank lines around it; empty if the HTML has no visible
/// content.
pub fn to_markdown(html: &str) -> String {
    let tree = parse_fragment(html);
    blocks_of(tree.root()).join("\n\n")
}

/// Returns the blocks in a node. Text between blocks becomes paragraphs.
fn blocks_of(parent: Node<'_>) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut text = String::new();
    for node in parent.children() {
        if is_block(node) {
            push_paragraph(&mut blocks, &mut text);
            push_block(&mut blocks, node);
        } else {
            push_inline(&mut text, node);
        }
    }
    push_paragraph(&mut blocks, &mut text);
    blocks
}

fn is_block(node: Node<'_>) -> bool {
    let Some(name) = node.name() else {
        return false;
    };
    let is_other = matches!(name, "blockquote" | "hr" | "ol" | "pre" | "table" | "ul");
    is_other || heading_level(name).is_some() || BLOCKS.contains(&name)
}

/// Returns the level of a heading, from 1.
fn heading_level(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Returns whether a node is omitted.
fn is_silent(node: Node<'_>) -> bool {
    node.name().is_some_and(|name| SILENT.contains(&name))
        || STYLE_DEPENDENT_CLASSES
            .iter()
            .any(|class| node.has_class(class))
}

/// Appends `text` as a paragraph and clears it.
fn push_paragraph(blocks: &mut Vec<String>, text: &mut String) {
    let lines = text.split('\n').map(|line| {
        // Two spaces at the end of a line are a line break.
        let end = if line.ends_with("  ") { "  " } else { "" };
        format!("{}{end}", line.trim())
    });
    let paragraph = lines.collect::<Vec<_>>().join("\n");
    let paragraph = paragraph.trim();
    if !paragraph.is_empty() {
        blocks.push(with_safe_start(paragraph));
    }
    text.clear();
}

/// Escapes the beginning of a paragraph that would otherwise become a heading, a quote or a list.
fn with_safe_start(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = digits > 0 && text[digits..].starts_with(['.', ')']);
    if is_number {
        format!("{}\\{}", &text[..digits], &text[digits..])
    } else if text.starts_with(['#', '>', '+', '-', '=']) {
        // `push_text` has already escaped asterisks, underscores, tildes and backticks.
        format!("\\{text}")
    } else {
        text.to_owned()
    }
}

fn push_block(blocks: &mut Vec<String>, node: Node<'_>) {
    if is_silent(node) {
        return;
    }
    match node.name().unwrap_or_default() {
        "hr" => blocks.push("---".to_owned()),
        "pre" => blocks.push(code_block(node)),
        "blockquote" => {
            let inner = blocks_of(node).join("\n\n");
            let lines = inner.lines().map(|line| format!("> {line}"));
            let quote: Vec<_> = lines.map(|line| line.trim_end().to_owned()).collect();
            blocks.push(quote.join("\n"));
        }
        "ul" | "ol" => blocks.extend(list(node)),
        "table" => blocks.extend(table(node)),
        "audio" | "video" | "iframe" => {
            let url = node.attribute("src").filter(|url| !url.is_empty());
            blocks.extend(url.map(|url| format!("<{url}>")));
        }
        name => match heading_level(name) {
            Some(level) => {
                let text = line_of(node);
                if !text.is_empty() {
                    blocks.push(format!("{} {text}", "#".repeat(level)));
                }
            }
            None => blocks.extend(blocks_of(node)),
        },
    }
}

/// Returns the whole text of a node in one line.
fn line_of(node: Node<'_>) -> String {
    let mut text = String::new();
    for child in node.children() {
        push_inline(&mut text, child);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a fenced code block. The fence is longer than any run of backticks in the code.
fn code_block(node: Node<'_>) -> String {
    let code = node.find(|node| node.is("code"));
    let classes = code.and_then(|code| code.attribute("class"));
    let language = classes.and_then(|classes| {
        let mut classes = classes.split_ascii_whitespace();
        classes.find_map(|class| class.strip_prefix("language-"))
    });
    let text = node.text_content();
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let text = text.trim_matches('\n');
    format!("{fence}{}\n{text}\n{fence}", language.unwrap_or_default())
}

/// Returns the length of the longest run of backticks in `text`.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`');
    runs.map(str::len).max().unwrap_or(0)
}

/// Returns a list; `None` if all its items are empty.
fn list(node: Node<'_>) -> Option<String> {
    let is_ordered = node.is("ol");
    let first = node.attribute("start").and_then(|start| start.parse().ok());
    let mut number: usize = first.unwrap_or(1);
    let mut items = Vec::new();
    for item in node.children().filter(|child| child.is_element()) {
        let content = blocks_of(item);
        if content.is_empty() {
            continue;
        }
        let marker = if is_ordered {
            format!("{number}. ")
        } else {
            "- ".to_owned()
        };
        number = number.saturating_add(1);
        let indent = " ".repeat(marker.len());
        // A nested list follows the text of its item without an empty line.
        let is_tight = item.children().filter(|child| child.is("p")).count() < 2;
        let content = content.join(if is_tight { "\n" } else { "\n\n" });
        let lines = content
            .lines()
            .enumerate()
            .map(|(index, line)| match index {
                0 => format!("{marker}{line}"),
                _ if line.is_empty() => String::new(),
                _ => format!("{indent}{line}"),
            });
        items.push(lines.collect::<Vec<_>>().join("\n"));
    }
    (!items.is_empty()).then(|| items.join("\n"))
}

/// Returns a table with its first row as the header; `None` if it has no cells.
fn table(node: Node<'_>) -> Option<String> {
    let rows = node.descendants().filter(|node| node.is("tr"));
    let rows: Vec<Vec<String>> = rows
        .map(|row| {
            let cells = row.children();
            let cells = cells.filter(|cell| cell.is("td") || cell.is("th"));
            cells
                .map(|cell| line_of(cell).replace('|', "\\|"))
                .collect()
        })
        .collect();
    let columns = rows.iter().map(Vec::len).max().filter(|count| *count > 0)?;
    let mut lines = Vec::with_capacity(rows.len() + 1);
    for (index, mut row) in rows.into_iter().enumerate() {
        row.resize(columns, String::new());
        lines.push(format!("| {} |", row.join(" | ")));
        if index == 0 {
            lines.push(format!("|{}", " --- |".repeat(columns)));
        }
    }
    Some(lines.join("\n"))
}

/// Appends a node as a part of a line.
fn push_inline(text: &mut String, node: Node<'_>) {
    let name = match node.kind() {
        HtmlNodeKind::Text(own) => return push_text(text, own),
        HtmlNodeKind::Element(_) if is_silent(node) => return,
        HtmlNodeKind::Element(name) => name,
        HtmlNodeKind::Root | HtmlNodeKind::Comment(_) => return,
    };
    match name {
        "br" => text.push_str("  \n"),
        "img" => push_image(text, node),
        "code" | "kbd" | "samp" => push_code(text, node),
        "strong" | "b" => push_marked(text, node, "**"),
        "em" | "i" => push_marked(text, node, "*"),
        "del" | "s" | "strike" => push_marked(text, node, "~~"),
        "a" => push_link(text, node),
        _ => {
            let is_parted =
                is_block(node) && !text.is_empty() && !text.ends_with(char::is_whitespace);
            if is_parted {
                text.push(' ');
            }
            for child in node.children() {
                push_inline(text, child);
            }
            if is_parted {
                text.push(' ');
            }
        }
    }
}

/// Appends a text with single spaces. Characters with a meaning in Markdown are escaped.
fn push_text(text: &mut String, own: &str) {
    for character in own.chars() {
        if character.is_ascii_whitespace() {
            if !text.ends_with([' ', '\n']) {
                text.push(' ');
            }
            continue;
        }
        if matches!(character, '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '<') {
            text.push('\\');
        }
        text.push(character);
    }
}

/// Appends the content of an element between marks. White space at its ends is moved outside of the
/// marks.
fn push_marked(text: &mut String, node: Node<'_>, mark: &str) {
    let mut inner = String::new();
    for child in node.children() {
        push_inline(&mut inner, child);
    }
    let words = inner.trim();
    if words.is_empty() {
        return text.push_str(&inner);
    }
    if inner.starts_with(char::is_whitespace) && !text.ends_with(char::is_whitespace) {
        text.push(' ');
    }
    text.push_str(mark);
    text.push_str(words);
    text.push_str(mark);
    if inner.ends_with(char::is_whitespace) {
        text.push(' ');
    }
}

fn push_code(text: &mut String, node: Node<'_>) {
    let code = node.text_content();
    if code.trim().is_empty() {
        return;
    }
    let mark = "`".repeat(longest_run(&code) + 1);
    // The blanks separate the marks from backticks at the ends of the code; a parser removes them.
    let blank = if mark.len() > 1 { " " } else { "" };
    text.push_str(&format!("{mark}{blank}{code}{blank}{mark}"));
}

fn push_link(text: &mut String, node: Node<'_>) {
    let label = line_of(node);
    let url = node.attribute("href").unwrap_or_default();
    if url.is_empty() || label.is_empty() {
        return text.push_str(&label);
    }
    text.push_str(&format!("[{label}]({}{})", destination(url), title(node)));
}

fn push_image(text: &mut String, node: Node<'_>) {
    let url = node.attribute("src").unwrap_or_default();
    if url.is_empty() || url.starts_with("data:") {
        return;
    }
    let mut label = String::new();
    push_text(&mut label, node.attribute("alt").unwrap_or_default());
    text.push_str(&format!("![{label}]({}{})", destination(url), title(node)));
}

/// Returns a URL in which characters that would end a link target are percent-encoded.
fn destination(url: &str) -> String {
    url.replace(char::is_whitespace, "%20")
        .replace('(', "%28")
        .replace(')', "%29")
}

/// Returns the title of a link or an image, to be appended to its URL; empty if there is none.
fn title(node: Node<'_>) -> String {
    let title = node.attribute("title").unwrap_or_default();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        title
    } else {
        format!(" \"{}\"", title.replace('"', "\\\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_an_empty_line_between_them() {
        let html = "<h2 id=\"a\">A <em>b</em></h2><p>One<br>two</p>loose<hr><blockquote><p>q</p><p>r</p></blockquote>";
        assert_eq!(
            to_markdown(html),
            "## A *b*\n\nOne  \ntwo\n\nloose\n\n---\n\n> q\n>\n> r"
        );
    }

    #[test]
    fn lists_nest_and_are_numbered() {
        let html = "<ol start=\"3\"><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ol>";
        assert_eq!(to_markdown(html), "3. a\n   - b\n4. c\n\n   d");
    }

    #[test]
    fn fence_is_longer_than_fences_in_the_code() {
        let html = "<pre><code class=\"language-rust\">let a = 1 &lt; 2;\n```\n</code></pre><p><code>a`b</code></p>";
        assert_eq!(
            to_markdown(html),
            "````rust\nlet a = 1 < 2;\n```\n````\n\n`` a`b ``"
        );
    }

    #[test]
    fn texts_cannot_become_markup() {
        assert_eq!(
            to_markdown("<p># 1 * [a] &lt;b&gt; _c_</p>"),
            "\\# 1 \\* \\[a\\] \\<b> \\_c\\_"
        );
        assert_eq!(to_markdown("<p>1. a</p>"), "1\\. a");
    }

    #[test]
    fn links_and_images_have_targets_and_titles() {
        let html =
            "<p><a href=\"/a b(c)\" title=\"T\">x</a> <a>y</a><img src=\"/i.png\" alt=\"A\"></p>";
        assert_eq!(to_markdown(html), "[x](/a%20b%28c%29 \"T\") y![A](/i.png)");
    }

    #[test]
    fn tables_have_a_head() {
        let html = "<table><tr><th>A</th><th>B|</th></tr><tr><td>1</td></tr></table>";
        assert_eq!(to_markdown(html), "| A | B\\| |\n| --- | --- |\n| 1 |  |");
    }

    #[test]
    fn styles_scripts_and_svg_images_are_omitted() {
        assert_eq!(
            to_markdown("<style>a</style><script>b</script><svg><title>c</title></svg><p></p>"),
            ""
        );
    }
}
