/** The 13×13 grid of starting hands, on screen and as a picture: height is weight, colours are moves. */

import { el, svg } from "./dom.js";
import { percent } from "../data/format.js";
import { gridClass, RANKS } from "../data/hands.js";

const CELL = 46;

function cellOf(name, total, fullest, colours, moves, view, go) {
  const there = total && total.weight > 0;
  const shares = there ? moves.map((m, k) => `${m} ${percent(total.shares[k])}`).join(", ") : "not in the range here";
  const bars = there ? moves.map((m, k) => el("span", { class: "slice", style: { "flex-grow": total.shares[k], background: colours.get(m) } })) : [];
  const high = there ? Math.min(1, total.weight / total.hands.length / fullest) : 0;
  return el("td", {}, el("button", {
    type: "button", class: there ? "hand" : "hand empty", "data-hand": name, "aria-pressed": view.hand === name ? "true" : "false", "aria-label": `${name}: ${shares}`, title: `${name}: ${shares}`,
    onclick: () => go({ hand: view.hand === name ? "" : name }),
  }, el("span", { class: "slices", style: { height: `${100 * high}%` } }, bars), el("span", { class: "label" }, name)));
}

export function gridTable(totals, colours, moves, view, go) {
  const fullest = Math.max(...[...totals.values()].map((t) => t.weight / t.hands.length), 1e-300);
  const rows = Array.from(RANKS, (_, r) => el("tr", {}, Array.from(RANKS, (_, c) => cellOf(gridClass(r, c), totals.get(gridClass(r, c)), fullest, colours, moves, view, go))));
  return el("table", { class: "grid", "aria-label": "Starting hands" }, el("tbody", {}, rows));
}

export function gridPicture(title, totals, colours, moves) {
  const fullest = Math.max(...[...totals.values()].map((t) => t.weight / t.hands.length), 1e-300);
  const wide = 13 * CELL + 20;
  const parts = [svg("rect", { width: wide, height: 13 * CELL + 70, fill: "#ffffff" }), svg("text", { x: 10, y: 20, "font-size": 14, "font-weight": "bold" }, title)];
  for (let r = 0; r < 13; r++) {
    for (let c = 0; c < 13; c++) {
      const name = gridClass(r, c);
      const total = totals.get(name);
      const [x, y] = [10 + c * CELL, 32 + r * CELL];
      parts.push(svg("rect", { x, y, width: CELL, height: CELL, fill: "#eef1f4", stroke: "#ffffff" }));
      let left = x;
      const high = total && total.weight > 0 ? CELL * Math.min(1, total.weight / total.hands.length / fullest) : 0;
      if (high) moves.forEach((m, k) => {
        parts.push(svg("rect", { x: left, y: y + CELL - high, width: CELL * total.shares[k], height: high, fill: colours.get(m) }));
        left += CELL * total.shares[k];
      });
      parts.push(svg("text", { x: x + 4, y: y + 14, "font-size": 11, fill: high ? "#000000" : "#8c959f" }, name));
    }
  }
  let at = 10;
  for (const m of moves) {
    parts.push(svg("rect", { x: at, y: 13 * CELL + 44, width: 12, height: 12, fill: colours.get(m) }), svg("text", { x: at + 16, y: 13 * CELL + 54, "font-size": 12 }, m));
    at += 34 + 8 * m.length;
  }
  return svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: Math.max(wide, at), height: 13 * CELL + 70, "font-family": "DejaVu Sans, Verdana, Arial, sans-serif" }, parts);
}
