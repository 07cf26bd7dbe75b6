//! Tests of the sources of options and settings, and of their precedence.

use galley_tests::{
    command_line::{galley, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};

/// Returns the first line of the greeting, which contains the site's title and URL.
fn site_of(served: &GalleyProcess) -> String {
    served.greeting.lines().next().expect("a line").to_owned()
}

#[test]
fn precedence_is_flag_environment_galley_toml_site_toml() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let serve = |url: Option<&str>, flags: &[&str]| {
        let flags = [&["--listen", "127.0.0.1:0"], flags].concat();
        let mut command = galley(&folder, &flags);
        if let Some(url) = url {
            command.env("GALLEY_URL", url);
        }
        site_of(&GalleyProcess::from_command(&mut command))
    };
    assert!(serve(None, &[]).contains("http://127.0.0.1:"));
    folder.write(
        "site.toml",
        "title = \"T\"\nurl = \"https://site.example/blog\"\n",
    );
    assert_eq!(serve(None, &[]), "T is at https://site.example/blog/");
    folder.write("../galley.toml", "url = \"https://file.example\"\n");
    assert_eq!(serve(None, &[]), "T is at https://file.example/");
    let variable = Some("https://variable.example");
    assert_eq!(serve(variable, &[]), "T is at https://variable.example/");
    let flag = ["--url", "https://flag.example"];
    assert_eq!(serve(variable, &flag), "T is at https://flag.example/");
}

#[test]
fn changed_url_in_site_toml_applies_while_serving() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("site.toml", "url = \"https://one.example\"\n"),
    ]);
    let served = GalleyProcess::serve(&folder, &[]);
    let url = |served: &GalleyProcess| served.get("posts/")["posts"][0]["url"].clone();
    assert_eq!(url(&served), "https://one.example/a/");
    folder.write("site.toml", "url = \"https://two.example/blog\"\n");
    served.wait_for_titles(|_| url(&served) == "https://two.example/blog/a/");
}

#[test]
fn named_configuration_file_must_exist() {
    let folder = Folder::new();
    folder.write("../other.toml", "data = \"from-other\"\n");
    run(
        &folder,
        &["key", "create", "--name", "A", "--config", "other.toml"],
    );
    assert!(folder.top().join("from-other/galley.redb").exists());
    let output = run(&folder, &["status", "--config", "nowhere.toml"]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("nowhere.toml"), "{}", output.err);
}

#[test]
fn unknown_or_invalid_options_are_reported_with_position_and_advice() {
    let folder = Folder::new();
    let cases = [
        (
            "lisen = \"x\"",
            &[
                "galley.toml:1:1: unknown option \"lisen\"",
                "Did you mean \"listen\"?",
            ][..],
        ),
        (
            "[server]\nthread = 1",
            &["unknown option \"server.thread\"", "\"server.threads\""],
        ),
        (
            "listen = \"everywhere\"",
            &[
                "galley.toml:1:1: listen",
                "\"everywhere\"",
                "127.0.0.1:2368",
            ],
        ),
        (
            "[server]\nurl_kb = 0",
            &[
                "galley.toml:2:1: server.url_kb",
                "a whole number from 1 to 1024",
            ],
        ),
        (
            "log_format = \"xml\"",
            &["galley.toml:1:1: log_format", "text, json"],
        ),
        (
            "data = true",
            &["galley.toml:1:1: data", "text or a whole number"],
        ),
        (
            "[tls]\ncert = \"cert.pem\"",
            &[
                "galley.toml:2:1: tls.cert is set, but tls.key is not",
                "private key",
            ],
        ),
        (
            "[tls]\nkey = \"key.pem\"",
            &[
                "galley.toml:2:1: tls.key is set, but tls.cert is not",
                "certificate",
            ],
        ),
        ("data = ", &["galley.toml:1:8: "]),
    ];
    for (text, expected) in cases {
        folder.write("../galley.toml", text);
        let output = run(&folder, &["status"]);
        assert_eq!(output.code, Some(1), "{text}");
        for part in expected {
            assert!(
                output.err.contains(part),
                "{text}: {part} is not in {}",
                output.err
            );
        }
    }
}

#[test]
fn all_configuration_errors_are_reported_together() {
    let folder = Folder::new();
    folder.write(
        "../galley.toml",
        "lisen = \"x\"\nurl = true\n\n[server]\n  url_kb = 0\n  thread = 1\n  connections = 99999999999999999999\n\n[tls]\ncert = \"a\"\n\n[backup]\nto = \"backups\"\nevery = \"often\"\n",
    );
    let mut command = galley(&folder, &["check"]);
    command.env("GALLEY_STORE_CACHE_MB", "much");
    let output = command.output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    let lines: Vec<&str> = err.lines().collect();
    let beginnings = [
        "galley: 8 errors in the configuration:",
        "  GALLEY_STORE_CACHE_MB: \"much\" is not a whole number",
        "  galley.toml:1:1: unknown option \"lisen\"",
        "  galley.toml:2:1: url: \"a boolean\" is not text",
        "  galley.toml:5:3: server.url_kb: \"0\" is not a whole number",
        "  galley.toml:6:3: unknown option \"server.thread\"",
        "  galley.toml:7:3: server.connections: \"99999999999999999999\" is not a whole number",
        "  galley.toml:10:1: tls.cert is set, but tls.key is not",
        "  galley.toml:14:1: backup.every: \"often\" is not",
    ];
    assert_eq!(lines.len(), beginnings.len(), "{err}");
    for (line, beginning) in lines.iter().zip(beginnings) {
        assert!(
            line.starts_with(beginning),
            "expected {beginning}, found {line}"
        );
    }
}

