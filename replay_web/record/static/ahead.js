// First letters: a field marked data-ahead narrows the faces of its box, and Enter takes the only one that is left.
// What has that name, else what begins so, else what has words that do: as the server reads it.
function meant(faces, asked) {
  const named = faces.map((face) => [face, (face.dataset.name || "").toLowerCase()]);
  const words = asked.split(/\s+/);
  const ways = [
    ([, name]) => asked === name || asked === name.split(" · ")[0],
    ([, name]) => name.startsWith(asked),
    ([, name]) => words.every((part) => name.split(/\s+/).some((word) => word.startsWith(part))),
  ];
  for (const way of ways) {
    const found = named.filter(way).map(([face]) => face);
    if (found.length) return found;
  }
  return [];
}

function facesFor(input) {
  const box = input.closest(".column, form");
  return [...box.querySelectorAll(".mark, .taps > .tap")];
}

function narrow(input) {
  const asked = input.value.trim().toLowerCase();
  const faces = facesFor(input);
  const left = asked ? meant(faces, asked) : faces;
  for (const face of faces) face.hidden = !left.includes(face);
}

function entered(event, press) {
  if (event.key !== "Enter" || !event.target.matches("[data-ahead]") || !event.target.value.trim()) return;
  const left = facesFor(event.target).filter((face) => !face.hidden);
  event.preventDefault();
  if (left.length !== 1) return;
  event.target.value = "";
  narrow(event.target);
  press(left[0]);
}

export function heed(root, press) {
  root.addEventListener("input", (event) => event.target.matches("[data-ahead]") && narrow(event.target));
  root.addEventListener("keydown", (event) => entered(event, press));
}

// A page that has faces and nothing else needs no module of its own.
for (const form of document.querySelectorAll("[data-faces]")) heed(form, (face) => face.click());
