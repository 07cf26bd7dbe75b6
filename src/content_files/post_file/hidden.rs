//! Determines whether a document of another generator is hidden: it is not built, or hidden in a way that Galley does not
//! support.

use crate::{
    content_files::keys::{AnyValue, Date, Entries, Reader, VisibleFlag, fields},
    content_text::Diagnostic,
};

fields! {
    /// Keys of other generators that hide documents in ways that Galley does not support.
    pub struct Hidden {
        /// When Hugo stops building it.
        expires_at: Date, or "expiryDate";
        /// Whether Hugo builds it only as a part of other pages.
        headless: bool;
        /// Whether Hugo and Zola build a page.
        render: VisibleFlag, or "build.render";
        /// Whether Hugo's lists contain it.
        list: VisibleFlag, or "build.list";
        /// Whether it is in no list, as in Docusaurus.
        unlisted: bool;
        /// Whether it is visible to the author alone.
        private: bool;
        /// The password that readers need.
        password: AnyValue;
        /// Whether Obsidian publishes it.
        publish: bool;
    }
}

impl Hidden {
    /// Returns why the document is left out, if its generator builds no page for it. `is_nowhere` is set if it has no URL.
    pub fn left_out(
        &self,
        is_nowhere: bool,
        entries: &Entries<'_>,
        reader: &Reader<'_>,
    ) -> Option<Diagnostic> {
        let reasons = [
            ("headless", self.headless == Some(true)),
            ("render", self.render == Some(false)),
            ("permalink", is_nowhere),
        ];
        let (field, _) = reasons.into_iter().find(|(_, holds)| *holds)?;
        let (value, key) = entries.written(field)?;
        let message = format!("its generator builds no page for it because of `{key}`");
        let advice = format!("remove `{key}` to publish it");
        Some(reader.source.warning(value.span, message, advice))
    }

    /// Returns whether the document becomes a draft, so that no hidden document becomes public. A document that its
    /// generator shows to some readers is reported.
    pub fn is_draft(&self, entries: &Entries<'_>, reader: &mut Reader<'_>) -> bool {
        const LISTED: &str = "every published post is listed";
        let reasons = [
            ("unlisted", self.unlisted == Some(true), LISTED),
            ("list", self.list == Some(false), LISTED),
            (
                "private",
                self.private == Some(true),
                "every published post is public",
            ),
            (
                "password",
                self.password == Some(true),
                "posts have no passwords",
            ),
        ];
        // Obsidian Publish leaves such a file out, so nothing is missing and nothing is reported.
        let mut is_draft = self.publish == Some(false);
        for (field, _, why) in reasons.into_iter().filter(|(_, holds, _)| *holds) {
            is_draft = true;
            if let Some((value, key)) = entries.written(field) {
                let message = format!("it stays a draft because of `{key}`: {why}");
                reader.warning(value.span, message, "publish it here, or remove the key");
            }
        }
        is_draft
    }
}
