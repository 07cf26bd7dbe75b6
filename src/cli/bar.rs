//! The bar that shows how far an import or an export is.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use crate::import::Progress;

/// Shows on a terminal how far a command is.
pub struct Bar(Option<indicatif::ProgressBar>);

impl Bar {
    /// A bar with this word in front, that shows itself if `is_wanted` and standard error is a terminal.
    pub fn new(doing: &'static str, is_wanted: bool) -> Self {
        if !is_wanted || !io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = indicatif::ProgressBar::new(0).with_message(doing);
        let style = indicatif::ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %");
        bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(Some(bar))
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn advance(&self, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}
