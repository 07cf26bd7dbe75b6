//! Tests of the transports HTTP, with a token, and ssh, and of outages.

use std::fs;

use super::{
    host::Host,
    origin::{Origin, site_of},
    requests::{authorization, send},
};
use galley_tests::{
    command_line::{galley, run},
    folder::post,
    galley_process::GalleyProcess,
    scripts::write_script,
};

const HOUR: u32 = 3600;

fn one_post() -> Origin {
    Origin::with(&[("posts/first.md", &post("First", ""))])
}

#[test]
fn http_repository_recovers_after_an_outage() {
    let origin = one_post();
    let host = Host::serve(origin.top(), None);
    let folder = site_of(&host.url("site.git"), HOUR, "");
    let served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(served.titles(), ["First"]);
    let authorization = authorization(&folder);
    let sync = || send(&served, "POST", "git/sync/", &[&authorization], "").1["git"][0].clone();
    origin.push(&[("posts/second.md", &post("Second", ""))], "Second");
    host.set_away(true);
    let state = sync();
    assert!(
        state["failure"]["message"]
            .as_str()
            .expect("a text")
            .starts_with("querying the repository: "),
        "{state}"
    );
    assert_eq!(state["failure"]["attempts"], 1);
    assert_eq!(served.titles(), ["First"]);
    host.set_away(false);
    let state = sync();
    assert!(state["failure"].is_null(), "{state}");
    assert_eq!(served.titles().len(), 2);
}

#[test]
fn token_grants_access_and_is_never_logged() {
    const TOKEN: &str = "ghp_VerySecretToken";
    let origin = one_post();
    let host = Host::serve(origin.top(), Some(TOKEN));
    let url = host.url("site.git");
    let closed = run(
        &site_of(&url, HOUR, ""),
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    assert_eq!(closed.code, Some(1));
    assert!(
        closed.err.contains("set source.git.token"),
        "{}",
        closed.err
    );
    let wrong = site_of(&url, HOUR, "token = \"ghp_Wrong\"");
    let refused = run(
        &wrong,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    assert_eq!(refused.code, Some(1));
    assert!(!refused.err.contains("ghp_Wrong"), "{}", refused.err);
    let folder = site_of(&url, HOUR, &format!("token = \"{TOKEN}\""));
    let served = GalleyProcess::serve(&folder, &["-vv"]);
    assert_eq!(served.titles(), ["First"]);
    let status = run(&folder, &["status", "--data", "data", "--json"]);
    let output = served.stop(rustix::process::Signal::TERM);
    assert!(!format!("{}{}{}", output.out, output.err, status.out).contains(TOKEN));
    let with_password = url.replace("http://", &format!("http://x-access-token:{TOKEN}@"));
    let served = GalleyProcess::serve(&site_of(&with_password, HOUR, ""), &[]);
    assert_eq!(served.titles(), ["First"]);
}

#[test]
fn ssh_uses_the_configured_program() {
    let origin = one_post();
    let ssh = origin.top().join("ssh");
    // A fake ssh: it logs its arguments, and runs the remote command locally.
    let script = "#!/bin/sh\nfor last; do :; done\necho \"$@\" >> \"$(dirname \"$0\")/asked\"\neval \"$last\"\n";
    write_script(&ssh, script);
    let url = format!("git@git.example:{}", origin.bare().display());
    let folder = site_of(&url, HOUR, "");
    let mut command = galley(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    command
        .env("GIT_SSH_COMMAND", &ssh)
        .env("PATH", std::env::var_os("PATH").expect("a path"));
    let served = GalleyProcess::from_command(&mut command);
    assert_eq!(served.titles(), ["First"]);
    let asked = fs::read_to_string(origin.top().join("asked")).expect("it was asked");
    assert!(asked.contains("git@git.example"), "{asked}");
}
