/** The walk: where we are in the tree, who moves, what is known, and the moves from here. */

import { el } from "./dom.js";
import { exactly, number, plural, probability, settled, signed } from "../data/format.js";
import { CHANCE, TERMINAL } from "../data/game.js";
import { infosetRow } from "../data/rows.js";

function breadcrumbs(game, state, go) {
  const path = game.path(state.node);
  const crumbs = path.map((node, k) => {
    const label = node === 0 ? "Start" : game.label(node);
    const here = k === path.length - 1;
    return el("li", {}, el("button", { type: "button", "aria-current": here ? "step" : null, onclick: () => go(node) }, label));
  });
  return el("nav", { "aria-label": "Moves so far" }, el("ol", { class: "crumbs" }, crumbs));
}

function reachMeters(game, state) {
  const { reach } = game.sweep(state.profile);
  const names = [...game.players.map((p) => p.name), "chance"];
  const there = names.map((_, p) => p).filter((p) => p < game.players.length || game.tree.turn.includes(CHANCE));
  const meters = there.map((p) => {
    const name = names[p];
    const share = reach[p][state.node];
    const words = `${name}: ${number(share)}`;
    return el("div", { class: "meter", role: "img", "aria-label": `reach of ${words}` },
      el("span", { class: `fill who${p < game.players.length ? p : "c"}`, style: { width: `${100 * share}%` } }), el("span", { class: "words" }, words));
  });
  return el("div", { class: "reach" }, el("h3", {}, `Reached with probability ${number(game.totalReach(state.profile, state.node))}`), meters);
}

function moveButton(game, state, node, k, go, extra) {
  const p = game.probability(state.profile, node);
  const { values } = game.sweep(state.profile);
  const worth = game.players.map((player, i) => number(settled(values[i][node]))).join(" | ");
  const label = game.label(node);
  return el("li", {}, el(
    "button", { type: "button", class: p < 5e-10 ? "move never" : "move", "data-node": node, onclick: () => go(node), "aria-label": `${label}, probability ${extra.text}, then worth ${worth}${extra.regret}` },
    el("kbd", {}, k < 9 ? String(k + 1) : ""),
    el("span", { class: "swatch", style: { background: extra.colour } }),
    el("span", { class: "name" }, label),
    el("span", { class: "share" }, el("span", { class: "fill", style: { width: `${100 * p}%`, background: extra.colour } })),
    el("span", { class: "figure p" }, extra.text),
    el("span", { class: "figure" }, number(settled(values[Math.max(0, game.tree.turn[state.node])][node]))),
    el("span", { class: "figure" }, extra.regretText),
  ));
}

function moveList(game, state, colours, go) {
  const { node } = state;
  const mover = game.tree.turn[node];
  const row = mover >= 0 ? infosetRow(game, state, mover, game.infosetAt(node)) : null;
  const items = game.children(node).map((child, k) => {
    if (!row) {
      return moveButton(game, state, child, k, go, { colour: "var(--chance)", text: game.tree.chance[game.tree.edge[child]], regret: "", regretText: "" });
    }
    const a = row.actions[k];
    return moveButton(game, state, child, k, go, {
      colour: colours.get(a.label), text: probability(a.probability, a.exact), regret: `, regret ${signed(a.regret)}`, regretText: signed(a.regret),
    });
  });
  const whose = mover >= 0 ? game.players[mover].name : game.players[0].name;
  const head = el("div", { class: "movehead", "aria-hidden": "true" }, el("span", { class: "name" }, "move"), el("span", { class: "figure p" }, "plays"),
    el("span", { class: "figure", title: `expected payoff of ${whose} from this node on` }, "worth"),
    el("span", { class: "figure", title: "what playing only this move at the whole information set would change" }, row ? "regret" : ""));
  return [head, el("ol", { class: "moves" }, items)];
}

function known(game, state, go) {
  const player = game.tree.turn[state.node];
  const beliefs = game.beliefs(state.profile, player, game.infosetAt(state.node));
  if (beliefs.length < 2) return el("p", { class: "note" }, "The player knows exactly where play is.");
  const most = 24;
  const items = beliefs.slice(0, most).map(({ node, belief }) => {
    const words = game.path(node).slice(1).map((n) => game.label(n)).join(" \u203a ") || "Start";
    return el("li", {}, el("button", { type: "button", "aria-current": node === state.node ? "true" : null, onclick: () => go(node) }, `${words} `, el("b", {}, number(belief))));
  });
  const rest = beliefs.length > most ? ` (the first ${most})` : "";
  return el("details", { class: "beliefs" }, el("summary", {}, `Could be any of ${plural(beliefs.length, "node")}${rest}, with these probabilities`), el("ul", {}, items));
}

export function walkPanel(game, state, colours, go) {
  if (!game.tree) return el("p", { class: "note" }, game.omitted);
  const { node } = state;
  const mover = game.tree.turn[node];
  const { values } = game.sweep(state.profile);
  const parts = [el("h2", {}, "Game"), breadcrumbs(game, state, go)];
  if (mover === TERMINAL) {
    const row = game.tree.payoffs[game.tree.outcome[node]];
    parts.push(el("p", { class: "turn" }, "The game is over."), el("dl", { class: "payoffs" }, game.players.map((p, k) => [el("dt", {}, p.name), el("dd", {}, exactly(row[k]))]).flat()));
  } else if (mover === CHANCE) {
    parts.push(el("p", { class: "turn" }, el("span", { class: "who whoc" }, "chance"), " moves"));
  } else {
    const { name, infosets } = game.players[mover];
    parts.push(el("p", { class: "turn" }, el("span", { class: `who who${mover}` }, name), ` moves: ${infosets[game.infosetAt(node)]}`));
  }
  if (mover !== TERMINAL) {
    const worth = game.players.map((p, k) => el("span", {}, el("span", { class: `who who${k}` }, p.name), ` ${number(settled(values[k][node]))}`));
    parts.push(el("p", { class: "worth" }, "Worth from here on: ", worth.flatMap((part) => [part, " "])), ...moveList(game, state, colours, go));
  }
  if (mover >= 0) parts.push(known(game, state, go));
  parts.push(reachMeters(game, state));
  parts.push(el("p", { class: "note keys" }, "Worth is the mover's expected payoff at this very node, regret what playing only that move would change at the whole information set. Keys: 1\u20139 play a move, \u2190 goes back, \u2192 follows the likeliest move, \u2191 \u2193 select, Home starts again."));
  return el("div", {}, parts);
}
