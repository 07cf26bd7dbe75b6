//! Text between `{% raw %}` and `{% endraw %}`.

use crate::generators::syntax::writer::ExpansionWriter;

/// Writes the text. If it is HTML, the Markdown around it does not continue in it, and it contains none: neither begins at its blank lines.
pub fn put(writer: &mut ExpansionWriter<'_>, text: &str, is_html: bool) {
    let html = text.trim();
    if !is_html || !html.starts_with('<') || !html.ends_with('>') {
        writer.put(text);
        return;
    }
    if html.contains("<pre") {
        writer.put_block(html);
        return;
    }
    let lines = html.lines().filter(|line| !line.trim().is_empty());
    writer.put_block(&lines.collect::<Vec<_>>().join("\n"));
}
