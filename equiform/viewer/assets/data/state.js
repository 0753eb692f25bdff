/** What is on screen, as the hash of the address: a view can be linked. */

const DEFAULTS = { node: 0, profile: 0, against: -1, player: 0, filter: "", sort: "order", reachedOnly: false };

export function readState(hash, game) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const within = (name, most) => {
    const value = Number(fields.get(name) ?? DEFAULTS[name]);
    return Number.isInteger(value) && value >= 0 && value < most ? value : DEFAULTS[name];
  };
  const profile = within("profile", game.profiles.length);
  const against = within("against", game.profiles.length);
  return {
    node: within("node", game.numNodes),
    profile,
    against: against === profile ? -1 : against,
    player: within("player", game.players.length),
    filter: fields.get("filter") ?? "",
    sort: ["order", "reach", "difference"].includes(fields.get("sort")) ? fields.get("sort") : "order",
    reachedOnly: fields.get("reachedOnly") === "true",
  };
}

export function writeState(state) {
  const fields = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    if (state[name] !== usual) fields.set(name, String(state[name]));
  }
  const text = fields.toString();
  return text && `#${text}`;
}
