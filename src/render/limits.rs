//! Limits on the size of documents from clients, and of their conversions.
//!
//! Each form of a document takes more memory than its text: `<p>x</p>` has eight bytes, but its
//! nodes take hundreds. The nodes of a document are therefore counted before a tree is built, and
//! building a tree stops at the limit. Stored documents are read without these limits.

use thiserror::Error;

/// Longest accepted document, in bytes of JSON or HTML.
pub const TEXT_BYTES_MAX: usize = 10 << 20;

/// Maximum number of nodes of an accepted document: JSON objects, HTML elements and texts, tags in
/// the HTML of cards.
pub const NODES_MAX: usize = 200_000;

/// Memory that each form of any document may take, in bytes.
pub const FORM_BYTES_FREE: usize = 4 << 20;

/// Memory that each form of a document may take in addition, in bytes per byte of its text.
pub const FORM_GROWTH_MAX: usize = 6;

/// Nodes that any stored document may have, in addition to a number in proportion to its text.
const STORED_NODES_FREE: usize = 8192;

/// The reason why a document is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Excess {
    /// The text is too long.
    #[error("it has {bytes} bytes; the limit is {TEXT_BYTES_MAX}")]
    Text {
        /// The length of the text in bytes.
        bytes: usize,
    },
    /// The document has too many nodes.
    #[error("it has more than {NODES_MAX} nodes")]
    Nodes,
    /// The structure takes too much memory in proportion to the text.
    #[error(
        "it would take more memory than {} MiB plus {FORM_GROWTH_MAX} bytes for each of its bytes",
        FORM_BYTES_FREE >> 20
    )]
    Form,
}

/// The remaining nodes and memory for one form of a document.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    nodes: usize,
    bytes: usize,
}

impl Budget {
    /// No limit.
    pub(crate) const UNLIMITED: Self = Self {
        nodes: usize::MAX,
        bytes: usize::MAX,
    };

    /// Returns the budget of each form of a document with a text of `text_bytes` bytes.
    pub fn of(text_bytes: usize) -> Self {
        Self {
            nodes: NODES_MAX,
            bytes: FORM_BYTES_FREE + FORM_GROWTH_MAX * text_bytes,
        }
    }

    /// Returns the budget of a stored document, which suffices for its tags and for some elements
    /// that are reopened.
    pub(crate) fn of_stored(text_bytes: usize) -> Self {
        Self {
            // The shortest tag with a text, `<p>x`, makes two nodes of four bytes.
            nodes: STORED_NODES_FREE + text_bytes / 2,
            bytes: usize::MAX,
        }
    }

    /// Returns the budget of a document from a client.
    ///
    /// # Errors
    ///
    /// `Text` if it is longer than [`TEXT_BYTES_MAX`].
    pub fn of_sent(text_bytes: usize) -> Result<Self, Excess> {
        if text_bytes > TEXT_BYTES_MAX {
            return Err(Excess::Text { bytes: text_bytes });
        }
        Ok(Self::of(text_bytes))
    }

    /// Returns the remaining bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Deducts a number of nodes, and memory in bytes.
    ///
    /// # Errors
    ///
    /// `Nodes` or `Form` if the budget is exceeded.
    pub fn take(&mut self, nodes: usize, bytes: usize) -> Result<(), Excess> {
        // The budget is unusable after an error: the nodes may have been deducted without the
        // bytes.
        self.nodes = self.nodes.checked_sub(nodes).ok_or(Excess::Nodes)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Excess::Form)?;
        Ok(())
    }

    /// Deducts the cost of the tree of a JSON text, which may be invalid.
    ///
    /// # Errors
    ///
    /// As [`Budget::take`].
    pub fn take_json(&mut self, text: &[u8], cost: JsonCost) -> Result<(), Excess> {
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => skip_string(&mut bytes),
                b'{' => self.take(1, cost.container)?,
                b'[' => self.take(0, cost.container)?,
                b',' | b':' => self.take(0, cost.part)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Deducts the cost of the nodes for the tags in HTML.
    ///
    /// # Errors
    ///
    /// As [`Budget::take`].
    pub fn take_markup(&mut self, markup: &str) -> Result<(), Excess> {
        let tags = memchr::memchr_iter(b'<', markup.as_bytes()).count();
        self.take(tags, tags * MARKUP_NODE_BYTES)
    }
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

/// Memory taken by the tree of a JSON text, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct JsonCost {
    /// Memory of an array or an object.
    pub container: usize,
    /// Memory of a value in an array or object, and of the name of a value.
    pub part: usize,
}

impl JsonCost {
    /// The memory of `serde_json` values.
    pub const OF_VALUES: Self = Self {
        container: 288,
        part: 104,
    };
}

/// Memory of an HTML element or text in a tree, in bytes.
pub const MARKUP_NODE_BYTES: usize = 144;

#[cfg(test)]
mod tests {
    use super::*;

    const COST: JsonCost = JsonCost {
        container: 10,
        part: 1,
    };

    /// Returns the numbers of bytes and objects that a text costs.
    fn taken(json: &str) -> (usize, usize) {
        let mut budget = Budget::of(0);
        budget.take_json(json.as_bytes(), COST).unwrap();
        (FORM_BYTES_FREE - budget.bytes, NODES_MAX - budget.nodes)
    }

    #[test]
    fn values_are_counted_outside_strings() {
        assert_eq!(taken(r#"{"a":[1,2,{}],"b":"{[,:\"{"}"#), (35, 2));
        assert_eq!(taken(r#"["\\",{}]"#), (21, 1));
        assert_eq!(taken(r#"{"a":"never ended {{{"#), (11, 1));
        assert_eq!(taken("\\\"{\u{1f600}]}"), (0, 0));
    }

    #[test]
    fn limits_are_exact() {
        let sent = |bytes: usize| Budget::of_sent(bytes).map(drop);
        assert_eq!(sent(TEXT_BYTES_MAX), Ok(()));
        let bytes = TEXT_BYTES_MAX + 1;
        assert_eq!(sent(bytes), Err(Excess::Text { bytes }));

        assert_eq!(Budget::of(0).take(NODES_MAX, 0), Ok(()));
        assert_eq!(Budget::of(0).take(NODES_MAX + 1, 0), Err(Excess::Nodes));

        let form = FORM_BYTES_FREE + FORM_GROWTH_MAX * 1000;
        assert_eq!(Budget::of(1000).take(0, form), Ok(()));
        assert_eq!(Budget::of(1000).take(0, form + 1), Err(Excess::Form));
    }
}
