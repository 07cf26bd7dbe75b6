//! Finds environment variables that look like options but set nothing, so that typing errors are noticed.

use super::{ConfigOption, OPTIONS};

/// The prefix of the environment variables that set options.
const PREFIX: &str = "GALLEY_";

/// The environment variable with the path of the configuration file.
const CONFIG_FILE: &str = "GALLEY_CONFIG";

/// Maximum number of changed characters in a name that is suggested.
const DISTANCE_MAX: usize = 3;

/// Returns a warning for each of `names` that has the prefix of options but is not an option, with the most
/// similar option.
pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut known: Vec<String> = OPTIONS.iter().map(ConfigOption::variable).collect();
    known.push(CONFIG_FILE.to_owned());
    let unknown = names.filter(|name| name.starts_with(PREFIX) && !known.contains(name));
    let warnings = unknown.map(|name| {
        let near = known
            .iter()
            .map(|known| (strsim::damerau_levenshtein(known, &name), known));
        let nearest = near.min().filter(|(distance, _)| *distance <= DISTANCE_MAX);
        let advice =
            nearest.map_or_else(String::new, |(_, known)| format!(" Did you mean {known}?"));
        format!("the environment variable {name} is not an option and sets nothing.{advice}")
    });
    warnings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_that_is_not_an_option_is_named_with_the_nearest_one() {
        let names = [
            "GALLEY_STORE_ULR",
            "GALLEY_DATA",
            "GALLEY_CONFIG",
            "HOME",
            "GALLEY_SOMETHING_ELSE",
        ];
        let warnings = unknown_variables(names.map(str::to_owned).into_iter());
        assert_eq!(
            warnings,
            [
                "the environment variable GALLEY_STORE_ULR is not an option and sets nothing. Did you mean GALLEY_STORE_URL?",
                "the environment variable GALLEY_SOMETHING_ELSE is not an option and sets nothing."
            ]
        );
    }
}
