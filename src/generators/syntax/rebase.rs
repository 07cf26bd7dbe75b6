//! Rebases URLs in an included file from that file to the including file.

use std::borrow::Cow;

use crate::{
    generators::{
        link_path::{join, path_of},
        syntax::code::Code,
    },
    render::{markdown, markdown::Dialect},
};

/// Returns the Markdown `text` of the file at `included` for use in the file at `file`. Relative URLs become relative to the
/// root of the content folder if the files are in different folders.
pub fn rebased<'t>(text: &'t str, included: &str, file: &str) -> Cow<'t, str> {
    let folder = |path: &str| {
        path.rsplit_once('/')
            .map_or("", |(folder, _)| folder)
            .to_owned()
    };
    let (from, to) = (folder(included), folder(file));
    if from == to {
        return Cow::Borrowed(text);
    }
    let mut moved = modules(text, &from);
    // The document is rendered only to find its URLs; the HTML is dropped.
    markdown::to_html(text, Dialect::REMARK, |url| {
        let (path, suffix) = path_of(url.written)?;
        // A name in braces is expanded later.
        let is_relative = !path.starts_with(['/', '@', '~', '{']);
        let whole = is_relative.then(|| join(&from, path)).flatten()?;
        let written = url.written.to_owned();
        moved.push((url.position, written, format!("/{whole}{suffix}")));
        None
    });
    // Modules and URLs were found separately, and the text is copied from start to end.
    moved.sort_by_key(|(position, _, _)| *position);
    let mut rebased = String::with_capacity(text.len());
    let mut copied = 0;
    for (position, written, whole) in moved {
        let start = position.max(copied);
        // A URL with escapes is not found in the text, and is unchanged.
        let Some(found) = text.get(start..).and_then(|rest| rest.find(&written)) else {
            continue;
        };
        rebased.push_str(&text[copied..start + found]);
        rebased.push_str(&whole);
        copied = start + found + written.len();
    }
    rebased.push_str(&text[copied..]);
    Cow::Owned(rebased)
}

/// Returns the modules that MDX imports by relative paths: their byte offsets, their paths as written, and their paths from
/// the root.
fn modules(text: &str, folder: &str) -> Vec<(usize, String, String)> {
    let code = Code::of(text);
    let mut named = Vec::new();
    for mark in ["from ", "import ", "require("] {
        for (offset, _) in text.match_indices(mark) {
            let start = offset + mark.len();
            let written = &text[start..];
            let Some(quote) = written
                .chars()
                .next()
                .filter(|quote| "\"'".contains(*quote))
            else {
                continue;
            };
            let path = written[1..].split([quote, '\n']).next().unwrap_or_default();
            let is_relative = path.starts_with("./") || path.starts_with("../");
            let whole = join(folder, path).filter(|_| is_relative && code.at(offset).is_none());
            named.extend(whole.map(|whole| (start + 1, path.to_owned(), format!("/{whole}"))));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rebased_relative_urls_name_the_same_files() {
        let text =
            "![a](./a.png) [b](../b.md#x) [c](https://c.example) [d](/d) <img src=\"e.png\">\n";
        assert_eq!(
            rebased(text, "docs/parts/_one.mdx", "docs/two.mdx"),
            "![a](/docs/parts/a.png) [b](/docs/b.md#x) [c](https://c.example) [d](/d) <img src=\"/docs/parts/e.png\">\n"
        );
        assert_eq!(rebased(text, "docs/_one.mdx", "docs/two.mdx"), text);
        let text = "import a from './a.png';\nimport B from \"../_b.mdx\"\n\n<img src={a} /> <img src={require('./c.png').default} />\n\n```js\nimport d from './d.js'\n```\n";
        assert_eq!(
            rebased(text, "docs/parts/_one.mdx", "docs/two.mdx"),
            "import a from '/docs/parts/a.png';\nimport B from \"/docs/_b.mdx\"\n\n<img src={a} /> <img src={require('/docs/parts/c.png').default} />\n\n```js\nimport d from './d.js'\n```\n"
        );
    }
}
