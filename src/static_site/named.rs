//! Which of the site's files an answer names.

use std::collections::BTreeSet;

use memchr::memmem;

/// What ends an address in JSON, in HTML in it, and in a list of pictures of several widths.
const END: &[u8] = b" \t\n\r\"'\\<>&?#|";

/// Adds the files to `files` that `json` names of the site at `base`: their paths below `/content/`, as written.
pub fn add(files: &mut BTreeSet<String>, json: &[u8], base: &str) {
    let begin = format!("{base}/content/");
    for place in memmem::find_iter(json, &begin) {
        let rest = &json[place + begin.len()..];
        let end = rest.iter().position(|byte| END.contains(byte));
        let path = &rest[..end.unwrap_or(rest.len())];
        if let Ok(path) = std::str::from_utf8(path) {
            // Styles name pictures in parentheses, and parentheses may be part of a name.
            if let Some((without, _)) = path.split_once(')') {
                files.insert(without.to_owned());
            }
            files.insert(path.trim_end_matches([',', '.', ';']).to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_fields_in_html_in_styles_and_in_lists_of_widths() {
        let json = br#"{"a":"https://x.example/content/images/a.png","html":"<img src=\"https://x.example/content/images/b.png?v=1\" srcset=\"https://x.example/content/images/size/w600/c.png 600w, https://x.example/content/images/c%20(1).png 900w\"><p style=\"background:url(https://x.example/content/files/d.pdf)\">https://y.example/content/images/e.png"}"#;
        let mut files = BTreeSet::new();
        add(&mut files, json, "https://x.example");
        for path in [
            "images/a.png",
            "images/b.png",
            "images/size/w600/c.png",
            "images/c%20(1).png",
            "files/d.pdf",
        ] {
            assert!(files.contains(path), "{path}: {files:?}");
        }
        assert!(!files.iter().any(|path| path.contains("e.png")));
    }
}
