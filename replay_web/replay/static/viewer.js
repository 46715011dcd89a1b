// Makes stepping instant: draws the steps itself from blocks that were loaded, and keeps the address true.
// The page works without it; whatever goes wrong here, the links still lead on.
import { blocksFrom, turnAfter, turnBefore } from "./blocks.js";
import { boardIn } from "./board.js";
import { copierIn } from "./copy.js";
import { courseIn } from "./course.js";
import { forget, keepDrafts, mark, restore, turn } from "./draft.js";
import { keep } from "./keep.js";
import { liveIn, written } from "./live.js";
import { movesIn } from "./moves.js";
import { playerIn } from "./play.js";
import { heed } from "./press.js";

const root = document.querySelector("[data-viewer]");
const $ = (selector) => root.querySelector(selector);
const all = (selector) => [...root.querySelectorAll(selector)];
const EYES = root.dataset.as === "everything" ? "" : `as=${encodeURIComponent(root.dataset.as)}`;
const FAR = Number(root.dataset.far);
const PANELS = ["panel", "notes", "figures"];
const board = $("[data-board]");
const slider = $("[data-slider]");
const typed = $(".goto [name=step]");
const eyes = $("[data-eyes]"); // where nothing is hidden there are none
const narrow = matchMedia("(max-width: 59.99rem)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// The step that is shown, its event and the step that is wished; the last one known, and what all this is made from.
const here = { last: Number(root.dataset.steps), seq: Number(root.dataset.seq) };
[here.step, here.event] = [Number(root.dataset.step), Number(root.dataset.event)];
here.wanted = here.step;

const address = (number, ending = "") => `${root.dataset.base}${number}${ending}${EYES && `?${EYES}`}`;
const linkTo = (event) => new URL(root.dataset.at + event + (EYES && `?${EYES}`), location.href).href;
const picture = board && boardIn(board);
const blocks = blocksFrom({
  address: root.dataset.frames,
  query: EYES,
  size: Number(root.dataset.blockSize),
  newer: (seq) => seq > here.seq && live.ask(),
});
const moves = movesIn($("[data-rows]"), blocks, address);
const course = courseIn(root, here, { address: root.dataset.course + (EYES && `?${EYES}`), seek });
const live = liveIn(root, here, { blocks, moves, go, show, renew: course.load });
const copier = copierIn(root, hear);
const player = playerIn(root, here, go);

// --- drawing ---

// What the server drew is what the first block says of this step: nothing of it need be drawn again.
function recognise(chunk) {
  const frame = chunk.frames[here.step - chunk.first];
  if (!frame) return;
  if (picture) picture.recognise(chunk, frame);
  for (const name of PANELS) {
    const panel = $(`[data-panel="${name}"]`);
    if (panel) panel.shown = chunk.texts[frame[name]];
  }
}

// Where the step stays, what is being typed stays too.
function fill(name, markup, stays) {
  const panel = $(`[data-panel="${name}"]`);
  if (!panel || panel.shown === markup || (stays && written(panel))) return;
  const before = new Map([...panel.querySelectorAll("[data-flash]")].map((e) => [e.dataset.flash, e.textContent]));
  panel.innerHTML = panel.shown = markup;
  if (name === "notes") restore(panel);
  for (const figure of panel.querySelectorAll("[data-flash]")) {
    const old = before.get(figure.dataset.flash);
    if (old !== undefined && old !== figure.textContent) figure.classList.add("flash");
  }
}

let hearing = 0;
function hear(text) {
  clearTimeout(hearing);
  hearing = setTimeout(() => ($("[data-heard]").textContent = text), 300);
}

function show(chunk, frame, moving, quiet = false) {
  const stays = here.step === frame.step;
  const step = (here.step = frame.step);
  here.event = frame.seq;
  if (!stays) copier.rest();
  root.dataset.step = step;
  if (picture) picture.draw(chunk, frame, moving);
  for (const name of PANELS) fill(name, chunk.texts[frame[name]], stays);
  $("[data-caption]").textContent = frame.caption;
  $("[data-number]").textContent = step;
  for (const place of all("[data-position]")) place.textContent = step;
  slider.value = step;
  if (document.activeElement !== typed) typed.value = step;
  slider.setAttribute("aria-valuetext", `Step ${step} of ${here.last}`);
  document.title = document.title.replace(/^Step \d+ of \d+/, `Step ${step} of ${here.last}`);
  for (const button of all("a[data-do]")) point(button);
  for (const file of all("[data-file]")) file.href = address(step, file.dataset.file);
  for (const form of all("[data-here]")) form.action = `${root.dataset.base}${step}`;
  const everything = $("[data-everything]");
  if (everything) everything.href = `${root.dataset.base}${step}`;
  const form = $("[data-note-form]");
  if (form) turn(form, frame.seq, step, linkTo);
  moves.show(step, here.last);
  course.show();
  keepAddress();
  if (!quiet) hear(`Step ${step}. ${frame.caption}`);
  blocks.near(step, here.last);
  live.tell();
}

const BY = { previous: -1, next: 1, "back-ten": -10, "on-ten": 10 };
const within = (step) => Math.max(0, Math.min(here.last, step));

function point(button) {
  const name = button.dataset.do;
  const { step, last } = here;
  const by = BY[name];
  const target = by ? within(step + by) : { first: 0, last }[name];
  button.setAttribute("href", target === undefined ? address(step, `/${name}`) : address(target));
  const back = name === "first" || by < 0 || name.startsWith("previous");
  if (step === (back ? 0 : last)) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

// Browsers refuse more than some hundred changes of the address in half a minute: the last one counts.
let writing = 0;
let wrote = 0;
function keepAddress() {
  clearTimeout(writing);
  const write = () => {
    wrote = Date.now();
    history.replaceState(null, "", address(here.step));
  };
  if (Date.now() - wrote > 350) write();
  else writing = setTimeout(write, 350);
}

// --- going ---

let asked = 0; // what is wished now; an answer to an earlier wish comes too late
async function go(number, { moving = false } = {}) {
  asked += 1;
  const target = (here.wanted = within(number));
  if (target === here.step && $("[data-number]").textContent === String(target)) return;
  const chunk = blocks.at(target);
  if (chunk && chunk.frames[target - chunk.first]) {
    return show(chunk, chunk.frames[target - chunk.first], moving && !calm.matches);
  }
  try {
    const fresh = await blocks.whenAt(target);
    const frame = fresh.frames[target - fresh.first];
    if (here.wanted !== target) return;
    if (frame) show(fresh, frame, false);
    else live.ask(); // the game has become shorter
  } catch {
    if (here.wanted === target) location.href = address(target); // the server says what is wrong
  }
}

async function goTurn(ending, found) {
  const mine = (asked += 1);
  const from = here.wanted;
  try {
    const target = await found;
    if (mine === asked) go(target);
  } catch {
    if (mine === asked) location.href = address(from, ending);
  }
}

function goMarked(ending, back) {
  const target = course.beside(here.wanted, back);
  if (target === undefined) location.href = address(here.wanted, ending);
  else go(target);
}

function lead(mark) {
  const link = document.querySelector(mark); // there is none for who may not, and in a game that is no what-if
  if (link) location.href = link.href;
}

// On a phone the list of moves lies far below the board.
function toBoard() {
  if (narrow.matches && board) $("[data-board-box]").scrollIntoView({ block: "start" });
}

function goTo() {
  const wish = typed.value.trim() ? Math.round(Number(typed.value)) : NaN;
  const nearest = within(wish);
  $("[data-goto-said]").textContent = wish === nearest ? "" : `0 to ${here.last}`;
  if (Number.isNaN(wish)) return;
  typed.blur();
  typed.value = nearest;
  seek(nearest);
}

function write() {
  const text = $("#note-text");
  if (!text) return;
  text.focus();
  text.form.scrollIntoView({ block: "nearest" });
}

function seeAsNext() {
  if (!eyes) return;
  const choice = eyes.elements.as;
  choice.selectedIndex = (choice.selectedIndex + 1) % choice.length;
  eyes.requestSubmit();
}

function help() {
  const dialog = $("[data-dialog]");
  dialog.open ? dialog.close() : dialog.showModal();
}

const ACTIONS = {
  previous: (repeat) => go(here.wanted + BY.previous, { moving: !repeat }),
  next: (repeat) => go(here.wanted + BY.next, { moving: !repeat }),
  "back-ten": () => go(here.wanted + BY["back-ten"]),
  "on-ten": () => go(here.wanted + BY["on-ten"]),
  first: () => go(0),
  last: () => go(here.last),
  "previous-turn": () => goTurn("/previous-turn", turnBefore(blocks, here.wanted, FAR)),
  "next-turn": () => goTurn("/next-turn", turnAfter(blocks, here.wanted, here.last, FAR)),
  "previous-marked": () => goMarked("/previous-marked", true),
  "next-marked": () => goMarked("/next-marked", false),
  "see-as": seeAsNext,
  note: write,
  glyph: (_, key) => mark(Number(key)),
  "go-to": () => (typed.focus(), typed.select()),
  play: player.toggle,
  "what-if": () => lead("[data-what-if]"),
  leave: () => lead("[data-leave]"),
  copy: () => copier.copy(linkTo(here.event), here.step),
  follow: () => (live.follow(), toBoard()),
  help,
};
const STAYING = new Set(["follow", "last", "copy", "help", "go-to", "note", "glyph", "see-as", "what-if", "leave"]); // who goes somewhere else wants to stay there

function act(name, repeat, key) {
  $("[data-goto-said]").textContent = "";
  if (name !== "play") player.stop();
  if (!STAYING.has(name)) live.leave();
  ACTIONS[name](repeat, key);
}

function seek(step) {
  player.stop();
  live.leave();
  go(step);
}

async function begin() {
  heed(root, { act, go: (step) => (seek(step), toBoard()) });
  slider.addEventListener("input", () => seek(Number(slider.value)));
  $(".goto").addEventListener("submit", (event) => {
    event.preventDefault();
    goTo();
  });
  if (eyes) {
    eyes.addEventListener("change", () => eyes.requestSubmit());
    eyes.querySelector("button").hidden = true;
  }
  keep($("#notes"), forget);
  keepDrafts($("#notes"));
  const form = $("[data-note-form]");
  if (form) turn(form, here.event, here.step, linkTo);
  $("[data-seek]").hidden = false;
  course.load();
  for (const part of all("[data-scripted]")) part.hidden = false;
  moves.pointOut(here.step);
  const first = here.step;
  await blocks.whenAt(first)
    .then((chunk) => here.step === first && recognise(chunk))
    .catch(() => {});
  blocks.near(here.step, here.last);
  live.begin();
  root.dataset.ready = "1";
}

begin();
