//! Merges two edits of a content file: by keys, and by the blocks of its body.

use std::ops::Range;

use super::{
    alignment,
    body::{BodyReader, ReadBody},
    keys, line_ends,
    shape::{FileShape, Parts},
};

/// The result of merging two edits of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedText {
    /// The merged text, with their version of parts that both edits changed.
    pub text: String,
    /// The parts of our edit that are not in the text.
    pub conflicts: Vec<Conflict>,
}

/// A part of a file that both edits changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// A key, with the names of its tables before it; empty if the keys of a text cannot be parsed.
    Key {
        /// The path, such as `cover.image`.
        name: String,
    },
    /// A block of the body, as it is in both texts; empty where it is deleted.
    Block {
        /// Their text.
        theirs: String,
        /// Our text.
        ours: String,
    },
}

/// Returns `theirs` with the changes from `base` to `ours`. Changes of different keys and blocks are merged. Of a part that
/// both changed, theirs is used, and ours is a conflict. If both added blocks at the same position, ours follow theirs.
pub fn merge(
    shape: FileShape<'_>,
    reader: &BodyReader<'_>,
    base: &str,
    theirs: &str,
    ours: &str,
) -> MergedText {
    let unchanged = |text: &str| MergedText {
        text: text.to_owned(),
        conflicts: Vec::new(),
    };
    let plain = [base, theirs, ours].map(line_ends::plain);
    // Compared without line ends, which git or an editor may have converted.
    if plain[2] == plain[0] || plain[2] == plain[1] {
        return unchanged(theirs);
    }
    if plain[1] == plain[0] {
        return unchanged(ours);
    }
    let [base, their_text, ours] = [&*plain[0], &*plain[1], &*plain[2]];
    let bodies = [base, their_text, ours].map(|text| &text[Parts::of(text, shape).body_start..]);
    let (with_keys, names) = keys::merged(base, their_text, ours, shape);
    let (body, blocks) = merged_bodies(reader, bodies);
    let start = Parts::of(&with_keys, shape).body_start;
    let text = format!("{}{body}", &with_keys[..start]);
    let keys = names.into_iter().map(|name| Conflict::Key { name });
    MergedText {
        text: line_ends::restored(theirs, &text),
        conflicts: keys.chain(blocks).collect(),
    }
}

/// A body as blocks, with the text between them.
struct Units<'b> {
    text: &'b str,
    units: Vec<Range<usize>>,
}

impl<'b> Units<'b> {
    fn of(reader: &BodyReader<'_>, text: &'b str) -> Self {
        let read = ReadBody::of(reader, text);
        let blocks = read.blocks.into_iter().map(|block| block.range);
        let mut units: Vec<Range<usize>> = Vec::new();
        let mut end = 0;
        let after_last = text.len()..text.len();
        for block in blocks.filter(|range| !range.is_empty()).chain([after_last]) {
            let between = end..block.start.max(end);
            let written = &text[between.clone()];
            // Comments and definitions between blocks are units, so that a merge loses none of
            // them.
            if !written.trim().is_empty() {
                let start = between.start + written.len() - written.trim_start().len();
                units.push(start..start + written.trim().len());
            }
            end = block.end.max(end);
            if !block.is_empty() {
                units.push(block);
            }
        }
        Self { text, units }
    }

    fn texts(&self) -> Vec<&'b str> {
        let units = self.units.iter().cloned();
        units.map(|unit| &self.text[unit]).collect()
    }

    fn unit(&self, index: usize) -> &'b str {
        self.units
            .get(index)
            .map_or("", |unit| &self.text[unit.clone()])
    }

    /// Returns the text between a unit and the next one.
    fn separator(&self, index: usize) -> &'b str {
        let end = self.units.get(index + 1);
        &self.text[self.units[index].end..end.map_or(self.text.len(), |next| next.start)]
    }
}

/// The change of a block.
enum UnitChange {
    /// The block is unchanged: it is this unit of the new body.
    Unchanged(usize),
    /// The block is replaced by these units; by none if it is deleted.
    Replaced(Vec<usize>),
}

/// The changes of the blocks of a body.
struct UnitChanges {
    blocks: Vec<UnitChange>,
    /// The units added before each block, and at the end.
    added: Vec<Vec<usize>>,
}

