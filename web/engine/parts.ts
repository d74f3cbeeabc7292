/**
 * What each box, the bonus and extra points will bring under the best play: `yatzy.measure.parts`.
 *
 *     V_c(s) = sum over outcomes o of q(o | s) * (points that o brings c + V_c(after)),      V(s) = sum over c of V_c(s)
 *
 * where q is how likely the turn of s ends so. The same holds for actions, so that the regret of an action is the sum of
 * Q_c(best) - Q_c(action). Under a risk these are points all the same, which then need not add up to what is lost.
 *
 * All upper totals of a set are worked out together, sets with more filled boxes first; what is known is kept. A state has
 * a number for each of its open boxes, in their order, then those for the bonus and extra points where a game has
 * them. Lists of parts that are given out have a number for every box.
 */
import constants from "./constants.json";
import type { Steps, ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { stateAfter, type Turn } from "./turn";
import { AT_ONCE, Turns, branchesOf, type Branches } from "./turns";
import type { ExplainedAdvice, Move, State } from "./types";

/** Do points come beside the boxes? */
const hasExtra = (game: GameTables): boolean => game.outcomes.extra.some(Boolean);

/** How many parts there are: boxes, the bonus where a game has one, and extra points where it has these. */
export const nParts = (game: GameTables): number =>
  game.categories.length + (game.bonus ? 1 : 0) + (hasExtra(game) ? 1 : 0);

/** Parts of a state, one number for each; null where they are not known yet. */
export type PartsOf = (state: State) => ArrayLike<number> | null;

export class Parts {
  private readonly game: GameTables;
  private readonly layers: Int32Array[];
  /** By set: where its first number is, its lowest and highest upper total, and how many parts a state has. */
  private readonly start: Float64Array;
  private readonly low: Int32Array;
  private readonly high: Int32Array;
  private readonly width: Int32Array;
  private readonly isKnown: Uint8Array;
  private readonly found: Float32Array;
  private readonly branches: Branches;
  private readonly boxPoints: Float64Array;
  private readonly extraPoints: Float64Array;
  private turns: Turns | null = null;
  private floats = new Float32Array();
  // The set that is worked out: its open branches, where each leads and which part its points are.
  private set = -1;
  private nOpen = 0;
  private readonly open: Int32Array;
  private readonly next: Int32Array;
  private readonly part: Int32Array;
  private readonly sums: Float64Array;

  constructor(
    private readonly table: ValueTable,
    kept?: Float32Array,
  ) {
    const { game } = table;
    this.game = game;
    this.layers = tables.layersOf(game);
    const n = tables.nSets(game);
    this.start = new Float64Array(n);
    [this.low, this.high, this.width] = [new Int32Array(n), new Int32Array(n), new Int32Array(n)];
    this.isKnown = new Uint8Array(n).fill(kept ? 1 : 0);
    const others = nParts(game) - game.categories.length;
    let size = 0;
    for (const sets of this.layers)
      for (const set of sets) {
        const { low, high } = game.uppers[tables.upperSet(game, set)] ?? { low: 0, high: 0 };
        [this.start[set], this.low[set], this.high[set]] = [size, low, high];
        this.width[set] = game.categories.length - tables.nFilled(game, set) + others;
        size += (high - low + 1) * (this.width[set] ?? 0);
      }
    this.found = kept?.length === size ? kept : new Float32Array(size);
    if (this.found !== kept) this.isKnown.fill(0);
    this.branches = branchesOf(game);
    const { ends, bits } = this.branches;
    const of = (column: number[]): Float64Array => Float64Array.from(ends, (end) => column[end] ?? 0);
    [this.boxPoints, this.extraPoints] = [of(game.outcomes.points), of(game.outcomes.extra)];
    this.open = new Int32Array(bits.length);
    this.next = new Int32Array(bits.length);
    this.part = new Int32Array(bits.length);
    this.sums = new Float64Array(nParts(game));
  }

  /** Everything, to be kept; null while parts of it are missing. */
  get all(): Float32Array | null {
    return this.knows(0) ? this.found : null;
  }

  /** Is all known that may follow a set? */
  knows = (set: number): boolean =>
    this.layers.every((sets) => sets.every((one) => one === set || (one & set) !== set || this.isKnown[one]));

  /** Works out what may follow a set, and tells what share is done. */
  *steps(from: number): Steps<void> {
    const wanted = this.layers
      .map((sets) => sets.filter((set) => set !== from && (set & from) === from && !this.isKnown[set]))
      .toReversed();
    const all = wanted.reduce((sum, sets) => sum + sets.length, 0);
    let done = 0;
    for (const sets of wanted) {
      const groups = { sets: [] as number[], uppers: [] as number[] };
      let first = 0;
      for (const [i, set] of sets.entries()) {
        if (tables.nFilled(this.game, set) === this.game.categories.length) this.finish(set);
        else
          for (let upper = this.low[set] ?? 0; upper <= (this.high[set] ?? 0); upper += this.lanes) {
            groups.sets.push(set);
            groups.uppers.push(upper);
            if (groups.sets.length < AT_ONCE) continue;
            this.walk(groups.sets, groups.uppers);
            groups.sets = [];
            groups.uppers = [];
            yield (done + i) / all;
          }
        // The sets before this one are complete unless their last group still waits.
        for (const ready = groups.sets[0] ?? set + 1; (sets[first] ?? Infinity) < ready; first++)
          this.isKnown[sets[first] ?? 0] = 1;
      }
      if (groups.sets.length) this.walk(groups.sets, groups.uppers);
      for (const set of sets) this.isKnown[set] = 1;
      done += sets.length;
    }
  }

  private get lanes(): number {
    return this.walker().lanes.n;
  }

  private walker(): Turns {
    if (!this.turns) {
      this.turns = new Turns(this.table);
      this.floats = new Float32Array(this.turns.memory.buffer);
    }
    return this.turns;
  }

  /** Finished games: the bonus, or nothing. */
  private finish(set: number): void {
    const [low, high, width] = [this.low[set] ?? 0, this.high[set] ?? 0, this.width[set] ?? 0];
    for (let upper = low; upper <= high && this.game.bonus; upper++)
      if (upper >= this.game.bonus_threshold)
        this.found[(this.start[set] ?? 0) + (upper - low) * width] = this.game.bonus;
    this.isKnown[set] = 1;
  }

  private walk(sets: readonly number[], uppers: readonly number[]): void {
    const turns = this.walker();
    turns.walk(sets, uppers);
    for (const [i, set] of sets.entries()) {
      this.look(set);
      const upper = uppers[i] ?? 0;
      const last = Math.min(upper + turns.lanes.n - 1, this.high[set] ?? 0);
      for (let lane = 0; upper + lane <= last; lane++) this.combine(set, upper + lane, turns.exitsAt(i, lane));
    }
  }

  /** Open branches of a set. */
  private look(set: number): void {
    if (set === this.set) return;
    this.set = set;
    this.nOpen = 0;
    const { bits, category } = this.branches;
    for (let branch = 0; branch < bits.length; branch++) {
      const box = category[branch] as number;
      if (!tables.isOpen(this.game, set, box)) continue;
      this.open[this.nOpen] = branch;
      this.next[this.nOpen] = set | (bits[branch] as number);
      this.part[this.nOpen++] = box - tables.nFilled(this.game, set & ((1 << box) - 1));
    }
  }

  /** Parts of one state, from how likely its turn ends in each way. */
  private combine(set: number, upper: number, exits: number): void {
    const { floats, found, sums, boxPoints, extraPoints } = this;
    const { first, ends, lift } = this.branches;
    const [width, lanes] = [this.width[set] as number, (this.turns as Turns).lanes.n];
    sums.fill(0);
    let all = 0;
    for (let i = 0; i < this.nOpen; i++) {
      const branch = this.open[i] as number;
      let [prob, points, extra] = [0, 0, 0];
      const last = first[branch + 1] as number;
      for (let j = first[branch] as number; j < last; j++) {
        const one = floats[exits + (ends[j] as number) * lanes] as number;
        prob += one;
        points += one * (boxPoints[j] as number);
        extra += one * (extraPoints[j] as number);
      }
      if (!(prob > 0)) continue;
      all += prob;
      const [next, part] = [this.next[i] as number, this.part[i] as number];
      sums[part] = (sums[part] as number) + points;
      if (extra) sums[width - 1] = (sums[width - 1] as number) + extra;
      const low = this.low[next] as number;
      const total = Math.min(Math.max(upper + (lift[branch] as number), low), this.high[next] as number);
      // The state after it has one open box fewer.
      let from = (this.start[next] as number) + (total - low) * (width - 1);
      for (let to = 0; to < width; to++)
        if (to !== part) sums[to] = (sums[to] as number) + prob * (found[from++] as number);
    }
    const at = (this.start[set] as number) + (upper - (this.low[set] as number)) * width;
    // Probabilities in float32 add up to 1 but for rounding.
    for (let to = 0; to < width; to++) found[at + to] = (sums[to] as number) / all;
  }

  /** Parts of a state that may follow a set which is known. */
  of: PartsOf = ({ set, upper }) => {
    if (!this.isKnown[set]) return null;
    const { categories } = this.game;
    const low = this.low[set] ?? 0;
    const total = Math.min(Math.max(upper, low), this.high[set] ?? 0);
    let at = (this.start[set] ?? 0) + (total - low) * (this.width[set] ?? 0);
    return Float64Array.from({ length: nParts(this.game) }, (_, i) =>
      i < categories.length && tables.isFilled(set, i) ? 0 : (this.found[at++] ?? 0),
    );
  };
}

/** What each part will bring after an action: in this turn alone, and in all; how likely each outcome ends the turn. */
interface ActionParts {
  now: number[];
  all: number[];
  ends: number[];
}

/** Dice at the end of a turn, or kept, and what each part will bring then; null where that is not known. */
function partsAfter(turn: Turn, end: number | null, keep: number, of: PartsOf): ActionParts | null {
  const { game } = turn.table;
  const { category, points, extra } = game.outcomes;
  const now = new Array<number>(nParts(game)).fill(0);
  const later = [...now];
  const ends: number[] = [];
  const put = (sums: number[], part: number, more: number): void => {
    sums[part] = (sums[part] ?? 0) + more;
  };
  for (const [left, exits] of turn.exitsAfter(end, keep).entries())
    for (const [one, prob] of exits.entries()) {
      if (!prob) continue;
      const after = of(stateAfter(game, turn.state, one, left));
      if (!after) return null;
      put(ends, one, prob);
      put(now, category[one] ?? 0, prob * (points[one] ?? 0));
      if (extra[one]) put(now, now.length - 1, prob * extra[one]);
      for (let part = 0; part < later.length; part++) put(later, part, prob * (after[part] ?? 0));
    }
  return { now, all: now.map((one, part) => one + (later[part] ?? 0)), ends };
}

/** By action, the best first, what each part will bring if the turn goes on as `turn` plays it; null if not known. */
export function partsOfActions(
  turn: Turn,
  dice: readonly number[],
  actions: readonly Move[],
  of: PartsOf,
): Omit<ExplainedAdvice, "advice"> | null {
  const { game } = turn.table;
  const { category, points } = game.outcomes;
  const ends = turn.endsOf(tables.keepId(game, dice));
  const found = actions.map(({ keep, score }) => {
    if (keep) return partsAfter(turn, null, tables.keepId(game, keep), of);
    return partsAfter(turn, ends.find((end) => game.outcomes.category[end] === score) ?? null, -1, of);
  });
  if (!found.every((one) => one !== null)) return null;
  const usual = found[0]?.all ?? [];
  const little = found.map((one) => {
    const sums = new Array<number>(nParts(game)).fill(0);
    one.ends.forEach((prob, end) => {
      const box = category[end] ?? 0;
      if ((points[end] ?? 0) < constants.why.little * (usual[box] ?? 0)) sums[box] = (sums[box] ?? 0) + prob;
    });
    return sums;
  });
  return { parts: found.map(({ all }) => all), now: found.map(({ now }) => now), little };
}
