/**
 * The turn of one state in float64, from a solved table: what every action is worth, and what follows from it.
 *
 *     exit_t(r)  = max over outcomes o of r of  worth(o, t throws saved)
 *     value_n(K) = mean over the next die of value_n(K + die),      value_n(roll) = best_(n-1)(roll)
 *     best_n(r)  = max over keeps K inside r of value_n(K)
 *
 * Inside the turn, worth is points for theta = 0 and a utility otherwise; `points` of an action are always points.
 */
import { rowLayout, valueOf, type ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import type { State } from "./types";
import { FOUR } from "./wasm";

/** Values in float32 that are closer together than this are equal. */
export const TIE = 5e-4;

const starts = new WeakMap<GameTables, Int32Array>();

/** The row of a set in a table, with this many throws saved. */
export function rowOf(game: GameTables, set: number, saved: number): number {
  let start = starts.get(game);
  if (!start) starts.set(game, (start = rowLayout(game, FOUR).start));
  return (start[set] ?? 0) + saved;
}

export const valueAt = (table: ValueTable, { set, upper, saved }: State): number =>
  valueOf(table, rowOf(table.game, set, saved), upper);

/** Where an outcome leads, with this many throws left over. */
export const stateAfter = (game: GameTables, { set, upper }: State, end: number, left: number): State => ({
  set: set | (game.outcomes.bits[end] ?? 0),
  upper: Math.min(game.bonus_threshold, upper + (game.outcomes.lift[end] ?? 0)),
  saved: game.saves_throws ? left : 0,
});

/** What scoring now is worth: by outcome in points and as utility, and by roll the best utility and its outcome. */
interface Scored {
  points: Float64Array;
  worth: Float64Array;
  best: Float64Array;
  end: Int32Array;
}

export class Turn {
  /** By rerolls left (from 1): utility of every keep, and of every roll with one fewer left. */
  private readonly levels: Float64Array[] = [];
  /** By throws left where they are saved; elsewhere there is one. */
  private readonly scored: Scored[] = [];
  private readonly ends: number[][];
  private readonly ref: number;

  constructor(
    readonly table: ValueTable,
    readonly state: State,
    readonly rerolls: number,
    /** What each outcome is worth in place of points, such as a chance: see `chance`. */
    private readonly instead?: (end: number) => number,
  ) {
    const { game } = table;
    const { nRolls } = tables.latticeOf(game);
    this.ends = Array.from({ length: nRolls }, (_, roll) => tables.allowed(game, state.set, roll));
    this.ref = table.theta ? this.reference() : 0;
    this.scored.push(this.score(0));
    let rolls = this.scored[0]?.best ?? new Float64Array();
    for (let left = 1; left <= rerolls; left++) {
      const level = this.mean(rolls);
      this.levels[left] = level;
      if (game.saves_throws) this.scored.push(this.score(left));
      rolls = this.best(level, left);
    }
  }

  private get lattice(): tables.Lattice {
    return tables.latticeOf(this.table.game);
  }

  private scoredAt = (left: number): Scored => this.scored[this.table.game.saves_throws ? left : 0] as Scored;

  /** Some number near the log-values of this turn. */
  private reference(): number {
    const end = this.ends[0]?.[0] ?? 0;
    return this.table.theta * valueAt(this.table, stateAfter(this.table.game, this.state, end, 0));
  }

  private utility(points: number): number {
    const { theta } = this.table;
    return theta && !this.instead ? Math.sign(theta) * Math.exp(theta * points - this.ref) : points;
  }

  private inPoints(utility: number): number {
    const { theta } = this.table;
    return theta && !this.instead ? (this.ref + Math.log(Math.abs(utility))) / theta : utility;
  }

  private score(left: number): Scored {
    const { table, state, ends } = this;
    const { game } = table;
    const n = game.outcomes.bits.length;
    const points = new Float64Array(n).fill(-Infinity);
    const worth = new Float64Array(n).fill(-Infinity);
    for (let end = 0; end < n; end++) {
      if (!tables.isOpen(game, state.set, game.outcomes.category[end] ?? 0)) continue;
      points[end] = this.instead
        ? this.instead(end)
        : tables.pointsOf(game, end) + valueAt(table, stateAfter(game, state, end, left));
      worth[end] = this.utility(points[end] ?? 0);
    }
    const best = new Float64Array(ends.length);
    const chosen = new Int32Array(ends.length);
    ends.forEach((allowed, roll) => {
      let [most, which] = [-Infinity, allowed[0] ?? 0];
      for (const end of allowed)
        if ((worth[end] ?? 0) > most) {
          most = worth[end] ?? 0;
          which = end;
        }
      best[roll] = most;
      chosen[roll] = which;
    });
    return { points, worth, best, end: chosen };
  }

  private mean(rolls: Float64Array): Float64Array {
    const { nRolls, nKeeps, added } = this.lattice;
    const values = new Float64Array(nKeeps);
    values.set(rolls);
    for (let keep = nRolls; keep < nKeeps; keep++) {
      let sum = 0;
      for (const larger of added[keep] ?? []) sum += values[larger] ?? 0;
      values[keep] = sum / this.table.game.faces;
    }
    return values;
  }

  private best(level: Float64Array, left: number): Float64Array {
    const { nRolls, nKeeps, removed } = this.lattice;
    const values = Float64Array.from(level);
    for (let keep = nKeeps - 1; keep >= 0; keep--) {
      let most = values[keep] ?? 0;
      for (const smaller of removed[keep] ?? []) most = Math.max(most, values[smaller] ?? 0);
      values[keep] = most;
    }
    if (this.table.game.saves_throws)
      for (let roll = 0; roll < nRolls; roll++)
        values[roll] = Math.max(values[roll] ?? 0, this.scoredAt(left).best[roll] ?? 0);
    return values.slice(0, nRolls);
  }

  /** Outcomes that a roll may be scored as. */
  endsOf = (roll: number): readonly number[] => this.ends[roll] ?? [];

  /** Points that scoring with all rerolls left is worth. */
  pointsOfEnd = (end: number): number => this.scoredAt(this.rerolls).points[end] ?? 0;

  /** The same with another number of throws left over, where they are saved. */
  pointsOfEndAt = (end: number, left: number): number => this.scoredAt(left).points[end] ?? 0;

  /** Points that holding a keep of fewer than all dice is worth. */
  pointsOfKeep = (keep: number, left = this.rerolls): number => this.inPoints(this.levels[left]?.[keep] ?? NaN);

  /** The keep to hold with this many rerolls left: ties go to the most dice, then to the lowest faces. */
  held(roll: number, left: number): number {
    const level = this.levels[left] as Float64Array;
    let [most, which] = [
      this.table.game.saves_throws ? (this.scoredAt(left).best[roll] ?? 0) : (level[roll] ?? 0),
      roll,
    ];
    for (const keep of keepsInside(this.table.game, roll)) {
      const value = level[keep] ?? 0;
      if (value > most) [most, which] = [value, keep];
    }
    return which;
  }

  /** The outcome to score a roll as, with this many throws left over. */
  chosen = (roll: number, left: number): number => this.scoredAt(left).end[roll] ?? 0;

  /** How the turn ends after an outcome, which is certain then, or after a keep: see `exitsOf`. */
  exitsAfter(end: number | null, keep: number): Float64Array[] {
    if (end === null) return this.exitsOf(keep);
    return this.scored.map((_, left) => {
      const exits = new Float64Array(this.table.game.outcomes.bits.length);
      if (left === this.scored.length - 1) exits[end] = 1;
      return exits;
    });
  }

  /** How the turn ends after a keep: by throws left over, the probability of every outcome. */
  exitsOf(keep: number): Float64Array[] {
    const { nRolls } = this.lattice;
    const { game } = this.table;
    const exits = this.scored.map(() => new Float64Array(game.outcomes.bits.length));
    let kept = new Map([[keep, 1]]);
    for (let left = this.rerolls - 1; left >= 0; left--) {
      const mass = this.spread(kept);
      kept = new Map();
      for (let roll = 0; roll < nRolls; roll++) {
        const prob = mass[roll] ?? 0;
        if (!prob) continue;
        const hold = left ? this.held(roll, left) : roll;
        const stops = !left || (game.saves_throws && hold === roll);
        if (stops) addTo(exits[game.saves_throws ? left : 0] as Float64Array, this.chosen(roll, left), prob);
        else kept.set(hold, (kept.get(hold) ?? 0) + prob);
      }
    }
    return exits;
  }

  private spread(kept: Map<number, number>): Float64Array {
    const { nKeeps, removed } = this.lattice;
    const mass = new Float64Array(nKeeps);
    for (const [keep, prob] of kept) mass[keep] = prob;
    for (let keep = nKeeps - 2; keep >= 0; keep--) {
      let sum = 0;
      for (const smaller of removed[keep] ?? []) sum += mass[smaller] ?? 0;
      mass[keep] = (mass[keep] ?? 0) + sum / this.table.game.faces;
    }
    return mass;
  }
}

const addTo = (sums: Float64Array, at: number, more: number): void => {
  sums[at] = (sums[at] ?? 0) + more;
};

const inside = new WeakMap<GameTables, Int32Array[]>();

/** Every keep inside a roll but the roll itself, in the order of their ids. */
export function keepsInside(game: GameTables, roll: number): Int32Array {
  let all = inside.get(game);
  if (!all) inside.set(game, (all = []));
  const known = all[roll];
  if (known) return known;
  const { removed } = tables.latticeOf(game);
  const found = new Set(removed[roll]);
  for (const keep of found) removed[keep]?.forEach((smaller) => found.add(smaller));
  return (all[roll] = Int32Array.from(found).sort());
}
