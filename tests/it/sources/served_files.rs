//! Tests of the selection of a project's served files by extension, folder and generator settings.

use galley::domain::post::PostKind;

use super::projects::{DATED, ProjectSite};

const PLAIN: &str = "---\ntitle: Knots\n---\nOf all kinds.\n";

#[test]
fn files_that_settings_exclude_are_left_out() {
    let hexo = ProjectSite::of(&[
        (
            "_config.yml",
            "skip_render:\n  - raw/**\nexclude: notes/*.md\nignore: '**/old-*'\n",
        ),
        ("source/_posts/ferry.md", DATED),
        ("source/_posts/old-ferry.md", DATED),
        ("source/raw/a.md", PLAIN),
        ("source/notes/a.md", PLAIN),
    ]);
    assert_eq!(hexo.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(hexo.slugs(PostKind::Page), [""; 0]);
    assert_eq!(
        hexo.problems(),
        [
            "source/_posts/old-ferry.md: 2 documents in source/ are left out: it is listed in `exclude` or `ignore` of _config.yml",
            "source/raw/a.md: a document in source/ is left out: it is listed in `skip_render` of _config.yml, so Hexo copies it",
        ]
    );
    let hugo = ProjectSite::of(&[
        (
            "hugo.toml",
            "ignoreFiles = ['\\.draft\\.md$', 'content/old/']\n",
        ),
        ("content/posts/ferry.md", DATED),
        ("content/posts/fog.draft.md", DATED),
        ("content/old/a.md", PLAIN),
    ]);
    assert_eq!(hugo.slugs(PostKind::Post), ["ferry"]);
    assert_eq!(hugo.slugs(PostKind::Page), [""; 0]);
    assert!(
        hugo.problems()
            .iter()
            .all(|problem| problem.contains("`ignoreFiles` of the settings matches its path")),
        "{:?}",
        hugo.problems()
    );
}

#[test]
fn markdown_extensions_are_read_and_other_markup_is_reported() {
    let served = ProjectSite::of(&[
        ("a.MD", "# A\n"),
        ("b.mkd", "# B\n"),
        ("c/d.mdown", "# D\n\n[A](../a.MD)\n"),
        ("e.rst", "E\n=\n"),
        ("f.Rmd", "# F\n"),
    ]);
    assert_eq!(served.slugs(PostKind::Page), ["a", "b", "c-d"]);
    assert!(served.html("c-d").contains("/a/"), "{}", served.html("c-d"));
    assert_eq!(
        served.problems(),
        [
            "e.rst: a document at the top of the content folder is left out: it is reStructuredText, which is not supported",
            "f.Rmd: a document at the top of the content folder is left out: it is R Markdown, which is not supported",
        ]
    );
}

#[test]
fn subject_folders_named_like_languages_are_not_translations() {
    let served = ProjectSite::of(&[
        ("cs/lambda.md", "# Lambda\n"),
        ("it/mail.md", "# Mail\n"),
        ("html/tags.md", "# Tags\n"),
        ("ML/softmax.md", "# Softmax\n"),
    ]);
    assert_eq!(
        served.slugs(PostKind::Page),
        ["cs-lambda", "html-tags", "it-mail", "ml-softmax"]
    );
}
