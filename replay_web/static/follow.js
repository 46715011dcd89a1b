// Asks every two seconds what is new in a game, or when the server tells that there is something; not while nobody
// looks.
const EVERY = 2000;
const LONGEST = 10000;
const TOLD = 20000; // how often is asked although the server would tell
const AGAIN = 60000; // how long after a refusal the server is asked to tell again

// `address` answers with {seq, steps, same}; `known` is the event that the page is made from. `told` gets each
// answer that brings something, `reached` whether the server was, and `refused` that it will not answer again.
export function watch({ address, viewer, known, told, reached, refused }) {
  let seq = known;
  let timer = 0;
  let asking = null;
  let wait = EVERY;
  let stream = null; // what the server tells by
  let notBefore = "streams" in document.body.dataset ? 0 : Infinity;

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

  // A stream tells only when to ask: whatever becomes of it, asking goes on.
  function listen() {
    if (stream || document.hidden || Date.now() < notBefore) return;
    stream = new EventSource(`${address}/stream?${new URLSearchParams({ since: seq, as: viewer })}`);
    stream.onmessage = ({ data }) => Number(data) > seq && (asking ? asking.then(now) : now());
    stream.onopen = stream.onerror = () => {
      if (stream.readyState === EventSource.CLOSED) [stream, notBefore] = [null, Date.now() + AGAIN];
      later();
    };
  }

  function deafen() {
    if (stream) stream.close();
    stream = null;
  }

  function later() {
    clearTimeout(timer);
    listen();
    const told = stream && stream.readyState === EventSource.OPEN;
    if (!document.hidden) timer = setTimeout(now, told ? TOLD : wait);
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
    if (document.hidden) return void (deafen(), clearTimeout(timer));
    wait = EVERY;
    now();
  }
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  addEventListener("pageshow", (event) => event.persisted && again());
  addEventListener("pagehide", deafen);
  later();
  return now;
}
