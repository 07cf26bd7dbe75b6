//! Tests of accesses through links, with both lookup methods.

use std::{
    collections::BTreeMap,
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::*;

const LOOKUPS: [(&str, Lookup); 2] = [
    ("by the kernel", lookup::by_kernel),
    ("by steps", lookup::by_steps),
];

/// A folder `content` with a file in `articles`, and next to it folders that must not be accessed.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        let scene = Self(tempfile::tempdir().unwrap());
        for folder in [
            "content/articles",
            "content/.git",
            "outside",
            "content-beside",
        ] {
            fs::create_dir_all(scene.at(folder)).unwrap();
            fs::write(scene.at(folder).join("a.md"), folder).unwrap();
        }
        scene
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Returns the content folder with this lookup method.
    fn folder(&self, lookup: Lookup) -> ConfinedFolder {
        let folder = ConfinedFolder::open(&self.at("content")).unwrap();
        let folder = folder.hiding(|name| name.starts_with('.'));
        ConfinedFolder { lookup, ..folder }
    }

    /// Returns the files that must not be accessed, with their texts.
    fn others(&self) -> BTreeMap<PathBuf, String> {
        let folders = ["content/.git", "outside", "content-beside", "missing"];
        let entries = folders
            .into_iter()
            .filter_map(|folder| fs::read_dir(self.at(folder)).ok());
        let paths = entries.flatten().map(|entry| entry.unwrap().path());
        paths
            .map(|path| (path.clone(), fs::read_to_string(path).unwrap_or_default()))
            .collect()
    }

    /// Targets of links at the top of the content folder that are not followed.
    fn refused_targets(&self) -> Vec<(String, LinkProblem)> {
        let top = self.0.path().canonicalize().unwrap();
        let top = top.display();
        symlink("../outside", self.at("content/way-out")).unwrap();
        symlink("way-out", self.at("content/first-step")).unwrap();
        let out = [
            "../outside".to_owned(),
            format!("{top}/outside"),
            "../content-beside".to_owned(),
            "articles/../../outside".to_owned(),
            "first-step".to_owned(),
            ".git".to_owned(),
            "../missing".to_owned(),
            format!("{top}/missing"),
            format!("/proc/self/root{top}/outside"),
            "/proc/self/cwd".to_owned(),
        ];
        let mut targets: Vec<_> = out.map(|out| (out, LinkProblem::Outside)).into();
        targets.push(("nowhere".to_owned(), LinkProblem::Dangling));
        targets.push(("posts".to_owned(), LinkProblem::Cycle));
        targets
    }
}

/// The name of an access, and its result.
type OperationResult = (&'static str, io::Result<()>);

/// Tries all kinds of access to the file `path`.
fn accesses(folder: &ConfinedFolder, path: &str) -> Vec<OperationResult> {
    vec![
        ("open", folder.open_file(path).map(drop)),
        ("open without links", folder.open_real(path).map(drop)),
        ("read", folder.read(path).map(drop)),
        ("check", folder.check(path)),
        ("open the folder above", folder.open_parent(path).map(drop)),
        ("replace", folder.replace(path, b"changed")),
        ("remove", folder.remove(path)),
    ]
}

fn assert_refused(outcomes: Vec<OperationResult>, link: &str, problem: LinkProblem, what: &str) {
    for (access, outcome) in outcomes {
        let error = outcome.expect_err(&format!("{access} {what}"));
        let refused = RefusedLink::of(&error).unwrap_or_else(|| panic!("{access} {what}: {error}"));
        assert_eq!(
            (&*refused.path, refused.problem),
            (link, problem),
            "{access} {what}"
        );
    }
}

#[test]
fn links_that_lead_out_nowhere_or_in_a_circle_are_followed_by_no_access() {
    for (name, lookup) in LOOKUPS {
        let scene = Scene::new();
        let before = scene.others();
        for (target, problem) in scene.refused_targets() {
            let what = format!("{target}, {name}");
            let folder = scene.folder(lookup);
            let link = |path: &str| symlink(&target, scene.at("content").join(path)).unwrap();
            link("posts");
            for path in ["posts/a.md", "posts/new.md", "posts/new/new.md"] {
                assert_refused(accesses(&folder, path), "posts", problem, &what);
            }
            let made = vec![
                ("folder", folder.folder("posts").map(drop)),
                ("folder below", folder.folder("posts/new").map(drop)),
                ("has", folder.has("posts/a.md").map(drop)),
            ];
            assert_refused(made, "posts", problem, &what);
            assert!(!folder.remove_empty_folder("posts").unwrap(), "{what}");
            // The file itself is the link.
            assert_refused(accesses(&folder, "posts"), "posts", problem, &what);
            assert!(scene.at("content/posts").is_symlink(), "{what}");
            fs::remove_file(scene.at("content/posts")).unwrap();
        }
        assert_eq!(scene.others(), before, "{name}");
        assert!(!scene.at("missing").exists());
    }
}

#[test]
fn link_deep_in_the_folder_is_named_by_its_path() {
    for (name, lookup) in LOOKUPS {
        let scene = Scene::new();
        let folder = scene.folder(lookup);
        symlink("articles", scene.at("content/posts")).unwrap();
        symlink("../../outside", scene.at("content/articles/2025")).unwrap();
        let outcomes = accesses(&folder, "posts/2025/a.md");
        assert_refused(outcomes, "posts/2025", LinkProblem::Outside, name);
    }
}

#[test]
fn links_that_stay_in_the_folder_are_followed_to_read_and_to_write() {
    for (name, lookup) in LOOKUPS {
        let scene = Scene::new();
        let folder = scene.folder(lookup);
        let top = scene.0.path().canonicalize().unwrap();
        let inside = format!("{}/content/articles", top.display());
        symlink("articles", scene.at("content/step")).unwrap();
        for target in [
            "articles",
            "./articles/../articles",
            "../content/articles",
            &inside,
            "step",
            &format!("/proc/self/root{inside}"),
        ] {
            let what = format!("{target}, {name}");
            symlink(target, scene.at("content/posts")).unwrap();
            let known = folder.read("posts/a.md").unwrap();
            assert_eq!(known.unwrap(), b"content/articles", "{what}");
            folder.replace("posts/2025/new.md", b"new").unwrap();
            let new = scene.at("content/articles/2025/new.md");
            assert_eq!(fs::read(&new).unwrap(), b"new", "{what}");
            let (_, real) = folder.open_real("posts/2025/new.md").unwrap();
            assert_eq!(real, Path::new("articles/2025/new.md"), "{what}");
            folder.remove("posts/2025/new.md").unwrap();
            assert!(!new.parent().unwrap().exists(), "{what}");
            fs::remove_file(scene.at("content/posts")).unwrap();
        }
    }
}

#[test]
fn file_is_replaced_whole_with_its_permissions_and_a_link_to_another_file_becomes_a_file() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (name, lookup) in LOOKUPS {
        let scene = Scene::new();
        let folder = scene.folder(lookup);
        let file = scene.at("content/articles/a.md");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        folder.replace("articles/a.md", b"changed").unwrap();
        assert_eq!(
            (fs::read(&file).unwrap(), mode(&file)),
            (b"changed".into(), 0o640)
        );
        symlink("a.md", scene.at("content/articles/b.md")).unwrap();
        folder.replace("articles/b.md", b"another").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"changed", "{name}");
        assert!(!scene.at("content/articles/b.md").is_symlink());
        folder.replace("new.md", b"new").unwrap();
        assert_eq!(mode(&scene.at("content/new.md")), 0o644);
        let names = fs::read_dir(scene.at("content/articles")).unwrap();
        assert_eq!(names.count(), 2, "no temporary file stays");
    }
}

