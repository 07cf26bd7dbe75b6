//! Expands tabs of VuePress plugins: `@tab Title` in the containers `tabs` and `code-tabs`, which may have an id, as
//! in `::: code-tabs#shell`. Without scripts, tabs are shown one after the other, each with its title.

use crate::generators::syntax::{ExpandedText, code::TextParts, writer::ExpansionWriter};

/// The containers of tabs.
const CONTAINERS: [&str; 2] = ["tabs", "code-tabs"];

/// The beginning of the first line of a tab.
const MARK: &str = "@tab";

/// Writes the titles of tabs in bold, and removes the ids of their containers.
pub fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let mut has_container = false;
    if !text.contains(MARK) {
        return writer.finish();
    }
    for part in TextParts::of(text) {
        let content = part.text.trim();
        let start = part.start + part.text.len() - part.text.trim_start().len();
        if part.is_code {
            continue;
        }
        if let Some(id) = container_id(content) {
            has_container = true;
            writer.copy_to(start + content.len() - id.len());
            writer.skip_to(start + content.len());
        } else if let Some(title) = title_of(content).filter(|_| has_container) {
            // `@tab` is text in documents without a container of tabs.
            let indentation = &part.text[..start - part.start];
            writer.copy_to(part.start);
            if !title.is_empty() {
                writer.put(&format!("\n{indentation}**{title}**\n\n"));
            }
            writer.skip_to(part.end());
        }
    }
    writer.finish()
}

/// Returns the id of the container of tabs that a line opens, including the `#`; empty if it has none.
fn container_id(line: &str) -> Option<&str> {
    let name = line.strip_prefix(":::")?.trim_start_matches(':').trim();
    let (name, id) = name.split_at(name.find('#').unwrap_or(name.len()));
    CONTAINERS.contains(&name.trim()).then_some(id)
}

/// Returns the title of the tab that a line begins, without its id.
fn title_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(MARK)?;
    let rest = rest.strip_prefix(":active").unwrap_or(rest);
    let is_mark = rest.is_empty() || rest.starts_with([' ', '\t', '#']);
    let title = rest.rsplit_once('#').map_or(rest, |(title, _)| title);
    is_mark.then_some(title.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_shown_with_their_titles() {
        for (text, expected) in [
            (
                "::: code-tabs#shell\n@tab pnpm\n\n```sh\na\n```\n\n@tab:active yarn#b\n\nc\n:::\n",
                "::: code-tabs\n\n**pnpm**\n\n\n```sh\na\n```\n\n\n**yarn**\n\n\nc\n:::\n",
            ),
            ("::: tabs\n\n@tab\na\n:::\n", "::: tabs\n\na\n:::\n"),
            ("@tab a\n", "@tab a\n"),
            (
                "::: tabs\n@table\n```\n@tab a\n```\n:::\n",
                "::: tabs\n@table\n```\n@tab a\n```\n:::\n",
            ),
        ] {
            assert_eq!(pass(text).text, expected, "{text}");
        }
    }
}
