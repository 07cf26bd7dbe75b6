//! Fields of texts, and the texts in the rows of a table.

use crate::catalog::fields::{
    Field, FieldType,
    stored::{StoredText, TextContent},
};

impl<R> Field<R> {
    /// Returns the field for a text.
    pub const fn text(text: StoredText<R>) -> Self {
        let kind = match text.content {
            TextContent::Plain(_) | TextContent::Account(_) | TextContent::Scalar(_) => {
                FieldType::Text
            }
            TextContent::Markup(_) => FieldType::Markup,
            TextContent::Image | TextContent::Page | TextContent::Link | TextContent::Website => {
                FieldType::Url
            }
        };
        let field = Self::optional(text.name, kind, text.get);
        Self {
            in_side_record: text.rules.in_side_record,
            stored: Some(text),
            ..field
        }
    }
}

/// Returns the number of texts in these rows.
pub(super) const fn text_count<R>(groups: &[&[Field<R>]]) -> usize {
    let (mut count, mut group) = (0, 0);
    // Constant functions, here and below, cannot use iterators.
    while group < groups.len() {
        let mut row = 0;
        while row < groups[group].len() {
            count += groups[group][row].stored.is_some() as usize;
            row += 1;
        }
        group += 1;
    }
    count
}

/// Returns the texts in these rows. There must be exactly `N`.
pub(super) const fn texts<R, const N: usize>(
    groups: &'static [&'static [Field<R>]],
) -> [&'static StoredText<R>; N] {
    let mut texts = None;
    let (mut count, mut group) = (0, 0);
    while group < groups.len() {
        let mut row = 0;
        while row < groups[group].len() {
            if let Some(text) = &groups[group][row].stored {
                let mut all = match texts {
                    Some(all) => all,
                    // In a constant function, an array of references cannot be created without an
                    // initial element.
                    None => [text; N],
                };
                all[count] = text;
                texts = Some(all);
                count += 1;
            }
            row += 1;
        }
        group += 1;
    }
    texts.expect("invariant: a table with texts")
}

/// Returns the number of the texts that content files can set.
pub(super) const fn count_of_files<R>(texts: &[&StoredText<R>]) -> usize {
    let (mut count, mut row) = (0, 0);
    while row < texts.len() {
        count += texts[row].rules.in_files as usize;
        row += 1;
    }
    count
}

/// Returns the texts that content files can set. There must be exactly `N`.
pub(super) const fn of_files<R, const N: usize>(
    all: &[&'static StoredText<R>],
) -> [&'static StoredText<R>; N] {
    let mut texts = [all[0]; N];
    let (mut count, mut row) = (0, 0);
    while row < all.len() {
        if all[row].rules.in_files {
            texts[count] = all[row];
            count += 1;
        }
        row += 1;
    }
    texts
}