#[test]
fn paths_with_two_dots_and_absolute_ones_are_refused() {
    for (_, lookup) in LOOKUPS {
        let scene = Scene::new();
        let folder = scene.folder(lookup);
        let before = scene.others();
        let absolute = scene.at("outside/a.md").display().to_string();
        for path in [
            "../outside/a.md",
            "articles/../../outside/a.md",
            &absolute,
            "",
            ".",
        ] {
            for (access, outcome) in accesses(&folder, path) {
                let is_of_folder = access == "check" && matches!(path, "" | ".");
                assert!(outcome.is_err() || is_of_folder, "{access} {path}");
            }
        }
        assert_eq!(scene.others(), before);
    }
}

#[test]
fn pipe_is_not_waited_for() {
    let scene = Scene::new();
    let pipe = scene.at("content/pipe.md");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        Mode::from(0o600),
        0,
    )
    .unwrap();
    for (_, lookup) in LOOKUPS {
        assert!(scene.folder(lookup).open_file("pipe.md").is_err());
    }
}

#[test]
fn folder_that_becomes_a_link_while_files_are_written_never_leads_out() {
    const ROUNDS: usize = 1500;
    const SWAPS_MAX: usize = 1_000_000;
    for (name, lookup) in LOOKUPS {
        let scene = Scene::new();
        let before = scene.others();
        fs::create_dir(scene.at("content/posts")).unwrap();
        let is_done = AtomicBool::new(false);
        let mut has_read_others = false;
        thread::scope(|scope| {
            let (posts, aside) = (scene.at("content/posts"), scene.at("content/aside"));
            let is_done = &is_done;
            scope.spawn(move || {
                symlink("../outside", &aside).unwrap();
                for _ in 0..SWAPS_MAX {
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                    let flags = rustix::fs::RenameFlags::EXCHANGE;
                    let cwd = rustix::fs::CWD;
                    rustix::fs::renameat_with(cwd, &posts, cwd, &aside, flags).unwrap();
                }
            });
            let folder = scene.folder(lookup);
            for round in 0..ROUNDS {
                let path = format!("posts/{round}.md");
                // Whether they succeed depends on timing.
                let _ = folder.replace(&path, b"ours");
                let _ = folder.replace("posts/a.md", b"ours");
                if let Ok(Some(text)) = folder.read("posts/a.md") {
                    has_read_others |= text != b"ours";
                }
                let _ = folder.folder(&format!("posts/{round}"));
                if round % 2 == 0 {
                    let _ = folder.remove("posts/a.md");
                }
            }
            is_done.store(true, Ordering::Relaxed);
        });
        assert!(!has_read_others, "{name}");
        assert_eq!(scene.others(), before, "{name}");
    }
}
