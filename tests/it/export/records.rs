//! Tests that records of random values round-trip through content files and Ghost's format.

use std::fmt::Debug;

use galley::{
    catalog::fields::{AUTHOR_TEXTS, POST_TEXTS, StoredText, TAG_TEXTS, TextContent},
    domain::{
        OptionalText,
        newsletter::Newsletter,
        newsletter_design::{DESIGN, DesignChoice, DesignType},
        post::{Body, Post, PostKind, Status, Visibility},
        tag::Tag,
        tier::{Price, Tier},
        user::User,
    },
    id::Id,
    render::urls::PLACEHOLDER,
};
use jiff::Timestamp;
use proptest::{option, prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

use super::publication::{Publication, assert_same};

/// Texts, often with syntax of TOML or front matter. None is blank, because content files ignore blank texts.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("+++".to_owned()),
        Just("\n+++\n".to_owned()),
        Just("\n---\n".to_owned()),
        Just("'''".to_owned()),
        Just("\"\"\"".to_owned()),
        Just("\\".to_owned()),
        Just("\r\n".to_owned()),
        Just("\u{7}\u{7f}\u{2028}".to_owned()),
        Just(" title = \"x\"\n".to_owned()),
        Just("東京 🚢 é".to_owned()),
        Just("<a href=\"__GHOST_URL__/about/\">x</a>".to_owned()),
        Just("<img src='__GHOST_URL__/content/images/a.png'>".to_owned()),
        Just("__GHOST_URL__/x".to_owned()),
        "[ -~]{1,20}",
        "\\PC{1,10}",
    ];
    prop::collection::vec(piece, 1..4)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("blank", |text| !text.trim().is_empty())
}

/// Text for a field of at most `max` characters.
fn of_length(max: usize) -> impl Strategy<Value = Box<str>> {
    text().prop_map(move |text| {
        let cut: String = text.chars().take(max).collect();
        if cut.trim().is_empty() {
            "x".into()
        } else {
            cut.into()
        }
    })
}

fn maybe(max: usize) -> impl Strategy<Value = Option<Box<str>>> {
    option::of(of_length(max))
}

fn address() -> impl Strategy<Value = Option<Box<str>>> {
    option::of(prop_oneof![
        "(/content/images/[a-z]{1,5}\\.png|/[a-z]{1,8}/|/[a-z]{1,5}\\.txt|/|/posts/|/tags/tag\\.toml)"
            .prop_map(|path| format!("{PLACEHOLDER}{path}").into()),
        "https://elsewhere\\.example/[a-z]{0,5}(\\?a=[0-9]&b=%20)?".prop_map(|address| address.into()),
    ])
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0..4_000_000_000_i64).prop_map(|second| Timestamp::from_second(second).unwrap())
}

