//! Maps lines of expanded text to lines of the file.

/// A mapping of output lines to source lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMap {
    /// Output lines, in order, with their source lines. The lines between two entries are consecutive in both.
    starts: Vec<(usize, usize)>,
}

impl LineMap {
    /// Creates the identity mapping whose first line has this number.
    pub fn starting_with(first_line: usize) -> Self {
        Self {
            starts: vec![(1, first_line)],
        }
    }

    /// Returns the source line of the output line `output`, both counted from 1.
    pub fn of_source(&self, output: usize) -> usize {
        let next = self.starts.partition_point(|(line, _)| *line <= output);
        let (line, source) = self.starts[next.saturating_sub(1)];
        source + output.saturating_sub(line)
    }

    /// Maps the output line `output`, which must not precede earlier ones, to the line `source`.
    pub(crate) fn add(&mut self, output: usize, source: usize) {
        if self.of_source(output) == source {
            return;
        }
        if self.starts.last().is_some_and(|(line, _)| *line == output) {
            self.starts.pop();
        }
        self.starts.push((output, source));
    }

    /// Returns the composition with `earlier`, the mapping of the source lines.
    pub(crate) fn after(&self, earlier: &Self) -> Self {
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for (index, (output, source)) in self.starts.iter().enumerate() {
            let next = self.starts.get(index + 1);
            let count = next.map_or(usize::MAX, |(next, _)| next - output);
            starts.push((*output, earlier.of_source(*source)));
            let first = earlier.starts.partition_point(|(line, _)| line <= source);
            for (line, origin) in &earlier.starts[first..] {
                if line - source >= count {
                    break;
                }
                starts.push((output + (line - source), *origin));
            }
        }
        Self { starts }
    }
}

impl Default for LineMap {
    fn default() -> Self {
        Self::starting_with(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_mapped_through_two_edits() {
        let mut first = LineMap::starting_with(10);
        first.add(3, 20);
        let mut second = LineMap::starting_with(1);
        second.add(2, 4);
        let both = second.after(&first);
        let found: Vec<usize> = (1..=3).map(|line| both.of_source(line)).collect();
        assert_eq!(found, [10, 21, 22]);
    }

    #[test]
    fn range_across_a_line_break_is_split() {
        let mut first = LineMap::starting_with(1);
        first.add(3, 7);
        let both = LineMap::starting_with(1).after(&first);
        let found: Vec<usize> = (1..=4).map(|line| both.of_source(line)).collect();
        assert_eq!(found, [1, 2, 7, 8]);
    }
}
