// Keeps what is typed into a note, and where, for its writer who steps away, until it is saved, discarded or the tab is
// closed. A browser that keeps nothing has it as long as the page.
import { freshKey } from "./keep.js";

const FORMS = ".note-form";
// With the version, so that who comes second is told, and the key, so that what had arrived is written once.
const FIELDS = ["text", "glyph", "tags", "replaces", "key"];
const NAME = "tabletape drafts";

// A new note belongs to its event, a change to its note.
const pathOf = (form) => new URL(form.action).pathname;
const seqOf = (form) => (form.elements.seq ? ` ${form.elements.seq.value}` : "");
const keyOf = (form) => pathOf(form) + seqOf(form);

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(NAME)) || {};
  } catch {
    return {};
  }
}

const drafts = read();

function write() {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(drafts));
  } catch {
    // it lasts as long as the page
  }
}

export function forget(form) {
  delete drafts[keyOf(form)];
  write();
}

const asItWas = (field) =>
  field.options ? ([...field.options].find((one) => one.defaultSelected) || field.options[0]).selected : field.value === field.defaultValue;

function keepOne(form) {
  const fields = FIELDS.map((name) => form.elements[name]).filter(Boolean);
  if (fields.every(asItWas)) return forget(form);
  const draft = Object.fromEntries(fields.map((field) => [field.name, field.value]));
  drafts[keyOf(form)] = { ...draft, step: form.elements.step.value };
  write();
}

// Puts back what was typed into a form, and says so.
function restoreOne(form) {
  const draft = drafts[keyOf(form)];
  if (!draft) return;
  const stands = form.elements.replaces && form.elements.replaces.value;
  for (const name of FIELDS) if (name in draft) form.elements[name].value = draft[name];
  const folded = form.closest("details");
  if (folded) folded.open = true;
  const said = document.createElement("p");
  const button = document.createElement("button");
  said.setAttribute("role", "status");
  said.textContent = "What you were writing was kept. It is not saved yet. ";
  button.type = "button";
  button.textContent = "Discard it";
  button.addEventListener("click", () => {
    forget(form);
    form.reset();
    if (stands) form.elements.replaces.value = stands;
    said.remove();
  });
  said.append(button);
  form.prepend(said);
}

export const restore = (box) => box.querySelectorAll(FORMS).forEach(restoreOne);

// The form for a new note turns to another event: what was typed for the one before stays with that.
export function turn(form, seq, step, at) {
  form.elements.step.value = step;
  if (form.elements.seq.value !== String(seq)) {
    form.reset();
    [form.elements.seq.value, form.elements.key.value] = [seq, freshKey()];
    for (const said of form.querySelectorAll("[role]")) said.remove();
    restoreOne(form);
  }
  elsewhere(form, at);
}

// Says on which other step a note is not saved yet.
function elsewhere(form, at) {
  for (const old of form.querySelectorAll(".elsewhere")) old.remove();
  const mine = pathOf(form);
  for (const [key, { step }] of Object.entries(drafts)) {
    const [path, seq] = key.split(" ");
    if (path !== mine || key === keyOf(form)) continue;
    const said = document.createElement("p");
    const link = document.createElement("a");
    said.className = "elsewhere";
    link.href = at(seq);
    link.textContent = `step ${step}`;
    said.append("What you wrote on ", link, " is not saved yet.");
    form.append(said);
  }
}

export function keepDrafts(box) {
  box.addEventListener("input", (event) => {
    const form = event.target.closest(FORMS);
    if (form) keepOne(form);
  });
  restore(box);
}

// Marks the note that is being changed, else the new one; the first of the list is none.
export function mark(number) {
  const form = document.activeElement.closest(FORMS) || document.querySelector("[data-note-form]");
  if (!form) return;
  form.elements.glyph.selectedIndex = number;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}
