//! Tests of posts' front matter, including the keys of other generators.

use galley::{
    domain::{member::Member, newsletter::Newsletter},
    id::Id,
};
use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};
use serde_json::{Value, json};

/// Returns the post of a folder with a single file `posts/night-ferry.md` of this text.
fn post_of(text: &str) -> Value {
    ReconciledSite::from(&Folder::with(&[("posts/night-ferry.md", text)])).post("night-ferry")
}

#[test]
fn toml_and_yaml_front_matter_are_equivalent() {
    let toml = "+++\ntitle = \"Night Ferry\"\ndate = 2025-01-05\ntags = [\"Letters\", \"Sea\"]\nfeatured = true\n+++\nText\n";
    let yaml = "---\ntitle: Night Ferry\ndate: 2025-01-05\ntags:\n  - Letters\n  - Sea\nfeatured: true\n---\nText\n";
    let post = post_of(toml);
    assert_eq!(post, post_of(yaml));
    assert_eq!(post["title"], "Night Ferry");
    assert_eq!(post["published_at"], "2025-01-05T00:00:00.000+00:00");
    assert_eq!(post["featured"], true);
    assert_eq!(post["primary_tag"]["slug"], "letters");
    assert_eq!(post["tags"][1]["name"], "Sea");
    assert_eq!(post["html"], "<p>Text</p>\n");
}

#[test]
fn keys_of_other_generators_are_accepted() {
    let spellings = [
        // The keys of Ghost, Hugo, Zola, Jekyll, Eleventy and Astro, one line each.
        "published_at: 2025-01-05\nupdated_at: 2025-02-01\nfeature_image: https://e.org/a.png\ncustom_excerpt: In short\ntags: [Sea]\nauthors: [Ada]",
        "date: 2025-01-05\nlastmod: 2025-02-01\ncover:\n  image: https://e.org/a.png\nsummary: In short\ncategories: [Sea]\nauthor: Ada",
        "date: 2025-01-05\nupdated: 2025-02-01\nimages: [https://e.org/a.png]\ndescription: In short\ntaxonomies:\n  tags: [Sea]\n  authors: [Ada]",
        "date: 2025-01-05 00:00:00 +0000\nlast_modified_at: 2025-02-01\nimage: https://e.org/a.png\nexcerpt: In short\ntags: Sea\nauthor: Ada",
        "date: 2025-01-05\nmodified: 2025-02-01\nthumbnail: https://e.org/a.png\ndescription: In short\ntags: Sea\nauthor: Ada",
        "pubDate: Jan 5 2025\nupdatedDate: 2025-02-01\nheroImage: https://e.org/a.png\ndescription: In short\ntags: [Sea]\nauthor: Ada",
    ];
    let expected = post_of(&format!("---\ntitle: T\n{}\n---\nText\n", spellings[0]));
    assert_eq!(expected["updated_at"], "2025-02-01T00:00:00.000+00:00");
    assert_eq!(expected["excerpt"], "In short");
    assert_eq!(expected["primary_author"]["name"], "Ada");
    for spelling in spellings {
        let post = post_of(&format!("---\ntitle: T\n{spelling}\n---\nText\n"));
        assert_eq!(post, expected, "{spelling}");
    }
}

#[test]
fn every_field_of_a_post_can_be_set() {
    let text = post_with(
        "Night Ferry",
        "slug = \"ferry\"\nid = \"65f2a7c0b1d2e3f4a5b6c7d8\"\nuuid = \"3f0c1e5e-6a51-4b1e-9c53-0d3b5e3a2b11\"\n\
         comment_id = \"c-1\"\nfeature_image_alt = \"A boat\"\nfeature_image_caption = \"<b>Boat</b>\"\n\
         codeinjection_head = \"<i>\"\ncodeinjection_foot = \"</i>\"\ncustom_template = \"custom-a\"\n\
         canonical_url = \"https://e.org/x\"\nmeta_title = \"MT\"\nmeta_description = \"MD\"\nog_title = \"OT\"\n\
         og_description = \"OD\"\nog_image = \"https://e.org/o.png\"\ntwitter_title = \"TT\"\n\
         twitter_description = \"TD\"\ntwitter_image = \"https://e.org/t.png\"\nemail_subject = \"ES\"\n\
         frontmatter = \"FM\"",
        "Text",
    );
    let site = ReconciledSite::from(&Folder::with(&[("posts/night-ferry.md", &text)]));
    let post = site.post("ferry");
    let expected = json!({
        "id": "65f2a7c0b1d2e3f4a5b6c7d8", "uuid": "3f0c1e5e-6a51-4b1e-9c53-0d3b5e3a2b11", "comment_id": "c-1",
        "feature_image_alt": "A boat", "feature_image_caption": "<b>Boat</b>", "codeinjection_head": "<i>",
        "codeinjection_foot": "</i>", "custom_template": "custom-a", "canonical_url": "https://e.org/x",
        "meta_title": "MT", "meta_description": "MD", "og_title": "OT", "og_description": "OD",
        "og_image": "https://e.org/o.png", "twitter_title": "TT", "twitter_description": "TD",
        "twitter_image": "https://e.org/t.png", "email_subject": "ES", "frontmatter": "FM",
    });
    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(&post[field], value, "{field}");
    }
}

