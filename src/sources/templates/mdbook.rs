//! What mdBook's own preprocessor works out: `{{#include file:lines}}` and the like, and hidden lines of Rust code.
//!
//! Directives are worked out wherever they stand, in code too, as mdBook does. Tags of other preprocessors
//! (`<Listing number="1">`) are left out, and what stands between them stays.

use std::{borrow::Cow, collections::HashSet, sync::LazyLock};

use regex::Regex;

use super::{
    Scope, Worked,
    code::{Code, fence_length, line_end},
    writer::{Writer, fence_for},
};

/// What an inclusion takes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    /// Lines from the first number, counted from 1, to the last one.
    Lines(usize, usize),
    /// What stands between `ANCHOR: name` and `ANCHOR_END: name`.
    Anchor(&'a str),
}

/// Works out the directives of a text.
pub fn pass(text: &str, scope: Scope<'_>) -> Worked {
    static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\\\{\{[ \t]*#[^\n}]*\}\}|\{\{[ \t]*#([A-Za-z0-9_]+)[ \t]+([^}]+)\}\}")
    });
    let mut writer = Writer::new(text);
    for found in DIRECTIVE.captures_iter(text) {
        let Some(whole) = found.get(0) else {
            continue;
        };
        writer.copy_to(whole.start());
        let (Some(name), Some(arguments)) = (found.get(1), found.get(2)) else {
            // A backslash has it shown.
            writer.skip_to(whole.start() + 1);
            writer.copy_to(whole.end());
            continue;
        };
        let arguments = arguments.as_str().trim();
        match name.as_str() {
            "include" | "rustdoc_include" => {
                let (path, part) = path_and_part(arguments);
                writer.skip_to(whole.end());
                if let Some(text) = included(&mut writer, whole.start(), path, part, scope) {
                    // mdBook puts it in as it is, whatever container it stands in.
                    writer.put(&text);
                }
            }
            "playground" | "playpen" => {
                let path = arguments.split_whitespace().next().unwrap_or_default();
                writer.skip_to(whole.end());
                if let Some(code) = included(&mut writer, whole.start(), path, Part::ALL, scope) {
                    let fence = fence_for(&code);
                    writer.put(&format!("{fence}rust\n{code}\n{fence}"));
                }
            }
            "title" => writer.skip_to(whole.end()),
            name => {
                let message = format!("the directive `{name}` is not known and is left out");
                writer.remark(whole.start(), message);
                writer.skip_to(whole.end());
            }
        }
    }
    writer.finish()
}

/// Leaves out the lines of Rust code that mdBook hides, and the tags of preprocessors.
pub fn hide(text: &str) -> Worked {
    static TAG: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?m)^[ \t]*</?([A-Z][a-z][A-Za-z0-9]*)(?:\s+[A-Za-z-]+(?:=(?:"[^"]*"|'[^']*'))?)*\s*/?>[ \t]*$"#,
        )
    });
    let mut writer = Writer::new(text);
    let code = Code::of(text);
    let mut tags = TAG.captures_iter(text).peekable();
    let mut reported = HashSet::new();
    let mut place = 0;
    while place < text.len() {
        let next = line_end(text, place);
        while let Some(found) =
            tags.next_if(|found| found.get(0).is_some_and(|tag| tag.start() < next))
        {
            let (Some(tag), Some(name)) = (found.get(0), found.get(1)) else {
                continue;
            };
            if code.at(tag.start()).is_some() || tag.start() < writer.place() {
                continue;
            }
            writer.copy_to(tag.start());
            let name = name.as_str();
            let opens = !tag.as_str().trim_start().starts_with("</");
            if opens && reported.insert(name) {
                let message = format!("the component `{name}` is not known; what it holds stays");
                writer.remark(tag.start(), message);
            }
            writer.skip_to(tag.end());
        }
        let Some(length) = fence_length(&text[place..]) else {
            place = next;
            continue;
        };
        let end = place + length;
        if is_rust(&text[place..next]) {
            let mut line = next;
            while line < end {
                let line_end = line_end(&text[..end], line);
                match shown(&text[line..line_end]) {
                    Some(Cow::Borrowed(_)) => {}
                    Some(Cow::Owned(shown)) => {
                        writer.copy_to(line);
                        writer.put(&shown);
                        writer.skip_to(line_end);
                    }
                    None => {
                        writer.copy_to(line);
                        writer.skip_to(line_end);
                    }
                }
                line = line_end;
            }
        }
        place = end;
    }
    writer.finish()
}

impl Part<'_> {
    const ALL: Self = Self::Lines(1, usize::MAX);
}

/// Returns a part of a file with its own directives worked out. If it cannot be included, that is reported.
fn included(
    writer: &mut Writer<'_>,
    place: usize,
    path: &str,
    part: Part<'_>,
    scope: Scope<'_>,
) -> Option<String> {
    match scope.included(path) {
        Ok(included) => {
            let worked = pass(&taken(&included.text, part), scope.within(&included));
            writer.remark_all(place, &included.path, worked.remarks);
            Some(worked.text)
        }
        Err(refusal) => {
            let message = format!("the file `{path}` is not included: {refusal}");
            writer.remark(place, message);
            None
        }
    }
}

