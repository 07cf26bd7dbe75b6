//! Random changes by two sites on one store: a site that follows the store has the same records as a site that was just
//! opened.

use std::{collections::BTreeMap, sync::Arc};

use galley::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        integration::Integration,
        member::Member,
        post::{Body, PostKind, Status},
        record::Subject,
        session::{Session, SessionState},
        staff_token::StaffToken,
        tag::Tag,
        user::User,
        webhook::Webhook,
    },
    error::Result,
    id::Id,
    site::{Site, Transaction},
};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

use super::{open, tag};
use crate::{shared_store::SharedStore, site_records::post};

/// Returns the complete in-memory state of a site, by the names of its parts.
pub fn state(site: &Site) -> BTreeMap<&'static str, Value> {
    fn all<R: serde::Serialize>(records: impl Iterator<Item = R>) -> Value {
        records.map(|record| json!(record)).collect()
    }
    let snapshot = site.current();
    let catalog = &snapshot.catalog;
    let posts = &catalog.posts;
    let kinds = [PostKind::Post, PostKind::Page];
    let ids = |posts: &mut dyn Iterator<Item = &Arc<galley::domain::post::Post>>| -> Value {
        posts.map(|post| json!(post.id)).collect()
    };
    let listed = kinds.map(|kind| ids(&mut posts.listed(kind).iter()));
    let with_tag = catalog.tags.iter().map(|tag| {
        posts
            .with_tag(PostKind::Post, tag.id)
            .map(|listing| ids(&mut listing.iter()))
    });
    let sessions = catalog
        .users
        .iter()
        .flat_map(|user| catalog.sessions.of(user.id));
    let mut sessions: Vec<Value> = sessions.map(|session| json!(session)).collect();
    sessions.sort_by_key(Value::to_string);
    BTreeMap::from([
        ("revision", json!(catalog.revision)),
        ("began at", json!(catalog.began_at)),
        ("settings", json!(catalog.settings.set_values())),
        (
            "settings of the file",
            json!(catalog.settings.keys_of_file()),
        ),
        ("posts", all(posts.iter().map(AsRef::as_ref))),
        ("listed", json!(listed)),
        ("with tag", all(with_tag)),
        ("scheduled", ids(&mut posts.scheduled())),
        ("tags", all(catalog.tags.iter().map(AsRef::as_ref))),
        ("users", all(catalog.users.iter().map(AsRef::as_ref))),
        ("tiers", all(catalog.tiers.iter().map(AsRef::as_ref))),
        (
            "newsletters",
            all(catalog.newsletters.iter().map(AsRef::as_ref)),
        ),
        (
            "recommendations",
            all(catalog.recommendations.iter().map(AsRef::as_ref)),
        ),
        ("offers", all(catalog.offers.iter().map(AsRef::as_ref))),
        ("labels", all(catalog.labels.iter().map(AsRef::as_ref))),
        ("members", all(catalog.members.listed().map(AsRef::as_ref))),
        ("emails", all(catalog.emails.iter().map(AsRef::as_ref))),
        (
            "member secret",
            json!(catalog.member_secret.as_ref().map(|secret| secret.text())),
        ),
        ("image widths", json!(&*catalog.image_widths)),
        (
            "integrations",
            all(catalog.integrations().map(AsRef::as_ref)),
        ),
        (
            "staff tokens",
            all(catalog.staff_tokens().map(AsRef::as_ref)),
        ),
        ("webhooks", all(catalog.webhooks.iter().map(AsRef::as_ref))),
        ("sessions", json!(sessions)),
        ("last action", json!(catalog.last_action)),
        ("last delivery", json!(catalog.last_webhook_delivery)),
        ("changes", all(catalog.changes.since(0).map(AsRef::as_ref))),
        (
            "changes are complete since",
            json!(catalog.changes.complete_since()),
        ),
        ("file edits", json!(catalog.file_edits.count())),
    ])
}

/// A random change of one of a few records.
#[derive(Clone, Debug)]
enum Step {
    SaveTag(u8, u8),
    RemoveTag(u8),
    SavePost(u8, u8),
    DeletePost(u8),
    SaveUser(u8, u8),
    RemoveUser(u8),
    SignIn(u8),
    SignOut(u8),
    AddToken(u8),
    DeleteToken(u8),
    SetTitle(u8),
    SaveMember(u8, u8),
    DeleteMember(u8),
    AddLabel(u8),
    AddIntegration(u8),
    DeleteIntegration(u8),
    AddWebhook(u8),
    SetImageWidths(u8),
    RecordAction,
}

fn step() -> impl Strategy<Value = Step> {
    let few = || 0..4u8;
    prop_oneof![
        (few(), few()).prop_map(|(which, how)| Step::SaveTag(which, how)),
        few().prop_map(Step::RemoveTag),
        (few(), few()).prop_map(|(which, how)| Step::SavePost(which, how)),
        few().prop_map(Step::DeletePost),
        (few(), few()).prop_map(|(which, how)| Step::SaveUser(which, how)),
        few().prop_map(Step::RemoveUser),
        few().prop_map(Step::SignIn),
        few().prop_map(Step::SignOut),
        few().prop_map(Step::AddToken),
        few().prop_map(Step::DeleteToken),
        few().prop_map(Step::SetTitle),
        (few(), few()).prop_map(|(which, how)| Step::SaveMember(which, how)),
        few().prop_map(Step::DeleteMember),
        few().prop_map(Step::AddLabel),
        few().prop_map(Step::AddIntegration),
        few().prop_map(Step::DeleteIntegration),
        few().prop_map(Step::AddWebhook),
        few().prop_map(Step::SetImageWidths),
        Just(Step::RecordAction),
    ]
}

