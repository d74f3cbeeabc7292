/**
 * Where a turn leads, for four states at a time: probability walked forward along the best play, in WebAssembly.
 *
 * First the turn is walked back as in `turn-code`, but what keeps are worth (V) and the best of their parts (B) are kept
 * for every reroll. Then probability starts at the rolls and takes the way that the maximum came:
 *
 *     hold     mass of K stays there if V(K) = B(K), else it goes on to the first part K - f with B(K - f) = B(K)
 *     spread   mass(K) = mass(K) + 1/faces * sum over parts of mass(K - f): the dice that are thrown
 *     settle   mass of a roll goes to the first of its outcomes that is worth what the roll is
 *
 * A maximum is one of the numbers it was taken of, so that comparing for equality is safe. Games that save throws are
 * walked state by state instead (`outlook`).
 */
import { latticeOf, pointsOf, type GameTables } from "./tables";
import { TurnCode, layoutOf, type Layout } from "./turn-code";
import type { Code, Lanes } from "./wasm";

/** How many numbers are added at once: behind every row lie as many zeros, which may be read but are no part of it. */
export const BLOCK = 16;
export interface ForwardLayout extends Layout {
  mass: number;
  /** Row of the probability of an outcome: this plus its number. */
  exits: number;
}

export function forwardLayout(game: GameTables, lanes: Lanes): ForwardLayout {
  const plain = layoutOf(game, lanes);
  const { nKeeps } = latticeOf(game);
  const mass = plain.rows + Math.max(0, 2 * game.rerolls - 1) * nKeeps;
  const exits = mass + nKeeps;
  const rows = exits + game.outcomes.bits.length + 1;
  return { ...plain, rows, group: rows * lanes.bytes, mass, exits };
}

export class ForwardCode extends TurnCode {
  constructor(
    game: GameTables,
    private readonly forward: ForwardLayout,
  ) {
    super(game, forward);
  }

  /** Row of what a keep is worth with this many rerolls left; rolls are worth what they are with one fewer. */
  private value(left: number, keep: number): number {
    const { nRolls, nKeeps } = latticeOf(this.game);
    if (left === 1) return keep;
    if (keep < nRolls) return this.best(left - 1, keep);
    return this.forward.ends + this.game.outcomes.bits.length + (2 * left - 3) * nKeeps + keep;
  }

  private best(left: number, keep: number): number {
    const { nKeeps } = latticeOf(this.game);
    return this.forward.ends + this.game.outcomes.bits.length + (2 * left - 2) * nKeeps + keep;
  }

  /** `look(work, groups)`: from what the rolls are worth to how likely they are when the turn ends. */
  look(): this {
    const { game } = this;
    const { nRolls, nKeeps, added, removed } = latticeOf(game);
    const keeps = Array.from({ length: nKeeps }, (_, keep) => keep);
    const upwards = keeps.toReversed();
    const pieces: number[] = [];
    for (let left = 1; left <= game.rerolls; left++) {
      const value = (keep: number): number => this.value(left, keep);
      const best = (keep: number): number => this.best(left, keep);
      pieces.push(
        ...this.means(keeps.slice(nRolls).map((keep) => [value(keep), (added[keep] ?? []).map(value)])),
        ...this.maxima(upwards.map((keep) => [best(keep), [value(keep), ...(removed[keep] ?? []).map(best)]])),
      );
    }
    pieces.push(this.begin());
    for (let left = game.rerolls; left >= 1; left--)
      pieces.push(...this.hold(left), ...this.spread(), ...(left > 1 ? [this.clear(nRolls, nKeeps)] : []));
    this.sequence("look", pieces);
    return this;
  }

  private zero(code: Code, row: number): void {
    code.get(0).constant(0).store(this.at(row));
  }

  /** Every roll as likely as it is in the first throw, no keep held and no outcome yet. */
  private begin(): number {
    const { nKeeps, prob } = latticeOf(this.game);
    const { mass, exits } = this.forward;
    const code = this.code(2);
    code.loop(1, () => {
      prob.forEach((chance, roll) =>
        code
          .get(0)
          .constant(chance)
          .store(this.at(mass + roll)),
      );
      for (let keep = prob.length; keep < nKeeps; keep++) this.zero(code, mass + keep);
      for (let end = 0; end <= this.game.outcomes.bits.length; end++) this.zero(code, exits + end);
      code.advance(0, this.layout.group);
    });
    return this.module.add(code);
  }

  private clear(from: number, to: number): number {
    const code = this.code(2);
    code.loop(1, () => {
      for (let keep = from; keep < to; keep++) this.zero(code, this.forward.mass + keep);
      code.advance(0, this.layout.group);
    });
    return this.module.add(code);
  }

