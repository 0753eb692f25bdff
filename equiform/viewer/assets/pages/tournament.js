/** The page of a tournament: stacks, what they are worth beside ICM, and the charts of every decision there. */

import { showCourse } from "../parts/chart.js";
import { unpackAll } from "../data/decode.js";
import { el, legend, svg, tableHead } from "../parts/dom.js";
import { number, percent, plural, signed } from "../data/format.js";
import { gridPicture, gridTable } from "../parts/grid.js";
import { assignColours } from "../parts/palette.js";
import { factsPanel } from "../parts/proof.js";
import { csvCell } from "../data/rows.js";
import { download, rasterize } from "../parts/save.js";

const MOVES = ["jam", "fold"];
/** Charts are whole numbers of ten-thousandths. */
const WHOLE = 10000;

/** The tournament with its arrays unpacked, and the ways to ask it. */
export class TournamentData {
  constructor(data) {
    if (data.format !== "equiform-explorer-tournament" || data.version !== 1) throw new Error("not a tournament document");
    Object.assign(this, unpackAll(data));
    this.count = this.stacks.length / this.seats.length;
  }

  row(name, state) {
    const size = this.seats.length;
    return Array.from(this[name].subarray(state * size, (state + 1) * size));
  }

  /** How likely a hand jams: hands are numbered as in the list of hands. */
  jam(state, decision, hand) {
    return this.charts[(state * this.decisions.length + decision) * this.hands.length + hand] / WHOLE;
  }

  /** One total per class of hands, as the grid wants them. */
  totals(state, decision) {
    return new Map(this.hands.map((name, hand) => {
      const jam = this.jam(state, decision, hand);
      return [name, { weight: 1, hands: [hand], shares: [jam, 1 - jam] }];
    }));
  }

  find(stacks) {
    for (let state = 0; state < this.count; state++) if (this.row("stacks", state).join(",") === stacks) return state;
    return -1;
  }

  /** The state whose stacks are nearest to even: where the page begins. */
  even() {
    const spread = (state) => Math.max(...this.row("stacks", state)) - Math.min(...this.row("stacks", state));
    return Array.from({ length: this.count }, (_, k) => k).reduce((best, k) => (spread(k) < spread(best) ? k : best), 0);
  }
}

export function readTournamentView(hash, game, start) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const below = (name, most) => {
    const value = Number(fields.get(name) ?? 0);
    return Number.isInteger(value) && value >= 0 && value < most ? value : 0;
  };
  const state = game.find(fields.get("stacks") ?? "");
  return { state: state < 0 ? start : state, decision: below("decision", game.decisions.length), seat: below("seat", game.seats.length), hand: game.hands.includes(fields.get("hand")) ? fields.get("hand") : "" };
}

export function writeTournamentView(view, game, start) {
  const fields = new URLSearchParams();
  if (view.state !== start) fields.set("stacks", game.row("stacks", view.state).join(","));
  for (const name of ["decision", "seat", "hand"]) if (view[name]) fields.set(name, String(view[name]));
  return fields.size ? `#${fields}` : "";
}

/** The map of a seat, a cell per state: blue where it is worth more than ICM says, orange where less. */
function mapOf(game, seat, go) {
  const square = game.seats.length === 3;
  const side = square ? 10 : 14;
  const off = Array.from({ length: game.count }, (_, k) => game.row("values", k)[seat] - game.row("icm", k)[seat]);
  const most = off.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-12);
  const units = (state, k) => game.row("stacks", state)[k] / game.unit - 1;
  const wide = side * (1 + off.reduce((a, _, state) => Math.max(a, units(state, 0)), 0));
  const high = square ? wide : 3 * side;
  const cells = off.map((difference, state) => {
    const stacks = game.row("stacks", state);
    return svg("rect", {
      x: units(state, 0) * side, y: square ? high - (units(state, 1) + 1) * side : 0, width: side - 0.6, height: square ? side - 0.6 : high,
      fill: difference >= 0 ? "#0072b2" : "#d55e00", "fill-opacity": (0.08 + 0.92 * Math.abs(difference) / most).toFixed(3),
      class: "state", "data-state": stacks.join(","), onclick: () => go({ state }),
    }, svg("title", {}, `${stacks.join(", ")}: ${signed(difference)} beside ICM`));
  });
  const words = `${game.seats[seat]} beside ICM: blue is worth more, orange less, at most by ${number(most)}`;
  const scale = el("p", { class: "scale", "aria-hidden": "true" }, el("span", {}, signed(-most)), el("span", { class: "ramp" }), el("span", {}, signed(most)));
  return { words, cells, scale, picture: svg("svg", { class: "map", viewBox: `-1 -1 ${wide + 2} ${high + 2}`, role: "img", "aria-label": words }, cells) };
}

