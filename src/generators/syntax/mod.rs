//! Expands templates, shortcodes, directives, wikilinks and MDX in documents of other generators: text to text.
//!
//! Built-in tags of a generator are rendered like it does, and so are tags of themes with an evident meaning. Other tags are
//! reported with line and name and dropped, and their content stays. A reference to another document becomes a `galley-ref:`
//! URL, which the linker resolves. Nothing is read but the arguments, time is linear in the length of the text, and expansion
//! never fails.

pub(crate) mod arguments;
pub(crate) mod attribute_lists;
pub(crate) mod callout;
pub(crate) mod catalogue;
pub(crate) mod code;
pub(crate) mod contents_marks;
pub(crate) mod directives;
pub(crate) mod embeds;
pub(crate) mod escape;
pub(crate) mod fence_lines;
pub(crate) mod finder;
pub(crate) mod indented;
pub(crate) mod liquid;
pub(crate) mod math_blocks;
pub(crate) mod mdc;
pub(crate) mod mdx;
pub(crate) mod pairs;
pub(crate) mod python_blocks;
pub(crate) mod python_inline;
pub(crate) mod python_markdown;
pub(crate) mod rebase;
pub(crate) mod remark;
pub(crate) mod summary;
pub(crate) mod tags;
pub(crate) mod vue;
pub(crate) mod vue_blocks;
pub(crate) mod vue_components;
pub(crate) mod vue_values;
pub(crate) mod wikilinks;
pub(crate) mod writer;

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::{content_text::LineMap, generators::syntax::callout::CalloutTag};

pub use crate::generators::syntax::{
    mdx::{declarations, declarations::Declaration},
    remark::Remark,
};

/// Maximum depth of inclusions.
const PARTIALS_DEPTH_MAX: usize = 5;

/// Maximum total length of a document's inclusions, in bytes.
const INCLUSION_BYTES_MAX: usize = 4 << 20;

/// Cost of an inclusion in addition to its length, in bytes.
const INCLUSION_BYTES: usize = 1_000;

/// Expands one kind of syntax in a text.
type Pass = fn(&str, ExpansionScope<'_>) -> ExpandedText;

/// The syntax of a generator's documents beyond Markdown.
#[derive(Debug)]
pub struct DocumentSyntax {
    /// Returns whether a document is MDX without the extension of MDX.
    pub(crate) is_mdx: fn(&str, &Environment<'_>) -> bool,
    /// The passes for templates, which front matter can disable.
    pub(crate) templates: &'static [Pass],
    /// The passes after these.
    pub(crate) passes: &'static [Pass],
    /// Whether documents in HTML have this syntax, too.
    pub(crate) is_in_html: bool,
    /// The component for callouts that the generator renders in its own way.
    pub(crate) callout: Option<CalloutTag>,
}

impl DocumentSyntax {
    /// Plain Markdown, and MDX in files with the extension of MDX.
    pub(crate) const NONE: Self = Self {
        is_mdx: |_, _| false,
        templates: &[],
        passes: &[],
        is_in_html: false,
        callout: None,
    };

    /// Returns whether documents other than MDX are plain Markdown.
    pub fn is_plain(&self) -> bool {
        self.templates.is_empty() && self.passes.is_empty()
    }

    /// Returns whether documents in HTML have this syntax.
    pub fn is_in_html(&self) -> bool {
        self.is_in_html
    }
}

/// An included file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludedFile {
    /// Its path in the content folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Returns the file that the file at the first path includes by the path as written.
pub type Partial<'e> = &'e (dyn Fn(&str, &str) -> Option<IncludedFile> + 'e);

/// Why a file is not included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InclusionRefusal {
    /// The file does not exist.
    Missing,
    /// The file includes itself, by way of these files.
    Circular(String),
    /// Inclusions are nested too deeply.
    TooDeep,
    /// The included files are too large.
    TooLarge,
}

impl std::fmt::Display for InclusionRefusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => formatter.write_str("the file does not exist"),
            Self::Circular(files) => write!(formatter, "it includes itself ({files})"),
            Self::TooDeep => write!(
                formatter,
                "files include each other more than {PARTIALS_DEPTH_MAX} deep"
            ),
            Self::TooLarge => write!(
                formatter,
                "the included files are larger than {} MiB in total",
                INCLUSION_BYTES_MAX >> 20
            ),
        }
    }
}

/// The inputs of expansion other than the text.
#[derive(Clone, Default)]
pub struct Environment<'e> {
    /// The path of the document.
    pub file: &'e str,
    /// Whether the document is MDX: the file's name ends with `.mdx`.
    pub is_mdx: bool,
    /// Whether other documents are plain Markdown by the project's settings.
    pub is_plain_markdown: bool,
    /// Whether the front matter disables templates: `render_with_liquid: false`, `templateEngineOverride: md`.
    pub is_without_templates: bool,
    /// The origin of the site: `https://example.org`.
    pub url: String,
    /// The base path of the site: `/blog`.
    pub baseurl: String,
    /// The site's settings: `site.title`, parameters of Hugo.
    pub site: Map<String, Value>,
    /// The document's front matter.
    pub page: Map<String, Value>,
    /// Finds included files: `./_partial.mdx`, `_includes/note.html`.
    pub partial: Option<Partial<'e>>,
}

