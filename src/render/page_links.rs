//! The URLs to which a page refers: links, images, style sheets and scripts.

use htmlize::unescape_attribute;

use super::{
    html_scan::{StartTag, Token, tokens},
    srcset,
};

/// Attributes with one URL.
const URL_ATTRIBUTES: [&str; 4] = ["href", "src", "poster", "action"];

/// Attributes with a list of images.
const LIST_ATTRIBUTES: [&str; 2] = ["srcset", "imagesrcset"];

/// Relations of `link` elements that refer to a host, not to a document.
const HOST_RELATIONS: [&str; 2] = ["preconnect", "dns-prefetch"];

/// Calls `visit` with each URL to which an element of `html` refers, unescaped and trimmed, but not
/// resolved.
pub fn visit_links(html: &str, mut visit: impl FnMut(&str)) {
    for token in tokens(html) {
        let Token::Start(tag) = token else {
            continue;
        };
        if is_about_host(&tag) {
            continue;
        }
        let is_named =
            |names: &[&str], name: &str| names.iter().any(|own| own.eq_ignore_ascii_case(name));
        for attribute in tag.attributes() {
            let value = unescape_attribute(attribute.value);
            if is_named(&URL_ATTRIBUTES, attribute.name) {
                visit(value.trim_matches(|character: char| character <= ' '));
            } else if is_named(&LIST_ATTRIBUTES, attribute.name) {
                srcset::urls(&value).for_each(&mut visit);
            }
        }
        if let Some(url) = url_of_metadata(&tag) {
            visit(&url);
        }
    }
}

fn is_about_host(tag: &StartTag<'_>) -> bool {
    let relation = tag.attribute("rel").filter(|_| tag.is("link"));
    relation.is_some_and(|relation| HOST_RELATIONS.contains(&relation))
}

/// Returns the absolute URL in a `meta` element, such as that of an image for social networks.
fn url_of_metadata(tag: &StartTag<'_>) -> Option<String> {
    let content = tag.attribute("content").filter(|_| tag.is("meta"))?;
    let is_url = content.starts_with("https://") || content.starts_with("http://");
    is_url.then(|| unescape_attribute(content).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_all_kinds_of_elements_are_visited() {
        let html = r##"<link rel="preconnect" href="https://a.example"><link href=/screen.css?v=1&amp;w=2 rel=stylesheet>
            <meta property="og:image" content="https://b.example/c.png"><meta name="description" content="/no/">
            <a HREF=" /about/ ">x</a><img src='d.png' srcset="e.png 300w, f.png 600w"><video poster="g.png"></video>
            <form action="/h/"></form><script>var a = "<a href='/no/'>"</script><!-- <a href="/no/"> -->"##;
        let mut urls = Vec::new();
        visit_links(html, |url| urls.push(url.to_owned()));
        assert_eq!(
            urls,
            [
                "/screen.css?v=1&w=2",
                "https://b.example/c.png",
                "/about/",
                "d.png",
                "e.png",
                "f.png",
                "g.png",
                "/h/"
            ]
        );
    }
}
