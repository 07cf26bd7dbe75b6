//! Templates, shortcodes, directives, wikilinks and MDX in the texts of other generators, worked out: text to text.
//!
//! What a generator knows by itself becomes what it makes of it, and so do tags of themes whose meaning is evident. Other
//! tags are reported with line and name and left out, and what stands between them stays. A reference to another text
//! becomes a `galley-ref:` address, which the linker resolves. Nothing is read but the arguments, time is
//! linear in the length of the text, and no text makes it fail.

mod arguments;
mod callout;
mod catalogue;
mod code;
mod directives;
mod embeds;
mod escape;
mod finder;
mod lines;
mod liquid;
mod mdbook;
mod mdx;
mod obsidian;
mod pairs;
mod rebase;
mod remark;
mod shortcodes;
mod summary;
mod tags;
mod writer;
mod zola;

#[cfg(test)]
mod tables;

use std::cell::Cell;

use serde_json::{Map, Value};

pub use self::{
    lines::Lines,
    mdx::declarations::{self, Declaration},
    remark::Remark,
};

/// How deep texts may include texts.
const PARTIALS_DEPTH_MAX: usize = 5;

/// How many bytes all texts that one includes may have.
const INCLUSION_BYTES_MAX: usize = 4 << 20;

/// How many bytes an inclusion counts for beside those of its text.
const INCLUSION_BYTES: usize = 1_000;

/// What the texts of a generator may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Family {
    /// Plain Markdown.
    #[default]
    None,
    /// `{% tag %}` and `{{ value }}`, as in Jekyll.
    Liquid,
    /// The same, with the tags of Hexo.
    Hexo,
    /// The same in Liquid or Nunjucks, and `:::` containers, as in Eleventy.
    Eleventy,
    /// `{{< shortcode >}}` and `{{% shortcode %}}`.
    Hugo,
    /// `{{ shortcode() }}` and `{% shortcode() %} {% end %}`.
    Zola,
    /// MDX, whatever the extension, and `:::note` admonitions.
    Docusaurus,
    /// `[[wikilinks]]`, `![[embeds]]` and `%%comments%%`.
    Obsidian,
    /// `:::note` asides of Starlight, and MDX in `.mdx` files.
    Astro,
    /// MDX in `.mdx` files.
    Next,
    /// `{{#include file}}`.
    MdBook,
}

/// A file that another one includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its path in the content folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Returns the file that the file at the first path includes by the path that is written there.
pub type Partial<'e> = &'e (dyn Fn(&str, &str) -> Option<Included> + 'e);

/// Why a file is not included.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Refusal {
    /// There is no file at that path.
    Missing,
    /// The file includes itself, by way of these files.
    Circular(String),
    /// Files include each other too deeply.
    TooDeep,
    /// The included files are too large.
    TooLarge,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => formatter.write_str("there is no such file"),
            Self::Circular(files) => write!(formatter, "it includes itself ({files})"),
            Self::TooDeep => write!(
                formatter,
                "files include each other more than {PARTIALS_DEPTH_MAX} deep"
            ),
            Self::TooLarge => write!(
                formatter,
                "the included files have more than {} MiB",
                INCLUSION_BYTES_MAX >> 20
            ),
        }
    }
}

/// What is known beside a text.
#[derive(Clone, Default)]
pub struct Environment<'e> {
    /// The path of the text's file.
    pub file: &'e str,
    /// Whether the text is MDX: the file's name ends with `.mdx`. Texts of Docusaurus are, too, unless they are plain Markdown.
    pub is_mdx: bool,
    /// Whether a text of Docusaurus is plain Markdown.
    pub is_plain_markdown: bool,
    /// Whether the front matter switches templates off: `render_with_liquid: false`, `templateEngineOverride: md`.
    pub is_without_templates: bool,
    /// Where the site is: `https://example.org`.
    pub url: String,
    /// The path of the site on it: `/blog`.
    pub baseurl: String,
    /// What the site's settings say: `site.title`, parameters of Hugo.
    pub site: Map<String, Value>,
    /// What the text's front matter says.
    pub page: Map<String, Value>,
    /// Finds files that are included: `./_partial.mdx`, `_includes/note.html`.
    pub partial: Option<Partial<'e>>,
}

/// Where a text is worked out: what is known beside it, and what may still be included.
#[derive(Clone, Copy)]
struct Scope<'a> {
    environment: &'a Environment<'a>,
    family: Family,
    /// The path of the file that is worked out.
    file: &'a str,
    /// Where the file that includes this one is worked out.
    outer: Option<&'a Scope<'a>>,
    /// How many texts include this one.
    depth: usize,
    /// How many bytes inclusions may still have, over all that is worked out at once.
    inclusion_left: &'a Cell<usize>,
}

