/** The page of iterative runs: the gap against iterations or seconds, and every measurement. */

import { el, svg } from "./dom.js";
import { count, number, plural } from "./format.js";
import { assignColours } from "./palette.js";
import { factsPanel } from "./proof.js";
import { csvCell } from "./rows.js";
import { download, rasterize } from "./save.js";

const WIDE = 720;
const HIGH = 400;
const EDGE = { left: 70, right: 16, top: 34, bottom: 46 };
const AXES = { iteration: "iterations", seconds: "seconds of iterating" };

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

function power(exponent) {
  if (exponent >= -2 && exponent <= 4) return count(Number(`1e${exponent}`)).replace(/^0\./, "0.");
  return `1e${exponent < 0 ? "\u2212" : ""}${Math.abs(exponent)}`;
}

export function gapChart(data, axis, colours) {
  const lines = data.runs.map((run) => chartPoints(run, axis));
  const all = lines.flat();
  const parts = [svg("rect", { width: WIDE, height: HIGH, fill: "#ffffff" }), svg("text", { x: 10, y: 20, "font-size": 14, "font-weight": "bold" }, data.game)];
  if (all.length) {
    const [across, up] = [0, 1].map((k) => decades(all.map((point) => point[k])));
    const x = (v) => EDGE.left + (v - across[0]) / (across[1] - across[0]) * (WIDE - EDGE.left - EDGE.right);
    const y = (v) => HIGH - EDGE.bottom - (v - up[0]) / (up[1] - up[0]) * (HIGH - EDGE.top - EDGE.bottom);
    for (const v of ticks(across, 8)) {
      parts.push(svg("line", { x1: x(v), x2: x(v), y1: EDGE.top, y2: HIGH - EDGE.bottom, stroke: "#e3e7eb" }), svg("text", { x: x(v), y: HIGH - EDGE.bottom + 16, "font-size": 11, "text-anchor": "middle" }, power(v)));
    }
    for (const v of ticks(up, 8)) {
      parts.push(svg("line", { x1: EDGE.left, x2: WIDE - EDGE.right, y1: y(v), y2: y(v), stroke: "#e3e7eb" }), svg("text", { x: EDGE.left - 6, y: y(v) + 4, "font-size": 11, "text-anchor": "end" }, power(v)));
    }
    lines.forEach((points, k) => {
      const colour = colours.get(data.runs[k].algorithm);
      parts.push(svg("polyline", { points: points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" "), fill: "none", stroke: colour, "stroke-width": 2 }));
      points.forEach(([a, b]) => parts.push(svg("circle", { cx: x(a), cy: y(b), r: 2.5, fill: colour })));
    });
  }
  let at = EDGE.left;
  for (const run of data.runs) {
    parts.push(svg("rect", { x: at, y: HIGH - 14, width: 10, height: 10, fill: colours.get(run.algorithm) }), svg("text", { x: at + 14, y: HIGH - 5, "font-size": 12 }, run.algorithm));
    at += 34 + 8 * run.algorithm.length;
  }
  parts.push(svg("text", { x: WIDE - EDGE.right, y: HIGH - 5, "font-size": 11, "text-anchor": "end", fill: "#555555" }, `exploitability against ${AXES[axis]}`));
  const words = data.runs.map((run) => `${run.algorithm} ends at ${number(run.history.at(-1)?.exploitability, 9)}`).join(", ");
  return svg("svg", { xmlns: "http://www.w3.org/2000/svg", class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH, role: "img", "aria-label": `Exploitability against ${AXES[axis]}: ${words}`, "font-family": "DejaVu Sans, Verdana, Arial, sans-serif" }, parts);
}

