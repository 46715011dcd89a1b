// Sends a form so that nothing that was typed is lost without a network, or by a refusal.
function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The page is not left before the answer is there: a refusal or a lost network is told, and what was typed stays.
// Its key stays too, so that a second try of what had arrived writes nothing twice.
export function keep(form, tell) {
  form.elements.key.value = freshKey();
  // A page that the browser brings back has an old key, and its form was sent.
  let sending = false;
  addEventListener("pageshow", (event) => {
    if (event.persisted) [form.elements.key.value, sending] = [freshKey(), false];
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending) return;
    sending = true;
    tell("");
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
      if (!answer.ok) {
        const { error } = await answer.json();
        tell(error.message);
        if (answer.status < 500) form.elements.key.value = freshKey(); // refused: the next one is another
        sending = false;
        return;
      }
      form.reset();
      history.replaceState(null, "", `${answer.url}#${form.closest("[id]").id}`);
      location.reload();
    } catch {
      sending = false;
      tell("No connection: nothing is lost. Send it again when you are back.");
    }
  });
}
