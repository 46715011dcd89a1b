// The course of a game: ticks on the slider for what is marked, and the chart of the scores as a second bar to seek by.
// It is loaded once beside the page, and anew when there is something new; a step asks for nothing.
const FINEST = 600; // ticks that stand apart

export function courseIn(root, here, { address, seek }) {
  const $ = (selector) => root.querySelector(selector);
  const box = $("[data-chart]");
  let told = { marked: [], leads: {} };
  let marked = null; // in order, once they are known
  let asked = 0;

  function strokes(steps, top, bottom) {
    const apart = new Map(steps.map((step) => [Math.round((step * FINEST) / told.steps), step]));
    return [...apart.values()].map((step) => `M${step} ${top}V${bottom}`).join("");
  }

  // What somebody marked is tall, a change of the lead short.
  function tick(svg, top, bottom) {
    const short = strokes(Object.keys(told.leads).map(Number), (top + bottom) / 2, bottom);
    svg.querySelector("[data-ticks]").setAttribute("d", strokes(told.marked, top, bottom) + short);
  }

  const tall = (chart) => chart.viewBox.baseVal.height;

  async function load() {
    const mine = (asked += 1);
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (!answer.ok || mine !== asked) return;
      told = await answer.json();
    } catch {
      return; // the page is whole without it
    }
    marked = [...new Set([...told.marked, ...Object.keys(told.leads).map(Number)])].sort((one, other) => one - other);
    const ticks = $("[data-tick-box]");
    ticks.setAttribute("viewBox", `0 0 ${told.steps || 1} 10`);
    tick(ticks, 0, 10);
    box.hidden = !told.chart;
    box.innerHTML = told.chart;
    const chart = box.querySelector(".chart");
    if (chart) tick(chart, 0.8 * tall(chart), tall(chart));
    show();
  }

  function show() {
    const now = box.querySelector("[data-now]");
    if (now) now.setAttribute("d", `M${Math.min(here.step, told.steps)} 0V${tall(now.ownerSVGElement)}`);
    $("[data-why]").textContent = told.leads[here.step] || "";
  }

  // The marked step before or behind one, itself where there is none; nothing while they are not known.
  function beside(step, back) {
    if (!marked) return undefined;
    const found = back ? marked.filter((one) => one < step).at(-1) : marked.find((one) => one > step);
    return found === undefined ? step : found;
  }

  function point(event) {
    const chart = event.target.closest(".chart");
    if (!chart || !(event.buttons & 1)) return;
    const { left, width } = chart.getBoundingClientRect();
    seek(Math.round(((event.clientX - left) / width) * told.steps));
    if (event.type === "pointerdown") chart.setPointerCapture(event.pointerId);
  }

  for (const name of ["pointerdown", "pointermove"]) box.addEventListener(name, point);
  box.hidden = !("scores" in box.dataset);
  return { load, show, beside };
}
