/**
 * The outlook: the exact distribution of the final score from a state on, under the best play of a table.
 *
 * Layer by layer, every state that play reaches has a row: the probability of being there, by `rest`, the points since
 * the start that the upper total does not show. An outcome of probability q adds the row to that of the state after it,
 * moved by its points less the lift that was used:
 *
 *     row'(set + bits, min(T, upper + lift))[rest + shift] += q * row(set, upper)[rest]
 *
 * Upper totals with which the bonus is lost are played alike and have one row, at the largest of them.
 *
 * Turns are walked in WebAssembly, four states at once (`forward-code`); where throws are saved, one by one.
 */
import { BLOCK } from "./forward-code";
import type { Steps, ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { Turn, stateAfter } from "./turn";
import { AT_ONCE, Turns, branchesOf, type Branches } from "./turns";
import type { Outlook, State } from "./types";
import type { Lanes } from "./wasm";

const PAGE = 65536;
/** Where throws are saved, an outlook begins with no more boxes open than this. */
const MAX_OPEN_SAVED = 5;

// Rows of probability in WebAssembly memory, by number: where each lies, at which points it begins and how long it is.
//
// The rows of a layer follow those of the layer before; when that one is done with, they move down into its place. What
// lies behind the last row is zero.

/** Room that a row gets beyond what it needs at first. */
const SLACK = 32;
/** What is rarer than this at the ends of a row is cut off. */
const RARE = 1e-13;

class Rows {
  floats: Float32Array;
  words: Int32Array;
  /** By row: index of its first number in the memory, the points of that number, how many there are, and may be. */
  at = new Int32Array(1024);
  low = new Int32Array(1024);
  length = new Int32Array(1024);
  private room = new Int32Array(1024);
  n = 0;
  private next: number;

  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly begin: number,
  ) {
    this.next = begin;
    this.floats = new Float32Array(memory.buffer);
    this.words = new Int32Array(memory.buffer);
  }

  /** A row of zeros for points from `low` on; returns its number. */
  make(low: number, length: number): number {
    if (this.n === this.at.length) this.enlarge();
    this.place(this.n, low, length);
    return this.n++;
  }

  /** The row reaches over these points too. */
  extend(row: number, low: number, length: number): void {
    const before = this.low[row] as number;
    const end = Math.max(before + (this.length[row] as number), low + length);
    if (low >= before && end - before <= (this.room[row] as number)) {
      this.length[row] = end - before;
      return;
    }
    const [at, n] = [this.at[row] as number, this.length[row] as number];
    const from = Math.min(before, low) - SLACK;
    this.place(row, from, end - from);
    this.floats.copyWithin((this.at[row] as number) + before - from, at, at + n);
  }

  /** Cut off what is rare at the ends; what lies before a row is not read again. */
  trim(row: number): void {
    const { floats } = this;
    let first = this.at[row] as number;
    let last = first + (this.length[row] as number);
    while (last > first && (floats[last - 1] as number) < RARE) floats[--last] = 0;
    while (first < last && (floats[first] as number) < RARE) first++;
    this.low[row] = (this.low[row] as number) + first - (this.at[row] as number);
    this.length[row] = last - first;
    this.at[row] = first;
  }

  /** Where rows are made now. */
  mark = (): number => this.next;

  /** Rows that lie before a mark are forgotten, those from a number on move down. */
  forget(mark: number, from: number): void {
    const by = mark - this.begin;
    this.floats.copyWithin(this.begin, mark, this.next);
    this.floats.fill(0, this.next - by, this.next);
    for (let row = from; row < this.n; row++) this.at[row] = (this.at[row] as number) - by;
    this.next -= by;
  }

  private place(row: number, low: number, length: number): void {
    const room = (length + SLACK + 3) & ~3;
    this.reserve(this.next + room + 2 * BLOCK);
    this.at[row] = this.next;
    this.low[row] = low;
    this.length[row] = length;
    this.room[row] = room;
    this.next += room + BLOCK;
  }

  private enlarge(): void {
    const twice = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const made = new Int32Array(2 * old.length);
      made.set(old);
      return made;
    };
    [this.at, this.low] = [twice(this.at), twice(this.low)];
    [this.length, this.room] = [twice(this.length), twice(this.room)];
  }

  private reserve(end: number): void {
    const { byteLength } = this.memory.buffer;
    if (end * 4 <= byteLength) return;
    this.memory.grow(Math.ceil((end * 4 - byteLength) / PAGE + byteLength / PAGE / 8));
    this.floats = new Float32Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
  }
}

