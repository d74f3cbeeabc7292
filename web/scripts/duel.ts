/** Chances to win in the last turns of duels, for a test to compare with its own: `node duel.mjs GAME GIVEN`. */
import { readFileSync } from "node:fs";
import { actionOf, choicesOf } from "../engine/advise";
import { DuelSolver } from "../engine/duel";
import { keepId, type GameTables } from "../engine/tables";
import type { State } from "../engine/types";

interface Given {
  mine: State;
  theirs: State;
  lead: number;
  dice: number[];
  rerolls: number;
}

const read = (path = ""): unknown => JSON.parse(readFileSync(path, "utf8"));
const game = read(process.argv[2]) as GameTables;
const duels = new DuelSolver(game);
const told = (read(process.argv[3]) as Given[]).map(({ mine, theirs, lead, dice, rerolls }) => {
  const turn = duels.turnToWin({ mine, theirs, lead }, rerolls);
  const choices = choicesOf(turn, keepId(game, dice));
  return { value: duels.value(mine), actions: choices.map((one) => [actionOf(game, one), one.value]) };
});
console.log(JSON.stringify(told));
