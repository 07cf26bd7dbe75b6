//! Counts of the images, links, code blocks and footnotes in the HTML of a body.

use serde::{Deserialize, Serialize};

use super::html_scan::{Token, tokens};

/// The number of elements of each kind in a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyCounts {
    /// Images.
    pub images: usize,
    /// Links with a target.
    pub links: usize,
    /// Blocks of preformatted text.
    pub code_blocks: usize,
    /// Footnotes with a reference.
    pub footnotes: usize,
}

impl BodyCounts {
    /// Counts the elements of this HTML.
    pub fn of_html(html: &str) -> Self {
        let mut counts = Self::default();
        for token in tokens(html) {
            let Token::Start(tag) = token else {
                continue;
            };
            match () {
                () if tag.is("img") => counts.images += 1,
                () if tag.is("a") => counts.links += usize::from(tag.attribute("href").is_some()),
                () if tag.is("pre") => counts.code_blocks += 1,
                () if tag.is("li") => {
                    let is_footnote = tag.attribute("class") == Some("footnote-item");
                    counts.footnotes += usize::from(is_footnote);
                }
                () => {}
            }
        }
        counts
    }

    /// Returns each count with its name in reports.
    pub fn named(self) -> [(&'static str, usize); 4] {
        [
            ("pictures", self.images),
            ("links", self.links),
            ("code_blocks", self.code_blocks),
            ("footnotes", self.footnotes),
        ]
    }
}

impl std::ops::AddAssign for BodyCounts {
    fn add_assign(&mut self, more: Self) {
        self.images += more.images;
        self.links += more.links;
        self.code_blocks += more.code_blocks;
        self.footnotes += more.footnotes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::markdown;

    #[test]
    fn each_kind_is_counted_if_visible() {
        let html = markdown::to_html(
            "[![a](a.png)](/b) <a id=x></a> `<img>` c[^1]\n\n```\n<img>\n```\n\n[^1]: d\n",
            markdown::Dialect::GALLEY,
            |_| None,
        );
        let counts = BodyCounts::of_html(&html);
        // The footnote's reference and back link are links, too.
        let expected = [
            ("pictures", 1),
            ("links", 3),
            ("code_blocks", 1),
            ("footnotes", 1),
        ];
        assert_eq!(counts.named(), expected);
    }
}
