// Fills in what this device knows: its own day and time zone. What is filled in before stays.
const form = document.querySelector("[data-new-game]");
if (form) {
  document.getElementById("refusal")?.focus();
  const zone = form.elements.time_zone;
  if (!zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  form.addEventListener("submit", (event) => {
    if (form.sent) event.preventDefault();
    form.sent = true;
  });
  addEventListener("pageshow", () => (form.sent = false));
}
