//! Tests of imports of each generator's project layout.

use std::collections::BTreeMap;

use galley::{config::Config, progress::NoProgress};

use super::*;

#[test]
fn hugo_project_is_imported() {
    let migration = Migration::of(&[
        ("hugo.toml", "title = 'Harbour'\n"),
        ("README.md", "# How to build\n"),
        (
            "themes/tide/exampleSite/content/posts/theirs.md",
            "+++\ntitle = 'Theirs'\n+++\n",
        ),
        ("archetypes/default.md", "---\ntitle: '{{ .Name }}'\n---\n"),
        ("content/_index.md", "---\ntitle: Home\n---\n"),
        (
            "content/about.md",
            "---\ntitle: About us\ndate: 2020-01-01\n---\nWho we are.\n",
        ),
        (
            "content/posts/night-ferry/index.md",
            "+++\ntitle = 'Night ferry'\ndate = 2024-05-01T10:00:00Z\nlastmod = 2024-05-02\ntags = ['Sea']\n\
             categories = ['Travel']\nauthor = 'Ada Lovelace'\ncover = { image = 'deck.jpg', alt = 'The deck' }\n+++\n\
             We left. <!--more-->\n\n![Quay](/img/quay%20side.png)\n\n[Knots]({{< ref \"knots.md#bowline\" >}})\n",
        ),
        ("content/posts/night-ferry/deck.jpg", "deck"),
        ("content/posts/night-ferry/notes.md", "Part of the page.\n"),
        (
            "content/posts/knots.md",
            "{\n  \"title\": \"Knots\",\n  \"date\": \"2024-04-01\"\n}\n\nSee the [ferry](../night-ferry/), [here](/posts/night-ferry/).\n\n{{< gallery >}}\n",
        ),
        (
            "content/posts/later.md",
            "---\ntitle: Later\ndate: 2999-01-01\n---\nSoon.\n",
        ),
        (
            "content/posts/unfinished.md",
            "---\ntitle: Unfinished\ndate: 2024-01-01\ndraft: true\n---\nHm.\n",
        ),
        ("static/img/quay side.png", "quay"),
        ("static/img/unused.png", "unused"),
        ("public/posts/knots/index.html", "<p>Built.</p>"),
    ]);

    let report = migration.import();

    assert_eq!(
        migration.slugs(PostKind::Post),
        ["knots", "later", "night-ferry", "unfinished"]
    );
    assert_eq!(migration.slugs(PostKind::Page), ["about"]);
    let ferry = migration.post("night-ferry");
    assert_eq!(&*ferry.title, "Night ferry");
    assert_eq!(ferry.status, Status::Published);
    assert_eq!(ferry.published_at, Some(time("2024-05-01T10:00:00Z")));
    assert_eq!(ferry.updated_at, time("2024-05-02T00:00:00Z"));
    assert_eq!(ferry.origin.path(), None);
    assert_eq!(migration.tags("night-ferry"), ["Travel", "Sea"]);
    assert_eq!(migration.authors("night-ferry"), ["Ada Lovelace"]);
    assert_eq!(
        ferry.feature_image.as_deref(),
        Some("__GHOST_URL__/content/images/posts/night-ferry/deck.jpg")
    );
    let html = migration.html("night-ferry");
    assert!(
        html.contains("__GHOST_URL__/content/images/quay%20side.png"),
        "{html}"
    );
    assert!(
        html.contains("href=\"__GHOST_URL__/knots/#bowline\""),
        "{html}"
    );
    assert!(!html.contains("more--"), "{html}");
    assert_eq!(migration.post("later").status, Status::Scheduled);
    assert_eq!(migration.post("unfinished").status, Status::Draft);
    let html = migration.html("knots");
    assert_eq!(
        html.matches("href=\"__GHOST_URL__/night-ferry/\"").count(),
        2,
        "{html}"
    );
    assert_eq!(migration.uploaded("images/quay side.png"), "quay");
    assert_eq!(
        migration.uploaded("images/posts/night-ferry/deck.jpg"),
        "deck"
    );
    assert!(!migration.data().join("images/unused.png").exists());
    assert_eq!(
        lines(&report.left_out),
        [
            "content/posts/night-ferry/notes.md: it belongs to the page of its folder",
            "content/_index.md: it is a list page, which a theme renders",
        ]
    );
    assert_eq!(
        lines(&report.changed),
        ["content/posts/knots.md:8: the shortcode `gallery` is not known and is left out"]
    );
    assert_eq!(count(&report, "posts"), (4, 0, 0));
    assert_eq!(count(&report, "pages"), (1, 0, 0));
    assert_eq!(count(&report, "tags"), (2, 0, 0));
}