#[test]
fn syntax_errors_are_reported_with_the_others() {
    let folder = Folder::new();
    folder.write(
        "../galley.toml",
        "url = \"ftp://x\"\nlisten = \nlisen = 1\n\n[server\n",
    );
    let output = run(&folder, &["check"]);
    assert_eq!(output.code, Some(1));
    for begin in [
        "  galley.toml:1:1: url: \"ftp://x\" is not",
        "  galley.toml:2:10: ",
        "  galley.toml:3:1: unknown option \"lisen\"",
        "  galley.toml:5:",
    ] {
        let is_reported = output.err.lines().any(|line| line.starts_with(begin));
        assert!(is_reported, "{begin} is not in {}", output.err);
    }
    let output = run(&folder, &["check", "--json"]);
    assert_eq!(output.code, Some(1));
    let problems: serde_json::Value = serde_json::from_str(&output.out).expect("JSON");
    let first = &problems[0];
    assert_eq!(
        (&first["file"], &first["line"], &first["column"]),
        (&"galley.toml".into(), &1.into(), &1.into())
    );
    assert!(
        first["message"]
            .as_str()
            .is_some_and(|message| message.starts_with("url: "))
    );
}

/// Configurations that have valid values but cannot be served, each with a part of the expected error.
const NOT_STARTABLE: [(&str, &str); 8] = [
    (
        "source.write_back = \"push\"\n",
        "galley.toml:1:8: source.write_back: \"push\" is not possible without a repository",
    ),
    (
        "source.write_back = \"folder\"\nsource.git.url = \"https://git.test/a.git\"\ncontent = \"\"\n",
        "galley.toml:1:8: source.write_back: \"folder\" is not possible without a content folder",
    ),
    ("source.write_back = \"commit\"\n", "source.write_back: "),
    (
        "domain = [\"a.test\"]\nlisten = \"127.0.0.1:8443\"\ntls.listen = \"[::]:8443\"\n",
        "galley.toml:3:5: tls.listen: \"[::]:8443\" is not an address other than listen",
    ),
    (
        "domain = [\"a.test\", \"A.TEST.\"]\n",
        "galley.toml:1:1: domain: ",
    ),
    (
        "backup.to = \"data/backups\"\n",
        "galley.toml:1:8: backup.to: \"data/backups\" is not outside of the data folder",
    ),
    (
        "theme = \"nowhere\"\n",
        "there is no folder nowhere with a theme",
    ),
    (
        "source.new_posts = \"nowhere/{slug}.md\"\nsource.write_back = \"folder\"\n",
        "source.new_posts: posts are not read from",
    ),
];

#[test]
fn check_doctor_and_reload_reject_configurations_that_cannot_be_served() {
    for (options, expected) in NOT_STARTABLE {
        let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
        let served = GalleyProcess::serve(&folder, &[]);
        folder.write("../galley.toml", options);
        let depends_on_the_machine = options.starts_with("theme") || options.contains("\"commit\"");
        // The path of new files is checked against the content folder at the start, and `--listen` overrides the file here.
        let reload_accepts = options.starts_with("source.new") || options.contains("tls.listen");
        if !depends_on_the_machine {
            let output = run(&folder, &["check", "--data", "data"]);
            assert_eq!(output.code, Some(1), "{options}");
            assert!(
                output.err.contains(expected),
                "check of {options}: {}",
                output.err
            );
        }
        if !reload_accepts {
            let output = run(&folder, &["reload", "--data", "data"]);
            assert_eq!(output.code, Some(1), "{options}");
            assert!(
                output.err.contains(expected),
                "reload of {options}: {}",
                output.err
            );
            let output = run(&folder, &["doctor", "--data", "data"]);
            assert!(
                output.out.contains(expected),
                "doctor of {options}: {}",
                output.out
            );
        }
        drop(served);
        let output = run(&folder, &["serve", "--data", "data"]);
        assert_eq!(output.code, Some(1), "{options}");
        assert!(
            output.err.contains(expected),
            "serve of {options}: {}",
            output.err
        );
    }
}

