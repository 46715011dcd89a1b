// Makes stepping instant: loads steps in blocks, draws them itself, keeps the address true.
// The page works without it; whatever goes wrong here, the links still lead on.
import { boardIn } from "./board.js";
import { keep, watch } from "./follow.js";

const root = document.querySelector("[data-viewer]");
const $ = (selector) => root.querySelector(selector);
const all = (selector) => [...root.querySelectorAll(selector)];
let STEPS = Number(root.dataset.steps); // the last step, as far as is known here
let known = Number(root.dataset.seq); // the event that all this is made from
const BLOCK = Number(root.dataset.blockSize);
const EYES = root.dataset.as === "everything" ? "" : `as=${encodeURIComponent(root.dataset.as)}`;
const KEYS = JSON.parse(root.dataset.keys);
const board = $("[data-board]");
const rows = $("[data-rows]");
const slider = $("[data-slider]");
const typed = $(".goto [name=step]");
const eyes = $("[data-eyes]"); // where nothing is hidden there are none
const calm = matchMedia("(prefers-reduced-motion: reduce)");

let step = Number(root.dataset.step);
let wanted = step;
const blocks = new Map(); // number of a block -> its chunk, or the promise of it

const address = (number, ending = "") => `${root.dataset.base}${number}${ending}${EYES && `?${EYES}`}`;
const blockOf = (number) => Math.floor(number / BLOCK);

// --- loading ---

function load(number) {
  if (!blocks.has(number)) {
    const first = number * BLOCK;
    const query = `?from=${first}&to=${first + BLOCK - 1}${EYES && `&${EYES}`}`;
    const promise = fetch(root.dataset.frames + query).then(async (answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      const chunk = await answer.json();
      if (blocks.get(number) !== promise) return load(number); // out of date before it arrived
      blocks.set(number, chunk);
      if (chunk.seq > known) ask();
      return chunk;
    });
    promise.catch(() => blocks.delete(number));
    blocks.set(number, promise);
  }
  return blocks.get(number);
}

const loaded = (number) => {
  const chunk = blocks.get(blockOf(number));
  return chunk && chunk.frames ? chunk : null;
};

function loadRound(number) {
  const middle = blockOf(number);
  for (const near of [middle - 1, middle + 1]) {
    if (near >= 0 && near * BLOCK <= STEPS) Promise.resolve(load(near)).catch(() => {});
  }
  for (const far of blocks.keys()) if (Math.abs(far - middle) > 8) blocks.delete(far);
}

// --- drawing ---

const picture = board && boardIn(board);

// What the server drew is what the first block says of this step: nothing of it need be drawn again.
function recognise(chunk) {
  const frame = chunk.frames[step - chunk.first];
  if (!frame) return;
  if (picture) picture.recognise(chunk, frame);
  for (const name of ["panel", "notes", "figures"]) {
    const panel = $(`[data-panel="${name}"]`);
    if (panel) panel.shown = chunk.texts[frame[name]];
  }
}

function fill(name, markup) {
  const panel = $(`[data-panel="${name}"]`);
  if (!panel || panel.shown === markup) return;
  const before = new Map([...panel.querySelectorAll("[data-flash]")].map((e) => [e.dataset.flash, e.textContent]));
  panel.innerHTML = panel.shown = markup;
  for (const figure of panel.querySelectorAll("[data-flash]")) {
    const old = before.get(figure.dataset.flash);
    if (old !== undefined && old !== figure.textContent) figure.classList.add("flash");
  }
}

// --- the list of moves ---

function row(frame) {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = address(frame.step);
  link.dataset.step = frame.step;
  const parts = [["number", String(frame.step)], ["said", frame.caption]];
  if (frame.marks) parts.push(["marks", frame.marks]);
  parts.forEach(([name, text], index) => {
    if (index) link.append(" ");
    const part = link.appendChild(document.createElement("span"));
    part.className = name;
    part.textContent = text;
  });
  return item;
}

