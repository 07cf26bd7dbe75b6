//! Texts in cells that a spreadsheet would run: `=HYPERLINK(…)` as somebody's name.
//!
//! A text that begins like a formula gets an apostrophe in front, as Ghost's lists of members have it; spreadsheets take
//! the rest as text and do not show the apostrophe. One that begins with apostrophes before a formula gets another, so
//! that what was written can be read back to the letter.

/// `text` such that no spreadsheet takes it for a formula.
pub fn guarded(text: &str) -> String {
    if is_formula(text.trim_start_matches('\'')) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// The text that [`guarded`] made `cell` from.
pub fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_formula(text.trim_start_matches('\'')) => text,
        _ => cell,
    }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_formula_is_kept_from_being_one_and_read_back() {
        for (text, cell) in [
            ("=SUM(1)", "'=SUM(1)"),
            ("-5", "'-5"),
            ("+b@example.com", "'+b@example.com"),
            ("@ana\nof", "'@ana\nof"),
            ("\t=x", "'\t=x"),
            ("'=x", "''=x"),
            ("Ana = Anna", "Ana = Anna"),
            ("'t Hart", "'t Hart"),
            ("", ""),
        ] {
            assert_eq!(guarded(text), cell);
            assert_eq!(unguarded(cell), text);
        }
    }
}
