/**
 * What the page does for a target while its chances are an estimate: `node estimates.mjs TARGETS GAMES`.
 *
 * Plays that many games for each target, as far as the estimate goes; prints, for each, its decisions: the situation and
 * what was done, as the id of an action.
 */
import { readFileSync } from "node:fs";
import { actionId } from "../engine/advise";
import constants from "../engine/constants.json";
import { seededDice } from "../engine/dice";
import { Engine } from "../engine/engine";
import type { GameTables } from "../engine/tables";
import * as play from "../play/game/game";
import { situationOf } from "../play/game/game";

const [tables = "", targets = "", games = "0"] = process.argv.slice(2);
const rules = JSON.parse(readFileSync(tables, "utf8")) as GameTables;
const engine = new Engine();

async function playOne(target: number, seed: number): Promise<unknown[]> {
  const { dice, faces } = rules;
  const made: unknown[] = [];
  let game = play.newGame(rules, null);
  while (rules.categories.length - game.turns.length > constants.solved_from_here) {
    const from = { seed, game: 0, dice, faces, throws: (): number => 0 };
    game = play.throwDice(game, seededDice(from, game.turns.length, game.throws.length, play.diceToThrow(game)));
    const situation = situationOf(game, target);
    const [best] = (await engine.advise(rules, situation)).actions;
    const action = best?.action ?? { keep: [] };
    made.push({ ...situation, action: actionId(rules, action) });
    game = play.applyMove(game, action);
  }
  return made;
}

const told: Record<string, unknown[]> = {};
for (const target of targets.split(",").map(Number)) {
  const all = [];
  for (let seed = 0; seed < Number(games); seed++) all.push(await playOne(target, seed));
  told[target] = all;
}
console.log(JSON.stringify(told));
