/**
 * One turn of a game as straight-line WebAssembly, written for the tables of that game.
 *
 * A work buffer is a stack of rows, one for each keep (rolls first), then the floor (the best that scoring nothing can
 * be worth) and the outcomes; a row has four lanes, one state in each. Groups of four states lie one after another, and
 * every pass runs over all groups of a set before the next begins: its code is long, and is fetched once.
 *
 *     outcomes   what each outcome is worth: utility of the state after it, plus points or times a weight
 *     choose     roll = best of the floor and its outcomes with points
 *     throwing   keep = mean over the next die, then best of itself and its parts: what one reroll is worth
 *     expect     the mean over the first throw
 */
import { latticeOf, pointsOf, successorsOf, type GameTables } from "./tables";
import { Code, Module, type Lanes } from "./wasm";

/** How many steps are one function: browsers optimise long ones late and slowly. */
const STEPS = 48;

export interface Layout {
  floor: number;
  /** Row of an outcome: this plus its number. */
  ends: number;
  rows: number;
  lanes: Lanes;
  /** Bytes of one group. */
  group: number;
  /** The list that `outcomes` reads: an address for each successor, then a weight for each outcome. */
  successors: number;
  listBytes: number;
}

export function layoutOf(game: GameTables, lanes: Lanes): Layout {
  const [floor, n] = [game.keeps.length, game.outcomes.bits.length];
  const successors = successorsOf(game).bits.length;
  const rows = floor + 1 + n;
  return { floor, ends: floor + 1, rows, lanes, group: rows * lanes.bytes, successors, listBytes: 4 * (n + n) };
}

export type Step = [row: number, sources: number[]];

/** Writes the functions of a game into a module, one method each. */
export class TurnCode {
  readonly module = new Module();

  constructor(
    readonly game: GameTables,
    readonly layout: Layout,
  ) {}

  protected code(params: number): Code {
    return new Code(this.layout.lanes, params);
  }

  protected at = (row: number): number => row * this.layout.lanes.bytes;

  /**
   * Straight-line steps over all groups (work, groups), in pieces. `write` adds one step; it has a local that holds one
   * part in as many as a die has faces, and three for lanes of its own.
   */
  protected pieces(
    steps: readonly Step[],
    write: (code: Code, step: Step, share: number, locals: readonly number[]) => void,
  ): number[] {
    const made = [];
    for (let first = 0; first < steps.length; first += STEPS) {
      const code = this.code(2);
      const share = code.local("lanes");
      const locals = [code.local("lanes"), code.local("lanes"), code.local("lanes")];
      code.constant(1 / this.game.faces).set(share);
      code.loop(1, () => {
        for (const step of steps.slice(first, first + STEPS)) write(code, step, share, locals);
        code.advance(0, this.layout.group);
      });
      made.push(this.module.add(code));
    }
    return made;
  }

  /** A function (work, groups) that calls pieces one after another. */
  protected sequence(name: string, pieces: readonly number[]): void {
    const code = this.code(2);
    for (const piece of pieces) code.get(0).get(1).call(piece);
    this.module.add(code, name);
  }

  /** Several rows as one: their sum, or the largest. */
  protected fold(code: Code, rows: readonly number[], join: "add" | "max"): Code {
    rows.forEach((row, i) => {
      code.load(0, this.at(row));
      if (i) code[join]();
    });
    return code;
  }

  protected maxima(steps: readonly Step[]): number[] {
    return this.pieces(steps, (code, [row, sources]) => {
      this.fold(code.get(0), sources, "max").store(this.at(row));
    });
  }

  protected means(steps: readonly Step[]): number[] {
    return this.pieces(steps, (code, [row, sources], share) => {
      this.fold(code.get(0), sources, "add").get(share).mul().store(this.at(row));
    });
  }

  /** Rolls that are not special, with their outcomes that bring points. */
  protected scored(): Step[] {
    const { game, layout } = this;
    return game.ways
      .map((_, roll): Step => {
        const ends = (game.readings[roll] ?? []).filter((end) => end >= 0 && pointsOf(game, end) > 0);
        return [roll, ends.map((end) => layout.ends + end)];
      })
      .filter(([roll]) => !game.special.some((one) => one.roll === roll));
  }

  choose(): this {
    const { floor } = this.layout;
    this.sequence("choose", this.maxima(this.scored().map(([roll, ends]) => [roll, [floor, ...ends]])));
    if (this.game.saves_throws)
      this.sequence("stay", this.maxima(this.scored().map(([roll, ends]) => [roll, [roll, floor, ...ends]])));
    return this.special();
  }

