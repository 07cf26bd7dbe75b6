//! Helpers for URLs of social media accounts: `facebook_url`, `twitter_url`, `social_url`, `social_accounts`.

use super::coercion::is_empty;
use crate::{
    front_end::{PageState, helper_row::HelperRow},
    templates::{Call, HelperResult, PlainObject, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("facebook_url", facebook_url),
    HelperRow::block("social_accounts", social_accounts),
    HelperRow::inline("social_url", social_url),
    HelperRow::inline("twitter_url", twitter_url),
];

/// The platforms in the order of the accounts: the name in themes, the property with the account, and the display name.
const PLATFORMS: [(&str, &str, &str); 9] = [
    ("x", "twitter", "X"),
    ("facebook", "facebook", "Facebook"),
    ("linkedin", "linkedin", "LinkedIn"),
    ("bluesky", "bluesky", "Bluesky"),
    ("threads", "threads", "Threads"),
    ("mastodon", "mastodon", "Mastodon"),
    ("tiktok", "tiktok", "TikTok"),
    ("youtube", "youtube", "YouTube"),
    ("instagram", "instagram", "Instagram"),
];

/// Returns the URL of an account; `None` for an unknown platform.
pub fn account_url(platform: &str, account: &str) -> Option<String> {
    let without_at = account.strip_prefix('@').unwrap_or(account);
    Some(match platform {
        "twitter" | "x" => format!("https://x.com/{without_at}"),
        "facebook" => {
            format!(
                "https://www.facebook.com/{}",
                account.strip_prefix('/').unwrap_or(account)
            )
        }
        "threads" => format!("https://www.threads.net/@{without_at}"),
        "bluesky" => format!("https://bsky.app/profile/{account}"),
        "mastodon" => format!("https://{account}"),
        "tiktok" => format!("https://www.tiktok.com/@{without_at}"),
        "youtube" => format!("https://www.youtube.com/{account}"),
        "instagram" => format!("https://www.instagram.com/{account}"),
        "linkedin" => {
            let kinds = ["in/", "company/", "school/", "pub/"];
            let has_kind = kinds.iter().any(|kind| account.starts_with(kind));
            format!(
                "https://www.linkedin.com/{}{account}",
                if has_kind { "" } else { "in/" }
            )
        }
        _ => return None,
    })
}

/// Writes the URL of a Facebook account: the argument, else the account of the record or of the site.
fn facebook_url(call: &mut Call<PageState>) -> HelperResult {
    given_or_own(call, "facebook")
}

/// Writes the URL of an X account: the argument, else the account of the record or of the site.
fn twitter_url(call: &mut Call<PageState>) -> HelperResult {
    given_or_own(call, "twitter")
}

/// Writes the URL of the account on the platform `type`: that of the record, else that of the site.
fn social_url(call: &mut Call<PageState>) -> HelperResult {
    // A positional argument replaces the named ones (Ghost 6.65, recorded).
    if !call.arguments().is_empty() {
        return Ok(Value::Null);
    }
    let Some(platform) = call.option("type").filter(|platform| platform.is_true()) else {
        return Ok(Value::Null);
    };
    let platform = platform.to_string();
    Ok(url_of(&platform, &own_account(call, &platform)))
}

fn given_or_own(call: &Call<PageState>, platform: &str) -> HelperResult {
    let account = match call.arguments() {
        [] => own_account(call, platform),
        [given, ..] => given.clone(),
    };
    if account.is_true() && !matches!(account, Value::Text(_)) {
        return Err(call.error("an account name must be a string"));
    }
    Ok(url_of(platform, &account))
}

fn url_of(platform: &str, account: &Value) -> Value {
    let account = Some(account).filter(|account| account.is_true());
    account
        .and_then(|account| account_url(platform, &account.to_string()))
        .into()
}

/// Returns the account of the current record, else that of the site.
fn own_account(call: &Call<PageState>, platform: &str) -> Value {
    let own = call.property(platform);
    if is_empty(&own) {
        call.data("site").get(platform)
    } else {
        own
    }
}

/// Renders its block for each account of the record that is its argument.
fn social_accounts(call: &mut Call<PageState>) -> HelperResult {
    if call.arguments().is_empty() {
        return Err(
            call.error("{{#social_accounts}} needs a source, such as {{#social_accounts @site}}")
        );
    }
    if !call.has_block() {
        return Err(call.error("{{#social_accounts}} needs a block"));
    }
    let source = call.argument(0);
    let accounts: Vec<Value> = PLATFORMS
        .iter()
        .filter_map(|(platform, property, name)| {
            let account = source.get(property);
            let href = url_of(property, &account);
            href.is_some().then(|| {
                let record = PlainObject::new()
                    .with("type", *platform)
                    .with("name", *name);
                record.with("username", account).with("href", href).into()
            })
        })
        .collect();
    if accounts.is_empty() {
        let this = call.this().clone();
        call.render_inverse(&this, &[])?;
    }
    let last = accounts.len();
    for (index, account) in accounts.iter().enumerate() {
        let data = [
            ("index", Value::from(index)),
            ("number", Value::from(index + 1)),
            ("first", Value::from(index == 0)),
            ("last", Value::from(index + 1 == last)),
            // The first item, with index 0, is the odd one: parity is that of `@number`.
            ("even", Value::from(index % 2 == 1)),
            ("odd", Value::from(index % 2 == 0)),
        ];
        call.render_block(account, &data, &[])?;
    }
    Ok(Value::Undefined)
}