/// A text or `None` for each row of a table.
fn texts_of<R: Debug>(table: &[&'static StoredText<R>]) -> Vec<BoxedStrategy<OptionalText>> {
    let text = |field: &&StoredText<R>| match field.content {
        TextContent::Image | TextContent::Page | TextContent::Website => address().boxed(),
        other => maybe(other.characters_max().min(1000)).boxed(),
    };
    table.iter().map(text).collect()
}

fn post(kind: PostKind, slug: &'static str) -> impl Strategy<Value = Post> {
    let texts = (of_length(255), maybe(50));
    let times = (time(), time(), time());
    let choices = (
        prop_oneof![
            Just(Visibility::Public),
            Just(Visibility::Members),
            Just(Visibility::Paid),
            Just(Visibility::Tiers)
        ],
        prop_oneof![
            Just(Status::Draft),
            Just(Status::Published),
            Just(Status::Sent)
        ],
        any::<(bool, bool, bool, bool)>(),
    );
    let others = (texts_of(POST_TEXTS), any::<bool>(), aliases());
    (texts, times, choices, others).prop_map(move |(texts, times, choices, others)| {
        let (visibility, status, (featured, shows_title, has_own_id, is_dated)) = choices;
        let id = if has_own_id {
            Id::derive("test", slug)
        } else {
            Id::derive(kind.name(), slug)
        };
        let is_dated = is_dated || status != Status::Draft;
        let uuid = if has_own_id {
            uuid::Uuid::from_u128(7)
        } else {
            Post::derived_uuid(kind, slug)
        };
        let mut post = Post {
            slug: slug.into(),
            title: texts.0,
            status,
            visibility,
            tiers: match visibility {
                Visibility::Tiers => vec![Id::derive("tier", "gold")],
                _ => Vec::new(),
            },
            featured,
            updated_at: times.1,
            published_at: is_dated.then_some(times.2),
            comment_id: texts.1.unwrap_or_else(|| id.to_string().into()),
            show_title_and_feature_image: shows_title || kind == PostKind::Post,
            tags: vec![
                Id::derive("test", "tag"),
                Id::derive("tag", "hash-internal"),
            ],
            authors: vec![Id::derive("test", "author")],
            aliases: others.2,
            ..Post::draft(id, uuid, kind, times.0)
        };
        let (texts, has_meta) = (others.0, others.1);
        for (field, text) in POST_TEXTS.iter().zip(texts) {
            let is_of_page = kind == PostKind::Post || field.name != "email_subject";
            if is_of_page && (has_meta || !field.rules.in_side_record) {
                (field.set)(&mut post, text);
            }
        }
        post
    })
}

/// Aliases in their stored form.
fn aliases() -> impl Strategy<Value = Box<[Box<str>]>> {
    let alias = "/[a-z0-9%#?é \\-]{0,8}[a-z]/[A-Za-z.]{1,8}x";
    let aliases = proptest::collection::btree_set(alias, 0..3);
    aliases.prop_map(|aliases| aliases.into_iter().map(Into::into).collect())
}

fn tag() -> impl Strategy<Value = Tag> {
    let others = (of_length(191), time(), time(), any::<bool>());
    (texts_of(TAG_TEXTS), others).prop_map(|(texts, (name, created_at, updated_at, internal))| {
        let mut tag = Tag {
            internal: internal || name.starts_with('#'),
            updated_at,
            ..Tag::new(Id::derive("test", "tag"), "tag", &name, created_at)
        };
        for (field, text) in TAG_TEXTS.iter().zip(texts) {
            (field.set)(&mut tag, text);
        }
        tag
    })
}

fn author() -> impl Strategy<Value = User> {
    let others = (of_length(191), time(), time());
    (texts_of(AUTHOR_TEXTS), others).prop_map(|(texts, (name, created_at, updated_at))| {
        let mut user = User {
            email: Some("ada@harbour.example".into()),
            updated_at,
            ..User::new(Id::derive("test", "author"), "author", &name, created_at)
        };
        for (field, text) in AUTHOR_TEXTS.iter().zip(texts) {
            (field.set)(&mut user, text);
        }
        user
    })
}

fn tier() -> impl Strategy<Value = Tier> {
    let texts = (
        of_length(191),
        maybe(191),
        prop::collection::vec(of_length(191), 0..3),
    );
    (
        texts,
        any::<(bool, bool)>(),
        0..99_999_999_u64,
        0..400_u32,
        time(),
    )
        .prop_map(|(texts, (active, public), price, trial_days, time)| Tier {
            description: texts.1,
            benefits: texts.2,
            active,
            public,
            price: Some(Price {
                currency: "eur".into(),
                monthly: price,
                yearly: price / 2,
            }),
            trial_days,
            welcome_page_url: Some("/welcome/".into()),
            created_at: time,
            updated_at: Some(time),
            ..Tier::new("gold", &texts.0)
        })
}

/// An allowed value or `None` for each row of a newsletter's design.
fn design() -> impl Strategy<Value = Vec<Option<Value>>> {
    let text = |text: Option<Box<str>>| json!(text);
    let choice = |row: &'static DesignChoice| match row.kind {
        DesignType::Switch(_) => any::<bool>().prop_map(Value::from).boxed(),
        DesignType::Choice(words) => prop::sample::select(words).prop_map(Value::from).boxed(),
        DesignType::ReplyTo => {
            prop::sample::select(&["newsletter", "support", "ana@example.com"][..])
                .prop_map(Value::from)
                .boxed()
        }
        DesignType::Colour(_) => maybe(191).prop_map(text).boxed(),
        DesignType::Image(_) => address().prop_map(text).boxed(),
        DesignType::Text(max) | DesignType::Markup(max) => {
            maybe(max.min(1000)).prop_map(text).boxed()
        }
    };
    DESIGN
        .iter()
        .map(|row| option::of(choice(row)))
        .collect::<Vec<_>>()
}

