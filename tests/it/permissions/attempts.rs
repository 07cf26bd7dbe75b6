//! A request for every permission, which succeeds for the owner. The owner creates its target first.

use serde_json::{Value, json};

use super::{
    stage::{Record, Stage, status},
    table::{Expected, On, Trial},
};
use crate::{
    multipart::Form,
    staffed_site::{ADMIN, Ask, owner},
    themes::archive_of,
};

/// A small image.
const PNG: &[u8] = include_bytes!("../../recordings/files/plate.png");

/// Prepares something to be tried, and says how it is asked for.
pub type Attempt = fn(&Stage, &Trial) -> Ask;

/// What leaves a site behind on which nothing else can be tried, once it succeeds.
pub const RUINOUS: &[(&str, &str)] = &[
    ("users", "transfer ownership"),
    ("everything", "reset all passwords"),
];

/// Resource, what is done, and how.
pub const ATTEMPTS: &[(&str, &str, Attempt)] = &[
    ("posts", "browse", |_, _| get("/posts/")),
    ("posts", "read", |stage, trial| read("posts", stage, trial)),
    ("posts", "add", |stage, trial| add("posts", stage, trial)),
    ("posts", "edit", |stage, trial| {
        change(
            "posts",
            &stage.post("posts", trial),
            json!({"title": stage.name()}),
        )
    }),
    ("posts", "publish", |stage, trial| {
        publish("posts", stage, trial)
    }),
    ("posts", "change authors", |stage, trial| {
        let authors = json!([{"id": stage.id_of_another(&trial.role)}]);
        change(
            "posts",
            &stage.post("posts", trial),
            json!({"authors": authors}),
        )
    }),
    ("posts", "change visibility", |stage, trial| {
        change(
            "posts",
            &stage.post("posts", trial),
            json!({"visibility": "members"}),
        )
    }),
    ("posts", "tag", |stage, trial| {
        let tags = json!([{"name": stage.name()}]);
        change("posts", &stage.post("posts", trial), json!({"tags": tags}))
    }),
    ("posts", "copy", |stage, trial| copy("posts", stage, trial)),
    ("posts", "delete", |stage, trial| {
        delete(&format!("/posts/{}/", stage.post("posts", trial).id))
    }),
    ("posts", "bulk edit", |stage, trial| {
        let id = stage.post("posts", trial).id;
        put(
            &format!("/posts/bulk/?filter=id:%27{id}%27"),
            &json!({"bulk": {"action": "feature"}}),
        )
    }),
    ("pages", "browse", |_, _| get("/pages/")),
    ("pages", "read", |stage, trial| read("pages", stage, trial)),
    ("pages", "add", |stage, trial| add("pages", stage, trial)),
    ("pages", "edit", |stage, trial| {
        change(
            "pages",
            &stage.post("pages", trial),
            json!({"title": stage.name()}),
        )
    }),
    ("pages", "publish", |stage, trial| {
        publish("pages", stage, trial)
    }),
    ("pages", "copy", |stage, trial| copy("pages", stage, trial)),
    ("pages", "delete", |stage, trial| {
        delete(&format!("/pages/{}/", stage.post("pages", trial).id))
    }),
    ("site", "read", |_, _| get("/site/")),
    ("config", "read", |_, _| get("/config/")),
    ("tags", "browse", |_, _| get("/tags/")),
    ("tags", "read", |stage, _| {
        get(&format!("/tags/{}/", tag(stage)))
    }),
    ("tags", "add", |stage, _| {
        post("/tags/", &json!({"tags": [{"name": stage.name()}]}))
    }),
    ("tags", "edit", |stage, _| {
        put(
            &format!("/tags/{}/", tag(stage)),
            &json!({"tags": [{"description": stage.name()}]}),
        )
    }),
    ("tags", "delete", |stage, _| {
        delete(&format!("/tags/{}/", tag(stage)))
    }),
    ("tiers", "browse", |_, _| get("/tiers/")),
    ("tiers", "read", |stage, _| {
        get(&format!("/tiers/{}/", stage.first("tiers")))
    }),
    ("tiers", "add", |stage, _| {
        let tier = json!({"name": stage.name(), "monthly_price": 500, "yearly_price": 5000, "currency": "usd"});
        post("/tiers/", &json!({"tiers": [tier]}))
    }),
    ("tiers", "edit", |stage, _| {
        let changes = json!({"tiers": [{"description": stage.name()}]});
        put(&format!("/tiers/{}/", stage.first("tiers")), &changes)
    }),
    ("newsletters", "browse", |_, _| get("/newsletters/")),
    ("newsletters", "read", |stage, _| {
        get(&format!("/newsletters/{}/", stage.first("newsletters")))
    }),
    ("newsletters", "add", |stage, _| {
        post(
            "/newsletters/",
            &json!({"newsletters": [{"name": stage.name()}]}),
        )
    }),
    ("newsletters", "edit", |stage, _| {
        let changes = json!({"newsletters": [{"description": stage.name()}]});
        put(
            &format!("/newsletters/{}/", stage.first("newsletters")),
            &changes,
        )
    }),
    ("offers", "browse", |_, _| get("/offers/")),
    ("integrations", "browse", |_, _| get("/integrations/")),
    ("integrations", "read", |stage, _| {
        get(&format!("/integrations/{}/", integration(stage)))
    }),
    ("integrations", "add", |stage, _| {
        post(
            "/integrations/",
            &json!({"integrations": [{"name": stage.name()}]}),
        )
    }),
    ("integrations", "edit", |stage, _| {
        let changes = json!({"integrations": [{"description": stage.name()}]});
        put(&format!("/integrations/{}/", integration(stage)), &changes)
    }),
    ("integrations", "delete", |stage, _| {
        delete(&format!("/integrations/{}/", integration(stage)))
    }),
    ("integrations", "keys", |stage, _| {
        let id = integration(stage);
        let target = format!("/integrations/{id}/?include=api_keys");
        let read = stage.site.get_as(&owner(), &target);
        let key = read["integrations"][0]["api_keys"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let target = format!("/integrations/{id}/api_key/{key}/refresh/");
        post(&target, &json!({"integrations": [{"id": id}]}))
    }),
    ("webhooks", "add", |stage, _| {
        let owner = stage.first("integrations");
        post("/webhooks/", &json!({"webhooks": [webhook(stage, &owner)]}))
    }),
    ("webhooks", "edit", |stage, trial| {
        put(
            &format!("/webhooks/{}/", webhook_of(stage, trial)),
            &json!({"webhooks": [{"name": stage.name()}]}),
        )
    }),
    ("webhooks", "delete", |stage, trial| {
        delete(&format!("/webhooks/{}/", webhook_of(stage, trial)))
    }),
    ("settings", "browse", |_, _| get("/settings/")),
    ("settings", "edit", |stage, _| {
        put(
            "/settings/",
            &json!({"settings": [{"key": "description", "value": stage.name()}]}),
        )
    }),
    ("actions", "browse", |_, _| get("/actions/")),
    ("themes", "upload", |stage, _| upload_theme(stage).1),
    ("themes", "activate", |stage, _| {
        put(&format!("/themes/{}/activate/", theme(stage)), &json!({}))
    }),
    ("themes", "browse", |_, _| get("/themes/")),
    ("themes", "read active", |_, _| get("/themes/active/")),
    ("themes", "download", |_, _| get("/themes/source/download/")),
    ("themes", "delete", |stage, _| {
        delete(&format!("/themes/{}/", theme(stage)))
    }),
    ("custom_theme_settings", "browse", |_, _| {
        get("/custom_theme_settings/")
    }),
    ("redirects", "download", |_, _| get("/redirects/download/")),
    ("routes", "download", |_, _| get("/settings/routes/yaml/")),
    ("members", "browse", |_, _| get("/members/")),
    ("members", "read", |stage, _| {
        get(&format!("/members/{}/", member(stage)))
    }),
    ("members", "add", |stage, _| {
        post("/members/", &json!({"members": [new_member(stage)]}))
    }),
    ("members", "edit", |stage, _| {
        let changes = json!({"members": [{"note": stage.name()}]});
        put(&format!("/members/{}/", member(stage)), &changes)
    }),
    ("members", "delete", |stage, _| {
        delete(&format!("/members/{}/", member(stage)))
    }),
    ("members", "export", |_, _| get("/members/upload/?limit=1")),
    ("labels", "browse", |_, _| get("/labels/")),
    ("labels", "add", |stage, _| {
        post("/labels/", &json!({"labels": [{"name": stage.name()}]}))
    }),
    ("labels", "edit", |stage, _| {
        let changes = json!({"labels": [{"name": stage.name()}]});
        put(&format!("/labels/{}/", label(stage)), &changes)
    }),
    ("labels", "delete", |stage, _| {
        delete(&format!("/labels/{}/", label(stage)))
    }),
    ("snippets", "browse", |_, _| get("/snippets/")),
    ("snippets", "add", |stage, _| {
        post("/snippets/", &json!({"snippets": [snippet(stage)]}))
    }),
    ("snippets", "edit", |stage, _| {
        let id = stage.made("snippets", snippet(stage)).id;
        put(
            &format!("/snippets/{id}/"),
            &json!({"snippets": [snippet(stage)]}),
        )
    }),
    ("snippets", "delete", |stage, _| {
        delete(&format!(
            "/snippets/{}/",
            stage.made("snippets", snippet(stage)).id
        ))
    }),
    ("notifications", "browse", |_, _| get("/notifications/")),
    ("stats", "member_count", |_, _| get("/stats/member_count/")),
    ("comments", "browse", |_, _| get("/comments/")),
    ("links", "browse", |_, _| get("/links/")),
    ("links", "edit", |_, _| {
        put(
            "/links/bulk/?filter=post_id:1",
            &json!({"bulk": {"action": "updateLink"}}),
        )
    }),
    ("gift_links", "browse", |stage, trial| {
        let id = stage.post("posts", trial).id;
        get(&format!("/posts/{id}/gift_links/"))
    }),
    ("feedback", "browse", |stage, trial| {
        let id = stage.post("posts", trial).id;
        get(&format!("/feedback/{id}/"))
    }),
    ("mentions", "browse", |_, _| get("/mentions/")),
    ("incoming_recommendations", "browse", |_, _| {
        get("/incoming_recommendations/")
    }),
    ("automated_emails", "browse", |_, _| {
        get("/automated_emails/")
    }),
    ("automations", "browse", |_, _| get("/automations/")),
    ("identities", "read", |_, _| get("/identities/")),
    ("tinybird", "token", |_, _| get("/tinybird/token/")),
    ("slack", "test", |_, _| post("/slack/test/", &json!({}))),
    ("stats", "count by post", |_, _| {
        post("/stats/posts-member-counts/", &json!({"postIds": []}))
    }),
    ("members", "browse metafields", |_, _| {
        get("/members/metafields/custom/")
    }),
    ("emails", "browse", |_, _| get("/emails/")),
    ("email_previews", "read", |stage, trial| {
        let id = stage.post("posts", trial).id;
        get(&format!("/email_previews/posts/{id}/"))
    }),
    ("slugs", "generate", |_, _| get("/slugs/post/a-name/")),
    ("roles", "browse", |_, _| get("/roles/")),
    ("roles", "browse assignable", |_, _| {
        get("/roles/?permissions=assign")
    }),
    ("invites", "browse", |_, _| get("/invites/")),
    ("invites", "add", |stage, trial| {
        post(
            "/invites/",
            &json!({"invites": [invite(stage, over(trial))]}),
        )
    }),
    ("invites", "delete", |stage, _| {
        delete(&format!(
            "/invites/{}/",
            stage.made("invites", invite(stage, "Contributor")).id
        ))
    }),
    ("users", "browse", |_, _| get("/users/")),
    ("users", "read", |stage, trial| {
        get(&format!("/users/{}/", stage.id_of_another(&trial.role)))
    }),
    ("users", "edit self", |stage, trial| {
        edit_user(stage.id(&trial.role), json!({"bio": stage.name()}))
    }),
    // For integrations, which edit no user.
    ("users", "edit", |stage, _| {
        edit_user(&stage.user("Contributor"), json!({"bio": stage.name()}))
    }),
    ("users", "edit others", |stage, trial| {
        edit_user(&stage.user(over(trial)), json!({"bio": stage.name()}))
    }),
    ("users", "delete", |stage, _| {
        delete(&format!("/users/{}/", stage.user("Contributor")))
    }),
    ("users", "delete others", |stage, trial| {
        let id = stage.user(over(trial));
        if trial.expected == Expected::Allowed {
            stage.forget_user(over(trial));
        }
        delete(&format!("/users/{id}/"))
    }),
    ("users", "assign roles", |stage, trial| {
        let id = stage.user("Contributor");
        stage.change_user(&id, json!({"roles": [stage.site.role_id("Contributor")]}));
        edit_user(&id, json!({"roles": [stage.site.role_id(over(trial))]}))
    }),
    ("users", "change own role", |stage, trial| {
        let other = if trial.role == "Administrator" {
            "Editor"
        } else {
            "Administrator"
        };
        edit_user(
            stage.id(&trial.role),
            json!({"roles": [stage.site.role_id(other)]}),
        )
    }),
    ("users", "suspend", |stage, trial| {
        let id = stage.user(over(trial));
        if over(trial) != "Owner" {
            stage.change_user(&id, json!({"status": "active"}));
        }
        edit_user(&id, json!({"status": "inactive"}))
    }),
    ("users", "password of others", |stage, trial| {
        let of = match trial.on {
            On::Role(role) => stage.user(role),
            // A role that may do it for no user may not do it for the lowest one.
            _ => stage.user("Contributor"),
        };
        let password = format!("A-new-passphrase, {}", stage.name());
        let changed = json!({"user_id": of, "newPassword": password, "ne2Password": password});
        put("/users/password/", &json!({"password": [changed]}))
    }),
    ("users", "own token", |stage, trial| {
        get(&format!("/users/{}/token/", stage.id(&trial.role)))
    }),
    ("users", "tokens of others", |stage, trial| {
        get(&format!(
            "/users/{}/token/",
            stage.id_of_another(&trial.role)
        ))
    }),
    ("users", "transfer ownership", |stage, _| {
        put(
            "/users/owner/",
            &json!({"owner": [{"id": stage.id("Administrator")}]}),
        )
    }),
    ("images", "upload", |stage, _| {
        let name = format!("{}.png", stage.name());
        let form = Form::default().file("file", &name, "image/png", PNG);
        Ask::new("POST", &format!("{ADMIN}/images/upload/")).form(form)
    }),
    ("db", "export", |_, _| get("/db/")),
    ("everything", "delete all content", |_, _| delete("/db/")),
    ("everything", "reset all passwords", |_, _| {
        post("/authentication/reset/", &json!({}))
    }),
];

fn get(endpoint: &str) -> Ask {
    Ask::new("GET", &format!("{ADMIN}{endpoint}"))
}

fn delete(endpoint: &str) -> Ask {
    Ask::new("DELETE", &format!("{ADMIN}{endpoint}"))
}

fn post(endpoint: &str, body: &Value) -> Ask {
    Ask::new("POST", &format!("{ADMIN}{endpoint}")).json(body)
}

fn put(endpoint: &str, body: &Value) -> Ask {
    Ask::new("PUT", &format!("{ADMIN}{endpoint}")).json(body)
}

/// The role that it is tried on.
fn over(trial: &Trial) -> &'static str {
    match trial.on {
        On::Role(role) => role,
        other => panic!("{other:?} is no role"),
    }
}