fn take(step: &Step, transaction: &mut Transaction) -> Result<()> {
    let id = |kind: &str, which: u8| Id::derive(kind, &which.to_string());
    let now = transaction.now();
    let session_of = |which: u8| galley::domain::secret::Digest::of(&format!("session {which}"));
    match step {
        Step::SaveTag(which, how) => transaction.save(Tag {
            name: format!("{which}/{how}").into(),
            ..tag(&which.to_string())
        }),
        Step::RemoveTag(which) => transaction.remove::<Tag>(id("tag", *which)),
        Step::SavePost(which, how) => {
            let saved = galley::domain::post::Post {
                status: match how {
                    0 => Status::Draft,
                    1 => Status::Scheduled,
                    _ => Status::Published,
                },
                tags: vec![id("tag", *how)],
                authors: vec![id("user", *how)],
                ..post(&which.to_string(), i64::from(*how))
            };
            transaction.save_post(saved, Body::new(format!("<p>{how}</p>"), false, false))
        }
        Step::DeletePost(which) => transaction.delete_post(id("post", *which)),
        Step::SaveUser(which, how) => {
            let name = which.to_string();
            let user = User::new(id("user", *which), &name, &name, now);
            transaction.save(User {
                bio: Some(how.to_string().into()),
                ..user
            })
        }
        Step::RemoveUser(which) => transaction.remove::<User>(id("user", *which)),
        Step::SignIn(which)
            if transaction
                .catalog()
                .users
                .get(id("user", *which))
                .is_some() =>
        {
            transaction.save_session(Session {
                id: id("session", *which),
                digest: session_of(*which),
                user: id("user", *which),
                state: SessionState::SignedIn,
                verified: true,
                origin: "https://example.com".into(),
                user_agent: None,
                created_at: now,
                last_used_at: now,
                code: None,
            })
        }
        Step::SignIn(_) => Ok(()),
        Step::SignOut(which) => {
            transaction.end_session(&session_of(*which));
            Ok(())
        }
        Step::AddToken(which) => {
            transaction.save_staff_token(StaffToken::generate(id("user", *which), now).unwrap())
        }
        Step::DeleteToken(which) => {
            transaction.delete_staff_token(id("user", *which));
            Ok(())
        }
        Step::SetTitle(how) => {
            transaction.edit_settings([("title".to_owned(), json!(how.to_string()))].into())
        }
        Step::SaveMember(which, how) => {
            let address = format!("{which}@example.com");
            transaction.save_member(Member {
                name: Some(how.to_string().into()),
                ..Member::new(id("member", *which), &address, now)
            })
        }
        Step::DeleteMember(which) => transaction.delete_member(id("member", *which)),
        Step::AddLabel(which) => match transaction.catalog().labels.named(&which.to_string()) {
            Some(_) => Ok(()),
            None => transaction.add_label(&which.to_string()).map(drop),
        },
        Step::AddIntegration(which) => {
            let name = which.to_string();
            let new = Integration::generate(&name, now).unwrap();
            transaction
                .save_integration(Integration {
                    id: id("integration", *which),
                    ..new
                })
                .map(drop)
        }
        Step::DeleteIntegration(which) => transaction.delete_integration(id("integration", *which)),
        Step::AddWebhook(which) => transaction.save_webhook(Webhook {
            id: id("webhook", *which),
            event: "post.published".into(),
            target_url: "https://example.com".into(),
            name: None,
            secret: None,
            api_version: "v6".into(),
            integration: id("integration", *which),
            last_triggered_at: None,
            last_triggered_status: None,
            last_triggered_error: None,
            created_at: now,
            updated_at: now,
        }),
        Step::SetImageWidths(how) => transaction.set_image_widths(&[u32::from(*how) + 100]),
        Step::RecordAction => transaction.record_action(
            &Actor::Operator,
            ActionEvent::Edited,
            Subject::whole_content(),
        ),
    }
}

/// Regardless of the order in which two sites change records and follow each other, they have the same records as a
/// site that is opened at that moment.
pub fn sites_that_follow_each_other_are_as_if_just_opened<S: SharedStore>(
    new_store: impl Fn() -> S,
    cases: u32,
) {
    let turn = (
        0..2usize,
        prop::collection::vec(step(), 1..4),
        any::<bool>(),
    );
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..Default::default()
    };
    let checked = TestRunner::new(config).run(&prop::collection::vec(turn, 1..24), |turns| {
        let store = new_store();
        let sites = [open(&store), open(&store)];
        for (which, steps, follows) in &turns {
            // A step may be refused, in which case its transaction changes nothing.
            let _ = sites[*which]
                .write(|transaction| steps.iter().try_for_each(|step| take(step, transaction)));
            if *follows {
                let other = &sites[1 - which];
                other.follow().unwrap();
                prop_assert_eq!(state(other), state(&open(&store)));
            }
        }
        for site in &sites {
            site.follow().unwrap();
            prop_assert_eq!(state(site), state(&open(&store)));
        }
        Ok(())
    });
    checked.unwrap();
}
