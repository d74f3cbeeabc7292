/**
 * Which player answers like this: habits fitted to answers, as `yatzy.coach.profile` does it.
 *
 *     ln P(answers | theta, gamma, depth, beta) = sum over answers of -beta x - ln(sum over choices of exp(-beta x))
 *
 * with x the points that a choice looks behind the best. The quiz (`yatzy.coach.quiz`) has x for every choice and
 * every player of a grid, so that this is all there is to do: no game is solved.
 */
import { outlookFrom } from "./outlook";
import { SoftmaxCode, filledBox, softmaxLayout } from "./softmax-code";
import { Solver, rowLayout, type RowLayout, type Steps, type ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { instantiate, type Functions } from "./turn-code";
import { FOUR, ONE_DOUBLE, TWO, hasVectors, type Doubles } from "./wasm";

export interface Quiz {
  rules: string;
  thetas: number[];
  gammas: number[];
  depths: number[];
  betas: number[];
  steps_per_point: number;
  questions: {
    situation: string;
    choices: string[];
    tells: number;
    /** By theta, gamma, depth and choice, in steps. */
    behind: number[][][][];
  }[];
}

/** Means and standard deviations under the likeliest depth; of beta the factor that it is uncertain by. */
export interface FittedHabits extends Habits {
  spread: { theta: number; beta: number; gamma: number };
  /** How likely each depth is. */
  depths: number[];
  /** Of these all that is known is that they lie at an end of the scale, or beyond it. */
  atEnd: string[];
}

/** Choices by the number of their question; not all have to be answered, but one has to. */
export type Answers = ReadonlyMap<number, number>;

/** Of one end of a scale. */
const NEARLY_SURE = 0.9;

interface Player {
  theta: number;
  gamma: number;
  logBeta: number;
  depth: number;
  likelihood: number;
}

function logChance(behind: readonly number[], choice: number, beta: number, steps: number): number {
  const total = behind.reduce((sum, x) => sum + Math.exp((-beta * x) / steps), 0);
  return (-beta * (behind[choice] ?? NaN)) / steps - Math.log(total);
}

/** Every player of the grid, with the logarithm of how likely the answers are for him. */
function* players(quiz: Quiz, answers: Answers): Generator<Player> {
  for (const [i, theta] of quiz.thetas.entries())
    for (const [j, gamma] of quiz.gammas.entries())
      for (const depth of quiz.depths.keys())
        for (const beta of quiz.betas) {
          let likelihood = 0;
          for (const [number, choice] of answers) {
            const behind = quiz.questions[number]?.behind[i]?.[j]?.[depth] ?? [];
            likelihood += logChance(behind, choice, beta, quiz.steps_per_point);
          }
          yield { theta, gamma, logBeta: Math.log(beta), depth, likelihood };
        }
}

/** Mean and standard deviation of a number over players, by their weights. */
function moments(
  all: readonly Player[],
  weights: readonly number[],
  of: (one: Player) => number,
): [number, number] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = all.reduce((sum, one, k) => sum + (weights[k] ?? 0) * of(one), 0) / total;
  const square = all.reduce((sum, one, k) => sum + (weights[k] ?? 0) * (of(one) - mean) ** 2, 0) / total;
  return [mean, Math.sqrt(square)];
}

export function fitHabits(quiz: Quiz, answers: Answers): FittedHabits {
  const all = [...players(quiz, answers)];
  const top = all.reduce((most, one) => Math.max(most, one.likelihood), -Infinity);
  const weights = all.map((one) => Math.exp(one.likelihood - top));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const depths = quiz.depths.map(
    (_, depth) => all.reduce((sum, one, k) => sum + (one.depth === depth ? (weights[k] ?? 0) : 0), 0) / total,
  );
  const likeliest = depths.indexOf(Math.max(...depths));
  const under = weights.map((weight, k) => (all[k]?.depth === likeliest ? weight : 0));
  const [theta, ofTheta] = moments(all, under, (one) => one.theta);
  const [gamma, ofGamma] = moments(all, under, (one) => one.gamma);
  const [logBeta, ofBeta] = moments(all, under, (one) => one.logBeta);
  /** How likely it is that a number lies where the scale begins or ends. */
  const chance = (is: (one: Player) => boolean): number =>
    all.reduce((sum, one, k) => sum + (is(one) ? (under[k] ?? 0) : 0), 0) /
    under.reduce((sum, weight) => sum + weight, 0);
  const ends = (name: string, scale: readonly number[], of: (one: Player) => number): string[] =>
    scale.some((end) => chance((one) => of(one) === end) > NEARLY_SURE) ? [name] : [];
  return {
    atEnd: [
      ...ends("theta", [quiz.thetas[0] ?? 0, quiz.thetas.at(-1) ?? 0], (one) => one.theta),
      ...ends("beta", [quiz.betas[0] ?? 0, quiz.betas.at(-1) ?? 0].map(Math.log), (one) => one.logBeta),
      ...ends("gamma", [quiz.gammas[0] ?? 0], (one) => one.gamma),
    ],
    theta,
    beta: Math.exp(logBeta),
    gamma,
    depth: quiz.depths[likeliest] ?? 0,
    spread: { theta: ofTheta, beta: Math.exp(ofBeta), gamma: ofGamma },
    depths,
  };
}

