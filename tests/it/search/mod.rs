//! Tests of full-text search: its results, their order, their audience, and their delay.

mod readers;

use galley_tests::{Request, TestSite, Who, http_client::HttpResponse, owner, wait_until};
use serde_json::{Value, json};

fn site() -> TestSite {
    let post = |title: &str, more: &str, body: &str| {
        format!("---\ntitle: {title}\ndate: 2025-01-01\n{more}---\n{body}\n")
    };
    let app = TestSite::builder()
        .file("site.toml", "title = 'Tides'\nlocale = 'en'\n")
        .file("posts/ferry.md", post("The night ferry", "tags: [Harbour]\n", "It leaves the pier at ten, in every storm."))
        .file("posts/ferries.md", post("Boats", "", "All ferries and one ferry: the ferry of ferries. A night at sea."))
        .file("posts/chowder.md", post("Chowder <b>", "", "Potatoes, cream & smoked haddock. Café au lait."))
        .file("posts/gated.md", post("For some", "visibility: paid\n", "Everybody reads this.\n\n<!--members-only-->\n\nThe treasure is below the lighthouse."))
        .file("posts/hidden.md", post("Wholly gated", "visibility: paid\n", "Nothing of the smuggler is public."))
        .file("drafts/draft.md", post("Unfinished", "", "A submarine."))
        .file("pages/about.md", post("About the ferry", "", "A page."))
        .start();
    wait_until("the index is built", || {
        app.content("search/?q=ferry").status == 200
    });
    app
}

fn found(app: &TestSite, query: &str) -> Vec<String> {
    slugs(&app.json(&format!("search/?q={query}"))["search"])
}

fn slugs(list: &Value) -> Vec<String> {
    let records = list.as_array().unwrap().iter();
    let slugs = records.map(|record| record["slug"].as_str().unwrap().to_owned());
    slugs.collect()
}

#[test]
fn words_are_found_by_stem_prefix_and_despite_typos() {
    let app = site();
    for (query, expected) in [
        ("ferry", &["about", "ferry", "ferries"][..]),
        ("Ferries", &["about", "ferry", "ferries"]),
        ("ferry+night", &["ferry", "ferries"]),
        ("fer", &["about", "ferry", "ferries"]),
        ("harbour", &["ferry"]),
        ("harbuor", &["ferry"]),
        ("potatos", &["chowder"]),
        ("cafe", &["chowder"]),
        ("%22smoked+haddock%22", &["chowder"]),
        ("%22haddock+smoked%22", &[]),
        ("night+-storm", &["ferries"]),
        ("ferry+submarine", &[]),
    ] {
        assert_eq!(found(&app, query), expected, "{query}");
    }
}

#[test]
fn post_with_a_matching_title_ranks_first_whatever_its_length() {
    let post =
        |title: &str, body: &str| format!("---\ntitle: {title}\ndate: 2025-01-01\n---\n{body}\n");
    let long = "Of many other things, one after the other. ".repeat(500);
    let often = "Alerting rules, rules for alerting, and alerting by rules. ".repeat(5);
    let app = TestSite::builder()
        .file("posts/long.md", post("Alerting rules", &long))
        .file("posts/often.md", post("Rules", &often))
        .file(
            "posts/longer-title.md",
            post("Alerting rules of others", &often),
        )
        .start();
    wait_until("the index is built", || {
        app.content("search/?q=rule").status == 200
    });
    for query in [
        "alerting+rules",
        "rules+alerting",
        "Alerting+rule",
        "%22Alerting+rules%22",
    ] {
        let found = found(&app, query);
        assert_eq!((&*found[0], found.len()), ("long", 3), "{query}");
    }
    assert_eq!(found(&app, "rules")[0], "often");
}

#[test]
fn language_tag_sets_the_language_of_a_post() {
    let app = TestSite::builder()
        .file("site.toml", "title = 'Tides'\nlocale = 'en'\n")
        .file(
            "posts/haus.md",
            "---\ntitle: Häuser\ndate: 2025-01-01\ntags: ['#de']\n---\nDie Fähren an den Küsten.\n",
        )
        .file(
            "posts/houses.md",
            "---\ntitle: Houses\ndate: 2025-01-01\n---\nFerries at the coasts.\n",
        )
        .start();
    wait_until("the index is built", || {
        app.content("search/?q=ferry").status == 200
    });
    for (query, expected) in [
        ("haus", "haus"),
        ("f%C3%A4hre+k%C3%BCste", "haus"),
        ("%22an+den+K%C3%BCste%22", "haus"),
        ("house", "houses"),
        ("ferry+coast", "houses"),
    ] {
        assert_eq!(found(&app, query), [expected], "{query}");
    }
    let results = app.json("search/?q=f%C3%A4hre");
    assert_eq!(
        results["search"][0]["highlights"]["text"],
        "Die <mark>Fähren</mark> an den Küsten."
    );
}

