//! Searches repeatedly for a mark, scanning each part of a text once.

/// A search for a mark.
pub struct MarkFinder {
    mark: &'static str,
    /// The last search: its start, and its result.
    last: Option<(usize, Option<usize>)>,
}

impl MarkFinder {
    /// Creates a search.
    pub fn new(mark: &'static str) -> Self {
        Self { mark, last: None }
    }

    /// Returns the first byte offset of the mark in `text` at or after `from`. The text must be the same each time.
    pub fn find(&mut self, text: &str, from: usize) -> Option<usize> {
        // A result is valid until the search begins behind it, and no
        // mark before it has been skipped.
        if let Some((searched_from, found)) = self.last
            && searched_from <= from
            && found.is_none_or(|found| from <= found)
        {
            return found;
        }
        let position = text[from..].find(self.mark).map(|position| from + position);
        self.last = Some((from, position));
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_tag_is_found() {
        let mut finder = MarkFinder::new("ab");
        let found: Vec<Option<usize>> = [0, 1, 2, 3, 4]
            .map(|from| finder.find("cabab", from))
            .to_vec();
        assert_eq!(found, [Some(1), Some(1), Some(3), Some(3), None]);
    }
}
