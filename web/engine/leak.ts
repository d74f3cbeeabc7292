/**
 * Leaks: habits that cost somebody points, told apart from chance. As `yatzy.coach.leak`, which says what a habit is, when a
 * mistake follows it, with whom somebody is compared, and how sure one has to be.
 */
import { moveOf } from "./advise";
import { heldBy } from "./dice";
import constants from "./leak.json";
import deck from "../../src/yatzy/coach/deck.json";
import { cardAfter, endOf, seededGame } from "./review";
import type { Steps, ValueTable } from "./solve";
import { cardAt, rerollsAt } from "./start";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { Turn, keepsInside, stateAfter, valueAt } from "./turn";
import type { GameLog, Leak, LeakName, Leaks, Move, State, Throw } from "./types";

const NOTHING = 1e-6;
const { same: SAME, pair: PAIR, crossed: CROSSED, later: LATER, alike: ALIKE, straight: STRAIGHT } = constants;
const [LEAST_BETA = 0, MOST_BETA = 0] = constants.betas;
const HALVINGS = 40;

/** An answer to a question. */
export interface Answer extends State {
  dice: readonly number[];
  rerolls: number;
  given: Move;
}

/** A decision: what every choice is behind the best, and by belief how much more it looks worth to who holds it. */
interface Evidence {
  left: number;
  behind: number[];
  pulls: (number[] | null)[];
  chosen: number;
  game: number;
}

/** The belief of a habit, by its place, and whether it is held or the opposite is. */
export function beliefOf(name: LeakName): [belief: number, sign: number] {
  const place = (constants.names as LeakName[]).indexOf(name);
  return [place >> 1, place % 2 ? -1 : 1];
}

/** Boxes in which only such dice score on an empty card. */
function boxesOnlyFor(game: GameTables, fits: (dice: readonly number[]) => boolean): Set<number> {
  const readings = [...game.ways.keys()].map((roll) => game.readings[tables.readingOf(game, 0, roll)] ?? []);
  const scoring = (box: number): number[] =>
    [...game.ways.keys()].filter((roll) => game.outcomes.points[readings[roll]?.[box] ?? -1]);
  const isOne = (box: number): boolean => {
    const rolls = scoring(box);
    return rolls.length > 0 && rolls.every((roll) => fits(tables.facesOf(game, roll)));
  };
  return new Set([...game.categories.keys()].filter(isOne));
}

const isAlike = (dice: readonly number[]): boolean => new Set(dice).size === 1;

/** A run of so many faces. */
const hasRun = (dice: readonly number[], n: number): boolean =>
  dice.some((face) => Array.from({ length: n }, (_, i) => face + i).every((one) => dice.includes(one)));

const most = (dice: readonly number[]): number =>
  Math.max(0, ...dice.map((face) => dice.filter((one) => one === face).length));

/** Works out decisions of one game; `without` is the game without its bonus, if it has one. */
export class Believers {
  private readonly game: GameTables;
  private readonly times: (number[] | null)[];
  private readonly alike: number[];

  constructor(
    readonly table: ValueTable,
    private readonly without: ValueTable | null,
  ) {
    const { game } = table;
    this.game = game;
    const run = Math.max(game.dice - 1, 3);
    const boxes = [boxesOnlyFor(game, isAlike), boxesOnlyFor(game, (dice) => hasRun(dice, run))];
    this.times = boxes.map((all, i) =>
      all.size ? game.outcomes.category.map((box) => (all.has(box) ? ([ALIKE, STRAIGHT][i] ?? 1) : 1)) : null,
    );
    this.alike = game.keeps.map((_, keep) => most(tables.facesOf(game, keep)));
  }

  /** The turn as it is, and as it looks by every belief about its ends: bonus, all alike, straights, later points. */
  turns(state: State, rerolls: number): (Turn | null)[] {
    const { game, table, without } = this;
    const after = (values: ValueTable, end: number): number => valueAt(values, stateAfter(game, state, end, 0));
    const points = (end: number): number => tables.pointsOf(game, end);
    const looks = (worth: (end: number) => number): Turn => new Turn(table, state, rerolls, worth);
    const [alike, straight] = this.times;
    return [
      new Turn(table, state, rerolls),
      without && looks((end) => points(end) + after(without, end)),
      alike ? looks((end) => points(end) * (alike[end] ?? 1) + after(table, end)) : null,
      straight ? looks((end) => points(end) * (straight[end] ?? 1) + after(table, end)) : null,
      looks((end) => points(end) + LATER * after(table, end)),
    ];
  }

