//! `galley user`

use std::{collections::BTreeMap, io, process::ExitCode};

use clap::{Args, Subcommand};
use data_encoding::BASE32_NOPAD;
use serde::Serialize;
use serde_json::json;

use super::terminal::Output;
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments,
        secret_input::read_secret, site_commands::command,
    },
    config::Config,
    control::{Account, AccountCommand, Command, Reply, SessionReport, TypedPassword},
    domain::role::Role,
    progress::NoProgress,
};

/// Number of random bytes in a generated password: 24 characters of letters and digits.
const PASSWORD_BYTES: usize = 15;

/// The arguments of `user`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley user create --name \"Ada Lovelace\" --email ada@example.com --role owner\n  \
                  galley user list\n  galley user reset-password ada@example.com\n  galley user sign-out ada"
)]
pub struct UserArguments {
    #[command(subcommand)]
    action: UserAction,
}

#[derive(Subcommand)]
enum UserAction {
    /// Create an account; its password is printed if it was generated
    #[command(
        after_help = "Examples:\n  galley user create --name \"Ada Lovelace\" --email ada@example.com --role owner\n  \
                      galley user create --name Ben --email ben@example.com --password-stdin < secret.txt"
    )]
    Create {
        /// The name that readers see
        #[arg(long)]
        name: String,
        /// The e-mail address for sign-in
        #[arg(long)]
        email: String,
        /// owner, administrator, super-editor, editor, author or contributor
        #[arg(long, default_value = "administrator", value_parser = role)]
        role: Role,
        /// Read the password from standard input: its first line
        #[arg(long)]
        password_stdin: bool,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// List the staff
    #[command(after_help = "Examples:\n  galley user list\n  galley user list --json")]
    List {
        /// Print a JSON list of objects
        #[arg(long)]
        json: bool,
    },
    /// Set a new password, printed if it was generated. The user is signed out everywhere
    #[command(
        after_help = "Examples:\n  galley user reset-password ada@example.com\n  \
                      galley user reset-password ada --password-stdin < secret.txt"
    )]
    ResetPassword {
        /// E-mail address, slug or identifier
        user: String,
        /// Read the password from standard input: its first line
        #[arg(long)]
        password_stdin: bool,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// List the sessions of a user
    #[command(
        after_help = "Examples:\n  galley user sessions ada@example.com\n  galley user sessions ada --json"
    )]
    Sessions {
        /// E-mail address, slug or identifier
        user: String,
        /// Print a JSON list of objects
        #[arg(long)]
        json: bool,
    },
    /// Sign a user out everywhere
    #[command(after_help = "Example:\n  galley user sign-out ada@example.com")]
    SignOut {
        /// E-mail address, slug or identifier
        user: String,
    },
}

/// Parses the name of a role. Case is ignored, and dashes count as spaces.
fn role(name: &str) -> Result<Role, String> {
    let requested = name.replace('-', " ").to_lowercase();
    let mut roles = Role::ALL.into_iter();
    roles
        .find(|role| role.name().to_lowercase() == requested)
        .ok_or_else(|| {
            let names = Role::ALL.map(|role| role.name().to_lowercase().replace(' ', "-"));
            format!("the roles are {}", names.join(", "))
        })
}

