//! What keeps a text of another generator from its readers: it builds no page of it, or hides it in a way that Galley does
//! not have.

use crate::sources::{
    diagnostic::Diagnostic,
    keys::{Anything, Date, Entries, Reader, VisibleFlag, fields},
};

fields! {
    /// What keeps texts of other generators from their readers, in ways that Galley does not have.
    pub struct Hidden {
        /// From when on Hugo does not build it.
        expires_at: Date, or "expiryDate";
        /// Whether Hugo builds it only as a part of other pages.
        headless: bool;
        /// Whether Hugo and Zola build a page.
        render: VisibleFlag, or "build.render";
        /// Whether Hugo's lists have it.
        list: VisibleFlag, or "build.list";
        /// Whether it is in no list, as in Docusaurus.
        unlisted: bool;
        /// Whether it is visible to the author alone.
        private: bool;
        /// What readers need to know to see it.
        password: Anything;
        /// Whether Obsidian publishes it.
        publish: bool;
    }
}

impl Hidden {
    /// Why the text is to be left out, if its generator makes no page of it. `is_nowhere` tells that it says so by having no
    /// address.
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
        let message = format!("its generator makes no page of it, as `{key}` says");
        let advice = format!("remove `{key}` to publish it");
        Some(reader.source.warning(value.span, message, advice))
    }

    /// Whether the text is to be a draft, so that nothing gets public that was not. Where its generator shows it to some, that
    /// is reported.
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
