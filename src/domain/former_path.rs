//! Former URL paths of posts, on this site or on a previous site of another program.

use percent_encoding::percent_decode_str;

/// Longest former path, in bytes.
pub const FORMER_PATH_BYTES_MAX: usize = 2000;

/// Returns the normal form in which former paths are stored and looked up: decoded, with a leading
/// and no trailing slash, without empty segments and without the name of an index file. Returns
/// `None` for the front page, and for a path that leaves the site, is longer than
/// [`FORMER_PATH_BYTES_MAX`], contains control characters or is not UTF-8.
pub fn normal_path(path: &str) -> Option<String> {
    // Decoded first, so that encoded slashes and dots are checked below like others.
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    let mut parts: Vec<&str> = decoded
        // Browsers treat a backslash in a path as a slash.
        .split(['/', '\\'])
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if matches!(parts.last(), Some(&("index.html" | "index.htm"))) {
        parts.pop();
    }
    let plain = format!("/{}", parts.join("/"));
    let is_good = plain.len() <= FORMER_PATH_BYTES_MAX
        && !parts.is_empty()
        && !parts.contains(&"..")
        && !plain.contains(char::is_control);
    is_good.then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_paths_have_one_normal_form() {
        for (written, plain) in [
            ("/2020/01/about.html", Some("/2020/01/about.html")),
            ("/about/", Some("/about")),
            ("about//us/index.html", Some("/about/us")),
            ("/caf%C3%A9/", Some("/café")),
            ("/a%20b", Some("/a b")),
            ("/", None),
            ("/index.html", None),
            ("/../etc", None),
            ("/%2e%2e/etc", None),
            ("/a%00b", None),
            ("/%FF", None),
        ] {
            assert_eq!(normal_path(written).as_deref(), plain, "{written}");
        }
        assert_eq!(normal_path(&"a".repeat(FORMER_PATH_BYTES_MAX)), None);
    }
}