export function historyCsv(data) {
  const head = ["algorithm", "iteration", "seconds", "exploitability", "value at least", "value at most"];
  const rows = data.runs.flatMap((run) => run.history.map((c) => [run.algorithm, c.iteration, c.seconds, c.exploitability ?? NaN, c.bracket?.[0] ?? NaN, c.bracket?.[1] ?? NaN]));
  return [head, ...rows].map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function measurements(run) {
  const rows = run.history.map((c) => el("tr", {}, el("th", { scope: "row" }, count(c.iteration)), ...[
    ["seconds", number(c.seconds)], ["exploitability", number(c.exploitability, 9)], ["value lies in", c.bracket ? `[${number(c.bracket[0], 6)}, ${number(c.bracket[1], 6)}]` : "\u2013"],
  ].map(([name, text]) => el("td", { class: "figure", "data-name": name }, text))));
  const head = ["iteration", "seconds", "exploitability", "value lies in"].map((name) => el("th", { scope: "col" }, name));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

async function saveRuns(kind, data, axis, colours) {
  const name = data.game.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "runs";
  if (kind === "csv") return download(`${name}.csv`, new Blob(["\ufeff", historyCsv(data)], { type: "text/csv" }));
  const picture = gapChart(data, axis, colours);
  if (kind === "png") return download(`${name}.png`, await rasterize(picture));
  return download(`${name}.svg`, new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }));
}

export function startRuns(data, put) {
  const colours = assignColours([data.runs.map((run) => run.algorithm)]);
  const fields = new URLSearchParams(location.hash.slice(1));
  let axis = Object.hasOwn(AXES, fields.get("axis")) ? fields.get("axis") : "iteration";
  let shown = Math.max(0, data.runs.findIndex((run) => run.algorithm === fields.get("run")));

  function showRuns() {
    const axes = Object.keys(AXES).map((name) => el("button", { type: "button", class: "tab", "data-axis": name, "aria-pressed": String(name === axis), onclick: () => change({ axis: name }) }, AXES[name]));
    const saving = ["csv", "svg", "png"].map((kind) => el("button", { type: "button", "data-save": kind, onclick: () => saveRuns(kind, data, axis, colours) }, kind.toUpperCase()));
    const tabs = data.runs.map((run, k) => el("button", { type: "button", class: "tab", "data-run": k, "aria-pressed": String(k === shown), onclick: () => change({ shown: k }) }, run.algorithm));
    put("walk", el("div", {}, el("h2", {}, "Convergence"), el("div", { class: "controls" }, axes, el("div", { class: "save", role: "group", "aria-label": "Save what is shown" }, saving)), gapChart(data, axis, colours)));
    put("table", el("div", {}, el("h2", {}, "Measurements"), el("div", { class: "controls" }, tabs), measurements(data.runs[shown])));
  }

  function change(given) {
    axis = given.axis ?? axis;
    shown = given.shown ?? shown;
    try {
      history.replaceState(null, "", `#${new URLSearchParams({ axis, run: data.runs[shown].algorithm })}`);
    } catch {
      // a page inside a notebook has no address of its own
    }
    showRuns();
    document.querySelector(given.axis ? '[data-axis][aria-pressed="true"]' : '[data-run][aria-pressed="true"]')?.focus({ preventScroll: true });
  }

  const best = data.runs.reduce((a, b) => ((b.exploitability ?? Infinity) < (a.exploitability ?? Infinity) ? b : a));
  const { unproved } = data.profiles[0];
  const ends = data.runs.map((run) => [run.algorithm, `${number(run.exploitability, 9)} after ${plural(run.iteration, "iteration")} in ${number(run.seconds, 3)} s, stopped by ${run.stopped_by}`]);
  const program = data.lp ? [["linear program", `${number(data.lp.exploitability, 12)} in ${number(data.lp.seconds, 3)} s`]] : [];
  put("head", el("div", {}, el("h1", {}, data.game), el("p", { class: "note" }, plural(data.runs.length, "run"))));
  put("proof", factsPanel(`Exploitability ${number(best.exploitability, 6)}`, ` reached by ${best.algorithm}, measured by exact best responses`, [...ends, ...program], unproved));
  showRuns();
}
