// A scanned code brings the key behind the `#`, which is sent to no server and stands in no log.
const form = document.querySelector("[data-sign-in]");

function take() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (!form) return;
  form.elements.key.value = key;
  form.requestSubmit();
}

addEventListener("hashchange", take); // the page was open already
take();