#[test]
fn every_notation_of_a_draft_is_hidden() {
    let folder = Folder::with(&[
        ("posts/a.md", &post_with("A", "draft = true", "")),
        ("posts/b.md", &post_with("B", "status = \"draft\"", "")),
        (
            "posts/c.md",
            "---\ntitle: C\ndate: 2025-01-05\npublished: false\n---\n",
        ),
        ("_drafts/d.md", "---\ntitle: D\n---\n"),
        ("posts/e.md", &post("E", "")),
    ]);
    assert_eq!(ReconciledSite::from(&folder).list("posts", "slug"), ["e"]);
}

#[test]
fn members_only_posts_are_gated_and_tier_posts_list_their_tiers() {
    let folder = Folder::with(&[
        ("posts/open.md", &post("Open", "Secret")),
        (
            "posts/members.md",
            &post_with("M", "visibility = \"members\"", "Secret"),
        ),
        (
            "posts/paid.md",
            &post_with("P", "visibility = \"paid\"", "Secret"),
        ),
        (
            "posts/gold.md",
            &post_with("G", "tiers = [\"Gold\"]", "Secret"),
        ),
        (
            "tiers/gold.toml",
            "name = \"Gold\"\ntype = \"paid\"\nmonthly_price = 700\ncurrency = \"eur\"\n",
        ),
    ]);
    let site = ReconciledSite::from(&folder);
    let gating_of = |slug: &str| {
        let post = site.post(slug);
        (
            post["visibility"].clone(),
            post["access"].clone(),
            post["html"].clone(),
        )
    };
    assert_eq!(
        gating_of("open"),
        (json!("public"), json!(true), json!("<p>Secret</p>\n"))
    );
    assert_eq!(
        gating_of("members"),
        (json!("members"), json!(false), json!(""))
    );
    assert_eq!(gating_of("paid"), (json!("paid"), json!(false), json!("")));
    assert_eq!(gating_of("gold"), (json!("tiers"), json!(false), json!("")));
    assert_eq!(site.post("gold")["tiers"][0]["slug"], "gold");
    assert_eq!(
        site.responses().matches("Secret").count(),
        4,
        "only the public post's HTML, plain text, excerpt and search index may contain it"
    );
}

#[test]
fn pages_are_separate_from_posts_but_share_slugs() {
    let folder = Folder::with(&[
        ("pages/about.md", "+++\ntitle = \"About\"\n+++\nUs\n"),
        ("posts/night-ferry.md", &post("Night Ferry", "")),
    ]);
    let site = ReconciledSite::from(&folder);
    assert_eq!(site.list("pages", "slug"), ["about"]);
    assert_eq!(site.list("posts", "slug"), ["night-ferry"]);
    assert_eq!(
        site.get("pages/slug/about/")["pages"][0]["html"],
        "<p>Us</p>\n"
    );
}

#[test]
fn files_describe_all_fields_of_tags_authors_tiers_and_newsletters() {
    let folder = Folder::with(&[
        (
            "tags/letters.md",
            "+++\nname = \"Letters\"\naccent_color = \"#123456\"\n+++\nWritten at sea.\n",
        ),
        (
            "authors/ada.toml",
            "name = \"Ada\"\nemail = \"ada@example.com\"\nbio = \"Writes\"\nlocation = \"Kiel\"\n",
        ),
        (
            "tiers/gold.toml",
            "name = \"Gold\"\ntype = \"paid\"\nmonthly_price = 700\ncurrency = \"eur\"\nbenefits = [\"Tea\"]\n",
        ),
        (
            "newsletters/weekly.toml",
            "name = \"Weekly\"\ndescription = \"Each week\"\n",
        ),
        (
            "posts/a.md",
            &post_with(
                "A",
                "tags = [\"letters\"]\nauthors = [\"ada@example.com\"]",
                "",
            ),
        ),
    ]);
    let site = ReconciledSite::from(&folder);
    let tag = &site.get("tags/slug/letters/")["tags"][0];
    assert_eq!(
        (&tag["name"], &tag["description"]),
        (&json!("Letters"), &json!("Written at sea."))
    );
    let author = &site.get("authors/slug/ada/")["authors"][0];
    assert_eq!(
        (&author["bio"], &author["location"]),
        (&json!("Writes"), &json!("Kiel"))
    );
    assert!(author.get("email").is_none());
    let tiers = site.get("tiers/?include=monthly_price,benefits");
    let gold = tiers["tiers"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|tier| tier["slug"] == "gold");
    let gold = gold.expect("the tier");
    assert_eq!(
        (&gold["monthly_price"], &gold["currency"]),
        (&json!(700), &json!("eur"))
    );
    assert_eq!(gold["benefits"], json!(["Tea"]));
    assert_eq!(site.list("newsletters", "name"), ["Weekly"]);
}

