//! Tests of bodies of posts, and of the fields that are derived from them.

use galley::{
    admin::posts::{BodyChange, PostChange, body},
    domain::post::{Body, PostKind, Visibility},
    error::Kind,
    render::limits::{NODES_MAX, TEXT_BYTES_MAX},
};
use serde_json::json;

use super::desk::{Desk, integration, refusal, titled};

fn document(desk: &Desk, html: &str) -> Option<BodyChange> {
    let document = body::of_html(html, desk.address()).unwrap();
    Some(BodyChange::Document(document.into()))
}

fn of_lexical(desk: &Desk, lexical: &str) -> PostChange {
    PostChange {
        body: Some(body::of_lexical(lexical, desk.address())),
        ..titled("With a document")
    }
}

/// Returns the context of the error for a body in this field, or "accepted".
fn outcome(desk: &Desk, field: &str, text: &str) -> String {
    let error = match field {
        "html" => body::of_html(text, desk.address()).err(),
        "mobiledoc" => body::of_mobiledoc(text, desk.address()).err(),
        _ => {
            let change = of_lexical(desk, text);
            desk.add_as(&integration(), PostKind::Post, change).err()
        }
    };
    let Some(error) = error else {
        return "accepted".to_owned();
    };
    assert_eq!(error.kind(), Kind::Validation);
    assert_eq!(error.property_name(), Some(field));
    error.context_text().unwrap().to_owned()
}

