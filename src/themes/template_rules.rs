//! The rules about the use of tags and variables in templates (Ghost 6.65).

use std::collections::BTreeSet;

use super::{
    Level,
    rules::{Positions, Rules},
};
use crate::templates::{Templates, Usage};

/// The properties of `{{@page}}`.
const PAGE_PROPERTIES: [&str; 1] = ["show_title_and_feature_image"];

/// Maximum number of records in one `{{#get}}`.
const LIMIT_MAX: f64 = 100.0;

/// A rule that usages violate, possibly only inside certain blocks.
struct UsageRule {
    code: &'static str,
    level: Level,
    is_fatal: bool,
    is_broken: fn(&Usage) -> bool,
    rule: &'static str,
    details: &'static str,
}

const fn error(
    code: &'static str,
    is_broken: fn(&Usage) -> bool,
    rule: &'static str,
    details: &'static str,
) -> UsageRule {
    UsageRule {
        code,
        level: Level::Error,
        is_fatal: false,
        is_broken,
        rule,
        details,
    }
}

const fn warning(
    code: &'static str,
    is_broken: fn(&Usage) -> bool,
    rule: &'static str,
    details: &'static str,
) -> UsageRule {
    UsageRule {
        level: Level::Warning,
        ..error(code, is_broken, rule, details)
    }
}

const RULES: &[UsageRule] = &[
    error(
        "GS090-NO-AUTHOR-HELPER-IN-POST-CONTEXT",
        |usage| is_output(usage, "author") && usage.is_in("post"),
        "Posts should show {{authors}}, not {{author}}",
        "A post may have several authors. The first is {{primary_author}}.",
    ),
    warning(
        "GS090-NO-IMG-URL-IN-CONDITIONALS",
        |usage| {
            let is_condition = usage.is_block() && matches!(&*usage.name, "if" | "unless");
            is_condition && usage.first_argument().as_deref() == Some("img_url")
        },
        "Conditions should not use {{img_url}}",
        "Write {{#if feature_image}}.",
    ),
    warning(
        "GS090-NO-LIMIT-ALL-IN-GET-HELPER",
        |usage| limit(usage).as_deref() == Some("all"),
        "{{#get}} should not have limit=\"all\"",
        "It returns at most 100 records: use pagination.",
    ),
    warning(
        "GS090-NO-LIMIT-OVER-100-IN-GET-HELPER",
        |usage| limit(usage).is_some_and(|limit| leading_number(&limit) > LIMIT_MAX),
        "{{#get}} should not have a limit above 100",
        "It returns at most 100 records: use pagination.",
    ),
    error(
        "GS090-NO-PRODUCTS-HELPER",
        |usage| is_output(usage, "products"),
        "Templates should not use {{products}}",
        "Write {{tiers}}.",
    ),
    error(
        "GS090-NO-PRODUCT-DATA-HELPER",
        |usage| is_output(usage, "@product"),
        "Templates should not use {{@product}}",
        "Write {{#get \"tiers\"}}.",
    ),
    error(
        "GS090-NO-PRODUCTS-DATA-HELPER",
        |usage| is_output(usage, "@products"),
        "Templates should not use {{@products}}",
        "Write {{#get \"tiers\"}}.",
    ),
    error(
        "GS090-NO-MEMBER-PRODUCTS-DATA-HELPER",
        |usage| is_output(usage, "@member.products"),
        "Templates should not use {{@member.products}}",
        "Write {{#foreach @member.subscriptions}}, each of which has a {{tier}}.",
    ),
    error(
        "GS090-NO-PRICE-DATA-CURRENCY-GLOBAL",
        |usage| is_currency(usage) && !is_of_prices(usage),
        "Templates should not use {{@price.currency}}",
        "Write {{currency}} in {{#get \"tiers\"}} or in a subscription.",
    ),
    error(
        "GS090-NO-PRICE-DATA-CURRENCY-CONTEXT",
        |usage| is_currency(usage) && is_of_prices(usage),
        "Templates should not use {{@price.currency}}",
        "Write {{currency}}.",
    ),
    error(
        "GS090-NO-PRICE-DATA-MONTHLY-YEARLY",
        |usage| {
            let is_price = matches!(&*usage.name, "@price.monthly" | "@price.yearly");
            usage.is_variable() && is_price
        },
        "Templates should not use {{@price.monthly}} and {{@price.yearly}}",
        "Write {{#get \"tiers\"}}.",
    ),
    error(
        "GS090-NO-TIER-PRICE-AS-OBJECT",
        |usage| {
            let is_below_price = ["monthly_price.", "yearly_price."]
                .iter()
                .any(|price| usage.name.contains(price));
            usage.is_output() && is_below_price && is_of_tiers(usage)
        },
        "The prices of tiers should be used as numbers",
        "Write {{price monthly_price currency=currency}}.",
    ),
    UsageRule {
        is_fatal: true,
        ..error(
            "GS090-NO-TIER-BENEFIT-AS-OBJECT",
            |usage| {
                let of_benefits =
                    usage.argument_of_outermost("foreach").as_deref() == Some("benefits");
                let is_name = usage.is_output() && usage.name.contains("name");
                is_name && of_benefits && is_of_tiers(usage)
            },
            "The benefits of tiers must be used as strings",
            "Write {{#foreach benefits}}{{this}}{{/foreach}}.",
        )
    },
    warning(
        "GS110-NO-UNKNOWN-PAGE-BUILDER-USAGE",
        |usage| {
            let property = page_property(usage);
            property.is_some_and(|property| !PAGE_PROPERTIES.contains(&property))
        },
        "Templates should only use properties of {{@page}} that exist",
        "Other properties have no value.",
    ),
];

