/** The badge: what is proved about a profile, how well, by whom, and what is not. */

import { el } from "./dom.js";
import { exactly, number, settled } from "../data/format.js";

function fact(name, value) {
  return value === null || value === undefined || value === "" ? null : [el("dt", {}, name), el("dd", {}, String(value))];
}

function precise(x) {
  return x === null || x === undefined ? null : number(x, 12);
}

/** The strongest thing that can be said in one line. */
export function summary(proof) {
  if (proof.exact && proof.exact.exploitability === "0") return "Proved exactly";
  if (proof.exploitability === null || proof.exploitability === undefined) return "Not certified";
  return `Certified: exploitability ${number(proof.exploitability, 6)}`;
}

/** A badge with facts below it, and what is not proved. */
export function factsPanel(badge, headline, facts, unproved) {
  return el(
    "details", { class: "proof", open: window.innerWidth > 760 },
    el("summary", {}, el("span", { class: "badge" }, badge), headline),
    el("dl", {}, facts.map(([name, value]) => fact(name, value)).flat()),
    unproved.length ? el("div", { class: "unproved" }, el("strong", {}, "Not proved: "), el("ul", {}, unproved.map((s) => el("li", {}, s)))) : null,
  );
}

export function proofPanel(game, profile) {
  const { proof, unproved, title } = game.profiles[profile];
  const [lower, upper] = proof.bracket ?? [];
  const fraction = proof.exact?.value ?? proof.exact?.payoffs?.[0];
  const exact = fraction && exactly(fraction);
  const seconds = Object.entries(proof.seconds ?? {}).filter(([phase]) => !phase.startsWith("program: "));
  const by = [proof.backend, proof.backend_version, proof.algorithm && `(${proof.algorithm})`].filter(Boolean).join(" ");
  const payoffs = proof.payoffs && game.players.map((p, k) => `${p.name}: ${precise(settled(proof.payoffs[k]))}`).join(", ");
  const regrets = proof.regrets && game.players.map((p, k) => `${p.name}: ${number(proof.regrets[k], 6)}`).join(", ");
  const facts = [
    ["profile", title],
    ["concept", proof.concept],
    ["exact value", exact && (exact.length <= 80 ? exact : `${exact.slice(0, 80)}\u2026`)],
    [proof.percent === undefined ? "value to player 1" : "player 1's share of the pot", precise(settled(proof.value))],
    ["expected payoffs", payoffs],
    ["value lies in", proof.bracket && `[${precise(lower)}, ${precise(upper)}]`],
    ["exploitability", proof.exact?.exploitability ?? number(proof.exploitability, 6)],
    ["in percent of the pot", proof.percent === undefined ? null : `${number(proof.percent, 6)}%`],
    ["gain of a best response", regrets],
    ["evaluated on", proof.witness && `the ${proof.witness}`],
    ["solved by", by],
    ["status", proof.status],
    ["time", seconds.map(([phase, s]) => `${phase} ${number(s, 3)} s`).join(", ")],
  ];
  const amount = exact && exact.length < 20 ? exact : number(settled(proof.value ?? proof.payoffs?.[0]), 6);
  const headline = proof.value === undefined ? ` ${game.players[0].name} gets ${amount}` : ` value ${amount}`;
  return factsPanel(summary(proof), headline, facts, unproved);
}
