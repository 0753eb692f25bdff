/** Start the page that the data is for. */

import { startGame } from "./app.js";
import { startSpot } from "./spot.js";

const data = JSON.parse(document.getElementById("data").textContent);
const start = data.format === "equiform-explorer-spot" ? startSpot : startGame;
start(data, (id, content) => document.getElementById(id).replaceChildren(content));
document.documentElement.dataset.ready = "true";
