//! The files that the app loads from other hosts at run time, and the npm packages that contain them: the icons of the
//! Markdown card and the dictionary of its spelling check. The files are stored next to the files of the app, whose
//! scripts then load them from the site.

use crate::npm_packages::PinnedPackage;

/// Files that the app loads from another host.
pub(super) struct Companion {
    /// The package that contains the files.
    name: &'static str,
    version: &'static str,
    /// The hash of the package's archive, in the format of npm.
    integrity: &'static str,
    /// The consequence of missing files, for the message about them.
    pub(super) purpose: &'static str,
    /// The path of each file in the package, and its path in the folder of the app. Files there are cached
    /// indefinitely, so the path contains the version.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The URLs in the app's scripts, and the paths in the folder of the app that replace them.
    pub(super) urls: &'static [(&'static str, &'static str)],
}

/// All companions.
pub(super) static COMPANIONS: [Companion; 2] = [
    Companion {
        name: "font-awesome",
        version: "4.7.0",
        integrity: "sha512-U6kGnykA/6bFmg1M/oT9EkFeIYv7JlX3bozwQJWiiLz6L0w3F5vBVPxHlwyX/vtNq1ckcpRKOB9f2Qal/VtFpg==",
        purpose: "the toolbar of the Markdown card has no icons",
        files: &[
            (
                "package/css/font-awesome.min.css",
                "assets/font-awesome-4.7.0/css/font-awesome.min.css",
            ),
            (
                "package/fonts/fontawesome-webfont.woff2",
                "assets/font-awesome-4.7.0/fonts/fontawesome-webfont.woff2",
            ),
            (
                "package/fonts/fontawesome-webfont.woff",
                "assets/font-awesome-4.7.0/fonts/fontawesome-webfont.woff",
            ),
        ],
        urls: &[(
            "https://maxcdn.bootstrapcdn.com/font-awesome/latest/css/font-awesome.min.css",
            "assets/font-awesome-4.7.0/css/font-awesome.min.css",
        )],
    },
    Companion {
        name: "codemirror-spell-checker",
        version: "1.1.2",
        integrity: "sha512-2Tl6n0v+GJRsC9K3MLCdLaMOmvWL0uukajNJseorZJsslaxZyZMgENocPU8R0DyoTAiKsyqiemSOZo7kjGV0LQ==",
        purpose: "the Markdown card does not check spelling",
        files: &[
            ("package/dist/en_US.aff", "assets/spelling-1.1.2/en_US.aff"),
            ("package/dist/en_US.dic", "assets/spelling-1.1.2/en_US.dic"),
            ("package/LICENSE", "assets/spelling-1.1.2/LICENSE"),
        ],
        urls: &[
            (
                "https://cdn.jsdelivr.net/codemirror.spell-checker/latest/en_US.aff",
                "assets/spelling-1.1.2/en_US.aff",
            ),
            (
                "https://cdn.jsdelivr.net/codemirror.spell-checker/latest/en_US.dic",
                "assets/spelling-1.1.2/en_US.dic",
            ),
        ],
    },
];

impl Companion {
    /// Returns the package that contains the files.
    pub(super) fn package(&self) -> PinnedPackage {
        PinnedPackage {
            name: self.name,
            version: self.version.to_owned(),
            integrity: self.integrity.to_owned(),
        }
    }

    /// Returns whether a script loads any of the files.
    pub(super) fn is_loaded_by(&self, script: &str) -> bool {
        self.urls.iter().any(|(url, _)| script.contains(url))
    }
}
