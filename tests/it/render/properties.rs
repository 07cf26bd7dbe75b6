//! Tests of properties of the renderers that hold for every input.

use galley::render::markdown::{self, Dialect};
use galley::render::paywall::{PublicForm, public_form};
use galley::render::{
    html_to_lexical, mobiledoc, outbound_links, plaintext, reading_time, slug, urls,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;

/// Text with fragments that have a meaning for one of the functions.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => r#"<(/?(a|p|ul|ol|li|pre|code|img|br|title|script|figcaption)|!--)( (href|src|srcset|style|class|start)=["']?)?[>/]?"#,
        2 => r##"__GHOST_URL__|https?://(site|other)\.example|//|/blog|url\(['"]|\?ref=|[\?#&'"] ?"##,
        2 => r"<!--members-only-->|<!--kg-gated-block:(begin nonMember:(true|false)|end)|-->",
        2 => r"\n|\n\n|> |- |\[\^1\](: )?|`|\*|# |\| |\]\(|!\[|\[ |\]",
        1 => "\\PC{0,4}",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn site() -> impl Strategy<Value = Url> {
    prop::sample::select(vec![
        "https://site.example/",
        "http://site.example:2368/blog/",
    ])
    .prop_map(|address| Url::parse(address).unwrap())
}

/// A document of gated blocks, and the part that an anonymous reader may see.
fn gated() -> impl Strategy<Value = (String, String)> {
    let leaf = "[a-z<>]{0,3}".prop_map(|text| (text.clone(), text));
    leaf.prop_recursive(4, 24, 4, |inner| {
        (prop::collection::vec(inner, 0..4), any::<bool>()).prop_map(|(parts, is_public)| {
            let (all, visible): (String, String) = parts.into_iter().unzip();
            let html = format!(
                "<!--kg-gated-block:begin nonMember:{is_public} memberSegment:\"\" -->{all}<!--kg-gated-block:end-->"
            );
            (html, if is_public { visible } else { String::new() })
        })
    })
}

fn markdown_card(markdown: &str) -> String {
    let card = json!({"type": "markdown", "markdown": markdown});
    json!({"root": {"children": [card]}}).to_string()
}

/// JSON that resembles the sections of a Mobiledoc.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => (0..4_i64).prop_map(Value::from),
        1 => prop::sample::select(vec![json!(null), json!({}), json!(10), json!(-1), json!(0.5)]),
        2 => "p|h2|ul|text".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        prop_oneof![
            6 => prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            1 => inner.prop_map(|value| json!([1, "p", [[0, [1, 0], 1, value]]])),
        ]
    })
}

/// Markdown with syntax of the dialects, without the character that the overlay covers text with.
fn dialect_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => r"\n|\n\n|\n> |\n- |\n1\. | |a|b é|\\|\|",
        2 => r"\$\$?|==|%%|\^\[|\]| \^a\n|:smile:|<<|~~?|\*\*?|_|`|```|`` ",
        2 => r"\{: ?\.a\}|\{#b\}|\{:toc\}|\{:c: #d\}|\{:c\}|\{::comment\}|\{:/\}|\{::nomarkdown\}|\*\[a\]: e",
        2 => r#"\[!note\][+-]? |<div markdown="1">|</div>|    |https://a\.b|www\.c\.d|e@f\.g|&amp;|\[a\]\(|\)|# |<b>|"#,
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_dialect_keeps_covered_text_without_a_panic(text in dialect_text()) {
        for name in Dialect::NAMES {
            let html = markdown::to_html(&text, Dialect::by_name(name).unwrap(), |_| None);
            prop_assert!(!html.contains("xx"), "{}: {}", name, html);
        }
    }

    #[test]
    fn any_text_renders_without_a_panic(text in text(), site in site(), flag in any::<bool>()) {
        markdown::to_html(&text, Dialect::GALLEY, |address| flag.then(|| format!("/{}", address.written)));
        plaintext::from_html(&text);
        reading_time::minutes(&text, flag);
        slug::user_candidates(&text, site.path()).nth(3);
        slug::from_imported_text(&text, site.path());
        outbound_links::tag(&text, &site);
        public_form(&text, flag);
        urls::canonical_url_to_stored(&text, &site);
        urls::url_to_stored(&text, &site);
        urls::html_to_stored(&text, &site);
        urls::plaintext_to_stored(&text, &site);
        urls::lexical_to_stored(&text, &site);
        urls::lexical_to_stored(&markdown_card(&text), &site);
        let _ = mobiledoc::clean_for_import(&text);
        let _ = mobiledoc::to_lexical(&text);
        html_to_lexical::to_lexical(&text);
    }

    #[test]
    fn any_json_is_a_mobiledoc_or_an_error(sections in json_value()) {
        let strong_and_link = json!([["strong"], ["a", ["href", "/x"]]]);
        let document = json!({"markups": strong_and_link, "cards": [["hr", {}]], "sections": sections});
        if let Ok(lexical) = mobiledoc::to_lexical(&document.to_string()) {
            prop_assert!(serde_json::from_str::<Value>(&lexical).is_ok());
        }
    }

    #[test]
    fn storing_a_document_is_idempotent(text in text(), site in site()) {
        let document = markdown_card(&text);
        let stored = urls::lexical_to_stored(&document, &site);
        prop_assert!(serde_json::from_str::<Value>(&stored).is_ok());
        prop_assert_eq!(urls::lexical_to_stored(&stored, &site), stored.as_ref());
    }

    #[test]
    fn excerpt_is_a_prefix_of_its_text(text in "\\PC{0,600}") {
        let excerpt = plaintext::excerpt(&text);
        prop_assert!(text.starts_with(excerpt));
        let units = excerpt.encode_utf16().count();
        prop_assert!(units == 500 || units == 499 || excerpt == text);
    }

    #[test]
    fn conversion_to_stored_form_is_idempotent(text in text(), site in site()) {
        let stored = urls::html_to_stored(&text, &site);
        prop_assert_eq!(urls::html_to_stored(&stored, &site), stored.as_ref());
    }

    #[test]
    fn link_tagging_is_idempotent(text in text(), site in site()) {
        let tagged = outbound_links::tag(&text, &site);
        prop_assert_eq!(outbound_links::tag(&tagged, &site), tagged.as_ref());
    }

    #[test]
    fn gated_post_ends_at_its_paywall(before in text(), behind in text()) {
        let without = format!("{before}<!--members-only-->");
        let with = format!("{without}{behind}");
        prop_assert_eq!(public_form(&with, true), public_form(&without, true));
    }

    #[test]
    fn gated_blocks_show_only_public_content((html, visible) in gated()) {
        match public_form(&html, false) {
            PublicForm::Whole => prop_assert_eq!(html, visible),
            PublicForm::Part(shown) => prop_assert_eq!(shown, visible),
            PublicForm::Nothing => prop_assert!(false, "a public post is never withheld"),
        }
    }
}
