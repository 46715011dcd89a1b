// Draws a step's picture into the svg of a page: things keep their element from step to step, so that they move.
const SVG = "http://www.w3.org/2000/svg";

export function boardIn(svg) {
  const drawn = new Map(); // key of a sprite -> {element, classes, transform, inner}
  const defined = new Set();
  for (const element of svg.querySelectorAll("[data-k]")) {
    drawn.set(element.dataset.k, {
      element,
      classes: element.getAttribute("class"),
      transform: element.getAttribute("transform"),
      inner: null,
    });
  }
  for (const symbol of svg.querySelectorAll("[data-symbols] > g")) defined.add(symbol.id);

  // What the server drew is what the first block says of this step: nothing of it need be drawn again.
  function recognise(chunk, frame) {
    for (const number of frame.sprites) {
      const [key, , , inner] = chunk.sprites[number];
      if (drawn.has(key)) drawn.get(key).inner = inner;
    }
    for (const name of ["ground", "trails"]) svg.querySelector(`[data-${name}]`).shown = chunk.texts[frame[name]];
  }

  function define(symbols) {
    const missing = Object.entries(symbols).filter(([id]) => !defined.has(id));
    if (!missing.length) return;
    const holder = document.createElementNS(SVG, "g");
    holder.innerHTML = missing.map(([, markup]) => markup).join("");
    svg.querySelector("[data-symbols]").append(...holder.childNodes);
    for (const [id] of missing) defined.add(id);
  }

  function draw(chunk, frame, moving) {
    define(chunk.symbols);
    for (const name of ["ground", "trails"]) {
      const part = svg.querySelector(`[data-${name}]`);
      const markup = chunk.texts[frame[name]];
      if (part.shown !== markup) part.innerHTML = part.shown = markup;
    }
    const layer = svg.querySelector("[data-sprites]");
    svg.classList.toggle("moving", moving);
    const kept = new Set();
    const later = [];
    let place = layer.firstChild;
    let flush = false;
    for (const number of frame.sprites) {
      const [key, classes, transform, inner] = chunk.sprites[number];
      kept.add(key);
      let known = drawn.get(key);
      if (!known) {
        const element = document.createElementNS(SVG, "g");
        element.dataset.k = key;
        known = { element, classes: null, transform: null, inner: null };
        drawn.set(key, known);
        element.setAttribute("class", (known.classes = classes));
        element.setAttribute("transform", (known.transform = (moving && frame.starts[key]) || transform));
      }
      if (known.element === place) place = place.nextSibling;
      else {
        layer.insertBefore(known.element, place);
        flush = flush || moving;
      }
      if (known.inner !== inner) known.element.innerHTML = known.inner = inner;
      if (known.classes !== classes) known.element.setAttribute("class", (known.classes = classes));
      if (known.transform !== transform) later.push([known, transform]);
    }
    for (const [key, known] of drawn) {
      if (!kept.has(key)) {
        known.element.remove();
        drawn.delete(key);
      }
    }
    if (flush) svg.getBoundingClientRect(); // a transition starts from a place that was laid out
    for (const [known, transform] of later) {
      known.element.setAttribute("transform", transform);
      known.transform = transform;
    }
    svg.toggleAttribute("hidden", !frame.view);
    if (frame.view) svg.setAttribute("viewBox", frame.view);
    svg.setAttribute("aria-label", `The board after step ${frame.step}`);
  }

  return { draw, recognise };
}
