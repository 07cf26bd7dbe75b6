//! Bodies, and what is worked out from them.

use galley::{
    admin::posts::{BodyChange, PostChange, body},
    domain::post::{Body, PostKind, Visibility},
    error::Kind,
};

use super::desk::{Desk, integration, refusal, titled};

fn document(desk: &Desk, html: &str) -> Option<BodyChange> {
    let document = body::of_html(html, desk.address()).unwrap();
    Some(BodyChange::Document(document))
}

fn of_lexical(desk: &Desk, lexical: &str) -> PostChange {
    PostChange {
        body: Some(body::of_lexical(lexical, desk.address())),
        ..titled("With a document")
    }
}

const WITH_A_MENTION: &str =
    r#"{"root":{"children":[{"type":"paragraph","children":[{"type":"mention"}]}]}}"#;

#[test]
fn a_document_that_cannot_be_shown_whole_is_refused_with_the_place() {
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
fn a_document_that_an_import_brought_can_be_sent_back_but_not_to_another_post() {
    let desk = Desk::new();
    let imported = desk.add(titled("Imported"));
    let other = desk.add(titled("Another"));
    let written_otherwise = WITH_A_MENTION.replace(':', ": ");
    desk.site
        .write(|transaction| {
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
fn a_body_that_becomes_no_node_is_refused() {
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
fn no_body_is_the_empty_document() {
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
fn what_may_be_seen_of_a_body_follows_who_may_read_it() {
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
fn sending_back_that_there_is_no_document_empties_only_what_has_one() {
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
        .write(|transaction| {
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
fn addresses_of_the_site_are_stored_so_that_it_may_move() {
    let desk = Desk::new();
    let html = r#"<p><a href="https://site.example/one/">one</a></p>"#;
    let post = desk.add(PostChange {
        body: document(&desk, html),
        ..titled("Links")
    });
    let stored = r#"<p><a href="__GHOST_URL__/one/">one</a></p>"#;
    assert_eq!(desk.html(post.id).as_deref(), Some(stored));
}