/** What is costly to draw and stays: the list of stacks and a map per seat. */
class Drawn {
  constructor(game, go) {
    const options = Array.from({ length: game.count }, (_, k) => el("option", { value: String(k) }, game.row("stacks", k).join(", ")));
    this.select = el("select", { id: "stacks", onchange: (event) => go({ state: Number(event.target.value) }) }, options);
    this.maps = game.seats.map(() => null);
    this.make = (seat) => mapOf(game, seat, go);
  }

  at(view) {
    const map = (this.maps[view.seat] ??= this.make(view.seat));
    map.chosen?.classList.remove("chosen");
    map.chosen = map.cells[view.state];
    map.chosen.classList.add("chosen");
    this.select.value = String(view.state);
    return map;
  }
}

function stackMap(game, view, map, go) {
  const axes = `Across: chips of the ${game.seats[0]}${game.seats.length === 3 ? `; upwards: chips of the ${game.seats[1]}` : ""}.`;
  const seats = game.seats.map((name, seat) => el("button", { type: "button", class: "tab", "aria-pressed": String(seat === view.seat), "data-seat": seat, onclick: () => go({ seat }) }, name));
  return el("div", {}, el("h3", {}, "All stacks"), el("div", { class: "controls", role: "group", "aria-label": "Whose value the map shows" }, seats),
    map.picture, map.scale, el("p", { class: "note" }, `${map.words}. ${axes}`));
}

function stacksPanel(game, view, drawn, go) {
  const map = drawn.at(view);
  const [stacks, values, icm] = ["stacks", "values", "icm"].map((name) => game.row(name, view.state));
  const rows = game.seats.map((seat, k) => el("tr", { "data-seat-row": seat }, el("th", { scope: "row" }, seat), ...[
    ["chips", String(stacks[k])], ["value", number(values[k])], ["ICM", number(icm[k])], ["difference", signed(values[k] - icm[k])],
  ].map(([name, text]) => el("td", { class: "figure", "data-name": name }, text))));
  const columns = [{ name: "seat" }, ...["chips", "value", "ICM", "difference"].map((name) => ({ name, figure: true }))];
  return el("div", {}, el("h2", {}, "Stacks"),
    el("label", {}, `${game.seats.join(", ")}: `, drawn.select),
    el("table", {}, tableHead(columns), el("tbody", {}, rows)), stackMap(game, view, map, go),
    el("p", { class: "note keys" }, "Values are expected prizes. Keys: \u2190 \u2192 change the stacks, 1\u20139 choose a decision, Home starts again."));
}

function handDetail(game, view) {
  if (!view.hand) return el("p", { class: "note" }, "Select a hand in the grid to see it at every decision.");
  const hand = game.hands.indexOf(view.hand);
  const rows = game.decisions.map((d, k) => el("tr", {}, el("th", { scope: "row" }, d.name), el("td", { class: "figure", "data-decision": k }, percent(game.jam(view.state, k, hand), 2))));
  return el("div", {}, el("h2", {}, view.hand), el("table", {}, tableHead([{ name: "decision" }, { name: "jams", figure: true }]), el("tbody", {}, rows)));
}