#[test]
fn records_with_exported_ids_replace_the_defaults() {
    let folder = Folder::with(&[
        (
            "tiers/free.toml",
            "name = \"Free\"\nslug = \"free\"\nid = \"65f2a7c0b1d2e3f4a5b6c701\"\n",
        ),
        (
            "tiers/paid.toml",
            "name = \"Supporter\"\ntype = \"paid\"\nmonthly_price = 700\ncurrency = \"eur\"\nslug = \"default-product\"\nid = \"65f2a7c0b1d2e3f4a5b6c702\"\n",
        ),
        (
            "newsletters/main.toml",
            "name = \"Main\"\nslug = \"default-newsletter\"\nid = \"65f2a7c0b1d2e3f4a5b6c703\"\n",
        ),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let mut ids = site.list("tiers", "id");
    ids.sort();
    assert_eq!(
        ids,
        ["65f2a7c0b1d2e3f4a5b6c701", "65f2a7c0b1d2e3f4a5b6c702"]
    );
    assert_eq!(site.list("newsletters", "id"), ["65f2a7c0b1d2e3f4a5b6c703"]);
    for file in [
        "tiers/free.toml",
        "tiers/paid.toml",
        "newsletters/main.toml",
    ] {
        folder.remove(file);
    }
    site.run();
    assert_eq!(site.list("tiers", "slug").len(), 2);
    assert_eq!(site.list("newsletters", "slug"), ["default-newsletter"]);
}

#[test]
fn defaults_are_preserved_next_to_records_created_by_staff() {
    let folder = Folder::with(&[("posts/a.md", &post_with("A", "", ""))]);
    let mut site = ReconciledSite::from(&folder);
    let made = site
        .site
        .write(|transaction| transaction.save(Newsletter::new("tides", "Tides")));
    made.expect("the newsletter is stored");

    folder.write("posts/b.md", post_with("B", "", ""));
    site.run();

    let mut newsletters = site.list("newsletters", "slug");
    newsletters.sort();
    assert_eq!(newsletters, ["default-newsletter", "tides"]);
}

#[test]
fn newsletter_with_subscribers_is_preserved_next_to_one_of_a_file() {
    let folder = Folder::with(&[("posts/a.md", &post_with("A", "", ""))]);
    let mut site = ReconciledSite::from(&folder);
    let made = site.site.write(|transaction| {
        let id = Id::derive("member", "ada@example.com");
        transaction.save_member(Member {
            newsletters: vec![Id::derive("newsletter", "default-newsletter")],
            ..Member::new(id, "ada@example.com", transaction.now())
        })
    });
    made.expect("the member is stored");

    folder.write("newsletters/weekly.toml", "name = \"Weekly\"\n");
    site.run();

    let mut newsletters = site.list("newsletters", "slug");
    newsletters.sort();
    assert_eq!(newsletters, ["default-newsletter", "weekly"]);
}

#[test]
fn settings_of_the_site_file_revert_when_it_is_removed() {
    let folder = Folder::with(&[
        (
            "site.toml",
            "title = \"The Dispatch\"\ntimezone = \"Europe/Berlin\"\nlogo = \"images/logo.png\"\nnavigation = [{ label = \"Home\", url = \"/\" }]\n",
        ),
        ("images/logo.png", "png"),
    ]);
    let mut site = ReconciledSite::from(&folder);
    let settings = site.get("settings/")["settings"].clone();
    assert_eq!(settings["title"], "The Dispatch");
    assert_eq!(settings["timezone"], "Europe/Berlin");
    assert_eq!(
        settings["logo"],
        "https://example.com/content/images/logo.png"
    );
    assert_eq!(settings["navigation"][0]["label"], "Home");
    folder.remove("site.toml");
    site.run();
    assert_eq!(site.get("settings/")["settings"]["timezone"], "Etc/UTC");
}
