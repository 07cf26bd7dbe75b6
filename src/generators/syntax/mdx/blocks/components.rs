//! Renders components.

use crate::generators::syntax::{
    arguments::Arguments,
    catalogue::{self, TagRendering},
    mdx::{
        self,
        blocks::{Blocks, frame::ClosingAction},
        elements,
        js::NameValues,
        tokens::{Attribute, MdxTag, MdxToken},
    },
    rebase::rebased,
    setting_text::scalar_text,
    without_front_matter,
};

/// The path prefix of a file that is imported as text.
const RAW_LOADER: &str = "!!raw-loader!";

/// Maximum number of enclosing elements that are searched for the label of a tab.
const TABS_DEPTH_MAX: usize = 10;

impl<'t> Blocks<'t, '_> {
    /// Writes the document of a component that is imported from a Markdown file. Returns false for other components.
    pub(crate) fn include(&mut self, token: &MdxToken<'_>, tag: &'t MdxTag<'t>) -> bool {
        let path = self.module.names.get(tag.name);
        let Some(path) = path
            .filter(|path| path.ends_with(".mdx") || path.ends_with(".md"))
            .cloned()
        else {
            return false;
        };
        let included = match self.scope.included(&path) {
            Ok(included) => included,
            Err(refusal) => {
                let message = format!("the file `{path}` is not included: {refusal}");
                self.writer.remark(token.start, message);
                self.drop_tag(token);
                return true;
            }
        };
        let arguments = elements::arguments(tag, &self.module);
        let properties: NameValues = arguments
            .0
            .into_iter()
            .filter_map(|argument| Some((format!("props.{}", argument.name?), argument.value)))
            .collect();
        let (body, head_lines) = without_front_matter(&included.text);
        // URLs are rebased to the outermost document, which may include this file through other files.
        let body = rebased(body, &included.path, self.scope.environment.file);
        let mut expanded = mdx::pass_with(&body, self.scope.within(&included), properties);
        for remark in &mut expanded.remarks {
            remark.line += head_lines;
        }
        self.writer
            .remark_all(token.start, &included.path, expanded.remarks);
        self.writer.skip_to(token.end);
        match self.growth_left.checked_sub(expanded.text.len()) {
            Some(left) => {
                self.growth_left = left;
                self.writer.separate();
                let (prefix, _) = self.writer.line_so_far();
                let text = expanded.text.trim().replace('\n', &format!("\n{prefix}"));
                self.writer.put_block(&text);
            }
            None => self.writer.remark(
                token.start,
                format!("the file `{path}` is left out: the document would be too long"),
            ),
        }
        true
    }

    pub(crate) fn component(&mut self, token: &'t MdxToken<'t>, tag: &'t MdxTag<'t>) {
        if catalogue::key(tag.name) == "fragment"
            && let Some(html) = elements::inner_html(tag, &self.module)
        {
            self.put_html(token, &html);
            return;
        }
        let closing = token.partner.map(|closing| &self.tokens[closing]);
        let content = closing.map(|closing| &self.text[token.end..closing.start]);
        let mut arguments = elements::arguments(tag, &self.module);
        self.label(tag, &mut arguments);
        if let Some(code) = self.code(tag, &arguments, content) {
            let language = arguments
                .named(&["lang", "language"])
                .unwrap_or_default()
                .to_owned();
            let language = if catalogue::key(tag.name) == "mermaid" {
                "mermaid".to_owned()
            } else {
                language
            };
            self.writer
                .skip_to(closing.map_or(token.end, |closing| closing.end));
            self.writer.separate();
            self.writer.put_fence(token.start, &language, &code);
            return;
        }
        let content = content.filter(|content| !content.trim().is_empty());
        // A component with an empty content has a closing tag, which `None` would deny.
        let known_content = content.or(closing.map(|_| ""));
        let rendering = catalogue::find(tag.name, &arguments, known_content, self.scope.callout);
        self.render(token, tag, rendering);
        if let Some(frame) = self
            .frames
            .last_mut()
            .filter(|frame| token.partner == Some(frame.closing))
        {
            frame.labels = elements::labels(tag, &self.module);
        }
    }

    /// Writes a component with this rendering, or only its content if there is none.
    fn render(
        &mut self,
        token: &'t MdxToken<'t>,
        tag: &'t MdxTag<'t>,
        rendering: Option<TagRendering>,
    ) {
        let closing = token.partner.map(|closing| &self.tokens[closing]);
        let end = closing.map_or(token.end, |closing| closing.end);
        let indent = self.indent();
        match rendering {
            Some(TagRendering::Text(text)) => {
                self.writer.skip_to(end);
                self.writer.put(&text);
            }
            Some(TagRendering::Block(html)) => {
                self.writer.skip_to(end);
                if self.is_at_start() {
                    self.writer.separate();
                }
                self.writer.put_block(&html);
            }
            Some(TagRendering::Around(open, close)) => {
                self.writer.skip_to(token.end);
                self.writer.put(&open);
                // The content of a link is inline, so leading spaces are skipped.
                let rest = &self.text[self.writer.offset()..];
                let spaces = rest.len() - rest.trim_start().len();
                if closing.is_some_and(|closing| self.writer.offset() + spaces <= closing.start) {
                    self.writer.skip_to(self.writer.offset() + spaces);
                }
                if let Some(closing) = token.partner {
                    self.push(closing, ClosingAction::Text(close), indent);
                }
            }
            Some(TagRendering::BlockAround(open, close)) => {
                self.writer.skip_to(token.end);
                self.writer.separate();
                self.writer.open_block(&open);
                match token.partner {
                    Some(closing) => self.push(closing, ClosingAction::Block(close), indent),
                    None => self.writer.close_block(&close),
                }
            }
            Some(TagRendering::Nothing) => self.drop_to(end),
            Some(TagRendering::Content | TagRendering::Code(_)) => self.drop_tag(token),
            None => {
                if self.reported.insert(tag.name) {
                    let outcome = match token.partner {
                        Some(_) => "; its content stays",
                        None => " and is left out",
                    };
                    let remark = format!("the component `{}` is not known{outcome}", tag.name);
                    self.writer.remark(token.start, remark);
                }
                self.drop_tag(token);
            }
        }
    }

    /// Sets the label of a tab from the labels in its enclosing elements.
    fn label(&mut self, tag: &MdxTag<'_>, arguments: &mut Arguments) {
        let key = catalogue::key(tag.name);
        if !["tab", "tabitem", "tabpanel"].contains(&key.as_str())
            || arguments.named(&["label", "title"]).is_some()
        {
            return;
        }
        let mut frames = self.frames.iter_mut().rev().take(TABS_DEPTH_MAX);
        let Some(frame) = frames.find(|frame| !frame.labels.is_empty()) else {
            return;
        };
        let value = arguments.named(&["value"]);
        let index = match value {
            Some(value) => frame.labels.iter().position(|(known, _)| known == value),
            None => Some(0),
        };
        if let Some(index) = index {
            // Each label is used once, since tabs without a value take the next one.
            let (_, label) = frame.labels.remove(index);
            arguments.add("label", label);
        }
    }

    /// Returns the code that a component shows.
    fn code(
        &self,
        tag: &MdxTag<'_>,
        arguments: &Arguments,
        content: Option<&str>,
    ) -> Option<String> {
        let key = catalogue::key(tag.name);
        if ![
            "code",
            "codeblock",
            "highlight",
            "syntaxhighlighter",
            "mermaid",
        ]
        .contains(&key.as_str())
        {
            return None;
        }
        let is_known = |name: &str| {
            tag.attributes
                .iter()
                .any(|(known, value)| *known == name && *value != Attribute::Bare)
        };
        for name in ["code", "chart", "value"] {
            if is_known(name) {
                return arguments.named(&[name]).map(str::to_owned);
            }
        }
        let inside = content?.trim();
        let expression = inside
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        match expression {
            Some(expression) => {
                let value = scalar_text(&self.module.value(expression)?)?;
                match value.strip_prefix(RAW_LOADER) {
                    Some(path) => Some(self.scope.included(path).ok()?.text),
                    None => Some(value),
                }
            }
            None => {
                // Fenced code and elements within the component are
                // Markdown, which is rendered as such.
                (!inside.is_empty() && !inside.starts_with(['`', '<'])).then(|| inside.to_owned())
            }
        }
    }
}
