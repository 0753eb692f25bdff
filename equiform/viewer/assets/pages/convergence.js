/** The page of iterative runs: the gap against iterations or seconds, and every measurement. */

import { axisTabs, chartSaving, gapChart, shownChart } from "../parts/chart.js";
import { el, tableHead } from "../parts/dom.js";
import { count, number, plural } from "../data/format.js";
import { assignColours } from "../parts/palette.js";
import { factsPanel } from "../parts/proof.js";

const LABELS = { gap: "exploitability", iteration: "iterations", seconds: "seconds of iterating" };

/** Every measurement of every run, as a table. */
export function historyRows(data) {
  const head = ["algorithm", "iteration", "seconds", "exploitability", "value at least", "value at most"];
  const rows = data.runs.flatMap((run) => run.history.map((c) => [run.algorithm, c.iteration, c.seconds, c.exploitability ?? NaN, c.bracket?.[0] ?? NaN, c.bracket?.[1] ?? NaN]));
  return [head, ...rows];
}

function measurements(run) {
  const rows = run.history.map((c) => el("tr", {}, el("th", { scope: "row", "data-name": "iteration" }, count(c.iteration)), ...[
    ["seconds", number(c.seconds)], ["exploitability", number(c.exploitability, 9)], ["value lies in", c.bracket ? `[${number(c.bracket[0], 6)}, ${number(c.bracket[1], 6)}]` : "\u2013"],
  ].map(([name, text]) => el("td", { class: "figure", "data-name": name }, text))));
  const columns = [{ name: "iteration" }, ...["seconds", "exploitability", "value lies in"].map((name) => ({ name, figure: true }))];
  return el("div", { class: "scroll" }, el("table", {}, tableHead(columns), el("tbody", {}, rows)));
}

export function startRuns(data, put) {
  const colours = assignColours([data.runs.map((run) => run.algorithm)]);
  const fields = new URLSearchParams(location.hash.slice(1));
  let axis = fields.get("axis") === "seconds" ? "seconds" : "iteration";
  let shown = Math.max(0, data.runs.findIndex((run) => run.algorithm === fields.get("run")));

  function showRuns() {
    const saving = chartSaving(data.game, () => historyRows(data), () => gapChart(data, axis, colours, LABELS));
    const tabs = data.runs.map((run, k) => el("button", { type: "button", class: "tab", "data-run": k, "aria-pressed": String(k === shown), onclick: () => change({ shown: k }) }, run.algorithm));
    put("walk", el("div", {}, el("h2", {}, "Convergence"), el("div", { class: "controls" }, axisTabs(axis, LABELS, (name) => change({ axis: name })), saving), shownChart(data, axis, colours, LABELS)));
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
  document.querySelector("main").classList.add("chartfirst");
  put("head", el("div", {}, el("h1", {}, data.game), el("p", { class: "note" }, plural(data.runs.length, "run"))));
  put("proof", factsPanel(`Exploitability ${number(best.exploitability, 6)}`, ` reached by ${best.algorithm}, measured by exact best responses`, [...ends, ...program], unproved));
  showRuns();
}
