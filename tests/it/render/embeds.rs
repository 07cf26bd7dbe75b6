//! Tests of embeds that are derived from a URL, without outgoing requests.

use galley::render::embeds::{Embed, of_url};
use url::Url;

fn embed(address: &str) -> Option<Embed> {
    of_url(&Url::parse(address).unwrap())
}

fn html(address: &str) -> String {
    let embed = embed(address).unwrap_or_else(|| panic!("{address} has no embed"));
    embed.html
}

#[test]
fn every_form_of_a_url_has_the_same_player() {
    for (addresses, source) in [
        (
            &[
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ&feature=share",
                "https://m.youtube.com/watch?v=dQw4w9WgXcQ",
                "https://youtu.be/dQw4w9WgXcQ",
                "http://youtube.com/shorts/dQw4w9WgXcQ",
                "https://www.youtube.com/live/dQw4w9WgXcQ?si=x",
            ][..],
            "https://www.youtube.com/embed/dQw4w9WgXcQ?feature=oembed\"",
        ),
        (
            &["https://www.youtube.com/playlist?list=PL12_-a"],
            "https://www.youtube.com/embed/videoseries?list=PL12_-a\"",
        ),
        (
            &["https://youtu.be/abc?t=1m30s", "https://youtu.be/abc?t=90"],
            "https://www.youtube.com/embed/abc?feature=oembed&amp;start=90\"",
        ),
        (
            &[
                "https://vimeo.com/76979871",
                "https://vimeo.com/channels/staffpicks/76979871",
            ],
            "https://player.vimeo.com/video/76979871\"",
        ),
        (
            &[
                "https://vimeo.com/76979871/ab12cd",
                "https://player.vimeo.com/video/76979871?h=ab12cd",
            ],
            "https://player.vimeo.com/video/76979871?h=ab12cd\"",
        ),
        (
            &[
                "https://www.dailymotion.com/video/x8abc",
                "https://dai.ly/x8abc",
            ],
            "https://geo.dailymotion.com/player.html?video=x8abc\"",
        ),
        (
            &["https://www.loom.com/share/0a1b"],
            "https://www.loom.com/embed/0a1b\"",
        ),
        (
            &["https://www.ted.com/talks/a_talk"],
            "https://embed.ted.com/talks/a_talk\"",
        ),
        (
            &[
                "https://open.spotify.com/track/1a2b?si=3",
                "https://open.spotify.com/intl-de/track/1a2b",
            ],
            "https://open.spotify.com/embed/track/1a2b\"",
        ),
        (
            &["https://soundcloud.com/some-one/a-track"],
            "https://w.soundcloud.com/player/?url=https://soundcloud.com/some-one/a-track\"",
        ),
        (
            &[
                "https://codepen.io/someone/pen/AbC",
                "https://codepen.io/someone/full/AbC",
            ],
            "https://codepen.io/someone/embed/AbC?default-tab=result\"",
        ),
        (
            &[
                "https://x.com/who/status/123?s=20",
                "https://twitter.com/who/status/123",
            ],
            "<a href=\"https://twitter.com/who/status/123\">",
        ),
        (
            &[
                "https://www.instagram.com/reel/Ab-1/",
                "https://www.instagram.com/who/reel/Ab-1/",
            ],
            "data-instgrm-permalink=\"https://www.instagram.com/reel/Ab-1/\"",
        ),
        (
            &["https://www.tiktok.com/@who.ever/video/123"],
            "cite=\"https://www.tiktok.com/@who.ever/video/123\"",
        ),
        (
            &["https://gist.github.com/who/0a1b"],
            "src=\"https://gist.github.com/who/0a1b.js\"",
        ),
    ] {
        for address in addresses {
            let html = html(address);
            assert!(html.contains(source), "{address}: {html}");
        }
    }
}

#[test]
fn video_embeds_have_a_size_and_some_a_thumbnail() {
    let video = embed("https://youtu.be/abc").unwrap();
    assert_eq!(
        (video.kind, video.width, video.height),
        ("video", Some(560), Some(315))
    );
    assert_eq!(
        video.thumbnail_url.as_deref(),
        Some("https://i.ytimg.com/vi/abc/hqdefault.jpg")
    );
    let song = embed("https://open.spotify.com/album/abc").unwrap();
    assert_eq!(
        (song.kind, song.width, song.height),
        ("rich", None, Some(352))
    );
}

#[test]
fn unknown_urls_have_no_embed() {
    for address in [
        "https://example.com/watch?v=abc",
        "https://www.youtube.com/",
        "https://www.youtube.com/watch",
        "https://www.youtube.com/@somebody",
        "https://notyoutube.com/watch?v=abc",
        "https://youtube.com.example/watch?v=abc",
        "https://vimeo.com/about",
        "https://open.spotify.com/user/abc",
        "https://x.com/who",
        "https://soundcloud.com/who",
        "ftp://youtube.com/watch?v=abc",
        "mailto:who@youtube.com",
    ] {
        assert_eq!(embed(address), None, "{address}");
    }
}

#[test]
fn embed_urls_are_escaped() {
    for address in [
        "https://www.youtube.com/watch?v=%22%3E%3Cscript%3E",
        "https://youtu.be/a%22b",
        "https://vimeo.com/1/%22%3E",
        "https://x.com/%22onload=/status/1",
        "https://gist.github.com/%3C/1",
    ] {
        assert_eq!(embed(address), None, "{address}");
    }
    let named = html("https://www.tiktok.com/@a&b\"c/video/1");
    assert!(!named.contains("\"c/"), "{named}");
}
