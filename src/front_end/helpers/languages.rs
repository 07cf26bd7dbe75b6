//! Tables of language data: text files with a section for each language.
//!
//! A line of a section is a key and a value, whose parts are separated by `_`. A section inherits from the section that its
//! heading names, or from English; a key without a value removes the inherited value. Keys that end in `At` map numbers to parts:
//! `0*3 1` means the first part for three numbers, then the second for one.

use std::collections::HashMap;

/// A table of languages.
pub struct Languages {
    sections: HashMap<&'static str, Section>,
    /// Aliases of languages in the table.
    aliases: &'static [(&'static str, &'static str)],
}

struct Section {
    base: Option<&'static str>,
    values: HashMap<&'static str, Option<&'static str>>,
}

/// A language: its section and the sections that it inherits from, nearest first.
#[derive(Clone)]
pub struct Language {
    sections: Vec<&'static Section>,
}

impl Languages {
    /// Parses a table.
    pub fn read(text: &'static str, aliases: &'static [(&'static str, &'static str)]) -> Self {
        let mut sections = HashMap::new();
        for section in text.split("\n[") {
            let (head, lines) = section.split_once(']').unwrap_or((section, ""));
            let head = head.trim_start_matches('[');
            let (name, base) = head
                .split_once(' ')
                .map_or((head, None), |(name, base)| (name, Some(base)));
            let base = base.or_else(|| (name != "en").then_some("en"));
            let values = lines
                .lines()
                .filter(|line| !line.is_empty())
                .map(|line| {
                    line.split_once(' ')
                        .map_or((line, None), |(key, value)| (key, Some(value)))
                })
                .collect();
            sections.insert(name, Section { base, values });
        }
        Self { sections, aliases }
    }

    /// Returns a language by name, such as `de`, `de-CH` or `zh_TW`; English if the name is unknown.
    pub fn find(&'static self, name: &str) -> Language {
        let name = name.to_ascii_lowercase().replace('_', "-");
        let alias = self.aliases.iter().find(|(alias, _)| *alias == name);
        let mut name = alias.map_or(name.as_str(), |(_, name)| name);
        while !self.sections.contains_key(name) && name != "en" {
            // Without its last part: `de-ch-1996`, `de-ch`, `de`.
            name = name.rsplit_once('-').map_or("en", |(language, _)| language);
        }
        let mut sections = Vec::new();
        let mut next = self.sections.get(name);
        while let Some(section) = next {
            sections.push(section);
            next = section.base.and_then(|base| self.sections.get(base));
        }
        Language { sections }
    }
}

impl Language {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&'static str> {
        self.sections
            .iter()
            .find_map(|section| section.values.get(key))
            .copied()
            .flatten()
    }

    /// Returns a part of the value of a key; empty if there is no such part.
    pub fn part(&self, key: &str, index: usize) -> &'static str {
        self.get(key)
            .and_then(|value| value.split('_').nth(index))
            .unwrap_or_default()
    }

    /// Returns the first day of the week, from 0 for Sunday, and moment's `doy`, which selects the first week of a year.
    pub fn week(&self) -> (i64, i64) {
        let week = self.get("week").and_then(|week| week.split_once(' '));
        let number = |text: &str| text.parse().unwrap_or_default();
        week.map_or((0, 6), |(first, deciding)| {
            (number(first), number(deciding))
        })
    }

    /// Returns the language's digit for an ASCII digit; other characters unchanged.
    pub fn digit(&self, character: char) -> char {
        let digit = character
            .to_digit(10)
            .and_then(|digit| self.get("digits")?.chars().nth(digit as usize));
        digit.unwrap_or(character)
    }
}

/// Returns the form for a number, out of `forms` separated by `separator`.
pub fn form(forms: &'static str, separator: char, at: Option<&str>, number: usize) -> &'static str {
    let index = at.and_then(|at| nth(at, number)).unwrap_or_default();
    forms.split(separator).nth(index).unwrap_or_default()
}

/// Returns the item at an index of a list of runs such as `0*3 1`.
fn nth(runs: &str, index: usize) -> Option<usize> {
    let mut end = 0;
    for run in runs.split(' ') {
        let (item, count) = run.split_once('*').unwrap_or((run, "1"));
        end += count.parse().unwrap_or(1);
        if index < end {
            return item.parse().ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static TABLE: LazyLock<Languages> = LazyLock::new(|| {
        Languages::read(
            "[en]\nday one_two\nat 0*2 1\n[de]\nday eins_zwei\nat\n[de-at de]\nday ans_zwa\n",
            &[("xy", "de-at")],
        )
    });

    #[test]
    fn languages_are_found_by_their_names_and_inherit() {
        assert_eq!(TABLE.find("de_AT").part("day", 0), "ans");
        assert_eq!(TABLE.find("XY").part("day", 1), "zwa");
        assert_eq!(TABLE.find("de-CH").part("day", 0), "eins");
        assert_eq!(TABLE.find("de-at").get("at"), None);
        assert_eq!(TABLE.find("nope").part("day", 0), "one");
    }

    #[test]
    fn forms_are_for_runs_of_numbers() {
        let at = TABLE.find("en").get("at");
        let forms = [0, 1, 2, 3].map(|number| form("one_two", '_', at, number));
        assert_eq!(forms, ["one", "one", "two", "one"]);
    }
}
