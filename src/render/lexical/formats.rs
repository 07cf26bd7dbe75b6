//! The elements of text formats.

/// The formats of a run of text as bits. Bits without an element are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Formats(pub(super) u8);

/// The element of each bit, from the lowest on, and its name in old documents.
const ELEMENTS: [(&str, &str); 8] = [
    ("strong", "bold"),
    ("em", "italic"),
    ("s", "strikethrough"),
    ("u", "underline"),
    ("code", "code"),
    ("sub", "subscript"),
    ("sup", "superscript"),
    ("mark", "highlight"),
];

impl Formats {
    /// Returns the format called `name`; no formats if the name is unknown.
    pub(super) fn from_name(name: &str) -> Self {
        let bit = ELEMENTS.iter().position(|&(_, own)| own == name);
        Self(bit.map_or(0, |bit| 1 << bit))
    }

    fn has(self, bit: u8) -> bool {
        self.0 & 1 << bit != 0
    }
}

/// The open elements, in the order in which they were opened.
#[derive(Default)]
pub(super) struct OpenFormats {
    bits: [u8; ELEMENTS.len()],
    count: usize,
}

impl OpenFormats {
    fn bits(&self) -> &[u8] {
        &self.bits[..self.count]
    }

    /// Opens the formats in `formats` that are not open. `later` are the formats of the following
    /// runs up to the next link: formats that recur soon are opened first, so that they can stay
    /// open.
    pub(super) fn open(
        &mut self,
        formats: Formats,
        later: impl Iterator<Item = Formats>,
        html: &mut String,
    ) {
        let open = self.bits().iter().fold(0, |open, bit| open | 1 << bit);
        let mut missing = Formats(formats.0 & !open);
        if missing.0.count_ones() > 1 {
            // This order is Ghost's (recorded: `overlap/order-follows-longest-run`).
            for run in later {
                let recurring = Formats(missing.0 & run.0);
                self.push_all(recurring, html);
                missing.0 &= !recurring.0;
                if missing.0.count_ones() < 2 {
                    break;
                }
            }
        }
        self.push_all(missing, html);
    }

    fn push_all(&mut self, formats: Formats, html: &mut String) {
        for bit in (0..8).filter(|&bit| formats.has(bit)) {
            html.push('<');
            html.push_str(ELEMENTS[usize::from(bit)].0);
            html.push('>');
            self.bits[self.count] = bit;
            self.count += 1;
        }
    }

    /// Closes the formats that the next run does not have.
    ///
    /// For each open format that is not in `next`, the innermost open element is closed, even if it
    /// is another one (Ghost 6.65, recorded). Overlapping formats may therefore close elements that
    /// could have stayed open, and leave elements open that should be closed.
    pub(super) fn close(&mut self, next: Formats, html: &mut String) {
        let missing = self.bits().iter().filter(|&&bit| !next.has(bit)).count();
        for _ in 0..missing {
            self.count -= 1;
            html.push_str("</");
            html.push_str(ELEMENTS[usize::from(self.bits[self.count])].0);
            html.push('>');
        }
    }
}
