// Where nothing that comes later leaves the server, each step is a page, and a key presses its link.
import { copierIn } from "./copy.js";
import { forget, keepDrafts, mark, turn } from "./draft.js";
import { keep } from "./keep.js";
import { heed } from "./press.js";

const root = document.querySelector("[data-viewer]");
const $ = (selector) => root.querySelector(selector);
const at = (seq) => root.dataset.at.replace("/at/0", `/at/${seq}`);
const copier = copierIn(root, (text) => ($("[data-heard]").textContent = text));
const OTHERS = {
  help: () => ($("[data-dialog]").open ? $("[data-dialog]").close() : $("[data-dialog]").showModal()),
  note: () => $("#note-text") && $("#note-text").focus(),
  copy: () => copier.copy(new URL(at(root.dataset.event), location.href).href, root.dataset.step),
  glyph: (key) => mark(Number(key)),
};

function act(name, _, key) {
  if (OTHERS[name]) return OTHERS[name](key);
  const link = $(`a[data-do="${name}"]:not([aria-disabled])`);
  if (link) location.href = link.href;
}

heed(root, { act, go: (step) => (location.href = $(`a[data-step="${step}"]`).href) });
keep($("#notes"), forget);
keepDrafts($("#notes"));
const form = $("[data-note-form]");
if (form) turn(form, form.elements.seq.value, form.elements.step.value, at);
const eyes = $("[data-eyes]");
if (eyes) {
  eyes.addEventListener("change", () => eyes.requestSubmit());
  eyes.querySelector("button").hidden = true;
}
for (const part of root.querySelectorAll("[data-scripted]")) part.hidden = false;
const row = $("[data-rows] [aria-current]");
$("[data-rows]").scrollTop = row.offsetTop - $("[data-rows]").clientHeight / 2;
root.dataset.ready = "1";