impl UnitChanges {
    fn between(base: &Units<'_>, new: &Units<'_>) -> Self {
        let matches = alignment::matches(&base.texts(), &new.texts());
        let mut blocks: Vec<UnitChange> = Vec::with_capacity(base.units.len());
        let mut added = vec![Vec::new(); base.units.len() + 1];
        let end = (base.units.len(), new.units.len());
        let mut next = 0;
        // The ends count as a match, so that changes after the last match need no separate case.
        for (old, index) in matches.into_iter().chain([end]) {
            while blocks.len() < old {
                // The last changed block gets all remaining units.
                let count = if blocks.len() + 1 == old {
                    index - next
                } else {
                    (index - next).min(1)
                };
                blocks.push(UnitChange::Replaced((next..next + count).collect()));
                next += count;
            }
            added[old] = (next..index).collect();
            if old < base.units.len() {
                blocks.push(UnitChange::Unchanged(index));
            }
            next = index + 1;
        }
        Self { blocks, added }
    }
}

fn merged_bodies(reader: &BodyReader<'_>, bodies: [&str; 3]) -> (String, Vec<Conflict>) {
    let [base, theirs, ours] = bodies;
    if ours == base || ours == theirs {
        return (theirs.to_owned(), Vec::new());
    }
    if theirs == base {
        return (ours.to_owned(), Vec::new());
    }
    let [base, theirs, ours] = bodies.map(|body| Units::of(reader, body));
    let [their_changes, our_changes] = [&theirs, &ours].map(|new| UnitChanges::between(&base, new));
    let texts = |body: &Units<'_>, units: &[usize]| -> Vec<String> {
        let units = units.iter();
        units
            .map(|unit| body.text[body.units[*unit].clone()].to_owned())
            .collect()
    };
    let mut conflicts = Vec::new();
    let mut merged: Vec<(&Units<'_>, usize)> = Vec::new();
    for index in 0..=base.units.len() {
        let (their, our) = (&their_changes.added[index], &our_changes.added[index]);
        merged.extend(their.iter().map(|unit| (&theirs, *unit)));
        // Blocks that both have added are written once.
        if texts(&theirs, their) != texts(&ours, our) {
            merged.extend(our.iter().map(|unit| (&ours, *unit)));
        }
        if index == base.units.len() {
            break;
        }
        match (&their_changes.blocks[index], &our_changes.blocks[index]) {
            (UnitChange::Unchanged(unit), UnitChange::Unchanged(_)) => {
                merged.push((&theirs, *unit))
            }
            (UnitChange::Replaced(units), UnitChange::Unchanged(_)) => {
                merged.extend(units.iter().map(|unit| (&theirs, *unit)));
            }
            (UnitChange::Unchanged(_), UnitChange::Replaced(units)) => {
                merged.extend(units.iter().map(|unit| (&ours, *unit)));
            }
            (UnitChange::Replaced(their), UnitChange::Replaced(our)) => {
                merged.extend(their.iter().map(|unit| (&theirs, *unit)));
                let [their, our] = [texts(&theirs, their), texts(&ours, our)];
                if their != our {
                    conflicts.push(Conflict::Block {
                        theirs: their.join("\n\n"),
                        ours: our.join("\n\n"),
                    });
                }
            }
        }
    }
    (joined(&theirs, &merged), conflicts)
}

/// Joins units to a text that begins and ends like `frame`.
fn joined(frame: &Units<'_>, units: &[(&Units<'_>, usize)]) -> String {
    let lead = frame
        .units
        .first()
        .map_or(frame.text.len(), |unit| unit.start);
    let trail = frame
        .units
        .last()
        .map_or("\n", |unit| &frame.text[unit.end..]);
    let mut text = frame.text[..lead].to_owned();
    for (index, (body, unit)) in units.iter().enumerate() {
        text.push_str(body.unit(*unit));
        let Some((next_body, next)) = units.get(index + 1) else {
            text.push_str(trail);
            break;
        };
        // Two blocks that are adjacent in one version are separated as in that version.
        let separator = if body.unit(unit + 1) == next_body.unit(*next) {
            body.separator(*unit)
        } else if *next > 0 && next_body.unit(next - 1) == body.unit(*unit) {
            next_body.separator(next - 1)
        } else {
            "\n\n"
        };
        text.push_str(separator);
    }
    text
}
