/**
 * Review: what a game owes to its dice, and what to its player. As `yatzy.coach.review`:
 *
 *     luck of a throw      = best(roll after it, rerolls left) - value before it
 *     regret of a decision = best(roll, rerolls left) - value of the action played
 *     start value + sum of luck - sum of regret = final score
 *
 * Where the coach warned, the regret is that of what was wanted first; what the warning spared is added on the left.
 *
 * and the same dice played perfectly: in a reroll, the perfect player throws the dice that were thrown then, in order,
 * and where more are needed, those of the log's seed; by die (`dice`), each die that is thrown shows what the seed says.
 */
import { LOSSES, actionOf, choicesOf, lossLevel, moveOf, type Choice } from "./advise";
import { heldBy, seededDice, seededThrow, type SeededGame } from "./dice";
import type { ValueTable } from "./solve";
import { cardAt, nBefore, rerollsAt } from "./start";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { TIE, Turn, stateAfter, valueAt } from "./turn";
import type { Card, Decision, GameLog, Review, Turn as LoggedTurn, TurnReview } from "./types";

const BIGGEST = 3;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The card after a turn that ends so, with this many rerolls left. */
export function cardAfter(game: GameTables, card: Card, end: number, left: number): Card {
  return { ...stateAfter(game, card, end, left), points: card.points + tables.pointsOf(game, end) };
}

/** How a turn ended. */
export function endOf(game: GameTables, { set }: Card, { rolls, category }: LoggedTurn): number {
  const roll = tables.keepId(game, rolls.at(-1) ?? []);
  const box = game.categories.findIndex((one) => one.category === category);
  const end = tables.allowed(game, set, roll).find((one) => game.outcomes.category[one] === box);
  if (end === undefined) throw new Error(`category: '${category}' may not be filled with these dice`);
  return end;
}

/** What stands on the card and what lies ahead: the bonus is paid at the end, and until then lies ahead. */
function standing(table: ValueTable, card: Card): Pick<Review, "score" | "bonus" | "value_left"> {
  const { game } = table;
  const isFull = tables.nFilled(game, card.set) === game.categories.length;
  const bonus = isFull && card.upper >= game.bonus_threshold ? game.bonus : 0;
  return { score: card.points + bonus, bonus, value_left: isFull ? 0 : valueAt(table, card) };
}

/** Every decision of a turn that begins with so many rerolls; each luck is that of the throw before it. */
function decisionsOf(
  table: ValueTable,
  card: Card,
  turn: LoggedTurn,
  [number, rerolls, given]: [number: number, rerolls: number, given: boolean],
): Decision[] {
  const { game } = table;
  const { points, ...state } = card;
  let before = valueAt(table, state);
  const turns = turn.rolls.map((_, throws) => new Turn(table, state, rerolls - throws));
  return turn.rolls.map((dice, throws): Decision => {
    const walked = turns[throws] as Turn;
    const roll = tables.keepId(game, dice);
    const choices = choicesOf(walked, roll);
    const kept = turn.keeps[throws];
    const keep = kept ? tables.keepId(game, kept) : -1;
    const end = kept ? null : endOf(game, card, turn);
    // All dice held: what they are worth with one reroll fewer.
    const passed = keep === roll ? choicesOf(turns[throws + 1] as Turn, roll)[0]?.value : undefined;
    const value = passed ?? (end === null ? walked.pointsOfKeep(keep) : walked.pointsOfEnd(end));
    const best = Math.max(...choices.map((one) => one.value));
    // Nobody knows what luck the dice were with which a game was taken over.
    if (given && !throws) before = best;
    const lost = best - value < TIE ? 0 : best - value;
    const played = actionOf(game, { end, keep });
    const wanted = wantedFrom(game, choices, turn.wanted?.[throws]);
    const regret = wanted ? wanted.regret : lost;
    const decision: Decision = {
      ...state,
      turn: number,
      rerolls: walked.rerolls,
      dice,
      expected: points + before,
      luck: best - before,
      played,
      value,
      best: lost && choices[0] ? actionOf(game, choices[0]) : played,
      best_value: best,
      regret: wanted ? regret : Math.max(0, best - value),
      loss: lossLevel(regret),
      ...(choices[1] ? { lead: choices[1].regret } : {}),
      ...(wanted ? { wanted: actionOf(game, wanted), spared: regret - Math.max(0, best - value) } : {}),
    };
    before = value;
    return decision;
  });
}

/** What was wanted first, if the coach warned. */
function wantedFrom(game: GameTables, choices: readonly Choice[], text: string | null | undefined): Choice | null {
  const move = text ? moveOf(game, text) : null;
  if (!move) return null;
  const keep = move.keep ? tables.keepId(game, move.keep) : -1;
  const isIt = (one: Choice): boolean =>
    move.keep ? one.keep === keep : one.end !== null && game.outcomes.category[one.end] === move.score;
  return choices.find(isIt) ?? null;
}

