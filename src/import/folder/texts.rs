//! The texts of a project, read: Markdown of any generator as what content files say.

use std::{collections::HashMap, fmt::Write as _};

use percent_encoding::percent_decode_str;

use super::{
    generator::Generator,
    project::{Project, Text},
};
use crate::sources::{
    Diagnostic,
    foreign::{Conditions, ForeignText},
    templates::{self, Environment, Lines, Remark},
    tree,
};

/// Tags by which Eleventy knows which pages belong together.
const COLLECTIONS: [&str; 6] = ["all", "nav", "page", "pages", "post", "posts"];

/// What texts are called in references to them: by their paths without extension, and the ends of these.
pub struct Names(HashMap<String, String>);

/// A text as read.
pub struct Read {
    /// What it says.
    pub text: ForeignText,
    /// What is wrong in its front matter.
    pub diagnostics: Vec<Diagnostic>,
    /// What of its body is not taken as it was.
    pub remarks: Vec<Remark>,
}

impl Names {
    /// The names of these texts. Of several with one name the first by path has it.
    pub fn of(texts: &[Text]) -> Self {
        let mut names = HashMap::new();
        for text in texts {
            let mut name = bare(&text.path);
            loop {
                names
                    .entry(name.to_owned())
                    .or_insert_with(|| text.path.clone());
                match name.split_once('/') {
                    Some((_, rest)) => name = rest,
                    None => break,
                }
            }
        }
        Self(names)
    }

    fn find(&self, project: &Project, written: &str) -> Option<String> {
        let path = written.trim().trim_matches('/');
        match self.0.get(bare(path)) {
            Some(path) => Some(path.clone()),
            None => project.paths.get(path).cloned(),
        }
    }
}

/// A path without its extension, and without the name of an index file.
fn bare(path: &str) -> &str {
    let extensions = [".md", ".markdown", ".mdx", ".html", ".htm"];
    let path = extensions
        .iter()
        .find_map(|extension| path.strip_suffix(extension))
        .unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path)
}

/// Reads a text of a project.
///
/// # Errors
///
/// Why it cannot be used.
pub fn read(
    project: &Project,
    names: &Names,
    text: &Text,
    conditions: &Conditions,
) -> Result<Read, Diagnostic> {
    let bytes = tree::read(&project.root, &text.path)?;
    let (whole, start) = ForeignText::body_start(&text.path, &bytes)?;
    let (head, body) = whole.split_at(start);
    let first_line = 1 + head.matches('\n').count();
    let (body, mut remarks) = plain_markdown(project, names, &text.path, body, first_line);
    remarks.sort_by_key(|remark| remark.line);
    let plain = format!("{head}{body}");
    let (mut read, diagnostics) =
        ForeignText::read(&text.path, text.kind, plain.as_bytes(), conditions)?;
    adapt_tags(project.generator, &mut read);
    Ok(Read {
        text: read,
        diagnostics,
        remarks,
    })
}

/// A body without what its generator would have worked out.
fn plain_markdown(
    project: &Project,
    names: &Names,
    path: &str,
    body: &str,
    first_line: usize,
) -> (String, Vec<Remark>) {
    let generator = project.generator;
    let environment = Environment {
        is_mdx: path.ends_with(".mdx"),
        ..Environment::default()
    };
    let worked = templates::work_out(body, first_line, generator.family(), &environment);
    let mut remarks = worked.remarks;
    let find = |written: &str| names.find(project, written);
    let mut body = resolved(&worked.text, &worked.lines, &find, &mut remarks);
    if generator == Generator::Jekyll {
        body = without_attributes(&body, first_line, &mut remarks);
    }
    (body, remarks)
}

/// Puts the paths of texts and files in the place of references to them.
fn resolved(
    body: &str,
    lines: &Lines,
    find: &dyn Fn(&str) -> Option<String>,
    remarks: &mut Vec<Remark>,
) -> String {
    const MARK: &str = "galley-ref:";
    let mut parts = body.split(MARK);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || "-._~/%#".contains(letter)))
            .unwrap_or(part.len());
        let (address, after) = part.split_at(end);
        let (path, fragment) = address.split_at(address.find('#').unwrap_or(address.len()));
        let target = path.split_once('/').map_or("", |(_, target)| target);
        let target = percent_decode_str(target).decode_utf8_lossy();
        match find(&target) {
            Some(path) => text.push_str(&format!("/{path}{fragment}")),
            None if target.is_empty() => text.push_str(fragment),
            None => {
                let line = lines.of_source(1 + text.matches('\n').count());
                let said = format!("nothing is called `{target}`, which a link names");
                remarks.push(Remark { line, text: said });
                text.push_str(&format!("{target}{fragment}"));
            }
        }
        text.push_str(after);
    }
    text
}

/// Takes out what gives attributes to blocks and spans in kramdown, Jekyll's Markdown: `{: .wide}` on a line of its own or
/// behind a picture, a link or marked text.
fn without_attributes(body: &str, first_line: usize, remarks: &mut Vec<Remark>) -> String {
    let mut kept = String::with_capacity(body.len());
    for (number, line) in body.split_inclusive('\n').enumerate() {
        let mut rest = line;
        while let Some((before, attributes, after)) = attributes_in(rest) {
            kept.push_str(before);
            remarks.push(Remark {
                line: first_line + number,
                text: format!("the attributes `{attributes}` are not taken"),
            });
            rest = after;
        }
        kept.push_str(rest);
    }
    kept
}

/// The first attributes in a line, with what stands before and behind them.
fn attributes_in(line: &str) -> Option<(&str, &str, &str)> {
    let mut place = 0;
    loop {
        let start = place + line[place..].find("{:")?;
        let end = start + line[start..].find('}')? + 1;
        let before = &line[..start];
        if before.trim().is_empty() || before.ends_with([')', ']', '*', '_', '`']) {
            return Some((before, &line[start..end], &line[end..]));
        }
        place = end;
    }
}

/// Tags as their generator means them: Jekyll's `tags: sea quay` are two, and Eleventy's collections are none.
fn adapt_tags(generator: Generator, text: &mut ForeignText) {
    match generator {
        Generator::Jekyll => text.change_tags(|before, name| {
            let is_whole_list = ["tags:", "categories:"].contains(&before.trim());
            match is_whole_list && !name.contains(',') {
                true => name.split_whitespace().map(str::to_owned).collect(),
                false => vec![name.to_owned()],
            }
        }),
        Generator::Eleventy => text.change_tags(|_, name| {
            let is_collection = COLLECTIONS.contains(&name.to_lowercase().as_str());
            match is_collection {
                true => Vec::new(),
                false => vec![name.to_owned()],
            }
        }),
        _ => {}
    }
}

/// Where a problem is, as reports name it: `posts/ferry.md:12`.
pub fn subject(path: &str, line: Option<usize>) -> String {
    let mut subject = path.to_owned();
    if let Some(line) = line {
        // Writing to a text cannot fail.
        let _ = write!(subject, ":{line}");
    }
    subject
}
