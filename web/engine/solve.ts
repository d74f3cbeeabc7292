/**
 * Backward induction over the layers of the state space, in float32: the same equations as `yatzy.solver.solve`.
 *
 *     V(set, upper) = sum over rolls r of P(r) * best(r, rerolls)
 *
 * A row holds the values of a set for all upper totals, and continues past the cap with the capped value, so that
 * scoring p upper points reads `upper + p`. What is stored is relative to the row's own `ref`, its value where the
 * bonus is lost: differences are small, and float32 is nearly a digit better for it.
 *
 *     theta = 0      value = ref + row          an outcome is worth  row(after) + (points + ref(after) - reference)
 *     else           L     = ref + ln(row)      an outcome is worth  row(after) * sign * exp(theta * points + ...)
 *
 * where L = ln E[exp(theta * points to come)] and L / theta are points.
 */
import { instantiate, layoutOf, TurnCode, type Functions, type Layout } from "./turn-code";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { FOUR, hasVectors, ONE, type Lanes } from "./wasm";

/** Between two pauses: a few milliseconds. */
const SETS_AT_ONCE = 256;
const PAGE = 65536;

/** A solved game. */
export interface ValueTable {
  game: GameTables;
  theta: number;
  /** (rows, stride): see above. */
  rows: Float32Array;
  refs: Float64Array;
  stride: number;
}

/** Long work in short pieces, which tells what share of it is done. */
export type Steps<T> = Generator<number, T, void>;

/** All of it at once. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Where the rows of a game are: those of a set begin at `start[set]`, one for each number of saved throws. */
export interface RowLayout {
  start: Int32Array;
  n: number;
  stride: number;
}

export function rowLayout(game: GameTables, lanes: Lanes): RowLayout {
  const most = Math.max(...game.outcomes.lift);
  const stride = Math.ceil((game.bonus_threshold + 1 + most + lanes.n) / 4) * 4;
  const start = new Int32Array(tables.nSets(game));
  let n = 0;
  for (let set = 0; set < start.length; set++) {
    start[set] = n;
    n += game.saved[tables.nFilled(game, set)] ?? 1;
  }
  return { start, n, stride };
}

/** What a state is worth: points to come, or the certainty equivalent under a risk. */
export function valueOf(table: ValueTable, row: number, upper: number): number {
  const { theta, stride, rows, refs } = table;
  const [stored, ref] = [rows[row * stride + upper] ?? NaN, refs[row] ?? NaN];
  return theta ? (ref + Math.log(stored)) / theta : ref + stored;
}

/**
 * What the passes `plus` and `times` read of a set: where the values after each successor begin, and by outcome what is
 * added to them or multiplied with them. Rows lie at the beginning of the memory; at `nowhere` is one of minus infinity.
 */
export class SuccessorLists {
  private readonly successors: tables.Successors;
  private readonly of: Int32Array;
  /** By outcome: points, or the weight that they have. */
  private readonly gains: Float64Array;
  private readonly refOf: Float64Array;
  private words = new Int32Array();
  private weights = new Float32Array();

  constructor(
    private readonly game: GameTables,
    private readonly theta: number,
    private readonly places: RowLayout,
    private readonly refs: Float64Array,
    private readonly nowhere: number,
  ) {
    this.successors = tables.successorsOf(game);
    this.of = Int32Array.from(this.successors.of);
    this.refOf = new Float64Array(this.successors.bits.length);
    this.gains = Float64Array.from(game.outcomes.bits, (_, end) => {
      const points = tables.pointsOf(game, end);
      return theta ? Math.sign(theta) * Math.exp(theta * points) : points;
    });
  }

  /** The largest `ref` that a turn reads. */
  reference(set: number): number {
    let most = -Infinity;
    this.successors.bits.forEach((bits, i) => {
      if (!tables.isOpen(this.game, set, this.successors.category[i] ?? 0)) return;
      most = Math.max(most, this.refs[this.places.start[set | bits] ?? 0] ?? 0);
    });
    return most;
  }

