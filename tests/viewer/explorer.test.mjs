/** The page's own logic, without a browser. EXPLORER_DATA names a document and what Python computed for it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const assets = new URL("../../equiform/viewer/assets/", import.meta.url);
const load = (name) => import(new URL(name, assets));
const { decode, unpack } = await load("data/decode.js");
const { Game } = await load("data/game.js");
const { csv, csvCell, infosetRow, selectRows } = await load("data/rows.js");
const { readState, writeState } = await load("data/state.js");
const { count, number, percent, probability, signed } = await load("data/format.js");
const { assignColours, inkOn } = await load("parts/palette.js");

const { classTotals, gridClass, handClass, line, nextDecision, RANKS, runOuts, step } = await load("data/hands.js");

const { chartPoints, chartTicks, decades } = await load("parts/chart.js");
const { roundTicks } = await load("parts/curve.js");
const { historyRows } = await load("pages/convergence.js");
const { chartsCsv, readTournamentView, TournamentData, writeTournamentView } = await load("pages/tournament.js");

const { document, expected } = JSON.parse(readFileSync(process.env.EXPLORER_DATA, "utf8"));
const game = new Game(decode(document));
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);

test("arrays come back", () => {
  assert.deepEqual([...unpack({ type: "Int8", data: "AAH/" })], [0, 1, -1]);
  assert.throws(() => decode({ ...document, version: 2 }));
});

test("paths and moves are the game's", () => {
  expected.paths.forEach((words, node) => assert.equal(game.path(node).slice(1).map((n) => game.label(n)).join(" > ") || "the root", words));
});

test("reach and values agree with the evaluation in Python", () => {
  const { reach, values } = game.sweep(0);
  expected.reach.forEach((row, p) => row.forEach((r, node) => near(reach[p][node], r)));
  expected.payoffs.forEach((value, p) => near(values[p][0], value));
});

test("the value of an information set is the mean of its nodes", () => {
  const { values } = game.sweep(0);
  game.players.forEach((player, p) => player.infosets.forEach((_, h) => {
    const row = infosetRow(game, readState("", game), p, h);
    if (Number.isNaN(row.value)) return;
    near(row.value, game.beliefs(0, p, h).reduce((sum, { node, belief }) => sum + belief * values[p][node], 0));
  }));
});

test("a view survives its own address", () => {
  const state = { ...readState("", game), node: 3, player: 1, filter: "a&b=c <#>", sort: "reach", reachedOnly: true };
  assert.deepEqual(readState(writeState(state), game), state);
  assert.equal(writeState(readState("", game)), "");
});

test("an address that means nothing is ignored", () => {
  assert.deepEqual(readState("#node=-1&player=9&profile=x&against=0&sort=evil", game), readState("", game));
  assert.equal(readState("#node=1e9", game).node, 0);
});

test("rows are filtered and sorted", () => {
  const state = readState("#filter=HOLDING+q", game);
  assert.ok(selectRows(game, state).every((row) => row.label.startsWith("holding Q")));
  const byReach = selectRows(game, readState("#sort=reach", game)).map((row) => row.reach);
  assert.deepEqual(byReach, [...byReach].sort((a, b) => b - a));
  const hidden = selectRows(game, readState("#reachedOnly=true", game));
  assert.ok(hidden.every((row) => row.reached));
});

test("CSV quotes, and names are not formulas", () => {
  assert.equal(csvCell('a,"b"'), '"a,""b"""');
  assert.equal(csvCell("=1+1"), "'=1+1");
  assert.equal(csvCell(-1), "-1");
  assert.equal(csvCell(NaN), "");
  const state = readState("", game);
  const lines = csv(game, state, selectRows(game, state)).trim().split("\r\n");
  assert.equal(lines.length, 1 + selectRows(game, state).reduce((n, row) => n + row.actions.length, 0));
});

test("numbers as people read them", () => {
  assert.deepEqual([number(0), number(-0.5), number(1 / 3), number(NaN), number(-1e-9), number(2)], ["0", "−0.5", "0.3333", "–", "−1.0e−9", "2"]);
  assert.deepEqual([signed(0.25), signed(-0.25), signed(1e-17)], ["+0.25", "−0.25", "0"]);
  assert.deepEqual([probability(1 / 3, "1/3"), probability(1 - 1e-16), probability(1e-17)], ["1/3", "1", "0"]);
  assert.deepEqual([percent(0.25), percent(0.00012, 2), percent(0.000083), percent(1), percent(0)], ["25%", "0.01%", "<0.1%", "100%", "0%"]);
  assert.equal(count(1234567), "1\u2009234\u2009567");
});

test("moves of one choice have different colours, and their letters contrast", () => {
  const many = Array.from({ length: 20 }, (_, k) => `move ${k}`);
  for (const labels of [["fold", "call", "raise"], ["check", "call"], ["bet", "raise"], ["__proto__", "constructor"], many.slice(0, 8)]) {
    assert.equal(new Set(labels.map((label) => assignColours([labels]).get(label))).size, labels.length);
  }
  assert.ok(many.every((label) => /^#[0-9a-f]{6}$/.test(assignColours([many]).get(label))));
  assert.deepEqual([inkOn("#ffffff"), inkOn("#000000")], ["#000000", "#ffffff"]);
});

test("the grid holds every hand once", () => {
  assert.deepEqual([handClass("AsKs"), handClass("KdAs"), handClass("2c2d"), handClass("9hTh")], ["AKs", "AKo", "22", "T9s"]);
  const classes = [...RANKS].flatMap((_, r) => [...RANKS].map((_, c) => gridClass(r, c)));
  assert.equal(new Set(classes).size, 169);
  assert.equal(gridClass(0, 1), "AKs");
});

test("a class plays the weighted mean of its hands", () => {
  const table = { moves: ["check", "bet"], hands: ["AsAh", "AsAd", "KsKh"], weight: [0.2, 0.6, 0], probabilities: [1, 0, 0, 1, 0.5, 0.5], ev: [1, 2, NaN], equity: [1, 1, NaN] };
  const totals = classTotals(table);
  near(totals.get("AA").shares[1], 0.75);
  near(totals.get("AA").ev, 1.75);
  assert.equal(totals.get("KK").weight, 0);
});

test("betting lines lead from decision to decision", () => {
  const tables = ["", "bet 10", "check", "check\u2013bet 10", "check\u2013bet 100"].map((history) => ({ history, board: "AsKsQs" }));
  assert.deepEqual(line(tables, 4), [0, 2, 4]);
  assert.equal(nextDecision(tables, 2, "bet 100"), 4);
  assert.equal(nextDecision(tables, 2, "check"), -1);
});

test("cards come between decisions", () => {
  const [flop, first, second] = ["AsKsQs", "AsKsQs2c", "AsKsQs2d"];
  const tables = [["", flop], ["check", flop], ["check\u2013check/", first], ["check\u2013check/", second], ["check\u2013check/bet 5", second], ["check\u2013check/check\u2013check/", `${second}3d`]].map(([history, board]) => ({ history, board }));
  assert.equal(nextDecision(tables, 1, "check"), 2);
  assert.equal(nextDecision(tables, 2, "bet 5"), -1);
  assert.equal(nextDecision(tables, 3, "bet 5"), 4);
  assert.deepEqual(line(tables, 4), [0, 1, 3, 4]);
  assert.deepEqual([runOuts(tables, 3), runOuts(tables, 1), runOuts(tables, 5)], [[2, 3], [1], [5]]);
  assert.deepEqual([step(tables[1], tables[3]), step(tables[3], tables[4]), step(tables[0], tables[1])], ["check, 2d", "bet 5", "check"]);
  assert.equal(step(tables[3], tables[5]), "check\u2013check, 3d");
});

test("ticks of a curve are round and lie within it", () => {
  for (const [low, high] of [[0, 3.6], [-0.0856, 2.1], [-5, 1000], [0.2, 0.21]]) {
    const found = roundTicks(low, high);
    assert.ok(found.length >= 3 && found.length <= 8 && found[0] >= low - 1e-9 && found.at(-1) <= high + 1e-9, `${found}`);
    near(found[1] - found[0], found.at(-1) - found.at(-2));
  }
  assert.ok(roundTicks(1, 1).length <= 1);
});

test("short ranges of a chart have more ticks than powers of ten", () => {
  assert.deepEqual(chartTicks([1, 2]).map(({ text }) => text), ["10", "20", "50", "100"]);
  assert.deepEqual(chartTicks([-4, 0]).map(({ text }) => text), ["1e\u22124", "0.001", "0.01", "0.1", "1"]);
});

test("a chart holds what a logarithm can show", () => {
  const run = { algorithm: "=x", history: [[0, 1], [1, 0.5], [10, 0], [100, null], [1000, 0.01]].map(([iteration, exploitability]) => ({ iteration, seconds: 0, exploitability, bracket: null })) };
  assert.deepEqual(chartPoints(run, "iteration").map(([a]) => Math.round(a)), [0, 3]);
  assert.deepEqual(chartPoints(run, "seconds"), []);
  assert.deepEqual([decades([-2.5, 0.1]), decades([0, 0])], [[-3, 1], [0, 1]]);
  assert.deepEqual(historyRows({ runs: [run] })[1], ["=x", 0, 0, 1, NaN, NaN]);
});

const base64 = (array) => Buffer.from(array.buffer).toString("base64");
const tournament = new TournamentData({
  format: "equiform-explorer-tournament", version: 1, seats: ["first", "second"], hands: ["AA", "72o"], unit: 1,
  decisions: [{ name: "open", seat: 0 }, { name: "=call", seat: 1 }],
  stacks: { type: "Int8", data: base64(Int8Array.of(1, 3, 2, 2, 3, 1)) },
  values: { type: "Float64", data: base64(Float64Array.of(0.25, 0.75, 0.5, 0.5, 0.75, 0.25)) },
  charts: { type: "Int16", data: base64(Int16Array.of(1, 2, 3, 4, 10000, 5000, 0, 7500, 5, 6, 7, 8)) },
});

test("charts of a tournament are found by stacks, decision and hand", () => {
  assert.equal(tournament.even(), 1);
  assert.equal(tournament.find("3,1"), 2);
  near(tournament.jam(1, 0, 1), 0.5);
  near(tournament.jam(1, 1, 1), 0.75);
  assert.deepEqual(tournament.totals(1, 1).get("72o").shares, [0.75, 0.25]);
  assert.deepEqual(chartsCsv(tournament, 1).trim().split("\r\n"), ["hand,open,'=call", "AA,1,0", "72o,0.5,0.75"]);
  assert.throws(() => new TournamentData({ format: "equiform-explorer" }));
});

test("a view of a tournament survives its own address", () => {
  const view = { state: 2, decision: 1, seat: 1, hand: "AA" };
  assert.deepEqual(readTournamentView(writeTournamentView(view, tournament, 1), tournament, 1), view);
  const usual = { state: 1, decision: 0, seat: 0, hand: "" };
  assert.equal(writeTournamentView(usual, tournament, 1), "");
  assert.deepEqual(readTournamentView("#stacks=9,9&decision=7&seat=-1&hand=<b>", tournament, 1), usual);
});
