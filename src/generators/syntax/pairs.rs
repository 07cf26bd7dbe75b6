//! Matches opening and closing tags.

use std::collections::HashMap;

/// The role of a tag in matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSide<'t> {
    /// Opens an element of this name, or is self-closing if no tag closes it.
    Opens(&'t str),
    /// Closes an element of this name.
    Closes(&'t str),
    /// Neither opens nor closes an element.
    Standalone,
}

/// Returns, for each tag, the index of its match. A tag without a match is self-closing.
pub fn find<'t>(sides: impl ExactSizeIterator<Item = PairSide<'t>>) -> Vec<Option<usize>> {
    let mut partners = vec![None; sides.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    // The open tags are counted by name, so that a stray closing tag neither
    // closes others nor searches all of them.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (number, side) in sides.enumerate() {
        match side {
            PairSide::Opens(name) => {
                open.push((number, name));
                *counts.entry(name).or_default() += 1;
            }
            PairSide::Closes(name) if counts.get(name).is_some_and(|count| *count > 0) => {
                while let Some((opening, open_name)) = open.pop() {
                    if let Some(count) = counts.get_mut(open_name) {
                        *count -= 1;
                    }
                    if open_name == name {
                        partners[opening] = Some(number);
                        partners[number] = Some(opening);
                        break;
                    }
                }
            }
            PairSide::Closes(_) | PairSide::Standalone => {}
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_tag_closes_the_nearest_open_tag() {
        use PairSide::{Closes, Opens, Standalone};
        let sides = [
            Opens("a"),
            Opens("b"),
            Opens("a"),
            Closes("a"),
            Standalone,
            Closes("a"),
            Closes("c"),
        ];
        let expected = [Some(5), None, Some(3), Some(2), None, Some(0), None];
        assert_eq!(find(sides.into_iter()), expected);
    }
}