// What habits are worth, and what each of them costs: the equations of `yatzy.coach.profile`.
//
// A player with habits draws his choices by what they look worth (`softmax-code`), so that the mean of his final score is
// known: backwards over all states, what each is really worth is a mean over what he does there. Somebody who always
// takes what looks best is followed by the outlook of what he sees.

const PAGE = 65536;
const SETS_AT_ONCE = 64;
/** Groups that run through a turn together. */
const AT_ONCE = 8;

export interface Habits {
  theta: number;
  beta: number;
  gamma: number;
  depth: number;
}

export type Habit = keyof Habits;

/** A habit, the mean without it, and how much more that is. */
export interface Cost {
  habit: Habit;
  mean: number;
  gain: number;
}

export interface Worth {
  mean: number;
  best: number;
  /** The dearest habit first. */
  costs: Cost[];
}

const fullDepth = (game: GameTables): number => game.categories.length - 1;

/** The table as it looks to somebody for whom a point later is worth gamma points now. */
function discounted(table: ValueTable, gamma: number): ValueTable {
  const change = table.theta
    ? (value: number): number => value ** gamma
    : (value: number): number => gamma * value;
  return { ...table, rows: table.rows.map(change), refs: table.refs.map((ref) => gamma * ref) };
}

/** The mean score of play by habit; `believed` is what states look worth, with gamma already in it. */
class HabitMean {
  private readonly places: RowLayout;
  private readonly memory: WebAssembly.Memory;
  private readonly run: Functions;
  private readonly doubles: Float64Array;
  private readonly words: Int32Array;
  private readonly successors: tables.Successors;
  /** Where what is really to come begins, as bytes; what it looks like begins at 0. */
  private readonly real: number;
  private readonly list: number;
  private readonly work: number;
  private readonly rowBytes: number;

