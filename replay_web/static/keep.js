// Sends the forms of a box so that nothing that was typed is lost without a network, or by a refusal.
export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function tell(form, text) {
  const old = form.querySelector("[role=alert]");
  if (old) old.remove();
  if (!text) return;
  const said = form.appendChild(document.createElement("p"));
  said.className = "fault";
  said.setAttribute("role", "alert");
  said.textContent = text;
}

function refused(form, { message, theirs }) {
  if (!theirs) return tell(form, message);
  form.elements.replaces.value = theirs.version;
  form.dispatchEvent(new Event("input", { bubbles: true }));
  const stands = [theirs.glyph, theirs.text, ...theirs.tags].filter(Boolean).join(" ");
  const what = "Take over what you want to keep; what you save then stands in its place.";
  tell(form, `Somebody else changed this note meanwhile. It now says: “${stands}”. ${what}`);
}

// The page is not left before the answer is there: a refusal or a lost network is told, and what was typed stays.
// Its key stays too, so that a second try of what had arrived writes nothing twice; a form without one is named by
// what it says. `done` hears which form arrived.
export function keep(box, done) {
  let sending = new WeakSet();
  const renew = (form) => form.matches("[data-note-form]") && (form.elements.key.value = freshKey());
  const renewAll = () => box.querySelectorAll("form").forEach(renew);
  // A page that the browser brings back has an old key, and its form was sent.
  addEventListener("pageshow", (event) => event.persisted && (renewAll(), (sending = new WeakSet())));
  box.addEventListener("submit", async (event) => {
    const form = event.target;
    event.preventDefault();
    if (sending.has(form)) return;
    sending.add(form);
    tell(form, "");
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
      if (!answer.ok) {
        refused(form, (await answer.json()).error);
        if (answer.status < 500) renew(form); // refused: the next one is another
        sending.delete(form);
        return;
      }
      done(form);
      form.reset();
      history.replaceState(null, "", `${answer.url}#${box.id}`);
      location.reload();
    } catch {
      sending.delete(form);
      tell(form, "No connection: nothing is lost. Send it again when you are back.");
    }
  });
  renewAll();
}
