/**
 * The greatest chance of a target, solved from a state late in the game: `reach` of `yatzy.solver.goals`.
 *
 *     F(s, need) = sum over rolls r of P(r) * best(r, rerolls),      best(r, 0) = max over outcomes of F(after, need - points)
 *     F(all, need) = 1 if the bonus covers the need, else 0
 *
 * With `wins`, the chance that each final score wins against others, the same recursion maximises the chance to win:
 * needs are points below the score that wins for certain, and F(all, need) = wins(that score - need + bonus).
 *
 * The turn is that of `solve` with other lanes: needs instead of upper totals. A row holds F for needs from none to the
 * most that open boxes can bring; before it lie ones, after it zeros, further than any turn reaches.
 */
import { instantiate, layoutOf, TurnCode, type Functions, type Layout } from "./turn-code";
import type { Steps } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import type { State } from "./types";
import { FOUR, hasVectors, ONE, type Lanes } from "./wasm";

const PAGE = 65536;
const GROUPS_AT_ONCE = 16;
const ROWS_AT_ONCE = 64;

interface Row {
  /** Index of F(., 0) in the memory, as float32. */
  at: number;
  length: number;
}

/** What each final score is worth: `scores[s]` is the chance that s wins, the last one is 1; `points` are on the card. */
export interface WinChances {
  scores: readonly number[];
  points: number;
}

/** Chances for everything that can follow a state. */
export class TargetSolver {
  private readonly layout: Layout;
  private readonly memory: WebAssembly.Memory;
  private readonly call: Functions;
  private readonly floats: Float32Array;
  private readonly rows = new Map<number, Row>();
  private readonly order: { set: number; upper: number; row: Row }[] = [];
  private readonly list: number;
  private readonly chosen: number;
  private readonly work: number;
  private readonly nUppers: number;
  private readonly points: number[];
  private readonly nowhere: number;

  constructor(
    private readonly game: GameTables,
    private readonly start: State,
    private readonly wins: WinChances | null = null,
    private readonly lanes: Lanes = hasVectors() ? FOUR : ONE,
  ) {
    this.layout = layoutOf(game, lanes);
    this.nUppers = game.bonus_threshold + 1;
    this.points = game.outcomes.bits.map((_, end) => tables.pointsOf(game, end));
    const pad = Math.max(...this.points) + 8;
    const longest = this.lengthOf(start.set);
    this.nowhere = pad;
    let next = pad + longest + pad;
    for (const [set, uppers] of this.states())
      for (const upper of uppers) {
        const row = { at: next + pad, length: this.lengthOf(set) };
        this.rows.set(set * this.nUppers + upper, row);
        this.order.push({ set, upper, row });
        next += pad + row.length + pad;
      }
    this.list = 4 * next;
    this.chosen = this.list + this.layout.listBytes;
    this.work = Math.ceil((this.chosen + 4 * game.categories.length) / 64) * 64;
    const bytes = this.work + GROUPS_AT_ONCE * this.layout.group;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    this.floats = new Float32Array(this.memory.buffer);
    this.floats.fill(-Infinity, 0, pad + longest + pad);
    for (const { row } of this.order) this.floats.fill(1, row.at - pad, row.at + 1);
    const passes = new TurnCode(game, this.layout).own().choose().reroll().expect();
    this.call = instantiate(new WebAssembly.Module(passes.module.bytes()), this.memory);
  }

  /** How many needs there are: none, and up to what can still be brought, or for wins up to what is on the card. */
  private lengthOf(set: number): number {
    const { wins, game } = this;
    return wins ? Math.max(1, wins.scores.length - wins.points) : this.most(set) + game.bonus + 1;
  }

  /** The most that the open boxes of a set can bring. */
  private most(set: number): number {
    const best = this.game.categories.map(() => 0);
    this.game.outcomes.category.forEach((category, end) => {
      if (!tables.isFilled(set, category)) best[category] = Math.max(best[category] ?? 0, this.points[end] ?? 0);
    });
    return best.reduce((sum, one) => sum + one, 0);
  }

