//! Tests of bodies of posts, and of the fields that are derived from them.

use galley::{
    admin::posts::{BodyChange, PostChange, body},
    domain::post::{Body, PostKind, Visibility},
    error::Kind,
    render::limits::{NODES_MAX, TEXT_BYTES_MAX},
};
use serde_json::json;

use super::post_site::{PostSite, integration, refusal, titled};

fn document(post_site: &PostSite, html: &str) -> Option<BodyChange> {
    let document = body::of_html(html, post_site.url()).unwrap();
    Some(BodyChange::Document(document.into()))
}

fn of_lexical(post_site: &PostSite, lexical: &str) -> PostChange {
    PostChange {
        body: Some(body::of_lexical(lexical, post_site.url())),
        ..titled("With a document")
    }
}

/// Returns the context of the error for a body in this field, or "accepted".
fn outcome(post_site: &PostSite, field: &str, text: &str) -> String {
    let error = match field {
        "html" => body::of_html(text, post_site.url()).err(),
        "mobiledoc" => body::of_mobiledoc(text, post_site.url()).err(),
        _ => {
            let change = of_lexical(post_site, text);
            post_site
                .add_as(&integration(), PostKind::Post, change)
                .err()
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
    let post_site = PostSite::new();
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
            outcome(&post_site, field, &format!("{start}{text}{end}"))
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
    let post_site = PostSite::new();
    let span = format!("<span title={}></span>", "y".repeat(30));
    let refused = outcome(&post_site, "html", &span.repeat(NODES_MAX + 1));
    assert!(refused.contains("more than 200000 nodes"), "{refused}");

    let item = format!(r#"{{"type":"linebreak","y":"{}"}},"#, "y".repeat(20));
    let of_nodes = |nodes: usize| {
        root(&format!(
            r#"{{"type":"paragraph","children":[{}{{"type":"linebreak"}}]}}"#,
            item.repeat(nodes - 4)
        ))
    };
    assert_eq!(
        outcome(&post_site, "lexical", &of_nodes(NODES_MAX)),
        "accepted"
    );
    let refused = outcome(&post_site, "lexical", &of_nodes(NODES_MAX + 1));
    assert!(refused.contains("more than 200000 nodes"), "{refused}");
}

#[test]
fn document_that_renders_to_far_more_than_its_text_is_rejected() {
    let post_site = PostSite::new();
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
            outcome(&post_site, field, &taken),
            "accepted",
            "{field}: {}",
            &taken[..60]
        );
        let refused_for = outcome(&post_site, field, &refused);
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
    let post_site = PostSite::new();
    let post = post_site.add(titled("From before there were limits"));
    let large = root(&vec![r#"{"type":"horizontalrule"}"#; 300_000].join(","));
    post_site
        .site
        .write(|transaction| {
            let text = Body::default().with_lexical(large.clone());
            transaction.save_post((*post).clone(), text)
        })
        .unwrap();
    let post = post_site.read(post.id).unwrap();
    let edited = post_site.edit(&post, of_lexical(&post_site, &large));
    assert_eq!(&*edited.title, "With a document");
    let larger = large.replacen("horizontalrule", "paywall", 1);
    let refused = post_site.edit_as(&integration(), &edited, of_lexical(&post_site, &larger));
    assert_eq!(refusal(refused), Some(Kind::Validation));
}

const WITH_A_MENTION: &str =
    r#"{"root":{"children":[{"type":"paragraph","children":[{"type":"mention"}]}]}}"#;

#[test]
fn document_with_an_unrenderable_node_is_rejected_with_its_position() {
    let post_site = PostSite::new();
    let add = |lexical| {
        let change = of_lexical(&post_site, lexical);
        post_site.add_as(&integration(), PostKind::Post, change)
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
    let post_site = PostSite::new();
    let imported = post_site.add(titled("Imported"));
    let other = post_site.add(titled("Another"));
    let written_otherwise = WITH_A_MENTION.replace(':', ": ");
    post_site
        .site
        .write_once(|transaction| {
            let text = Body::default().with_lexical(written_otherwise);
            transaction.save_post((*imported).clone(), text)
        })
        .unwrap();
    let change = of_lexical(&post_site, WITH_A_MENTION);
    let imported = post_site.read(imported.id).unwrap();
    let edited = post_site.edit(&imported, change.clone());
    assert_eq!(&*edited.title, "With a document");
    let outcome = post_site.edit_as(&integration(), &other, change);
    assert_eq!(refusal(outcome), Some(Kind::Validation));
}

#[test]
fn body_without_nodes_is_rejected() {
    let post_site = PostSite::new();
    let script = "<script>alert(1)</script>";
    for html in [" \n ", "<br>", "<div></div>", "<pre></pre>", script] {
        let error = body::of_html(html, post_site.url()).expect_err(html);
        assert_eq!(error.kind(), Kind::Validation, "{html}");
        assert_eq!(error.property_name(), Some("lexical"), "{html}");
    }
    for sections in ["[]", r#"[[2,"/x.jpg"]]"#] {
        let mobiledoc = format!(r#"{{"sections":{sections}}}"#);
        let error = body::of_mobiledoc(&mobiledoc, post_site.url()).expect_err(sections);
        assert_eq!(error.kind(), Kind::Validation, "{sections}");
        assert_eq!(error.property_name(), Some("lexical"), "{sections}");
    }
}

#[test]
fn missing_body_is_the_empty_document() {
    let post_site = PostSite::new();
    for document in [
        body::of_html("", post_site.url()),
        body::of_mobiledoc("", post_site.url()),
    ] {
        let document = document.unwrap();
        assert_eq!(document.html, "");
        assert!(document.lexical.contains("\"paragraph\""));
    }
}

#[test]
fn public_part_of_a_body_follows_the_visibility() {
    let post_site = PostSite::new();
    let post = post_site.add(PostChange {
        body: document(&post_site, "<p>For all to see.</p>"),
        ..titled("Open")
    });
    assert_eq!(post.public_excerpt.as_deref(), Some("For all to see."));
    let closed = PostChange {
        visibility: Some(Visibility::Paid),
        ..PostChange::default()
    };
    let post = post_site.edit(&post, closed);
    assert_eq!(post.public_excerpt, None);
    assert_eq!(post.reading_time, Some(0));
}

#[test]
fn null_document_clears_only_posts_that_have_one() {
    let post_site = PostSite::new();
    let post = post_site.add(PostChange {
        body: document(&post_site, "<p>Written in the editor.</p>"),
        ..titled("With a document")
    });
    let emptied = PostChange {
        body: Some(BodyChange::Empty),
        ..PostChange::default()
    };
    let post = post_site.edit(&post, emptied.clone());
    assert_eq!((post_site.html(post.id), post.reading_time), (None, None));

    let html = "<p>Of a text file.</p>".to_owned();
    post_site
        .site
        .write_once(|transaction| {
            let text = Body::new(html, false, false);
            transaction.save_post((*post).clone(), text)
        })
        .unwrap();
    let post = post_site.read(post.id).unwrap();
    let post = post_site.edit(&post, emptied);
    assert_eq!(
        post_site.html(post.id).as_deref(),
        Some("<p>Of a text file.</p>")
    );
}

#[test]
fn urls_of_the_site_are_stored_relocatable() {
    let post_site = PostSite::new();
    let html = r#"<p><a href="https://site.example/one/">one</a></p>"#;
    let post = post_site.add(PostChange {
        body: document(&post_site, html),
        ..titled("Links")
    });
    let stored = r#"<p><a href="__GHOST_URL__/one/">one</a></p>"#;
    assert_eq!(post_site.html(post.id).as_deref(), Some(stored));
}
