//! Captions: single lines of HTML.

use crate::render::{basic_html, html_tree::Node};

/// Returns all captions of a figure as one line of HTML.
pub(super) fn of_figure(figure: Node<'_>) -> String {
    joined(figure.descendants().filter(|node| node.is("figcaption")))
}

/// Returns the cleaned content of these elements, separated by slashes. Empty elements are omitted.
pub(super) fn joined<'t>(elements: impl Iterator<Item = Node<'t>>) -> String {
    let captions: Vec<String> = elements
        .map(cleaned)
        .filter(|caption| !caption.is_empty())
        .collect();
    captions.join(" / ")
}

/// Returns the inner HTML of `element` as one line.
fn cleaned(element: Node<'_>) -> String {
    let mut html = String::new();
    element.push_inner_html(&mut html);
    basic_html::clean(&html)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html_tree::parse_fragment;

    #[test]
    fn caption_is_one_line_without_empty_elements() {
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
