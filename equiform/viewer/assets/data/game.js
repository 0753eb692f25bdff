/** The game: its tree, its information sets, and what a profile means at every node. */

export const CHANCE = -1;
export const TERMINAL = -2;

export class Game {
  constructor(document) {
    Object.assign(this, { name: document.game, players: document.players, profiles: document.profiles });
    Object.assign(this, { moves: document.moves, tree: document.tree, omitted: document.omitted });
    this.sweeps = new Map();
    if (this.tree) this.indexTree();
  }

  indexTree() {
    const { parent, infoset, infosetPlayer } = this.tree;
    this.firstChild = new Int32Array(parent.length).fill(-1);
    this.numChildren = new Int32Array(parent.length);
    for (let node = 1; node < parent.length; node++) {
      if (this.firstChild[parent[node]] < 0) this.firstChild[parent[node]] = node;
      this.numChildren[parent[node]]++;
    }
    // information sets are numbered over all players; each player's own numbers follow the same order
    const next = this.players.map(() => 0);
    this.ownNumber = Array.from(infosetPlayer, (player) => next[player]++);
    this.nodesOf = this.players.map((player) => player.infosets.map(() => []));
    infoset.forEach((h, node) => {
      if (h >= 0) this.nodesOf[infosetPlayer[h]][this.ownNumber[h]].push(node);
    });
  }

  get numNodes() {
    return this.tree ? this.tree.parent.length : 0;
  }

  children(node) {
    return Array.from({ length: this.numChildren[node] }, (_, k) => this.firstChild[node] + k);
  }

  /** The nodes from the root to a node. */
  path(node) {
    const nodes = [node];
    while (nodes[0] > 0) nodes.unshift(this.tree.parent[nodes[0]]);
    return nodes;
  }

  /** The move that leads to a node. */
  label(node) {
    const above = this.tree.parent[node];
    return this.moves[this.tree.moves[above]][node - this.firstChild[above]];
  }

  /** The player's own number of the information set of a node. */
  infosetAt(node) {
    return this.ownNumber[this.tree.infoset[node]];
  }

  /** The sequence that a player's move to a node belongs to. */
  sequence(node) {
    const above = this.tree.parent[node];
    const start = this.players[this.tree.turn[above]].start;
    return start[this.infosetAt(above)] + node - this.firstChild[above];
  }

  /** The probability of the move that leads to a node. */
  probability(profile, node) {
    const mover = this.tree.turn[this.tree.parent[node]];
    if (mover === CHANCE) return this.tree.chanceFloats[this.tree.edge[node]];
    return this.profiles[profile].strategies[mover].probabilities[this.sequence(node)];
  }

  /** Reach of each player and of chance (last) at every node, and expected payoffs from there on. */
  sweep(profile) {
    if (!this.sweeps.has(profile)) this.sweeps.set(profile, this.computeSweep(profile));
    return this.sweeps.get(profile);
  }

  computeSweep(profile) {
    const { parent, turn, outcome, payoffFloats } = this.tree;
    const n = this.players.length;
    const reach = Array.from({ length: n + 1 }, () => new Float64Array(parent.length).fill(1));
    const values = Array.from({ length: n }, () => new Float64Array(parent.length));
    const weight = new Float64Array(parent.length).fill(1);
    for (let node = 1; node < parent.length; node++) {
      weight[node] = this.probability(profile, node);
      const mover = turn[parent[node]] === CHANCE ? n : turn[parent[node]];
      for (let p = 0; p <= n; p++) reach[p][node] = reach[p][parent[node]] * (p === mover ? weight[node] : 1);
    }
    for (let node = parent.length - 1; node >= 0; node--) {
      for (let p = 0; p < n; p++) {
        if (turn[node] === TERMINAL) values[p][node] = payoffFloats[outcome[node] * n + p];
        if (node > 0) values[p][parent[node]] += weight[node] * values[p][node];
      }
    }
    return { reach, values };
  }

  /** The probability that play comes to a node. */
  totalReach(profile, node) {
    return this.sweep(profile).reach.reduce((product, row) => product * row[node], 1);
  }

  /** The nodes of an information set with the probability of each once play is there; null if it never is. */
  beliefs(profile, player, infoset) {
    const nodes = this.nodesOf[player][infoset];
    const { reach } = this.sweep(profile);
    const weights = nodes.map((node) => reach.reduce((w, row, p) => (p === player ? w : w * row[node]), 1));
    const total = weights.reduce((sum, w) => sum + w, 0);
    return nodes.map((node, k) => ({ node, belief: total > 0 ? weights[k] / total : null }));
  }
}