  /** `special(work, groups, row, list, n)`: a row becomes the best of n rows, listed by their offsets. */
  private special(): this {
    const code = this.code(5);
    const [from, left, row, best] = [code.local("i32"), code.local("i32"), code.local("i32"), code.local("lanes")];
    code.loop(1, () => {
      code.get(4).set(left).get(3).set(from);
      code.constant(-Infinity).set(best);
      code.loop(left, () => {
        code.get(0).word(from, 0).plus().set(row);
        code.get(best).load(row, 0).max().set(best).advance(from, 4);
      });
      code.get(0).get(2).plus().set(row);
      code.get(row).get(best).store(0);
      code.advance(0, this.layout.group);
    });
    this.module.add(code, "special");
    return this;
  }

  reroll(): this {
    const { added, removed, nRolls, nKeeps } = latticeOf(this.game);
    const below = Array.from({ length: nKeeps - nRolls }, (_, i): Step => [nRolls + i, added[nRolls + i] ?? []]);
    const above = Array.from({ length: nKeeps - 1 }, (_, i): Step => {
      const keep = nKeeps - 2 - i;
      return [keep, [keep, ...(removed[keep] ?? [])]];
    });
    this.sequence("throwing", [...this.means(below), ...this.maxima(above)]);
    return this;
  }

  /** `expect(work, groups, target)`: rolls that are equally likely are added up before they are weighed. */
  expect(): this {
    const { prob } = latticeOf(this.game);
    const code = this.code(3);
    code.loop(1, () => {
      code.get(2);
      [...new Set(prob)].forEach((chance, i) => {
        const rolls = [...prob.keys()].filter((roll) => prob[roll] === chance);
        this.fold(code, rolls, "add").constant(chance).mul();
        if (i) code.add();
      });
      code.store(0);
      code.advance(0, this.layout.group).advance(2, this.layout.lanes.bytes);
    });
    this.module.add(code, "expect");
    return this;
  }

  /** `plus(work, groups, list)` and `times`: see `Layout` for the list. */
  outcomes(): this {
    const { game, layout } = this;
    const { of, bits } = successorsOf(game);
    for (const name of ["plus", "times"] as const) {
      const code = this.code(3);
      const after = bits.map((_, i) => {
        const local = code.local("i32");
        code.word(2, 4 * i).set(local);
        return local;
      });
      code.loop(1, () => {
        game.outcomes.bits.forEach((_, end) => {
          code.get(0).load(after[of[end] ?? 0] ?? 0, 4 * (game.outcomes.lift[end] ?? 0));
          code.weight(2, 4 * (bits.length + end));
          if (name === "plus") code.add();
          else code.mul();
          code.store(this.at(layout.ends + end));
        });
        this.floor(code);
        for (const local of after) code.advance(local, layout.lanes.bytes);
        code.advance(0, layout.group);
      });
      this.module.add(code, name);
    }
    return this;
  }

  /** `own(work, groups, list)`: outcomes are read as they are, from an address each; see `target`. */
  own(): this {
    const { game, layout } = this;
    const code = this.code(3);
    const [from, group] = [code.local("i32"), code.local("i32")];
    code.loop(1, () => {
      game.outcomes.bits.forEach((_, end) => {
        code
          .word(2, 4 * end)
          .get(group)
          .plus()
          .set(from);
        code
          .get(0)
          .load(from, 0)
          .store(this.at(layout.ends + end));
      });
      this.floor(code);
      code.advance(group, layout.lanes.bytes).advance(0, layout.group);
    });
    this.module.add(code, "own");
    return this;
  }

  private floor(code: Code): void {
    const { game, layout } = this;
    const ends = [...game.outcomes.bits.keys()].filter((end) => !pointsOf(game, end));
    this.fold(
      code.get(0),
      ends.map((end) => layout.ends + end),
      "max",
    ).store(this.at(layout.floor));
  }
}

/** The functions of a module by name, those that were written. */
export type Functions = Record<
  | "choose"
  | "stay"
  | "special"
  | "throwing"
  | "expect"
  | "plus"
  | "times"
  | "look"
  | "settle"
  | "settleSpecial"
  | "push"
  | "own"
  | "begin"
  | "score"
  | "reroll"
  | "last",
  (...numbers: number[]) => void
>;

export function instantiate(compiled: WebAssembly.Module, memory: WebAssembly.Memory): Functions {
  return new WebAssembly.Instance(compiled, { page: { memory } }).exports as Functions;
}
