/** Hands of hold'em: the 169 classes of the grid, and what a range does with each. */

export const RANKS = "AKQJT98765432";

/** The class of two cards such as AsKd: a pair, suited or offsuit. */
export function handClass(hand) {
  const [first, suit, second, other] = hand;
  if (first === second) return first + second;
  const inOrder = RANKS.indexOf(first) < RANKS.indexOf(second);
  return (inOrder ? first + second : second + first) + (suit === other ? "s" : "o");
}

/** The class in a row and column of the grid: suited hands above the diagonal. */
export function gridClass(row, column) {
  const pair = RANKS[Math.min(row, column)] + RANKS[Math.max(row, column)];
  return row === column ? pair : pair + (column > row ? "s" : "o");
}

/** What a class does at a decision: its hands, their weight, and the mean of their play. */
export function classTotals(table) {
  const totals = new Map();
  const size = table.moves.length;
  table.hands.forEach((hand, k) => {
    const name = handClass(hand);
    if (!totals.has(name)) totals.set(name, { hands: [], weight: 0, shares: new Array(size).fill(0), ev: 0, equity: 0 });
    const total = totals.get(name);
    const weight = table.weight[k];
    total.hands.push(k);
    total.weight += weight;
    for (let m = 0; m < size; m++) total.shares[m] += weight * table.probabilities[k * size + m];
    if (weight > 0) {
      total.ev += weight * table.ev[k];
      total.equity += weight * table.equity[k];
    }
  });
  for (const total of totals.values()) {
    if (total.weight > 0) {
      total.shares = total.shares.map((s) => s / total.weight);
      total.ev /= total.weight;
      total.equity /= total.weight;
    }
  }
  return totals;
}

/** The actions of one hand, as the bars want them. */
export function handActions(table, k) {
  const size = table.moves.length;
  return table.moves.map((label, m) => ({ label, probability: table.probabilities[k * size + m], value: table.evOfMoves[k * size + m] }));
}

/** A history and a move after it; a stroke stands where a card has come. */
function after(history, move) {
  return history === "" || history.endsWith("/") ? history + move : `${history}\u2013${move}`;
}

/** The decisions on the way to a decision, itself included. */
export function line(tables, at) {
  const { history, board } = tables[at];
  const before = (text) => text === "" || text === history || history.startsWith(`${text}\u2013`) || (text.endsWith("/") && history.startsWith(text));
  const there = tables.map((_, k) => k).filter((k) => before(tables[k].history) && board.startsWith(tables[k].board));
  return there.sort((a, b) => tables[a].history.length - tables[b].history.length);
}

/** The decision that a move leads to, on the first of the next cards if one comes; -1 if the page holds none. */
export function nextDecision(tables, at, move) {
  const { history, board } = tables[at];
  const wanted = after(history, move);
  const here = tables.findIndex((table) => table.history === wanted && table.board === board);
  return here >= 0 ? here : tables.findIndex((table) => table.history === `${wanted}/` && table.board.startsWith(board));
}

/** The same decision on other last cards, itself included, in the order of the page. */
export function runOuts(tables, at) {
  const { history, board } = tables[at];
  if (!history.includes("/")) return [at];
  const known = board.slice(0, -2);
  return tables.map((_, k) => k).filter((k) => tables[k].history === history && tables[k].board.length === board.length && tables[k].board.startsWith(known));
}

/** What was done between two decisions of a line: the moves, and the cards that came. */
export function step(from, to) {
  const moves = to.history.slice(from.history.length).replace(/^\u2013|\/$/g, "").replaceAll("/", ", ");
  const cards = to.board.slice(from.board.length);
  return [moves, cards].filter(Boolean).join(", ");
}
