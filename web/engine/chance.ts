/**
 * Actions by the chance of a target: exact where it is solved from here (`target`), an estimate before that.
 *
 * The estimate takes what is to come after an outcome, under play for the mean, as normal with the bonus and as normal
 * without it, one bonus apart, with the spread that is left; and play for the target as better by a share of that spread:
 *
 *     chance = B * Phi(z with the bonus + GAIN) + (1 - B) * Phi(z without it + GAIN),      B the chance of the bonus
 */
import { actionId, actionOf, advise, choicesOf, leadLevel } from "./advise";
import constants from "./constants.json";
import type { ByState } from "./derivatives";
import type { ValueTable } from "./solve";
import * as tables from "./tables";
import type { TargetSolver } from "./target";
import { Turn, rowOf, stateAfter, valueAt } from "./turn";
import type { Advice, Card, Chance, Situation, State } from "./types";

/** Chances in float32 that are closer together than this are equal. */
const CHANCE_TIE = constants.chance_tie;

/** What playing for a target is worth, in standard deviations: measured for Scandinavian Yatzy (docs/page.md). */
const GAIN = 0.22;

/** The chance after a turn, of a place and what is still needed then. */
export type ChanceAfter = (state: State, need: number) => number;

export const exactChance =
  (reach: TargetSolver): ChanceAfter =>
  (state, need) =>
    reach.chance(state, need);

export function estimatedChance(table: ValueTable, spread: ByState, bonus: ByState): ChanceAfter {
  const { game } = table;
  return (state, need) => {
    const row = rowOf(game, state.set, state.saved);
    const [over, wide] = [valueAt(table, state) - need + 0.5, spread(row, state.upper)];
    const paid = game.bonus ? bonus(row, state.upper) : 0;
    // The bonus is part of the spread; what is left of it is never taken for less than half.
    const rest = Math.sqrt(Math.max(wide ** 2 - paid * (1 - paid) * game.bonus ** 2, (wide / 2) ** 2, 0.25));
    const chance = (more: number): number => normal((over + more) / rest + GAIN);
    return paid * chance((1 - paid) * game.bonus) + (1 - paid) * chance(-paid * game.bonus);
  };
}

/** The chance to win as a mixture of targets: each score counts with what it adds to the chance that it wins. */
export function mixtureOfTargets(one: ChanceAfter, scores: readonly number[]): ChanceAfter {
  const certain = scores.length - 1;
  const steps = scores
    .map((wins, score) => ({ below: certain - score, adds: wins - (scores[score - 1] ?? 0) }))
    .filter(({ adds }) => adds > 1e-6);
  return (state, need) => steps.reduce((sum, { below, adds }) => sum + adds * one(state, need - below), 0);
}

/** P(standard normal <= z), within 1e-7 (Abramowitz and Stegun 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return z >= 0 ? 1 - tail : tail;
}

/** The turn of a state as it is played for the chance of `need` more points. */
export function turnFor(table: ValueTable, state: State, rerolls: number, need: number, after: ChanceAfter): Turn {
  const { game } = table;
  return new Turn(table, state, rerolls, (end) =>
    after(stateAfter(game, state, end, 0), need - tables.pointsOf(game, end)),
  );
}

/** The greatest chance before the dice are thrown. */
export function chanceOf(
  table: ValueTable,
  card: Card,
  target: number,
  after: ChanceAfter,
  exact: boolean,
): Chance {
  const { game } = table;
  const need = target - card.points;
  if (tables.nFilled(game, card.set) === game.categories.length) {
    const bonus = card.upper >= game.bonus_threshold ? game.bonus : 0;
    return { target, need, chance: bonus >= need ? 1 : 0, exact: true };
  }
  const turn = turnFor(table, card, game.rerolls + 1, need, after);
  return { target, need, chance: turn.pointsOfKeep(tables.latticeOf(game).nKeeps - 1), exact };
}

/** Every action by its chance, equals by their value for the mean. */
export function adviseForTarget(
  table: ValueTable,
  asked: Situation & { target: number },
  after: ChanceAfter,
  exact: boolean,
): Advice {
  const { game } = table;
  const need = asked.target - asked.points;
  const mean = advise(table, { ...asked, details: 0 }, null);
  const turn = turnFor(table, asked, asked.rerolls, need, after);
  const roll = tables.keepId(game, asked.dice);
  const chances = new Map(choicesOf(turn, roll).map((one) => [actionId(game, actionOf(game, one)), one.value]));
  const actions = mean.actions.map((one) => {
    const chance = chances.get(actionId(game, one.action)) ?? 0;
    return { ...one, chance: Math.min(1, Math.max(0, chance)) };
  });
  actions.sort((a, b) => (Math.abs(b.chance - a.chance) > CHANCE_TIE ? b.chance - a.chance : b.value - a.value));
  const [best, second] = actions;
  const ahead = best && second ? 100 * (best.chance - second.chance) : undefined;
  return {
    ...mean,
    lead: leadLevel(ahead !== undefined && ahead < 100 * CHANCE_TIE ? 0 : ahead),
    actions,
    goal: { target: asked.target, need, chance: best?.chance ?? 0, exact },
  };
}
