// Makes recording quick: two taps on the board, faces that record at once, and only the parts that change.
// Every form of the page works without it.
import { heed } from "./ahead.js";
import { boardIn } from "./board.js";
import { watch } from "./follow.js";

const root = document.querySelector("[data-recorder]");
const $ = (selector) => root.querySelector(selector);
const all = (selector) => [...root.querySelectorAll(selector)];
const svg = $("[data-board]");
const picture = svg && boardIn(svg);
const picked = $("[data-picked]");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const spoken = $("[data-heard]");

let busy = false;
let byHand = false; // the last thing that was used is a finger or a mouse
let first = null; // the place of the board that was tapped

const placesOf = (element) => (element.dataset.places || "").split(" ").filter(Boolean);
const named = (place) => `[data-places~="${CSS.escape(place)}"]`;

// --- sending ---

async function send(form, button) {
  if (busy) return;
  busy = true;
  root.dataset.busy = "1";
  const body = new URLSearchParams(new FormData(form));
  for (const name of new Set([...body.keys()].filter((key) => key.startsWith("some:")))) {
    const ticked = [...form.querySelectorAll(`input[name="${CSS.escape(name)}"]:checked`)];
    ticked.sort((one, other) => (one.dataset.nth || 0) - (other.dataset.nth || 0));
    body.delete(name);
    for (const input of ticked) body.append(name, input.value);
  }
  if (button && button.name) body.append(button.name, button.value);
  body.append("part", "1");
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    const told = await answer.json();
    if (!told.part) throw new Error(told.error ? told.error.message : String(answer.status));
    show(told);
  } catch (error) {
    say(`Not sent: ${error.message}`);
    const note = document.createElement("p");
    note.className = "refused";
    note.setAttribute("role", "alert");
    note.textContent = `It could not be sent (${error.message}). Try again: it will be recorded once.`;
    $("[data-part=echo]").append(note);
  } finally {
    busy = false;
    delete root.dataset.busy;
  }
}

function say(text) {
  spoken.textContent = text;
}

// What has the focus keeps it: the same field of the new sheet, else the sheet itself.
function show(told) {
  const { part, error } = told;
  const within = root.querySelector(".desk").contains(document.activeElement);
  const field = document.activeElement && document.activeElement.id;
  leavePicked();
  const chunk = part.chunk;
  const frame = chunk.frames[0];
  $("[data-part=panel]").innerHTML = chunk.texts[frame.panel];
  if (picture) picture.draw(chunk, frame, !calm.matches && !error);
  if (svg) $("[data-hits]").innerHTML = part.hits;
  $("[data-part=echo]").innerHTML = part.echo;
  $("[data-part=sheet]").innerHTML = part.sheet;
  for (const input of all("[data-undo] [name=key], [data-redo] [name=key]")) input.value = part.key;
  for (const input of all("[data-undo] [name=after], [data-redo] [name=after]")) input.value = part.head;
  for (const name of ["undo", "redo"]) {
    const button = $(`[data-${name}] button`);
    if (button) part[name] ? button.removeAttribute("aria-disabled") : button.setAttribute("aria-disabled", "true");
  }
  const replay = $("[data-replay]");
  if (replay) replay.href = replay.dataset.replay + part.step + location.search;
  const alone = $("[data-zoom]");
  if (alone && replay) alone.href = `${replay.dataset.replay}${part.step}.svg${location.search}`;
  root.dataset.step = part.step;
  root.dataset.head = part.head;
  prepare();
  if (within) {
    const again = field && document.getElementById(field);
    (again || $("#sheet")).focus({ preventScroll: true });
  }
  const refused = $("#refusal");
  if (refused) refused.scrollIntoView({ block: "nearest" });
  else say(`Step ${part.step}. ${frame.caption}`);
}

// --- the board: a piece, then where to ---

function leavePicked() {
  first = null;
  picked.hidden = true;
  picked.replaceChildren();
  for (const hit of all(".hit.from, .hit.to")) hit.classList.remove("from", "to");
  for (const card of all(".sprite.from, .sprite.to")) card.classList.remove("from", "to");
}

const offered = (...places) => all(".sheet .tap[data-places], .sheet .mark[data-places]").filter((element) => {
  const mine = [...placesOf(element), ...placesOf(element.closest("details.folder") || element)];
  return places.every((place) => mine.includes(place));
});

function placeAt(event) {
  const [card] = event.composedPath().filter((part) => part.dataset && (part.dataset.k || "").startsWith("card:"));
  if (card) return card.dataset.k;
  const hit = event.target.closest("[data-place]");
  return hit && hit.dataset.place;
}

