// Connects the controls of players. Audio and video have separate copies, in which KIND is replaced.
(() => {
  const rates = [1, 1.25, 1.75, 2, 0.75];
  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

  const connect = (card) => {
    const part = (name) => card.querySelector(`.kg-KIND-${name}`);
    const media = card.querySelector('KIND');
    const [play, pause, seek, volume] = ['play-icon', 'pause-icon', 'seek-slider', 'volume-slider'].map(part);
    const [loud, muted, rate] = ['unmute-icon', 'mute-icon', 'playback-rate'].map(part);
    const [time, duration, large, overlay] = ['current-time', 'duration', 'large-play-icon', 'overlay'].map(part);
    const controls = part('player-container');
    if (!media || !controls) return;
    const show = (element, isShown) => element?.classList.toggle('kg-KIND-hide', !isShown);
    const fade = (element, isFaded) => element?.classList.toggle('kg-KIND-hide-animated', isFaded);
    const on = (element, event, run) => element?.addEventListener(event, (happened) => {
      happened.stopPropagation();
      run(happened);
    });
    const share = (name, slider) => controls.style.setProperty(`--${name}-before-width`, `${(slider.value / slider.max) * 100}%`);

    const showTime = () => {
      if (time) time.textContent = clock(media.currentTime);
      if (!seek) return;
      seek.value = Math.floor(media.currentTime);
      share('seek', seek);
    };
    const showLength = () => {
      if (!Number.isFinite(media.duration)) return;
      if (duration) duration.textContent = clock(media.duration);
      if (seek) seek.max = Math.floor(media.duration);
    };
    const showState = () => {
      show(play, media.paused);
      show(pause, !media.paused);
      if (!media.paused) [large, overlay].forEach((element) => fade(element, true));
    };
    const showMuted = () => {
      show(loud, !media.muted);
      show(muted, media.muted);
    };
    const showRate = () => rate?.setAttribute('aria-label', `${rate.textContent.trim()} playback speed`);
    const toggle = () => (media.paused ? media.play().catch(showState) : media.pause());

    seek?.setAttribute('aria-label', 'Position');
    volume?.setAttribute('aria-label', 'Volume');
    // Ghost's markup contains the duration of audio in seconds.
    if (duration && /^\d+$/.test(duration.textContent)) duration.textContent = clock(duration.textContent);
    showLength();
    showMuted();
    showRate();
    showState();
    media.addEventListener('loadedmetadata', showLength);
    media.addEventListener('durationchange', showLength);
    media.addEventListener('timeupdate', showTime);
    media.addEventListener('volumechange', showMuted);
    ['play', 'pause', 'ended'].forEach((event) => media.addEventListener(event, showState));
    [play, pause, large].forEach((button) => on(button, 'click', toggle));
    [loud, muted].forEach((button) => on(button, 'click', () => (media.muted = !media.muted)));
    on(rate, 'click', () => {
      media.playbackRate = rates[(rates.indexOf(media.playbackRate) + 1) % rates.length];
      rate.textContent = `${media.playbackRate}×`;
      showRate();
    });
    on(seek, 'input', () => {
      media.currentTime = seek.value;
      share('seek', seek);
    });
    on(volume, 'input', () => {
      media.volume = volume.value / 100;
      share('volume', volume);
    });

    // The rest is for videos: a click on the video starts and stops it, and the controls fade.
    if (!overlay) return;
    if (media.loop) {
      [large, overlay].forEach((element) => fade(element, true));
      return;
    }
    on(controls, 'click', () => {});
    card.querySelector('.kg-video-container')?.addEventListener('click', toggle);
    card.addEventListener('pointerenter', () => fade(controls, false));
    card.addEventListener('focusin', () => fade(controls, false));
    card.addEventListener('pointerleave', () => fade(controls, !media.paused));
  };

  document.querySelectorAll('.kg-KIND-card').forEach(connect);
})();