  /** For upper totals from `upper` on, with this many throws left. */
  write(memory: ArrayBuffer, list: number, set: number, upper: number, left: number, reference: number): void {
    const { theta, successors, places } = this;
    if (this.words.buffer !== memory || this.words.byteOffset !== list) {
      this.words = new Int32Array(memory, list, successors.bits.length);
      this.weights = new Float32Array(memory, list + 4 * successors.bits.length, this.gains.length);
    }
    const { words, weights } = this;
    for (let i = 0; i < words.length; i++) {
      const isOpen = tables.isOpen(this.game, set, successors.category[i] as number);
      const row = (places.start[set | (successors.bits[i] as number)] ?? 0) + left;
      words[i] = (isOpen ? row * places.stride * 4 : this.nowhere) + 4 * upper;
      this.refOf[i] = isOpen ? (this.refs[row] ?? 0) - reference : NaN;
    }
    for (let end = 0; end < weights.length; end++) {
      const ref = this.refOf[this.of[end] as number] as number;
      if (Number.isNaN(ref)) weights[end] = 1;
      else if (theta) weights[end] = (this.gains[end] as number) * Math.exp(ref);
      else weights[end] = (this.gains[end] as number) + ref;
    }
  }
}

export class Solver {
  readonly layout: Layout;
  private readonly places: RowLayout;
  private readonly memory: WebAssembly.Memory;
  private readonly run: Functions;
  private readonly floats: Float32Array;
  private readonly words: Int32Array;
  private readonly refs: Float64Array;
  private readonly lists: SuccessorLists;
  private readonly nowhere: number;
  private readonly work: number;
  private readonly list: number;
  private readonly chosen: number;
  private readonly layers: Int32Array[];

  constructor(
    private readonly game: GameTables,
    private readonly theta: number,
    lanes: Lanes = hasVectors() ? FOUR : ONE,
  ) {
    this.layout = layoutOf(game, lanes);
    this.places = rowLayout(game, lanes);
    this.layers = tables.layersOf(game);
    const rowBytes = this.places.stride * 4;
    this.nowhere = this.places.n * rowBytes;
    this.list = this.nowhere + rowBytes;
    this.chosen = this.list + this.layout.listBytes;
    this.work = Math.ceil((this.chosen + 4 * game.categories.length) / 64) * 64;
    const groups = Math.ceil((game.bonus_threshold + 1) / lanes.n) + 1;
    const bytes = this.work + groups * this.layout.group;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    this.floats = new Float32Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
    this.refs = new Float64Array(this.places.n);
    this.lists = new SuccessorLists(game, theta, this.places, this.refs, this.nowhere);
    this.floats.fill(-Infinity, this.nowhere / 4, (this.nowhere + rowBytes) / 4);
    const passes = new TurnCode(game, this.layout).outcomes().choose().reroll().expect();
    this.run = instantiate(new WebAssembly.Module(passes.module.bytes()), this.memory);
  }

  solve(): ValueTable {
    return runToEnd(this.steps());
  }

  /** Solves bit by bit, and tells what share is done. */
  *steps(): Steps<ValueTable> {
    const { game, layers } = this;
    this.finish(layers.at(-1) ?? new Int32Array());
    yield* this.sweep(game.categories.map((_, n) => game.categories.length - 1 - n));
    return this.table();
  }

  /**
   * What states look worth to somebody who sees only this many turns after the one under way: see `yatzy.solver.lookahead`. Sets
   * with fewer filled boxes come first, so that those after them are still as they look from one turn less.
   */
  *stepsOfDepth(depth: number): Steps<ValueTable> {
    const { game, layers } = this;
    for (const sets of layers) this.finish(sets);
    for (let sweep = 0; sweep < depth; sweep++)
      for (const share of this.sweep([...game.categories.keys()])) yield (sweep + share) / depth;
    return this.table();
  }

