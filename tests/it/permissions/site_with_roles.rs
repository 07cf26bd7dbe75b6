//! A site with users of every role, and the records that their requests target.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::Deref,
};

use galley_tests::{TestSite, Who, owner, staff::text};
use serde_json::{Value, json};

use super::table::{INVITED, On, Trial};

/// A site with users of every role.
pub struct SiteWithRoles {
    pub site: TestSite,
    /// The id of the user of each role who sends the requests.
    ids: BTreeMap<String, String>,
    /// The id of the other user of each role, who is the target of requests.
    others: RefCell<BTreeMap<String, String>>,
    names: Cell<u32>,
}

/// A record that is the target of a trial.
pub struct Record {
    pub id: String,
    pub updated_at: String,
}

impl Deref for SiteWithRoles {
    type Target = TestSite;

    fn deref(&self) -> &TestSite {
        &self.site
    }
}

impl SiteWithRoles {
    pub fn new() -> Self {
        let mut site = Self::without_staff();
        for role in INVITED {
            site.add_user(role);
            site.learn_id(role);
        }
        site
    }

    /// Returns a site whose only user is the owner.
    fn without_staff() -> Self {
        let mut site = Self {
            site: TestSite::builder()
                .option("security.integration_scope", "specification")
                .staffed()
                .start(),
            ids: BTreeMap::new(),
            others: RefCell::default(),
            names: Cell::new(0),
        };
        site.learn_id("Owner");
        site
    }

    fn learn_id(&mut self, role: &str) {
        let me = self.site.get_as(&Who::session(role), "/users/me/");
        self.ids
            .insert(role.to_owned(), text(&me["users"][0]["id"]));
    }

    /// Returns an unused name.
    pub fn name(&self) -> String {
        self.names.set(self.names.get() + 1);
        format!("Name {}", self.names.get())
    }

    /// Returns the id of the user who sends the requests; the owner's for an integration.
    pub fn id(&self, role: &str) -> &str {
        self.ids.get(role).unwrap_or(&self.ids["Owner"])
    }

    /// Returns the id of a user with another role: the owner, or an administrator.
    pub fn id_of_another(&self, role: &str) -> &str {
        match role {
            "Owner" | "Integration" => self.id("Administrator"),
            _ => self.id("Owner"),
        }
    }

    /// Returns the author of the records that a trial targets.
    pub fn author(&self, trial: &Trial) -> &str {
        match trial.on {
            On::OwnDraft | On::OwnPublished => self.id(&trial.role),
            On::Others | On::Role(_) => self.id_of_another(&trial.role),
        }
    }

    /// Creates a post or page for a trial.
    pub fn post(&self, kind: &str, trial: &Trial) -> Record {
        self.post_of(kind, trial, status(trial))
    }

    /// Creates a post or page for a trial, as a draft.
    pub fn draft(&self, kind: &str, trial: &Trial) -> Record {
        self.post_of(kind, trial, "draft")
    }

    fn post_of(&self, kind: &str, trial: &Trial, status: &str) -> Record {
        let authors = json!([{"id": self.author(trial)}]);
        let post = json!({"title": self.name(), "status": status, "authors": authors});
        self.made(kind, post)
    }

    /// Creates a record as the owner.
    pub fn made(&self, kind: &str, record: Value) -> Record {
        let made = self
            .site
            .post_as(&owner(), &format!("/{kind}/"), &json!({kind: [record]}));
        let record = &made[kind][0];
        Record {
            id: text(&record["id"]),
            updated_at: record["updated_at"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// Returns the id of the first record of a kind.
    pub fn first(&self, kind: &str) -> String {
        text(&self.site.get_as(&owner(), &format!("/{kind}/"))[kind][0]["id"])
    }

    /// Returns the id of the user of a role who is the target of requests: not the sender, except for the owner.
    pub fn user(&self, role: &str) -> String {
        if role == "Owner" {
            return self.id("Owner").to_owned();
        }
        let known = self.others.borrow().get(role).cloned();
        known.unwrap_or_else(|| self.new_user(role))
    }

    /// Removes the target user of a role after it was deleted, so that [`Self::user`] adds a new one.
    pub fn forget_user(&self, role: &str) {
        self.others.borrow_mut().remove(role);
    }

    fn new_user(&self, role: &str) -> String {
        let email = format!(
            "{}@example.net",
            self.name().to_lowercase().replace(' ', "-")
        );
        let invite = json!({"invites": [{"email": email, "role_id": self.site.role_id(role)}]});
        self.site.post_as(&owner(), "/invites/", &invite);
        let token = self.site.token_in_mail(&email, "signup");
        let accepted = json!({"invitation": [{
            "name": self.name(), "email": email, "password": "N0t-the-one-who-tries", "token": token
        }]});
        self.site
            .post_as(&Who::Anonymous, "/authentication/invitation/", &accepted);
        let user = self
            .site
            .get_as(&owner(), &format!("/users/email/{email}/"));
        let id = text(&user["users"][0]["id"]);
        self.others.borrow_mut().insert(role.to_owned(), id.clone());
        id
    }

    /// Edits a user as the owner.
    pub fn change_user(&self, id: &str, changes: Value) {
        let changes = json!({"users": [changes]});
        self.site
            .put_as(&owner(), &format!("/users/{id}/"), &changes);
    }
}

/// Returns the status of a post for a trial.
pub fn status(trial: &Trial) -> &'static str {
    match trial.on {
        On::OwnPublished => "published",
        _ => "draft",
    }
}