/// Runs the subcommand.
pub fn run(
    common: &CommonArguments,
    arguments: &UserArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let mut out = Output::standard();
    match &arguments.action {
        UserAction::Create {
            name,
            email,
            role,
            password_stdin,
            json,
        } => {
            let password = NewPassword::get(*password_stdin)?;
            let add = AccountCommand::Add {
                name: name.clone(),
                email: email.clone(),
                role: *role,
                password: TypedPassword(password.text.clone()),
            };
            if let Reply::Account(account) = run_account_command(&config, add)? {
                password.print(&mut out, &account, *json)?;
            }
        }
        UserAction::List { json } => {
            if let Reply::Accounts(accounts) = run_account_command(&config, AccountCommand::List)? {
                print_all(&mut out, &accounts, *json, print)?;
            }
        }
        UserAction::ResetPassword {
            user,
            password_stdin,
            json,
        } => {
            let password = NewPassword::get(*password_stdin)?;
            let reset = AccountCommand::ResetPassword {
                name: user.clone(),
                password: TypedPassword(password.text.clone()),
            };
            if let Reply::Account(account) = run_account_command(&config, reset)? {
                password.print(&mut out, &account, *json)?;
            }
        }
        UserAction::Sessions { user, json } => {
            let sessions = AccountCommand::Sessions { name: user.clone() };
            if let Reply::Sessions(sessions) = run_account_command(&config, sessions)? {
                print_all(&mut out, &sessions, *json, print_session)?;
            }
        }
        UserAction::SignOut { user } => {
            let sign_out = AccountCommand::SignOut { name: user.clone() };
            if let Reply::SignedOut { account, sessions } = run_account_command(&config, sign_out)?
            {
                print_signed_out(&mut out, &account, sessions)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a list, as JSON or by calling `print` for each item.
fn print_all<T: Serialize>(
    out: &mut Output,
    items: &[T],
    as_json: bool,
    print: fn(&mut Output, &T) -> io::Result<()>,
) -> io::Result<()> {
    if as_json {
        return out.json_line(&json!(items));
    }
    items.iter().try_for_each(|item| print(out, item))
}

fn print_signed_out(out: &mut Output, account: &Account, sessions: usize) -> io::Result<()> {
    let times = match sessions {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    writeln!(
        out,
        "{} was signed in {times}, and is now signed out.",
        account.name
    )
}

fn print_session(out: &mut Output, session: &SessionReport) -> io::Result<()> {
    let browser = session.user_agent.as_deref();
    writeln!(out, "{}", browser.unwrap_or("A browser without a name"))?;
    writeln!(out, "  From          {}", session.origin)?;
    writeln!(out, "  Signed in     {}", session.created_at)?;
    writeln!(
        out,
        "  Last used     {}",
        session.last_used_at.strftime("%F")
    )?;
    writeln!(out, "  Ends          {}", session.ends_at)
}

fn run_account_command(
    config: &Config,
    account_command: AccountCommand,
) -> Result<Reply, CommandFailure> {
    command(config, &Command::Account(account_command), &NoProgress)
}

/// A password that was read or generated.
pub struct NewPassword {
    /// The password.
    pub text: String,
    /// True if it was generated here, and must be printed.
    pub is_generated: bool,
}

impl NewPassword {
    /// Reads the password from the first line of standard input, or generates a random one.
    pub fn get(from_input: bool) -> io::Result<Self> {
        if from_input {
            return Ok(Self {
                text: read_secret()?.map_or_else(String::new, |secret| secret.0),
                is_generated: false,
            });
        }
        let mut bytes = [0; PASSWORD_BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self {
            text: BASE32_NOPAD.encode(&bytes).to_lowercase(),
            is_generated: true,
        })
    }

    /// Prints the account, and the password if it was generated.
    fn print(&self, out: &mut Output, account: &Account, as_json: bool) -> io::Result<()> {
        if as_json {
            let mut object = json!(account);
            if self.is_generated {
                object["password"] = json!(self.text);
            }
            return out.json_line(&object);
        }
        print(out, account)?;
        if self.is_generated {
            writeln!(out, "  Password  {}", self.text)
        } else {
            Ok(())
        }
    }
}

fn print(out: &mut Output, account: &Account) -> io::Result<()> {
    let email = account.email.as_deref().unwrap_or("no e-mail address");
    writeln!(out, "{} <{email}>", account.name)?;
    let last_seen = match account.last_seen {
        Some(last_seen) => format!("last seen {last_seen}"),
        None => "never seen".to_owned(),
    };
    let file = match &account.file {
        Some(file) => format!(", from {file}"),
        None => String::new(),
    };
    writeln!(
        out,
        "  {}, {}, {last_seen}{file}",
        account.role, account.status
    )
}