fn read(kind: &str, stage: &Stage, trial: &Trial) -> Ask {
    get(&format!("/{kind}/{}/", stage.post(kind, trial).id))
}

fn add(kind: &str, stage: &Stage, trial: &Trial) -> Ask {
    let authors = json!([{"id": stage.author(trial)}]);
    let post_made = json!({"title": stage.name(), "status": status(trial), "authors": authors});
    post(&format!("/{kind}/"), &json!({kind: [post_made]}))
}

fn publish(kind: &str, stage: &Stage, trial: &Trial) -> Ask {
    change(
        kind,
        &stage.draft(kind, trial),
        json!({"status": "published"}),
    )
}

fn copy(kind: &str, stage: &Stage, trial: &Trial) -> Ask {
    post(
        &format!("/{kind}/{}/copy/", stage.post(kind, trial).id),
        &json!({}),
    )
}

/// Changes a post or page unchanged since its creation.
fn change(kind: &str, record: &Record, mut changes: Value) -> Ask {
    changes["updated_at"] = record.updated_at.clone().into();
    put(
        &format!("/{kind}/{}/", record.id),
        &json!({kind: [changes]}),
    )
}

fn tag(stage: &Stage) -> String {
    stage.made("tags", json!({"name": stage.name()})).id
}

fn new_member(stage: &Stage) -> Value {
    let address = stage.name().to_lowercase().replace(' ', "-");
    json!({"email": format!("{address}@example.com")})
}