function list(number) {
  const chunk = blocks.get(number);
  if (!chunk || !chunk.frames || rows.querySelector(`[data-block="${number}"]`)) return;
  const ol = document.createElement("ol");
  ol.dataset.block = number;
  let group = null;
  for (const frame of chunk.frames) {
    if (chunk.sittings[frame.step]) {
      const line = ol.appendChild(document.createElement("li"));
      line.className = "sitting";
      line.textContent = chunk.sittings[frame.step];
    }
    if (frame.group && frame.group !== group) {
      const head = ol.appendChild(document.createElement("li"));
      head.className = "group";
      head.textContent = group = frame.group;
    }
    ol.append(row(frame));
  }
  const after = [...rows.querySelectorAll("[data-block]")].find((other) => Number(other.dataset.block) > number);
  const before = rows.scrollHeight;
  rows.insertBefore(ol, after || rows.querySelector("[data-later]"));
  if (after) rows.scrollTop += rows.scrollHeight - before;
}

function more(name, text, number) {
  let link = rows.querySelector(`[data-${name}]`);
  if (number < 0 || number > STEPS) return link && link.remove();
  if (!link) {
    link = document.createElement("a");
    link.className = "more";
    link.dataset[name] = "";
    link.textContent = text;
    name === "earlier" ? rows.prepend(link) : rows.append(link);
  }
  link.href = address(number);
}

function listRound(number) {
  const middle = blockOf(number);
  for (const ol of rows.querySelectorAll("[data-block]")) {
    if (Math.abs(Number(ol.dataset.block) - middle) > 1) ol.remove();
  }
  for (const near of [middle - 1, middle, middle + 1]) list(near);
  const shown = [...rows.querySelectorAll("[data-block]")].map((ol) => Number(ol.dataset.block));
  if (!shown.length) return;
  more("earlier", "Earlier moves", Math.min(...shown) * BLOCK - 1);
  more("later", "Later moves", (Math.max(...shown) + 1) * BLOCK);
}

function pointOut(number) {
  const old = rows.querySelector("[aria-current]");
  const now = rows.querySelector(`a[data-step="${number}"]`);
  if (old && old !== now) old.removeAttribute("aria-current");
  if (!now) return;
  now.setAttribute("aria-current", "step");
  const top = now.offsetTop;
  if (top < rows.scrollTop + 40 || top + now.offsetHeight > rows.scrollTop + rows.clientHeight) {
    rows.scrollTop = top - rows.clientHeight / 2;
  }
}

// --- a step ---

let hearing = 0;
function hear(text) {
  clearTimeout(hearing);
  hearing = setTimeout(() => ($("[data-heard]").textContent = text), 300);
}

function show(chunk, frame, moving, quiet = false) {
  step = frame.step;
  root.dataset.step = step;
  if (picture) picture.draw(chunk, frame, moving);
  for (const name of ["panel", "notes", "figures"]) fill(name, chunk.texts[frame[name]]);
  $("[data-caption]").textContent = frame.caption;
  $("[data-number]").textContent = step;
  for (const place of all("[data-position]")) place.textContent = step;
  slider.value = step;
  if (document.activeElement !== typed) typed.value = step;
  slider.setAttribute("aria-valuetext", `Step ${step} of ${STEPS}`);
  document.title = document.title.replace(/^Step \d+ of \d+/, `Step ${step} of ${STEPS}`);
  for (const button of all("a[data-do]")) point(button);
  for (const file of all("[data-file]")) file.href = address(step, file.dataset.file);
  if (eyes) eyes.action = `${root.dataset.base}${step}`;
  const everything = $("[data-everything]");
  if (everything) everything.href = `${root.dataset.base}${step}`;
  const form = $("[data-note-form]");
  if (form) [form.elements.seq.value, form.elements.step.value] = [frame.seq, step];
  listRound(step);
  pointOut(step);
  keepAddress();
  if (!quiet) hear(`Step ${step}. ${frame.caption}`);
  loadRound(step);
  tellNews();
}

