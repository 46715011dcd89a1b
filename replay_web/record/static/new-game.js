// Fills in what this device knows: its own day and time zone. What is filled in before stays.
const form = document.querySelector("[data-new-game]");
if (form) {
  document.getElementById("refusal")?.focus();
  const zone = form.elements.time_zone;
  if (!zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  for (const button of form.querySelectorAll("[data-swap]")) {
    button.hidden = false;
    button.addEventListener("click", () => swap(button.dataset.swap.split(" ")));
  }
  form.addEventListener("submit", (event) => {
    if (form.sent) event.preventDefault();
    form.sent = true;
  });
  addEventListener("pageshow", () => (form.sent = false));
}

// Two that sit side by side change their places.
function swap(seats) {
  const [one, other] = seats.map((seat) => form.elements[`player.${seat}`]);
  [one.value, other.value] = [other.value, one.value];
  const said = [one, other].map((field) => `${field.value || "nobody yet"} in ${field.labels[0].textContent.trim().toLowerCase()}`);
  form.querySelector("[data-swapped]").textContent = said.join(", ");
}