#[test]
fn all_errors_of_the_configuration_are_in_the_json_of_check() {
    const NEW_POSTS: &str =
        "\nsource.new_posts = \"nowhere/{slug}.md\"\nsource.write_back = \"folder\"\n";
    const PUSH: &str = "\nsource.write_back = \"push\"\n";
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let checked = |arguments: &[&str]| {
        let output = run(&folder, &[&["check", "--json"], arguments].concat());
        assert_eq!(output.code, Some(1), "{arguments:?}");
        let problems: serde_json::Value = serde_json::from_str(&output.out).expect("JSON");
        let problem = problems[0].clone();
        assert_eq!(problem["line"], 2, "{problem}");
        let text = |name: &str| problem[name].as_str().expect("a text").to_owned();
        (text("file"), text("message"))
    };
    for (options, expected) in [
        (NEW_POSTS, "source.new_posts: posts are not read from"),
        (PUSH, "source.write_back: "),
    ] {
        folder.write("../galley.toml", options);
        let (file, message) = checked(&[]);
        assert_eq!(file, "galley.toml");
        assert!(message.starts_with(expected), "{message}");
    }
    folder.remove("../galley.toml");
    // The checked folder may have its own configuration.
    folder.write("galley.toml", "\ncontent_files.slugs = \"numbers\"\n");
    let (file, message) = checked(&["content"]);
    assert!(file.ends_with("content/galley.toml"), "{file}");
    assert!(message.starts_with("content_files.slugs: "), "{message}");
}

#[test]
fn option_without_effect_is_a_warning_of_check_doctor_and_the_start() {
    let warning = "galley.toml:2:1: tls.hsts_s has no effect without https: set domain or tls.cert, or remove it";
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    folder.write("../galley.toml", "[tls]\nhsts_s = 600\n");

    let output = run(&folder, &["check"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let line = format!("warning: {warning}");
    assert!(
        output.err.lines().any(|found| found == line),
        "{}",
        output.err
    );
    assert_eq!(run(&folder, &["check", "--strict"]).code, Some(1));
    let problems = run(&folder, &["check", "--json"]).json();
    assert_eq!(problems[0]["severity"], "warning");
    assert_eq!(problems[0]["line"], 2);
    // Only a check of the whole site is about its configuration.
    let output = run(&folder, &["check", "content/posts/a.md"]);
    assert!(!output.err.contains("tls.hsts_s"), "{}", output.err);

    let output = run(&folder, &["doctor", "--data", "data"]);
    assert!(output.out.contains(warning), "{}", output.out);

    let served = GalleyProcess::serve(&folder, &[]);
    assert!(served.log().contains(warning), "{}", served.log());
    folder.write("../galley.toml", "[tls]\nhsts_s = 700\n");
    run(&folder, &["reload", "--data", "data"]);
    assert_eq!(served.log().matches(warning).count(), 2);
}

#[test]
fn option_without_effect_is_a_warning_also_without_a_content_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("galley.toml"),
        "backup.max_loss = \"5s\"\n",
    )
    .unwrap();
    let output = run(&folder, &["check"]);
    assert_eq!(output.code, Some(0));
    let warning =
        "backup.max_loss has no effect without regular backups: set backup.to, or remove it";
    assert!(output.err.contains(warning), "{}", output.err);
    assert_eq!(run(&folder, &["check", "--strict"]).code, Some(1));
    let problems = run(&folder, &["check", "--json"]).json();
    assert_eq!(problems[0]["message"], warning);
}

#[test]
fn values_that_depend_on_another_option_are_validated() {
    let folder = Folder::new();
    let values = [
        ("url", "not a url"),
        ("tls.listen", "443"),
        ("tls.acme_directory", "letsencrypt"),
        ("tls.acme_contact", "the operator"),
        ("uploads.endpoint", "nowhere"),
        ("source.git.branch", "two words"),
        ("source.git.path", "../outside"),
        ("source.push_branch", "two words"),
        ("backup.endpoint", "nowhere"),
        ("backup.every", "5 parsecs"),
        ("backup.max_loss", "nothing"),
    ];
    let line = |(key, value): &(&str, &str)| format!("{key} = {value:?}\n");
    folder.write(
        "../galley.toml",
        values.iter().map(line).collect::<String>(),
    );
    let output = run(&folder, &["check"]);
    assert_eq!(output.code, Some(1));
    let errors: Vec<&str> = output.err.lines().skip(1).collect();
    assert_eq!(errors.len(), values.len(), "{}", output.err);
    for (number, (error, (key, value))) in (1..).zip(errors.iter().zip(values)) {
        let (position, message) = error.split_once(": ").expect("a position first");
        assert!(position.starts_with(&format!("  galley.toml:{number}:")));
        let expected = format!("{key}: {value:?} is not ");
        assert!(message.starts_with(&expected), "{error}");
    }
}

#[test]
fn invalid_variable_or_flag_is_reported() {
    let folder = Folder::new();
    let mut command = galley(&folder, &["status"]);
    let output = command
        .env("GALLEY_STORE_CACHE_MB", "much")
        .output()
        .expect("the program runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        err.contains("GALLEY_STORE_CACHE_MB: \"much\" is not a whole number"),
        "{err}"
    );
    let output = run(
        &folder,
        &[
            "serve",
            "--no-content",
            "--url",
            "not an address",
            "--listen",
            "127.0.0.1:0",
        ],
    );
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("not an address"), "{}", output.err);
    let output = run(&folder, &["serve", "--content", "a", "--no-content"]);
    assert_eq!(output.code, Some(2));
}
