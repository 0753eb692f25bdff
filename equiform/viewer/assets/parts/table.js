/** The strategy table: a row per information set with its bar, figures and, beside another profile, the difference. */

import { actionBar, el, tableHead } from "./dom.js";
import { count, distance, number, plural, probability, settled, signed } from "../data/format.js";
import { inkOn } from "./palette.js";
import { selectRows } from "../data/rows.js";

function choice(label, value, options, change) {
  const items = options.map(([v, text]) => el("option", { value: v, selected: String(v) === String(value) }, text));
  return el("label", {}, `${label} `, el("select", { onchange: (event) => change(event.target.value) }, items));
}

function controls(game, state, set, save) {
  const players = game.players.map((p, k) => el("button", {
    type: "button", class: `tab who${k}`, "aria-pressed": state.player === k ? "true" : "false", onclick: () => set({ player: k }),
  }, p.name));
  const titles = game.profiles.map((p, k) => [k, p.title]);
  const several = game.profiles.length > 1 && [
    choice("Profile", state.profile, titles, (v) => set({ profile: Number(v), against: state.against === Number(v) ? -1 : state.against })),
    choice("against", state.against, [[-1, "no other"], ...titles.filter(([k]) => k !== state.profile)], (v) => set({ against: Number(v) })),
  ];
  const sorts = [["order", "the game's order"], ["reach", "reach"], ...(state.against >= 0 ? [["difference", "difference"]] : [])];
  return el("div", { class: "controls" },
    el("div", { role: "group", "aria-label": "Player" }, players), several,
    el("input", { type: "search", id: "filter", placeholder: "Filter", title: "parts of the name, separated by commas", "aria-label": "Filter information sets", value: state.filter, oninput: (event) => set({ filter: event.target.value }) }),
    choice("Sort by", state.sort, sorts, (v) => set({ sort: v })),
    el("label", {}, el("input", { type: "checkbox", checked: state.reachedOnly, onchange: (event) => set({ reachedOnly: event.target.checked }) }), " reached only"),
    el("div", { role: "group", "aria-label": "Save what is shown", class: "save" }, ["csv", "svg", "png"].map((kind) => el("button", { type: "button", "data-save": kind, onclick: () => save(kind) }, kind.toUpperCase()))));
}

function figures(row, compared) {
  return el("ul", { class: "figures" }, row.actions.map((a) => el("li", { class: a.probability < 5e-10 && !(compared && a.other > 5e-10) ? "never" : null },
    el("span", { class: "name" }, a.label), " ", el("b", {}, probability(a.probability, a.exact)),
    compared
      ? ` \u2192 ${probability(a.other, a.otherExact)} (${signed(a.other - a.probability)})`
      : el("span", { class: "regret", title: "what playing only this would change here" }, Number.isNaN(a.regret) ? "" : signed(a.regret)))));
}

function tableRow(game, state, row, colours, here, go) {
  const compared = state.against >= 0;
  const text = (a) => probability(a.probability, a.exact);
  const bars = [actionBar(row.actions, colours, inkOn, text)];
  if (compared) bars.push(actionBar(row.actions, colours, inkOn, (a) => probability(a.other, a.otherExact), (a) => a.other));
  const first = game.tree && game.nodesOf[row.player][row.h][0];
  const shade = Number.isNaN(row.reach) ? row.ownReach : row.reach;
  const name = game.tree ? el("button", { type: "button", class: "link", onclick: () => go(first) }, row.label) : row.label;
  return el("tr", { class: row.reached ? null : "unreached", "data-infoset": row.h, "aria-current": here ? "true" : null },
    el("th", { scope: "row" }, name, row.reached ? null : el("span", { class: "note" }, " never reached")),
    el("td", { class: "bars" }, bars),
    el("td", {}, figures(row, compared)),
    el("td", { class: "figure", "data-name": "reach", style: { "--reach": shade } }, el("span", { class: "reachcell" }, number(shade))),
    el("td", { class: "figure", "data-name": "value" }, number(settled(row.value))),
    compared ? el("td", { class: "figure", "data-name": "difference" }, distance(row.distance)) : null);
}

export function tablePanel(game, state, colours, { limit, go, set, save, more }) {
  const rows = selectRows(game, state);
  const mover = game.tree ? game.tree.turn[state.node] : -1;
  const current = mover === state.player ? game.infosetAt(state.node) : -1;
  const total = game.players[state.player].infosets.length;
  const unreached = game.profiles[state.profile].strategies[state.player].reached.reduce((n, r) => n + (r ? 0 : 1), 0);
  const columns = [
    { name: "information set" }, { name: "plays" },
    state.against >= 0 ? { name: "probability, change", title: "from the first profile to the second" } : { name: "probability, regret", title: "regret: what playing only this would change" },
    game.tree ? { name: "reach", title: "how often play comes here: all players and chance", figure: true } : { name: "own reach", title: "how often the player's own moves lead here", figure: true }, { name: "value", title: "expected payoff of this player here", figure: true },
    ...(state.against >= 0 ? [{ name: "difference", title: "total variation distance", figure: true }] : []),
  ];
  return el("div", {}, el("h2", {}, "Strategies"), controls(game, state, set, save),
    el("p", { class: "note" }, `${plural(rows.length, "information set")} of ${count(total)}` + (unreached ? `; ${count(unreached)} never reached by the player's own moves, in grey` : "")),
    el("div", { class: "scroll" }, el("table", {},
      tableHead(columns), el("tbody", {}, rows.slice(0, limit).map((row) => tableRow(game, state, row, colours, row.h === current, go))))),
    rows.length > limit ? el("button", { type: "button", class: "more", onclick: more }, `Show more (${rows.length - limit} left)`) : null);
}
