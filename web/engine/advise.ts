/**
 * Advice in one situation: every action with value and regret, and what the best few lead to. As `yatzy.coach.advice`,
 * from values in float32: what is closer together than `TIE` counts as equal.
 */
import type { Action, Advice, Lead, Situation, Word } from "./answers";
import type { ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables, Words } from "./tables";
import { keepsInside, placeAfter, rowOf, TIE, Turn, type Place } from "./turn";

const FEW = 3;

/** By row of a table and upper total: the chance that the bonus is paid in the end. */
export type BonusChances = (row: number, upper: number) => number;

/** The state that is meant. */
export const placeOf = (game: GameTables, filled: readonly string[], upper: number, saved = 0): Place => ({
  set: tables.maskOf(game, filled),
  upper,
  saved,
});

export function lossWord({ loss }: Words, regret: number): Word {
  if (regret <= loss.perfect) return "perfect";
  if (regret < loss.fine) return "fine";
  if (regret < loss.inaccuracy) return "inaccuracy";
  return regret < loss.mistake ? "mistake" : "blunder";
}

export function leadWord({ lead }: Words, ahead: number | undefined): Lead {
  if (ahead === undefined) return "only choice";
  if (ahead <= lead.equal) return "equal";
  if (ahead < lead["close call"]) return "close call";
  return ahead < lead.clear ? "clear" : "obvious";
}

export const keepText = (game: GameTables, keep: number): string =>
  `keep ${[...(game.keeps[keep] ?? "")].join(" ") || "nothing"}`;

export const scoreText = (game: GameTables, category: number): string =>
  `score ${game.categories[category]?.category ?? ""}`;

/** An action before it is put into words: an outcome to score, or a keep to hold. */
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

export function advise(
  table: ValueTable,
  { filled, upper, saved, dice, rerolls, details }: Situation,
  bonus: BonusChances | null,
): Advice {
  const { game, theta } = table;
  const place = placeOf(game, filled, upper, saved);
  const roll = tables.keepId(game, dice);
  const turn = new Turn(table, place, rerolls);
  const choices = choicesOf(turn, roll);
  const actions = choices.map((one) => told(game, one));
  const now = Math.max(...turn.endsOf(roll).map((end) => turn.pointsOfEnd(end)));
  actions.slice(0, details ?? FEW).forEach((action, i) => {
    Object.assign(action, detail(turn, choices[i] as Choice, now, bonus));
  });
  return {
    theta,
    value: actions[0]?.value ?? NaN,
    lead: leadWord(game.words, choices[1]?.regret),
    actions,
  };
}

function told(game: GameTables, { end, keep, value, regret }: Choice): Action {
  if (end === null) return { action: keepText(game, keep), value, regret, keep: tables.facesOf(game, keep) };
  const category = game.outcomes.category[end] ?? 0;
  const extra = game.outcomes.extra[end] ?? 0;
  return {
    action: scoreText(game, category),
    value,
    regret,
    category: game.categories[category]?.category ?? "",
    points: tables.pointsOf(game, end),
    ...(extra ? { extra } : {}),
  };
}

/** Sums of float64 parts of 1: what is 1 but for rounding is 1. */
const certainty = (prob: number): number => (prob > 1 - 1e-12 ? 1 : prob);

/** What an action leads to if the best play follows. */
function detail(turn: Turn, { end, keep }: Choice, now: number, bonus: BonusChances | null): Partial<Action> {
  const { table, place } = turn;
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
      const after = placeAfter(game, place, one, left);
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
      category: game.categories[game.outcomes.category[one] ?? 0]?.category ?? "",
      points: tables.pointsOf(game, one),
      prob: probs[one] ?? 0,
    })),
  };
}