function mark(place, kind) {
  const hit = svg.querySelector(`[data-place="${CSS.escape(place)}"]`) || svg.querySelector(`[data-k="${CSS.escape(place)}"]`);
  if (hit) hit.classList.add(kind);
}

function pressed(element) {
  if (element.matches(".mark")) {
    element.querySelector("input").click();
    leavePicked();
  } else element.click();
}

function tapBoard(event) {
  const place = placeAt(event);
  if (!place) return leavePicked();
  if (first) {
    const both = offered(first, place).filter((element) => place !== first || placesOf(element).length === 1);
    const exact = both.filter((element) => element.matches("button, .mark"));
    if (exact.length === 1) return pressed(exact[0]);
    if (exact.length > 1 && place !== first) return choose(place, exact);
  }
  const mine = offered(place);
  if (!mine.length) return leavePicked();
  leavePicked();
  const marks = mine.filter((element) => element.matches(".mark"));
  if (marks.length === 1 && mine.length === 1) return pressed(marks[0]);
  choose(place, mine.filter((element) => element.matches("button")));
}

// Shows what can be done with the place that was tapped; the second tap is there or on the board.
function choose(place, buttons) {
  first = place;
  mark(place, "from");
  for (const button of buttons) {
    const targets = [...placesOf(button)].filter((other) => other !== place);
    for (const target of targets) mark(target, "to");
  }
  picked.replaceChildren(
    ...buttons.slice(0, 12).map((button) => {
      const copy = document.createElement("button");
      copy.type = "button";
      copy.className = "tap";
      copy.textContent = button.title || button.dataset.name || button.textContent;
      copy.addEventListener("click", () => button.click());
      return copy;
    }),
  );
  picked.hidden = !buttons.length;
}

// --- fields ---

// A form in which one tap in each column says all is sent with the last of them.
// The arrow keys go through the answers of a column, so that only a finger or a mouse sends.
function chosen(event) {
  const form = event.target.closest("form.fields");
  if (event.target.type === "checkbox") counted(event.target);
  if (!form || form.dataset.fields !== "one" || !byHand) return;
  const columns = [...form.querySelectorAll(".column")];
  if (columns.every((column) => column.querySelector("input:checked"))) form.requestSubmit(form.querySelector(".send"));
}

// Several answers are sent in the order in which they were given.
let ticks = 0;
function counted(input) {
  ticks += 1;
  input.dataset.nth = ticks;
  const column = input.closest(".column");
  const count = column && column.querySelector(".count");
  if (!count) return;
  count.dataset.of ||= count.textContent;
  const number = column.querySelectorAll("input[name^=some]:checked").length;
  count.textContent = number ? `${number} chosen of ${count.dataset.of}` : count.dataset.of;
}

// --- the others at the table ---

const told = (news) => String(news.seq) !== root.dataset.head && !busy && refresh().catch(() => {});

// What somebody else recorded is shown at once, unless an answer is half given: then sending it says so.
async function refresh() {
  const field = $("#typed-move");
  if (root.querySelector(".sheet input:checked") || document.activeElement?.matches(".sheet input")) {
    if (!field || document.activeElement !== field) return;
  }
  const now = await (await fetch(root.dataset.partAt, { headers: { Accept: "application/json" } })).json();
  if (busy || !now.part || String(now.part.head) === root.dataset.head) return;
  const typed = field ? field.value : "";
  show(now);
  const again = $("#typed-move");
  if (again && typed) again.value = typed;
}

function prepare() {
  for (const field of all("[data-scripted-field]")) field.hidden = false;
}

function keys(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  const name = key === "z" && !event.shiftKey ? "undo" : key === "y" || (key === "z" && event.shiftKey) ? "redo" : "";
  const form = name && $(`[data-${name}]`);
  if (!form) return;
  event.preventDefault();
  if (!event.repeat) send(form, null);
}

if (root) {
  root.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    event.preventDefault();
    send(event.target, event.submitter);
  });
  root.addEventListener("pointerdown", () => (byHand = true), true);
  root.addEventListener("keydown", () => (byHand = false), true);
  root.addEventListener("change", chosen);
  heed(root, pressed);
  document.addEventListener("keydown", keys);
  if (svg) svg.addEventListener("click", tapBoard);
  const eyes = $("[data-eyes]");
  if (eyes) {
    eyes.querySelector("button").hidden = true;
    eyes.addEventListener("change", () => eyes.requestSubmit());
  }
  prepare();
  watch({
    address: root.dataset.news,
    viewer: root.dataset.as,
    known: Number(root.dataset.head),
    told,
    reached: () => {},
    refused: () => {},
  });
  root.dataset.ready = "1";
}