#[test]
fn jekyll_project_is_imported() {
    let migration = Migration::of(&[
        ("_config.yml", "title: Harbour\n"),
        ("README.md", "# How to build\n"),
        ("Gemfile", "gem 'jekyll'\n"),
        ("index.md", "---\nlayout: home\n---\n"),
        (
            "about.md",
            "---\nlayout: page\ntitle: About\ndate: 2014-01-01\npermalink: /about-us/\n---\nWho.\n",
        ),
        (
            "_posts/2015-03-05-night-ferry.markdown",
            "---\nlayout: post\ncategories: travel sea\ntags: [\"two words\"]\n---\n# Night ferry\n\n\
             See [the light]({% post_url 2015-04-01-lighthouse %}) and [old]({{ site.baseurl }}/2015/04/01/lighthouse.html).\n\n\
             ![Quay]({{ \"/assets/img/quay.png\" | relative_url }}){: .wide}\n{: .center}\n\n\
             {% highlight ruby %}\nputs 1\n{% endhighlight %}\n\n{% include map.html %}\n",
        ),
        (
            "_posts/2015-04-01-lighthouse.md",
            "---\ntitle: The lighthouse\n---\nIt blinks.\n",
        ),
        ("_drafts/knots.md", "---\ntitle: Knots\n---\nSoon.\n"),
        ("_site/about.md", "built"),
        ("assets/img/quay.png", "quay"),
    ]);

    let report = migration.import();

    assert_eq!(
        migration.slugs(PostKind::Post),
        ["knots", "lighthouse", "night-ferry"]
    );
    assert_eq!(migration.slugs(PostKind::Page), ["about-us"]);
    let ferry = migration.post("night-ferry");
    assert_eq!(&*ferry.title, "Night ferry");
    assert_eq!(ferry.published_at, Some(time("2015-03-05T00:00:00Z")));
    assert_eq!(
        migration.tags("night-ferry"),
        ["travel", "sea", "two words"]
    );
    let html = migration.html("night-ferry");
    assert!(!html.contains("<h1"), "{html}");
    assert_eq!(
        html.matches("href=\"__GHOST_URL__/lighthouse/\"").count(),
        2,
        "{html}"
    );
    assert!(
        html.contains("__GHOST_URL__/content/images/quay.png"),
        "{html}"
    );
    assert!(!html.contains(".wide"), "{html}");
    assert!(
        html.contains("<code class=\"language-ruby\">puts 1"),
        "{html}"
    );
    assert_eq!(migration.post("knots").status, Status::Draft);
    assert_eq!(
        lines(&report.left_out),
        ["index.md: it is a list page, which a theme renders"]
    );
    assert_eq!(
        lines(&report.changed),
        [
            "_posts/2015-03-05-night-ferry.markdown:17: the include `map.html` is not known and is left out",
        ]
    );
}

#[test]
fn eleventy_project_is_imported() {
    let migration = Migration::of(&[
        ("eleventy.config.js", "export default {}\n"),
        ("content/index.njk", "{% for post in posts %}"),
        (
            "content/about/index.md",
            "---\ntitle: About\ndate: 2023-01-01\n---\nWho.\n",
        ),
        ("content/blog/index.md", "---\ntitle: All\n---\n"),
        (
            "content/blog/night-ferry/night-ferry.md",
            "---\ntitle: Night ferry\ndate: 2023-05-06\ntags: [posts, sea]\n---\n![Deck](./deck.jpg) ![Quay](/img/quay.png)\n",
        ),
        ("content/blog/night-ferry/deck.jpg", "deck"),
        ("public/img/quay.png", "quay"),
        ("node_modules/x/readme.md", "# x"),
        ("_includes/base.md", "{{ content }}"),
    ]);

    let report = migration.import();

    assert_eq!(migration.slugs(PostKind::Post), ["night-ferry"]);
    assert_eq!(migration.slugs(PostKind::Page), ["about"]);
    assert_eq!(migration.tags("night-ferry"), ["sea"]);
    let html = migration.html("night-ferry");
    assert!(
        html.contains("/content/images/blog/night-ferry/deck.jpg"),
        "{html}"
    );
    assert!(html.contains("/content/images/quay.png"), "{html}");
    assert_eq!(
        lines(&report.left_out),
        [
            "content/index.njk: it is a template of Eleventy",
            "content/blog/index.md: it is a list page, which a theme renders",
        ]
    );
}

