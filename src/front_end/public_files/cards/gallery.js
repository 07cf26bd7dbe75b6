// Gives each image of a gallery the share of its row that its shape needs, so that all of a row are equally high.
(() => {
  for (const image of document.querySelectorAll('.kg-gallery-image img')) {
    const ratio = image.getAttribute('width') / image.getAttribute('height');
    const frame = image.closest('.kg-gallery-image');
    if (ratio > 0 && Number.isFinite(ratio)) frame.style.flex = `${ratio} 1 0%`;
  }
})();
