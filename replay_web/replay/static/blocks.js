// Loads steps in blocks, and keeps those near the step that is shown.
const FAR = 8;

// `newer` is called with the event that a block was made from.
export function blocksFrom({ address, query, size, newer }) {
  const kept = new Map(); // number of a block -> its chunk, or the promise of it
  const block = (step) => Math.floor(step / size);

  function load(number) {
    if (!kept.has(number)) {
      const first = number * size;
      const promise = fetch(`${address}?from=${first}&to=${first + size - 1}${query && `&${query}`}`).then(async (answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        const chunk = await answer.json();
        if (kept.get(number) !== promise) return load(number); // out of date before it arrived
        kept.set(number, chunk);
        newer(chunk.seq);
        return chunk;
      });
      promise.catch(() => kept.delete(number));
      kept.set(number, promise);
    }
    return kept.get(number);
  }

  // The chunk of a block, if it is here.
  function chunk(number) {
    const found = kept.get(number);
    return found && found.frames ? found : null;
  }

  function near(step, last) {
    const middle = block(step);
    for (const number of [middle - 1, middle + 1]) {
      if (number >= 0 && number * size <= last) Promise.resolve(load(number)).catch(() => {});
    }
    for (const number of kept.keys()) if (Math.abs(number - middle) > FAR) kept.delete(number);
  }

  // What lies behind a step is another game by now, but for what was made from event `seq`.
  function forget(step, seq) {
    for (const [number, found] of kept) {
      if ((number + 1) * size > step + 1 && found.seq !== seq) kept.delete(number);
    }
  }

  const at = (step) => chunk(block(step));
  const whenAt = async (step) => at(step) || load(block(step));
  return { size, block, chunk, at, whenAt, near, forget };
}

async function turn(blocks, step) {
  const chunk = await blocks.whenAt(step);
  return chunk.frames[step - chunk.first].turn;
}

// The first step of the next turn; in a longer one `far` steps on, as the server leads.
export async function turnAfter(blocks, from, last, far) {
  const end = Math.min(from + far, last);
  const before = await turn(blocks, from);
  for (let step = from + 1; step <= end; step += 1) if ((await turn(blocks, step)) !== before) return step;
  return end;
}

// The first step of this turn, or of the one before where this is the first; in a longer one `far` steps back.
export async function turnBefore(blocks, from, far) {
  const begin = Math.max(from - 1 - far, 0);
  for (let step = from - 1; step > begin; step -= 1) {
    if ((await turn(blocks, step)) !== (await turn(blocks, step - 1))) return step;
  }
  return begin;
}
