//! References to files of a site in texts.

use htmlize::unescape_attribute;
use memchr::memmem;

/// The characters that end a URL in JSON, HTML, or a `srcset`.
const END: &[u8] = b" \t\n\r\"\\<>?#|";

/// Characters that may belong either to a name or to the surrounding text, such as the quotes and
/// parentheses around images in styles.
const AMBIGUOUS: [char; 3] = ['\'', '&', ')'];

/// Maximum length of a path, in bytes. Longer ones are not those of files.
const PATH_BYTES_MAX: usize = 4 << 10;

/// Calls `visit` with the path after `begin` in each URL in `text`, which is HTML or JSON. Paths
/// are unescaped. If the end of a path is ambiguous, `visit` is called with each alternative.
pub fn visit_paths(text: &[u8], begin: &str, mut visit: impl FnMut(&str)) {
    for start in memmem::find_iter(text, begin) {
        let rest = &text[start + begin.len()..];
        let rest = &rest[..rest.len().min(PATH_BYTES_MAX)];
        // In a character reference such as `&#x27;`, the hash does not end the path.
        let is_end = |index: usize| END.contains(&rest[index]) && !rest[..=index].ends_with(b"&#");
        let end = (0..rest.len()).find(|index| is_end(*index));
        let Ok(path) = std::str::from_utf8(&rest[..end.unwrap_or(rest.len())]) else {
            continue;
        };
        let path = unescape_attribute(path);
        visit(path.trim_end_matches([',', '.', ';']));
        for mark in AMBIGUOUS {
            if let Some((before, _)) = path.split_once(mark) {
                visit(before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn paths(text: &str, begin: &str) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        visit_paths(text.as_bytes(), begin, |path| {
            paths.insert(path.to_owned());
        });
        paths
    }

    #[test]
    fn urls_are_found_in_fields_html_styles_and_srcset() {
        let json = r#"{"a":"https://x.example/content/images/a.png","html":"<img src=\"https://x.example/content/images/b.png?v=1\" srcset=\"https://x.example/content/images/size/w600/c.png 600w, https://x.example/content/images/c%20(1).png 900w\"><p style=\"background:url('https://x.example/content/files/d.pdf')\">https://y.example/content/images/e.png"}"#;
        let found = paths(json, "https://x.example/content/");
        for path in [
            "images/a.png",
            "images/b.png",
            "images/size/w600/c.png",
            "images/c%20(1).png",
            "files/d.pdf",
        ] {
            assert!(found.contains(path), "{path}: {found:?}");
        }
        assert!(!found.iter().any(|path| path.contains("e.png")));
    }

    #[test]
    fn names_with_escaped_characters_are_found() {
        let html = r#"<a href="/content/files/salt &amp; rope.pdf"><a href="/content/files/salt&amp;rope.pdf"><a href="/content/files/ada's.pdf"><a href="/content/files/bo&#x27;s.pdf#end">"#;
        let found = paths(html, "/content/");
        assert!(found.contains("files/salt&rope.pdf"), "{found:?}");
        assert!(found.contains("files/ada's.pdf"), "{found:?}");
        assert!(found.contains("files/bo's.pdf"), "{found:?}");
    }
}