#[test]
fn results_highlight_the_matched_words() {
    let app = site();
    let response = app.json("search/?q=chowder+cream&limit=1");
    let result = &response["search"][0];
    assert_eq!(
        result["highlights"]["title"],
        "<mark>Chowder</mark> &lt;b&gt;"
    );
    assert_eq!(
        result["highlights"]["text"],
        "Potatoes, <mark>cream</mark> &amp; smoked haddock. Café au lait."
    );
    assert_eq!(result["url"], format!("{}/chowder/", app.base()));
    assert_eq!(result["type"], "post");
    assert_eq!(response["meta"]["pagination"]["total"], 1);
    let second = app.json("search/?q=ferry&limit=1&page=2");
    assert_eq!(slugs(&second["search"]), ["ferry"]);
    assert_eq!(second["meta"]["pagination"]["pages"], 3);
}

#[test]
fn words_in_table_cells_and_captions_are_found() {
    let app = TestSite::builder()
        .file("posts/tides.html", "---\ntitle: Tides\ndate: 2025-01-01\n---\n<table><tr><td>High</td><td>Noon</td></tr></table>\
            <figure><img src='https://example.com/a.png'><figcaption>The mole</figcaption></figure>\n")
        .start();
    wait_until("the index is built", || {
        app.content("search/?q=tides").status == 200
    });
    let text = |query: &str| {
        let results = app.json(&format!("search/?q={query}"));
        results["search"][0]["highlights"]["text"].clone()
    };
    assert_eq!(text("noon"), "High <mark>Noon</mark> The mole");
    assert_eq!(text("mole"), "High Noon The <mark>mole</mark>");
}

#[test]
fn anonymous_readers_find_only_text_that_they_may_read() {
    let app = site();
    assert_eq!(found(&app, "everybody"), ["gated"]);
    for query in [
        "treasure",
        "lighthouse",
        "smuggler",
        "submarine",
        "%22the+treasure%22",
    ] {
        assert!(found(&app, query).is_empty(), "{query}");
    }
    let results = app.content("search/?q=everybody");
    assert!(!results.text().contains("treasure"));
}

/// Returns a site with public posts, each with a slug, which is also its title, and a text.
fn public_site(posts: &[(&str, &str)]) -> TestSite {
    let mut builder = TestSite::builder().file("site.toml", "title = 'Tides'\nlocale = 'en'\n");
    for (slug, text) in posts {
        builder = builder.file(
            &format!("posts/{slug}.md"),
            format!("---\ntitle: {slug}\ndate: 2025-01-01\n---\n{text}\n"),
        );
    }
    let app = builder.start();
    wait_until("the index is built", || {
        app.content("search/?q=ferry").status == 200
    });
    app
}

/// Adds a draft, and waits until the index has all changes.
fn add_draft(app: &TestSite, slug: &str, text: &str) {
    app.write_file(
        &format!("drafts/{slug}.md"),
        format!("---\ntitle: {slug}\n---\n{text}\n"),
    );
    wait_for_changes(app, slug);
}

fn wait_for_changes(app: &TestSite, word: &str) {
    // Changes are indexed in order, so this post, which no other search finds, is indexed last.
    let word = format!("zz{word}");
    app.write_file(
        "posts/last.md",
        format!("---\ntitle: {word}\ndate: 2025-01-01\n---\n"),
    );
    wait_until("the index has the changes", || {
        found(app, &word) == ["last"]
    });
}

#[test]
fn word_of_a_draft_does_not_prevent_typo_correction() {
    let app = public_site(&[("quay", "The harbour at night.")]);
    wait_for_changes(&app, "before");
    assert_eq!(found(&app, "harbor"), ["quay"]);
    add_draft(&app, "draft", "A secret harbor.");
    assert_eq!(found(&app, "harbor"), ["quay"]);
    // Nor does a word that was public once and is no longer in any text.
    app.write_file(
        "posts/quay.md",
        "---\ntitle: quay\ndate: 2025-01-01\n---\nThe harbor at night.\n",
    );
    wait_for_changes(&app, "corrected");
    assert_eq!(found(&app, "harbor"), ["quay"]);
    app.write_file(
        "posts/quay.md",
        "---\ntitle: quay\ndate: 2025-01-01\n---\nThe harbour at night.\n",
    );
    wait_for_changes(&app, "restored");
    assert_eq!(found(&app, "harbor"), ["quay"]);
    app.delete_file("drafts/draft.md");
    wait_for_changes(&app, "deleted");
    assert_eq!(found(&app, "harbor"), ["quay"]);
}

