// Enlarges the picture on the page, to be moved about with a finger. Without it the link opens the picture alone.
for (const link of document.querySelectorAll("[data-zoom]")) {
  const page = link.closest("[data-viewer], [data-recorder]");
  const box = page.querySelector("[data-board-box]");
  link.setAttribute("role", "button");
  link.setAttribute("aria-pressed", "false");
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const large = page.classList.toggle("enlarged");
    link.setAttribute("aria-pressed", String(large));
    const svg = box.querySelector("svg");
    svg.style.width = large ? "100%" : "";
    if (!large) return;
    svg.style.width = `${Math.ceil(100 * times(svg))}%`;
    show(box);
  });
  link.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    link.click();
  });
}

// So many times larger its smallest letters can be read.
const READ = 10;
const LEAST = matchMedia("(min-width: 60rem)").matches ? 1 : 2;
const MOST = 5;
function times(svg) {
  const sizes = [];
  const add = (text, drawn) => {
    const { a, b, c, d } = drawn.getScreenCTM();
    sizes.push(parseFloat(getComputedStyle(text).fontSize) * Math.sqrt(Math.abs(a * d - b * c)));
  };
  for (const text of svg.querySelectorAll("text")) if (!text.closest("defs")) add(text, text);
  for (const use of svg.querySelectorAll("use")) {
    const drawn = svg.querySelector(use.getAttribute("href"));
    for (const text of drawn ? drawn.querySelectorAll("text") : []) add(text, use);
  }
  return Math.min(Math.max(READ / Math.min(READ, ...sizes), LEAST), MOST);
}

// What changed last comes into the middle; else the middle of the picture does.
function show(box) {
  const svg = box.querySelector("svg");
  const changed = svg.querySelector("[data-trails] *, .sprite.moved, .sprite.added") || svg;
  const at = changed.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  box.scrollBy(at.x + at.width / 2 - frame.x - frame.width / 2, at.y + at.height / 2 - frame.y - frame.height / 2);
}
