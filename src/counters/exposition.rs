//! Writes metrics in the Prometheus text format, version 0.0.4.

use std::fmt::{Display, Write};

use super::DurationTotals;

/// The media type of the exported metrics.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// A number that only increases until the program ends.
    Counter,
    /// A number that increases and decreases.
    Gauge,
    /// A distribution of durations.
    Histogram,
}

impl FamilyKind {
    /// Returns the name of the type in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A metric family: the metrics with one name.
#[derive(Debug)]
pub struct Family {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub kind: FamilyKind,
    /// The help text.
    pub about: &'static str,
}

/// The text of exported metrics.
#[derive(Debug, Default)]
pub struct MetricsPage(String);

impl MetricsPage {
    /// Begins a metric family.
    pub fn begin(&mut self, family: &'static Family) -> Samples<'_> {
        let Family { name, kind, about } = family;
        let kind = kind.name();
        self.line(format_args!("# HELP {name} {about}"));
        self.line(format_args!("# TYPE {name} {kind}"));
        Samples { page: self, family }
    }

    /// Returns the text.
    pub fn into_text(self) -> String {
        self.0
    }

    fn line(&mut self, line: impl Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{line}");
    }
}

/// Writes the samples of a family.
pub struct Samples<'a> {
    page: &'a mut MetricsPage,
    family: &'static Family,
}

impl Samples<'_> {
    /// Writes one sample.
    pub fn add(&mut self, labels: &[(&str, &str)], value: impl Display) -> &mut Self {
        let labels = Labels(labels);
        let name = self.family.name;
        self.page.line(format_args!("{name}{labels} {value}"));
        self
    }

    /// Writes the samples of a histogram.
    pub fn write_histogram(&mut self, labels: &[(&str, &str)], read: &DurationTotals) -> &mut Self {
        let name = self.family.name;
        let mut all = 0;
        for (bound, count) in read.buckets() {
            let with_bound = [labels, &[("le", bound)]].concat();
            let with_bound = Labels(&with_bound);
            self.page
                .line(format_args!("{name}_bucket{with_bound} {count}"));
            all = count;
        }
        let labels = Labels(labels);
        let seconds = read.seconds();
        self.page.line(format_args!("{name}_sum{labels} {seconds}"));
        self.page.line(format_args!("{name}_count{labels} {all}"));
        self
    }
}

struct Labels<'a>(&'a [(&'a str, &'a str)]);

impl Display for Labels<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            out.write_char(if index == 0 { '{' } else { ',' })?;
            write!(out, "{name}=\"")?;
            for character in value.chars() {
                match character {
                    // The three characters that the text format escapes in label values.
                    '\\' => out.write_str("\\\\")?,
                    '"' => out.write_str("\\\"")?,
                    '\n' => out.write_str("\\n")?,
                    character => out.write_char(character)?,
                }
            }
            out.write_char('"')?;
        }
        if self.0.is_empty() {
            Ok(())
        } else {
            out.write_char('}')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_escaped_labels() {
        static FAMILY: Family = Family {
            name: "galley_x",
            kind: FamilyKind::Gauge,
            about: "Something.",
        };
        let mut page = MetricsPage::default();
        page.begin(&FAMILY)
            .add(&[], 1)
            .add(&[("a", "x\"\\\ny"), ("b", "")], 0.5);
        assert_eq!(
            page.into_text(),
            "# HELP galley_x Something.\n# TYPE galley_x gauge\ngalley_x 1\ngalley_x{a=\"x\\\"\\\\\\ny\",b=\"\"} 0.5\n"
        );
    }
}