/// The scope of an expansion: its environment, and remaining limits.
#[derive(Clone, Copy)]
pub(crate) struct ExpansionScope<'a> {
    pub(crate) environment: &'a Environment<'a>,
    /// The component for callouts that the generator renders in its own way.
    callout: Option<CalloutTag>,
    /// The path of the expanded file.
    file: &'a str,
    /// The scope of the including file.
    outer: Option<&'a ExpansionScope<'a>>,
    /// The depth of inclusion.
    depth: usize,
    /// Number of bytes that inclusions may still have, shared by the whole document.
    inclusion_left: &'a Cell<usize>,
}

impl ExpansionScope<'_> {
    /// Returns the file of an inclusion, or why it is not included.
    pub(crate) fn included(&self, written: &str) -> Result<IncludedFile, InclusionRefusal> {
        let partial = self.environment.partial.ok_or(InclusionRefusal::Missing)?;
        // Before the file is read: a refused inclusion costs, too.
        self.take(INCLUSION_BYTES)?;
        let included = partial(self.file, written).ok_or(InclusionRefusal::Missing)?;
        let scopes = std::iter::successors(Some(self), |scope| scope.outer);
        let mut between = Vec::new();
        for scope in scopes {
            between.push(scope.file);
            if scope.file == included.path {
                between.reverse();
                let files = [between.join(" → "), included.path].join(" → ");
                return Err(InclusionRefusal::Circular(files));
            }
        }
        if self.depth == PARTIALS_DEPTH_MAX {
            return Err(InclusionRefusal::TooDeep);
        }
        self.take(included.text.len())?;
        Ok(included)
    }

    /// Subtracts `bytes` from the remaining limit of inclusions, or exhausts it.
    fn take(&self, bytes: usize) -> Result<(), InclusionRefusal> {
        let bytes_left = self.inclusion_left.get().checked_sub(bytes);
        self.inclusion_left.set(bytes_left.unwrap_or(0));
        bytes_left.map(drop).ok_or(InclusionRefusal::TooLarge)
    }

    /// Returns the scope of an included file.
    pub(crate) fn within<'s>(&'s self, included: &'s IncludedFile) -> ExpansionScope<'s> {
        ExpansionScope {
            file: &included.path,
            outer: Some(self),
            depth: self.depth + 1,
            ..*self
        }
    }
}

impl Environment<'_> {
    /// Returns the value of `name`, which may be dotted, in the front matter, in its `params`, or else the site's settings.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let of_params = || value_at(&self.page, &format!("params.{name}"));
        let own = value_at(&self.page, name).or_else(of_params);
        own.or_else(|| value_at(&self.site, name))
    }
}

impl std::fmt::Debug for Environment<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("file", &self.file)
            .field("is_mdx", &self.is_mdx)
            .field("is_without_templates", &self.is_without_templates)
            .field("url", &self.url)
            .field("baseurl", &self.baseurl)
            .finish_non_exhaustive()
    }
}

/// An expanded text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpandedText {
    /// Markdown.
    pub text: String,
    /// Remarks about dropped or unsupported parts, in the order of lines.
    pub remarks: Vec<Remark>,
    /// The exported front matter of MDX: `export const meta = {…}`.
    pub meta: Map<String, Value>,
    /// The source lines of the lines of `text`.
    pub lines: LineMap,
}

/// Expands the body of a document, whose first line has the number `first_line` in its file, to Markdown without templates.
pub fn expand(
    text: &str,
    first_line: usize,
    syntax: &DocumentSyntax,
    environment: &Environment<'_>,
) -> ExpandedText {
    let mut expanded = ExpandedText::unchanged(text, first_line);
    let inclusion_left = Cell::new(INCLUSION_BYTES_MAX);
    let scope = ExpansionScope {
        environment,
        callout: syntax.callout,
        file: environment.file,
        outer: None,
        depth: 0,
        inclusion_left: &inclusion_left,
    };
    if environment.is_mdx || (syntax.is_mdx)(text, environment) {
        expanded.pass(|text| mdx::pass(text, scope));
    }
    let templates = if environment.is_without_templates {
        &[]
    } else {
        syntax.templates
    };
    for pass in templates.iter().chain(syntax.passes) {
        expanded.pass(|text| pass(text, scope));
    }
    expanded
}

impl ExpandedText {
    fn unchanged(text: &str, first_line: usize) -> Self {
        Self {
            text: text.to_owned(),
            lines: LineMap::starting_with(first_line),
            ..Self::default()
        }
    }

    /// Applies a pass to the text. Line numbers of its remarks are relative to its input, from 1.
    fn pass(&mut self, work: impl FnOnce(&str) -> Self) {
        let mut done = work(&self.text);
        for remark in &mut done.remarks {
            remark.line = self.lines.of_source(remark.line);
        }
        self.text = done.text;
        self.lines = done.lines.after(&self.lines);
        self.remarks.append(&mut done.remarks);
        self.remarks.sort_by_key(|remark| remark.line);
        self.meta.append(&mut done.meta);
    }
}

/// Returns the text, number or boolean in `map` under a dotted name.
fn value_at(map: &Map<String, Value>, name: &str) -> Option<String> {
    if let Some(value) = map.get(name) {
        return said(value);
    }
    let mut parts = name.split('.');
    let first = map.get(parts.next()?)?;
    said(parts.try_fold(first, |value, part| value.get(part))?)
}

fn said(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// Returns a text without its front matter, and the number of lines of that.
pub(super) fn without_front_matter(text: &str) -> (&str, usize) {
    let Some((head, body)) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
    else {
        return (text, 0);
    };
    (body, head.matches('\n').count() + 3)
}