const QUANTILES = ["0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99"];

function describe(pmf: Float64Array, bonusRate: number): Outlook {
  const last = pmf.findLastIndex((prob) => prob > 0);
  const told = Array.from(pmf.subarray(0, last + 1));
  const all = told.reduce((sum, prob) => sum + prob, 0);
  const mean = told.reduce((sum, prob, score) => sum + prob * score, 0) / all;
  const variance = told.reduce((sum, prob, score) => sum + prob * (score - mean) ** 2, 0) / all;
  const quantile = (share: number): number => {
    let sum = 0;
    return told.findIndex((prob) => (sum += prob) >= share * all * (1 - 1e-7));
  };
  const quantiles = Object.fromEntries(QUANTILES.map((share) => [share, quantile(Number(share))]));
  return {
    mean,
    sd: Math.sqrt(variance),
    bonus_rate: bonusRate / all,
    quantiles,
    pmf: told.map((prob) => prob / all),
  };
}

/** Rows of finished games as a distribution of the final score. */
class FinalScores {
  readonly pmf: Float64Array;
  bonusRate = 0;

  constructor(
    private readonly game: GameTables,
    private readonly start: State,
    private readonly points: number,
  ) {
    const most = game.categories.map((_, i) =>
      Math.max(...game.outcomes.category.map((c, end) => (c === i ? tables.pointsOf(game, end) : 0))),
    );
    this.pmf = new Float64Array(points + most.reduce((sum, n) => sum + n, 0) + game.bonus + 1);
  }

  add(upper: number, low: number, row: ArrayLike<number>): void {
    const { bonus, bonus_threshold: needed } = this.game;
    const paid = upper >= needed ? bonus : 0;
    const first = this.points + upper - this.start.upper + low + paid;
    for (let i = 0; i < row.length; i++) {
      this.pmf[first + i] = (this.pmf[first + i] ?? 0) + (row[i] ?? 0);
      if (paid) this.bonusRate += row[i] ?? 0;
    }
  }

  outlook = (): Outlook => describe(this.pmf, this.bonusRate);
}

/** The outlook from a state with these points on the card, the bonus aside; null where it would take too long. */
export function* outlookFrom(
  table: ValueTable,
  state: State,
  points: number,
  dice?: Dice,
  lanes?: Lanes,
): Steps<Outlook | null> {
  const { game } = table;
  const open = game.categories.length - tables.nFilled(game, state.set);
  const ending = new FinalScores(game, state, points);
  if (game.saves_throws) {
    if (open > MAX_OPEN_SAVED) return null;
    walkWithSavedThrows(table, state, ending);
  } else {
    const ends = dice ? endsOf(table, state, dice) : null;
    yield* new Walk(table, state, lanes).run(ending, ends);
  }
  return ending.outlook();
}

/** Dice that lie on the table in the turn under way. */
export interface Dice {
  roll: number;
  rerolls: number;
}

/** How likely each outcome of a turn is from its dice on. */
function endsOf(table: ValueTable, state: State, { roll, rerolls }: Dice): ArrayLike<number> {
  const turn = new Turn(table, state, rerolls);
  const keep = rerolls ? turn.held(roll, rerolls) : roll;
  const ends = keep === roll ? turn.exitsAfter(turn.chosen(roll, 0), -1) : turn.exitsOf(keep);
  return ends.at(-1) ?? [];
}

class Walk {
  private readonly game: GameTables;
  private readonly turns: Turns;
  private readonly lanes: Lanes;
  private readonly rows: Rows;
  private readonly pushed: number;
  private readonly nUppers: number;
  /** By state: 1 + the number of its row, or 0. A set belongs to one layer, so that nothing is ever cleared. */
  private readonly rowOf: Int32Array;
  private readonly seen: Uint8Array;
  /** By set: the largest upper total with which the bonus is lost, or 0. Smaller ones are played alike and join it. */
  private readonly lost: Int32Array;
  /** Sets of the next layer. */
  private reached: number[] = [];
  /** Groups of states with neighbouring upper totals that are walked next: their sets, and the lowest totals. */
  private readonly sets: number[] = [];
  private readonly uppers: number[] = [];
  private readonly branches: Branches;
  /** Branches of open boxes of the set that was last asked for. */
  private readonly open: Int32Array;
  private nOpen = 0;
  private openOf = -1;
  /** What a row is added to: by branch the row, by how much it is moved and where its outcomes end; and their points. */
  private readonly to: { row: Int32Array; shift: Int32Array; last: Int32Array; points: Int32Array };

