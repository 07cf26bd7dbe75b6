//! Finds the next place of a mark again and again, and looks at each part of a text once.

/// A mark that is looked for.
pub struct Finder {
    mark: &'static str,
    /// What the last answer was about: where it began to look, and what it found.
    last: Option<(usize, Option<usize>)>,
}

impl Finder {
    /// Nothing has been looked for yet.
    pub fn new(mark: &'static str) -> Self {
        Self { mark, last: None }
    }

    /// Where the mark stands first in `text`, from the byte `from` on. The text is the same each time.
    pub fn find(&mut self, text: &str, from: usize) -> Option<usize> {
        if let Some((looked_from, found)) = self.last
            && looked_from <= from
            && found.is_none_or(|found| from <= found)
        {
            return found;
        }
        let found = text[from..].find(self.mark).map(|found| from + found);
        self.last = Some((from, found));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_tag_is_found() {
        let mut finder = Finder::new("ab");
        let found: Vec<Option<usize>> = [0, 1, 2, 3, 4]
            .map(|from| finder.find("cabab", from))
            .to_vec();
        assert_eq!(found, [Some(1), Some(1), Some(3), Some(3), None]);
    }
}