  /** A decision in a turn; null if there was none, or nothing is known of it. */
  decision(
    turns: (Turn | null)[],
    roll: number,
    left: number,
    given: Move | null,
    number: number,
  ): Evidence | null {
    const { game } = this;
    const plain = turns[0] as Turn;
    const ends = plain.endsOf(roll);
    const keeps = left ? [...keepsInside(game, roll)] : [];
    const worth = (turn: Turn): number[] => [
      ...ends.map((end) => turn.pointsOfEnd(end)),
      ...keeps.map((keep) => turn.pointsOfKeep(keep, left)),
    ];
    const chosen = given?.keep
      ? ends.length + keeps.indexOf(tables.keepId(game, given.keep))
      : ends.findIndex((end) => game.outcomes.category[end] === given?.score);
    if (given && (chosen < 0 || (given.keep && chosen < ends.length))) return null;
    const values = worth(plain);
    if (values.length < 2) return null;
    const best = Math.max(...values);
    const pulls = turns.slice(1).map((turn) => turn && worth(turn).map((value, i) => value - (values[i] ?? 0)));
    const breaks = (this.alike[roll] ?? 0) >= 2;
    const pairs = keeps.map((keep) => (breaks && (this.alike[keep] ?? 0) < 2 ? PAIR : 0));
    const crossing = ends.map((end) => (tables.pointsOf(game, end) ? 0 : -CROSSED));
    pulls.push([...ends.map(() => 0), ...pairs], [...crossing, ...keeps.map(() => 0)]);
    return { left: Math.min(left, 2), behind: values.map((one) => best - one), pulls, chosen, game: number };
  }

  /** Every decision of a game for the mean. */
  *inGame(log: GameLog, number: number): Steps<Evidence[]> {
    const { game } = this;
    const found: Evidence[] = [];
    let at = cardAt(game, log.start);
    for (const [i, turn] of log.turns.entries()) {
      const all = rerollsAt(game, log.start, i, at.saved);
      const turns = this.turns(at, all);
      turn.rolls.forEach((dice, thrown) => {
        if (turn.goals?.[thrown]) return;
        const wanted = turn.wanted?.[thrown];
        const kept = turn.keeps[thrown];
        const played = kept ? { keep: kept } : { score: game.outcomes.category[endOf(game, at, turn)] ?? -1 };
        const given = (wanted ? moveOf(game, wanted) : null) ?? played;
        const one = this.decision(turns, tables.keepId(game, dice), all - thrown, given, number);
        if (one) found.push(one);
      });
      at = cardAfter(game, at, endOf(game, at, turn), all + 1 - turn.rolls.length);
      yield 0;
    }
    return found;
  }

  /** An answer to a question. */
  answered({ dice, rerolls, given, ...state }: Answer): Evidence | null {
    return this.decision(this.turns(state, rerolls), tables.keepId(this.game, dice), rerolls, given, -1);
  }
}

/** By choice the chance that a player as strong and without habits takes it. */
function chancesOf(all: readonly Evidence[]): number[][] {
  const chances = new Map<Evidence, number[]>();
  for (const mine of classesOf(all)) {
    const lost = mine.reduce((sum, { behind, chosen }) => sum + (behind[chosen] ?? 0), 0);
    let [low, high] = [LEAST_BETA, MOST_BETA];
    for (let i = 0; i < HALVINGS; i++) {
      const beta = Math.sqrt(low * high);
      let expected = 0;
      for (const one of mine) {
        const weights = one.behind.map((behind) => Math.exp(-beta * behind));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const likely = weights.map((weight) => weight / total);
        chances.set(one, likely);
        expected += mean(likely, one.behind);
      }
      if (expected > lost) low = beta;
      else high = beta;
    }
  }
  return all.map((one) => chances.get(one) ?? []);
}

