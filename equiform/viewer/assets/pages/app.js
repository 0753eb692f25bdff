/** The page of a game: state in, panels out. */

import { decode } from "../data/decode.js";
import { curvePanel } from "../parts/curve.js";
import { el } from "../parts/dom.js";
import { plural } from "../data/format.js";
import { Game } from "../data/game.js";
import { assignColours } from "../parts/palette.js";
import { proofPanel } from "../parts/proof.js";
import { save } from "../parts/save.js";
import { readState, writeState } from "../data/state.js";
import { tablePanel } from "../parts/table.js";
import { walkPanel } from "../parts/walk.js";

const STEP = 100;

export function startGame(data, put) {
  const game = new Game(decode(data));
  const colours = assignColours(game.players.flatMap((p) => Array.from(p.moves, (m) => game.moves[m])));
  let state = readState(location.hash, game);
  let limit = STEP;

  function header() {
    const sets = game.players.reduce((n, p) => n + p.infosets.length, 0);
    const size = [game.tree && plural(game.numNodes, "node"), plural(sets, "information set"), plural(game.players.length, "player")];
    return el("div", {}, el("h1", {}, game.name), el("p", { class: "note" }, size.filter(Boolean).join(", ")));
  }

  function remember() {
    try {
      history.replaceState(null, "", writeState(state) || location.pathname + location.search);
    } catch {
      // a page inside a notebook has no address of its own
    }
  }

  function show() {
    put("walk", walkPanel(game, state, colours, go));
    put("table", tablePanel(game, state, colours, { limit, go, set, more, save: (kind) => save(kind, game, state, limit, colours) }));
    if (data.curve) put("course", curvePanel(game.name, data.curve, state.profile, (profile) => set({ profile, against: state.against === profile ? -1 : state.against })));
  }

  function set(change) {
    const shownProfile = state.profile;
    state = { ...state, ...change };
    if (state.against < 0 && state.sort === "difference") state.sort = "order";
    if ("filter" in change || "player" in change) limit = STEP;
    remember();
    show();
    if (state.profile !== shownProfile) put("proof", proofPanel(game, state.profile));
    const field = document.getElementById("filter");
    if ("filter" in change) {
      field.focus();
      field.setSelectionRange(state.filter.length, state.filter.length);
    }
  }

  function go(node) {
    const mover = game.tree.turn[node];
    set(mover >= 0 ? { node, player: mover } : { node });
    document.querySelector(".moves button, .crumbs [aria-current]")?.focus({ preventScroll: true });
  }

  function more() {
    limit += STEP;
    show();
  }

  function select(step) {
    const buttons = [...document.querySelectorAll(".moves button")];
    const at = buttons.indexOf(document.activeElement);
    buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus();
  }

  function likeliest(children) {
    return children.reduce((best, node) => (game.probability(state.profile, node) > game.probability(state.profile, best) ? node : best));
  }

  document.addEventListener("keydown", (event) => {
    if (!game.tree || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    const children = game.children(state.node);
    const digit = Number(event.key);
    if (digit >= 1 && digit <= children.length) go(children[digit - 1]);
    else if ((event.key === "ArrowLeft" || event.key === "Backspace") && state.node > 0) go(game.tree.parent[state.node]);
    else if (event.key === "ArrowRight" && children.length) go(likeliest(children));
    else if (event.key === "ArrowDown") select(1);
    else if (event.key === "ArrowUp") select(-1);
    else if (event.key === "Home") go(0);
    else return;
    event.preventDefault();
  });

  window.addEventListener("hashchange", () => {
    state = readState(location.hash, game);
    put("proof", proofPanel(game, state.profile));
    show();
  });

  if (!game.tree) document.querySelector("main").classList.add("treeless");
  if (data.curve) document.querySelector("main").classList.add("curvefirst");
  put("head", header());
  put("proof", proofPanel(game, state.profile));
  show();
}
