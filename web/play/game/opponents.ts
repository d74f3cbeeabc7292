/** Players that the page plays: the best for the average, with dice of its own or with the first player's. */
import type { EngineClient } from "../../engine/client";
import { randomDice } from "../../engine/dice";
import type { Kind } from "../../engine/types";
import * as play from "./game";
import type { Table } from "./table";
import { situationOf } from "../learn/situations";

export type Asks = Pick<EngineClient, "advise" | "review">;

/** The game of the player whose turn it is, with one turn more. */
export async function playTurn({ seats, now }: Table, asks: Asks): Promise<play.Game> {
  const seat = seats[now];
  const first = seats[0];
  if (!seat || !first) throw new Error(`${now}`);
  return (seat.kind satisfies Kind) === "shadow" ? shadow(seat.game, first.game, asks) : perfect(seat.game, asks);
}

async function perfect(game: play.Game, { advise }: Asks): Promise<play.Game> {
  const { rules } = game;
  for (let now = game; ;) {
    now = play.throwDice(now, randomDice(play.diceToThrow(now), rules.faces));
    const [best] = (await advise(rules, { ...situationOf(now), details: 0 })).actions;
    if (!best) throw new Error(rules.rules);
    now = play.act(now, best.action);
    if (now.turns !== game.turns) return now;
  }
}

/**
 * The same dice, played perfectly. Dice beyond those that were thrown come from a seed; it is made from the time at which
 * the game began, so that they stay the same from turn to turn.
 */
async function shadow(game: play.Game, first: play.Game, { review }: Asks): Promise<play.Game> {
  const seed = Math.floor(Date.parse(first.about.date ?? "") / 1000) || 0;
  const log = { ...play.toLog(first), seed, game: 0 };
  const { replay } = await review(game.rules, log);
  const turns = play.fromLog(replay.log, game.rules).turns.slice(0, game.turns.length + 1);
  return { ...game, turns, throws: [], previous: [] };
}
