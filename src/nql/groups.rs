//! Parentheses as Ghost reads them, where they are doubled.
//!
//! Ghost keeps one pair around each member of a group. A member in more pairs is not understood: a query of its database leaves the
//! member out, and a test of a record in memory fails, but understands a second pair around several conditions (6.65, recorded). The
//! query of a list of posts has one pair around the whole filter, so that one more around all of it is already doubled.

use super::{
    lexer::Lexer,
    parser::parse,
    token::{Token, TokenKind},
    tree::Span,
};

/// A use of a filter, which decides on the members that Ghost does not understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupUse {
    /// A query of the database.
    Query,
    /// A query of the database that adds conditions to the filter: for posts and pages.
    ExtendedQuery,
    /// A test of records in memory.
    Test,
}

/// A condition that no record fulfils.
const UNFULFILLED: &str = "id:null";

/// Returns a filter without the members in doubled parentheses, as Ghost uses it (6.65, recorded); `None` if nothing is left. A filter
/// that does not parse is returned as it is.
pub fn without_doubled_groups(filter: &str, used: GroupUse) -> Option<String> {
    // The parser also bounds the depth of the recursion here.
    if !filter.contains('(') || parse(filter).is_err() {
        return Some(filter.to_owned());
    }
    let mut reader = Reader::new(filter, used);
    let mut whole = reader.any_of();
    whole.pairs += usize::from(used == GroupUse::ExtendedQuery);
    if whole.pairs > reader.pairs_max(&whole) {
        return reader.left_out().map(str::to_owned);
    }
    whole.text
}

/// A part of a filter.
struct FilterPart {
    /// What is left of it; `None` if nothing is.
    text: Option<String>,
    /// The number of pairs of parentheses directly around it.
    pairs: usize,
    /// Whether it is several members.
    is_group: bool,
}

struct Reader<'t> {
    filter: &'t str,
    used: GroupUse,
    lexer: Lexer<'t>,
    token: Token<'t>,
}

impl<'t> Reader<'t> {
    fn new(filter: &'t str, used: GroupUse) -> Self {
        let end = Token {
            kind: TokenKind::End,
            span: Span {
                start: filter.len(),
                end: filter.len(),
            },
        };
        let mut reader = Self {
            filter,
            used,
            lexer: Lexer::new(filter),
            token: end,
        };
        reader.advance();
        reader
    }

    /// Reads the next token. A filter that parses has no invalid ones.
    fn advance(&mut self) {
        self.token = self.lexer.next().unwrap_or(Token {
            kind: TokenKind::End,
            ..self.token
        });
    }

    fn any_of(&mut self) -> FilterPart {
        self.members(TokenKind::Or, ",", Self::all_of)
    }

    fn all_of(&mut self) -> FilterPart {
        self.members(TokenKind::And, "+", Self::operand)
    }

    /// Reads a single member, or several with separators between them as one part without parentheses.
    fn members(
        &mut self,
        separator: TokenKind<'static>,
        written: &str,
        read: fn(&mut Self) -> FilterPart,
    ) -> FilterPart {
        let first = read(self);
        if self.token.kind != separator {
            return first;
        }
        let mut members: Vec<String> = self.member(first).into_iter().collect();
        while self.token.kind == separator {
            self.advance();
            let next = read(self);
            members.extend(self.member(next));
        }
        FilterPart {
            text: (!members.is_empty()).then(|| members.join(written)),
            pairs: 0,
            is_group: true,
        }
    }

    fn member(&self, part: FilterPart) -> Option<String> {
        match part.pairs {
            0 => part.text,
            pairs if pairs <= self.pairs_max(&part) => part.text.map(|text| format!("({text})")),
            _ => self.left_out().map(str::to_owned),
        }
    }

    /// Returns the most pairs of parentheses around a part that is understood.
    fn pairs_max(&self, part: &FilterPart) -> usize {
        1 + usize::from(self.used == GroupUse::Test && part.is_group)
    }

    /// Returns the condition in the place of a member that is not understood.
    fn left_out(&self) -> Option<&'static str> {
        (self.used == GroupUse::Test).then_some(UNFULFILLED)
    }

    fn operand(&mut self) -> FilterPart {
        if self.token.kind != TokenKind::OpenGroup {
            return self.condition();
        }
        self.advance();
        let inside = self.any_of();
        self.advance();
        FilterPart {
            pairs: inside.pairs + 1,
            ..inside
        }
    }

    fn condition(&mut self) -> FilterPart {
        let start = self.token.span.start;
        let mut end = start;
        let mut is_in_list = false;
        loop {
            match self.token.kind {
                TokenKind::End => break,
                TokenKind::And | TokenKind::Or | TokenKind::CloseGroup if !is_in_list => break,
                TokenKind::OpenList => is_in_list = true,
                TokenKind::CloseList => is_in_list = false,
                _ => {}
            }
            end = self.lexer.position();
            self.advance();
        }
        FilterPart {
            text: Some(self.filter[start..end].to_owned()),
            pairs: 0,
            is_group: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_in_doubled_parentheses_are_left_out_of_queries() {
        for (filter, expected) in [
            ("tag:a1", Some("tag:a1")),
            ("(tag:a1)", Some("tag:a1")),
            ("((tag:a1))", None),
            ("((tag:a1))+featured:true", Some("featured:true")),
            ("featured:true,((tag:a1))", Some("featured:true")),
            ("((tag:a1))+((tag:b1))", None),
            ("(tag:a1)+(tag:b1)", Some("(tag:a1)+(tag:b1)")),
            ("tag:a1,(tag:b1+((tag:c1,tag:d1)))", Some("tag:a1,(tag:b1)")),
            (
                "slug:[a1,b1]+( title:~'(x)' , published_at:>now-1d )",
                Some("slug:[a1,b1]+(title:~'(x)',published_at:>now-1d)"),
            ),
            ("(tag:a1", Some("(tag:a1")),
        ] {
            let found = without_doubled_groups(filter, GroupUse::Query);
            assert_eq!(found.as_deref(), expected, "{filter}");
        }
    }

    #[test]
    fn parentheses_around_a_whole_filter_are_doubled_in_an_extended_query() {
        for (filter, expected) in [
            ("(tag:a1)", None),
            ("(tag:a1,tag:b1)", None),
            (
                "(tag:a1,tag:b1)+featured:true",
                Some("(tag:a1,tag:b1)+featured:true"),
            ),
        ] {
            let found = without_doubled_groups(filter, GroupUse::ExtendedQuery);
            assert_eq!(found.as_deref(), expected, "{filter}");
        }
    }

    #[test]
    fn doubled_members_fail_tests_in_memory() {
        for (filter, expected) in [
            ("(tag:a1)", "tag:a1"),
            ("((tag:a1))", "id:null"),
            ("tag:b1,((tag:a1))", "tag:b1,id:null"),
            ("((tag:a1,tag:b1))+slug:c1", "(tag:a1,tag:b1)+slug:c1"),
            ("(((tag:a1,tag:b1)))", "id:null"),
        ] {
            let found = without_doubled_groups(filter, GroupUse::Test);
            assert_eq!(found.as_deref(), Some(expected), "{filter}");
        }
    }
}
