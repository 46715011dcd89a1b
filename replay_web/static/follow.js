// Asks every two seconds what is new in a game, and not while nobody looks; sends forms so that nothing that
// was typed is lost without a network.
const EVERY = 2000;
const LONGEST = 10000;

// `address` answers with {seq, steps, same}; `known` is the event that the page is made from. `told` gets each
// answer that brings something, `reached` whether the server was, and `refused` that it will not answer again.
export function watch({ address, viewer, known, told, reached, refused }) {
  let seq = known;
  let timer = 0;
  let asking = null;
  let wait = EVERY;

  async function ask() {
    const query = new URLSearchParams({ since: seq, as: viewer });
    const answer = await fetch(`${address}?${query}`, {
      cache: "no-store",
      headers: { "If-None-Match": `"${viewer}.${seq}"`, Accept: "application/json" },
    });
    if (answer.status === 304) return;
    if (answer.status === 403 || answer.status === 404) return refused(await answer.json());
    if (!answer.ok) throw new Error(String(answer.status));
    const news = await answer.json();
    seq = news.seq;
    told(news);
  }

  function later() {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(now, wait);
  }

  // One question at a time: an answer that comes late cannot take back a newer one.
  function now() {
    clearTimeout(timer);
    asking ||= ask()
      .then(() => ((wait = EVERY), reached(true)))
      .catch(() => ((wait = Math.min(wait * 2, LONGEST)), reached(false)))
      .finally(() => ((asking = null), later()));
    return asking;
  }

  function again() {
    if (document.hidden) return clearTimeout(timer);
    wait = EVERY;
    now();
  }
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  addEventListener("pageshow", (event) => event.persisted && again());
  later();
  return now;
}

export function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Sends a form without leaving the page before the answer is there: a refusal or a lost network is told, and what
// was typed stays. Its key stays too, so that a second try of what had arrived writes nothing twice.
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