function chartPanel(game, view, colours, go) {
  const tabs = game.decisions.map((d, k) => el("button", { type: "button", class: `tab who${d.seat}`, "aria-pressed": String(k === view.decision), "data-tab": k, onclick: () => go({ decision: k }) }, d.name));
  const saving = ["csv", "svg", "png"].map((kind) => el("button", { type: "button", "data-save": kind, onclick: () => saveChart(kind, game, view, colours) }, kind.toUpperCase()));
  return el("div", {}, el("h2", {}, "Charts"), el("div", { class: "controls" }, tabs, el("div", { class: "save", role: "group", "aria-label": "Save what is shown" }, saving)),
    gridTable(game.totals(view.state, view.decision), colours, MOVES, view, go), legend(MOVES, colours));
}

/** All charts at the chosen stacks. */
export function chartsCsv(game, state) {
  const head = ["hand", ...game.decisions.map((d) => d.name)];
  const rows = game.hands.map((name, hand) => [name, ...game.decisions.map((_, k) => game.jam(state, k, hand))]);
  return [head, ...rows].map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

async function saveChart(kind, game, view, colours) {
  const stacks = game.row("stacks", view.state).join(" ");
  const name = `${game.decisions[view.decision].name} ${stacks}`.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80);
  if (kind === "csv") return download(`${name}.csv`, new Blob(["\ufeff", chartsCsv(game, view.state)], { type: "text/csv" }));
  const picture = gridPicture(`${game.decisions[view.decision].name} at ${stacks}`, game.totals(view.state, view.decision), colours, MOVES);
  if (kind === "png") return download(`${name}.png`, await rasterize(picture));
  return download(`${name}.svg`, new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }));
}

function checkPanel(game) {
  const { proof, unproved } = game.profiles[0];
  const { largest } = proof.icm;
  return factsPanel(`Checked ex post: \u03b5 = ${number(proof.epsilon, 6)}`, " no player gains more from any stacks", [
    ["largest gain of a deviation", number(proof.epsilon, 9)], ["where", `${proof.worst.seat} at ${proof.worst.stacks}`],
    ["solved by", proof.algorithm], ["iterations", String(proof.iterations)], ["stopped by", proof.stopped_by], ["time", proof.seconds === undefined ? null : `${number(proof.seconds, 3)} s`],
    ["mean distance from ICM", number(proof.icm.mean_deviation)], ["farthest from ICM", `${largest.seat} at ${largest.stacks}: ${number(largest.value)} instead of ${number(largest.icm)}`],
    ...Object.entries(proof.rules),
  ], unproved);
}

export function startTournament(data, put) {
  const game = new TournamentData(data);
  const colours = assignColours([MOVES]);
  const start = game.even();
  let view = readTournamentView(location.hash, game, start);

  const drawn = new Drawn(game, go);

  function showTournament(stacks = true) {
    if (stacks) put("walk", stacksPanel(game, view, drawn, go));
    put("table", chartPanel(game, view, colours, go));
    put("hand", handDetail(game, view));
  }

  function go(change) {
    view = { ...view, ...change };
    try {
      history.replaceState(null, "", writeTournamentView(view, game, start) || location.pathname + location.search);
    } catch {
      // a page inside a notebook has no address of its own
    }
    showTournament("state" in change || "seat" in change);
    const selected = { hand: '.hand[aria-pressed="true"]', decision: '[data-tab][aria-pressed="true"]', seat: '[data-seat][aria-pressed="true"]', state: "#stacks" };
    document.querySelector(selected[Object.keys(change)[0]])?.focus({ preventScroll: true });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT" && event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const digit = Number(event.key);
    if (digit >= 1 && digit <= game.decisions.length) go({ decision: digit - 1 });
    else if (event.key === "ArrowLeft") go({ state: Math.max(0, view.state - 1) });
    else if (event.key === "ArrowRight") go({ state: Math.min(game.count - 1, view.state + 1) });
    else if (event.key === "Home") go({ state: start });
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => {
    view = readTournamentView(location.hash, game, start);
    showTournament();
  });
  document.querySelector("main").classList.add("gridpage");
  put("head", el("div", {}, el("h1", {}, game.game), el("p", { class: "note" }, `${plural(game.count, "state")}, ${plural(game.decisions.length, "decision")} in each`)));
  put("proof", checkPanel(game));
  showTournament();
  showCourse(data, put);
}