  constructor(
    table: ValueTable,
    private readonly start: State,
    lanes?: Lanes,
  ) {
    const { game } = table;
    this.game = game;
    this.nUppers = game.bonus_threshold + 1;
    this.turns = new Turns(table, lanes);
    this.lanes = this.turns.lanes;
    this.pushed = this.turns.free;
    this.rows = new Rows(this.turns.memory, this.pushed / 4 + 2 * game.outcomes.bits.length);
    this.rowOf = new Int32Array(tables.nSets(game) * this.nUppers);
    this.seen = new Uint8Array(tables.nSets(game));
    this.lost = Int32Array.from(this.seen, (_, set) => game.uppers[tables.upperSet(game, set)]?.low ?? 0);
    this.branches = branchesOf(game);
    const [nBranches, nEnds] = [this.branches.bits.length, game.outcomes.bits.length];
    this.open = new Int32Array(nBranches);
    this.to = {
      row: new Int32Array(nBranches),
      shift: new Int32Array(nBranches),
      last: new Int32Array(nBranches),
      points: new Int32Array(nEnds),
    };
  }

  /** Without `ends`, from the start of a turn. */
  *run(ending: FinalScores, ends: ArrayLike<number> | null): Steps<void> {
    const { game, start, rows } = this;
    let layer = ends ? this.finish(ends) : [start.set];
    if (!ends) {
      const upper = Math.max(start.upper, this.lost[start.set] as number);
      rows.floats[rows.at[rows.make(start.upper - upper, 1)] as number] = 1;
      this.rowOf[start.set * this.nUppers + upper] = 1;
    }
    const filled = tables.nFilled(game, start.set) + (ends ? 1 : 0);
    for (let n = filled; n < game.categories.length; n++) {
      const [mark, first] = [rows.mark(), rows.n];
      this.reached = [];
      for (const _ of this.step(layer)) yield (n - filled) / (game.categories.length - filled);
      layer = this.reached;
      rows.forget(mark, first);
      for (let row = first; row < rows.n; row++) rows.trim(row);
    }
    for (const set of layer)
      for (let upper = 0; upper < this.nUppers; upper++) {
        const row = this.rowAt(set, upper);
        if (row < 0) continue;
        const at = rows.at[row] as number;
        ending.add(upper, rows.low[row] as number, rows.floats.subarray(at, at + (rows.length[row] as number)));
      }
  }

  /** Rows of the states after the turn under way, by how likely each outcome is; returns their sets. */
  private finish(ends: ArrayLike<number>): number[] {
    const { game, start, rows, rowOf, nUppers } = this;
    const { bits, lift } = game.outcomes;
    const sets = new Set<number>();
    for (let end = 0; end < ends.length; end++) {
      const prob = ends[end] ?? 0;
      if (!prob) continue;
      const set = start.set | (bits[end] ?? 0);
      const total = Math.min(game.bonus_threshold, Math.max(start.upper + (lift[end] ?? 0), this.lost[set] ?? 0));
      const lands = tables.pointsOf(game, end) - (total - start.upper);
      const slot = set * nUppers + total;
      let row = (rowOf[slot] as number) - 1;
      if (row >= 0) rows.extend(row, lands, 1);
      else rowOf[slot] = (row = rows.make(lands, 1)) + 1;
      const at = (rows.at[row] as number) + lands - (rows.low[row] as number);
      rows.floats[at] = (rows.floats[at] ?? 0) + prob;
      sets.add(set);
    }
    return [...sets];
  }

  /** The row of a state; below zero if there is none, or if it is too rare to have one. */
  private rowAt(set: number, upper: number): number {
    const row = upper < this.nUppers ? (this.rowOf[set * this.nUppers + upper] as number) - 1 : -1;
    return row >= 0 && this.rows.length[row] ? row : -1;
  }

  private *step(layer: readonly number[]): Generator<void> {
    for (const set of layer)
      for (let upper = 0; upper < this.nUppers; upper++) {
        if (this.rowAt(set, upper) < 0) continue;
        this.sets.push(set);
        this.uppers.push(upper);
        upper += this.lanes.n - 1;
        if (this.sets.length < AT_ONCE) continue;
        this.walk();
        yield;
      }
    this.walk();
  }

