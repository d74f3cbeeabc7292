/**
 * Situations to practise on, from a seed alone: the same for everybody.
 *
 * A game is played perfectly with the dice of the seed, and its decisions are taken where one choice is right and others are
 * not: those at which the second best costs between `MIN_COST` and `MAX_COST` points.
 */
import type { EngineClient } from "../../engine/client";
import { seededDice } from "../../engine/dice";
import { isFilled } from "../../engine/tables";
import type { Advice, Situation } from "../../engine/types";
import * as play from "../game/game";
import { situationOf } from "../game/game";
import { isOnlyFor, type Rules } from "../game/rules";

export interface Position {
  game: play.Game;
  situation: Situation;
  advice: Advice;
  /** A final score to play for, in place of points. */
  target?: number;
}

export type Advise = EngineClient["advise"];

const MIN_COST = 0.3;
const MAX_COST = 8;

/** Every decision of the perfect game of a seed. */
async function* decisionsOf(rules: Rules, seed: number, advise: Advise): AsyncGenerator<Position> {
  const { dice, faces } = rules;
  let game = play.newGame(rules, null);
  while (!play.isFinished(game)) {
    const n = play.diceToThrow(game);
    const from = { seed, game: 0, dice, faces, throws: (): number => 0 };
    game = play.throwDice(game, seededDice(from, game.turns.length, game.throws.length, n));
    const situation = situationOf(game);
    const advice = await advise(rules, situation);
    yield { game, situation, advice };
    game = play.applyMove(game, advice.actions[0]?.action ?? { keep: [] });
  }
}

/** Is there something to decide: a best choice, and others that cost something but are not absurd? */
export function isQuestion({ advice }: Position): boolean {
  const second = advice.actions.find(({ regret }) => regret > 0)?.regret ?? 0;
  return second >= MIN_COST && second <= MAX_COST;
}

/** Open boxes by their ids. */
const openBoxes = ({ situation }: Position, rules: Rules): number[] =>
  [...rules.categories.keys()].filter((box) => !isFilled(situation.set, box));

/** How many different faces in a row the dice have. */
function longestRun(dice: readonly number[]): number {
  let [longest, run] = [0, 0];
  for (let face = 1; face <= 6; face++) {
    run = dice.includes(face) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

const isBonusRace = (asked: Position, rules: Rules): boolean => {
  const { situation, advice } = asked;
  const chances = advice.actions.slice(0, 3).flatMap(({ bonus_chance: chance }) => chance ?? []);
  const open = openBoxes(asked, rules).filter((box) => rules.categories[box]?.upper).length;
  const spread = Math.max(...chances) - Math.min(...chances);
  return rules.bonus > 0 && open >= 1 && situation.upper < rules.bonus_threshold && spread > 0.03;
};

const isStraight = (asked: Position, rules: Rules): boolean =>
  asked.situation.rerolls > 0 &&
  longestRun(asked.situation.dice) >= 3 &&
  openBoxes(asked, rules).some((box) => isOnlyFor(rules, box, (dice) => longestRun(dice) >= 4));

const isLast = (asked: Position, rules: Rules): boolean => openBoxes(asked, rules).length <= 3;

/** The best is to cross a box out, or to take next to nothing for it. */
const isGivenUp = ({ situation, advice }: Position): boolean => {
  const best = advice.actions[0]?.action;
  return situation.rerolls === 0 && best !== undefined && !best.keep && best.points <= 4;
};

export const DECKS = ["bonus", "straights", "last", "given-up", "target"] as const;
export type Deck = (typeof DECKS)[number];

const FITS: Record<Deck, (asked: Position, rules: Rules) => boolean> = {
  bonus: isBonusRace,
  straights: isStraight,
  last: isLast,
  "given-up": isGivenUp,
  target: (asked, rules) => openBoxes(asked, rules).length <= 5,
};

/** Seeds of ready-made decks begin here, each deck with its own. */
const FIRST_SEED = 1_000_000;
const SEEDS_PER_DECK = 100_000;
const PER_GAME = 2;

/** Is playing for the target something else than playing for points? */
async function forTarget(asked: Position, rules: Rules, advise: Advise): Promise<Position | null> {
  const target = Math.round(asked.situation.points + (asked.advice.value ?? 0)) + 15;
  const advice = await advise(rules, { ...asked.situation, target });
  const [first, second] = advice.actions;
  const gap = (first?.chance ?? 0) - (second?.chance ?? 0);
  const differs = (first?.regret ?? 0) > 0.05;
  return differs && gap > 0.004 ? { ...asked, advice, target } : null;
}

/** The situations of a ready-made deck, one after the other without end; at most two of a game. */
export async function* deckOf(deck: Deck, rules: Rules, advise: Advise): AsyncGenerator<Position> {
  const first = FIRST_SEED + SEEDS_PER_DECK * DECKS.indexOf(deck);
  for (let seed = first; seed < first + SEEDS_PER_DECK; seed++) {
    let taken = 0;
    for await (const asked of decisionsOf(rules, seed, advise)) {
      if (taken >= PER_GAME || !isQuestion(asked) || !FITS[deck](asked, rules)) continue;
      const found = deck === "target" ? await forTarget(asked, rules, advise) : asked;
      if (!found) continue;
      taken++;
      yield found;
    }
  }
}

/** The puzzle of a day, the same for everybody: of that day's game, the decision whose second best costs nearest to a point. */
export async function puzzleOf(date: string, rules: Rules, advise: Advise): Promise<Position> {
  const seed = Number(date.replaceAll("-", ""));
  let found: Position | null = null;
  const off = ({ advice }: Position): number =>
    Math.abs((advice.actions.find(({ regret }) => regret > 0)?.regret ?? Infinity) - 1);
  for await (const asked of decisionsOf(rules, seed, advise))
    if (!found || off(asked) < off(found) - 1e-3) found = asked;
  return found as Position;
}