const classesOf = (all: readonly Evidence[]): Evidence[][] =>
  [0, 1, 2].map((left) => all.filter((one) => one.left === left)).filter((mine) => mine.length);

const mean = (chances: readonly number[], values: readonly number[]): number =>
  chances.reduce((sum, chance, i) => sum + chance * (values[i] ?? 0), 0);

/** The mistakes that look better than every best choice to who is pulled so, by choice. */
function follows({ behind }: Evidence, pull: readonly number[]): boolean[] {
  const best = Math.max(...pull.filter((_, i) => (behind[i] ?? 0) < SAME));
  return behind.map((one, i) => one >= SAME && (pull[i] ?? 0) - best > one + SAME);
}

/** What is lost by what looks best to who is pulled so. */
function lostBy({ behind }: Evidence, pull: readonly number[]): number {
  const looks = behind.map((one, i) => (pull[i] ?? 0) - one);
  return behind[looks.indexOf(Math.max(...looks))] ?? 0;
}

/** How sure a pull is, and how strong the evidence. */
function scoreTest(
  all: readonly Evidence[],
  chances: readonly number[][],
  pulls: readonly (readonly number[])[],
): [z: number, strength: number] {
  let [total, variance, squares] = [0, 0, 0];
  for (const left of [0, 1, 2]) {
    const rows = all.flatMap((one, i) => {
      if (one.left !== left) return [];
      const [likely, pull] = [chances[i] ?? [], pulls[i] ?? []];
      const square = (a: readonly number[], b: readonly number[]): number =>
        likely.reduce((sum, chance, j) => sum + chance * (a[j] ?? 0) * (b[j] ?? 0), 0);
      const [pulled, lost] = [mean(likely, pull), mean(likely, one.behind)];
      return {
        more: (pull[one.chosen] ?? 0) - pulled,
        lost: (one.behind[one.chosen] ?? 0) - lost,
        pull: square(pull, pull) - pulled ** 2,
        behind: square(one.behind, one.behind) - lost ** 2,
        both: square(pull, one.behind) - pulled * lost,
      };
    });
    const sum = (of: "pull" | "behind" | "both"): number => rows.reduce((all, row) => all + row[of], 0);
    const slope = sum("both") / Math.max(sum("behind"), NOTHING);
    variance += sum("pull") - slope * sum("both");
    for (const { more, lost } of rows) {
      total += more - slope * lost;
      squares += (more - slope * lost) ** 2;
    }
  }
  if (variance < NOTHING) return [0, 0];
  return [total / Math.sqrt(Math.max(variance, squares)), total / Math.sqrt(variance)];
}

/** Half of the 95% interval of a mean; null for a single number. */
function halfInterval(values: readonly number[]): number | null {
  const n = values.length;
  if (n < 2) return null;
  const average = values.reduce((sum, one) => sum + one, 0) / n;
  const variance = values.reduce((sum, one) => sum + (one - average) ** 2, 0) / (n - 1);
  return (constants.t95[n - 2] ?? constants.t95.at(-1) ?? 0) * Math.sqrt(variance / n);
}

