/** The data of the page: base64 back into typed arrays. */

const TYPES = { Int8: Int8Array, Int16: Int16Array, Int32: Int32Array, Float32: Float32Array, Float64: Float64Array };

export function unpack(field) {
  const bytes = Uint8Array.from(atob(field.data), (c) => c.charCodeAt(0));
  return new TYPES[field.type](bytes.buffer);
}

/** Unpack every packed field of a record. */
export function unpackAll(record) {
  const packed = (value) => value !== null && typeof value === "object" && "data" in value && "type" in value;
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, packed(value) ? unpack(value) : value]));
}

/** Read a document; another format or version is refused. */
export function decode(document) {
  if (document.format !== "equiform-explorer" || document.version !== 1) throw new Error("not an explorer document");
  return {
    ...document,
    tree: document.tree && unpackAll(document.tree),
    players: document.players.map(unpackAll),
    profiles: document.profiles.map((p) => ({ ...p, strategies: p.strategies.map(unpackAll) })),
  };
}