#[test]
fn astro_project_is_imported() {
    let migration = Migration::of(&[
        ("astro.config.mjs", "export default {}\n"),
        ("src/content/config.ts", "export const collections = {}\n"),
        ("src/pages/index.astro", "---\n---\n"),
        (
            "src/pages/about.md",
            "---\ntitle: About\npubDate: 2022-01-01\n---\nWho.\n",
        ),
        (
            "src/content/blog/night-ferry.mdx",
            "---\ntitle: 'Night ferry'\ndescription: 'A crossing'\npubDate: 'Jul 08 2022'\nheroImage: '../../assets/deck.jpg'\n---\n\
             import { Image } from 'astro:assets';\nimport quay from '@/assets/quay.png';\nimport Rope from '../../components/Rope.astro';\n\n\
             <Rope>Mind the **gap**.</Rope>\n\n<Image src={quay} alt=\"The quay\" />\n\n[Knots](/blog/knots/)\n",
        ),
        (
            "src/content/blog/knots.md",
            "---\ntitle: Knots\npubDate: 2022-07-09\n---\n![Icon](/icon.svg)\n",
        ),
        ("src/assets/deck.jpg", "deck"),
        ("src/assets/quay.png", "quay"),
        ("public/icon.svg", "<svg/>"),
        ("dist/about.md", "built"),
    ]);

    let report = migration.import();

    assert_eq!(migration.slugs(PostKind::Post), ["knots", "night-ferry"]);
    assert_eq!(migration.slugs(PostKind::Page), ["about"]);
    let ferry = migration.post("night-ferry");
    assert_eq!(ferry.published_at, Some(time("2022-07-08T00:00:00Z")));
    assert_eq!(ferry.custom_excerpt.as_deref(), Some("A crossing"));
    assert_eq!(
        ferry.feature_image.as_deref(),
        Some("__GHOST_URL__/content/images/deck.jpg")
    );
    let html = migration.html("night-ferry");
    assert!(html.contains("/content/images/quay.png"), "{html}");
    assert!(html.contains("<strong>gap</strong>"), "{html}");
    assert!(html.contains("href=\"__GHOST_URL__/knots/\""), "{html}");
    assert_eq!(migration.uploaded("images/icon.svg"), "<svg/>");
    assert_eq!(
        lines(&report.changed),
        [
            "src/content/blog/night-ferry.mdx:11: the component `Rope` is not known; its content stays",
        ]
    );
}

#[test]
fn galley_content_folder_is_imported() {
    let migration = Migration::of(&[
        ("site.toml", "title = 'Harbour'\n"),
        (
            "authors/ada.toml",
            "name = 'Ada'\nprofile_image = '../images/ada.png'\n",
        ),
        (
            "tags/letters.toml",
            "name = 'Letters'\ndescription = 'By post'\n",
        ),
        (
            "tiers/gold.toml",
            "name = 'Gold'\nmonthly_price = 700\nyearly_price = 7000\ncurrency = 'eur'\n",
        ),
        (
            "posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2025-01-01\nauthors: [ada]\ntags: [letters]\ntiers: [gold]\n---\nIn.\n",
        ),
        (
            "posts/lost.md",
            "---\ntitle: Lost\ndate: 2025-01-01\ntiers: [platinum]\n---\nIn.\n",
        ),
        (
            "pages/about.md",
            "---\ntitle: About\ndate: 2025-01-01\n---\nWho.\n",
        ),
        ("images/ada.png", "ada"),
    ]);

    let report = migration.import();

    let snapshot = migration.site.current();
    let ada = snapshot.catalog.users.by_slug("ada").unwrap();
    assert_eq!(
        ada.profile_image.as_deref(),
        Some("__GHOST_URL__/content/images/ada.png")
    );
    assert_eq!(ada.origin.path(), None);
    let tag = snapshot.catalog.tags.by_slug("letters").unwrap();
    assert_eq!(tag.description.as_deref(), Some("By post"));
    let gold = snapshot.catalog.tiers.by_slug("gold").unwrap().id;
    assert_eq!(migration.post("ferry").tiers, [gold]);
    assert_eq!(migration.authors("ferry"), ["Ada"]);
    assert_eq!(migration.uploaded("images/ada.png"), "ada");
    assert_eq!(
        lines(&report.left_out),
        [
            "site.toml: settings of the site are not imported",
            "posts/lost.md:4: there is no tier \"platinum\"",
        ]
    );
    assert_eq!(migration.slugs(PostKind::Page), ["about"]);
}

