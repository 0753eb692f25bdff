/** The rows of the strategy table: what is selected, in which order, and as CSV. */

/** One information set of a profile, with the other profile's numbers beside it if there is one. */
export function infosetRow(game, state, player, h) {
  const { start, moves, infosets } = game.players[player];
  const own = game.profiles[state.profile].strategies[player];
  const other = state.against >= 0 ? game.profiles[state.against].strategies[player] : null;
  const value = weighted(own, start[h], start[h + 1]);
  const actions = game.moves[moves[h]].map((label, k) => {
    const s = start[h] + k;
    return {
      label,
      probability: own.probabilities[s],
      exact: own.exact ? own.exact[s] : "",
      value: own.values[s],
      regret: own.values[s] - value,
      other: other && other.probabilities[s],
      otherExact: other && other.exact ? other.exact[s] : "",
    };
  });
  const apart = other ? actions.reduce((sum, a) => sum + Math.abs(a.probability - a.other), 0) / 2 : 0;
  const reach = own.ownReach[h] * own.othersReach[h];
  return {
    player, h, label: infosets[h], actions, value, reach, distance: apart,
    ownReach: own.ownReach[h], reached: own.reached[h] === 1, otherReached: !other || other.reached[h] === 1,
  };
}

function weighted(strategy, from, to) {
  let sum = 0;
  for (let s = from; s < to; s++) sum += strategy.probabilities[s] * strategy.values[s];
  return sum;
}

/** The information sets whose names hold every part of the filter, between commas; sorted. */
export function selectRows(game, state) {
  const words = state.filter.toLowerCase().split(",").map((word) => word.trim()).filter(Boolean);
  const rows = [];
  game.players[state.player].infosets.forEach((label, h) => {
    const text = label.toLowerCase();
    if (!words.every((word) => text.includes(word))) return;
    const row = infosetRow(game, state, state.player, h);
    if (!state.reachedOnly || row.reached) rows.push(row);
  });
  const key = { reach: (r) => -(Number.isNaN(r.reach) ? r.ownReach : r.reach), difference: (r) => -r.distance }[state.sort];
  return key ? rows.sort((a, b) => key(a) - key(b) || a.h - b.h) : rows;
}

/** Quote a cell; a spreadsheet must not take a name for a formula. */
export function csvCell(value) {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv(game, state, rows) {
  const compared = state.against >= 0;
  const head = ["player", "information set", "reached", "reach", "own reach", "action", "probability", "value", "regret"];
  if (compared) head.push(`probability: ${game.profiles[state.against].title}`, "difference");
  const lines = [head];
  for (const row of rows) {
    const left = [game.players[row.player].name, row.label, row.reached ? "yes" : "no", row.reach, row.ownReach];
    for (const a of row.actions) {
      const right = compared ? [a.other, a.other - a.probability] : [];
      lines.push([...left, a.label, a.exact || a.probability, a.value, a.regret, ...right]);
    }
  }
  return lines.map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}
