//! A small sample site with an example of every case that the Content API distinguishes.
//!
//! Text that is not public contains the word HIDDEN.

use galley_tests::{TestSite, site_builder::SiteBuilder};

/// The public URL of the site.
pub const URL: &str = "https://harbour.example";

/// The slugs of the listed posts in their default order.
pub const POSTS: [&str; 8] = [
    "log-book",
    "sea-chest",
    "tide-tables",
    "knots",
    "first-mark",
    "lighthouse",
    "night-ferry",
    "new-year",
];

/// Starts the sample site at [`URL`].
pub fn site() -> TestSite {
    builder().url(URL).start()
}

/// Returns a builder of the sample site, without a URL.
pub fn builder() -> SiteBuilder {
    let builder = TestSite::builder()
        .file("site.toml", SITE)
        .file("images/logo.png", "not quite a picture");
    let builder = people_and_tags(builder);
    pages(posts(gated_posts(unpublished(builder))))
}

const SITE: &str = r##"
title = "Harbour Notes"
description = "Letters from the quay"
timezone = "Europe/Amsterdam"
logo = "images/logo.png"
icon = "images/logo.png"
twitter = "@harbour"
codeinjection_head = "<link rel=\"me\" href=\"/me/\">"

[[navigation]]
label = "Home"
url = "/"

[[navigation]]
label = "Elsewhere"
url = "https://other.example/"
"##;

fn people_and_tags(builder: SiteBuilder) -> SiteBuilder {
    builder
        .file(
            "authors/ada.toml",
            "name = 'Ada'\nemail = 'HIDDEN-ada@harbour.example'\nbio = 'Writes letters.'\n\
             location = 'Lisbon'\nprofile_image = '../images/logo.png'\nwebsite = 'https://ada.example'\n",
        )
        .file("authors/ben.md", "---\nname: Ben\nemail: hidden-ben@harbour.example\n---\n")
        .file("authors/cleo.toml", "name = 'Cleo has not published'\n")
        .file("authors/dora.toml", "name = 'Dora HIDDEN'\n")
        .file(
            "tags/letters.toml",
            "name = 'Letters'\ndescription = 'What came by post'\naccent_color = '#224466'\n\
             feature_image = '../images/logo.png'\nmeta_title = 'All letters'\n",
        )
        .file("tags/travel.toml", "name = 'Travel'\n")
        .file("tags/unused.toml", "name = 'Unused'\n")
        .file(
            "tiers/gold.toml",
            "name = 'Gold'\nmonthly_price = 700\nyearly_price = 7000\ncurrency = 'EUR'\n\
             benefits = ['A letter by post', 'Our thanks']\ncreated_at = 2024-01-01\n",
        )
        .file("tiers/crew.toml", "name = 'Crew'\nmonthly_price = 1\nyearly_price = 2\ncurrency = 'eur'\nvisibility = 'none'\n")
        .file("tiers/old.toml", "name = 'Old'\nmonthly_price = 1\nyearly_price = 2\ncurrency = 'eur'\nactive = false\n")
        .file("newsletters/weekly.toml", "name = 'Weekly'\nsort_order = 1\n")
        .file("newsletters/ended.toml", "name = 'Ended HIDDEN'\nstatus = 'archived'\n")
}

fn posts(builder: SiteBuilder) -> SiteBuilder {
    builder
        .file(
            "posts/night-ferry/index.md",
            "---\ntitle: Night Ferry\ndate: 2025-01-05 10:00:00\nfeatured: true\ntags: [letters, travel]\n\
             authors: [ada, ben]\nfeature_image: deck.jpg\nfeature_image_alt: The deck\n\
             feature_image_caption: Seen from <a href=\"/lighthouse/\">the light</a>\n\
             custom_excerpt: A crossing\nmeta_title: Crossing at night\nog_image: /content/images/logo.png\n\
             canonical_url: /first/night-ferry/\nemail_subject: Come aboard\n---\n\
             We left at [dusk](../lighthouse.md), see [elsewhere](https://other.example/a?b=1#c).\n\n![Deck](deck.jpg)\n\n"
                .to_owned()
                + &"The engine hummed and the lights of the town went out one by one. ".repeat(60),
        )
        .file("posts/night-ferry/deck.jpg", "a picture of the deck")
        .file(
            "posts/lighthouse.md",
            "---\ntitle: Lighthouse\ndate: 2025-02-01\ntags: ['#note', letters]\nauthors: [ada]\nmeta_title: Light\n---\nIt blinks.\n",
        )
        .file(
            "posts/new-year.md",
            "---\ntitle: new year, 100% _quiet_\ndate: 2024-12-31T23:30:00Z\nauthors: [ada]\n---\nBells.\n",
        )
        .file(
            "posts/knots.html",
            "---\ntitle: Knots\ndate: 2025-03-01\nauthors: [ben]\ntags: [Travel]\n---\n<p>For all.</p>\
             <!--kg-gated-block:begin nonMember:false memberSegment:\"status:free\" --><p>HIDDEN card</p><!--kg-gated-block:end-->\
             <!--kg-gated-block:begin nonMember:true memberSegment:\"\" --><p>For visitors.</p><!--kg-gated-block:end-->\n",
        )
}

fn gated_posts(builder: SiteBuilder) -> SiteBuilder {
    builder
        .file(
            "posts/tide-tables.md",
            "---\ntitle: Tide tables\ndate: 2025-04-01\nvisibility: members\ntags: [travel]\nauthors: [ben]\n\
             custom_excerpt: About tides\n---\nHIDDEN tides\n",
        )
        .file(
            "posts/sea-chest.md",
            "---\ntitle: Sea chest\ndate: 2025-05-01\nvisibility: paid\ntags: [letters]\nauthors: [ada]\n---\n\
             The lid.\n\n<!--members-only-->\n\nHIDDEN coins\n",
        )
        .file(
            "posts/log-book.md",
            "---\ntitle: Log book\ndate: 2025-06-01\nvisibility: tiers\ntiers: [gold]\nauthors: [ben]\n---\nHIDDEN log\n",
        )
        .file(
            "posts/first-mark.md",
            "---\ntitle: First mark\ndate: 2025-02-15\nvisibility: members\nauthors: [ada]\n---\n<!--members-only-->\n\nHIDDEN from the start\n",
        )
}

fn unpublished(builder: SiteBuilder) -> SiteBuilder {
    builder
        .file(
            "posts/unfinished.md",
            "---\ntitle: Unfinished HIDDEN\ndraft: true\ntags: [Someday]\nauthors: [dora]\n---\nHIDDEN draft\n",
        )
        .file(
            "posts/tomorrow.md",
            "---\ntitle: Tomorrow HIDDEN\ndate: 2999-01-01\nauthors: [dora]\ntags: [Someday]\n---\nHIDDEN plans\n",
        )
}

fn pages(builder: SiteBuilder) -> SiteBuilder {
    builder
        .file(
            "pages/about.md",
            "---\ntitle: About\ndate: 2024-01-01\nauthors: [ada]\ntags: [Paged]\n---\nWho we are.\n",
        )
        .file(
            "pages/crew.md",
            "---\ntitle: Crew\ndate: 2024-02-01\nauthors: [cleo]\nvisibility: members\n---\nHIDDEN names\n",
        )
}