impl Scope<'_> {
    /// Returns the file that an inclusion names, or why it is not included.
    fn included(&self, written: &str) -> Result<Included, Refusal> {
        let partial = self.environment.partial.ok_or(Refusal::Missing)?;
        // Before the file is read: a refused inclusion costs, too.
        self.take(INCLUSION_BYTES)?;
        let included = partial(self.file, written).ok_or(Refusal::Missing)?;
        let scopes = std::iter::successors(Some(self), |scope| scope.outer);
        let mut between = Vec::new();
        for scope in scopes {
            between.push(scope.file);
            if scope.file == included.path {
                between.reverse();
                let files = [between.join(" → "), included.path].join(" → ");
                return Err(Refusal::Circular(files));
            }
        }
        if self.depth == PARTIALS_DEPTH_MAX {
            return Err(Refusal::TooDeep);
        }
        self.take(included.text.len())?;
        Ok(included)
    }

    /// Takes `bytes` from what inclusions may still have; nothing is left if that is too little.
    fn take(&self, bytes: usize) -> Result<(), Refusal> {
        let left = self.inclusion_left.get().checked_sub(bytes);
        self.inclusion_left.set(left.unwrap_or(0));
        left.map(drop).ok_or(Refusal::TooLarge)
    }

    /// Returns where an included file is worked out.
    fn within<'s>(&'s self, included: &'s Included) -> Scope<'s> {
        Scope {
            file: &included.path,
            outer: Some(self),
            depth: self.depth + 1,
            ..*self
        }
    }
}

impl Environment<'_> {
    /// What the front matter or else the site's settings say about `name`, which may have dots.
    fn parameter(&self, name: &str) -> Option<String> {
        looked_up(&self.page, name).or_else(|| looked_up(&self.site, name))
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

/// A text worked out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worked {
    /// Markdown.
    pub text: String,
    /// What was left out or cannot be worked out, in the order of lines.
    pub remarks: Vec<Remark>,
    /// What `export const meta = {…}` says, in MDX.
    pub meta: Map<String, Value>,
    /// Which lines of the file the lines of `text` come from.
    pub lines: Lines,
}

/// Returns the body of a text, whose first line has the number `first_line` in its file, as Markdown without templates.
pub fn work_out(
    text: &str,
    first_line: usize,
    family: Family,
    environment: &Environment<'_>,
) -> Worked {
    let mut worked = Worked::unchanged(text, first_line);
    let inclusion_left = Cell::new(INCLUSION_BYTES_MAX);
    let scope = Scope {
        environment,
        family,
        file: environment.file,
        outer: None,
        depth: 0,
        inclusion_left: &inclusion_left,
    };
    if environment.is_mdx || family == Family::Docusaurus && !environment.is_plain_markdown {
        worked.pass(|text| mdx::pass(text, scope));
    }
    if !environment.is_without_templates {
        match family {
            Family::Liquid | Family::Hexo | Family::Eleventy => {
                worked.pass(|text| liquid::pass(text, scope));
            }
            Family::Hugo => worked.pass(|text| shortcodes::pass(text, scope)),
            Family::Zola => worked.pass(zola::pass),
            Family::MdBook => {
                worked.pass(|text| mdbook::pass(text, scope));
                worked.pass(mdbook::hide);
            }
            _ => {}
        }
    }
    match family {
        Family::Docusaurus | Family::Astro | Family::Eleventy => {
            worked.pass(|text| directives::pass(text, family));
        }
        Family::Obsidian => worked.pass(obsidian::pass),
        _ => {}
    }
    if family != Family::None {
        worked.pass(summary::pass);
    }
    worked
}

impl Worked {
    fn unchanged(text: &str, first_line: usize) -> Self {
        Self {
            text: text.to_owned(),
            lines: Lines::starting_with(first_line),
            ..Self::default()
        }
    }

    /// Has `work` done to the text. What it says about lines is about those of the text it is given, from 1.
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

/// What stands in `map` under a name with dots, when it is a text, a number or a truth.
fn looked_up(map: &Map<String, Value>, name: &str) -> Option<String> {
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

/// A text without its front matter, and how many lines that has.
fn without_front_matter(text: &str) -> (&str, usize) {
    let Some((head, body)) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
    else {
        return (text, 0);
    };
    (body, head.matches('\n').count() + 3)
}