  constructor(
    private readonly believed: ValueTable,
    beta: number,
    private readonly lanes: Doubles = hasVectors() ? TWO : ONE_DOUBLE,
  ) {
    const { game, theta, stride } = believed;
    const layout = softmaxLayout(game, lanes);
    this.places = rowLayout(game, FOUR);
    this.rowBytes = 8 * stride;
    // After the rows of the sets comes one for boxes that are filled.
    this.real = (this.places.n + 1) * this.rowBytes;
    this.list = 2 * this.real;
    this.work = Math.ceil((this.list + layout.listBytes) / 64) * 64;
    const groups = Math.ceil((game.bonus_threshold + 1) / lanes.n) + 1;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil((this.work + groups * layout.group) / PAGE) });
    this.doubles = new Float64Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
    this.successors = tables.successorsOf(game);
    const { module } = new SoftmaxCode(game, layout, { theta, beta }).all();
    this.run = instantiate(new WebAssembly.Module(module.bytes()), this.memory);
    this.look();
  }

  /** What states look worth, as numbers that the passes add up: points, or utilities. */
  private look(): void {
    const { rows, refs, stride, theta } = this.believed;
    const sign = Math.sign(theta);
    for (let row = 0; row < this.places.n; row++) {
      const ref = refs[row] as number;
      for (let i = row * stride; i < (row + 1) * stride; i++)
        this.doubles[i] = theta ? sign * Math.exp(ref) * (rows[i] as number) : ref + (rows[i] as number);
    }
    const nowhere = this.places.n * stride;
    this.doubles.fill(filledBox(theta), nowhere, nowhere + stride);
  }

  *steps(): Steps<number> {
    const { game } = this.believed;
    const layers = tables.layersOf(game);
    const { stride } = this.places;
    for (const set of layers.at(-1) ?? []) {
      const at = this.real / 8 + (this.places.start[set] ?? 0) * stride;
      this.doubles.fill(game.bonus, at + game.bonus_threshold, at + stride);
    }
    const total = layers.slice(0, -1).reduce((sum, sets) => sum + sets.length, 0);
    let done = 0;
    for (const sets of layers.slice(0, -1).reverse())
      for (const set of sets) {
        this.turn(set);
        if (++done % SETS_AT_ONCE === 0) yield done / total;
      }
    return this.doubles[this.real / 8 + (this.places.start[0] ?? 0) * stride] ?? NaN;
  }

  private turn(set: number): void {
    const { run, work, doubles } = this;
    const { game } = this.believed;
    const { low, high } = game.uppers[tables.upperSet(game, set)] ?? { low: 0, high: 0 };
    const groups = Math.floor((high - low) / this.lanes.n) + 1;
    const at = this.real / 8 + (this.places.start[set] ?? 0) * this.places.stride;
    for (let first = 0; first < groups; first += AT_ONCE) {
      const [n, upper] = [Math.min(AT_ONCE, groups - first), low + first * this.lanes.n];
      this.write(set, upper);
      run.begin(work, n, this.list);
      run.score(work, n);
      for (let left = 1; left < game.rerolls; left++) run.reroll(work, n);
      if (game.rerolls) run.last(work, n);
      run.expect(work, n, 8 * (at + upper));
    }
    // Below the lowest total and above the highest there is one value each.
    doubles.fill(doubles[at + low] ?? NaN, at, at + low);
    doubles.fill(doubles[at + high] ?? NaN, at + high + 1, at + this.places.stride);
  }

  /** Where the states after each outcome begin. */
  private write(set: number, upper: number): void {
    const { bits, category } = this.successors;
    bits.forEach((one, i) => {
      const isOpen = tables.isOpen(this.believed.game, set, category[i] ?? 0);
      const row = isOpen ? (this.places.start[set | one] ?? 0) : this.places.n;
      const address = row * this.rowBytes + 8 * upper;
      this.words[this.list / 4 + i] = address;
      this.words[this.list / 4 + bits.length + i] = this.real + address;
    });
  }
}

/** Part k of n of some work, which tells its share of all of it. */
function* part<T>(steps: Steps<T>, k: number, n: number): Steps<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield (k + value) / n;
  }
}

/** What a player with these habits makes on average, and what each habit costs. `optimal` is the solved game. */
export function* worthOf(optimal: ValueTable, habits: Habits): Steps<Worth> {
  const { game } = optimal;
  const full = fullDepth(game);
  const seen = new Map<string, ValueTable>();
  const believed = function* ({ theta, gamma, depth }: Habits): Steps<ValueTable> {
    const key = `${theta} ${depth}`;
    let table = theta === 0 && depth === full ? optimal : seen.get(key);
    if (!table) {
      const solver = new Solver(game, theta);
      table = yield* depth === full ? solver.steps() : solver.stepsOfDepth(depth);
      seen.set(key, table);
    }
    return gamma === 1 ? table : discounted(table, gamma);
  };
  const meanOf = function* (of: Habits): Steps<number> {
    const table = yield* part(believed(of), 0, 2);
    return yield* part(new HabitMean(table, of.beta).steps(), 1, 2);
  };
  const bestOf = function* (of: Habits): Steps<number> {
    const table = yield* part(believed(of), 0, 2);
    const start = { set: 0, upper: 0, saved: 0 };
    const outlook = yield* part(outlookFrom(table, start, 0), 1, 2);
    return outlook?.mean ?? NaN;
  };
  const cured: [Habit, Habits][] = [
    ["theta", { ...habits, theta: 0 }],
    ["gamma", { ...habits, gamma: 1 }],
    ["depth", { ...habits, depth: full }],
  ];
  const todo = cured.filter(([habit, other]) => other[habit] !== habits[habit]);
  const n = 2 + todo.length;
  const mean = yield* part(meanOf(habits), 0, n);
  const means: [Habit, number][] = [["beta", yield* part(bestOf(habits), 1, n)]];
  for (const [i, [habit, other]] of todo.entries()) means.push([habit, yield* part(meanOf(other), 2 + i, n)]);
  const costs = means.map(([habit, found]): Cost => ({ habit, mean: found, gain: found - mean }));
  return { mean, best: optimal.refs[0] ?? NaN, costs: costs.sort((a, b) => b.gain - a.gain) };
}
