//! The progress bar of imports and exports.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use crate::import::Progress;

/// Shows the progress of a command on a terminal.
pub struct Bar(Option<indicatif::ProgressBar>);

impl Bar {
    /// Creates a bar with this label, which is shown if `is_wanted` and standard error is a
    /// terminal.
    pub fn new(label: &'static str, is_wanted: bool) -> Self {
        if !is_wanted || !io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = indicatif::ProgressBar::new(0).with_message(label);
        let style = indicatif::ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %");
        bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(Some(bar))
    }

    /// Removes the bar.
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
