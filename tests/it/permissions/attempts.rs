//! A request for every permission, which succeeds for the owner. Its target is created by the owner first.

use galley_tests::{Request, multipart::Form, owner, request::ADMIN};
use serde_json::{Value, json};

use super::{
    site_with_roles::{Record, SiteWithRoles, status},
    table::{Expected, On, Trial},
};
use crate::themes::archive_of;

/// A small image.
const PNG: &[u8] = include_bytes!("../../recordings/files/plate.png");

/// Prepares the target of a trial, and returns the request.
pub type Attempt = fn(&SiteWithRoles, &Trial) -> Request;

/// Actions that make the site unusable for further trials when they succeed.
pub const RUINOUS: &[(&str, &str)] = &[
    ("users", "transfer ownership"),
    ("everything", "reset all passwords"),
];

/// The resource, the action, and the request of each permission.
pub const ATTEMPTS: &[(&str, &str, Attempt)] = &[
    ("posts", "browse", |_, _| get("/posts/")),
    ("posts", "read", |site, trial| read("posts", site, trial)),
    ("posts", "add", |site, trial| add("posts", site, trial)),
    ("posts", "edit", |site, trial| {
        change(
            "posts",
            &site.post("posts", trial),
            json!({"title": site.name()}),
        )
    }),
    ("posts", "publish", |site, trial| {
        publish("posts", site, trial)
    }),
    ("posts", "change authors", |site, trial| {
        let authors = json!([{"id": site.id_of_another(&trial.role)}]);
        change(
            "posts",
            &site.post("posts", trial),
            json!({"authors": authors}),
        )
    }),
    ("posts", "change visibility", |site, trial| {
        change(
            "posts",
            &site.post("posts", trial),
            json!({"visibility": "members"}),
        )
    }),
    ("posts", "tag", |site, trial| {
        let tags = json!([{"name": site.name()}]);
        change("posts", &site.post("posts", trial), json!({"tags": tags}))
    }),
    ("posts", "copy", |site, trial| copy("posts", site, trial)),
    ("posts", "delete", |site, trial| {
        delete(&format!("/posts/{}/", site.post("posts", trial).id))
    }),
    ("posts", "bulk edit", |site, trial| {
        let id = site.post("posts", trial).id;
        put(
            &format!("/posts/bulk/?filter=id:%27{id}%27"),
            &json!({"bulk": {"action": "feature"}}),
        )
    }),
    ("pages", "browse", |_, _| get("/pages/")),
    ("pages", "read", |site, trial| read("pages", site, trial)),
    ("pages", "add", |site, trial| add("pages", site, trial)),
    ("pages", "edit", |site, trial| {
        change(
            "pages",
            &site.post("pages", trial),
            json!({"title": site.name()}),
        )
    }),
    ("pages", "publish", |site, trial| {
        publish("pages", site, trial)
    }),
    ("pages", "copy", |site, trial| copy("pages", site, trial)),
    ("pages", "delete", |site, trial| {
        delete(&format!("/pages/{}/", site.post("pages", trial).id))
    }),
    ("site", "read", |_, _| get("/site/")),
    ("config", "read", |_, _| get("/config/")),
    ("tags", "browse", |_, _| get("/tags/")),
    ("tags", "read", |site, _| {
        get(&format!("/tags/{}/", tag(site)))
    }),
    ("tags", "add", |site, _| {
        post("/tags/", &json!({"tags": [{"name": site.name()}]}))
    }),
    ("tags", "edit", |site, _| {
        put(
            &format!("/tags/{}/", tag(site)),
            &json!({"tags": [{"description": site.name()}]}),
        )
    }),
    ("tags", "delete", |site, _| {
        delete(&format!("/tags/{}/", tag(site)))
    }),
    ("tiers", "browse", |_, _| get("/tiers/")),
    ("tiers", "read", |site, _| {
        get(&format!("/tiers/{}/", site.first("tiers")))
    }),
    ("tiers", "add", |site, _| {
        let tier = json!({"name": site.name(), "monthly_price": 500, "yearly_price": 5000, "currency": "usd"});
        post("/tiers/", &json!({"tiers": [tier]}))
    }),
    ("tiers", "edit", |site, _| {
        let changes = json!({"tiers": [{"description": site.name()}]});
        put(&format!("/tiers/{}/", site.first("tiers")), &changes)
    }),
    ("newsletters", "browse", |_, _| get("/newsletters/")),
    ("newsletters", "read", |site, _| {
        get(&format!("/newsletters/{}/", site.first("newsletters")))
    }),
    ("newsletters", "add", |site, _| {
        post(
            "/newsletters/",
            &json!({"newsletters": [{"name": site.name()}]}),
        )
    }),
    ("newsletters", "edit", |site, _| {
        let changes = json!({"newsletters": [{"description": site.name()}]});
        put(
            &format!("/newsletters/{}/", site.first("newsletters")),
            &changes,
        )
    }),
    ("offers", "browse", |_, _| get("/offers/")),
    ("integrations", "browse", |_, _| get("/integrations/")),
    ("integrations", "read", |site, _| {
        get(&format!("/integrations/{}/", integration(site)))
    }),
    ("integrations", "add", |site, _| {
        post(
            "/integrations/",
            &json!({"integrations": [{"name": site.name()}]}),
        )
    }),
    ("integrations", "edit", |site, _| {
        let changes = json!({"integrations": [{"description": site.name()}]});
        put(&format!("/integrations/{}/", integration(site)), &changes)
    }),
    ("integrations", "delete", |site, _| {
        delete(&format!("/integrations/{}/", integration(site)))
    }),
    ("integrations", "keys", |site, _| {
        let id = integration(site);
        let target = format!("/integrations/{id}/?include=api_keys");
        let read = site.get_as(&owner(), &target);
        let key = read["integrations"][0]["api_keys"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let target = format!("/integrations/{id}/api_key/{key}/refresh/");
        post(&target, &json!({"integrations": [{"id": id}]}))
    }),
    ("webhooks", "add", |site, _| {
        let owner = site.first("integrations");
        post("/webhooks/", &json!({"webhooks": [webhook(site, &owner)]}))
    }),
    ("webhooks", "edit", |site, trial| {
        put(
            &format!("/webhooks/{}/", webhook_of(site, trial)),
            &json!({"webhooks": [{"name": site.name()}]}),
        )
    }),
    ("webhooks", "delete", |site, trial| {
        delete(&format!("/webhooks/{}/", webhook_of(site, trial)))
    }),
    ("settings", "browse", |_, _| get("/settings/")),
    ("settings", "edit", |site, _| {
        put(
            "/settings/",
            &json!({"settings": [{"key": "description", "value": site.name()}]}),
        )
    }),
    ("actions", "browse", |_, _| get("/actions/")),
    ("themes", "upload", |site, _| upload_theme(site).1),
    ("themes", "activate", |site, _| {
        put(&format!("/themes/{}/activate/", theme(site)), &json!({}))
    }),
    ("themes", "browse", |_, _| get("/themes/")),
    ("themes", "read active", |_, _| get("/themes/active/")),
    ("themes", "download", |_, _| get("/themes/source/download/")),
    ("themes", "delete", |site, _| {
        delete(&format!("/themes/{}/", theme(site)))
    }),
    ("custom_theme_settings", "browse", |_, _| {
        get("/custom_theme_settings/")
    }),
    ("redirects", "download", |_, _| get("/redirects/download/")),
    ("routes", "download", |_, _| get("/settings/routes/yaml/")),
    ("members", "browse", |_, _| get("/members/")),
    ("members", "read", |site, _| {
        get(&format!("/members/{}/", member(site)))
    }),
    ("members", "add", |site, _| {
        post("/members/", &json!({"members": [new_member(site)]}))
    }),
    ("members", "edit", |site, _| {
        let changes = json!({"members": [{"note": site.name()}]});
        put(&format!("/members/{}/", member(site)), &changes)
    }),
    ("members", "delete", |site, _| {
        delete(&format!("/members/{}/", member(site)))
    }),
    ("members", "export", |_, _| get("/members/upload/?limit=1")),
    ("labels", "browse", |_, _| get("/labels/")),
    ("labels", "add", |site, _| {
        post("/labels/", &json!({"labels": [{"name": site.name()}]}))
    }),
    ("labels", "edit", |site, _| {
        let changes = json!({"labels": [{"name": site.name()}]});
        put(&format!("/labels/{}/", label(site)), &changes)
    }),
    ("labels", "delete", |site, _| {
        delete(&format!("/labels/{}/", label(site)))
    }),
    ("snippets", "browse", |_, _| get("/snippets/")),
    ("snippets", "add", |site, _| {
        post("/snippets/", &json!({"snippets": [snippet(site)]}))
    }),
    ("snippets", "edit", |site, _| {
        let id = site.made("snippets", snippet(site)).id;
        put(
            &format!("/snippets/{id}/"),
            &json!({"snippets": [snippet(site)]}),
        )
    }),
    ("snippets", "delete", |site, _| {
        delete(&format!(
            "/snippets/{}/",
            site.made("snippets", snippet(site)).id
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
    ("gift_links", "browse", |site, trial| {
        let id = site.post("posts", trial).id;
        get(&format!("/posts/{id}/gift_links/"))
    }),
    ("feedback", "browse", |site, trial| {
        let id = site.post("posts", trial).id;
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
    ("email_previews", "read", |site, trial| {
        let id = site.post("posts", trial).id;
        get(&format!("/email_previews/posts/{id}/"))
    }),
    ("slugs", "generate", |_, _| get("/slugs/post/a-name/")),
    ("roles", "browse", |_, _| get("/roles/")),
    ("roles", "browse assignable", |_, _| {
        get("/roles/?permissions=assign")
    }),
    ("invites", "browse", |_, _| get("/invites/")),
    ("invites", "add", |site, trial| {
        post(
            "/invites/",
            &json!({"invites": [invite(site, over(trial))]}),
        )
    }),
    ("invites", "delete", |site, _| {
        delete(&format!(
            "/invites/{}/",
            site.made("invites", invite(site, "Contributor")).id
        ))
    }),
    ("users", "browse", |_, _| get("/users/")),
    ("users", "read", |site, trial| {
        get(&format!("/users/{}/", site.id_of_another(&trial.role)))
    }),
    ("users", "edit self", |site, trial| {
        edit_user(site.id(&trial.role), json!({"bio": site.name()}))
    }),
    // For integrations, which cannot edit users.
    ("users", "edit", |site, _| {
        edit_user(&site.user("Contributor"), json!({"bio": site.name()}))
    }),
    ("users", "edit others", |site, trial| {
        edit_user(&site.user(over(trial)), json!({"bio": site.name()}))
    }),
    ("users", "delete", |site, _| {
        delete(&format!("/users/{}/", site.user("Contributor")))
    }),
    ("users", "delete others", |site, trial| {
        let id = site.user(over(trial));
        if trial.expected == Expected::Allowed {
            site.forget_user(over(trial));
        }
        delete(&format!("/users/{id}/"))
    }),
    ("users", "assign roles", |site, trial| {
        let id = site.user("Contributor");
        site.change_user(&id, json!({"roles": [site.role_id("Contributor")]}));
        edit_user(&id, json!({"roles": [site.role_id(over(trial))]}))
    }),
    ("users", "change own role", |site, trial| {
        let other = if trial.role == "Administrator" {
            "Editor"
        } else {
            "Administrator"
        };
        edit_user(
            site.id(&trial.role),
            json!({"roles": [site.role_id(other)]}),
        )
    }),
    ("users", "suspend", |site, trial| {
        let id = site.user(over(trial));
        if over(trial) != "Owner" {
            site.change_user(&id, json!({"status": "active"}));
        }
        edit_user(&id, json!({"status": "inactive"}))
    }),
    ("users", "password of others", |site, trial| {
        let of = match trial.on {
            On::Role(role) => site.user(role),
            // A role that has the permission for no user does not have it for the lowest role, either.
            _ => site.user("Contributor"),
        };
        let password = format!("A-new-passphrase, {}", site.name());
        let changed = json!({"user_id": of, "newPassword": password, "ne2Password": password});
        put("/users/password/", &json!({"password": [changed]}))
    }),
    ("users", "own token", |site, trial| {
        get(&format!("/users/{}/token/", site.id(&trial.role)))
    }),
    ("users", "tokens of others", |site, trial| {
        get(&format!(
            "/users/{}/token/",
            site.id_of_another(&trial.role)
        ))
    }),
    ("users", "transfer ownership", |site, _| {
        put(
            "/users/owner/",
            &json!({"owner": [{"id": site.id("Administrator")}]}),
        )
    }),
    ("images", "upload", |site, _| {
        let name = format!("{}.png", site.name());
        let form = Form::default().file("file", &name, "image/png", PNG);
        Request::new("POST", &format!("{ADMIN}/images/upload/")).form(form)
    }),
    ("db", "export", |_, _| get("/db/")),
    ("everything", "delete all content", |_, _| delete("/db/")),
    ("everything", "reset all passwords", |_, _| {
        post("/authentication/reset/", &json!({}))
    }),
];

fn get(endpoint: &str) -> Request {
    Request::new("GET", &format!("{ADMIN}{endpoint}"))
}

fn delete(endpoint: &str) -> Request {
    Request::new("DELETE", &format!("{ADMIN}{endpoint}"))
}

fn post(endpoint: &str, body: &Value) -> Request {
    Request::new("POST", &format!("{ADMIN}{endpoint}")).json(body)
}

fn put(endpoint: &str, body: &Value) -> Request {
    Request::new("PUT", &format!("{ADMIN}{endpoint}")).json(body)
}

/// Returns the role of the trial's target.
fn over(trial: &Trial) -> &'static str {
    match trial.on {
        On::Role(role) => role,
        other => panic!("{other:?} is not a role"),
    }
}

fn read(kind: &str, site: &SiteWithRoles, trial: &Trial) -> Request {
    get(&format!("/{kind}/{}/", site.post(kind, trial).id))
}

fn add(kind: &str, site: &SiteWithRoles, trial: &Trial) -> Request {
    let authors = json!([{"id": site.author(trial)}]);
    let post_made = json!({"title": site.name(), "status": status(trial), "authors": authors});
    post(&format!("/{kind}/"), &json!({kind: [post_made]}))
}

fn publish(kind: &str, site: &SiteWithRoles, trial: &Trial) -> Request {
    change(
        kind,
        &site.draft(kind, trial),
        json!({"status": "published"}),
    )
}

fn copy(kind: &str, site: &SiteWithRoles, trial: &Trial) -> Request {
    post(
        &format!("/{kind}/{}/copy/", site.post(kind, trial).id),
        &json!({}),
    )
}

/// Returns a request that edits a post or page in its initial state.
fn change(kind: &str, record: &Record, mut changes: Value) -> Request {
    changes["updated_at"] = record.updated_at.clone().into();
    put(
        &format!("/{kind}/{}/", record.id),
        &json!({kind: [changes]}),
    )
}

fn tag(site: &SiteWithRoles) -> String {
    site.made("tags", json!({"name": site.name()})).id
}

fn new_member(site: &SiteWithRoles) -> Value {
    let address = site.name().to_lowercase().replace(' ', "-");
    json!({"email": format!("{address}@example.com")})
}

fn member(site: &SiteWithRoles) -> String {
    site.made("members", new_member(site)).id
}

fn label(site: &SiteWithRoles) -> String {
    site.made("labels", json!({"name": site.name()})).id
}

fn snippet(site: &SiteWithRoles) -> Value {
    json!({"name": site.name(), "mobiledoc": "{}"})
}

fn integration(site: &SiteWithRoles) -> String {
    site.made("integrations", json!({"name": site.name()})).id
}

fn webhook(site: &SiteWithRoles, integration: &str) -> Value {
    let target = format!("https://example.com/{}", site.name().replace(' ', "-"));
    json!({"event": "post.added", "target_url": target, "integration_id": integration})
}

/// Returns a webhook of the integration that sends the request, or of another one.
fn webhook_of(site: &SiteWithRoles, trial: &Trial) -> String {
    let owner = match trial.on {
        On::OwnDraft | On::OwnPublished => site.first("integrations"),
        On::Others | On::Role(_) => integration(site),
    };
    site.made("webhooks", webhook(site, &owner)).id
}

fn invite(site: &SiteWithRoles, role: &str) -> Value {
    let email = format!(
        "{}@example.org",
        site.name().to_lowercase().replace(' ', "-")
    );
    json!({"email": email, "role_id": site.role_id(role)})
}

fn edit_user(id: &str, changes: Value) -> Request {
    put(&format!("/users/{id}/"), &json!({"users": [changes]}))
}

/// Returns the name of a theme that is not installed yet, and the request that installs it.
fn upload_theme(site: &SiteWithRoles) -> (String, Request) {
    let name = site.name().replace(' ', "-");
    let archive = archive_of(&[("index.hbs", "a"), ("post.hbs", "b")]);
    let form = Form::default().file("file", &format!("{name}.zip"), "application/zip", &archive);
    let target = format!("{ADMIN}/themes/upload/");
    (name, Request::new("POST", &target).form(form))
}

/// Installs a theme, and returns its name.
fn theme(site: &SiteWithRoles) -> String {
    let (name, request) = upload_theme(site);
    site.done(&owner(), request);
    name
}
