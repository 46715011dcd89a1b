// Keys, buttons and links as actions, and a button that is held goes on.
const SINGLE = "tabletape-single-keys";

function singlesOn() {
  try {
    return localStorage.getItem(SINGLE) !== "off";
  } catch {
    return true;
  }
}

// `act(name, repeat)` does what a key or a button is for, `go(step)` where a line of the list leads.
export function heed(root, { act, go }) {
  const keys = JSON.parse(root.dataset.keys);
  const dialog = root.querySelector("[data-dialog]");
  const single = root.querySelector("[data-single]");

  const names = (one, key) => one.key === key || one.also.includes(key);
  const within = (key, event) => !key.within || event.target.closest(`[data-keys="${key.within}"]`);

  // A field has its own keys, but for a list that a key of its part of the page chooses from; one that has just closed
  // keeps the focus for a frame.
  function typing(target, key) {
    const field = target.closest("input, textarea, select, [contenteditable]");
    return field && field.getClientRects().length && !(key.within && field.localName === "select");
  }

  function pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || event.defaultPrevented) return;
    const key = keys.find((one) => names(one, event.key) && (one.single || one.shift === event.shiftKey) && within(one, event));
    if (!key || typing(event.target, key)) return;
    if ( (key.single && !singlesOn()) || (dialog.open && key.action !== "help")) return;
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    event.preventDefault();
    act(key.action, event.repeat, event.key);
  }

  // Previous and next go on while they are held, for thumbs.
  let holding = 0;
  let held = false;

  function release() {
    clearTimeout(holding);
    holding = 0;
  }

  function hold(event) {
    const button = event.target.closest('a[data-do="previous"], a[data-do="next"]');
    held = false;
    if (!button || event.button) return;
    const again = () => {
      held = true;
      act(button.dataset.do, true);
      holding = setTimeout(again, 110);
    };
    holding = setTimeout(again, 450);
  }

  function clicked(event) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    const target = event.target.closest("[data-do], [data-rows] a");
    if (!target) return;
    event.preventDefault();
    if (held) return void (held = false);
    if (target.dataset.do) act(target.dataset.do, false);
    else go(Number(target.dataset.step || new URL(target.href).pathname.split("/").pop()));
  }

  root.addEventListener("click", clicked);
  root.addEventListener("pointerdown", hold);
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) root.addEventListener(name, release);
  root.addEventListener("contextmenu", (event) => holding && event.preventDefault());
  document.addEventListener("keydown", pressed);
  single.checked = singlesOn();
  single.addEventListener("change", () => {
    try {
      localStorage.setItem(SINGLE, single.checked ? "on" : "off");
    } catch {
      single.checked = true; // nothing can be kept here
    }
  });
}
