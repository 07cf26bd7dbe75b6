//! Writes alerts in quotes as GitHub's HTML, and foldable ones as `<details>`.

use pulldown_cmark::Event;

use super::{
    DocumentBuilder,
    overlay::{Alert, Fold},
};
use crate::render::html_escape::push_text;

/// The open alerts.
#[derive(Default)]
pub(super) struct AlertWriter {
    /// Whether each open quote is a foldable alert; `None` for quotes that are not alerts.
    quotes: Vec<Option<bool>>,
    title: Option<Title>,
}

/// The title at the start of an alert's first paragraph.
pub(super) struct Title {
    end: usize,
    /// The depth of the paragraph, once it has begun.
    depth: Option<usize>,
    is_summary: bool,
}

impl Title {
    fn element(&self) -> &'static str {
        title_element(self.is_summary)
    }
}

fn title_element(is_summary: bool) -> &'static str {
    if is_summary { "summary" } else { "p" }
}

impl<'a> DocumentBuilder<'a> {
    /// Begins a quote. Returns whether it is an alert, the start of which is then written.
    pub(super) fn start_quote(&mut self, position: usize) -> bool {
        self.alert_writer.title = None;
        let alert = self.marks.alerts.remove(&position);
        let is_summary = alert.as_ref().map(|alert| alert.fold.is_some());
        // Pushed for quotes that are not alerts, too: `end_quote` pops one entry for each quote.
        self.alert_writer.quotes.push(is_summary);
        let Some(alert) = alert else {
            return false;
        };
        self.events().push(Event::Html(opening(&alert).into()));
        self.alert_writer.title = alert.title_end.map(|end| Title {
            end,
            depth: None,
            is_summary: alert.fold.is_some(),
        });
        true
    }

    /// Ends a quote. Returns whether it is an alert, the end of which is then written.
    pub(super) fn end_quote(&mut self) -> bool {
        self.alert_writer.title = None;
        let Some(is_summary) = self.alert_writer.quotes.pop().flatten() else {
            return false;
        };
        let end = if is_summary {
            "</details>\n"
        } else {
            "</div>\n"
        };
        self.events().push(Event::Html(end.into()));
        true
    }

    /// Begins a paragraph. Returns whether it is a title, the start of which is then written.
    pub(super) fn start_title(&mut self) -> bool {
        let depth = self.depth;
        let pending = self
            .alert_writer
            .title
            .as_mut()
            .filter(|title| title.depth.is_none());
        let Some(title) = pending else {
            return false;
        };
        title.depth = Some(depth);
        let start = format!("<{} class=\"markdown-alert-title\">", title.element());
        self.events().push(Event::Html(start.into()));
        true
    }

    /// Ends a line. Returns whether it is a title that a paragraph follows; both tags are then
    /// written.
    pub(super) fn break_title(&mut self, position: usize) -> bool {
        let depth = self.depth;
        let ends = |title: &mut Title| title.depth == Some(depth) && position >= title.end;
        let Some(title) = self.alert_writer.title.take_if(ends) else {
            return false;
        };
        let between = format!("</{}>\n<p>", title.element());
        self.events().push(Event::Html(between.into()));
        true
    }

    /// Ends a paragraph. Returns whether it consists of a title only, the end of which is then
    /// written.
    pub(super) fn end_title(&mut self) -> bool {
        let depth = self.depth + 1;
        let ends = |title: &mut Title| title.depth == Some(depth);
        let Some(title) = self.alert_writer.title.take_if(ends) else {
            return false;
        };
        let end = format!("</{}>\n", title.element());
        self.events().push(Event::Html(end.into()));
        true
    }
}

/// Returns the start of an alert, including its name if it has no title.
fn opening(alert: &Alert) -> String {
    let (element, state) = match alert.fold {
        None => ("div", ""),
        Some(Fold::Closed) => ("details", ""),
        Some(Fold::Open) => ("details", " open=\"\""),
    };
    let kind = &alert.kind;
    let mut html = format!("<{element} class=\"markdown-alert markdown-alert-{kind}\"{state}>\n");
    if alert.title_end.is_none() {
        let element = title_element(alert.fold.is_some());
        html.push_str(&format!("<{element} class=\"markdown-alert-title\">"));
        push_text(&mut html, &alert.name());
        html.push_str(&format!("</{element}>\n"));
    }
    html
}
