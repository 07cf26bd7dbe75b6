//! Setting a site up: its owner and its name (Ghost 6.65, recorded).

use std::sync::Arc;

use serde_json::json;
use url::Url;

use super::{
    posts::{self, BodyChange, PostChange, Writer, body},
    users::{self, Changes},
};
use crate::{
    catalog::Catalog,
    domain::{
        UNDATED,
        action::{ActionEvent, Subject},
        actor::{Actor, Means},
        credentials::Credentials,
        email,
        newsletter::Newsletter,
        password::Password,
        password_strength::{self, Chooser},
        permission::SETTINGS_EDIT,
        post::{PostKind, Status, Visibility},
        role::Role,
        secret::Secret,
        tier::Tier,
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, Transaction},
};

/// Longest name of a person, in characters (Ghost 6.65, recorded).
const NAME_CHARACTERS_MAX: usize = 191;

/// Longest name of a site, in characters (Ghost 6.65, recorded).
const TITLE_CHARACTERS_MAX: usize = 150;

/// What the page says that a new site begins with.
const ABOUT_PAGE: &str =
    "<p>Say here who writes this site, what it is about and how to reach you.</p>";

/// What the first owner of a site says.
#[derive(Debug)]
pub struct SetUp<'a> {
    /// The owner's name.
    pub name: &'a str,
    /// The owner's e-mail address.
    pub email: &'a str,
    /// What the owner wants to sign in with.
    pub password: &'a Password,
    /// What the site is to be called; what it is called now, when there is nothing.
    pub site_title: Option<&'a str>,
    /// The path that the site lives at: a user's slug must not hide it.
    pub subdirectory: &'a str,
    /// The site's public URL.
    pub site: &'a Url,
}

/// Whether the site has an owner.
pub fn is_done(catalog: &Catalog) -> bool {
    catalog.owner().is_some()
}

/// Gives a site its owner and its name. The paid tier and the newsletter that it began with take that name.
///
/// Who is known by the address already, as the author of content files, becomes the owner; or else who stands in for the
/// owner as the author of posts that keys have written.
///
/// # Errors
///
/// `NoPermission` when it has an owner, `Validation` when something is missing or the password is easily guessed.
pub fn set_up(site: &Site, wanted: &SetUp) -> Result<Arc<User>> {
    let before = Arc::clone(&site.current());
    refuse_when_done(&before.catalog)?;
    let title = check(wanted, &before.catalog)?;
    let password_hash = wanted.password.hash()?;
    site.write(|transaction| {
        refuse_when_done(transaction.catalog())?;
        let owner = owner(transaction, wanted)?;
        let id = owner.id;
        transaction.save(owner)?;
        transaction.save_credentials(id, &Credentials { password_hash })?;
        name_site(transaction, &title)?;
        let actor = Actor::User {
            id,
            role: Role::Owner,
            means: Means::Session,
        };
        furnish(transaction, &actor, wanted.site)?;
        note(transaction, &actor, id)?;
        let saved = transaction.catalog().users.get(id);
        Ok(Arc::clone(saved.expect("invariant: it was saved above")))
    })
}

/// Changes what was said at the set-up: the owner's name and address, and the name of the site.
///
/// # Errors
///
/// `NoPermission` for everybody but the owner, otherwise as [`users::edit`].
pub fn edit(
    site: &Site,
    actor: &Actor,
    changes: &Changes,
    title: Option<&str>,
    subdirectory: &str,
) -> Result<Arc<User>> {
    if actor.role() != Some(Role::Owner) {
        return Err(SETTINGS_EDIT.refusal());
    }
    let edited = users::edit(site, actor, actor.user(), changes, subdirectory)?;
    if let Some(title) = title {
        site.write(|transaction| name_site(transaction, title))?;
    }
    Ok(edited.user)
}

/// Refuses to set a site up that has an owner.
///
/// # Errors
///
/// `NoPermission` when it has one.
pub fn refuse_when_done(catalog: &Catalog) -> Result<()> {
    if is_done(catalog) {
        Err(
            Error::new(Kind::NoPermission, "The site already has an owner.")
                .help("Sign in; or have `galley user create` make you an account."),
        )
    } else {
        Ok(())
    }
}

/// The site's name, when everything can be done as it is wanted.
fn check(wanted: &SetUp, catalog: &Catalog) -> Result<String> {
    let name = wanted.name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARACTERS_MAX {
        return Err(invalid(
            "name",
            format!("A name has 1 to {NAME_CHARACTERS_MAX} characters."),
        ));
    }
    if !email::is_address(wanted.email.trim()) {
        return Err(invalid("email", "An e-mail address is needed.".to_owned()));
    }
    let title = match wanted.site_title.map(str::trim) {
        Some(title) if !title.is_empty() => title.to_owned(),
        _ => catalog.settings.text("title").unwrap_or_default(),
    };
    if title.chars().count() > TITLE_CHARACTERS_MAX {
        let message = format!("The name of a site has at most {TITLE_CHARACTERS_MAX} characters.");
        return Err(invalid("blogTitle", message));
    }
    let chooser = Chooser {
        email: wanted.email,
        name,
        site_title: &title,
    };
    password_strength::check(wanted.password, chooser)?;
    Ok(title)
}