/// Returns a Lexical document with these blocks.
fn root(blocks: &str) -> String {
    format!(r#"{{"root":{{"children":[{blocks}]}}}}"#)
}

#[test]
fn document_size_is_limited_to_ten_mebibytes() {
    let desk = Desk::new();
    for (field, start, end) in [
        ("html", "<p>", "</p>"),
        (
            "lexical",
            r#"{"root":{"children":[{"type":"paragraph","children":[{"type":"text","text":""#,
            r#""}]}]}}"#,
        ),
        (
            "mobiledoc",
            r#"{"sections":[[1,"p",[[0,[],0,""#,
            r#""]]]]}"#,
        ),
    ] {
        let of_bytes = |bytes: usize| {
            let text = "x".repeat(bytes - start.len() - end.len());
            outcome(&desk, field, &format!("{start}{text}{end}"))
        };
        assert_eq!(of_bytes(TEXT_BYTES_MAX - 200), "accepted", "{field}");
        let refused = of_bytes(TEXT_BYTES_MAX + 1);
        assert!(
            refused.contains("it has 10485761 bytes; the limit is 10485760"),
            "{field}: {refused}"
        );
    }
}

#[test]
fn document_node_count_is_limited() {
    let desk = Desk::new();
    let span = format!("<span title={}></span>", "y".repeat(30));
    let refused = outcome(&desk, "html", &span.repeat(NODES_MAX + 1));
    assert!(refused.contains("more than 200000 nodes"), "{refused}");

    let item = format!(r#"{{"type":"linebreak","y":"{}"}},"#, "y".repeat(20));
    let of_nodes = |nodes: usize| {
        root(&format!(
            r#"{{"type":"paragraph","children":[{}{{"type":"linebreak"}}]}}"#,
            item.repeat(nodes - 4)
        ))
    };
    assert_eq!(outcome(&desk, "lexical", &of_nodes(NODES_MAX)), "accepted");
    let refused = outcome(&desk, "lexical", &of_nodes(NODES_MAX + 1));
    assert!(refused.contains("more than 200000 nodes"), "{refused}");
}

#[test]
fn document_that_renders_to_far_more_than_its_text_is_rejected() {
    let desk = Desk::new();
    let card =
        |kind: &str, name: &str, text: &str| root(&json!({"type": kind, name: text}).to_string());
    let wide_table = |rows: usize| {
        let head = format!("|{}\n|{}\n", "a|".repeat(500), "-|".repeat(500));
        card("markdown", "markdown", &(head + &"b\n".repeat(rows)))
    };
    let one_card = |repetitions: usize| {
        let html = "x".repeat(1000);
        json!({"cards": [["html", {"html": html}]], "sections": vec![json!([10, 0]); repetitions]})
            .to_string()
    };
    for (field, taken, refused) in [
        ("html", "<p>x</p>".repeat(2000), "<p>x</p>".repeat(10_000)),
        ("html", "<table><b>".repeat(20), "<table><b>".repeat(10_000)),
        (
            "html",
            "<pre>x\n".repeat(100),
            format!("<p style='white-space:pre'>{}", "x\n".repeat(20_000)),
        ),
        ("html", "<!---->x".repeat(1000), "<!---->x".repeat(100_000)),
        (
            "lexical",
            root(&format!(
                "{}{{\"type\":\"horizontalrule\"}}",
                "{\"type\":\"horizontalrule\"},".repeat(9000)
            )),
            root(&vec!["[]"; 1_000_000].join(",")),
        ),
        (
            "lexical",
            root(&vec![r#"{"type":"signup"}"#; 100].join(",")),
            root(&vec![r#"{"type":"signup"}"#; 20_000].join(",")),
        ),
        (
            "lexical",
            card("callout", "calloutText", &"<b>".repeat(10_000)),
            card("callout", "calloutText", &"<b>".repeat(100_000)),
        ),
        (
            "lexical",
            card("markdown", "markdown", &"*".repeat(10_000)),
            card("markdown", "markdown", &"*".repeat(1_000_000)),
        ),
        ("lexical", wide_table(10), wide_table(1000)),
        ("mobiledoc", one_card(100), one_card(100_000)),
    ] {
        assert_eq!(
            outcome(&desk, field, &taken),
            "accepted",
            "{field}: {}",
            &taken[..60]
        );
        let refused_for = outcome(&desk, field, &refused);
        assert!(
            refused_for.contains("more memory than 4 MiB plus 6 bytes for each of its bytes")
                || refused_for.contains("200000 nodes"),
            "{}: {refused_for}",
            &refused[..60]
        );
    }
}

#[test]
fn stored_oversized_document_can_be_sent_back_but_not_changed() {
    let desk = Desk::new();
    let post = desk.add(titled("From before there were limits"));
    let large = root(&vec![r#"{"type":"horizontalrule"}"#; 300_000].join(","));
    desk.site
        .write(|transaction| {
            let text = Body::default().with_lexical(large.clone());
            transaction.save_post((*post).clone(), text)
        })
        .unwrap();
    let post = desk.read(post.id).unwrap();
    let edited = desk.edit(&post, of_lexical(&desk, &large));
    assert_eq!(&*edited.title, "With a document");
    let larger = large.replacen("horizontalrule", "paywall", 1);
    let refused = desk.edit_as(&integration(), &edited, of_lexical(&desk, &larger));
    assert_eq!(refusal(refused), Some(Kind::Validation));
}

const WITH_A_MENTION: &str =
    r#"{"root":{"children":[{"type":"paragraph","children":[{"type":"mention"}]}]}}"#;

#[test]
fn document_with_an_unrenderable_node_is_rejected_with_its_position() {
    let desk = Desk::new();
    let add = |lexical| {
        let change = of_lexical(&desk, lexical);
        desk.add_as(&integration(), PostKind::Post, change)
    };
    let error = add(WITH_A_MENTION).unwrap_err();
    assert_eq!(error.property_name(), Some("lexical"));
    let text = error.to_string();
    assert!(text.contains("root.children[0].children[0]"), "{text}");
    assert!(text.contains("\"mention\""), "{text}");
    for lexical in ["", "{", "[]", r#"{"root":{"children":[]}}"#] {
        assert_eq!(refusal(add(lexical)), Some(Kind::Validation), "{lexical}");
    }
}

#[test]
fn imported_document_can_be_sent_back_but_not_to_another_post() {
    let desk = Desk::new();
    let imported = desk.add(titled("Imported"));
    let other = desk.add(titled("Another"));
    let written_otherwise = WITH_A_MENTION.replace(':', ": ");
    desk.site
        .write_once(|transaction| {
            let text = Body::default().with_lexical(written_otherwise);
            transaction.save_post((*imported).clone(), text)
        })
        .unwrap();
    let change = of_lexical(&desk, WITH_A_MENTION);
    let imported = desk.read(imported.id).unwrap();
    let edited = desk.edit(&imported, change.clone());
    assert_eq!(&*edited.title, "With a document");
    let outcome = desk.edit_as(&integration(), &other, change);
    assert_eq!(refusal(outcome), Some(Kind::Validation));
}

#[test]
fn body_without_nodes_is_rejected() {
    let desk = Desk::new();
    let script = "<script>alert(1)</script>";
    for html in [" \n ", "<br>", "<div></div>", "<pre></pre>", script] {
        let error = body::of_html(html, desk.address()).expect_err(html);
        assert_eq!(error.kind(), Kind::Validation, "{html}");
        assert_eq!(error.property_name(), Some("lexical"), "{html}");
    }
    for sections in ["[]", r#"[[2,"/x.jpg"]]"#] {
        let mobiledoc = format!(r#"{{"sections":{sections}}}"#);
        let error = body::of_mobiledoc(&mobiledoc, desk.address()).expect_err(sections);
        assert_eq!(error.kind(), Kind::Validation, "{sections}");
        assert_eq!(error.property_name(), Some("lexical"), "{sections}");
    }
}

#[test]
fn missing_body_is_the_empty_document() {
    let desk = Desk::new();
    for document in [
        body::of_html("", desk.address()),
        body::of_mobiledoc("", desk.address()),
    ] {
        let document = document.unwrap();
        assert_eq!(document.html, "");
        assert!(document.lexical.contains("\"paragraph\""));
    }
}

#[test]
fn public_part_of_a_body_follows_the_visibility() {
    let desk = Desk::new();
    let post = desk.add(PostChange {
        body: document(&desk, "<p>For all to see.</p>"),
        ..titled("Open")
    });
    assert_eq!(post.public_excerpt.as_deref(), Some("For all to see."));
    let closed = PostChange {
        visibility: Some(Visibility::Paid),
        ..PostChange::default()
    };
    let post = desk.edit(&post, closed);
    assert_eq!(post.public_excerpt, None);
    assert_eq!(post.reading_time, Some(0));
}

#[test]
fn null_document_clears_only_posts_that_have_one() {
    let desk = Desk::new();
    let post = desk.add(PostChange {
        body: document(&desk, "<p>Written in the editor.</p>"),
        ..titled("With a document")
    });
    let emptied = PostChange {
        body: Some(BodyChange::Empty),
        ..PostChange::default()
    };
    let post = desk.edit(&post, emptied.clone());
    assert_eq!((desk.html(post.id), post.reading_time), (None, None));

    let html = "<p>Of a text file.</p>".to_owned();
    desk.site
        .write_once(|transaction| {
            let text = Body::new(html, false, false);
            transaction.save_post((*post).clone(), text)
        })
        .unwrap();
    let post = desk.read(post.id).unwrap();
    let post = desk.edit(&post, emptied);
    assert_eq!(
        desk.html(post.id).as_deref(),
        Some("<p>Of a text file.</p>")
    );
}

#[test]
fn urls_of_the_site_are_stored_relocatable() {
    let desk = Desk::new();
    let html = r#"<p><a href="https://site.example/one/">one</a></p>"#;
    let post = desk.add(PostChange {
        body: document(&desk, html),
        ..titled("Links")
    });
    let stored = r#"<p><a href="__GHOST_URL__/one/">one</a></p>"#;
    assert_eq!(desk.html(post.id).as_deref(), Some(stored));
}
