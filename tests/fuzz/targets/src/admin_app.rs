//! Properties of packages of the admin app: a package is installed completely and only in its folder, or it is rejected
//! and the previous app remains.

use std::{
    fs,
    io::{Cursor, Read},
};

use data_encoding::BASE64;
use flate2::{Compression, read::GzEncoder};
use galley::{
    admin_app::{AdminApp, Installation, package_of},
    npm_packages::PackageSource,
};
use sha2::{Digest, Sha512};

use super::archives;

/// The name of the app's folder, and the file that it contains before the installation.
const FOLDER: &str = "app";
const BEFORE: (&str, &str) = ("index.html", "the previous app");

/// Panics unless these properties hold for a package: a tar archive, which may be given as a [listing](archives) and is
/// compressed here.
pub fn check(input: &[u8]) {
    let Some(archive) = archives::tar(input) else {
        return;
    };
    let mut package = Vec::new();
    let mut encoder = GzEncoder::new(Cursor::new(archive), Compression::fast());
    encoder.read_to_end(&mut package).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("package.tgz");
    fs::write(&file, &package).unwrap();
    let app = AdminApp::at(folder.path().join(FOLDER));
    fs::create_dir(app.folder()).unwrap();
    fs::write(app.folder().join(BEFORE.0), BEFORE.1).unwrap();

    let integrity = format!("sha512-{}", BASE64.encode(&Sha512::digest(&package)));
    let installation = Installation {
        app: &app,
        package: &package_of(Some("6.65.0"), Some(&integrity)).unwrap(),
        source: &PackageSource::File(file),
        path_prefix: "ghost",
        progress: &|_, _, _| {},
    };
    let outcome = installation.run();
    let files = archives::files_in(folder.path());
    let is_inside = |path: &&String| path.starts_with("app/");
    let is_known = |path: &str| matches!(path, "package.tgz") || path.starts_with("app.");
    let outside = files.keys().filter(|path| !is_inside(path));
    let strange: Vec<&String> = outside.filter(|path| !is_known(path)).collect();
    assert!(strange.is_empty(), "{strange:?}");
    match outcome {
        Ok(manifest) => {
            assert_eq!(
                app.manifest().map(|manifest| manifest.files),
                Some(manifest.files)
            );
            assert!(files.contains_key("app/index.html"));
            let beside = files.keys().filter(|path| !is_inside(path)).count();
            assert_eq!(beside, 1, "{files:?}");
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let inside: Vec<&String> = files.keys().filter(is_inside).collect();
            assert_eq!(inside, ["app/index.html"]);
            assert_eq!(files["app/index.html"], BEFORE.1.as_bytes());
        }
    }
}
