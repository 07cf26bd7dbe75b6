//! Toggle cards: a heading, and content that is shown on a click.

use super::template::push_card;
use super::{Card, CardFailure};

pub(super) fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let heading = card.properties.text("heading");
    let content = card.properties.text("content");
    let filled = format!(
        r#"<div class="kg-card kg-toggle-card" data-kg-toggle-state="close">
            <div class="kg-toggle-heading">
                <h4 class="kg-toggle-heading-text">{heading}</h4>
                <button class="kg-toggle-card-icon" aria-label="Expand toggle to read content">
                    <svg id="Regular" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
                        <path class="cls-1" d="M23.25,7.311,12.53,18.03a.749.749,0,0,1-1.06,0L.75,7.311"></path>
                    </svg>
                </button>
            </div>
            <div class="kg-toggle-content">{content}</div>
        </div>"#
    );
    push_card(&filled, html)
}
