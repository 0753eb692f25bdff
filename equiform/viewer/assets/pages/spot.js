/** The page of a hold'em spot: the betting line, the grid of hands, single hands, the proof. */

import { showCourse } from "../parts/chart.js";
import { unpackAll } from "../data/decode.js";
import { actionBar, el, legend, tableHead } from "../parts/dom.js";
import { number, percent, plural } from "../data/format.js";
import { gridPicture, gridTable } from "../parts/grid.js";
import { classTotals, handActions, line, nextDecision, runOuts, step } from "../data/hands.js";
import { assignColours, inkOn } from "../parts/palette.js";
import { proofPanel } from "../parts/proof.js";
import { csvCell } from "../data/rows.js";
import { download, rasterize } from "../parts/save.js";

function readTables(data) {
  return data.tables.map((packed) => {
    const names = data.hands[packed.hands];
    const hands = Array.from({ length: names.length / 4 }, (_, k) => names.slice(4 * k, 4 * k + 4));
    const table = unpackAll(packed);
    return { ...table, hands, ev: table.handEv, equity: table.handEquity, nodeEv: table.ev, nodeEquity: table.equity };
  });
}

function readView(tables) {
  const fields = new URLSearchParams(location.hash.slice(1));
  const [history, board] = [fields.get("history") ?? "", fields.get("board") ?? tables[0].board];
  const at = tables.findIndex((table) => table.history === history && table.board === board);
  return { at: Math.max(0, at), hand: fields.get("hand") ?? "" };
}

/** The same decision after another card. */
function cardChoice(tables, view, go) {
  const others = runOuts(tables, view.at);
  if (others.length < 2) return null;
  const options = others.map((k) => el("option", { value: String(k), selected: k === view.at }, tables[k].board.slice(-2)));
  return el("label", { class: "card" }, "after the card ", el("select", { id: "card", onchange: (event) => go({ at: Number(event.target.value) }) }, options));
}

function moveItem(tables, view, colours, go, label, m) {
  const next = nextDecision(tables, view.at, label);
  const share = tables[view.at].frequencies[m];
  return el("li", {}, el("button", {
    type: "button", class: "move", disabled: next < 0, onclick: () => go({ at: next }), "data-move": label,
    "aria-label": `${label}, ${percent(share)} of all hands`, title: next < 0 ? "the hand ends, or the next card comes" : null,
  }, el("kbd", {}, m < 9 ? String(m + 1) : ""), el("span", { class: "swatch", style: { background: colours.get(label) } }), el("span", { class: "name" }, label),
  el("span", { class: "share" }, el("span", { class: "fill", style: { width: `${100 * share}%`, background: colours.get(label) } })), el("span", { class: "figure p" }, percent(share))));
}

function linePanel(tables, view, colours, go) {
  const table = tables[view.at];
  const path = line(tables, view.at);
  const crumbs = path.map((k, n) => {
    const label = n ? step(tables[path[n - 1]], tables[k]) : "Start";
    return el("li", {}, el("button", { type: "button", "aria-current": k === view.at ? "step" : null, onclick: () => go({ at: k }) }, label));
  });
  return el("div", {}, el("h2", {}, "Betting"), el("nav", { "aria-label": "Moves so far" }, el("ol", { class: "crumbs" }, crumbs)),
    el("p", { class: "turn" }, el("span", { class: `who who${table.player - 1}` }, `player ${table.player}`), ` moves on ${table.board} `, cardChoice(tables, view, go)),
    el("p", { class: "worth" }, `Expected value ${number(table.nodeEv, 3)} chips, equity ${percent(table.nodeEquity)}.`),
    el("ol", { class: "moves" }, table.moves.map((label, m) => moveItem(tables, view, colours, go, label, m))),
    el("p", { class: "note" }, "Values are chips won from the pot from here on, less chips still to be put in: a fold is worth 0.", el("span", { class: "keys" }, " Keys: 1\u20139 play a move, \u2190 goes back, Home starts again.")));
}

function combination(table, k, colours) {
  const actions = handActions(table, k);
  return el("tr", { class: table.weight[k] > 0 ? null : "unreached", "data-combination": table.hands[k] }, el("th", { scope: "row" }, table.hands[k]),
    el("td", { class: "bars" }, actionBar(actions, colours, inkOn, (a) => percent(a.probability, 2))),
    el("td", {}, el("ul", { class: "figures" }, actions.map((a) => el("li", { class: a.probability < 5e-5 ? "never" : null }, `${a.label}: `, el("b", {}, percent(a.probability, 2)), el("span", { class: "regret" }, number(a.value, 2)))))),
    el("td", { class: "figure", "data-name": "value" }, number(table.ev[k], 2)), el("td", { class: "figure", "data-name": "equity" }, percent(table.equity[k])));
}

