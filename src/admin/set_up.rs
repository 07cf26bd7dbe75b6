//! Setting up a site: its owner and its title (Ghost 6.65, recorded).

use std::sync::Arc;

use serde_json::json;
use url::Url;

use super::{
    collection, content_files,
    posts::{self, BodyChange, ChangeContext, PostChange, body},
    settings,
    users::{self, UserChanges},
};
use crate::{
    catalog::Catalog,
    domain::{
        UNDATED,
        action::ActionEvent,
        actor::{Actor, SignInMethod},
        credentials::Credentials,
        email,
        newsletter::Newsletter,
        password::Password,
        password_strength::{self, Chooser},
        post::{PostKind, Status, Visibility},
        role::Role,
        secret::{Digest, Secret},
        setting::SETTINGS_EDIT,
        tier::Tier,
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
    site::{Site, Transaction},
};

/// Longest name of a person, in characters (Ghost 6.65, recorded).
const NAME_CHARACTERS_MAX: usize = 191;

/// Longest title of a site, in characters (Ghost 6.65, recorded).
const TITLE_CHARACTERS_MAX: usize = 150;

/// Body of the initial page of a new site.
const ABOUT_PAGE: &str =
    "<p>Say here who writes this site, what it is about and how to reach you.</p>";

/// The data of a set-up.
#[derive(Debug)]
pub struct SetUp<'a> {
    /// The owner's name.
    pub name: &'a str,
    /// The owner's email address.
    pub email: &'a str,
    /// The owner's password.
    pub password: &'a Password,
    /// The title of the site; by default the current one.
    pub site_title: Option<&'a str>,
    /// The path of the site's URL, which the owner's slug must not shadow.
    pub subdirectory: &'a str,
    /// The site's public URL.
    pub site: &'a Url,
}

/// Returns whether the site has an owner.
pub fn is_done(catalog: &Catalog) -> bool {
    catalog.owner().is_some()
}

/// Sets the owner and the title of a site. The default paid tier and the default newsletter are
/// named after the title.
///
/// A user with this email address, such as an author of content files, becomes the owner. Otherwise
/// the placeholder for the owner does, who is the author of posts written with API keys.
///
/// # Errors
///
/// `NoPermission` if the site has an owner, `Validation` if a value is missing or the password is
/// easy to guess.
pub fn set_up(site: &Site, setup: &SetUp) -> Result<Arc<User>> {
    let before = Arc::clone(&site.current());
    // Checked first, so that clients cannot make a site that is set up hash passwords.
    refuse_when_done(&before.catalog)?;
    let title = check(setup, &before.catalog)?;
    let credentials = Credentials {
        password_hash: setup.password.hash()?,
    };
    site.write(|transaction| {
        // Checked again, because another request may have set up the site in the meantime.
        refuse_when_done(transaction.catalog())?;
        let owner = owner(transaction, setup)?;
        let id = owner.id;
        transaction.save(owner)?;
        transaction.save_credentials(id, &credentials)?;
        name_site(transaction, &title)?;
        // The links of all processes end with the first owner.
        transaction.end_setup_links()?;
        let actor = Actor::User {
            id,
            role: Role::Owner,
            method: SignInMethod::Session,
        };
        add_default_content(transaction, &actor, setup.site)?;
        let owner = users::found(transaction, Some(id))?;
        collection::record_action(transaction, &actor, ActionEvent::Added, &*owner)?;
        Ok(owner)
    })
}

/// Edits the values of the set-up, all or none: the owner's name and email address, and the title
/// of the site.
///
/// # Errors
///
/// `NoPermission` if the actor is not the owner; otherwise as [`users::edit`], also for the title.
pub fn edit(
    site: &Site,
    actor: &Actor,
    changes: &UserChanges,
    title: Option<&str>,
    session: Option<Digest>,
    site_url: &Url,
) -> Result<Arc<User>> {
    if actor.role() != Some(Role::Owner) {
        return Err(SETTINGS_EDIT.refusal());
    }
    content_files::edit(site, actor, |transaction| {
        let owner = actor.user();
        let edited = users::edit_in(transaction, actor, owner, changes, session, site_url)?;
        if let Some(title) = title
            && !settings::is_in_file(transaction, "title", &json!(title))?
        {
            name_site(transaction, title)?;
        }
        Ok(edited.user)
    })
}

