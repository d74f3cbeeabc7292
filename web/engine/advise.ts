/**
 * Advice in one situation: every action with value and regret, and what the best few lead to. As `yatzy.coach.advice`,
 * from values in float32: what is closer together than `TIE` counts as equal.
 */
import constants from "./constants.json";
import type { ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { TIE, Turn, keepsInside, rowOf, stateAfter } from "./turn";
import type { Action, Advice, AdvisedAction, Move, Situation } from "./types";

// Points lost or ahead as levels, whose words are the view's: as `yatzy.solver.advise` says them.

const { tie, loss, lead } = constants;

const levelOf = (points: number, limits: readonly number[]): number =>
  points <= tie ? 0 : 1 + limits.filter((limit) => points >= limit).length;

/** 0 for perfect, 1 fine, 2 inaccuracy, 3 mistake, 4 blunder. */
export const LOSSES = loss.length + 2;
export const lossLevel = (regret: number): number => levelOf(regret, loss);

/** 0 for equal, 1 close call, 2 clear, 3 obvious; null for the only action. */
export const leadLevel = (ahead: number | undefined): number | null =>
  ahead === undefined ? null : levelOf(ahead, lead);

const FEW = 3;

/** By row of a table and upper total: the chance that the bonus is paid in the end. */
export type BonusChances = (row: number, upper: number) => number;

/** The number of an action: boxes first, then keeps. Dice may be in any order. */
export const actionId = (game: GameTables, action: Move): number =>
  action.keep ? game.categories.length + tables.keepId(game, action.keep) : action.score;

// Actions in words of the log: "keep 3 3", "keep nothing", "score one pair".

const NOTHING = "nothing";

export const moveText = (game: GameTables, { keep, score: box }: Move): string =>
  keep
    ? `keep ${[...keep].sort((a, b) => a - b).join(" ") || NOTHING}`
    : `score ${game.categories[box]?.category}`;

/** The action that a text names; null if it names none. */
export function moveOf(game: GameTables, text: string): Move | null {
  const [, verb, what = ""] = /^(keep|score) (.+)$/.exec(text) ?? [];
  if (verb === "keep") {
    const keep = what === NOTHING ? [] : what.split(" ").map(Number);
    return keep.every((face) => Number.isInteger(face)) && tables.keepId(game, keep) >= 0 ? { keep } : null;
  }
  const score = game.categories.findIndex(({ category }) => verb && category === what);
  return score < 0 ? null : { score };
}

/** An action as the turn knows it: an outcome to score, or a keep to hold. */
export interface Choice {
  end: number | null;
  keep: number;
  value: number;
  regret: number;
}

/** Every action of a roll, best first; equals in the order of boxes and then of keeps. */
export function choicesOf(turn: Turn, roll: number): Choice[] {
  const { game } = turn.table;
  const choices: Choice[] = turn
    .endsOf(roll)
    .map((end) => ({ end, keep: -1, value: turn.pointsOfEnd(end), regret: 0 }));
  if (turn.rerolls)
    for (const keep of keepsInside(game, roll))
      choices.push({ end: null, keep, value: turn.pointsOfKeep(keep), regret: 0 });
  const best = Math.max(...choices.map(({ value }) => value));
  for (const one of choices) one.regret = best - one.value < TIE ? 0 : best - one.value;
  return choices.sort((a, b) => a.regret - b.regret);
}

export function advise(table: ValueTable, asked: Situation, bonus: BonusChances | null): Advice {
  const { game, theta } = table;
  const roll = tables.keepId(game, asked.dice);
  const turn = new Turn(table, asked, asked.rerolls);
  const choices = choicesOf(turn, roll);
  const now = Math.max(...turn.endsOf(roll).map((end) => turn.pointsOfEnd(end)));
  const details = asked.details ?? FEW;
  const actions = choices.map((one, i): AdvisedAction => {
    const { value, regret } = one;
    return { action: actionOf(game, one), value, regret, ...(i < details ? detail(turn, one, now, bonus) : {}) };
  });
  return { theta, value: choices[0]?.value ?? NaN, lead: leadLevel(choices[1]?.regret), actions };
}

export function actionOf(game: GameTables, { end, keep }: Pick<Choice, "end" | "keep">): Action {
  if (end === null) return { keep: tables.facesOf(game, keep) };
  const { category, extra } = game.outcomes;
  return {
    score: category[end] ?? 0,
    points: tables.pointsOf(game, end),
    ...(extra[end] ? { extra: extra[end] } : {}),
  };
}

/** Sums of float64 parts of 1: what is 1 but for rounding is 1. */
const certainty = (prob: number): number => (prob > 1 - 1e-12 ? 1 : prob);

/** What an action leads to if the best play follows. */
function detail(
  turn: Turn,
  { end, keep }: Choice,
  now: number,
  bonus: BonusChances | null,
): Partial<AdvisedAction> {
  const { table, state } = turn;
  const { game } = table;
  const n = game.outcomes.bits.length;
  const levels = turn.exitsAfter(end, keep);
  const probs = new Float64Array(n);
  let [improve, paid] = [0, 0];
  levels.forEach((exits, left) =>
    exits.forEach((prob, one) => {
      if (!prob) return;
      probs[one] = (probs[one] ?? 0) + prob;
      if (turn.pointsOfEndAt(one, left) > now + TIE) improve += prob;
      const after = stateAfter(game, state, one, left);
      // A slope is near 1 where the bonus is made: it is certain.
      const made = after.upper >= game.bonus_threshold;
      if (bonus) paid += prob * (made ? 1 : bonus(rowOf(game, after.set, after.saved), after.upper));
    }),
  );
  const order = [...probs.keys()].filter((one) => probs[one]).sort((a, b) => (probs[b] ?? 0) - (probs[a] ?? 0));
  return {
    ...(bonus ? { bonus_chance: certainty(Math.min(1, Math.max(0, paid))) } : {}),
    improve_chance: improve,
    outcomes: order.map((one) => ({
      category: game.outcomes.category[one] ?? 0,
      points: tables.pointsOf(game, one),
      prob: probs[one] ?? 0,
    })),
  };
}
