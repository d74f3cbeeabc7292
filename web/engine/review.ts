/**
 * Review: what a game owes to its dice, and what to its player. As `yatzy.coach.review`:
 *
 *     luck of a throw      = best(roll after it, rerolls left) - value before it
 *     regret of a decision = best(roll, rerolls left) - value of the action played
 *     start value + sum of luck - sum of regret = final score
 *
 * and the same dice played perfectly: in a reroll, the perfect player throws the dice that were thrown then, in order,
 * and where more are needed, those of the log's seed.
 */
import { choicesOf, keepText, lossWord, scoreText } from "./advise";
import type { Decision, Log, Review, Turn as LoggedTurn, TurnReview, Word } from "./answers";
import { seededDice, type Seeded } from "./dice";
import type { ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { placeAfter, TIE, Turn, valueAt, type Place } from "./turn";

const BIGGEST = 3;

/** A game so far. */
interface Played {
  place: Place;
  /** In the boxes and beside them, the bonus aside. */
  points: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const categoryId = (game: GameTables, name: string): number =>
  game.categories.findIndex((one) => one.category === name);

/** What a turn is scored as, and what follows. */
function endOf(game: GameTables, { place, points }: Played, turn: LoggedTurn): { end: number; after: Played } {
  const roll = tables.keepId(game, turn.rolls.at(-1) ?? []);
  const category = categoryId(game, turn.category);
  const end = tables.allowed(game, place.set, roll).find((one) => game.outcomes.category[one] === category);
  if (end === undefined) throw new Error(`category: '${turn.category}' may not be filled with these dice`);
  const left = game.rerolls + place.saved + 1 - turn.rolls.length;
  const after = { place: placeAfter(game, place, end, left), points: points + tables.pointsOf(game, end) };
  return { end, after };
}

const START: Played = { place: { set: 0, upper: 0, saved: 0 }, points: 0 };

/** What stands on the card and what lies ahead: the bonus is paid at the end, and until then lies ahead. */
function standing(table: ValueTable, { place, points }: Played): Pick<Review, "score" | "bonus" | "value_left"> {
  const { game } = table;
  const isFull = tables.nFilled(game, place.set) === game.categories.length;
  const bonus = isFull && place.upper >= game.bonus_threshold ? game.bonus : 0;
  return { score: points + bonus, bonus, value_left: isFull ? 0 : valueAt(table, place) };
}

/** Every decision of a turn; each luck is that of the throw before it. */
function decisionsOf(table: ValueTable, at: Played, turn: LoggedTurn, number: number): Decision[] {
  const { game } = table;
  const { place, points } = at;
  const all = game.rerolls + place.saved;
  let before = valueAt(table, place);
  const turns = turn.rolls.map((_, throws) => new Turn(table, place, all - throws));
  return turn.rolls.map((dice, throws): Decision => {
    const walked = turns[throws] as Turn;
    const roll = tables.keepId(game, dice);
    const choices = choicesOf(walked, roll);
    const best = Math.max(...choices.map((one) => one.value));
    const kept = turn.keeps[throws];
    const keep = kept ? tables.keepId(game, kept) : -1;
    let value: number;
    let played: string;
    if (!kept) {
      const { end } = endOf(game, at, turn);
      value = walked.pointsOfEnd(end);
      played = scoreText(game, game.outcomes.category[end] ?? 0);
    } else {
      // All dice held: what they are worth with one reroll fewer.
      const next = keep === roll ? choicesOf(turns[throws + 1] as Turn, roll)[0]?.value : undefined;
      value = next ?? walked.pointsOfKeep(keep);
      played = keepText(game, keep);
    }
    const regret = best - value < TIE ? 0 : best - value;
    const [first] = choices;
    const firstText =
      first?.end == null
        ? keepText(game, first?.keep ?? 0)
        : scoreText(game, game.outcomes.category[first.end] ?? 0);
    const decision: Decision = {
      turn: number + 1,
      rerolls: walked.rerolls,
      dice,
      filled: tables.filledNames(game, place.set),
      upper: place.upper,
      ...(game.saves_throws ? { saved: place.saved } : {}),
      expected: points + before,
      luck: best - before,
      played,
      value,
      best: regret ? firstText : played,
      best_value: best,
      regret: Math.max(0, best - value),
      word: lossWord(game.words, regret),
    };
    before = value;
    return decision;
  });
}

export function review(table: ValueTable, log: Log, beyond: number | bigint): Review {
  const { game } = table;
  let at = START;
  const decisions: Decision[] = [];
  const turns = log.turns.map((turn, number): TurnReview => {
    const mine = decisionsOf(table, at, turn, number);
    const { end, after } = endOf(game, at, turn);
    const extra = game.outcomes.extra[end] ?? 0;
    at = after;
    decisions.push(...mine);
    return {
      turn: number + 1,
      category: turn.category,
      points: tables.pointsOf(game, end),
      ...(extra ? { extra } : {}),
      expected: mine[0]?.expected ?? 0,
      luck: sum(mine.map((one) => one.luck)),
      lost: sum(mine.map((one) => one.regret)),
    };
  });
  const words: Record<Word, number> = { perfect: 0, fine: 0, inaccuracy: 0, mistake: 0, blunder: 0 };
  for (const { word } of decisions) words[word]++;
  const lossy = decisions.filter((one) => one.word !== "perfect").sort((a, b) => b.regret - a.regret);
  return {
    rules: game.rules,
    finished: log.turns.length === game.categories.length,
    ...standing(table, at),
    start_value: valueAt(table, START.place),
    luck: sum(decisions.map((one) => one.luck)),
    lost: sum(decisions.map((one) => one.regret)),
    words,
    turns,
    decisions,
    mistakes: lossy.slice(0, BIGGEST),
    replay: replay(table, log, beyond),
  };
}

/** The dice that were thrown then: the roll without what was held. */
function thrownIn(log: Log, turn: number, thrown: number): number[] {
  const played = log.turns[turn];
  const left = [...(played?.rolls[thrown] ?? [])];
  for (const face of thrown ? (played?.keeps[thrown - 1] ?? []) : []) left.splice(left.indexOf(face), 1);
  return left;
}

/** The same dice, played perfectly for as many turns. */
function replay(table: ValueTable, log: Log, beyond: number | bigint): Review["replay"] {
  const { game } = table;
  const seeded: Seeded = {
    seed: log.seed ?? beyond,
    game: log.seed === undefined ? 0 : (log.game ?? 0),
    dice: game.dice,
    faces: game.faces,
    throws: (turn) => game.rerolls + (game.saved[turn] ?? 1),
  };
  const throwDice = (turn: number, thrown: number, n: number): number[] => {
    const known = thrownIn(log, turn, thrown).slice(0, n);
    return known.length < n
      ? [...known, ...seededDice(seeded, turn, thrown, game.dice).slice(known.length, n)]
      : known;
  };
  let at = START;
  const turns = log.turns.map((_, number): LoggedTurn => {
    const all = game.rerolls + at.place.saved;
    const walked = new Turn(table, at.place, all);
    const rolls = [throwDice(number, 0, game.dice)];
    const keeps: number[][] = [];
    let left = all;
    for (; left > 0; left--) {
      const roll = tables.keepId(game, rolls.at(-1) ?? []);
      const keep = walked.held(roll, left);
      if (keep === roll) break;
      const held = inOrder(rolls.at(-1) ?? [], tables.facesOf(game, keep));
      keeps.push(held);
      rolls.push([...held, ...throwDice(number, rolls.length, game.dice - held.length)]);
    }
    const end = walked.chosen(tables.keepId(game, rolls.at(-1) ?? []), game.saves_throws ? left : 0);
    const category = game.categories[game.outcomes.category[end] ?? 0]?.category ?? "";
    const turn = { rolls, keeps, category };
    at = endOf(game, at, turn).after;
    return turn;
  });
  const { score, value_left } = standing(table, at);
  return {
    score,
    value_left,
    log: { format: "yatzy-game", version: 1, rules: game.rules, turns },
  };
}

/** The dice of a keep in the order in which they lie. */
function inOrder(dice: readonly number[], keep: readonly number[]): number[] {
  const left = [...keep];
  return dice.filter((face) => {
    const at = left.indexOf(face);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Of a log without a seed: one made from its dice, as Python makes it; 0 where the browser has no digest. */
export async function seedOf(log: Log): Promise<number | bigint> {
  if (log.seed !== undefined || !globalThis.crypto?.subtle) return log.seed ?? 0;
  const tuple = (items: readonly string[]): string => `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
  const rolls = log.turns.map((turn) => tuple(turn.rolls.map((roll) => tuple(roll.map(String)))));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`[${rolls.join(", ")}]`));
  return new DataView(digest).getBigUint64(0);
}
