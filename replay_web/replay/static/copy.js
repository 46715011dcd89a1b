// Copies the link to a step and says to which; where the clipboard is out of reach the link stands in a field.
const SAID = 2000;

export function copierIn(root, hear) {
  const button = root.querySelector('button[data-do="copy"]');
  const field = root.querySelector("[data-link]");
  const label = button.textContent;
  let saying = 0;

  function rest() {
    clearTimeout(saying);
    button.textContent = label;
  }

  async function copy(link, step) {
    field.value = link;
    try {
      await navigator.clipboard.writeText(link); // missing on plain http in a local network
      hear(`Link to step ${step} copied`);
      rest();
      button.textContent = `Link to step ${step} copied`;
      saying = setTimeout(rest, SAID);
    } catch {
      field.hidden = false;
      field.focus();
      field.select();
    }
  }

  field.addEventListener("blur", () => (field.hidden = true));
  return { copy, rest };
}
