/**
 * Many turns at once under the best play of a table: how likely each way to end them is, in WebAssembly (`forward-code`).
 *
 * A group is four states of one set with neighbouring upper totals. Where throws are saved, turns are walked one by one.
 */
import { ForwardCode, forwardLayout, type ForwardLayout } from "./forward-code";
import { SuccessorLists, rowLayout, type ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { instantiate, type Functions } from "./turn-code";
import { FOUR, ONE, hasVectors, type Lanes } from "./wasm";

/** How many groups are walked together: their rows stay near the core, and the code is fetched once. */
export const AT_ONCE = 8;
const PAGE = 65536;

const compiled = new WeakMap<GameTables, Map<number, WebAssembly.Module>>();

/** What is compiled for a game is kept. */
function codeOf(game: GameTables, layout: ForwardLayout): WebAssembly.Module {
  let known = compiled.get(game);
  if (!known) compiled.set(game, (known = new Map()));
  let code = known.get(layout.lanes.n);
  if (!code) {
    const written = new ForwardCode(game, layout).outcomes().choose().look().settle().push();
    known.set(layout.lanes.n, (code = new WebAssembly.Module(written.module.bytes())));
  }
  return code;
}

export class Turns {
  readonly memory: WebAssembly.Memory;
  readonly call: Functions;
  /** Where memory is free for others, in bytes. */
  readonly free: number;
  private readonly game: GameTables;
  private readonly layout: ForwardLayout;
  private readonly lists: SuccessorLists;
  private readonly list: number;
  private readonly chosen: number;
  private readonly work: number;

  constructor(
    private readonly table: ValueTable,
    readonly lanes: Lanes = hasVectors() ? FOUR : ONE,
  ) {
    const { game } = table;
    this.game = game;
    this.layout = forwardLayout(game, lanes);
    const places = rowLayout(game, FOUR);
    const nowhere = places.n * places.stride * 4;
    this.list = nowhere + places.stride * 4;
    this.chosen = this.list + this.layout.listBytes;
    this.work = Math.ceil((this.chosen + 4 * game.categories.length) / 64) * 64;
    this.free = this.work + AT_ONCE * this.layout.group;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.free / PAGE) + 1 });
    const floats = new Float32Array(this.memory.buffer);
    floats.set(table.rows);
    floats.fill(-Infinity, nowhere / 4, this.list / 4);
    this.lists = new SuccessorLists(game, table.theta, places, table.refs, nowhere);
    this.call = instantiate(codeOf(game, this.layout), this.memory);
  }

  /** Walks groups, `AT_ONCE` of them at most: their sets, and their lowest upper totals. */
  walk(sets: readonly number[], uppers: readonly number[]): void {
    const { layout, call, work } = this;
    const n = sets.length;
    for (let i = 0, end = 0; i < n; i = end) {
      const [set, upper] = [sets[i] as number, uppers[i] as number];
      while (end < n && sets[end] === set && uppers[end] === upper + (end - i) * this.lanes.n) end++;
      this.lists.write(this.memory.buffer, this.list, set, upper, 0, this.lists.reference(set));
      (this.table.theta ? call.times : call.plus)(work + i * layout.group, end - i, this.list);
    }
    call.choose(work, n);
    this.special(sets, (group, row, ends) => call.special(group, 1, row, this.chosen, ends));
    call.look(work, n);
    call.settle(work, n);
    const mass = layout.mass * this.lanes.bytes;
    this.special(sets, (group, row, ends) => call.settleSpecial(group, row, row + mass, this.chosen, ends));
  }

  /** Where, among the float32 of the memory, group i has the probability of outcome 0 in a lane; the others lie `lanes.n` apart. */
  exitsAt = (i: number, lane: number): number =>
    (this.work + i * this.layout.group) / 4 + lane + this.layout.exits * this.lanes.n;

  /** For every group and special roll: lists the rows of its outcomes, and says where the roll's own is. */
  private special(sets: readonly number[], act: (group: number, row: number, ends: number) => void): void {
    const { game, layout, chosen } = this;
    const { bytes } = this.lanes;
    if (!game.special.length) return;
    const words = new Int32Array(this.memory.buffer, chosen, game.categories.length);
    sets.forEach((set, i) => {
      for (const { roll } of game.special) {
        const ends = tables.allowed(game, set, roll);
        ends.forEach((end, j) => (words[j] = (layout.ends + end) * bytes));
        act(this.work + i * layout.group, roll * bytes, ends.length);
      }
    });
  }
}

/** Outcomes by where they lead: those of a branch set the same bits and lift the upper total alike, in order of points. */
export interface Branches {
  bits: Int32Array;
  lift: Int32Array;
  category: Int32Array;
  /** Branch b has the outcomes `ends[first[b]]` to `ends[first[b + 1] - 1]`. */
  first: Int32Array;
  ends: Int32Array;
  points: Int32Array;
}

export function branchesOf(game: GameTables): Branches {
  const { bits, lift, category } = game.outcomes;
  const pointsOf = (end: number): number => tables.pointsOf(game, end);
  const by = [(end: number) => bits[end] ?? 0, (end: number) => lift[end] ?? 0];
  const ends = bits.map((_, end) => end);
  ends.sort((a, b) => [...by, pointsOf].reduce((order, of) => order || of(a) - of(b), 0));
  const heads = ends.flatMap((end, i) => (by.every((of) => i && of(end) === of(ends[i - 1] ?? 0)) ? [] : [i]));
  const ofHeads = (of: (end: number) => number): Int32Array => Int32Array.from(heads, (i) => of(ends[i] ?? 0));
  return {
    bits: ofHeads((end) => bits[end] ?? 0),
    lift: ofHeads((end) => lift[end] ?? 0),
    category: ofHeads((end) => category[end] ?? 0),
    first: Int32Array.from([...heads, ends.length]),
    ends: Int32Array.from(ends),
    points: Int32Array.from(ends, pointsOf),
  };
}
