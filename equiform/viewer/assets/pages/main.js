/** Start the page that the data is for. */

import { startGame } from "./app.js";
import { startRuns } from "./convergence.js";
import { startSpot } from "./spot.js";
import { startTournament } from "./tournament.js";

const PAGES = { "equiform-explorer": startGame, "equiform-explorer-spot": startSpot, "equiform-explorer-tournament": startTournament, "equiform-explorer-runs": startRuns };

const data = JSON.parse(document.getElementById("data").textContent);
PAGES[data.format](data, (id, content) => document.getElementById(id).replaceChildren(content));
document.documentElement.dataset.ready = "true";