function handPanel(table, totals, view, colours) {
  const total = totals.get(view.hand);
  if (!total) return el("p", { class: "note" }, view.hand ? `${view.hand} is not in the range.` : "Select a hand in the grid to see its combinations.");
  const share = total.weight > 0 ? `${percent(total.weight)} of the range, value ${number(total.ev, 2)} chips, equity ${percent(total.equity)}.` : "Never comes here.";
  const columns = [{ name: "hand" }, { name: "plays" }, { name: "how often, worth", title: "worth in chips" }, { name: "value", figure: true }, { name: "equity", figure: true }];
  return el("div", {}, el("h2", {}, view.hand), el("p", { class: "note" }, share),
    el("div", { class: "scroll" }, el("table", {}, tableHead(columns), el("tbody", {}, total.hands.map((k) => combination(table, k, colours))))));
}

function handsCsv(table) {
  const head = ["hand", "weight", ...table.moves.flatMap((m) => [`${m}: probability`, `${m}: value`]), "value", "equity"];
  const rows = table.hands.map((hand, k) => [hand, table.weight[k], ...handActions(table, k).flatMap((a) => [a.probability, a.value]), table.ev[k], table.equity[k]]);
  return [head, ...rows].map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

async function saveSpot(kind, data, table, totals, colours) {
  const title = `${data.game}: player ${table.player}${table.history && ` after ${table.history}`}`;
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80);
  if (kind === "csv") return download(`${name}.csv`, new Blob(["\ufeff", handsCsv(table)], { type: "text/csv" }));
  const picture = gridPicture(title, totals, colours, table.moves);
  if (kind === "png") return download(`${name}.png`, await rasterize(picture));
  return download(`${name}.svg`, new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }));
}

export function startSpot(data, put) {
  const tables = readTables(data);
  const colours = assignColours(tables.map((table) => table.moves));
  let view = readView(tables);

  function showSpot() {
    const table = tables[view.at];
    const totals = classTotals(table);
    const buttons = ["csv", "svg", "png"].map((kind) => el("button", { type: "button", "data-save": kind, onclick: () => saveSpot(kind, data, table, totals, colours) }, kind.toUpperCase()));
    put("walk", linePanel(tables, view, colours, go));
    put("table", el("div", {}, el("div", { class: "controls" }, el("h2", {}, `Hands of player ${table.player}`), el("div", { class: "save", role: "group", "aria-label": "Save what is shown" }, buttons)),
      gridTable(totals, colours, table.moves, view, go), legend(table.moves, colours), el("p", { class: "note" }, "Height is weight in the range, colours are moves.")));
    put("hand", handPanel(table, totals, view, colours));
  }

  function go(change) {
    const chosen = document.activeElement?.id === "card" && "#card";
    view = { ...view, ...change };
    const fields = new URLSearchParams();
    if (tables[view.at].history) fields.set("history", tables[view.at].history);
    if (tables[view.at].board !== tables[0].board) fields.set("board", tables[view.at].board);
    if (view.hand) fields.set("hand", view.hand);
    try {
      history.replaceState(null, "", fields.size ? `#${fields}` : location.pathname + location.search);
    } catch {
      // a page inside a notebook has no address of its own
    }
    showSpot();
    const selected = chosen || ("hand" in change ? '[aria-pressed="true"]' : ".moves button:enabled");
    document.querySelector(selected)?.focus({ preventScroll: true });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const path = line(tables, view.at);
    const next = nextDecision(tables, view.at, tables[view.at].moves[Number(event.key) - 1]);
    if (Number(event.key) >= 1 && next >= 0) go({ at: next });
    else if ((event.key === "ArrowLeft" || event.key === "Backspace") && path.length > 1) go({ at: path[path.length - 2] });
    else if (event.key === "Home") go({ at: 0 });
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => {
    view = readView(tables);
    showSpot();
  });
  const boards = new Set(tables.map((table) => table.board)).size;
  document.querySelector("main").classList.add("gridpage");
  put("head", el("div", {}, el("h1", {}, data.game), el("p", { class: "note" }, `${plural(tables.length, "decision")}${boards > 1 ? ` on ${plural(boards, "board")}` : ""}${data.note ? `; ${data.note}` : ""}`)));
  put("proof", proofPanel({ players: [{ name: "player 1" }, { name: "player 2" }], profiles: data.profiles }, 0));
  showSpot();
  showCourse(data, put);
}
