//! Captions: a line of HTML.

use crate::render::html_tree::{Keep, Kind, Node, parse_fragment};

/// The captions of a figure as one, elements that show nothing left out.
pub(super) fn of_figure(figure: Node<'_>) -> String {
    joined(figure.descendants().filter(|node| node.is("figcaption")))
}

/// What these elements say, cleaned, with slashes between them.
pub(super) fn joined<'t>(elements: impl Iterator<Item = Node<'t>>) -> String {
    let captions: Vec<String> = elements
        .map(cleaned)
        .filter(|caption| !caption.is_empty())
        .collect();
    captions.join(" / ")
}

/// The HTML in `element` as one line.
fn cleaned(element: Node<'_>) -> String {
    let mut html = String::new();
    element.push_inner_html(&mut html);
    let line = one_line(&html);
    let line = line.trim();
    let line = line.strip_prefix("&nbsp;").unwrap_or(line);
    let mut cleaned = String::new();
    (parse_fragment(line).root()).push_kept_html(&mut cleaned, shown);
    cleaned.trim().to_owned()
}

/// The HTML with spaces for line breaks, and one space for each run of blanks.
fn one_line(html: &str) -> String {
    let html = html.replace("<br>", " ");
    let mut line = String::with_capacity(html.len());
    let mut rest = &html[..];
    while let Some(character) = rest.chars().next() {
        let blank = blank_length(rest);
        let mut run = blank;
        while run > 0 && blank_length(&rest[run..]) > 0 {
            run += blank_length(&rest[run..]);
        }
        let (shown, length) = match run {
            0 => (&rest[..character.len_utf8()], character.len_utf8()),
            _ if run == blank => (&rest[..run], run),
            _ => (" ", run),
        };
        line.push_str(shown);
        rest = &rest[length..];
    }
    line
}

/// The length of the blank that `html` begins with.
fn blank_length(html: &str) -> usize {
    if html.starts_with("&nbsp;") {
        return "&nbsp;".len();
    }
    let blank = html
        .chars()
        .next()
        .filter(|character| character.is_whitespace());
    blank.map_or(0, char::len_utf8)
}

/// Elements that show no text are left out. Blanks in them stay as a space.
fn shown(element: Node<'_>) -> Keep {
    let is_blank = |character: char| character.is_whitespace() || character == '\u{200c}';
    let mut shown = Keep::Nothing;
    for node in element.descendants() {
        match node.kind() {
            Kind::Text(text) if !text.chars().all(is_blank) => return Keep::Element,
            Kind::Text(_) => shown = Keep::Space,
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caption_is_one_line_without_empty_elements() {
        for (html, caption) in [
            ("a<br>b", "a b"),
            ("&nbsp;a&nbsp;b &nbsp;", "a&nbsp;b"),
            ("a&nbsp;", "a&nbsp;"),
            ("a \n\n b", "a b"),
            ("<b></b>a<i> </i>", "a"),
            ("<b>a</b> <b></b> <i>c</i>", "<b>a</b>  <i>c</i>"),
            ("x<b>&nbsp;</b>y", "x y"),
            ("<img src=i><br class=x>a<hr>", "a"),
            ("<p>a</p><p>b", "<p>a</p><p>b</p>"),
            ("a &amp; &lt;b&gt; <!--c-->", "a &amp; &lt;b&gt; <!--c-->"),
            (" &nbsp; ", ""),
        ] {
            let tree = parse_fragment(&format!("<figure><figcaption>{html}</figcaption></figure>"));
            assert_eq!(of_figure(tree.root()), caption, "{html}");
        }
    }
}
