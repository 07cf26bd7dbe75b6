//! Folders of Markdown: what each generator keeps where, and what becomes of it here.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use galley::{
    clock::ManualClock,
    domain::{
        post::{Post, PostKind, Status},
        tag::Tag,
    },
    error::{Error, Kind},
    id::Id,
    import::{Count, Given, Notes, Options, Progress, Report, import},
    site::Site,
    store::memory::MemoryStore,
};
use jiff::Timestamp;
use tempfile::TempDir;
use url::Url;

const NOW: &str = "2025-06-01T12:00:00Z";

struct Silent;

impl Progress for Silent {
    fn advance(&self, _done: u64, _total: u64) {}
}

/// A project of some generator, and the publication to which it comes.
struct Move {
    folder: TempDir,
    site: Site,
    clock: Arc<ManualClock>,
}

impl Move {
    /// A project with these files: path and content each.
    fn of(files: &[(&str, &str)]) -> Self {
        let clock = Arc::new(ManualClock::new(NOW.parse().unwrap()));
        let moved = Self {
            site: Site::open(Box::new(MemoryStore::new()), clock.clone()).unwrap(),
            folder: tempfile::tempdir().unwrap(),
            clock,
        };
        fs::create_dir(moved.project()).unwrap();
        fs::create_dir(moved.data()).unwrap();
        for (path, content) in files {
            moved.write(path, content);
        }
        moved
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn write(&self, path: &str, content: &str) {
        write(&self.project().join(path), content);
    }

    fn try_import(&self, folder: &Path) -> Result<Report, Error> {
        let given = Given::at(folder)?;
        import(&self.site, &given, &self.options(false), &Silent)
    }

    fn options(&self, dry_run: bool) -> Options {
        Options {
            site: Url::parse("https://harbour.example/").unwrap(),
            data: self.data(),
            dry_run,
            actor: galley::domain::actor::Actor::Operator,
        }
    }

    fn import(&self) -> Report {
        self.try_import(&self.project()).unwrap()
    }

    fn import_part(&self, path: &str) -> Report {
        self.try_import(&self.project().join(path)).unwrap()
    }

    fn post(&self, slug: &str) -> Post {
        let edition = self.site.current();
        let found = edition.catalog.posts.by_slug(slug);
        let found = found.unwrap_or_else(|| panic!("there is no post \"{slug}\""));
        Post::clone(found)
    }

    fn html(&self, slug: &str) -> String {
        let edition = self.site.current();
        let id = self.post(slug).id;
        let bodies = edition.bodies([id].into_iter()).unwrap();
        bodies[0].clone().unwrap_or_default()
    }

    /// The slugs of all posts and pages, in the order of the alphabet.
    fn slugs(&self, kind: PostKind) -> Vec<String> {
        let edition = self.site.current();
        let posts = edition.catalog.posts.iter();
        let mut slugs: Vec<String> = posts
            .filter(|post| post.kind == kind)
            .map(|post| post.slug.to_string())
            .collect();
        slugs.sort();
        slugs
    }

    fn tags(&self, slug: &str) -> Vec<String> {
        let edition = self.site.current();
        let name = |id: &Id| edition.catalog.tags.get(*id).unwrap().name.to_string();
        self.post(slug).tags.iter().map(name).collect()
    }

    fn authors(&self, slug: &str) -> Vec<String> {
        let edition = self.site.current();
        let name = |id: &Id| edition.catalog.users.get(*id).unwrap().name.to_string();
        self.post(slug).authors.iter().map(name).collect()
    }

    fn revision(&self) -> u64 {
        self.site.current().catalog.revision
    }

    /// The content of a file that was copied.
    fn uploaded(&self, path: &str) -> String {
        fs::read_to_string(self.data().join(path)).unwrap_or_else(|_| panic!("{path} is not there"))
    }
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// The notes as `subject: text`.
fn lines(notes: &Notes) -> Vec<String> {
    let line = |note: &galley::import::Note| format!("{}: {}", note.subject, note.text);
    notes.notes.iter().map(line).collect()
}

fn count(report: &Report, kind: &str) -> (usize, usize, usize) {
    let Count {
        added,
        updated,
        unchanged,
    } = report.counts.get(kind).copied().unwrap_or_default();
    (added, updated, unchanged)
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn is_clean(report: &Report) -> bool {
    report.changed.is_empty() && report.left_out.is_empty()
}

#[test]
fn a_project_of_hugo() {
    let moved = Move::of(&[
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

    let report = moved.import();

    assert_eq!(
        moved.slugs(PostKind::Post),
        ["knots", "later", "night-ferry", "unfinished"]
    );
    assert_eq!(moved.slugs(PostKind::Page), ["about"]);
    let ferry = moved.post("night-ferry");
    assert_eq!(&*ferry.title, "Night ferry");
    assert_eq!(ferry.status, Status::Published);
    assert_eq!(ferry.published_at, Some(time("2024-05-01T10:00:00Z")));
    assert_eq!(ferry.updated_at, time("2024-05-02T00:00:00Z"));
    assert_eq!(ferry.source, None);
    assert_eq!(moved.tags("night-ferry"), ["Travel", "Sea"]);
    assert_eq!(moved.authors("night-ferry"), ["Ada Lovelace"]);
    assert_eq!(
        ferry.feature_image.as_deref(),
        Some("__GHOST_URL__/content/images/posts/night-ferry/deck.jpg")
    );
    let html = moved.html("night-ferry");
    assert!(
        html.contains("__GHOST_URL__/content/images/quay%20side.png"),
        "{html}"
    );
    assert!(
        html.contains("href=\"__GHOST_URL__/knots/#bowline\""),
        "{html}"
    );
    assert!(!html.contains("more--"), "{html}");
    assert_eq!(moved.post("later").status, Status::Scheduled);
    assert_eq!(moved.post("unfinished").status, Status::Draft);
    let html = moved.html("knots");
    assert_eq!(
        html.matches("href=\"__GHOST_URL__/night-ferry/\"").count(),
        2,
        "{html}"
    );
    assert_eq!(moved.uploaded("images/quay side.png"), "quay");
    assert_eq!(moved.uploaded("images/posts/night-ferry/deck.jpg"), "deck");
    assert!(!moved.data().join("images/unused.png").exists());
    assert_eq!(
        lines(&report.left_out),
        [
            "content/_index.md: it is the page of a list, which a theme makes",
            "content/posts/night-ferry/notes.md: it belongs to the page whose folder it lies in",
        ]
    );
    assert_eq!(
        lines(&report.changed),
        ["content/posts/knots.md:8: `gallery` is not worked out"]
    );
    assert_eq!(count(&report, "posts"), (4, 0, 0));
    assert_eq!(count(&report, "pages"), (1, 0, 0));
    assert_eq!(count(&report, "tags"), (2, 0, 0));
}

#[test]
fn a_project_of_jekyll() {
    let moved = Move::of(&[
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
        ("_includes/map.html", "<div></div>"),
        ("_site/about.md", "built"),
        ("assets/img/quay.png", "quay"),
    ]);

    let report = moved.import();

    assert_eq!(
        moved.slugs(PostKind::Post),
        ["knots", "lighthouse", "night-ferry"]
    );
    assert_eq!(moved.slugs(PostKind::Page), ["about-us"]);
    let ferry = moved.post("night-ferry");
    assert_eq!(&*ferry.title, "Night ferry");
    assert_eq!(ferry.published_at, Some(time("2015-03-05T00:00:00Z")));
    assert_eq!(moved.tags("night-ferry"), ["travel", "sea", "two words"]);
    let html = moved.html("night-ferry");
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
    assert_eq!(moved.post("knots").status, Status::Draft);
    assert_eq!(
        lines(&report.left_out),
        ["index.md: it is the page of a list, which a theme makes"]
    );
    assert_eq!(
        lines(&report.changed),
        [
            "_posts/2015-03-05-night-ferry.markdown:10: the attributes `{: .wide}` are not taken",
            "_posts/2015-03-05-night-ferry.markdown:11: the attributes `{: .center}` are not taken",
            "_posts/2015-03-05-night-ferry.markdown:17: `include map.html` is not worked out",
        ]
    );
}

#[test]
fn a_project_of_eleventy() {
    let moved = Move::of(&[
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

    let report = moved.import();

    assert_eq!(moved.slugs(PostKind::Post), ["night-ferry"]);
    assert_eq!(moved.slugs(PostKind::Page), ["about"]);
    assert_eq!(moved.tags("night-ferry"), ["sea"]);
    let html = moved.html("night-ferry");
    assert!(
        html.contains("/content/images/blog/night-ferry/deck.jpg"),
        "{html}"
    );
    assert!(html.contains("/content/images/quay.png"), "{html}");
    assert_eq!(
        lines(&report.left_out),
        ["content/blog/index.md: it is the page of a list, which a theme makes"]
    );
}

#[test]
fn a_project_of_astro() {
    let moved = Move::of(&[
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
             import { Image } from 'astro:assets';\nimport quay from '@/assets/quay.png';\nimport Note from '../../components/Note.astro';\n\n\
             <Note>Mind the **gap**.</Note>\n\n<Image src={quay} alt=\"The quay\" />\n\n[Knots](/blog/knots/)\n",
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

    let report = moved.import();

    assert_eq!(moved.slugs(PostKind::Post), ["knots", "night-ferry"]);
    assert_eq!(moved.slugs(PostKind::Page), ["about"]);
    let ferry = moved.post("night-ferry");
    assert_eq!(ferry.published_at, Some(time("2022-07-08T00:00:00Z")));
    assert_eq!(ferry.custom_excerpt.as_deref(), Some("A crossing"));
    assert_eq!(
        ferry.feature_image.as_deref(),
        Some("__GHOST_URL__/content/images/deck.jpg")
    );
    let html = moved.html("night-ferry");
    assert!(html.contains("/content/images/quay.png"), "{html}");
    assert!(html.contains("<strong>gap</strong>"), "{html}");
    assert!(html.contains("href=\"__GHOST_URL__/knots/\""), "{html}");
    assert_eq!(moved.uploaded("images/icon.svg"), "<svg/>");
    assert_eq!(
        lines(&report.changed),
        [
            "src/content/blog/night-ferry.mdx:7: `import { Image } from 'astro:assets';` is not taken",
            "src/content/blog/night-ferry.mdx:9: `import Note from '../../components/Note.astro';` is not taken",
            "src/content/blog/night-ferry.mdx:11: the component `Note` is not taken",
        ]
    );
}

#[test]
fn a_content_folder_of_galleys() {
    let moved = Move::of(&[
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

    let report = moved.import();

    let edition = moved.site.current();
    let ada = edition.catalog.users.by_slug("ada").unwrap();
    assert_eq!(
        ada.profile_image.as_deref(),
        Some("__GHOST_URL__/content/images/ada.png")
    );
    assert_eq!(ada.source, None);
    let letters = edition.catalog.tags.by_slug("letters").unwrap();
    assert_eq!(letters.description.as_deref(), Some("By post"));
    let gold = edition.catalog.tiers.by_slug("gold").unwrap().id;
    assert_eq!(moved.post("ferry").tiers, [gold]);
    assert_eq!(moved.authors("ferry"), ["Ada"]);
    assert_eq!(moved.uploaded("images/ada.png"), "ada");
    assert_eq!(
        lines(&report.left_out),
        [
            "site.toml: settings of the site are not imported",
            "posts/lost.md:4: there is no tier \"platinum\"",
        ]
    );
    assert_eq!(moved.slugs(PostKind::Page), ["about"]);
}

#[test]
fn a_plain_folder() {
    let moved = Move::of(&[
        ("readme.md", "# About this folder\n"),
        ("LICENSE.md", "MIT\n"),
        ("2024-02-03-with-a-date.md", "Just text.\n"),
        ("night_ferry.md", "# The *night* ferry\n\nWe left.\n"),
        ("deep/er/Knots.md", "---\ntags: [Rope]\n---\nA bowline.\n"),
        ("pages/about.md", "Who we are.\n"),
        (".obsidian/notes.md", "hidden"),
        ("notes.txt", "no Markdown"),
    ]);

    let report = moved.import();

    assert_eq!(
        moved.slugs(PostKind::Post),
        ["knots", "night_ferry", "with-a-date"]
    );
    assert_eq!(moved.slugs(PostKind::Page), ["about"]);
    let title = |slug: &str| moved.post(slug).title.to_string();
    assert_eq!(title("night_ferry"), "The night ferry");
    assert_eq!(title("knots"), "Knots");
    assert_eq!(title("with-a-date"), "With a date");
    assert_eq!(title("about"), "About");
    assert_eq!(moved.html("night_ferry").trim(), "<p>We left.</p>");
    assert_eq!(moved.tags("knots"), ["Rope"]);
    let dated = moved.post("with-a-date");
    assert_eq!(dated.published_at, Some(time("2024-02-03T00:00:00Z")));
    assert!(moved.post("knots").published_at > Some(time("2024-01-01T00:00:00Z")));
    assert!(report.left_out.is_empty());
    assert_eq!(
        lines(&report.changed),
        [
            "deep/er/Knots.md: it has no date; the time when the file was last written stands instead",
            "night_ferry.md: it has no date; the time when the file was last written stands instead",
        ]
    );
}

#[test]
fn a_folder_within_a_project_brings_its_texts_and_the_projects_pictures() {
    let moved = Move::of(&[
        ("hugo.toml", ""),
        ("content/about.md", "---\ntitle: About\n---\n"),
        (
            "content/posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2024-01-01\n---\n![Quay](/img/quay.png)\n",
        ),
        ("static/img/quay.png", "quay"),
    ]);

    let report = moved.import_part("content/posts");

    assert!(is_clean(&report), "{report:?}");
    assert_eq!(moved.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(moved.slugs(PostKind::Page), [""; 0]);
    assert_eq!(moved.uploaded("images/quay.png"), "quay");
    assert_eq!(count(&moved.import(), "posts"), (0, 0, 1));
}

/// A plain folder with two posts.
fn two_posts() -> Move {
    Move::of(&[
        (
            "ferry.md",
            "---\ntitle: Ferry\ndate: 2024-01-01\ntags: [Sea]\n---\n![Deck](deck.jpg)\n",
        ),
        ("knots.md", "---\ntitle: Knots\n---\nRope.\n"),
        ("deck.jpg", "deck"),
    ])
}

#[test]
fn doing_it_again_changes_nothing() {
    let moved = two_posts();
    moved.import();
    let revision = moved.revision();
    moved.clock.set(time("2025-07-01T00:00:00Z"));

    let report = moved.import();

    assert_eq!(count(&report, "posts"), (0, 0, 2));
    assert_eq!(moved.revision(), revision);
}

#[test]
fn a_file_that_changed_changes_its_post_and_no_other() {
    let moved = two_posts();
    moved.import();
    let before = moved.post("knots");
    moved.write(
        "ferry.md",
        "---\ntitle: The ferry\ndate: 2024-01-02\n---\nGone.\n",
    );
    // Not even an undated post moves when its file is only touched.
    moved.write("knots.md", "---\ntitle: Knots\n---\nRope.\n");

    let report = moved.import();

    assert_eq!(count(&report, "posts"), (0, 1, 1));
    let ferry = moved.post("ferry");
    assert_eq!(&*ferry.title, "The ferry");
    assert_eq!(ferry.published_at, Some(time("2024-01-02T00:00:00Z")));
    assert_eq!(moved.html("ferry").trim(), "<p>Gone.</p>");
    assert_eq!(moved.post("knots"), before);
}

#[test]
fn a_post_that_was_edited_stays_and_that_is_told_when_its_file_changes() {
    let moved = two_posts();
    moved.import();
    let edited = Post {
        title: "Edited here".into(),
        ..moved.post("ferry")
    };
    moved
        .site
        .write(|change| {
            let (html, lexical) = change.body(edited.id)?;
            let body = galley::domain::post::Body::new(html.unwrap(), false, false);
            change.save_post(edited.clone(), body.with_lexical(lexical.unwrap()))
        })
        .unwrap();

    let unchanged_file = moved.import();
    moved.write(
        "ferry.md",
        "---\ntitle: Changed there\ndate: 2024-01-01\n---\nGone.\n",
    );
    let changed_file = moved.import();

    assert!(
        !lines(&unchanged_file.changed)
            .iter()
            .any(|line| line.contains("ferry"))
    );
    assert_eq!(count(&changed_file, "posts"), (0, 0, 2));
    assert!(lines(&changed_file.changed).contains(
        &"ferry.md: the file has changed, but so has the post \"ferry\"; the post stays as it is".to_owned()
    ));
    assert_eq!(&*moved.post("ferry").title, "Edited here");
}

#[test]
fn a_post_that_was_deleted_comes_back() {
    let moved = two_posts();
    moved.import();
    let ferry = moved.post("ferry").id;
    moved
        .site
        .write(|change| change.delete_post(ferry))
        .unwrap();

    assert_eq!(count(&moved.import(), "posts"), (1, 0, 1));
}

#[test]
fn a_scheduled_post_that_came_out_meanwhile_counts_as_unchanged() {
    let moved = Move::of(&[("a.md", "---\ntitle: A\ndate: 2025-06-10\n---\nText.\n")]);
    moved.import();
    assert_eq!(moved.post("a").status, Status::Scheduled);
    moved.clock.set(time("2025-06-11T00:00:00Z"));
    moved.site.write(|change| change.publish_due()).unwrap();

    moved.write("a.md", "---\ntitle: B\ndate: 2025-06-10\n---\nText.\n");

    assert_eq!(count(&moved.import(), "posts"), (0, 1, 0));
}

#[test]
fn slugs_that_are_taken_get_numbers_and_nobodys_post_is_overwritten() {
    let first = two_posts();
    first.import();
    let theirs = first.post("ferry");
    // Another project with a text of the same name.
    let other = first.folder.path().join("other");
    write(
        &other.join("ferry.md"),
        "---\ntitle: Another\ndate: 2020-01-01\n---\nText.\n",
    );
    write(
        &other.join("b/ferry.md"),
        "---\ntitle: Third\ndate: 2020-01-01\n---\nText.\n",
    );

    let report = first.try_import(&other).unwrap();

    assert_eq!(count(&report, "posts"), (2, 0, 0));
    assert_eq!(first.post("ferry"), theirs);
    assert_eq!(&*first.post("ferry-2").title, "Third");
    assert_eq!(&*first.post("ferry-3").title, "Another");
    assert_eq!(
        lines(&report.changed),
        [
            "b/ferry.md: the slug \"ferry\" is taken; it has \"ferry-2\"",
            "ferry.md: the slug \"ferry\" is taken; it has \"ferry-3\"",
        ]
    );
    assert_eq!(
        count(&first.try_import(&other).unwrap(), "posts"),
        (0, 0, 2)
    );
}

#[test]
fn a_project_that_has_moved_is_known_again() {
    let moved = two_posts();
    moved.import();
    let elsewhere = moved.folder.path().join("elsewhere");
    fs::rename(moved.project(), &elsewhere).unwrap();

    let report = moved.try_import(&elsewhere).unwrap();

    assert_eq!(count(&report, "posts"), (0, 0, 2));
}

#[test]
fn a_file_that_cannot_be_read_is_left_out_and_the_rest_comes_in() {
    let moved = Move::of(&[
        ("a.md", "---\ntitle: [A\n---\nText.\n"),
        ("b.md", "---\ntitle: B\nno end\n"),
        (
            "c.md",
            "---\ntitle: C\ndate: 2024-01-01\ndrft: true\nfeatured: maybe\n---\nText.\n",
        ),
    ]);
    fs::write(moved.project().join("d.md"), b"---\ntitle: Ren\xe9\n---\n").unwrap();

    let report = moved.import();

    assert_eq!(moved.slugs(PostKind::Post), ["c"]);
    let left_out = lines(&report.left_out);
    assert_eq!(left_out.len(), 3);
    assert!(left_out[0].starts_with("a.md:"), "{left_out:?}");
    assert_eq!(left_out[1], "b.md:1: the front matter is not closed");
    assert_eq!(
        left_out[2],
        "d.md:2: the file is not UTF-8: byte 0xE9 does not fit"
    );
    assert_eq!(
        lines(&report.changed),
        [
            "c.md:4: the key `drft` is unknown",
            "c.md:5: `featured` is text, but true or false is wanted",
        ]
    );
}

#[test]
fn texts_that_are_too_long_for_their_fields_are_cut() {
    let long = "é".repeat(400);
    let moved = Move::of(&[(
        "a.md",
        &format!("---\ntitle: {long}\ndescription: {long}\ndate: 2024-01-01\n---\nText.\n"),
    )]);

    let report = moved.import();

    let post = moved.post("a");
    assert_eq!(post.title.chars().count(), 255);
    assert_eq!(post.custom_excerpt.unwrap().chars().count(), 300);
    assert_eq!(
        lines(&report.changed),
        [
            "a.md:2: `title` has 400 characters, but may have 255",
            "a.md:3: `description` has 400 characters, but may have 300",
        ]
    );
}

#[test]
fn pictures_that_are_not_there_are_told_and_others_are_never_replaced() {
    let moved = Move::of(&[
        (
            "a.md",
            "---\ntitle: A\ndate: 2024-01-01\nfeature_image: deck.jpg\n---\n![gone](gone.png) ![out](../../out.png)\n\n\
             ![away](https://other.example/x.png) [paper](paper.pdf) [code](run.sh) ![data](data:image/png;base64,AA)\n",
        ),
        ("deck.jpg", "ours"),
        ("paper.pdf", "paper"),
        ("run.sh", "rm"),
    ]);
    write(&moved.data().join("images/deck.jpg"), "theirs");

    let report = moved.import();

    assert_eq!(
        moved.post("a").feature_image.as_deref(),
        Some("__GHOST_URL__/content/images/deck-2.jpg")
    );
    assert_eq!(moved.uploaded("images/deck.jpg"), "theirs");
    assert_eq!(moved.uploaded("images/deck-2.jpg"), "ours");
    assert_eq!(moved.uploaded("files/paper.pdf"), "paper");
    assert!(!moved.data().join("files/run.sh").exists());
    let html = moved.html("a");
    assert!(
        html.contains("__GHOST_URL__/content/files/paper.pdf"),
        "{html}"
    );
    assert!(html.contains("https://other.example/x.png"), "{html}");
    assert_eq!(
        lines(&report.changed),
        [
            "a.md:6: this leads to gone.png, which is not there",
            "a.md:6: this leads out of the content folder",
            "a.md:8: this leads to run.sh, which cannot be used",
        ]
    );
    assert_eq!(count(&moved.import(), "posts"), (0, 0, 1));
}

#[test]
fn trying_it_copies_nothing() {
    let moved = two_posts();
    let given = Given::at(&moved.project()).unwrap();

    let report = import(&moved.site, &given, &moved.options(true), &Silent).unwrap();

    assert_eq!(count(&report, "posts"), (2, 0, 0));
    assert_eq!(count(&report, "files"), (1, 0, 0));
    assert_eq!(fs::read_dir(moved.data()).unwrap().count(), 0);
    assert_eq!(moved.slugs(PostKind::Post), [""; 0]);
}

#[test]
fn tags_that_were_only_named_by_content_files_stay_for_imported_posts() {
    let moved = two_posts();
    let sea = Tag {
        implied: true,
        ..Tag::new(Id::derive("tag", "sea"), "sea", "The Sea", time(NOW))
    };
    moved.site.write(|change| change.save(sea)).unwrap();

    moved.import();

    let edition = moved.site.current();
    let sea = edition.catalog.tags.by_slug("sea").unwrap();
    assert!(!sea.implied);
    assert_eq!(moved.post("ferry").tags, [sea.id]);
    assert_eq!(edition.catalog.tags.len(), 1);
}

#[test]
fn bodies_are_documents_of_the_editor() {
    let moved = Move::of(&[(
        "a.md",
        "---\ntitle: A\ndate: 2024-01-01\n---\nOne *two* [three](https://harbour.example/x/).\n\n```lexical\n{\"no\": \"node\"}\n```\n",
    )]);

    let report = moved.import();

    assert!(is_clean(&report), "{report:?}");
    let edition = moved.site.current();
    let lexical = edition.lexical(moved.post("a").id).unwrap().unwrap();
    let document: serde_json::Value = serde_json::from_str(&lexical).unwrap();
    let nodes = document["root"]["children"].as_array().unwrap();
    assert_eq!(nodes[0]["type"], "paragraph");
    assert_eq!(nodes[1]["type"], "codeblock");
    assert!(lexical.contains("__GHOST_URL__/x/"), "{lexical}");
    assert!(moved.html("a").contains("href=\"__GHOST_URL__/x/\""));
}

#[test]
fn a_folder_without_texts_and_one_that_is_not_there_are_refused() {
    let moved = Move::of(&[("picture.png", "x"), ("README.md", "# About\n")]);

    let nothing = moved.try_import(&moved.project()).unwrap_err();
    let missing = moved.try_import(Path::new("nowhere/at/all")).unwrap_err();

    assert_eq!(nothing.kind(), Kind::Validation);
    assert!(
        nothing.to_string().contains("holds no texts to import"),
        "{nothing}"
    );
    assert_eq!(missing.kind(), Kind::NotFound);
}

#[test]
fn a_text_without_an_author_is_by_who_came_first() {
    let moved = two_posts();
    let user = |name: &str, day: &str| {
        let slug = name.to_lowercase();
        galley::domain::user::User::new(Id::derive("user", &slug), &slug, name, time(day))
    };
    moved
        .site
        .write(|change| {
            change.save(user("Ada", "2021-01-01T00:00:00Z"))?;
            change.save(user("Zoe", "2020-01-01T00:00:00Z"))
        })
        .unwrap();

    let report = moved.import();

    assert_eq!(moved.authors("ferry"), ["Zoe"]);
    assert_eq!(count(&report, "users"), (0, 0, 0));
}
