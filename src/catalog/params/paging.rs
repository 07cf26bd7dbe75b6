//! The parameters that select the records of a list: `filter`, `order`, `page`, `limit`.

use super::QueryParameters;
use crate::{
    catalog::browse::{PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX},
    error::{Error, Kind, Result},
};

/// The parameters that select the records of a list.
#[derive(Debug)]
pub struct Paging {
    /// The filter, if there is one.
    pub filter: Option<String>,
    /// The order, if one is requested.
    pub order: Option<String>,
    /// The page, from 1.
    pub page: usize,
    /// Records per page, from 1; [`ALL`](Self::ALL) for no limit.
    pub limit: usize,
}

/// The default and the maximum number of records per page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize {
    /// The number of records if the request has no `limit`.
    pub default: usize,
    /// The maximum number of records.
    pub max: usize,
}

impl PageSize {
    /// The page size of most lists.
    pub const USUAL: Self = Self {
        default: PAGE_RECORDS_DEFAULT,
        max: PAGE_RECORDS_MAX,
    };
}

impl Paging {
    /// The `limit` of a page with all records.
    pub const ALL: usize = usize::MAX;

    /// Parses `filter`, `order`, `page` and `limit` (specification 4.2 and 8; details as recorded
    /// from Ghost 6.65).
    ///
    /// # Errors
    ///
    /// `Validation` if `order`, `page` or `limit` is malformed, `BadRequest` if there is more than
    /// one filter.
    pub fn parse(query: &QueryParameters) -> Result<Self> {
        Self::parse_with(query, PageSize::USUAL)
    }

    /// Like [`parse`](Self::parse), with another page size.
    ///
    /// # Errors
    ///
    /// The errors of [`parse`](Self::parse).
    pub fn parse_with(query: &QueryParameters, size: PageSize) -> Result<Self> {
        let limit = query.single("limit", Kind::Validation)?;
        let page = query.single("page", Kind::Validation)?;
        Ok(Self {
            limit: limit.map_or(Ok(size.default), |limit| parse_limit(limit, size))?,
            page: page.map_or(Ok(1), parse_page)?,
            order: query.joined("order").map(check_order).transpose()?,
            filter: query
                .single("filter", Kind::BadRequest)?
                .filter(|filter| !filter.is_empty())
                .map(str::to_owned),
        })
    }
}

/// Parses a limit. A value that does not start with a number, or starts with one above the maximum,
/// means the maximum; any other value must consist of digits.
fn parse_limit(text: &str, size: PageSize) -> Result<usize> {
    let malformed = || {
        Error::new(
            Kind::Validation,
            format!("\"{text}\" is not a valid limit: use a whole number or \"all\"."),
        )
    };
    if text.is_empty() {
        return Err(malformed());
    }
    let unsigned = text.trim_start().trim_start_matches(['-', '+']);
    let digits: String = unsigned.chars().take_while(char::is_ascii_digit).collect();
    if digits.is_empty() {
        return Ok(size.max);
    }
    let is_negative = text.trim_start().starts_with('-');
    // Too many digits for a `usize` exceed the maximum as well.
    let number: usize = digits.parse().unwrap_or(usize::MAX);
    match number {
        _ if !is_negative && number > size.max => Ok(size.max),
        _ if digits.len() != text.len() => Err(malformed()),
        0 => Ok(size.default),
        _ => Ok(number),
    }
}

fn parse_page(text: &str) -> Result<usize> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"{text}\" is not a valid page: use a whole number from 1."),
        ));
    }
    // A page beyond all records is an empty page, and page 0 is the first one.
    Ok(text.parse().unwrap_or(usize::MAX).max(1))
}

fn check_order(order: String) -> Result<String> {
    let allowed = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '_' | ',' | '.' | ' ')
    };
    if order.is_empty() || !order.chars().all(allowed) {
        return Err(Error::new(
            Kind::Validation,
            format!(
                "\"{order}\" is not a valid order; a valid one looks like \"published_at desc,title asc\"."
            ),
        ));
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &str) -> Option<usize> {
        parse_limit(text, PageSize::USUAL).ok()
    }

    #[test]
    fn limit_is_read_as_ghost_reads_it() {
        for (text, expected) in [
            ("5", Some(5)),
            ("100", Some(100)),
            ("101", Some(100)),
            ("all", Some(100)),
            ("ALL", Some(100)),
            ("abc", Some(100)),
            ("x-", Some(100)),
            ("500abc", Some(100)),
            ("99999999999999999999999", Some(100)),
            ("0", Some(15)),
            ("", None),
            ("-1", None),
            ("-500", None),
            ("5abc", None),
            ("2.7", None),
            ("1e1", None),
            (" 5", None),
            ("+5", None),
            ("0x10", None),
        ] {
            assert_eq!(limit(text), expected, "limit={text}");
        }
    }

    #[test]
    fn page_has_digits_only_and_starts_at_one() {
        assert_eq!(parse_page("0").ok(), Some(1));
        assert_eq!(parse_page("7").ok(), Some(7));
        assert_eq!(parse_page("99999999999999999999999").ok(), Some(usize::MAX));
        for text in ["", "-1", "x1", "1.5", " 1"] {
            assert!(parse_page(text).is_err(), "page={text}");
        }
    }

    #[test]
    fn empty_filter_is_ignored() {
        let query = QueryParameters::parse("filter=").unwrap();
        assert!(Paging::parse(&query).unwrap().filter.is_none());
    }
}