function point(button) {
  const name = button.dataset.do;
  const target = { first: 0, previous: Math.max(step - 1, 0), next: Math.min(step + 1, STEPS), last: STEPS }[name];
  button.setAttribute("href", target === undefined ? address(step, `/${name}`) : address(target));
  const back = name === "first" || name.startsWith("previous");
  if (step === (back ? 0 : STEPS)) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

// Browsers refuse more than some hundred changes of the address in half a minute: the last one counts.
let writing = 0;
let wrote = 0;
function keepAddress() {
  clearTimeout(writing);
  const write = () => {
    wrote = Date.now();
    history.replaceState(null, "", address(step));
  };
  if (Date.now() - wrote > 350) write();
  else writing = setTimeout(write, 350);
}

async function go(number, { moving = false } = {}) {
  wanted = Math.max(0, Math.min(STEPS, number));
  const target = wanted;
  if (target === step && $("[data-number]").textContent === String(step)) return;
  const chunk = loaded(target);
  if (chunk && chunk.frames[target - chunk.first]) {
    return show(chunk, chunk.frames[target - chunk.first], moving && !calm.matches);
  }
  try {
    const fresh = await load(blockOf(target));
    const frame = fresh.frames[target - fresh.first];
    if (wanted !== target) return;
    if (frame) show(fresh, frame, false);
    else ask(); // the game has become shorter
  } catch {
    location.href = address(target); // the server says what is wrong
  }
}

// --- following live ---

let ask = () => {};
let seen = STEPS; // the last step that was known when somebody last looked at the end
let changed = false; // steps that were known are others now
let following = false;
let offline = false;
let closed = "";

// What is being typed belongs to the step that is shown: it is not taken away from there.
function typing() {
  const field = document.activeElement && document.activeElement.closest("form textarea, form input, form select");
  const written = all("form textarea, form [name=tags]").some((one) => one.value.trim());
  return written || (field && field !== slider && field.type !== "hidden");
}

function tellNews() {
  if (step === STEPS) [seen, changed] = [STEPS, false];
  const count = STEPS - seen;
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
  tellNews();
  if (!following) return;
  catchUp();
  ask();
}

function catchUp() {
  if (following && step !== STEPS && !typing()) go(STEPS, { moving: step === STEPS - 1 });
}

// What lies behind `same` may be another game by now: it is loaded anew, and shown as it is.
async function adopt({ seq, steps, same }) {
  const before = STEPS;
  known = seq;
  STEPS = steps;
  changed = changed || same < Math.min(before, steps);
  if (steps < seen) seen = steps;
  for (const [number, chunk] of blocks) {
    if ((number + 1) * BLOCK > same + 1 && chunk.seq !== seq) blocks.delete(number);
  }
  root.dataset.steps = slider.max = typed.max = steps;
  for (const place of all("[data-total]")) place.textContent = steps;
  for (const ol of rows.querySelectorAll("[data-block]")) {
    if ((Number(ol.dataset.block) + 1) * BLOCK > same + 1) ol.remove();
  }
  tellNews();
  const mine = (wanted = Math.min(wanted, STEPS));
  const moves = following && !typing();
  try {
    const chunk = await load(blockOf(mine));
    const frame = chunk.frames[mine - chunk.first];
    // While somebody types, the step stays as it is, though it may have been taken back.
    if (frame && wanted === mine && known === seq && !(typing() && step > same)) show(chunk, frame, false, !(step > same));
  } catch {
    offline = true; // it is asked again
  }
  if (moves) catchUp();
}

const turn = async (number) => {
  const chunk = loaded(number) || (await load(blockOf(number)));
  return chunk.frames[number - chunk.first].turn;
};

async function goTurn(direction) {
  const from = wanted;
  try {
    if (direction > 0) {
      for (let number = from + 1, before = await turn(from); number <= STEPS; number += 1) {
        const now = loaded(number) ? loaded(number).frames[number - loaded(number).first].turn : await turn(number);
        if (now !== before) return go(number);
        before = now;
      }
      return go(STEPS);
    }
    for (let number = from - 1; number > 0; number -= 1) {
      if ((await turn(number)) !== (await turn(number - 1))) return go(number);
    }
    return go(0);
  } catch {
    location.href = address(from, direction > 0 ? "/next-turn" : "/previous-turn");
  }
}

// --- playing by itself ---

let playing = 0;
function stop() {
  clearInterval(playing);
  playing = 0;
  $('[data-do="play"]').setAttribute("data-playing", "false");
  $("[data-play-label]").textContent = "Play";
}

function play() {
  if (playing) return stop();
  if (step === STEPS) go(0);
  const pace = 1200 / Number($("[data-speed]").value);
  playing = setInterval(() => {
    if (step >= STEPS) return stop();
    if (wanted === step) go(step + 1, { moving: pace > 250 });
  }, pace);
  $('[data-do="play"]').setAttribute("data-playing", "true");
  $("[data-play-label]").textContent = "Stop";
}

// --- links and shortcuts ---

async function copy() {
  const chunk = loaded(step) || (await load(blockOf(step)));
  const query = EYES && `?${EYES}`;
  const text = new URL(root.dataset.at + chunk.frames[step - chunk.first].seq + query, location.href).href;
  const field = $("[data-link]");
  field.value = text;
  try {
    await navigator.clipboard.writeText(text); // missing on plain http in a local network
    hear("Link copied");
    $('button[data-do="copy"]').textContent = "Copied";
  } catch {
    field.hidden = false;
    field.focus();
    field.select();
  }
}

function help() {
  const dialog = $("[data-dialog]");
  dialog.open ? dialog.close() : dialog.showModal();
}

const ACTIONS = {
  previous: (repeat) => go(wanted - 1, { moving: !repeat }),
  next: (repeat) => go(wanted + 1, { moving: !repeat }),
  first: () => go(0),
  last: () => go(STEPS),
  "previous-turn": () => goTurn(-1),
  "next-turn": () => goTurn(1),
  play,
  copy,
  follow: () => follow(),
  help,
};

// Who goes somewhere else wants to stay there.
const STAYING = new Set(["follow", "last", "copy", "help"]);
const leave = (action) => following && !STAYING.has(action) && follow(false);

function singlesOn() {
  try {
    return localStorage.getItem("tabletape-single-keys") !== "off";
  } catch {
    return true;
  }
}

function pressed(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || event.defaultPrevented) return;
  const field = event.target.closest("input, textarea, select, [contenteditable]");
  if (field && field.getClientRects().length) return; // one that has just closed keeps the focus for a frame
  const open = $("[data-dialog]").open;
  const key = KEYS.find((one) => one.key === event.key && (one.single || one.shift === event.shiftKey));
  if (!key || (key.single && !singlesOn()) || (open && key.action !== "help")) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  event.preventDefault();
  if (playing && key.action !== "play") stop();
  leave(key.action);
  ACTIONS[key.action](event.repeat);
}

