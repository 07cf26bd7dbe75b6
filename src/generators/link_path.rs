//! Paths in URLs of documents, relative to the folder of the document.

/// Splits a URL into its path and the rest, which is the query and fragment. Returns `None` if the URL has no path or links
/// to another site.
pub fn path_of(url: &str) -> Option<(&str, &str)> {
    let (path, suffix) = url.split_at(url.find(['?', '#']).unwrap_or(url.len()));
    let links_elsewhere = path.is_empty() || path.starts_with("//") || has_scheme(path);
    (!links_elsewhere).then_some((path, suffix))
}

/// Returns whether a URL begins with a scheme such as `https:` (RFC 3986, section 3.1).
fn has_scheme(url: &str) -> bool {
    let Some((scheme, _)) = url.split_once(':') else {
        return false;
    };
    scheme.starts_with(|character: char| character.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Resolves `path` against `folder`, without `.` and `..`. Returns `None` if the result is outside of their common root.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns whether a path has a file extension: `x.png`.
pub fn is_file_like(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
