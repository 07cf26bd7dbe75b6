//! A compiled template.

use std::sync::Arc;

use super::{
    error::{BrokenRule, SyntaxError, TemplatePosition},
    lexer::Fault,
    parser,
    tree::Program,
};

/// A template, compiled once and rendered often, on any thread.
#[derive(Debug)]
pub struct Template {
    path: Arc<str>,
    text: Arc<str>,
    program: Program,
    layout: Option<Layout>,
}

/// The layout of a template.
#[derive(Debug)]
struct Layout {
    /// The path, without `.hbs`.
    path: Box<str>,
    /// The offset of the tag that specifies it.
    start: usize,
}

impl Template {
    /// Compiles a template.
    ///
    /// # Errors
    ///
    /// The first syntax error.
    pub fn parse(path: &str, text: &str) -> Result<Self, SyntaxError> {
        // The layout is in a comment for Handlebars, so the parser does not see it: it is a feature
        // of express-hbs.
        let layout = layout_of(path, text);
        // Ghost appends a space to a template that ends with its first tag, and to one of a single UTF-16 unit without a tag
        // (6.65).
        let is_short = text.encode_utf16().count() == 1 && !text.contains("}}");
        let ends_with_first_tag = text.find("}}").is_some_and(|end| end + 2 == text.len());
        let text: Arc<str> = if is_short || ends_with_first_tag {
            format!("{text} ").into()
        } else {
            text.into()
        };
        let path = path.into();
        match parser::parse(&text) {
            Ok(program) => Ok(Self {
                path,
                text,
                program,
                layout,
            }),
            Err(Fault { start, reason }) => Err(SyntaxError {
                position: position(&path, &text, start),
                rule: BrokenRule::Language,
                reason,
                help: None,
            }),
        }
    }

    /// Returns the path in the theme, such as `partials/card.hbs`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the path of the layout, without `.hbs`.
    pub fn layout(&self) -> Option<&str> {
        self.layout.as_ref().map(|layout| &*layout.path)
    }

    /// Returns the position of the tag that specifies the layout.
    pub(super) fn layout_position(&self) -> TemplatePosition {
        self.position(self.layout.as_ref().map_or(0, |layout| layout.start))
    }

    /// Returns the tree.
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the source text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line and column of an offset.
    pub(super) fn position(&self, offset: usize) -> TemplatePosition {
        position(&self.path, &self.text, offset)
    }
}

fn position(path: &Arc<str>, text: &str, offset: usize) -> TemplatePosition {
    // Positions are computed only for errors, so no index of lines is stored.
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.rsplit('\n').next().unwrap_or_default();
    TemplatePosition {
        template: Arc::clone(path),
        line: 1 + memchr::memchr_iter(b'\n', before.as_bytes()).count(),
        column: 1 + line.chars().count(),
    }
}

/// Returns the layout in the first `{{!< name}}` of a template, if there is one. The space is required.
fn layout_of(path: &str, text: &str) -> Option<Layout> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let (start, name) = text.match_indices("{{!<").find_map(|(start, opening)| {
        let after = &text[start + opening.len()..];
        let name = after.trim_start();
        let end = name.find(|c| !is_of_name(c))?;
        let is_parted = name.len() < after.len();
        let is_closed = name[end..].trim_start().starts_with("}}");
        (end > 0 && is_parted && is_closed).then_some((start, &name[..end]))
    })?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut folders: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." => match folders.last() {
                // A path outside of the theme is not changed, as no template has it.
                None | Some(&"..") => folders.push(part),
                Some(_) => {
                    folders.pop();
                }
            },
            part => folders.push(part),
        }
    }
    let path = folders.join("/");
    let path = path.strip_suffix(".hbs").unwrap_or(&path).into();
    Some(Layout { path, start })
}
