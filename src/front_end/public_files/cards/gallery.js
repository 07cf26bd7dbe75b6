// Sizes each image of a gallery by its aspect ratio, so that all images of a row have the same height.
(() => {
  for (const image of document.querySelectorAll('.kg-gallery-image img')) {
    const ratio = image.getAttribute('width') / image.getAttribute('height');
    const frame = image.closest('.kg-gallery-image');
    if (ratio > 0 && Number.isFinite(ratio)) frame.style.flex = `${ratio} 1 0%`;
  }
})();
