/** A curve through the profiles of a page, such as payoff against risk: select a point to see its strategies. */

import { chartSaving } from "./chart.js";
import { el, svg } from "./dom.js";
import { number } from "../data/format.js";
import { FONT } from "./save.js";

const MARGIN = { left: 70, right: 26, top: 50, bottom: 40 };

/** About so many round numbers that lie between two. */
export function roundTicks(low, high, most = 6) {
  const raw = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((s) => s * power >= raw * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, k) => (first + k) * step);
}

/** The picture; its colours are those of paper, and the style sheet gives the one on screen those of the page. */
export function curvePicture(title, curve, chosen, choose, wide = 720, high = 340) {
  const ends = (values) => [Math.min(...values), Math.max(...values)];
  const [left, right] = ends(curve.across);
  const [low, top] = ends([...curve.up, curve.value]);
  const x = (v) => MARGIN.left + (v - left) / (right - left || 1) * (wide - MARGIN.left - MARGIN.right);
  const y = (v) => high - MARGIN.bottom - (v - low) / (top - low || 1) * (high - MARGIN.top - MARGIN.bottom);
  const rule = { class: "rule", stroke: "#e3e7eb" };
  const soft = { class: "soft", "font-size": 11, fill: "#555555" };
  const points = curve.across.map((v, k) => [x(v).toFixed(1), y(curve.up[k]).toFixed(1)]);
  const words = `${curve.words.up} against ${curve.words.across}`;
  return svg("svg", { xmlns: "http://www.w3.org/2000/svg", class: "chart", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": words, "font-family": FONT },
    svg("rect", { class: "paper", width: wide, height: high, fill: "#ffffff" }), svg("text", { x: 10, y: 20, "font-size": 14, "font-weight": "bold" }, title),
    svg("text", { ...soft, x: 10, y: 38 }, curve.words.up), svg("text", { ...soft, x: wide - MARGIN.right, y: high - 8, "text-anchor": "end" }, curve.words.across),
    roundTicks(left, right).flatMap((v) => [svg("line", { ...rule, x1: x(v), x2: x(v), y1: MARGIN.top, y2: high - MARGIN.bottom }), svg("text", { x: x(v), y: high - MARGIN.bottom + 15, "font-size": 11, "text-anchor": "middle" }, number(v))]),
    roundTicks(low, top).flatMap((v) => [svg("line", { ...rule, x1: MARGIN.left, x2: wide - MARGIN.right, y1: y(v), y2: y(v) }), svg("text", { x: MARGIN.left - 6, y: y(v) + 4, "font-size": 11, "text-anchor": "end" }, number(v))]),
    svg("line", { class: "soft", stroke: "#555555", "stroke-dasharray": "5 4", x1: MARGIN.left, x2: wide - MARGIN.right, y1: y(curve.value), y2: y(curve.value) }, svg("title", {}, `${curve.words.value}: ${number(curve.value)}`)),
    svg("polyline", { points: points.map((p) => p.join(",")).join(" "), fill: "none", stroke: "#0072b2", "stroke-width": 2 }),
    points.map(([cx, cy], k) => svg("circle", { class: "kink", "data-point": k, cx, cy, r: k === chosen ? 6 : 4, fill: k === chosen ? "#d55e00" : "#0072b2", onclick: choose && (() => choose(k)) }, svg("title", {}, `${number(curve.across[k])}: ${number(curve.up[k])}`))));
}

export function curvePanel(game, curve, chosen, choose) {
  const rows = () => [[curve.words.across, curve.words.up], ...curve.across.map((v, k) => [v, curve.up[k]])];
  const size = window.innerWidth > 760 ? [] : [360, 270];
  return el("div", {}, el("div", { class: "controls" }, el("h2", {}, curve.words.title), chartSaving(`${game} ${curve.words.title}`, rows, () => curvePicture(game, curve, chosen, null))),
    curvePicture(game, curve, chosen, choose, ...size), el("p", { class: "note" }, `${curve.words.note} Dashed: ${curve.words.value}, ${number(curve.value)}.`));
}