#[test]
fn plain_folder_is_imported() {
    let migration = Migration::of(&[
        ("readme.md", "# About this folder\n"),
        ("LICENSE.md", "MIT\n"),
        ("2024-02-03-with-a-date.md", "Just text.\n"),
        ("night_ferry.md", "# The *night* ferry\n\nWe left.\n"),
        ("deep/er/Knots.md", "---\ntags: [Rope]\n---\nA bowline.\n"),
        ("pages/about.md", "Who we are.\n"),
        (".hidden/notes.md", "hidden"),
        ("notes.txt", "no Markdown"),
    ]);

    let report = migration.import();

    assert_eq!(migration.slugs(PostKind::Post), ["with-a-date"]);
    assert_eq!(
        migration.slugs(PostKind::Page),
        ["about", "deep-er-knots", "night_ferry"]
    );
    let title = |slug: &str| migration.post(slug).title.to_string();
    assert_eq!(title("night_ferry"), "The night ferry");
    assert_eq!(title("deep-er-knots"), "Knots");
    assert_eq!(title("with-a-date"), "With a date");
    assert_eq!(title("about"), "About");
    assert_eq!(migration.html("night_ferry").trim(), "<p>We left.</p>");
    assert_eq!(migration.tags("deep-er-knots"), ["Rope"]);
    let dated = migration.post("with-a-date");
    assert_eq!(dated.published_at, Some(time("2024-02-03T00:00:00Z")));
    // A page has no date, as when the folder is served.
    let undated = migration.post("deep-er-knots").published_at;
    assert_eq!(undated, Some(time("1970-01-01T00:00:00Z")));
    assert!(report.left_out.is_empty());
    assert!(report.changed.is_empty());
}

#[test]
fn post_without_a_date_is_sorted_last_as_in_a_served_folder() {
    let migration = Migration::of(&[
        ("hugo.toml", ""),
        ("content/posts/knots.md", "---\ntitle: Knots\n---\nRope.\n"),
        (
            "content/posts/ferry.md",
            "---\ntitle: The ferry\ndate: 2024-01-02\n---\nGone.\n",
        ),
    ]);

    let report = migration.import();

    let undated = migration.post("knots").published_at;
    assert_eq!(undated, Some(time("1970-01-01T00:00:00Z")));
    let changed = format!("{:?}", report.changed);
    assert!(
        changed.contains("this post has no date and is sorted after all others"),
        "{changed}"
    );
}

#[test]
fn folder_within_a_project_imports_its_documents_with_the_projects_images() {
    let migration = Migration::of(&[
        ("hugo.toml", ""),
        ("content/about.md", "---\ntitle: About\n---\n"),
        (
            "content/posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2024-01-01\n---\n![Quay](/img/quay.png)\n",
        ),
        ("static/img/quay.png", "quay"),
    ]);

    let report = migration.import_part("content/posts");

    assert!(is_clean(&report), "{report:?}");
    assert_eq!(migration.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(migration.slugs(PostKind::Page), [""; 0]);
    assert_eq!(migration.uploaded("images/quay.png"), "quay");
    assert_eq!(count(&migration.import(), "posts"), (0, 0, 1));
}

#[test]
fn galley_toml_of_the_folder_applies() {
    let settings = "[content_files]\nposts = ['journal/**']\nignore = ['journal/old/**']\n";
    let migration = Migration::of(&[
        ("galley.toml", settings),
        ("hugo.toml", ""),
        (
            "journal/ferry.md",
            "---\ntitle: Ferry\ndate: 2026-01-02\n---\nText.\n",
        ),
        (
            "journal/old/fog.md",
            "---\ntitle: Fog\ndate: 2026-01-02\n---\nText.\n",
        ),
    ]);
    let config = Config::read(&BTreeMap::new(), None).unwrap();
    let options = Options {
        content_files: config.content_files_of(&migration.project()).unwrap(),
        ..migration.options(false)
    };
    let source = ImportSource::at(&migration.project()).unwrap();
    import(&migration.site, &source, &options, &NoProgress).unwrap();
    assert_eq!(migration.slugs(PostKind::Post), ["ferry"]);
}