  /** Upper totals by set of all states that can follow; those of a lost bonus are one. */
  private states(): Map<number, Set<number>> {
    const { game, start } = this;
    const found = new Map([[start.set, new Set([this.classOf(start.set, start.upper)])]]);
    for (const [set, uppers] of found)
      game.outcomes.bits.forEach((bits, end) => {
        if (!tables.isOpen(game, set, game.outcomes.category[end] ?? 0)) return;
        let to = found.get(set | bits);
        if (!to) found.set(set | bits, (to = new Set()));
        for (const upper of uppers) to.add(this.classOf(set | bits, upper + (game.outcomes.lift[end] ?? 0)));
      });
    return found;
  }

  private classOf(set: number, upper: number): number {
    const { low, high } = this.game.uppers[tables.upperSet(this.game, set)] ?? { low: 0, high: 0 };
    return Math.max(low, Math.min(upper, high));
  }

  /** Solves bit by bit. */
  *steps(): Steps<this> {
    const { game, floats } = this;
    // Sets that follow have more boxes filled; Map keeps the order in which they were found, layer by layer.
    const order = this.order.toReversed();
    for (const [i, { set, upper, row }] of order.entries()) {
      if (tables.nFilled(game, set) === game.categories.length) {
        const covered = upper >= game.bonus_threshold ? game.bonus : 0;
        if (this.wins) this.fillWins(row, covered);
        else floats.fill(1, row.at, row.at + 1 + covered);
      } else this.solveRow(set, upper, row);
      if (i % ROWS_AT_ONCE === 0) yield i / order.length;
    }
    return this;
  }

  private fillWins({ at, length }: Row, covered: number): void {
    const { scores } = this.wins as WinChances;
    const certain = scores.length - 1;
    for (let need = 0; need < length; need++)
      this.floats[at + need] = scores[Math.min(certain, certain - need + covered)] ?? 0;
  }

  private solveRow(set: number, upper: number, row: Row): void {
    const { game, call, work, layout, lanes, floats } = this;
    const words = new Int32Array(this.memory.buffer, this.list, game.outcomes.bits.length);
    const after = game.outcomes.bits.map((bits, end) => {
      if (!tables.isOpen(game, set, game.outcomes.category[end] ?? 0)) return null;
      return this.find(set | bits, upper + (game.outcomes.lift[end] ?? 0)).at - (this.points[end] ?? 0);
    });
    const special = game.special.map(({ roll }) => ({ roll, ends: tables.allowed(game, set, roll) }));
    const chosen = new Int32Array(this.memory.buffer, this.chosen, game.categories.length);
    const all = Math.ceil((row.length - 1) / lanes.n);
    for (let first = 0; first < all; first += GROUPS_AT_ONCE) {
      const groups = Math.min(GROUPS_AT_ONCE, all - first);
      // Needs from 1 on: none is certain.
      const need = 1 + first * lanes.n;
      after.forEach((at, end) => (words[end] = 4 * (at === null ? this.nowhere : at + need)));
      call.own(work, groups, this.list);
      call.choose(work, groups);
      for (const { roll, ends } of special) {
        ends.forEach((end, i) => (chosen[i] = (layout.ends + end) * lanes.bytes));
        call.special(work, groups, roll * lanes.bytes, this.chosen, ends.length);
      }
      for (let left = 0; left < game.rerolls; left++) call.throwing(work, groups);
      call.expect(work, groups, 4 * (row.at + need));
    }
    // The last group may reach past the end.
    floats.fill(0, row.at + row.length, row.at + row.length + lanes.n);
  }

  private find(set: number, upper: number): Row {
    const row = this.rows.get(set * this.nUppers + this.classOf(set, upper));
    if (!row) throw new Error("this state does not follow");
    return row;
  }

  /** Was this state among those that can follow? */
  leadsTo = (set: number, upper: number): boolean => this.rows.has(set * this.nUppers + this.classOf(set, upper));

  /** The greatest chance of `need` points or more, the bonus included. */
  chance({ set, upper }: State, need: number): number {
    const { at, length } = this.find(set, upper);
    if (need <= 0) return 1;
    return need < length ? (this.floats[at + need] ?? 0) : 0;
  }
}