// A button that is held goes on: previous and next, for thumbs.
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
    ACTIONS[button.dataset.do](true);
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
  if (playing && target.dataset.do !== "play") stop();
  leave(target.dataset.do);
  if (target.dataset.do) ACTIONS[target.dataset.do](false);
  else if (target.dataset.step) go(Number(target.dataset.step));
  else go(Number(new URL(target.href).pathname.split("/").pop()));
}

async function begin() {
  root.addEventListener("click", clicked);
  root.addEventListener("pointerdown", hold);
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) root.addEventListener(name, release);
  root.addEventListener("contextmenu", (event) => holding && event.preventDefault());
  document.addEventListener("keydown", pressed);
  slider.addEventListener("input", () => (leave("seek"), go(Number(slider.value))));
  $(".goto").addEventListener("submit", (event) => {
    event.preventDefault();
    typed.blur();
    leave("seek");
    go(Number(typed.value));
  });
  if (eyes) {
    eyes.addEventListener("change", () => eyes.requestSubmit());
    eyes.querySelector("button").hidden = true;
  }
  $("[data-speed]").addEventListener("change", () => playing && (stop(), play()));
  $("[data-link]").addEventListener("blur", (event) => (event.target.hidden = true));
  document.addEventListener("visibilitychange", () => document.hidden && playing && stop());
  const single = $("[data-single]");
  single.checked = singlesOn();
  single.addEventListener("change", () => {
    try {
      localStorage.setItem("tabletape-single-keys", single.checked ? "on" : "off");
    } catch {
      single.checked = true; // nothing can be kept here
    }
  });
  const form = $("[data-note-form]");
  if (form) keep(form, (text) => ($("[data-note-said]").textContent = text));
  slider.hidden = false;
  $("[data-scripted]").hidden = false;
  pointOut(step);
  const first = step;
  await Promise.resolve(load(blockOf(step)))
    .then((chunk) => step === first && recognise(chunk))
    .catch(() => {});
  loadRound(step);
  ask = watch({
    address: root.dataset.news,
    viewer: root.dataset.as,
    known,
    told: adopt,
    reached: (yes) => {
      offline = !yes;
      tellNews();
      catchUp();
    },
    refused: ({ error }) => {
      [closed, following] = [error.message, false];
      tellNews();
    },
  });
  root.dataset.ready = "1";
}

if (root) begin();
