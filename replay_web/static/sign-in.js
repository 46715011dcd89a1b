// A scanned code brings the key behind the `#`, which is sent to no server and stands in no log.
const form = document.querySelector("[data-sign-in]");
const key = new URLSearchParams(location.hash.slice(1)).get("key");
if (key) history.replaceState(null, "", location.pathname + location.search);
if (form && key) {
  form.elements.key.value = key;
  form.requestSubmit();
}
