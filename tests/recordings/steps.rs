//! Numbers of steps, as a list writes them: `3`, `5-9`. Steps are numbered from 0.

use std::ops::RangeInclusive;

use serde::Deserialize;

/// Numbers of steps.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Steps(Vec<RangeInclusive<usize>>);

impl Steps {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().cloned().flatten()
    }
}

impl TryFrom<Vec<String>> for Steps {
    type Error = String;

    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        let range = |text: &String| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            let number = |text: &str| text.parse().map_err(|_| format!("\"{text}\" is no step"));
            Ok(number(first)?..=number(last)?)
        };
        texts.iter().map(range).collect::<Result<_, _>>().map(Self)
    }
}

#[test]
fn steps_are_single_ones_and_ranges() {
    let steps = Steps::try_from(vec!["3".to_owned(), "5-7".to_owned()]).unwrap();

    assert_eq!(steps.iter().collect::<Vec<_>>(), [3, 5, 6, 7]);
    assert!(Steps::try_from(vec!["x".to_owned()]).is_err());
}
