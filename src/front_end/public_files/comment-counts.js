// Replaces the placeholders of {{comment_count}} by the numbers of comments, also in content that is added to the page later.
(() => {
  const api = document.querySelector('[data-ghost-comments-counts-api]')?.dataset.ghostCommentsCountsApi;
  if (!api) return;
  const counts = new Map();
  let isWaiting = false;

  const wordsFor = (count, mark) => {
    if (count === 0) return mark.ghostCommentCountEmpty;
    const unit = count === 1 ? mark.ghostCommentCountSingular : mark.ghostCommentCountPlural;
    return unit ? `${count} ${unit}` : String(count);
  };
  const replace = (script) => {
    const mark = script.dataset;
    const count = counts.get(mark.ghostCommentCount);
    if (count === undefined) return;
    const words = wordsFor(count, mark);
    if (words && mark.ghostCommentCountAutowrap === 'false') {
      script.after(words);
    } else if (words) {
      const element = document.createElement(mark.ghostCommentCountTag || 'span');
      if (mark.ghostCommentCountClassName) element.className = mark.ghostCommentCountClassName;
      element.textContent = words;
      script.after(element);
    }
    script.remove();
  };
  const marks = () => [...document.querySelectorAll('[data-ghost-comment-count]')];
  const update = async () => {
    isWaiting = false;
    const missing = new Set(marks().map((mark) => mark.dataset.ghostCommentCount).filter((id) => !counts.has(id)));
    if (missing.size > 0) {
      const response = await fetch(`${api}?ids=${[...missing].join(',')}`, { headers: { Accept: 'application/json' } });
      if (!response.ok) return;
      for (const [id, count] of Object.entries(await response.json())) counts.set(id, count);
    }
    marks().forEach(replace);
  };
  const updateSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => update().catch(() => {}), 100);
  };

  const hasMark = (node) => node.nodeType === 1 && (node.matches('[data-ghost-comment-count]') || node.querySelector('[data-ghost-comment-count]'));
  new MutationObserver((changes) => {
    if (changes.some((change) => [...change.addedNodes].some(hasMark))) updateSoon();
  }).observe(document.body, { childList: true, subtree: true });
  update().catch(() => {});
})();
