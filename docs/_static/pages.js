/** What the pages of the documentation can do: copy a code block, and sort a table by a column. */

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-code";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this code");
  button.addEventListener("click", async () => {
    const text = block.querySelector("pre").innerText.replace(/\n$/, "");
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // a page that was opened from a file may not write to the clipboard: select the text instead
      getSelection().selectAllChildren(block.querySelector("pre"));
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.append(button);
}

/** A cell's value: a number if it reads as one. */
function cellValue(row, column) {
  const text = (row.cells[column]?.textContent ?? "").trim();
  const number = Number(text.replace(/[,\u2009\s×%]/g, "").replace("\u2212", "-"));
  return text !== "" && Number.isFinite(number) ? number : text;
}

function sortBy(table, column, header) {
  const down = header.getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [cellValue(row, column), row]);
  rows.sort(([a], [b]) => {
    if (a === "" || b === "") return (a === "") - (b === ""); // empty cells come last either way
    const order = typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
    return down ? -order : order;
  });
  body.append(...rows.map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
}

function makeSortable(table) {
  if (!table.tHead || table.tBodies.length !== 1) return;
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(table, column, header));
    header.append(button);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("div.highlight").forEach((block) => {
    // what a cell printed is short, and not code
    if (block.querySelector("pre") && !block.closest(".cell_output")) addCopyButton(block);
  });
  document.querySelectorAll("table.sortable, .sortable table").forEach(makeSortable);
});
