/** Elements from data. Text is only ever set as text, so no name can become markup. */

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** The head of a table: the names of its columns, those of figures to the right like what is below them. */
export function tableHead(columns) {
  const cells = columns.map(({ name, title = null, figure = false }) => el("th", { scope: "col", title, class: figure ? "figure" : null }, name));
  return el("thead", {}, el("tr", {}, cells));
}

/** Which colour is which move. */
export function legend(moves, colours) {
  return el("ul", { class: "legend", "aria-label": "Colours" }, moves.map((move) => el("li", {}, el("span", { class: "swatch", style: { background: colours.get(move) } }), move)));
}

/** A horizontal bar, a share of it per action, that reads itself out. */
export function actionBar(actions, colours, ink, text, share = (a) => a.probability) {
  const parts = actions.filter((a) => share(a) > 0.0005).map((a) => {
    const colour = colours.get(a.label);
    const style = { "flex-grow": share(a), background: colour, color: ink(colour) };
    return el("span", { class: "part", style }, share(a) > 0.12 ? a.label : "");
  });
  const words = actions.map((a) => `${a.label} ${text(a)}`).join(", ");
  return el("div", { class: "bar", role: "img", "aria-label": words, title: words }, parts);
}
