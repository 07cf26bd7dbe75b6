//! URLs in `srcset` attributes (HTML standard, "parsing a srcset attribute").

/// Returns `srcset` with the URLs that `edit` returns; `None` if it returns none. Descriptors and
/// white space are unchanged.
pub(crate) fn rewrite(
    srcset: &str,
    mut edit: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let mut rewritten = String::new();
    let mut copied = 0;
    let mut position = 0;
    while let Some((start, end)) = next_url(srcset, position) {
        if let Some(url) = edit(&srcset[start..end]) {
            rewritten.push_str(&srcset[copied..start]);
            rewritten.push_str(&url);
            copied = end;
        }
        position = candidate_end(srcset, end);
    }
    if copied == 0 {
        return None;
    }
    rewritten.push_str(&srcset[copied..]);
    Some(rewritten)
}

/// Returns the URLs in `srcset`.
pub(crate) fn urls(srcset: &str) -> impl Iterator<Item = &str> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let (start, end) = next_url(srcset, position)?;
        position = candidate_end(srcset, end);
        Some(&srcset[start..end])
    })
}

/// Returns the URL of the narrowest image in `srcset` that is at least `pixels` pixels wide by its
/// width descriptor.
pub(crate) fn at_least(srcset: &str, pixels: u32) -> Option<&str> {
    let mut position = 0;
    let candidates = std::iter::from_fn(|| {
        let (start, end) = next_url(srcset, position)?;
        position = candidate_end(srcset, end);
        Some((&srcset[start..end], srcset[end..position].trim()))
    });
    let widths = candidates.filter_map(|(url, descriptor)| {
        let width: u32 = descriptor.strip_suffix('w')?.parse().ok()?;
        Some((width, url))
    });
    let wide = widths.filter(|(width, _)| *width >= pixels);
    wide.min_by_key(|(width, _)| *width).map(|(_, url)| url)
}

/// Returns the range of the first URL at or after `position`. A URL may contain commas.
fn next_url(srcset: &str, position: usize) -> Option<(usize, usize)> {
    let is_separator = |character: char| character == ',' || character.is_ascii_whitespace();
    let start = position + srcset[position..].find(|character| !is_separator(character))?;
    let rest = &srcset[start..];
    let word = &rest[..rest
        .find(|character: char| character.is_ascii_whitespace())
        .unwrap_or(rest.len())];
    // Commas at the end separate the URL from the next one, even without white space after it.
    Some((start, start + word.trim_end_matches(',').len()))
}

/// Returns the end of the descriptors after a URL: the next comma outside of parentheses.
fn candidate_end(srcset: &str, position: usize) -> usize {
    let mut in_parentheses = false;
    let is_end = |character: char| {
        match character {
            '(' => in_parentheses = true,
            ')' => in_parentheses = false,
            _ => {}
        }
        character == ',' && !in_parentheses
    };
    let rest = &srcset[position..];
    position + rest.find(is_end).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(srcset: &str) -> Option<String> {
        rewrite(srcset, |url| Some(format!("[{url}]")))
    }

    #[test]
    fn every_candidate_is_visited_once() {
        assert_eq!(marked("a.jpg").as_deref(), Some("[a.jpg]"));
        assert_eq!(
            marked("a.jpg 1x, b.jpg 2x").as_deref(),
            Some("[a.jpg] 1x, [b.jpg] 2x")
        );
        assert_eq!(
            marked(" a.jpg 600w,b.jpg 2x ").as_deref(),
            Some(" [a.jpg] 600w,[b.jpg] 2x ")
        );
        assert_eq!(
            marked("a.jpg, b.jpg,").as_deref(),
            Some("[a.jpg], [b.jpg],")
        );
    }

    #[test]
    fn comma_inside_a_url_or_parentheses_is_not_a_separator() {
        assert_eq!(
            marked("data:a,b 1x, c 2x").as_deref(),
            Some("[data:a,b] 1x, [c] 2x")
        );
        assert_eq!(
            marked("a (1, 2) x, b").as_deref(),
            Some("[a] (1, 2) x, [b]")
        );
    }

    #[test]
    fn nothing_changes_without_urls() {
        assert_eq!(marked(""), None);
        assert_eq!(marked(" , ,"), None);
        assert_eq!(rewrite("a.jpg 1x", |_| None), None);
    }

    #[test]
    fn narrowest_image_that_is_wide_enough_is_chosen() {
        let srcset = "/a.png 600w, /size/w1600/a.png 1600w,/size/w1000/a.png 1000w, /2x.png 2x";
        assert_eq!(at_least(srcset, 900), Some("/size/w1000/a.png"));
        assert_eq!(at_least(srcset, 1200), Some("/size/w1600/a.png"));
        assert_eq!(at_least(srcset, 2000), None);
    }
}
