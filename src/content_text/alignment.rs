//! Aligns two sequences: determines which of their items correspond.

use std::{collections::HashMap, hash::Hash};

/// Maximum number of comparisons of the exact alignment. Beyond it, only items that are unique in both sequences
/// are aligned.
const CELLS_MAX: usize = 4_000_000;

/// Returns the positions of a longest common subsequence, in order.
pub fn matches<T: Eq + Hash>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    // Most edits change a few items, so the equal ones at both ends need no table.
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let rest = [&one[start..], &other[start..]];
    let end = (rest[0].iter().rev())
        .zip(rest[1].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let [left, right] = rest.map(|rest| &rest[..rest.len() - end]);
    let middle = match left.len().checked_mul(right.len()) {
        // The table has four bytes for each pair of items: at most 16 MB.
        Some(cells) if cells <= CELLS_MAX => exact(left, right),
        _ => by_unique_items(left, right),
    };
    let before = (0..start).map(|index| (index, index));
    let middle = middle.into_iter().map(|(a, b)| (a + start, b + start));
    let after = (0..end).rev();
    let after = after.map(|index| (one.len() - 1 - index, other.len() - 1 - index));
    before.chain(middle).chain(after).collect()
}

fn exact<T: Eq>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    // The length of the longest common subsequence of the suffixes at each pair of positions.
    let mut lengths = vec![0u32; (one.len() + 1) * width];
    for (a, left) in one.iter().enumerate().rev() {
        for (b, right) in other.iter().enumerate().rev() {
            lengths[a * width + b] = if left == right {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    let mut matches = Vec::new();
    while a < one.len() && b < other.len() {
        if one[a] == other[b] {
            matches.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    matches
}

fn by_unique_items<T: Eq + Hash>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    let mut indexes: HashMap<&T, (usize, Option<usize>)> = HashMap::new();
    for (index, item) in other.iter().enumerate() {
        let entry = indexes.entry(item).or_insert((0, None));
        *entry = (entry.0 + 1, Some(index));
    }
    let mut counts: HashMap<&T, usize> = HashMap::new();
    for item in one {
        *counts.entry(item).or_default() += 1;
    }
    let pairs = one.iter().enumerate().filter_map(|(index, item)| {
        let (count, other_index) = *indexes.get(item)?;
        (count == 1 && counts[item] == 1).then_some((index, other_index?))
    });
    increasing(&pairs.collect::<Vec<_>>())
}

/// Returns a longest subsequence whose second positions increase.
fn increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the best subsequence of each length, and the pair before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, other)) in pairs.iter().enumerate() {
        // Patience sorting: the second positions of `ends` increase, so they can be searched.
        let length = ends.partition_point(|end| pairs[*end].1 < *other);
        before.push(length.checked_sub(1).map(|length| ends[length]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let chain = std::iter::successors(ends.last().copied(), |index| before[*index]);
    let mut chain: Vec<(usize, usize)> = chain.map(|index| pairs[index]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(one: &str, other: &str) -> String {
        let [one, other] = [one, other].map(|text| text.chars().collect::<Vec<_>>());
        let matches = matches(&one, &other);
        assert!(matches.is_sorted() && matches.iter().all(|(a, b)| one[*a] == other[*b]));
        matches.into_iter().map(|(index, _)| one[index]).collect()
    }

    #[test]
    fn longest_common_subsequence_is_aligned() {
        assert_eq!(aligned("abcdef", "abxef"), "abef");
        assert_eq!(aligned("abc", "cab"), "ab");
        assert_eq!(aligned("", "a"), "");
        assert_eq!(aligned("aa", "aaa"), "aa");
    }

    #[test]
    fn unique_items_of_long_sequences_are_aligned() {
        let one: Vec<usize> = (0..3000).collect();
        let mut other = one.clone();
        other.rotate_left(500);
        other.insert(100, 9999);
        assert_eq!(matches(&one, &other).len(), 2500);
    }
}