export function review(table: ValueTable, log: GameLog, beyond: number | bigint): Review {
  const { game } = table;
  const { start } = log;
  let at = cardAt(game, start);
  const { score, value_left } = standing(table, at);
  const decisions: Decision[] = [];
  const turns = log.turns.map((turn, i): TurnReview => {
    const [number, rerolls] = [nBefore(log) + i + 1, rerollsAt(game, start, i, at.saved)];
    const mine = decisionsOf(table, at, turn, [number, rerolls, i === 0 && start?.rerolls !== undefined]);
    const end = endOf(game, at, turn);
    const extra = game.outcomes.extra[end] ?? 0;
    at = cardAfter(game, at, end, rerolls + 1 - turn.rolls.length);
    decisions.push(...mine);
    return {
      turn: number,
      category: game.outcomes.category[end] ?? 0,
      points: tables.pointsOf(game, end),
      ...(extra ? { extra } : {}),
      expected: mine[0]?.expected ?? 0,
      luck: sum(mine.map((one) => one.luck)),
      lost: sum(mine.map((one) => one.regret)),
      spared: sum(mine.map((one) => one.spared ?? 0)),
    };
  });
  const losses = new Array<number>(LOSSES).fill(0);
  for (const { loss } of decisions) losses[loss] = (losses[loss] ?? 0) + 1;
  const lossy = decisions.filter(({ loss }) => loss).sort((a, b) => b.regret - a.regret);
  return {
    ...standing(table, at),
    start_value: decisions[0]?.expected ?? score + value_left,
    luck: sum(decisions.map((one) => one.luck)),
    lost: sum(decisions.map((one) => one.regret)),
    spared: sum(decisions.map((one) => one.spared ?? 0)),
    losses,
    turns,
    decisions,
    mistakes: lossy.slice(0, BIGGEST),
    replay: replay(table, log, beyond),
  };
}

/** The dice that were thrown then: the roll without what was held. */
function thrownIn(log: GameLog, turn: number, thrown: number): number[] {
  const { rolls, keeps } = log.turns[turn] ?? { rolls: [], keeps: [] };
  const dice = rolls[thrown] ?? [];
  const held = heldBy(dice, keeps[thrown - 1] ?? []);
  return dice.filter((_, i) => !held[i]);
}

/** The same dice, played perfectly for as many turns. */
function replay(table: ValueTable, log: GameLog, beyond: number | bigint): Review["replay"] {
  const { game } = table;
  const seeded: SeededGame = {
    seed: log.seed ?? beyond,
    game: log.seed === undefined ? 0 : (log.game ?? 0),
    dice: game.dice,
    faces: game.faces,
    throws: (turn) => game.rerolls + (game.saved[turn] ?? 1),
  };
  const throwDice = (turn: number, thrown: number, held: readonly boolean[]): number[] => {
    if (log.scheme) return seededThrow({ ...seeded, scheme: log.scheme }, [nBefore(log) + turn, thrown], held);
    const n = held.filter((stays) => !stays).length;
    const known = thrownIn(log, turn, thrown).slice(0, n);
    return known.length < n
      ? [...known, ...seededDice(seeded, nBefore(log) + turn, thrown, game.dice).slice(known.length, n)]
      : known;
  };
  const { start } = log;
  let at = cardAt(game, start);
  const turns = log.turns.map((_, number): LoggedTurn => {
    const all = rerollsAt(game, start, number, at.saved);
    const walked = new Turn(table, at, all);
    const rolls = [throwDice(number, 0, new Array<boolean>(game.dice).fill(false))];
    const keeps: number[][] = [];
    let left = all;
    for (; left > 0; left--) {
      const roll = tables.keepId(game, rolls.at(-1) ?? []);
      const keep = walked.held(roll, left);
      if (keep === roll) break;
      const last = rolls.at(-1) ?? [];
      const places = heldBy(last, tables.facesOf(game, keep));
      const held = last.filter((_, i) => places[i]);
      const thrown = throwDice(number, rolls.length, places);
      keeps.push(held);
      rolls.push(
        log.scheme ? last.map((face, i) => (places[i] ? face : (thrown.shift() ?? 0))) : [...held, ...thrown],
      );
    }
    const end = walked.chosen(tables.keepId(game, rolls.at(-1) ?? []), game.saves_throws ? left : 0);
    const category = game.categories[game.outcomes.category[end] ?? 0]?.category ?? "";
    at = cardAfter(game, at, end, all + 1 - rolls.length);
    return { rolls, keeps, category };
  });
  const { score, value_left } = standing(table, at);
  return {
    score,
    value_left,
    log: { format: "yatzy-game", version: 1, rules: game.rules, ...(start ? { start } : {}), turns },
  };
}

/** The perfect game of a seed. */
export function seededGame(table: ValueTable, seed: number): GameLog {
  const turns = table.game.categories.map(({ category }) => ({ rolls: [], keeps: [], category }));
  return replay(table, { format: "yatzy-game", version: 1, rules: table.game.rules, turns }, seed).log;
}

/** Of a log without a seed: one made from its dice, as Python makes it; 0 where the browser has no digest. */
export async function seedOf(log: GameLog): Promise<number | bigint> {
  if (log.seed !== undefined || !globalThis.crypto?.subtle) return log.seed ?? 0;
  const tuple = (items: readonly string[]): string => `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
  const rolls = log.turns.map((turn) => tuple(turn.rolls.map((roll) => tuple(roll.map(String)))));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`[${rolls.join(", ")}]`));
  return new DataView(digest).getBigUint64(0);
}
