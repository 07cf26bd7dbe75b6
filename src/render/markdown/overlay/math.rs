//! Formulas, which are preserved for the front end to typeset.

use super::{Findings, OverlayContent};
use crate::render::markdown::{
    formulas::{self, Formula},
    math::{Math, MathBlocks},
    survey::Survey,
};

pub(super) fn find(survey: &Survey, math: Math, found: &mut Findings<'_>) {
    for formula in formulas::find(found.source, survey, math) {
        let text = text(found.source, &formula, math);
        found.add(formula.range, OverlayContent::Text(text));
    }
}

/// Returns the replacement for a formula.
fn text(source: &str, formula: &Formula, math: Math) -> String {
    let written = formulas::text(source, formula.range.clone());
    if math.blocks != MathBlocks::Kramdown {
        return written;
    }
    let inner = written.trim_matches('$');
    if formula.is_block {
        format!("\\[{}\\]", inner.trim())
    } else {
        format!("\\({inner}\\)")
    }
}
