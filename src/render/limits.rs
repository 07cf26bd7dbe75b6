//! How large a document may be that a client sends, and how large what is made of it.
//!
//! Each form of a document takes more memory than its text: `<p>x</p>` has eight bytes, and hundreds as nodes. So a
//! document is counted before a tree is made of it, and making one stops when there are too many nodes. Documents
//! that are stored are read whatever they count.

use thiserror::Error;

/// Longest document that is taken, in bytes of JSON or HTML.
pub const TEXT_BYTES_MAX: usize = 10 << 20;

/// Most nodes of a document that is taken: objects of JSON, elements and texts of HTML, tags in the markup of cards.
pub const NODES_MAX: usize = 200_000;

/// Memory that each form of any document may take, in bytes.
pub const FORM_BYTES_FREE: usize = 4 << 20;

/// Memory that each form of a document may take beside that, in bytes for each byte of its text.
pub const FORM_GROWTH_MAX: usize = 6;

/// Nodes that any stored document may have, beside those that its text has room for.
const STORED_NODES_FREE: usize = 8192;

/// Why a document is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Excess {
    /// Its text is too long.
    #[error("it has {bytes} bytes; at most {TEXT_BYTES_MAX} are taken")]
    Text {
        /// How long it is.
        bytes: usize,
    },
    /// It has too many nodes.
    #[error("it has more than {NODES_MAX} nodes")]
    Nodes,
    /// Too little of it is text: its structure takes too much memory.
    #[error(
        "it would take more than {} MiB of memory, and {FORM_GROWTH_MAX} bytes for each of its own",
        FORM_BYTES_FREE >> 20
    )]
    Form,
}

/// What is left of the nodes and the memory that one form of a document may take.
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

    /// The budget of each form of a document whose text has so many bytes.
    pub fn of(text_bytes: usize) -> Self {
        Self {
            nodes: NODES_MAX,
            bytes: FORM_BYTES_FREE + FORM_GROWTH_MAX * text_bytes,
        }
    }

    /// The budget of a document that is stored: as many nodes as its tags are, and some that they open anew.
    pub(crate) fn of_stored(text_bytes: usize) -> Self {
        Self {
            nodes: STORED_NODES_FREE + text_bytes / 2,
            bytes: usize::MAX,
        }
    }

    /// The same of a document that a client sends.
    ///
    /// # Errors
    ///
    /// `Text` when it is longer than [`TEXT_BYTES_MAX`].
    pub fn of_sent(text_bytes: usize) -> Result<Self, Excess> {
        if text_bytes > TEXT_BYTES_MAX {
            return Err(Excess::Text { bytes: text_bytes });
        }
        Ok(Self::of(text_bytes))
    }

    /// How many bytes are left.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes nodes, and memory in bytes.
    ///
    /// # Errors
    ///
    /// `Nodes` and `Form` when there is less.
    pub fn take(&mut self, nodes: usize, bytes: usize) -> Result<(), Excess> {
        self.nodes = self.nodes.checked_sub(nodes).ok_or(Excess::Nodes)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Excess::Form)?;
        Ok(())
    }

    /// Takes what a text of JSON becomes as a tree, whatever is wrong with it.
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

    /// Takes the nodes that the tags in a markup become.
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

/// Memory of JSON as a tree, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct JsonCost {
    /// Of a list or an object.
    pub container: usize,
    /// Of what stands in either: a value, and as much again for its name.
    pub part: usize,
}

impl JsonCost {
    /// Of values of `serde_json`.
    pub const OF_VALUES: Self = Self {
        container: 288,
        part: 104,
    };
}

/// Memory of an element or a text of HTML as a node, in bytes.
pub const MARKUP_NODE_BYTES: usize = 144;

#[cfg(test)]
mod tests {
    use super::*;

    const COST: JsonCost = JsonCost {
        container: 10,
        part: 1,
    };

    /// Bytes and objects that a text takes.
    fn taken(json: &str) -> (usize, usize) {
        let mut budget = Budget::of(0);
        budget.take_json(json.as_bytes(), COST).unwrap();
        (FORM_BYTES_FREE - budget.bytes, NODES_MAX - budget.nodes)
    }

    #[test]
    fn values_are_counted_and_texts_are_not_looked_into() {
        assert_eq!(taken(r#"{"a":[1,2,{}],"b":"{[,:\"{"}"#), (35, 2));
        assert_eq!(taken(r#"["\\",{}]"#), (21, 1));
        assert_eq!(taken(r#"{"a":"never ended {{{"#), (11, 1));
        assert_eq!(taken("\\\"{\u{1f600}]}"), (0, 0));
    }

    #[test]
    fn a_document_has_so_much_and_no_more() {
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