fn member(stage: &Stage) -> String {
    stage.made("members", new_member(stage)).id
}

fn label(stage: &Stage) -> String {
    stage.made("labels", json!({"name": stage.name()})).id
}

fn snippet(stage: &Stage) -> Value {
    json!({"name": stage.name(), "mobiledoc": "{}"})
}

fn integration(stage: &Stage) -> String {
    stage.made("integrations", json!({"name": stage.name()})).id
}

fn webhook(stage: &Stage, integration: &str) -> Value {
    let target = format!("https://example.com/{}", stage.name().replace(' ', "-"));
    json!({"event": "post.added", "target_url": target, "integration_id": integration})
}

/// A webhook of the integration that asks, or of another one.
fn webhook_of(stage: &Stage, trial: &Trial) -> String {
    let owner = match trial.on {
        On::OwnDraft | On::OwnPublished => stage.first("integrations"),
        On::Others | On::Role(_) => integration(stage),
    };
    stage.made("webhooks", webhook(stage, &owner)).id
}

fn invite(stage: &Stage, role: &str) -> Value {
    let email = format!(
        "{}@example.org",
        stage.name().to_lowercase().replace(' ', "-")
    );
    json!({"email": email, "role_id": stage.site.role_id(role)})
}

fn edit_user(id: &str, changes: Value) -> Ask {
    put(&format!("/users/{id}/"), &json!({"users": [changes]}))
}

/// A theme that is not installed yet: its name, and how it is.
fn upload_theme(stage: &Stage) -> (String, Ask) {
    let name = stage.name().replace(' ', "-");
    let archive = archive_of(&[("index.hbs", "a"), ("post.hbs", "b")]);
    let form = Form::default().file("file", &format!("{name}.zip"), "application/zip", &archive);
    let target = format!("{ADMIN}/themes/upload/");
    (name, Ask::new("POST", &target).form(form))
}

/// A theme that is there.
fn theme(stage: &Stage) -> String {
    let (name, ask) = upload_theme(stage);
    stage.site.done(&owner(), ask);
    name
}
