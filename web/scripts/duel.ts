/** Chances to win in the last turns of duels, for a test to compare with its own: `node duel.mjs GAME GIVEN`. */
import { readFileSync } from "node:fs";
import { choicesOf, keepText, placeOf, scoreText } from "../engine/advise";
import { Duels } from "../engine/duel";
import { keepId, type GameTables } from "../engine/tables";

interface Given {
  mine: string[];
  mine_upper: number;
  theirs: string[];
  theirs_upper: number;
  lead: number;
  dice: number[];
  rerolls: number;
}

const read = (path = ""): unknown => JSON.parse(readFileSync(path, "utf8"));
const game = read(process.argv[2]) as GameTables;
const duels = new Duels(game);
const told = (read(process.argv[3]) as Given[]).map((one) => {
  const [mine, theirs] = [placeOf(game, one.mine, one.mine_upper), placeOf(game, one.theirs, one.theirs_upper)];
  const turn = duels.turnToWin({ mine, theirs, lead: one.lead }, one.rerolls);
  const actions = choicesOf(turn, keepId(game, one.dice)).map(({ end, keep, value }) => [
    end === null ? keepText(game, keep) : scoreText(game, game.outcomes.category[end] ?? 0),
    value,
  ]);
  return { value: duels.value(mine), actions: Object.fromEntries(actions) as Record<string, number> };
});
console.log(JSON.stringify(told));