#[test]
fn words_of_drafts_do_not_affect_the_ranking_of_public_posts() {
    let app = public_site(&[
        ("first", "Kelp, kelp, kelp and wrack."),
        ("second", "Kelp and wrack, wrack, wrack."),
        ("third", "Only wrack."),
    ]);
    wait_for_changes(&app, "before");
    assert_eq!(found(&app, "kelp+wrack"), ["first", "second"]);
    for slug in ["one", "two", "three"] {
        add_draft(&app, slug, "Kelp.");
    }
    assert_eq!(found(&app, "kelp+wrack"), ["first", "second"]);
}

#[test]
fn words_of_drafts_do_not_displace_public_words_with_the_same_prefix() {
    let app = public_site(&[("quay", "The harbz at night.")]);
    let words =
        (0..256_u16).map(|nth| format!("harb{}{}", character(nth / 26), character(nth % 26)));
    let words: Vec<String> = words.collect();
    add_draft(&app, "draft", &words.join(" "));
    assert_eq!(found(&app, "harb"), ["quay"]);
}

fn character(nth: u16) -> char {
    char::from(b'a' + nth as u8)
}

#[test]
fn highlighted_text_keeps_the_beginning_and_end_of_the_text() {
    let app = public_site(&[
        ("tag", "\\<b\\> is a tag, & so is \\<i\\>"),
        ("quote", "“Ferries” (few)…"),
    ]);
    let text = |query: &str| {
        let results = app.json(&format!("search/?q={query}"));
        results["search"][0]["highlights"]["text"].clone()
    };
    assert_eq!(
        text("b"),
        "&lt;<mark>b</mark>&gt; is a tag, &amp; so is &lt;i&gt;"
    );
    assert_eq!(text("ferry"), "“<mark>Ferries</mark>” (few)…");
}

#[test]
fn lists_of_posts_accept_search_with_filter_and_order() {
    let app = site();
    let posts = |query: &str| slugs(&app.json(&format!("posts/?{query}"))["posts"]);
    assert_eq!(posts("search=ferry"), ["ferry", "ferries"]);
    assert_eq!(posts("search=ferry&order=title+asc"), ["ferries", "ferry"]);
    assert_eq!(posts("search=ferry&filter=tag:harbour"), ["ferry"]);
    assert_eq!(slugs(&app.json("pages/?search=ferry")["pages"]), ["about"]);
    assert_eq!(posts("search=ferry&limit=1&fields=slug"), ["ferry"]);
}

#[test]
fn changes_are_found_at_once() {
    let app = site();
    app.write_file(
        "posts/new.md",
        "---\ntitle: Kraken\ndate: 2025-02-02\n---\nIt wakes.\n",
    );
    wait_until("the new post is found", || found(&app, "kraken") == ["new"]);
    app.write_file(
        "posts/new.md",
        "---\ntitle: Squid\ndate: 2025-02-02\nvisibility: paid\n---\nIt wakes.\n",
    );
    wait_until("the old title is not found", || {
        found(&app, "kraken").is_empty()
    });
    assert!(found(&app, "wakes").is_empty());
    app.write_file("tags/harbour.toml", "name = 'Quayside'\n");
    wait_until("the tag's new name is found", || {
        found(&app, "quayside") == ["ferry"]
    });
    app.delete_file("posts/ferry.md");
    wait_until("the deleted post is not found", || {
        found(&app, "pier").is_empty()
    });
}

#[test]
fn invalid_searches_are_rejected_with_the_reason() {
    let app = site();
    for query in ["", "q=", "q=-ferry", "q=a&q=b"] {
        let response = app.content(&format!("search/?{query}"));
        assert_eq!(response.status, 400, "{query}");
    }
    let long = "a+".repeat(21);
    let response = app.content(&format!("search/?q={long}"));
    assert_eq!(
        response.json()["errors"][0]["message"],
        "A search has at most 20 words."
    );
    assert_eq!(app.content("posts/?search=").status, 200);
}

#[test]
fn staff_find_drafts_and_gated_texts() {
    let site = TestSite::builder().without_content().staffed().start();
    let add = |title: &str, text: &str, more: Value| {
        let mut post = json!({"title": title, "html": format!("<p>{text}</p>")});
        post.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        site.post_as(&owner(), "/posts/?source=html", &json!({"posts": [post]}));
    };
    add("Draft", "A submarine", json!({}));
    add(
        "Paid",
        "The treasure",
        json!({"status": "published", "visibility": "paid"}),
    );
    let search = |text: &str| -> HttpResponse {
        site.ask_as(
            &owner(),
            &Request::new("GET", &format!("/ghost/api/admin/posts/?search={text}")),
        )
    };
    for (text, title) in [("submarine", "Draft"), ("treasure", "Paid")] {
        wait_until("staff find the post", || {
            search(text).json()["posts"][0]["title"] == title
        });
    }
    let anonymous = Request::new("GET", "/ghost/api/admin/posts/?search=submarine");
    assert_eq!(site.ask_as(&Who::Anonymous, &anonymous).status, 403);
}
