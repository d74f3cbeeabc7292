/** What points are called that are lost or ahead, as levels, and from where on chances are solved: `node levels.mjs POINTS`. */
import { leadLevel, lossLevel } from "../engine/advise";
import constants from "../engine/constants.json";

const points = (process.argv[2] ?? "").split(",").map(Number);
const told = { loss: points.map(lossLevel), lead: points.map(leadLevel), only: leadLevel(undefined) };
console.log(JSON.stringify({ ...told, solved_from_here: constants.solved_from_here }));
