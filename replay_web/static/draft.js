// Keeps a change of a note from which its writer steps away, until it is saved, discarded or the tab is closed.
const FORMS = ".note form.note-form";
const FIELDS = ["replaces", "text", "glyph", "tags"]; // with the version, so that who comes second is told

const keyOf = (form) => `tabletape note ${new URL(form.action).pathname}`;

// Where a browser keeps nothing, what is typed is no worse off than without this.
function kept(act) {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}

function forget(form) {
  kept((place) => place.removeItem(keyOf(form)));
}

// Puts back what was typed into the forms that are shown now, and says so.
export function restore(panel) {
  for (const form of panel.querySelectorAll(FORMS)) {
    const draft = JSON.parse(kept((place) => place.getItem(keyOf(form))) || "null");
    if (!draft) continue;
    const stands = form.elements.replaces.value;
    for (const name of FIELDS) form.elements[name].value = draft[name];
    form.closest("details").open = true;
    const said = document.createElement("p");
    const button = document.createElement("button");
    said.setAttribute("role", "status");
    said.textContent = "What you were changing was kept. It is not saved yet. ";
    button.type = "button";
    button.textContent = "Discard it";
    button.addEventListener("click", () => {
      forget(form);
      form.reset();
      form.elements.replaces.value = stands;
      said.remove();
    });
    said.append(button);
    form.prepend(said);
  }
}

export function keepDrafts(panel) {
  panel.addEventListener("input", (event) => {
    const form = event.target.closest(FORMS);
    if (!form) return;
    const draft = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
    kept((place) => place.setItem(keyOf(form), JSON.stringify(draft)));
  });
  panel.addEventListener("submit", (event) => event.target.matches(FORMS) && forget(event.target));
  restore(panel);
}