/// Returns the path of an inclusion, and what it takes: `file.rs`, `file.rs:2`, `file.rs:2:5`, `file.rs::5`, `file.rs:anchor`.
fn path_and_part(arguments: &str) -> (&str, Part<'_>) {
    let mut parts = arguments.split(':');
    let path = parts.next().unwrap_or_default();
    let (first, last) = (parts.next(), parts.next());
    let number = |written: &str| written.trim().parse::<usize>().ok();
    let part = match (first.map(str::trim), last.map(str::trim)) {
        (None, _) => Part::ALL,
        (Some(first), None) => match number(first) {
            Some(line) => Part::Lines(line, line),
            None if first.is_empty() => Part::ALL,
            None => Part::Anchor(first),
        },
        (Some(first), Some(last)) => match number(first) {
            Some(line) => Part::Lines(line, number(last).unwrap_or(usize::MAX)),
            None if first.is_empty() => Part::Lines(1, number(last).unwrap_or(usize::MAX)),
            None => Part::Anchor(first),
        },
    };
    (path, part)
}

/// Returns a part of a file, without the line end behind it.
fn taken(text: &str, part: Part<'_>) -> String {
    static ANCHOR: LazyLock<Regex> =
        LazyLock::new(|| regex(r"ANCHOR(_END)?:[ \t]*([A-Za-z0-9_-]+)"));
    let lines: Vec<&str> = match part {
        Part::Lines(first, last) => {
            let lines = text.lines().enumerate();
            let lines = lines.filter(|(place, _)| (first.max(1)..=last).contains(&(place + 1)));
            lines.map(|(_, line)| line).collect()
        }
        Part::Anchor(name) => {
            let mut is_within = false;
            let taken = text.lines().filter(|line| {
                let mark = ANCHOR.captures(line);
                if let Some(mark) = mark.as_ref().filter(|mark| &mark[2] == name) {
                    is_within = mark.get(1).is_none();
                }
                is_within && mark.is_none()
            });
            taken.collect()
        }
    };
    lines.join("\n")
}

fn is_rust(opening: &str) -> bool {
    let opening = opening.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
    let language = opening.trim_start_matches(['`', '~']).trim_start();
    let end = language.find(|letter: char| letter == ',' || letter.is_whitespace());
    &language[..end.unwrap_or(language.len())] == "rust"
}

/// Returns what shows of a line of Rust code: nothing of `# hidden`, and `#` of `##`.
fn shown(line: &str) -> Option<Cow<'_, str>> {
    let code = line.trim_start_matches([' ', '\t', '>']);
    let Some(rest) = code.strip_prefix('#') else {
        return Some(Cow::Borrowed(line));
    };
    if rest.starts_with([' ', '\n', '\r']) || rest.is_empty() {
        return None;
    }
    Some(match rest.starts_with('#') {
        true => Cow::Owned(format!("{}{rest}", &line[..line.len() - code.len()])),
        false => Cow::Borrowed(line),
    })
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("invariant: the pattern is a constant")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_files_are_named_by_lines_and_anchors() {
        let text =
            "1\n2\n// ANCHOR: a\n3\n// ANCHOR: b\n4\n// ANCHOR_END: b\n// ANCHOR_END: a\n5\n";
        for (arguments, expected) in [
            ("f.rs:2", "2"),
            ("f.rs:1:2", "1\n2"),
            ("f.rs::1", "1"),
            ("f.rs:9:", "5"),
            ("f.rs:a", "3\n4"),
            ("f.rs:b", "4"),
            ("f.rs:c", ""),
            ("f.rs:90:100", ""),
            ("f.rs:0:1", "1"),
        ] {
            let (path, part) = path_and_part(arguments);
            assert_eq!(path, "f.rs");
            assert_eq!(taken(text, part), expected, "{arguments}");
        }
        assert_eq!(path_and_part("f.rs"), ("f.rs", Part::ALL));
    }

    #[test]
    fn hidden_lines_of_rust_do_not_show() {
        let text =
            "```rust,ignore\n# use a;\n#\n  # b\n#[c]\n## d\ne\n```\n\n```toml\n# f\n```\n\n# g\n";
        assert_eq!(
            hide(text).text,
            "```rust,ignore\n#[c]\n# d\ne\n```\n\n```toml\n# f\n```\n\n# g\n"
        );
    }

    #[test]
    fn tags_of_preprocessors_are_left_out_with_a_remark() {
        let worked = hide(
            "<Listing number=\"1\"\n caption=\"a > b\">\n\n*a*\n\n</Listing>\n\n`<Vec>` <div>\n",
        );
        assert_eq!(worked.text, "\n\n*a*\n\n\n\n`<Vec>` <div>\n");
        let remarks: Vec<&str> = worked
            .remarks
            .iter()
            .map(|remark| remark.text.as_str())
            .collect();
        assert_eq!(
            remarks,
            ["the component `Listing` is not known; what it holds stays"]
        );
    }
}
