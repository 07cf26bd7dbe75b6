//! Captions of feature images as themes show them: a few inline elements, and nothing else.

use super::{
    html_escape::push_attribute,
    html_tree::{HtmlNodeKind, Node, parse_fragment},
};

/// The elements that remain. Other elements are replaced by their content (Ghost 6.65, recorded).
const ELEMENTS: [&str; 4] = ["a", "b", "i", "span"];

/// The elements that are removed together with their content.
const WITHOUT_TEXT: [&str; 5] = ["script", "style", "textarea", "option", "xmp"];

/// The allowed schemes of links.
const SCHEMES: [&str; 5] = ["http", "https", "ftp", "mailto", "tel"];

/// Returns a caption that contains only links, bold and italic text and spans, with only the attributes
/// `href` and `style`.
pub fn clean(html: &str) -> String {
    let tree = parse_fragment(html);
    let root = tree.root();
    let mut cleaned = String::with_capacity(html.len());
    let mut next = root.first_child();
    while let Some(node) = next {
        next = match node.kind() {
            HtmlNodeKind::Text(text) => {
                push_text(&mut cleaned, text);
                after(node, root, &mut cleaned)
            }
            _ if is_one_of(node, &WITHOUT_TEXT) => after(node, root, &mut cleaned),
            _ => {
                if is_one_of(node, &ELEMENTS) {
                    push_start(&mut cleaned, node);
                }
                match node.first_child() {
                    Some(child) => Some(child),
                    None => {
                        push_end(&mut cleaned, node);
                        after(node, root, &mut cleaned)
                    }
                }
            }
        };
    }
    cleaned
}

/// Returns the next node after `node` and its descendants, and writes the end tags of the elements that
/// end before it.
fn after<'a>(node: Node<'a>, root: Node<'a>, html: &mut String) -> Option<Node<'a>> {
    let mut node = node;
    loop {
        if let Some(next) = node.next_sibling() {
            return Some(next);
        }
        node = node.parent().filter(|parent| *parent != root)?;
        push_end(html, node);
    }
}

fn is_one_of(node: Node, names: &[&str]) -> bool {
    names.iter().any(|name| node.is(name))
}

fn push_start(html: &mut String, element: Node) {
    html.push('<');
    html.push_str(element.name().unwrap_or_default());
    for (name, value) in element.attributes() {
        match name {
            "href" if is_safe(value) => push_attribute(html, name, value),
            "style" => {
                let style = compact_style(value);
                if !style.is_empty() {
                    push_attribute(html, name, &style);
                }
            }
            _ => {}
        }
    }
    html.push('>');
}

fn push_end(html: &mut String, element: Node) {
    if is_one_of(element, &ELEMENTS) {
        html.push_str("</");
        html.push_str(element.name().unwrap_or_default());
        html.push('>');
    }
}

/// Appends escaped text. Unlike in the HTML standard's serialisation, no-break spaces are not escaped.
fn push_text(html: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            other => html.push(other),
        }
    }
}

/// Returns whether a link is relative or has an allowed scheme. White space and control characters are
/// ignored, as browsers skip them in a scheme.
fn is_safe(url: &str) -> bool {
    let is_skipped = |character: &char| character.is_whitespace() || character.is_control();
    let url: String = url.chars().filter(|c| !is_skipped(c)).collect();
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    // Text before a colon that contains a slash, a `?` or a `#` is a relative path, not a scheme.
    match url.split_once(':') {
        Some((scheme, _)) if !scheme.is_empty() && scheme.chars().all(is_of_scheme) => SCHEMES
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known)),
        _ => true,
    }
}

/// Returns the declarations of a style attribute without the white space around names and values.
fn compact_style(style: &str) -> String {
    let declarations = style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let (name, value) = (name.trim(), value.trim());
        (!name.is_empty() && !value.is_empty()).then(|| format!("{name}:{value}"))
    });
    declarations.collect::<Vec<_>>().join(";")
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn captions_have_inline_elements_and_safe_links_only() {
        for (html, expected) in [
            (
                "A <b>bold</b> & <i>plain</i> day",
                "A <b>bold</b> &amp; <i>plain</i> day",
            ),
            ("<p>By <em>Ada</em></p>", "By Ada"),
            (
                r#"<a href="https://a.example/?x=1" target="_blank" class="c">A</a>"#,
                r#"<a href="https://a.example/?x=1">A</a>"#,
            ),
            (
                r#"<span style="white-space: pre-wrap;">Text</span>"#,
                r#"<span style="white-space:pre-wrap">Text</span>"#,
            ),
            (r#"<a href="java&#10;script:x()">A</a>"#, "<a>A</a>"),
            (
                r#"<a href="/about/">A</a><script>x()</script>"#,
                r#"<a href="/about/">A</a>"#,
            ),
            ("<i><p><b>a</b>b</p>c</i>d", "<i><b>a</b>bc</i>d"),
            ("", ""),
        ] {
            assert_eq!(clean(html), expected, "{html}");
        }
    }
}
