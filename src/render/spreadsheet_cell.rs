//! Protection against formula injection in CSV files, such as `=HYPERLINK(…)` as the name of a
//! member.
//!
//! A text that begins like a formula is prefixed with an apostrophe, as in the member lists that
//! Ghost exports. Spreadsheets treat the rest as text and do not show the apostrophe. If
//! apostrophes already precede a formula, another one is added, so that the original text can be
//! restored exactly.

/// Returns `text` in a form that no spreadsheet evaluates as a formula.
pub fn escape_cell(text: &str) -> String {
    if is_formula(text.trim_start_matches('\'')) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// Returns the text for which [`escape_cell`] returned `cell`.
pub fn unescape_cell(cell: &str) -> &str {
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
    fn formulas_are_escaped_and_restored() {
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
            assert_eq!(escape_cell(text), cell);
            assert_eq!(unescape_cell(cell), text);
        }
    }
}