fn owner(transaction: &Transaction, wanted: &SetUp) -> Result<User> {
    let known = transaction.catalog().user_by_email(wanted.email);
    if let Some(known) = known {
        let is_of_file = known.source.is_some() || known.implied;
        return Ok(User {
            name: if is_of_file {
                known.name.clone()
            } else {
                wanted.name.trim().into()
            },
            role: Role::Owner,
            status: UserStatus::Active,
            // It does not go any more when no content file names it.
            implied: false,
            ..User::clone(known)
        });
    }
    users::new_account(
        transaction,
        wanted.name,
        wanted.email,
        Role::Owner,
        wanted.subdirectory,
    )
}

/// Names the site, and what it began with that has its name, and dates that. What a content file says stays.
fn name_site(transaction: &mut Transaction, title: &str) -> Result<()> {
    let old = transaction
        .catalog()
        .settings
        .text("title")
        .unwrap_or_default();
    transaction.edit_settings([("title".to_owned(), json!(title))].into())?;
    let new = transaction
        .catalog()
        .settings
        .text("title")
        .unwrap_or_default();
    let now = transaction.now();
    let catalog = transaction.catalog();
    let has_beginning = catalog.began_at.is_some();
    // Beside content files it has no date, so that they make the same site on any day.
    let is_without_date = |created_at| has_beginning && created_at == UNDATED;
    let name_now = |name: &str| {
        if *name == *old {
            new.as_str().into()
        } else {
            name.into()
        }
    };
    let tiers = catalog.tiers.iter().map(AsRef::as_ref);
    let tiers: Vec<Tier> = tiers
        .filter(|tier: &&Tier| tier.is_untouched_default())
        .map(|tier| {
            let named = Tier {
                name: name_now(&tier.name),
                ..tier.clone()
            };
            match is_without_date(tier.created_at) {
                true => named,
                // They begin with the site, and so does the date of their last change (Ghost 6.65, recorded).
                false => Tier {
                    created_at: now,
                    updated_at: Some(now),
                    ..named
                },
            }
        })
        .collect();
    let newsletters = catalog.newsletters.iter().map(AsRef::as_ref);
    let newsletters: Vec<Newsletter> = newsletters
        .filter(|newsletter: &&Newsletter| newsletter.is_untouched_default())
        .map(|newsletter| {
            let named = Newsletter {
                name: name_now(&newsletter.name),
                ..newsletter.clone()
            };
            if is_without_date(newsletter.created_at) {
                named
            } else {
                Newsletter {
                    created_at: now,
                    updated_at: now,
                    ..named
                }
            }
        })
        .collect();
    tiers
        .into_iter()
        .try_for_each(|tier| transaction.save(tier))?;
    newsletters
        .into_iter()
        .try_for_each(|newsletter| transaction.save(newsletter))
}

/// Gives a site that content files do not describe what a site of Ghost begins with: menus, the page that they lead to, and
/// the name of the site in links that lead elsewhere (Ghost 6.65, recorded). What is there already stays.
fn furnish(transaction: &mut Transaction, owner: &Actor, site: &Url) -> Result<()> {
    let catalog = transaction.catalog();
    let is_of_files = !catalog.settings.keys_of_file().is_empty()
        || catalog.posts.iter().any(|post| post.source.is_some());
    if is_of_files {
        return Ok(());
    }
    let public_hash = Secret::generate().map_err(Error::internal)?.digest();
    let beginnings = [
        (
            "navigation",
            json!([{"label": "Home", "url": "/"}, {"label": "About", "url": "/about/"}]),
        ),
        (
            "secondary_navigation",
            json!([{"label": "Sign up", "url": "#/portal/"}]),
        ),
        ("outbound_link_tagging", json!(true)),
        ("public_hash", json!(public_hash)),
    ];
    let set = catalog.settings.set_values();
    let missing = beginnings
        .into_iter()
        .filter(|(key, _)| !set.contains_key(*key))
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    transaction.edit_settings(missing)?;
    if transaction.catalog().posts.iter().next().is_some() {
        return Ok(());
    }
    add_about_page(transaction, owner, site)
}

fn add_about_page(transaction: &mut Transaction, owner: &Actor, site: &Url) -> Result<()> {
    let writer = Writer { actor: owner, site };
    let page = PostChange {
        title: Some("About this site".to_owned()),
        slug: Some("about".to_owned()),
        status: Some(Status::Published),
        visibility: Some(Visibility::Public),
        body: Some(BodyChange::Document(body::of_html(ABOUT_PAGE, site)?)),
        ..PostChange::default()
    };
    posts::add(transaction, &writer, PostKind::Page, page).map(drop)
}

fn note(transaction: &mut Transaction, actor: &Actor, id: Id) -> Result<()> {
    let owner = transaction.catalog().users.get(id);
    let name = owner.map(|owner| owner.name.clone()).unwrap_or_default();
    let subject = Subject {
        id,
        resource_type: "user",
        name: Some(&name),
        kind: None,
    };
    transaction.record_action(actor, ActionEvent::Added, subject)
}

fn invalid(property: &'static str, message: String) -> Error {
    Error::new(Kind::Validation, message).property(property)
}
