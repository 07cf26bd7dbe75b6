//! Expands Liquid and the common subset of Nunjucks: `{% tag %}` and `{{ value }}`.
//!
//! Known values are evaluated: references, code, strings, assigned variables, front matter, the site's settings, inclusions.
//! If a condition cannot be evaluated, its first branch is used, and loops are dropped; both are reported.

mod dialect;
mod lexer;
mod raw;
mod values;

use std::collections::HashMap;

use crate::generators::syntax::{
    ExpandedText, ExpansionScope, IncludedFile, InclusionRefusal,
    arguments::{Arguments, Notation},
    catalogue,
    catalogue::{TagRendering, split_reference},
    code::Code,
    escape::reference,
    liquid::{
        lexer::{LiquidTag, TagKind},
        values::LiquidValues,
    },
    pairs,
    pairs::PairSide,
    tags::{OpenTags, TagPosition},
    without_front_matter,
    writer::ExpansionWriter,
};

pub use dialect::LiquidDialect;

/// Maximum total length of the variables that an included file inherits, in bytes.
const INHERITED_BYTES_MAX: usize = 32 << 10;

/// Maximum number of bytes that values and inclusions may add to a text, beyond the length of the text itself.
const GROWTH_BYTES_MAX: usize = 1 << 20;

/// Maximum number of tags between `case` and its first branch.
const LOOKAHEAD_TAGS_MAX: usize = 10;

/// Expands the tags of a text.
pub fn pass(text: &str, scope: ExpansionScope<'_>, dialect: &LiquidDialect) -> ExpandedText {
    pass_with(text, scope, dialect, HashMap::new())
}

fn pass_with(
    text: &str,
    scope: ExpansionScope<'_>,
    dialect: &LiquidDialect,
    variables: HashMap<String, String>,
) -> ExpandedText {
    let tags = lexer::all(text, dialect.is_nunjucks);
    if tags.is_empty() {
        return ExpansionWriter::new(text).finish();
    }
    let partners = pairs::find(tags.iter().map(|tag| match tag.kind {
        TagKind::Tag { name, .. } => match name.strip_prefix("end") {
            Some(opened) if !opened.is_empty() => PairSide::Closes(opened),
            _ => PairSide::Opens(name),
        },
        _ => PairSide::Standalone,
    }));
    let mut expander = LiquidExpander {
        text,
        scope,
        dialect,
        code: Code::of(text),
        writer: ExpansionWriter::new(text),
        values: LiquidValues::new(scope, dialect.is_nunjucks, variables),
        partners,
        tags,
        open: OpenTags::default(),
        captures: Vec::new(),
        conditions: Vec::new(),
        urls: Vec::new(),
        growth_left: text.len() + GROWTH_BYTES_MAX,
        trims_next: false,
    };
    for number in 0..expander.tags.len() {
        expander.tag(number);
    }
    expander.copy_to(text.len());
    expander.writer.finish()
}

struct LiquidExpander<'t, 'e> {
    text: &'t str,
    scope: ExpansionScope<'e>,
    dialect: &'e LiquidDialect,
    code: Code,
    writer: ExpansionWriter<'t>,
    values: LiquidValues<'e>,
    tags: Vec<LiquidTag<'t>>,
    partners: Vec<Option<usize>>,
    open: OpenTags,
    /// The open captures: the index of the closing tag, and the name of the variable.
    captures: Vec<(usize, String)>,
    /// The indexes of the closing tags of open conditions.
    conditions: Vec<usize>,
    /// The byte ranges of the site's URL in the output.
    urls: Vec<(usize, usize)>,
    growth_left: usize,
    /// Whether the previous tag trims white space after it.
    trims_next: bool,
}

