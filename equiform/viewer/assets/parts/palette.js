/** Colours of actions: Okabe and Ito's palette, which people with any kind of colour vision can tell apart. */

const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];
const USUAL = { fold: "#56b4e9", check: "#009e73", call: "#009e73", bet: "#d55e00", raise: "#d55e00", jam: "#d55e00", "all-in": "#cc79a7" };

/** Assign a colour to each label; words of poker have their usual ones if no two labels of one choice clash. */
export function assignColours(moveSets) {
  const colours = new Map();
  for (const labels of moveSets) {
    const taken = new Set(labels.map((label) => colours.get(label)).filter(Boolean));
    for (const label of labels) {
      if (colours.has(label)) continue;
      const word = label.split(" ")[0]; // a bet of 120 is a bet
      const usual = Object.hasOwn(USUAL, word) ? USUAL[word] : undefined;
      const free = usual && !taken.has(usual) ? usual : COLOURS.find((colour) => !taken.has(colour));
      const colour = free ?? shade(colours.size);
      colours.set(label, colour);
      taken.add(colour);
    }
  }
  return colours;
}

/** Colours for what the palette does not reach: the same hues, lighter or darker. */
function shade(k) {
  const base = COLOURS[k % COLOURS.length];
  const towards = Math.floor(k / COLOURS.length) % 2 ? 255 : 0;
  const mix = (from) => Math.round((parseInt(base.slice(from, from + 2), 16) * 2 + towards) / 3);
  return `#${[1, 3, 5].map((from) => mix(from).toString(16).padStart(2, "0")).join("")}`;
}

/** Black or white, whichever is easier to read on a colour. */
export function inkOn(colour) {
  const linear = [1, 3, 5].map((from) => {
    const c = parseInt(colour.slice(from, from + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return light > 0.179 ? "#000000" : "#ffffff";
}