/// Checks the tags and variables in the templates of a theme.
pub fn check(rules: &mut Rules, templates: &Templates, paths: &BTreeSet<String>) {
    let mut positions: Vec<Positions> = RULES.iter().map(|_| Vec::new()).collect();
    let mut used = Used::default();
    templates.for_each_usage(&mut |usage| {
        for (rule, positions) in RULES.iter().zip(&mut positions) {
            if (rule.is_broken)(usage) {
                let position = usage.position();
                let message = format!("line {}: {{{{{}}}}}.", position.line, usage.name);
                positions.push((position.template.to_string(), Some(message)));
            }
        }
        used.read(usage);
    });
    for (rule, positions) in RULES.iter().zip(positions) {
        if rule.is_fatal {
            rules.break_where(rule.code, rule.rule, rule.details, positions);
        } else {
            rules.report_where(rule.code, rule.level, rule.rule, rule.details, positions);
        }
    }
    used.report(rules, paths);
}

/// The expressions that every theme should use, as far as they were found.
#[derive(Default)]
struct Used {
    ghost_head: bool,
    ghost_foot: bool,
    page_properties: BTreeSet<String>,
}

impl Used {
    fn read(&mut self, usage: &Usage) {
        self.ghost_head |= !usage.is_variable() && usage.name == "ghost_head";
        self.ghost_foot |= !usage.is_variable() && usage.name == "ghost_foot";
        let property = page_property(usage).map(str::to_owned);
        self.page_properties.extend(property);
    }

    fn report(self, rules: &mut Rules, paths: &BTreeSet<String>) {
        for (is_used, code, rule) in [
            (
                self.ghost_head,
                "GS040-GH-REQ",
                "A template should have {{ghost_head}}",
            ),
            (
                self.ghost_foot,
                "GS040-GF-REQ",
                "A template should have {{ghost_foot}}",
            ),
        ] {
            let missing = (!is_used).then(|| ("default.hbs".to_owned(), None));
            let details =
                "It writes metadata, styles and scripts of the site. It belongs in default.hbs.";
            let missing = missing.into_iter().collect();
            rules.report_where(code, Level::Warning, rule, details, missing);
        }
        let unused = PAGE_PROPERTIES
            .iter()
            .filter(|name| !self.page_properties.contains(**name));
        let unused = unused.map(|name| {
            let message = format!("no template uses {{{{@page.{name}}}}}.");
            (page_template(paths), Some(message))
        });
        rules.report_where(
            "GS110-NO-MISSING-PAGE-BUILDER-USAGE",
            Level::Warning,
            "Templates should use all properties of {{@page}}",
            "They are set in the editor. Unused properties have no effect.",
            unused.collect(),
        );
    }
}

/// Returns the path of the template for pages.
fn page_template(paths: &BTreeSet<String>) -> String {
    let is_of_page = |path: &&String| {
        let name = path
            .strip_prefix("page-")
            .and_then(|name| name.strip_suffix(".hbs"));
        name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
    };
    let of_one = || {
        paths
            .iter()
            .find(is_of_page)
            .filter(|_| !paths.contains("page.hbs"))
    };
    of_one().cloned().unwrap_or_else(|| "page.hbs".to_owned())
}

fn is_output(usage: &Usage, name: &str) -> bool {
    usage.is_output() && usage.name == name
}

fn is_currency(usage: &Usage) -> bool {
    usage.is_variable() && usage.name == "@price.currency"
}

/// Returns whether the usage is inside a loop over records with prices.
fn is_of_prices(usage: &Usage) -> bool {
    let items = usage.argument_of_outermost("foreach");
    matches!(items.as_deref(), Some("@member.subscriptions" | "tiers"))
}

/// Returns whether the usage is inside a `{{#get "tiers"}}`.
fn is_of_tiers(usage: &Usage) -> bool {
    usage.argument_of_outermost("get").as_deref() == Some("tiers")
}

/// Returns the limit of a `{{#get}}`.
fn limit(usage: &Usage) -> Option<String> {
    let is_get = usage.is_block() && usage.name == "get";
    is_get.then(|| usage.named_argument("limit"))?
}

/// Parses the number at the start of a string; 0 if there is none.
fn leading_number(text: &str) -> f64 {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().unwrap_or(0.0)
}

/// Returns the part of a variable after `@page.`.
fn page_property<'u>(usage: &'u Usage) -> Option<&'u str> {
    let property = usage.name.strip_prefix("@page")?;
    let property = property
        .strip_prefix('.')
        .or_else(|| property.is_empty().then_some(""))?;
    usage.is_variable().then_some(property)
}
