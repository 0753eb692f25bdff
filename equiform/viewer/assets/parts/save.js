/** What is on screen as a file: CSV, or a picture of the table. */

import { svg } from "./dom.js";
import { distance, probability } from "../data/format.js";
import { inkOn } from "./palette.js";
import { csv, selectRows } from "../data/rows.js";

/** Fonts of pictures. */
export const FONT = "DejaVu Sans, Verdana, Arial, sans-serif";
const ROW = 24;
const BAR = 300;

function measurer() {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `13px ${FONT}`;
  return (text) => context.measureText(text).width;
}

function barOf(actions, share, x, y, colours) {
  let at = x;
  return actions.flatMap((a) => {
    const width = BAR * share(a);
    const colour = colours.get(a.label);
    const parts = width > 0.2 ? [svg("rect", { x: at, y: y + 3, width, height: ROW - 6, fill: colour })] : [];
    if (width > 60) parts.push(svg("text", { x: at + 4, y: y + 16, "font-size": 11, fill: inkOn(colour) }, a.label.length * 7 < width ? a.label : ""));
    at += width;
    return parts;
  });
}

/** The table as a picture of its own, in the colours of paper. */
export function tablePicture(game, state, rows, colours) {
  const wide = measurer();
  const compared = state.against >= 0;
  const words = rows.map((row) => row.actions.filter((a) => a.probability > 5e-10).map((a) => `${a.label} ${probability(a.probability, a.exact)}`).join(", "));
  const left = 20 + Math.max(160, ...rows.map((row) => wide(row.label)));
  const right = left + (compared ? 2 : 1) * (BAR + 14);
  const width = Math.ceil(right + 20 + Math.max(120, ...words.map(wide)));
  const height = 40 + ROW * rows.length + 12;
  const titles = [game.profiles[state.profile].title, ...(compared ? [game.profiles[state.against].title] : [])];
  const parts = [svg("rect", { width, height, fill: "#ffffff" }), svg("text", { x: 10, y: 22, "font-size": 15, "font-weight": "bold" }, `${game.name}: ${game.players[state.player].name}`)];
  titles.forEach((title, k) => parts.push(svg("text", { x: left + k * (BAR + 14), y: 36, "font-size": 11, fill: "#555555" }, title)));
  rows.forEach((row, k) => {
    const y = 40 + ROW * k;
    const group = svg("g", { opacity: row.reached ? 1 : 0.45 }, svg("text", { x: 10, y: y + 16, "font-size": 13 }, row.label));
    group.append(...barOf(row.actions, (a) => a.probability, left, y, colours));
    if (compared) group.append(...barOf(row.actions, (a) => a.other, left + BAR + 14, y, colours));
    group.append(svg("text", { x: right + 4, y: y + 16, "font-size": 13 }, compared ? `difference ${distance(row.distance)}` : words[k]));
    parts.push(group);
  });
  return svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT }, parts);
}

/** Hand a file to the reader. */
export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A picture as PNG, at twice its size for sharp text. */
export async function rasterize(picture) {
  const text = new XMLSerializer().serializeToString(picture);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = Math.min(2, 16000 / Math.max(image.width, image.height));
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.drawImage(image, 0, 0);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Save the rows that the filter leaves; a picture holds those on screen. */
export async function save(kind, game, state, limit, colours) {
  const rows = selectRows(game, state);
  const name = `${game.name}-${game.players[state.player].name}`.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  if (kind === "csv") return download(`${name}.csv`, new Blob(["\ufeff", csv(game, state, rows)], { type: "text/csv" }));
  const picture = tablePicture(game, state, rows.slice(0, limit), colours);
  if (kind === "png") return download(`${name}.png`, await rasterize(picture));
  return download(`${name}.svg`, new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }));
}
