//! Tests of an export's records other than posts: roles, users, snippets, integrations and themes.

use galley::{
    domain::{role::Role, snippet::Snippet, theme::ChosenValues, user::UserStatus},
    store::Table,
};
use serde_json::{Value, json};

use super::destination::{Destination, NOW, notes_about};

const HASH: &str = "$2a$10$JZyTWuJpvJnjwyb5pq8xAewUqbTyCxFDkdLAbSuQVgyPZCLBPUP4u";

/// Returns an export with these tables.
fn export(tables: Value) -> Value {
    json!({"db": [{"meta": {"version": "6.65.0"}, "data": tables}]})
}

#[test]
fn numbered_slugs_stay_within_the_maximum_length() {
    let destination = Destination::new();
    let slug = "a".repeat(200);
    let tag = |id: &str| json!({"id": id, "name": id, "slug": slug});
    destination.import_json(&export(json!({ "tags": [tag("ebb"), tag("flow")] })));
    let catalog = &destination.site.current().catalog;
    let lengths: Vec<usize> = catalog.tags.iter().map(|tag| tag.slug.len()).collect();
    assert_eq!(lengths.len(), 2);
    assert!(lengths.iter().all(|length| *length <= 191), "{lengths:?}");
}

#[test]
fn roles_come_from_user_rows_or_the_roles_table() {
    let destination = Destination::new();
    let user = |id: &str, roles: Value| json!({"id": id, "name": id, "slug": id, "email": format!("{id}@example.com"), "roles": roles});
    let report = destination.import_json(&export(json!({
        "users": [
            user("word", json!(["Editor"])),
            user("object", json!([{"name": "Administrator"}])),
            user("key", json!([{"id": "r7"}])),
            user("alone", json!("contributor")),
            user("nothing", json!([])),
            user("unknown", json!(["Emperor"])),
            user("table", Value::Null),
        ],
        "roles": [{"id": "r7", "name": "Editor"}],
        "roles_users": [{"user_id": "table", "role_id": "r7"}],
    })));
    let catalog = &destination.site.current().catalog;
    for (slug, role) in [
        ("word", Role::Editor),
        ("object", Role::Administrator),
        ("key", Role::Editor),
        ("alone", Role::Contributor),
        ("nothing", Role::Author),
        ("unknown", Role::Contributor),
        ("table", Role::Editor),
    ] {
        assert_eq!(catalog.users.by_slug(slug).unwrap().role, role, "{slug}");
    }
    assert_eq!(
        notes_about(&report, "unknown@example.com"),
        ["has a role that Galley does not have (Emperor); here a Contributor"]
    );
    assert!(notes_about(&report, "word@example.com").is_empty());
}

#[test]
fn users_keep_status_and_password_and_get_the_current_date_by_default() {
    let destination = Destination::new();
    let file = export(json!({"users": [
        {"name": "Ada", "email": "ada@example.com", "password": HASH, "status": "active"},
        {"name": "Ben", "email": "ben@example.com", "status": "inactive", "created_at": "2024-01-02T03:04:05.000Z"},
    ]}));
    destination.import_json(&file);
    let before = destination.everything();
    let catalog = &destination.site.current().catalog;
    let ada = catalog.users.by_slug("ada").unwrap();
    assert_eq!(ada.created_at, NOW.parse().unwrap());
    assert_eq!(ada.status, UserStatus::Active);
    let stored = destination
        .site
        .write(|transaction| transaction.stored_credentials(ada.id))
        .unwrap();
    assert_eq!(&*stored.unwrap().password_hash, HASH);
    let ben = catalog.users.by_slug("ben").unwrap();
    assert_eq!(ben.status, UserStatus::Inactive);
    assert_eq!(ben.updated_at, "2024-01-02T03:04:05Z".parse().unwrap());

    destination.import_json(&file);
    assert_eq!(destination.everything(), before);
}

#[test]
fn snippets_integrations_and_theme_settings_are_imported_once() {
    let destination = Destination::new();
    let file = export(json!({
        "snippets": [
            {"id": "61a000000000000000000385", "name": "Greeting", "mobiledoc": "{}", "lexical": "{\"root\": {\"children\": []}}"},
            {"id": "61a000000000000000000386", "name": "Greeting"},
            {"name": ""},
        ],
        "integrations": [
            {"type": "custom", "name": "Zap", "description": "Shows others"},
            {"type": "builtin", "name": "Zapier"},
        ],
        "custom_theme_settings": [
            {"theme": "source", "key": "navigation_layout", "type": "select", "value": "Stacked"},
            {"theme": "source", "key": "show_author", "type": "boolean", "value": "false"},
        ],
    }));
    let report = destination.import_json(&file);
    let snapshot = destination.site.current();
    let mut snippets = Vec::new();
    snapshot
        .visit(Table::Snippets, |_, snippet: Snippet| {
            snippets.push((snippet.name, snippet.lexical));
            Ok(())
        })
        .unwrap();
    assert_eq!(
        snippets,
        [(
            "Greeting".into(),
            Some(r#"{"root":{"children":[]}}"#.into())
        )]
    );
    assert_eq!(
        notes_about(&report, "snippet \"Greeting\""),
        ["is left out: there is a snippet with this name"]
    );
    let integrations = snapshot.catalog.integrations();
    let made: Vec<_> = integrations.filter(|made| &*made.name != "Test").collect();
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].description.as_deref(), Some("Shows others"));
    assert_eq!(
        notes_about(&report, "integration \"Zap\""),
        ["has new keys: those of the old site are not imported"]
    );
    let chosen: ChosenValues = snapshot
        .read(Table::ThemeSettings, b"source")
        .unwrap()
        .unwrap();
    assert_eq!(chosen.values["navigation_layout"], "Stacked");
    assert_eq!(chosen.values["show_author"], false);

    let before = destination.everything();
    destination.import_json(&file);
    assert_eq!(destination.everything(), before);
}

#[test]
fn private_site_setting_is_not_imported() {
    let destination = Destination::new();
    let setting = |key: &str, value: &str| json!({"key": key, "value": value});
    let report = destination.import_json(&export(json!({"settings": [
        setting("announcement_content", "<p>Soon</p>"),
        setting("heading_font", "Lora"),
        setting("is_private", "true"),
        setting("password", "open sesame"),
        setting("active_theme", "casper"),
        setting("social_web", "false"),
    ]})));
    let settings = &destination.site.current().catalog.settings;
    assert_eq!(*settings.get("announcement_content"), json!("<p>Soon</p>"));
    assert_eq!(*settings.get("heading_font"), json!("Lora"));
    assert_eq!(*settings.get("is_private"), json!(false));
    assert_eq!(*settings.get("active_theme"), json!("source"));
    assert_eq!(
        notes_about(&report, "setting is_private"),
        [
            "readers of the old site needed a password; readers of this one do not, until it is made private"
        ]
    );
    assert!(notes_about(&report, "settings that Galley does not have").is_empty());
}
