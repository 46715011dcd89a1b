// Follows a game while it is recorded: says what is new, shows it to who follows, and waits while they type.
import { watch } from "./follow.js";

// Whether something stands in a form that was not there before.
export function written(box) {
  const fields = [...box.querySelectorAll("form textarea, form [name=tags]")];
  return fields.some((one) => one.value.trim() !== one.defaultValue.trim());
}

export function liveIn(root, here, { blocks, moves, go, show, renew }) {
  const $ = (selector) => root.querySelector(selector);
  const all = (selector) => [...root.querySelectorAll(selector)];
  const slider = $("[data-slider]");
  let ask = () => {};
  let seen = here.last; // the last step that was known when somebody last looked at the end
  let changed = false; // steps that were known are others now
  let following = false;
  let offline = false;
  let closed = "";

  // What is being typed belongs to the step that is shown: it is not taken away from there.
  function typing() {
    const field = document.activeElement && document.activeElement.closest("form textarea, form input, form select");
    return written(root) || (field && field !== slider && field.type !== "hidden");
  }

  function tell() {
    if (here.step === here.last) [seen, changed] = [here.last, false];
    const count = here.last - seen;
    const news = count > 0 ? `${count} new step${count === 1 ? "" : "s"}` : changed ? "The last steps were changed" : "";
    const said = [
      closed,
      offline ? "No connection; trying again" : "",
      following ? (news ? `Following live: ${news}, shown when you have finished typing` : "Following live") : news,
    ].filter(Boolean);
    const banner = $("[data-banner]");
    const text = said.join(". ");
    if ($("[data-banner-text]").textContent !== text) $("[data-banner-text]").textContent = text;
    banner.hidden = !text;
    const button = banner.querySelector("button");
    button.hidden = Boolean(closed);
    button.textContent = following ? "Stop" : "Follow live";
  }

  function follow(wish = !following) {
    following = wish && !closed;
    tell();
    if (!following) return;
    catchUp();
    ask();
  }

  function catchUp() {
    if (following && here.step !== here.last && !typing()) go(here.last, { moving: here.step === here.last - 1 });
  }

  // What lies behind `same` may be another game by now: it is loaded anew, and shown as it is.
  async function adopt({ seq, steps, same }) {
    const before = here.last;
    [here.seq, here.last] = [seq, steps];
    changed = changed || same < Math.min(before, steps);
    if (steps < seen) seen = steps;
    blocks.forget(same, seq);
    moves.forget(same);
    renew();
    root.dataset.steps = slider.max = $(".goto [name=step]").max = steps;
    for (const place of all("[data-total]")) place.textContent = steps;
    tell();
    const mine = (here.wanted = Math.min(here.wanted, steps));
    const moving = following && !typing();
    try {
      const chunk = await blocks.whenAt(mine);
      const frame = chunk.frames[mine - chunk.first];
      // While somebody types, the step stays as it is, though it may have been taken back.
      const mayShow = here.wanted === mine && here.seq === seq && !(typing() && here.step > same);
      if (frame && mayShow) show(chunk, frame, false, here.step <= same);
    } catch {
      offline = true; // it is asked again
    }
    if (moving) catchUp();
  }

  function begin() {
    ask = watch({
      address: root.dataset.news,
      viewer: root.dataset.as,
      known: here.seq,
      told: adopt,
      reached: (yes) => {
        offline = !yes;
        tell();
        catchUp();
      },
      refused: ({ error }) => {
        [closed, following] = [error.message, false];
        tell();
      },
    });
  }

  return { begin, tell, follow, ask: () => ask(), leave: () => following && follow(false) };
}