impl<'t> LiquidExpander<'t, '_> {
    fn tag(&mut self, number: usize) {
        let tag = self.tags[number].clone();
        // The tag is in a branch or content that was dropped.
        if tag.start < self.writer.offset() {
            return;
        }
        self.copy_to(tag.start);
        while self
            .conditions
            .pop_if(|closing| *closing <= number)
            .is_some()
        {}
        self.open.close_before(&mut self.writer, number);
        match tag.kind {
            TagKind::Comment => self.skip_to(&tag, tag.end),
            TagKind::Raw(inside) => {
                self.skip_to(&tag, tag.end);
                let is_html = self.dialect.has_html_in_raw && self.code.at(tag.start).is_none();
                raw::put(&mut self.writer, inside, is_html);
            }
            TagKind::Value(inside) => self.value(&tag, inside),
            TagKind::Tag { name, arguments } => self.named(number, &tag, name, arguments),
        }
    }

    /// Copies the text before a tag, trimmed by the previous tag.
    fn copy_to(&mut self, end: usize) {
        if std::mem::take(&mut self.trims_next) {
            let rest = &self.text[self.writer.offset()..end];
            self.writer.skip_to(end - rest.trim_start().len());
        }
        self.writer.copy_to(end);
    }

    /// Drops the source up to the byte `end`, and the white space that the tag trims.
    fn skip_to(&mut self, tag: &LiquidTag<'_>, end: usize) {
        if tag.trims_before {
            self.writer.trim();
        }
        self.writer.skip_to(end);
        self.trims_next = tag.trims_after;
    }

    fn value(&mut self, tag: &LiquidTag<'t>, inside: &str) {
        let is_url = self.is_in_url();
        if values::is_site_url(inside, self.dialect.is_nunjucks) {
            let before = self.writer.written().len();
            self.skip_to(tag, tag.end);
            // In a URL nothing is written, because the path there is already that of the site.
            if !is_url {
                let url = self.values.site_url(inside);
                self.put_value(tag, &url);
            }
            // `put_reference` removes the URL again.
            self.urls.push((
                before.min(self.writer.written().len()),
                self.writer.written().len(),
            ));
            return;
        }
        match self.values.of(inside, is_url) {
            Some((value, unknown)) => {
                if let Some(filter) = unknown {
                    self.remark(
                        tag,
                        format!("the filter `{filter}` is not known and is ignored"),
                    );
                }
                self.skip_to(tag, tag.end);
                self.put_value(tag, &value);
            }
            None if self.is_in_code(tag.start) => self.writer.copy_to(tag.end),
            None => {
                self.remark(
                    tag,
                    format!(
                        "the value `{}` is not known and is left out",
                        shortened(inside)
                    ),
                );
                self.skip_to(tag, tag.end);
            }
        }
    }

    /// Writes a value unless it exceeds the limit of growth.
    fn put_value(&mut self, tag: &LiquidTag<'_>, value: &str) {
        match self.growth_left.checked_sub(value.len()) {
            Some(left) => {
                self.growth_left = left;
                self.writer.put(value);
            }
            None => self.remark(
                tag,
                "the value is left out: the document would be too long".to_owned(),
            ),
        }
    }

    /// Returns whether the output ends at the beginning of a link destination or an attribute value, or after the site's URL
    /// there.
    fn is_in_url(&self) -> bool {
        let written = self.writer.written();
        written.ends_with(['(', '"', '\'', '<', '='])
            || written.ends_with("]: ")
            || self.urls.last().is_some_and(|(start, end)| {
                *end == written.len() && written[..*start].ends_with(['(', '"', '\'', '<', '='])
            })
    }

    fn is_in_code(&self, offset: usize) -> bool {
        self.open.is_code() || self.code.at(offset).is_some()
    }

    fn named(&mut self, number: usize, tag: &LiquidTag<'t>, name: &'t str, arguments: &'t str) {
        let closing = self.partners[number];
        match name {
            "post_url" | "link"
                if self.dialect.has_url_tags
                    && !arguments.contains("{{")
                    && !self.is_in_code(tag.start) =>
            {
                self.put_reference(tag, name, arguments);
            }
            // Nunjucks also has `set` with a closing tag, which the next arm handles.
            "assign" | "set" if arguments.contains('=') => self.assign(tag, arguments),
            "capture" | "set" if closing.is_some() => {
                self.skip_to(tag, tag.end);
                self.writer.hold();
                let name = arguments.trim_matches(['"', '\'']).to_owned();
                self.captures.extend(closing.map(|closing| (closing, name)));
            }
            "if" | "unless" | "case" | "ifchanged" if closing.is_some() => {
                self.begin_condition(number, tag, name, arguments);
            }
            // A branch that was used ends here. Branches of false conditions
            // have been skipped with their tags.
            "else" | "elsif" | "elif" | "when" => self.skip_branches(tag),
            "for" | "tablerow" | "macro" | "asyncEach" | "asyncAll" if closing.is_some() => {
                self.remark(
                    tag,
                    format!(
                        "`{name} {}` is not evaluated and is left out with its content",
                        shortened(arguments)
                    ),
                );
                self.skip_all(tag, closing);
            }
            "increment" | "decrement" | "cycle" | "break" | "continue" | "import" | "from"
            | "extends" | "liquid" | "echo" | "layout" | "do" => {
                self.remark(
                    tag,
                    format!("the tag `{name}` is not evaluated and is left out"),
                );
                self.skip_to(tag, tag.end);
            }
            "include" | "include_relative" | "include_cached" | "render" | "renderFile"
                if !self.is_in_code(tag.start) =>
            {
                self.include(tag, name, arguments);
            }
            "block" | "with" if closing.is_some() => self.skip_to(tag, tag.end),
            _ if name.starts_with("end") && name.len() > 3 => self.end(number, tag, name),
            _ => self.shortcode(number, tag, name, arguments),
        }
    }

    /// Replaces a tag with a reference to another document.
    fn put_reference(&mut self, tag: &LiquidTag<'t>, name: &str, arguments: &str) {
        self.skip_to(tag, tag.end);
        // The URL of a document includes the site's URL, so a preceding one is removed.
        if let Some((start, _)) = self
            .urls
            .pop_if(|(_, end)| *end == self.writer.written().len())
        {
            self.writer.take_back(start);
        }
        let target = arguments.trim_matches(['"', '\'']);
        self.writer.put(&reference(name, target, None));
    }

    /// Begins a condition with its first branch, or skips to the branch that applies.
    fn begin_condition(
        &mut self,
        number: usize,
        tag: &LiquidTag<'t>,
        name: &str,
        arguments: &'t str,
    ) {
        let closing = self.partners[number];
        let is_met = match name {
            "if" => self.values.condition(arguments),
            "unless" => self.values.condition(arguments).map(|is_met| !is_met),
            _ => None,
        };
        self.conditions.extend(closing);
        match is_met {
            Some(true) => self.skip_to(tag, tag.end),
            Some(false) => self.skip_to_next_branch(number, closing),
            None => {
                self.remark_condition(tag, arguments);
                self.skip_to(tag, tag.end);
            }
        }
        if name == "case" {
            self.skip_to_branch(number);
        }
    }

    fn assign(&mut self, tag: &LiquidTag<'_>, arguments: &str) {
        let (name, value) = arguments.split_once('=').unwrap_or((arguments, ""));
        let known = self.values.of(value.trim(), false);
        let is_set = known.is_some_and(|(value, _)| self.values.set(name.trim(), value));
        if !is_set {
            self.remark(
                tag,
                format!("the value `{}` is not known", shortened(value.trim())),
            );
        }
        self.skip_to(tag, tag.end);
    }

    /// Drops a tag with its content and closing tag.
    fn skip_all(&mut self, tag: &LiquidTag<'t>, closing: Option<usize>) {
        let last = closing.map_or(tag, |closing| &self.tags[closing]).clone();
        self.skip_to(tag, last.end);
        self.trims_next = last.trims_after;
    }

    /// Drops the text between `case` and its first branch, including the tag of the branch.
    fn skip_to_branch(&mut self, number: usize) {
        let mut tags = self.tags[number + 1..].iter().take(LOOKAHEAD_TAGS_MAX);
        let branch = tags.find(|tag| matches!(tag.kind, TagKind::Tag { name: "when", .. }));
        if let Some(branch) = branch.cloned() {
            self.skip_to(&branch, branch.end);
        }
    }

    fn remark_condition(&mut self, tag: &LiquidTag<'_>, condition: &str) {
        let condition = shortened(condition);
        self.remark(
            tag,
            format!("the condition `{condition}` cannot be evaluated; its first branch is used"),
        );
    }

    /// Drops the branch of a false condition, and the tag of the next branch that applies.
    fn skip_to_next_branch(&mut self, number: usize, closing: Option<usize>) {
        let opening = self.tags[number].clone();
        let end = closing.unwrap_or(self.tags.len());
        let mut next = number + 1;
        while next < end {
            let tag = self.tags[next].clone();
            if let TagKind::Tag { name, arguments } = tag.kind {
                let is_met = match name {
                    "else" => Some(true),
                    "elsif" | "elif" | "elseif" => self.values.condition(arguments),
                    _ => Some(false),
                };
                if is_met.is_none() {
                    self.remark_condition(&tag, arguments);
                }
                if is_met != Some(false) {
                    self.skip_to(&opening, tag.end);
                    self.trims_next = tag.trims_after;
                    return;
                }
            }
            // Nested conditions are skipped as a whole, because their
            // branches are not those of this one.
            next = self.partners[next]
                .filter(|partner| *partner > next)
                .unwrap_or(next)
                + 1;
        }
        let end = closing.map_or(opening.end, |closing| self.tags[closing].start);
        self.skip_to(&opening, end);
        self.trims_next = false;
    }

    /// Drops the remaining branches of a condition.
    fn skip_branches(&mut self, tag: &LiquidTag<'t>) {
        let end = self
            .conditions
            .last()
            .map(|closing| self.tags[*closing].start);
        self.skip_to(tag, end.unwrap_or(tag.end));
        self.trims_next &= end.is_none();
    }

    fn include(&mut self, tag: &LiquidTag<'t>, name: &str, arguments: &str) {
        let file = arguments
            .split(|character: char| character.is_whitespace() || character == ',')
            .next()
            .unwrap_or_default();
        let parameters = self.parameters(&arguments[file.len()..]);
        let file = file.trim_matches(['"', '\'']);
        let path = match name {
            "include_relative" => format!("./{file}"),
            "renderFile" => file.to_owned(),
            _ => format!("_includes/{file}"),
        };
        let included = self.scope.included(&path);
        let expanded = included
            .as_ref()
            .map(|included| self.expanded_include(included, &parameters));
        let is_whole = expanded
            .as_ref()
            .is_ok_and(|expanded| expanded.remarks.is_empty());
        // If the expansion is incomplete, a rendering by the file's name is more reliable.
        let meaning = || catalogue::find(file, &parameters, None, None);
        if let Some(rendering) = (!is_whole).then(meaning).flatten() {
            return self.render(tag, rendering, None);
        }
        match (&included, expanded) {
            (Ok(included), Ok(expanded)) => {
                self.skip_to(tag, tag.end);
                self.writer
                    .remark_all(tag.start, &included.path, expanded.remarks);
                self.put_value(tag, expanded.text.trim_end_matches('\n'));
            }
            (Err(refusal), _) => {
                let message = match refusal {
                    InclusionRefusal::Missing => {
                        format!("the include `{file}` is not known and is left out")
                    }
                    refusal => format!("the include `{file}` is left out: {refusal}"),
                };
                self.remark(tag, message);
                self.skip_to(tag, tag.end);
            }
            (Ok(_), Err(_)) => unreachable!("invariant: an included text is evaluated"),
        }
    }

    /// Expands an included file with parameters.
    fn expanded_include(&self, included: &IncludedFile, parameters: &Arguments) -> ExpandedText {
        // An included file sees the variables of the including one.
        let mut variables = self.values.inherited(INHERITED_BYTES_MAX);
        for argument in &parameters.0 {
            let Some(name) = &argument.name else {
                continue;
            };
            variables.insert(format!("include.{name}"), argument.value.clone());
            // In Nunjucks, parameters have no prefix.
            if self.dialect.is_nunjucks {
                variables.insert(name.clone(), argument.value.clone());
            }
        }
        let (body, head_lines) = without_front_matter(&included.text);
        let mut expanded = pass_with(body, self.scope.within(included), self.dialect, variables);
        for remark in &mut expanded.remarks {
            remark.line += head_lines;
        }
        expanded
    }

    /// Returns arguments with variables replaced by their values.
    fn parameters(&self, arguments: &str) -> Arguments {
        let mut parameters = Arguments::of(arguments, Notation::List);
        for argument in &mut parameters.0 {
            if !argument.is_quoted
                && let Some((value, _)) = self.values.of(&argument.value, false)
            {
                argument.value = value;
            }
        }
        parameters
    }

    /// Handles a closing tag.
    fn end(&mut self, number: usize, tag: &LiquidTag<'t>, name: &str) {
        if let Some((_, variable)) = self.captures.pop_if(|(closing, _)| *closing == number) {
            self.skip_to(tag, tag.end);
            let value = self.writer.take_held();
            if !self.values.set(&variable, value) {
                self.remark(
                    tag,
                    format!("the value of `{variable}` is too long and is left out"),
                );
            }
        } else if self.partners[number].is_some() {
            if tag.trims_before && !self.open.is_code() {
                self.writer.trim();
            }
            // Text after code begins on a new line, so there is nothing to trim.
            let is_code = self.open.is_code();
            self.open.close(&mut self.writer, number, tag.end);
            self.trims_next = tag.trims_after && !is_code;
        } else if self.is_in_code(tag.start) {
            self.writer.copy_to(tag.end);
        } else {
            self.remark(
                tag,
                format!("the tag `{name}` has no opening tag and is left out"),
            );
            self.skip_to(tag, tag.end);
        }
    }

    fn shortcode(&mut self, number: usize, tag: &LiquidTag<'t>, name: &'t str, arguments: &'t str) {
        let closing = self.partners[number];
        if self.is_in_code(tag.start) && !(name == "highlight" && self.code.at(tag.start).is_none())
        {
            self.remark(
                tag,
                format!("the tag `{name}` is in code and is shown unchanged"),
            );
            // The closing tag is also shown unchanged.
            if let Some(closing) = closing {
                self.partners[closing] = None;
            }
            self.writer.copy_to(tag.end);
            return;
        }
        let content = closing.map(|closing| &self.text[tag.end..self.tags[closing].start]);
        match self.rendering(name, arguments, content) {
            Some(rendering) => self.render(tag, rendering, closing),
            None => {
                self.remark(
                    tag,
                    format!("the tag `{name}` is not known and is left out"),
                );
                self.render(tag, TagRendering::Content, closing);
            }
        }
    }

    fn rendering(
        &self,
        name: &str,
        arguments: &str,
        content: Option<&str>,
    ) -> Option<TagRendering> {
        let own = (self.dialect.own_tags)(name, arguments, content, self.scope);
        if own.is_some() {
            return own;
        }
        match name {
            "highlight" | "prism" => {
                let mut words = arguments.split_whitespace();
                let language = words
                    .next()
                    .unwrap_or_default()
                    .trim_matches(['"', '\'', ',']);
                content.map(|_| TagRendering::Code(language.to_owned()))
            }
            "ref" | "relref" => Some(TagRendering::Text(split_reference(
                name,
                arguments.trim_matches(['"', '\'']),
            ))),
            _ => {
                let found = catalogue::find(name, &self.parameters(arguments), content, None);
                if self.writer.is_in_html_block() {
                    found.map(TagRendering::in_html)
                } else {
                    found
                }
            }
        }
    }

    fn render(&mut self, tag: &LiquidTag<'t>, rendering: TagRendering, closing: Option<usize>) {
        if tag.trims_before {
            self.writer.trim();
        }
        let closing =
            closing.map(|closing| (closing, self.tags[closing].start..self.tags[closing].end));
        let position = TagPosition {
            tag: tag.start..tag.end,
            closing,
        };
        self.open.render(&mut self.writer, rendering, position);
        self.trims_next = tag.trims_after;
    }

    fn remark(&mut self, tag: &LiquidTag<'_>, text: String) {
        self.writer.remark(tag.start, text);
    }
}

/// Returns the first line of a tag for a diagnostic, up to 80 bytes.
fn shortened(inside: &str) -> &str {
    let line = inside.lines().next().unwrap_or_default();
    &line[..line.floor_char_boundary(80)]
}