  private *sweep(order: readonly number[]): Generator<number, void, void> {
    const total = order.reduce((sum, n) => sum + (this.layers[n]?.length ?? 0), 0);
    let done = 0;
    for (const n of order)
      for (const set of this.layers[n] ?? []) {
        this.solveSet(set, n);
        if (++done % SETS_AT_ONCE === 0) yield done / total;
      }
  }

  private table(): ValueTable {
    const { stride, n } = this.places;
    return { game: this.game, theta: this.theta, rows: this.floats.slice(0, n * stride), refs: this.refs, stride };
  }

  /** Finished games, or what looks so: the bonus, or nothing. */
  private finish(sets: Int32Array): void {
    const { game, theta } = this;
    const { start, stride } = this.places;
    for (const set of sets)
      for (let saved = 0; saved < (game.saved.at(-1) ?? 1); saved++) {
        const at = ((start[set] ?? 0) + saved) * stride;
        this.floats.fill(theta ? 1 : 0, at, at + game.bonus_threshold);
        this.floats.fill(
          theta ? Math.exp(theta * game.bonus) : game.bonus,
          at + game.bonus_threshold,
          at + stride,
        );
      }
  }

  private solveSet(set: number, filled: number): void {
    const { game, run, work } = this;
    const { low, high } = game.uppers[tables.upperSet(game, set)] ?? { low: 0, high: 0 };
    const groups = Math.floor((high - low) / this.layout.lanes.n) + 1;
    const levels = game.rerolls + (game.saved[filled] ?? 1) - 1;
    const reference = this.lists.reference(set);
    this.score(set, low, groups, 0, reference, run.choose);
    for (let left = 1; left <= levels; left++) {
      run.throwing(work, groups);
      if (game.saves_throws) this.score(set, low, groups, left, reference, run.stay);
      if (left >= game.rerolls) this.keep(set, left - game.rerolls, low, high, groups, reference);
    }
    if (!game.rerolls) this.keep(set, 0, low, high, groups, reference);
  }

  /** Outcomes with this many throws left, and the best for each roll. */
  private score(
    set: number,
    low: number,
    groups: number,
    left: number,
    reference: number,
    choose: (...numbers: number[]) => void,
  ): void {
    const { run, work, list } = this;
    this.lists.write(this.memory.buffer, list, set, low, left, reference);
    (this.theta ? run.times : run.plus)(work, groups, list);
    choose(work, groups);
    for (const { roll } of this.game.special) this.scoreSpecial(set, groups, roll, left > 0);
  }

  private scoreSpecial(set: number, groups: number, roll: number, stay: boolean): void {
    const { layout, work, chosen } = this;
    const ends = tables.allowed(this.game, set, roll).map((end) => layout.ends + end);
    const rows = stay ? [roll, ...ends] : ends;
    rows.forEach((row, i) => (this.words[chosen / 4 + i] = row * layout.lanes.bytes));
    this.run.special(work, groups, roll * layout.lanes.bytes, chosen, rows.length);
  }

  /** Values of a set from the work buffer; below the lowest total and above the highest there is one value each. */
  private keep(set: number, saved: number, low: number, high: number, groups: number, reference: number): void {
    const { theta, floats } = this;
    const { start, stride } = this.places;
    const row = (start[set] ?? 0) + saved;
    const at = row * stride;
    this.run.expect(this.work, groups, (at + low) * 4);
    const first = floats[at + low] ?? 0;
    this.refs[row] = reference + (theta ? Math.log(Math.abs(first)) : first);
    for (let upper = low; upper <= high; upper++) {
      const found = floats[at + upper] ?? 0;
      floats[at + upper] = theta ? found / first : found - first;
    }
    floats.fill(theta ? 1 : 0, at, at + low);
    floats.fill(floats[at + high] ?? 0, at + high + 1, at + stride);
  }
}
