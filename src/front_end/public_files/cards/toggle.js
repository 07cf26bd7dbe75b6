// Opens and closes the content of a toggle card.
(() => {
  const show = (card, isOpen) => {
    card.dataset.kgToggleState = isOpen ? 'open' : 'close';
    card.querySelector('.kg-toggle-card-icon')?.setAttribute('aria-expanded', isOpen);
  };
  for (const heading of document.querySelectorAll('.kg-toggle-heading')) {
    const card = heading.closest('.kg-toggle-card');
    if (!card) continue;
    const isOpen = () => card.dataset.kgToggleState !== 'close';
    show(card, isOpen());
    heading.addEventListener('click', () => show(card, !isOpen()));
  }
})();
