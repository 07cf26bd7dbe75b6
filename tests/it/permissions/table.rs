//! The table `permissions.json`, and the credentials with which each of its cells is tested.

use std::{fmt, path::Path};

use galley::domain::permission::Right;
use galley_tests::Who;
use serde_json::{Map, Value};

/// The roles that users can be invited as, from the highest to the lowest.
pub const INVITED: [&str; 4] = ["Administrator", "Editor", "Author", "Contributor"];

/// Cells that were derived wrongly from the recordings: role, resource, action and the correct right. The page that could not
/// be deleted had been published before (`admin-permissions-posts` deletes a draft).
const CORRECTED: &[(&str, &str, &str, &str)] = &[("Contributor", "pages", "delete", "own drafts")];

/// One cell: the right of a role.
pub struct Cell {
    /// `Owner`, …, or `Integration`.
    pub role: String,
    /// The resource, such as `posts`.
    pub resource: String,
    /// The action, such as `edit`.
    pub act: String,
    /// `yes`, `no`, `own`, a list of roles, or a sentence that begins with one of these.
    right: Value,
}

/// The target of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The user's own draft.
    OwnDraft,
    /// The user's own published post or page.
    OwnPublished,
    /// A record of another user.
    Others,
    /// A user of this role, or an invitation or a change to this role.
    Role(&'static str),
}

/// The expected result of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The request succeeds.
    Allowed,
    /// The request is refused.
    Refused,
    /// The request succeeds, but fields that the role may not change stay unchanged.
    Ignored,
}

/// One test of a permission.
pub struct Trial {
    /// The credentials of the request.
    pub who: Who,
    /// The role of the user or integration.
    pub role: String,
    /// The target.
    pub on: On,
    /// The expected result of a trial.
    pub expected: Expected,
}

impl fmt::Debug for Trial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            who, on, expected, ..
        } = self;
        write!(formatter, "{who:?} on {on:?} must be {expected:?}, got")
    }
}

/// Returns a right without the explanation after it.
fn first_words(right: &str) -> &str {
    right.split([':', ',', '(']).next().unwrap().trim()
}

/// Returns every cell of the table.
pub fn cells() -> Vec<Cell> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/permissions/permissions.json");
    let table: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let members = |value: &Value| -> Map<String, Value> { value.as_object().unwrap().clone() };
    let mut cells = Vec::new();
    for (role, resources) in members(&table["roles"]) {
        for (resource, acts) in members(&resources) {
            for (act, right) in members(&acts) {
                let mut cell = Cell {
                    role: role.clone(),
                    resource: resource.clone(),
                    act,
                    right,
                };
                cell.correct();
                cells.push(cell);
            }
        }
    }
    assert!(cells.len() > 500, "the table is incomplete");
    cells
}

impl Cell {
    fn correct(&mut self) {
        for (role, resource, act, right) in CORRECTED {
            if self.role == *role && self.resource == *resource && self.act == *act {
                assert_ne!(self.right, *right, "the table has been corrected");
                self.right = (*right).into();
            }
        }
    }

    /// Returns the trials of the cell: each target with each of the role's credentials.
    pub fn trials(&self) -> Vec<Trial> {
        let (session, token) = match self.role.as_str() {
            "Integration" => (None, Who::Integration),
            role => (Some(Who::session(role)), Who::staff_token(role)),
        };
        let mut trials = Vec::new();
        for who in session.into_iter().chain([token]) {
            for (on, expected) in self.expectations(&who) {
                trials.push(Trial {
                    who: who.clone(),
                    role: self.role.clone(),
                    on,
                    expected,
                });
            }
        }
        trials
    }

    /// Returns the rights that the program's table may have for the cell. No right is returned for an empty cell.
    pub fn rights(&self) -> &'static [Right] {
        if let Some(roles) = self.right.as_array() {
            return match roles.len() {
                2 => &[Right::Writers],
                _ => &[Right::Below],
            };
        }
        match self.right.as_str().map(first_words) {
            None => &[],
            Some("yes") => &[Right::Yes],
            // Ghost permits integrations more than the specification does; an option enables this.
            Some("no") if self.role == "Integration" => &[Right::No, Right::BeyondSpecification],
            Some("no") => &[Right::No],
            Some("own") => &[Right::Own],
            Some("own drafts") => &[Right::OwnDrafts],
            Some("session only") => &[Right::SessionOnly],
            Some(other) => panic!("unknown right {other}"),
        }
    }

    fn expectations(&self, who: &Who) -> Vec<(On, Expected)> {
        use Expected::{Allowed, Ignored, Refused};
        if let Some(roles) = self.right.as_array() {
            return self.by_role(|role| roles.iter().any(|allowed| allowed == role));
        }
        let Some(right) = self.right.as_str() else {
            // The cell is empty: neither recorded nor specified.
            return Vec::new();
        };
        match first_words(right) {
            "yes" => vec![(On::Others, Allowed)],
            "no" if right.ends_with("skipped") => vec![(On::OwnDraft, Ignored)],
            "no" if self.is_over_users() => self.by_role(|_| false),
            "no" => vec![(On::OwnDraft, Refused)],
            "own" => vec![
                (On::OwnDraft, Allowed),
                (On::OwnPublished, Allowed),
                (On::Others, Refused),
            ],
            "own drafts" => vec![
                (On::OwnDraft, Allowed),
                (On::OwnPublished, Refused),
                (On::Others, Refused),
            ],
            "session only" if matches!(who, Who::Session(_)) => vec![(On::Others, Allowed)],
            "session only" => vec![(On::Others, Refused)],
            other => panic!("unknown right {other}"),
        }
    }

    /// Returns whether the action targets users, so that its right is a list of roles.
    fn is_over_users(&self) -> bool {
        let acts = ["edit others", "delete others", "assign roles", "suspend"];
        (self.resource == "users" && acts.contains(&self.act.as_str()))
            || (self.resource == "invites" && self.act == "add")
    }

    fn by_role(&self, is_allowed: impl Fn(&str) -> bool) -> Vec<(On, Expected)> {
        // For the owner, the owner is not another user; and the owner's request to assign the role of owner is invalid.
        let acts = ["edit others", "assign roles"];
        let is_none = self.role == "Owner" && acts.contains(&self.act.as_str());
        let owner = (!is_none).then_some((On::Role("Owner"), Expected::Refused));
        let others = INVITED.map(|role| {
            if is_allowed(role) {
                (On::Role(role), Expected::Allowed)
            } else {
                (On::Role(role), Expected::Refused)
            }
        });
        owner.into_iter().chain(others).collect()
    }
}
