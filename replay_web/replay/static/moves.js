// The list of moves: the blocks round the step that is shown, and which line is that step.
export function movesIn(rows, blocks, address) {
  const listed = () => [...rows.querySelectorAll("[data-block]")];

  function line(ol, name, text) {
    const item = ol.appendChild(document.createElement("li"));
    item.className = name;
    item.textContent = text;
  }

  function row(frame) {
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    link.href = address(frame.step);
    link.dataset.step = frame.step;
    const parts = [["number", String(frame.step)], ["said", frame.caption]];
    if (frame.marks) parts.push(["marks", frame.marks]);
    parts.forEach(([name, text], index) => {
      if (index) link.append(" ");
      const part = link.appendChild(document.createElement("span"));
      part.className = name;
      part.textContent = text;
    });
    return item;
  }

  function list(number) {
    const chunk = blocks.chunk(number);
    if (!chunk || rows.querySelector(`[data-block="${number}"]`)) return;
    const ol = document.createElement("ol");
    ol.dataset.block = number;
    let group = null;
    for (const frame of chunk.frames) {
      if (chunk.sittings[frame.step]) line(ol, "sitting", chunk.sittings[frame.step]);
      if (frame.group && frame.group !== group) line(ol, "group", (group = frame.group));
      ol.append(row(frame));
    }
    const after = listed().find((other) => Number(other.dataset.block) > number);
    const before = rows.scrollHeight;
    rows.insertBefore(ol, after || rows.querySelector("[data-later]"));
    if (after) rows.scrollTop += rows.scrollHeight - before;
  }

  function more(name, text, step, last) {
    let link = rows.querySelector(`[data-${name}]`);
    if (step < 0 || step > last) return link && link.remove();
    if (!link) {
      link = document.createElement("a");
      link.className = "more";
      link.dataset[name] = "";
      link.textContent = text;
      name === "earlier" ? rows.prepend(link) : rows.append(link);
    }
    link.href = address(step);
  }

  function show(step, last) {
    const middle = blocks.block(step);
    for (const ol of listed()) if (Math.abs(Number(ol.dataset.block) - middle) > 1) ol.remove();
    for (const near of [middle - 1, middle, middle + 1]) list(near);
    const shown = listed().map((ol) => Number(ol.dataset.block));
    if (shown.length) {
      more("earlier", "Earlier moves", Math.min(...shown) * blocks.size - 1, last);
      more("later", "Later moves", (Math.max(...shown) + 1) * blocks.size, last);
    }
    pointOut(step);
  }

  function pointOut(step) {
    const old = rows.querySelector("[aria-current]");
    const now = rows.querySelector(`a[data-step="${step}"]`);
    if (old && old !== now) old.removeAttribute("aria-current");
    if (!now) return;
    now.setAttribute("aria-current", "step");
    const top = now.offsetTop;
    if (top < rows.scrollTop + 40 || top + now.offsetHeight > rows.scrollTop + rows.clientHeight) {
      rows.scrollTop = top - rows.clientHeight / 2;
    }
  }

  // The lines behind a step are others by now.
  function forget(step) {
    for (const ol of listed()) if ((Number(ol.dataset.block) + 1) * blocks.size > step + 1) ol.remove();
  }

  return { show, pointOut, forget };
}
