/** A logarithmic chart of a gap that closes: on screen, as a picture, and as a section of other pages. */

import { el, svg } from "./dom.js";
import { count, number } from "../data/format.js";
import { assignColours } from "./palette.js";
import { csvCell } from "../data/rows.js";
import { download, FONT, rasterize } from "./save.js";

const EDGE = { left: 62, right: 26, top: 50, bottom: 44 };
/** A legend's line. */
const LINE = 20;

/** The points of a run that a logarithmic chart can show: positive and known. */
export function chartPoints(run, axis) {
  return run.history.filter((c) => c[axis] > 0 && c.exploitability > 0).map((c) => [Math.log10(c[axis]), Math.log10(c.exploitability)]);
}

/** Whole powers of ten that hold all values; at least one step apart. */
export function decades(values) {
  const low = Math.floor(Math.min(...values));
  return [low, Math.max(low + 1, Math.ceil(Math.max(...values)))];
}

function ticks([low, high], most) {
  const step = Math.max(1, Math.ceil((high - low) / most));
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, k) => low + k * step);
}

/** Ticks of an axis: powers of ten, and in a short range twice and five times these. */
export function chartTicks([low, high], most = 8) {
  const steps = high - low <= 2 ? [1, 2, 5] : [1];
  const exact = ticks([low, high], most).flatMap((v) => steps.map((s) => ({ at: v + Math.log10(s), text: power(v, s) })));
  return exact.filter(({ at }) => at <= high + 1e-9);
}

function power(exponent, times = 1) {
  if (exponent >= -3 && exponent <= 4) return exponent < 0 ? (times * 10 ** exponent).toFixed(-exponent) : count(times * 10 ** exponent);
  return `${times}e${exponent < 0 ? "\u2212" : ""}${Math.abs(exponent)}`;
}

function gridLines(across, up, x, y, high) {
  const rule = { class: "rule", stroke: "#e3e7eb" };
  const upright = chartTicks(across).flatMap(({ at: v, text }) => [
    svg("line", { ...rule, x1: x(v), x2: x(v), y1: EDGE.top, y2: high - EDGE.bottom }), svg("text", { x: x(v), y: high - EDGE.bottom + 16, "font-size": 11, "text-anchor": "middle" }, text),
  ]);
  const level = chartTicks(up).flatMap(({ at: v, text }) => [
    svg("line", { ...rule, x1: x(across[0]), x2: x(across[1]), y1: y(v), y2: y(v) }), svg("text", { x: EDGE.left - 6, y: y(v) + 4, "font-size": 11, "text-anchor": "end" }, text),
  ]);
  return [...upright, ...level];
}

/** Where each name of the legend stands: a new line when one is full. */
function legendPlaces(names, wide) {
  let [at, row] = [EDGE.left, 0];
  return names.map((name) => {
    const width = 30 + 8 * name.length;
    if (at > EDGE.left && at + width > wide) [at, row] = [EDGE.left, row + 1];
    const place = { name, x: at, row };
    at += width;
    return place;
  });
}

/**
 * The chart. Its colours are those of paper; the style sheet gives the one on screen those of the page.
 * `labels` says what is measured, and against what.
 */
