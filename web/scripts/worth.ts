/** What the habits of a file are worth, by the engine: for each, what `yatzy.coach.profile.Worth` has, and seconds. */
import { readFileSync } from "node:fs";
import { worthOf, type Habits } from "../engine/habits";
import { Solver, runToEnd } from "../engine/solve";
import type { GameTables } from "../engine/tables";

const [, , gameFile = "", habitsFile = ""] = process.argv;
const game = JSON.parse(readFileSync(gameFile, "utf8")) as GameTables;
const optimal = new Solver(game, 0).solve();
const players = JSON.parse(readFileSync(habitsFile, "utf8")) as Habits[];
const found = players.map((habits) => {
  const began = performance.now();
  return { ...runToEnd(worthOf(optimal, habits)), seconds: (performance.now() - began) / 1000 };
});
console.log(JSON.stringify(found));