fn newsletter() -> impl Strategy<Value = Newsletter> {
    (
        of_length(191),
        maybe(2000),
        any::<(bool, bool)>(),
        0..9_u32,
        time(),
        design(),
    )
        .prop_map(
            |(name, description, (active, on_signup), sort_order, time, design)| {
                let mut new = Newsletter::new("news", &name);
                for (row, chosen) in DESIGN.iter().zip(design) {
                    new.choose(row, chosen.unwrap_or_default());
                }
                Newsletter {
                    id: Id::derive("test", "news"),
                    description,
                    active,
                    subscribe_on_signup: on_signup,
                    sort_order,
                    created_at: time,
                    updated_at: time,
                    ..new
                }
            },
        )
}

#[derive(Debug, Clone)]
struct Records {
    posts: Vec<Post>,
    tag: Tag,
    author: User,
    tier: Tier,
    newsletter: Newsletter,
    markup: Box<str>,
    label: Box<str>,
}

fn records() -> impl Strategy<Value = Records> {
    let posts = (
        post(PostKind::Post, "a-post"),
        post(PostKind::Page, "a-page"),
    );
    let others = (
        tag(),
        author(),
        tier(),
        newsletter(),
        of_length(1000),
        of_length(100),
    );
    (posts, others).prop_map(|(posts, others)| Records {
        posts: vec![posts.0, posts.1],
        tag: others.0,
        author: others.1,
        tier: others.2,
        newsletter: others.3,
        markup: others.4,
        label: others.5,
    })
}

fn publication(records: &Records) -> Publication {
    let publication = Publication::empty();
    let records = records.clone();
    let internal = Tag::new(
        Id::derive("tag", "hash-internal"),
        "hash-internal",
        "#internal",
        records.tag.created_at,
    );
    let settings = json!({
        "title": records.label,
        "timezone": "Asia/Kathmandu",
        "logo": "__GHOST_URL__/content/images/logo.png",
        "codeinjection_head": records.markup,
        "navigation": [{"label": records.label, "url": "/"}, {"label": "b", "url": "https://b.example/"}],
        "portal_plans": ["free", "monthly"],
        "portal_button": true,
        "description": "",
    });
    let settings = serde_json::from_value(settings).unwrap();
    publication
        .site
        .write_once(|transaction| {
            transaction.edit_settings(settings)?;
            transaction.save(records.tag)?;
            transaction.save(internal)?;
            transaction.save(records.author)?;
            transaction.save(records.tier)?;
            transaction.save(records.newsletter)?;
            for post in records.posts {
                let html = "<p>Open</p><!--members-only--><p>Closed</p>".to_owned();
                let body = Body::new(html, post.is_gated(), post.feature_image.is_some());
                transaction.save_post(post, body)?;
            }
            Ok(())
        })
        .unwrap();
    publication
}

fn each(check: impl Fn(&Publication)) {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 48,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&records(), |records| {
        check(&publication(&records));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn records_round_trip_through_a_content_folder() {
    each(|first| {
        let folder = first.to_folder("export");
        assert_same(
            &Publication::served_from(&folder).replies(),
            &first.replies(),
        );
    });
}
