//! Emoticons as in markdown-it-emoji: `:)` between white space or punctuation is an emoji.

use icu_properties::{
    CodePointMapData,
    props::{GeneralCategory, GeneralCategoryGroup},
};

use super::{Findings, OverlayContent};
use crate::render::markdown::survey::Survey;

/// The emoji, each with its emoticons.
const EMOTICONS: [(&str, &[&str]); 25] = [
    ("😠", &[">:(", ">:-("]),
    ("😊", &[":\")", ":-\")"]),
    ("💔", &["</3"]),
    ("😕", &[":/", ":-/"]),
    ("😢", &[":'(", ":'-(", ":,(", ":,-("]),
    ("😦", &[":(", ":-("]),
    ("❤️", &["<3"]),
    ("👿", &["]:(", "]:-("]),
    ("😇", &["o:)", "O:)", "o:-)", "O:-)", "0:)", "0:-)"]),
    (
        "😂",
        &[":')", ":'-)", ":,)", ":,-)", ":'D", ":'-D", ":,D", ":,-D"],
    ),
    ("😗", &[":*", ":-*"]),
    ("😆", &["x-)", "X-)"]),
    ("😐", &[":|", ":-|"]),
    ("😮", &[":o", ":-o", ":O", ":-O"]),
    ("😡", &[":@", ":-@"]),
    ("😄", &[":D", ":-D"]),
    ("😃", &[":)", ":-)"]),
    ("😈", &["]:)", "]:-)"]),
    ("😭", &[":,'(", ":,'-(", ";(", ";-("]),
    ("😛", &[":P", ":-P"]),
    ("😎", &["8-)", "B-)"]),
    ("😓", &[",:(", ",:-("]),
    ("😅", &[",:)", ",:-)"]),
    ("😒", &[":s", ":-S", ":z", ":-Z", ":$", ":-$"]),
    ("😉", &[";)", ";-)"]),
];

/// Each emoticon contains at least one of these characters.
const MARKS: [char; 4] = [':', ';', '-', '<'];

/// Returns whether a source may contain an emoticon.
pub(super) fn may_be_in(source: &str) -> bool {
    source.contains(MARKS)
}

/// Finds emoticons.
pub(super) fn find(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    for piece in &survey.pieces {
        let text = &source[piece.range.clone()];
        if !text.contains(MARKS) {
            continue;
        }
        let mut end = 0;
        let mut before = None;
        for (start, character) in text.char_indices() {
            let is_apart = before.replace(character).is_none_or(is_boundary);
            if start < end || !is_apart {
                continue;
            }
            let Some((length, emoji)) = emoticon_at(&text[start..]) else {
                continue;
            };
            // Set even if text adjoins the emoticon: a part of it is not another one.
            end = start + length;
            if text[end..].chars().next().is_none_or(is_boundary) {
                let range = piece.range.start + start..piece.range.start + end;
                found.add(range, OverlayContent::Text(emoji.to_owned()));
            }
        }
    }
}

/// Returns the length of the longest emoticon at the start of a text in bytes, and its emoji.
fn emoticon_at(text: &str) -> Option<(usize, &'static str)> {
    let all = EMOTICONS.iter().flat_map(|(emoji, emoticons)| {
        let emoticons = emoticons.iter();
        emoticons.map(move |emoticon| (emoticon, *emoji))
    });
    let matching = all.filter(|(emoticon, _)| text.starts_with(**emoticon));
    let longest = matching.max_by_key(|(emoticon, _)| emoticon.len());
    longest.map(|(emoticon, emoji)| (emoticon.len(), emoji))
}

/// Returns whether an emoticon may adjoin the character, which white space and punctuation permit,
/// but not letters and symbols.
fn is_boundary(character: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    let groups = [
        GeneralCategoryGroup::Punctuation,
        GeneralCategoryGroup::Separator,
        GeneralCategoryGroup::Control,
    ];
    groups.iter().any(|group| group.contains(category))
}