/// Rejects the set-up of a site that has an owner.
///
/// # Errors
///
/// `NoPermission` if it has one.
pub fn refuse_when_done(catalog: &Catalog) -> Result<()> {
    if is_done(catalog) {
        Err(
            Error::new(Kind::NoPermission, "The site already has an owner.")
                .help("Sign in, or create an account with `galley user create`."),
        )
    } else {
        Ok(())
    }
}

/// Returns the title of the site, if all values are valid.
fn check(setup: &SetUp, catalog: &Catalog) -> Result<String> {
    let name = setup.name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARACTERS_MAX {
        return Err(invalid(
            "name",
            format!("A name must have 1 to {NAME_CHARACTERS_MAX} characters."),
        ));
    }
    if !email::is_address(setup.email.trim()) {
        return Err(invalid("email", "An e-mail address is needed.".to_owned()));
    }
    let title = match setup.site_title.map(str::trim) {
        Some(title) if !title.is_empty() => title.to_owned(),
        _ => catalog.settings.text("title").unwrap_or_default(),
    };
    if title.chars().count() > TITLE_CHARACTERS_MAX {
        let message =
            format!("The name of a site must have at most {TITLE_CHARACTERS_MAX} characters.");
        return Err(invalid("blogTitle", message));
    }
    let chooser = Chooser {
        email: setup.email,
        name,
        site_title: &title,
    };
    password_strength::check(setup.password, chooser)?;
    Ok(title)
}

fn owner(transaction: &Transaction, setup: &SetUp) -> Result<User> {
    let existing = transaction.catalog().user_by_email(setup.email);
    if let Some(existing) = existing {
        let is_of_file = existing.origin.is_file() || existing.implied;
        return Ok(User {
            // The next pass over the content files would set the name of the file again.
            name: if is_of_file {
                existing.name.clone()
            } else {
                setup.name.trim().into()
            },
            role: Role::Owner,
            status: UserStatus::Active,
            // The account is now permanent, even if no content file names it.
            implied: false,
            ..User::clone(existing)
        });
    }
    users::new_account(
        transaction,
        setup.name,
        setup.email,
        Role::Owner,
        setup.subdirectory,
    )
}

/// Sets the title of the site, and the names and dates of the default records that are named after
/// it. Values from content files remain unchanged.
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
    // Default records have no date on a site with content files, so that the same files produce the
    // same site on any day.
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
            if is_without_date(tier.created_at) {
                return named;
            }
            // Default tiers get both dates from the set-up, as in Ghost (6.65, recorded).
            Tier {
                created_at: now,
                updated_at: Some(now),
                ..named
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

/// Adds the initial content of a Ghost site to a site without content files: menus, the page that
/// they link to, and the tagging of outbound links (Ghost 6.65, recorded). Existing values remain
/// unchanged.
fn add_default_content(transaction: &mut Transaction, owner: &Actor, site: &Url) -> Result<()> {
    let catalog = transaction.catalog();
    let is_of_files = !catalog.settings.keys_of_file().is_empty()
        || catalog.posts.iter().any(|post| post.origin.is_file());
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
    let context = ChangeContext { actor: owner, site };
    let page = PostChange {
        title: Some("About this site".to_owned()),
        slug: Some("about".to_owned()),
        status: Some(Status::Published),
        visibility: Some(Visibility::Public),
        body: Some(BodyChange::Document(
            body::of_html(ABOUT_PAGE, site)?.into(),
        )),
        ..PostChange::default()
    };
    posts::add(transaction, &context, PostKind::Page, page).map(drop)
}

fn invalid(property: &'static str, message: String) -> Error {
    Error::new(Kind::Validation, message).property(property)
}
