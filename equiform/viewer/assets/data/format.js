/** Numbers as people read them. */

const MINUS = "\u2212";

function typographic(text) {
  return text.replace(/^-/, MINUS).replace("e-", `e${MINUS}`).replace("e+", "e");
}

/** A number with four decimals at most; very small and very large ones in powers of ten, missing ones as a dash. */
export function number(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "\u2013";
  if (!Number.isFinite(x)) return x > 0 ? "\u221e" : `${MINUS}\u221e`;
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 0.5 * 10 ** -digits || size >= 1e9) return typographic(x.toExponential(1));
  const text = x.toFixed(digits).replace(/\.?0+$/, "");
  return typographic(text);
}

/** A number with its sign, for differences; what is left of zero by rounding is zero. */
export function signed(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "\u2013";
  if (Math.abs(x) < 5e-10) return "0";
  const text = number(x, digits);
  return x > 0 ? `+${text}` : text;
}

/** A value: what is left of zero by rounding is zero. */
export function settled(x) {
  return typeof x === "number" && Math.abs(x) < 5e-13 ? 0 : x;
}

/** A distance: what is left of zero by rounding is zero. */
export function distance(x) {
  return number(Math.abs(x) < 5e-10 ? 0 : x);
}

/** An exact number as text. */
export function exactly(text) {
  return typographic(text);
}

/** A probability: the exact fraction where there is one, certain ones short. */
export function probability(p, exact = "") {
  if (exact) return exact;
  if (Math.abs(p) < 5e-10) return "0";
  if (Math.abs(p - 1) < 5e-10) return "1";
  return number(p);
}

/** A share in percent; one that rounding would hide is said to be small. */
export function percent(share, digits = 1) {
  const least = 10 ** -digits;
  if (share > 0 && 100 * share < 0.5 * least) return `<${number(least, digits)}%`;
  return `${number(100 * share, digits)}%`;
}

/** A whole number with thousands set apart. */
export function count(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/** A count with its noun. */
export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}
