//! The counts of rate-limited attempts, by [the rules](crate::domain::rate_limit).
//!
//! If the store belongs to this process, the counts are in memory only. That is enough to slow down
//! guessing, since an attacker cannot restart the server; a disk write for every wrong password
//! would make denial of service cheaper.
//!
//! If several processes share the store, they also share the counts, and refuse an attempt that
//! cannot be counted. Wrong Content API keys are an exception, since reads must not wait for the
//! store: blocked clients are cached in memory, and while the store is unavailable each process
//! counts separately.

mod rate_limiter;
mod wrong_keys;

pub use self::rate_limiter::{Counting, RateLimiter};

use crate::{
    domain::rate_limit::{HourlyQuota, PasswordGuesses, RateLimitKey, WrongKeys},
    site::Site,
};

/// All limits on authentication and on mail.
pub struct RateLimits {
    /// Passwords tried by one client (Ghost 6.65, recorded: five).
    pub passwords: RateLimiter<PasswordGuesses<5>>,
    /// Passwords tried for one account, by any client. The limit is higher than for one client;
    /// otherwise five wrong guesses by an attacker would lock the user out.
    pub passwords_of_account: RateLimiter<PasswordGuesses<30>>,
    /// Passwords that a signed-in user enters in order to set a new one.
    pub own_passwords: RateLimiter<PasswordGuesses<30>>,
    /// Sign-in codes entered.
    pub codes: RateLimiter<HourlyQuota<5>>,
    /// Sign-in codes requested again.
    pub codes_again: RateLimiter<HourlyQuota<5>>,
    /// Sign-in codes sent after a right password. The limit is generous; it only prevents flooding
    /// a mailbox.
    pub codes_sent: RateLimiter<HourlyQuota<30>>,
    /// Password reset links requested.
    pub password_resets: RateLimiter<HourlyQuota<5>>,
    /// Newsletters that a member subscribed to again after unsubscribing.
    pub subscriptions_again: RateLimiter<HourlyQuota<20>>,
    /// Links that one client requests for readers.
    pub member_links: RateLimiter<HourlyQuota<30>>,
    /// Links that are mailed to one address.
    pub member_links_to_address: RateLimiter<HourlyQuota<5>>,
    /// Codes of readers that one client enters.
    pub member_codes: RateLimiter<HourlyQuota<30>>,
    /// Codes that are entered for one mail.
    pub member_codes_of_mail: RateLimiter<HourlyQuota<5>>,
    /// Passwords of a private site that one client enters.
    pub site_passwords: RateLimiter<HourlyQuota<30>>,
    /// Wrong tokens of the link that sets a site up, sent by one client.
    pub setup_links: RateLimiter<PasswordGuesses<5>>,
    /// Wrong Content API keys sent by one client.
    pub wrong_keys: RateLimiter<WrongKeys>,
}

impl RateLimits {
    /// Ends the waits after guesses at the password of the account `email`, because it has a new
    /// password. Guesses at other accounts remain counted.
    pub(super) fn end_password_waits(&self, email: &str, site: &Site) {
        let account = RateLimitKey::account(email);
        self.passwords.end_waits_for(account, site);
        self.passwords_of_account.clear_all_guesses(account, site);
        self.own_passwords.clear_all_guesses(account, site);
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            passwords: RateLimiter::named("passwords"),
            passwords_of_account: RateLimiter::named("passwords_of_account"),
            own_passwords: RateLimiter::named("own_passwords"),
            codes: RateLimiter::named("codes"),
            codes_again: RateLimiter::named("codes_again"),
            codes_sent: RateLimiter::named("codes_sent"),
            password_resets: RateLimiter::named("password_resets"),
            subscriptions_again: RateLimiter::named("subscriptions_again"),
            member_links: RateLimiter::named("member_links"),
            member_links_to_address: RateLimiter::named("member_links_to_address"),
            member_codes: RateLimiter::named("member_codes"),
            member_codes_of_mail: RateLimiter::named("member_codes_of_mail"),
            site_passwords: RateLimiter::named("site_passwords"),
            setup_links: RateLimiter::named("setup_links"),
            wrong_keys: RateLimiter::named("wrong_keys"),
        }
    }
}
