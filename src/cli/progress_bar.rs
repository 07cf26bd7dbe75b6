//! The progress bar of long commands.

use std::{
    io::{self, IsTerminal},
    sync::OnceLock,
    time::Duration,
};

use crate::{npm_packages::Step, progress::Progress};

/// Minimum number of content files for which a bar is shown; fewer files are read too quickly.
const FILES_MIN: u64 = 500;

/// Shows the progress of a command on a terminal.
pub struct Bar {
    label: &'static str,
    template: &'static str,
    /// Whether the bar can be shown: it is wanted and standard error is a terminal.
    is_shown: bool,
    /// The minimum total for which the bar is shown.
    total_min: u64,
    bar: OnceLock<indicatif::ProgressBar>,
}

impl Bar {
    /// Creates a bar with this label, which is shown if `is_wanted` and standard error is a
    /// terminal.
    pub fn new(label: &'static str, is_wanted: bool) -> Self {
        let bar = Self {
            label,
            template: "{msg} {wide_bar} {percent:>3} %",
            is_shown: is_wanted && io::stderr().is_terminal(),
            total_min: 0,
            bar: OnceLock::new(),
        };
        // The bar appears before there is progress.
        bar.shown(0);
        bar
    }

    /// Creates a bar for reading content files. It is shown under the same conditions, once there are enough files.
    pub fn of_files(is_wanted: bool) -> Self {
        Self {
            label: "reading content files",
            template: "{msg} {wide_bar} {pos}/{len}",
            is_shown: is_wanted && io::stderr().is_terminal(),
            total_min: FILES_MIN,
            bar: OnceLock::new(),
        }
    }

    /// Shows the progress of an installation. The download is the first half of the bar.
    pub fn show_step(&self, step: Step, done: u64, total: u64) {
        match step {
            Step::Download => self.advance(done, total * 2),
            Step::Unpack => self.advance(total + done, total * 2),
        }
    }

    /// Returns the bar for a total of `total`, if it is shown.
    fn shown(&self, total: u64) -> Option<&indicatif::ProgressBar> {
        let is_shown = self.is_shown && total >= self.total_min;
        is_shown.then(|| {
            self.bar.get_or_init(|| {
                let bar = indicatif::ProgressBar::new(total).with_message(self.label);
                let style = indicatif::ProgressStyle::with_template(self.template);
                bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
                bar.enable_steady_tick(Duration::from_millis(100));
                bar
            })
        })
    }
}

impl Progress for Bar {
    fn advance(&self, done: u64, total: u64) {
        if let Some(bar) = self.shown(total) {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
