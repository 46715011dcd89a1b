// Plays a game by itself, a step at a time, at the speed that is chosen.
const PACE = 1200;

export function playerIn(root, here, go) {
  const $ = (selector) => root.querySelector(selector);
  let playing = 0;

  function say(yes) {
    $('[data-do="play"]').setAttribute("data-playing", String(yes));
    $("[data-play-label]").textContent = yes ? "Stop" : "Play";
  }

  function stop() {
    if (!playing) return;
    clearInterval(playing);
    playing = 0;
    say(false);
  }

  function start() {
    if (here.step === here.last) go(0);
    const pace = PACE / Number($("[data-speed]").value);
    playing = setInterval(() => {
      if (here.step >= here.last) return stop();
      if (here.wanted === here.step) go(here.step + 1, { moving: pace > 250 });
    }, pace);
    say(true);
  }

  $("[data-speed]").addEventListener("change", () => playing && (stop(), start()));
  document.addEventListener("visibilitychange", () => document.hidden && stop());
  return { stop, toggle: () => (playing ? stop() : start()) };
}