/** What all decisions say of one habit; null where a game has no place for it. */
function leakOf(
  all: readonly Evidence[],
  chances: readonly number[][],
  habit: LeakName,
  games: number,
): { leak: Leak; strength: number } | null {
  const [belief, sign] = beliefOf(habit);
  if (all.some(({ pulls }) => !pulls[belief])) return null;
  const pulls = all.map(({ pulls }) => (pulls[belief] ?? []).map((pull) => sign * pull));
  const by = new Array<number>(games).fill(0);
  let [lost, usual, tempted, mistakes, expected] = [0, 0, 0, 0, 0];
  const whereItCosts: number[] = [];
  all.forEach((one, i) => {
    const wrong = follows(one, pulls[i] ?? []);
    const made = wrong[one.chosen] ? (one.behind[one.chosen] ?? 0) : 0;
    const likely = (chances[i] ?? []).map((chance, j) => (wrong[j] ? chance : 0));
    tempted += wrong.some(Boolean) ? 1 : 0;
    mistakes += wrong[one.chosen] ? 1 : 0;
    expected += likely.reduce((sum, chance) => sum + chance, 0);
    if (lostBy(one, pulls[i] ?? []) >= deck.hard_below) whereItCosts.push(one.behind[one.chosen] ?? 0);
    if (one.game < 0) return;
    const other = mean(likely, one.behind);
    lost += made;
    usual += other;
    by[one.game] = (by[one.game] ?? 0) + made - other;
  });
  const [z, strength] = scoreTest(all, chances, pulls);
  const n = Math.max(games, 1);
  const leak: Leak = {
    habit,
    lost: lost / n,
    usual: usual / n,
    within: halfInterval(by),
    tempted,
    mistakes,
    expected,
    z,
    costs: (lost - usual) / n,
    lost_each: whereItCosts.reduce((sum, one) => sum + one, 0) / Math.max(whereItCosts.length, 1),
  };
  return { leak, strength };
}

/** Which habit costs whoever played these games most, if that is no chance. */
export function* leaksIn(
  believers: Believers,
  games: readonly GameLog[],
  answers: readonly Answer[],
): Steps<Leaks> {
  const all = answers.flatMap((one) => believers.answered(one) ?? []);
  for (const [i, log] of games.entries()) {
    const steps = believers.inGame(log, i);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        all.push(...step.value);
        break;
      }
      yield i / games.length;
    }
  }
  const chances = chancesOf(all);
  const found = (constants.names as LeakName[]).flatMap((name) => leakOf(all, chances, name, games.length) ?? []);
  const habits = found.map(({ leak }) => leak).sort((a, b) => b.costs - a.costs);
  const lost = all.reduce((sum, one) => sum + (one.game < 0 ? 0 : (one.behind[one.chosen] ?? 0)), 0);
  const missing = Math.max(constants.min_games - games.length, 0);
  const [sure] = found
    .filter(({ leak: { z, costs } }) => !missing && z > constants.sure && costs > constants.least)
    .sort((a, b) => b.strength - a.strength);
  return {
    games: games.length,
    decisions: all.length,
    lost: lost / Math.max(games.length, 1),
    habits,
    missing,
    ...(sure ? { found: sure.leak } : {}),
  };
}

/** A situation to train on: the log up to it, and the throws of its turn. */
export interface Training {
  log: GameLog;
  throws: Throw[];
  /** Is it one in which the habit costs? Else it is right. */
  costs: boolean;
}

/**
 * Every situation of the perfect game of a seed in which a habit costs `limit` points or more, or is right where the opposite
 * costs as much: perfect play comes to each as often as it should.
 */
export function* trainingIn(
  believers: Believers,
  habit: LeakName,
  seed: number,
  limit: number,
): Steps<Training[]> {
  const { table } = believers;
  const { game } = table;
  const [belief, sign] = beliefOf(habit);
  const log = seededGame(table, seed);
  const found: Training[] = [];
  let at = cardAt(game, undefined);
  for (const [i, turn] of log.turns.entries()) {
    const turns = believers.turns(at, game.rerolls);
    turn.rolls.forEach((dice, thrown) => {
      const one = believers.decision(turns, tables.keepId(game, dice), game.rerolls - thrown, null, -1);
      const pull = one?.pulls[belief];
      if (!one || !pull) return;
      const taken = (way: number): number =>
        lostBy(
          one,
          pull.map((points) => way * points),
        );
      const [cost, other] = [taken(sign), taken(-sign)];
      if (cost < limit && (cost >= SAME || other < limit)) return;
      const throws = turn.rolls.slice(0, thrown + 1).map((roll, n): Throw => {
        const kept = n < thrown ? (turn.keeps[n] ?? []) : (turn.keeps[n - 1] ?? []);
        return { dice: [...roll], held: heldBy(roll, kept) };
      });
      found.push({ log: { ...log, turns: log.turns.slice(0, i) }, throws, costs: cost >= limit });
    });
    at = cardAfter(game, at, endOf(game, at, turn), 0);
    yield i / log.turns.length;
  }
  return found;
}
