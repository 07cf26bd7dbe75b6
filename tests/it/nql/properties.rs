//! Tests of properties of the parser that hold for any text and any tree.

use galley::nql::{
    Comparison, Condition, Direction, Expression, Membership, Predicate, RelativeDate, Span,
    Spanned, TextAnchor, TimeUnit, Value, parse,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_or_rejected(text in any::<String>()) {
        assert_parsed_or_rejected(&text);
    }

    #[test]
    fn any_bytes_are_parsed_or_rejected(bytes in vec(any::<u8>(), 0..200)) {
        assert_parsed_or_rejected(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_mixture_of_tokens_is_parsed_or_rejected(fragments in vec(fragment(), 0..24)) {
        assert_parsed_or_rejected(&fragments.concat());
    }

    #[test]
    fn mutated_filter_is_parsed_or_rejected(
        tree in expression(),
        position in any::<prop::sample::Index>(),
        damage in fragment(),
    ) {
        let mut characters: Vec<String> = tree.to_string().chars().map(String::from).collect();
        *position.get_mut(&mut characters) = damage.to_owned();
        assert_parsed_or_rejected(&characters.concat());
    }

    #[test]
    fn printed_tree_parses_to_the_same_tree(tree in expression()) {
        let printed = tree.to_string();
        prop_assert_eq!(parse(&printed), Ok(tree), "{}", printed);
    }
}

#[test]
fn tree_equality_ignores_positions() {
    assert_eq!(parse("a:b+c:[d,e]"), parse("  a: b + c: [ d , e ]"));
    assert_ne!(parse("a:b"), parse("a:c"));
    assert_ne!(parse("a:b"), parse("a:'b'"));
}

/// Asserts that a text is parsed to a tree that round-trips through its printed form, or rejected with a span in the text.
fn assert_parsed_or_rejected(text: &str) {
    match parse(text) {
        Ok(tree) => {
            let printed = tree.to_string();
            assert_eq!(parse(&printed).as_ref(), Ok(&tree), "{text:?} {printed:?}");
            assert_eq!(parse(&printed).unwrap().to_string(), printed);
        }
        Err(error) => {
            assert!(text.get(error.span.start..error.span.end).is_some());
            let before = &text[..error.span.start];
            assert_eq!(error.character, before.chars().count() + 1);
        }
    }
}

fn fragment() -> impl Strategy<Value = &'static str> {
    select(vec![
        "a", "tag:", "a.b:", "x", "12", "007", "null", "True", "now", "now-1d", "now+2h", "2h",
        "'x'", "'it\\'s'", "'", "\"", "\\", "-", ">", ">=", "<", "=", "~", "~^", "~$", "[", "]",
        "(", ")", "+", ",", ":", " ", "\u{a0}", "é", "🧥", "\0",
    ])
}

/// Trees as the parser produces them: groups have at least two members, lists at least one.
fn expression() -> impl Strategy<Value = Expression> {
    let leaf = condition().prop_map(|node| Expression::Condition(somewhere(node)));
    leaf.prop_recursive(4, 24, 4, |inner| {
        let members = vec(inner, 2..=4);
        prop_oneof![
            members.clone().prop_map(Expression::And),
            members.prop_map(Expression::Or),
        ]
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    let field = "[A-Za-z_][A-Za-z0-9_.]{0,6}".prop_map(somewhere);
    (field, predicate()).prop_map(|(field, predicate)| Condition { field, predicate })
}

fn predicate() -> impl Strategy<Value = Predicate> {
    prop_oneof![compare(), text_match(), list()]
}

fn compare() -> impl Strategy<Value = Predicate> {
    let operator = select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
    ]);
    (operator, value()).prop_map(|(operator, value)| Predicate::Compare { operator, value })
}

fn text_match() -> impl Strategy<Value = Predicate> {
    let anchor = select(vec![
        TextAnchor::Anywhere,
        TextAnchor::Start,
        TextAnchor::End,
    ]);
    (any::<bool>(), anchor, text()).prop_map(|(negated, anchor, text)| Predicate::Match {
        negated,
        anchor,
        text: somewhere(text),
    })
}

fn list() -> impl Strategy<Value = Predicate> {
    let membership = select(vec![
        Membership::AnyOf,
        Membership::NoneOf,
        Membership::AllOf,
    ]);
    membership.prop_flat_map(|membership| {
        let items_min = if membership == Membership::AllOf {
            2
        } else {
            1
        };
        vec(value(), items_min..=4).prop_map(move |items| Predicate::List { membership, items })
    })
}

fn value() -> impl Strategy<Value = Spanned<Value>> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        (0..=i64::MAX).prop_map(Value::Integer),
        (0..100_i64).prop_map(Value::Integer),
        relative_date().prop_map(Value::RelativeDate),
        word().prop_map(Value::Word),
        text().prop_map(Value::Text),
    ];
    value.prop_map(somewhere)
}

fn relative_date() -> impl Strategy<Value = RelativeDate> {
    let unit = select(vec![
        TimeUnit::Second,
        TimeUnit::Minute,
        TimeUnit::Hour,
        TimeUnit::Day,
        TimeUnit::Week,
        TimeUnit::Month,
        TimeUnit::Year,
    ]);
    let direction = select(vec![Direction::Past, Direction::Future]);
    (direction, any::<u32>(), unit).prop_map(|(direction, amount, unit)| RelativeDate {
        direction,
        amount,
        unit,
    })
}

fn word() -> impl Strategy<Value = String> {
    let tricky = select(vec![
        "now", "now-30", "2h", "now-1x", "2a:b", "007", "^", "\\",
    ]);
    let any_word = r#"[^\s'"+,()><=\[\]~-][^\s'"+,()><=\[\]~]{0,8}"#.prop_filter(
        "keywords, numbers, dates and fields are not words",
        |word| {
            !is_keyword(word)
                && !is_number(word)
                && !word.starts_with("now-")
                && !begins_with_field(word)
        },
    );
    prop_oneof![tricky.prop_map(str::to_owned), any_word]
}

fn is_keyword(word: &str) -> bool {
    let spellings = "null Null NULL true True TRUE false False FALSE";
    spellings.split(' ').any(|spelling| spelling == word)
}

fn is_number(word: &str) -> bool {
    word.parse::<i64>()
        .is_ok_and(|number| number.to_string() == word)
}

fn begins_with_field(word: &str) -> bool {
    word.split_once(':').is_some_and(|(name, _)| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
    })
}

/// Text for a quoted string: not empty, and without a backslash before the closing quote.
fn text() -> impl Strategy<Value = String> {
    let tricky = r#"[a'"\\ ]{0,6}"#;
    let any_text = prop_oneof![tricky.prop_map(String::from), any::<String>()];
    (any_text, "[^\\\\]").prop_map(|(start, last)| start + &last)
}

/// Returns a node with an arbitrary position, which comparisons of trees ignore.
fn somewhere<T>(node: T) -> Spanned<T> {
    let span = Span {
        start: usize::MAX,
        end: usize::MAX,
    };
    Spanned { node, span }
}