  private hold(left: number): number[] {
    const { removed, nKeeps } = latticeOf(this.game);
    const { mass } = this.forward;
    const steps = Array.from({ length: nKeeps }, (_, keep): [number, number[]] => [keep, removed[keep] ?? []]);
    return this.pieces(steps, (code, [keep, parts], _share, [rest = 0, best = 0, is = 0]) => {
      if (!parts.length) return;
      code.load(0, this.at(this.best(left, keep))).tee(best);
      code
        .load(0, this.at(this.value(left, keep)))
        .equal()
        .set(is);
      code.load(0, this.at(mass + keep)).set(rest);
      code
        .get(0)
        .get(rest)
        .get(is)
        .where()
        .store(this.at(mass + keep));
      parts.forEach((part) => {
        code.get(rest).get(is).whereNot().set(rest);
        code
          .get(best)
          .load(0, this.at(this.best(left, part)))
          .equal()
          .set(is);
        code
          .get(0)
          .load(0, this.at(mass + part))
          .get(rest)
          .get(is)
          .where()
          .add()
          .store(this.at(mass + part));
      });
    });
  }

  private spread(): number[] {
    const { removed, nKeeps } = latticeOf(this.game);
    const { mass } = this.forward;
    const steps = Array.from({ length: nKeeps - 1 }, (_, i): [number, number[]] => {
      const keep = nKeeps - 2 - i;
      return [keep, removed[keep] ?? []];
    });
    return this.pieces(steps, (code, [keep, parts], share) => {
      const rows = parts.map((part) => mass + part);
      this.fold(code.get(0), rows, "add")
        .get(share)
        .mul()
        .load(0, this.at(mass + keep))
        .add()
        .store(this.at(mass + keep));
    });
  }

  /** `settle(work, groups)`: ordinary rolls; what scores nothing goes to the first box where that is best. */
  settle(): this {
    const { game } = this;
    const { mass, exits, ends, floor } = this.forward;
    const floored = exits + game.outcomes.bits.length;
    const pieces = this.pieces(this.scored(), (code, [roll, rows], _share, [rest = 0, best = 0, is = 0]) => {
      code
        .load(0, this.at(roll))
        .set(best)
        .load(0, this.at(mass + roll))
        .set(rest);
      for (const row of rows) {
        const to = this.at(row - ends + exits);
        code.get(best).load(0, this.at(row)).equal().set(is);
        code.get(0).load(0, to).get(rest).get(is).where().add().store(to);
        code.get(rest).get(is).whereNot().set(rest);
      }
      code.get(0).load(0, this.at(floored)).get(rest).add().store(this.at(floored));
    });
    const zeros = game.outcomes.bits.map((_, end) => end).filter((end) => !pointsOf(game, end));
    pieces.push(
      ...this.pieces([[floor, zeros]], (code, _step, _share, [rest = 0, best = 0, is = 0]) => {
        code.load(0, this.at(floor)).set(best).load(0, this.at(floored)).set(rest);
        for (const end of zeros) {
          const to = this.at(exits + end);
          code
            .get(best)
            .load(0, this.at(ends + end))
            .equal()
            .set(is);
          code.get(0).load(0, to).get(rest).get(is).where().add().store(to);
          code.get(rest).get(is).whereNot().set(rest);
        }
      }),
    );
    this.sequence("settle", pieces);
    return this.settleSpecial();
  }

  /** `settleSpecial(work, roll row, mass row, list, n)`: one group; n outcomes, listed by the offsets of their rows. */
  private settleSpecial(): this {
    const { ends, exits } = this.forward;
    const code = this.code(5);
    const [rest, best, is] = [code.local("lanes"), code.local("lanes"), code.local("lanes")];
    const row = code.local("i32");
    code.get(0).get(1).plus().set(row).load(row, 0).set(best);
    code.get(0).get(2).plus().set(row).load(row, 0).set(rest);
    code.loop(4, () => {
      code.get(0).word(3, 0).plus().set(row);
      code.get(best).load(row, 0).equal().set(is);
      const shift = this.at(exits - ends);
      code.get(row).load(row, shift).get(rest).get(is).where().add().store(shift);
      code.get(rest).get(is).whereNot().set(rest).advance(3, 4);
    });
    this.module.add(code, "settleSpecial");
    return this;
  }

  /**
   * `push(row, blocks, list, n)`: n times a row is added to another, with a weight; the list has addresses and weights
   * in turn.
   */
  push(): this {
    const code = this.code(4);
    const [from, to, left, weight] = [
      code.local("i32"),
      code.local("i32"),
      code.local("i32"),
      code.local("lanes"),
    ];
    const { bytes } = this.layout.lanes;
    code.loop(3, () => {
      code.get(0).set(from).word(2, 0).set(to).weight(2, 4).set(weight).get(1).set(left);
      code.loop(left, () => {
        for (let at = 0; at < 4 * BLOCK; at += bytes)
          code.get(to).load(from, at).get(weight).mul().load(to, at).add().store(at);
        code.advance(from, 4 * BLOCK).advance(to, 4 * BLOCK);
      });
      code.advance(2, 8);
    });
    this.module.add(code, "push");
    return this;
  }
}
