//! Ghost's interpretation of doubled parentheses.
//!
//! Ghost supports a single pair of parentheses around each member of a group. It does not interpret
//! a member in more pairs: a database query omits the member, and a test of a record in memory
//! fails, except that a test also supports a second pair around several conditions (6.65,
//! recorded). The query of a list of posts already has one pair around the whole filter, so a
//! further pair around the whole filter counts as doubled.

use super::{
    lexer::Lexer,
    parser::parse,
    token::{Token, TokenKind},
    tree::Span,
};

/// The use of a filter, which determines the effect of members that Ghost does not interpret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupUse {
    /// A query of the database.
    Query,
    /// A query of the database that adds conditions to the filter, as for posts and pages.
    ExtendedQuery,
    /// A test of records in memory.
    Test,
}

/// A condition that no record fulfils.
const UNFULFILLED: &str = "id:null";

/// Returns a filter as Ghost interprets it (6.65, recorded): members in doubled parentheses are
/// omitted or, in tests, replaced by a condition that is never fulfilled. Returns `None` if nothing
/// remains. A filter that does not parse is returned unchanged.
pub fn without_doubled_groups(filter: &str, used: GroupUse) -> Option<String> {
    // Parsing also bounds the depth of the recursion below.
    if !filter.contains('(') || parse(filter).is_err() {
        return Some(filter.to_owned());
    }
    let mut reader = Reader::new(filter, used);
    let mut whole = reader.any_of();
    // Ghost puts the filter in parentheses when it adds conditions to it, such as the status of
    // posts.
    whole.pairs += usize::from(used == GroupUse::ExtendedQuery);
    if whole.pairs > reader.pairs_max(&whole) {
        return reader.left_out().map(str::to_owned);
    }
    whole.text
}

/// A part of a filter.
struct FilterPart {
    /// The remaining text of the part; `None` if nothing remains.
    text: Option<String>,
    /// The number of pairs of parentheses directly around the part.
    pairs: usize,
    /// True if the part has several members.
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

    /// Reads the next token. There are no invalid tokens, because the filter parses.
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

    /// Reads a single member, or several members with separators between them as one part without
    /// parentheses.
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

    /// Returns the maximum number of pairs of parentheses with which Ghost interprets a part.
    fn pairs_max(&self, part: &FilterPart) -> usize {
        1 + usize::from(self.used == GroupUse::Test && part.is_group)
    }

    /// Returns the condition that replaces a member that Ghost does not interpret.
    fn left_out(&self) -> Option<&'static str> {
        (self.used == GroupUse::Test).then_some(UNFULFILLED)
    }

    fn operand(&mut self) -> FilterPart {
        if self.token.kind != TokenKind::OpenGroup {
            return self.condition();
        }
        self.advance();
        // The closing parenthesis is skipped below without a check, because the filter parses.
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
                // In brackets, these tokens separate values and do not end the condition.
                TokenKind::And | TokenKind::Or | TokenKind::CloseGroup if !is_in_list => break,
                TokenKind::OpenList => is_in_list = true,
                TokenKind::CloseList => is_in_list = false,
                _ => {}
            }
            // Read before the next token, when the lexer is at the end of this one. The span of a
            // field would not do, because it excludes the colon.
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