  /** One turn of the groups that are gathered. */
  private walk(): void {
    const { turns, lanes, sets, uppers } = this;
    if (!sets.length) return;
    turns.walk(sets, uppers);
    for (let i = 0; i < sets.length; i++) {
      this.listOpen(sets[i] as number);
      for (let lane = 0; lane < lanes.n; lane++) {
        const [set, upper] = [sets[i] as number, (uppers[i] as number) + lane];
        const row = this.rowAt(set, upper);
        if (row >= 0) this.push(set, upper, row, turns.exitsAt(i, lane));
      }
    }
    sets.length = 0;
    uppers.length = 0;
  }

  private listOpen(set: number): void {
    if (set === this.openOf) return;
    this.openOf = set;
    const { category } = this.branches;
    this.nOpen = 0;
    for (let branch = 0; branch < category.length; branch++)
      if (tables.isOpen(this.game, set, category[branch] as number)) this.open[this.nOpen++] = branch;
  }

  /** Add the row of a state to those of the states after it; the probabilities of outcomes begin at `exits`. */
  private push(set: number, upper: number, from: number, exits: number): void {
    const { rows, rowOf, nUppers, to, lost } = this;
    const { bits, lift, first, ends, points } = this.branches;
    const [lanes, cap, list] = [this.lanes.n, this.game.bonus_threshold, this.pushed / 4];
    const [low, length] = [rows.low[from] as number, rows.length[from] as number];
    let [n, m] = [0, 0];
    for (let i = 0; i < this.nOpen; i++) {
      const branch = this.open[i] as number;
      const [begun, last] = [n, first[branch + 1] as number];
      let [least, most] = [0, 0];
      for (let j = first[branch] as number; j < last; j++) {
        const prob = rows.floats[exits + (ends[j] as number) * lanes] as number;
        if (!(prob > 0)) continue;
        most = points[j] as number;
        if (n === begun) least = most;
        to.points[n] = most;
        rows.floats[list + 2 * n++ + 1] = prob;
      }
      if (n === begun) continue;
      const next = set | (bits[branch] as number);
      const total = Math.min(cap, Math.max(upper + (lift[branch] as number), lost[next] as number));
      const [shift, slot] = [low + upper - total, next * nUppers + total];
      let row = (rowOf[slot] as number) - 1;
      if (row >= 0) rows.extend(row, shift + least, length + most - least);
      else {
        row = rows.make(shift + least, length + most - least);
        rowOf[slot] = row + 1;
        if (!this.seen[next]) this.reached.push(next);
        this.seen[next] = 1;
      }
      to.row[m] = row;
      to.shift[m] = shift;
      to.last[m++] = n;
    }
    // Only now: a row that two branches lead to may have moved.
    for (let i = 0, j = 0; i < m; i++) {
      const row = to.row[i] as number;
      const begin = (rows.at[row] as number) + (to.shift[i] as number) - (rows.low[row] as number);
      for (; j < (to.last[i] as number); j++) rows.words[list + 2 * j] = 4 * (begin + (to.points[j] as number));
    }
    if (n) this.turns.call.push(4 * (rows.at[from] as number), Math.ceil(length / BLOCK), this.pushed, n);
  }
}

/** The same for games that save throws, state by state in float64. */
function walkWithSavedThrows(table: ValueTable, start: State, ending: FinalScores): void {
  const { game } = table;
  const lattice = tables.latticeOf(game);
  const empty = lattice.nKeeps - 1;
  let layer = new Map<string, { state: State; row: Map<number, number> }>();
  layer.set("", { state: start, row: new Map([[0, 1]]) });
  for (let n = tables.nFilled(game, start.set); n < game.categories.length; n++) {
    const next: typeof layer = new Map();
    for (const { state, row } of layer.values()) {
      // The first throw is a reroll of all dice.
      const turn = new Turn(table, state, game.rerolls + state.saved + 1);
      turn.exitsOf(empty).forEach((exits, left) =>
        exits.forEach((prob, end) => {
          if (!prob) return;
          const after = stateAfter(game, state, end, left);
          const shift = tables.pointsOf(game, end) - (after.upper - state.upper);
          const key = `${after.set} ${after.upper} ${after.saved}`;
          let to = next.get(key);
          if (!to) next.set(key, (to = { state: after, row: new Map() }));
          for (const [rest, mass] of row) to.row.set(rest + shift, (to.row.get(rest + shift) ?? 0) + mass * prob);
        }),
      );
    }
    layer = next;
  }
  for (const { state, row } of layer.values())
    for (const [rest, mass] of row) ending.add(state.upper, rest, [mass]);
}