export function gapChart(data, axis, colours, labels, wide = 720, plot = 360) {
  const lines = data.runs.map((run) => chartPoints(run, axis));
  const all = lines.flat();
  const names = legendPlaces(data.runs.map((run) => run.algorithm), wide);
  const high = plot + LINE * (names.at(-1).row + 1);
  const parts = [svg("rect", { class: "paper", width: wide, height: high, fill: "#ffffff" }), svg("text", { x: 10, y: 20, "font-size": 14, "font-weight": "bold" }, data.game)];
  if (all.length) {
    const [across, up] = [0, 1].map((k) => decades(all.map((point) => point[k])));
    const x = (v) => EDGE.left + (v - across[0]) / (across[1] - across[0]) * (wide - EDGE.left - EDGE.right);
    const y = (v) => plot - EDGE.bottom - (v - up[0]) / (up[1] - up[0]) * (plot - EDGE.top - EDGE.bottom);
    parts.push(...gridLines(across, up, x, y, plot));
    lines.forEach((points, k) => {
      const colour = colours.get(data.runs[k].algorithm);
      parts.push(svg("polyline", { points: points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" "), fill: "none", stroke: colour, "stroke-width": 2 }));
      points.forEach(([a, b]) => parts.push(svg("circle", { cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: 2.5, fill: colour }, svg("title", {}, `${number(10 ** b, 9)} at ${number(10 ** a, 4)}`))));
    });
  }
  for (const { name, x, row } of names) {
    const y = plot + LINE * row;
    parts.push(svg("rect", { x, y: y + 2, width: 10, height: 10, fill: colours.get(name) }), svg("text", { x: x + 14, y: y + 11, "font-size": 12 }, name));
  }
  const against = `${labels.gap} against ${labels[axis]}`;
  const soft = { class: "soft", "font-size": 11, fill: "#555555" };
  parts.push(svg("text", { ...soft, x: 10, y: 38 }, labels.gap), svg("text", { ...soft, x: wide - EDGE.right, y: plot - 8, "text-anchor": "end" }, labels[axis]));
  const words = data.runs.map((run) => `${run.algorithm} ends at ${number(run.history.at(-1)?.exploitability, 9)}`).join(", ");
  return svg("svg", { xmlns: "http://www.w3.org/2000/svg", class: "chart", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": `${against}: ${words}`, "font-family": FONT }, parts);
}

/** The chart at the width of the screen: on a phone a small drawing, not a large one made small. */
export function shownChart(data, axis, colours, labels) {
  return window.innerWidth > 760 ? gapChart(data, axis, colours, labels) : gapChart(data, axis, colours, labels, 360, 270);
}

/** Buttons that choose what the chart runs along. */
export function axisTabs(axis, labels, change) {
  const tab = (name) => el("button", { type: "button", class: "tab", "data-axis": name, "aria-pressed": String(name === axis), onclick: () => change(name) }, labels[name]);
  return el("div", { role: "group", "aria-label": "What the chart runs along" }, ["iteration", "seconds"].map(tab));
}

/** Buttons that save: rows of a table as CSV, a picture as SVG or PNG. */
export function chartSaving(name, rows, picture) {
  const file = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 80) || "chart";
  const keep = {
    csv: () => new Blob(["\ufeff", rows().map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" }),
    svg: () => new Blob([new XMLSerializer().serializeToString(picture())], { type: "image/svg+xml" }),
    png: () => rasterize(picture()),
  };
  const buttons = Object.keys(keep).map((kind) => el("button", { type: "button", "data-save": kind, onclick: async () => download(`${file}.${kind}`, await keep[kind]()) }, kind.toUpperCase()));
  return el("div", { class: "save", role: "group", "aria-label": "Save what is shown" }, buttons);
}

/** How an answer was reached, as a section of its page; nothing if too little was measured. */
export function showCourse(data, put) {
  const { course } = data;
  if (!course) return;
  const history = course.points.map(([iteration, seconds, exploitability]) => ({ iteration, seconds, exploitability }));
  const shown = { game: data.game, runs: [{ algorithm: course.algorithm, history }] };
  const colours = assignColours([[course.algorithm]]);
  const labels = { gap: course.gap, iteration: course.steps, seconds: "seconds" };
  const rows = () => [[course.steps, "seconds", course.gap], ...course.points];
  const show = (axis) => {
    const saving = chartSaving(`${data.game} convergence`, rows, () => gapChart(shown, axis, colours, labels));
    put("course", el("div", {}, el("h2", {}, "Convergence"), el("div", { class: "controls" }, axisTabs(axis, labels, show), saving), shownChart(shown, axis, colours, labels),
      el("p", { class: "note" }, "As the solver measured it on the way; the badge holds what was checked at the end.")));
  };
  show("iteration");
}
