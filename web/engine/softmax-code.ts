/**
 * One turn of somebody who draws each choice by what it looks worth, as WebAssembly: the equations of
 * `yatzy.policies.boltzmann` and `yatzy.coach.profile`.
 *
 *     weight(a) = exp(beta * (Q(a) - top) + ROOM),     P(a | roll) = weight(a) / sum of the weights in the roll
 *
 * Q is what a choice looks worth, in points, and top the best end of the turn that there is. Rolls share their choices, so
 * that an exponential is taken once for each keep and once for each way to end a turn. What a roll is really worth is a
 * mean by these weights. Sums over all keeps inside a roll are built up face by face: a keep with a die of that face takes
 * over the sum of the keep without it, smaller ones first.
 *
 * A group has blocks of four rows for every keep and for every outcome: what is really to come, what it looks worth,
 * its weight, and the product of weight and first. What looks worth is a utility where theta is not 0, above 0 for those
 * who seek risk and below for those who avoid it, so that the largest is best for both:
 *
 *     u = sign(theta) * exp(theta * points),     Q = ln |u| / theta
 */
import { TurnCode, type Layout, type Step } from "./turn-code";
import { latticeOf, pointsOf, successorsOf, type GameTables } from "./tables";
import type { Code, Doubles } from "./wasm";
import { EXPONENT_BIAS, EXPONENTS } from "./wasm";

/** Exponents are at most this: a sum of weights times points stays below the largest float64. */
const MAX_EXPONENT = 680;
/** And at least this; what is so far behind is never chosen. */
const MIN_EXPONENT = -700;

/** Nothing looks worse than a box that is filled. */
export const filledBox = (theta: number): number => (theta > 0 ? 1e-290 : -1e290);

/** Blocks of a group, by their first row. */
interface SoftmaxLayout extends Layout {
  lanes: Doubles;
  nEnds: number;
  nKeeps: number;
  top: number;
}

export function softmaxLayout(game: GameTables, lanes: Doubles): SoftmaxLayout {
  const [nKeeps, nEnds] = [game.keeps.length, game.outcomes.bits.length];
  const ends = 4 * nKeeps;
  const rows = ends + 4 * nEnds + 1;
  const successors = successorsOf(game).bits.length;
  return {
    lanes,
    nEnds,
    nKeeps,
    ends,
    rows,
    top: rows - 1,
    floor: rows - 1,
    successors,
    group: rows * lanes.bytes,
    listBytes: 8 * successors,
  };
}

export interface SoftmaxOptions {
  theta: number;
  beta: number;
}

/** Writes the functions: `begin(work, groups, list)`, `score`, `reroll`, `last` (work, groups), `expect`. */
export class SoftmaxCode extends TurnCode {
  private readonly looks: number;
  private readonly weigh: number;

  constructor(
    game: GameTables,
    private readonly blocks: SoftmaxLayout,
    private readonly by: SoftmaxOptions,
  ) {
    super(game, blocks);
    this.looks = blocks.nKeeps;
    this.weigh = this.weighing();
  }

  all(): this {
    const { blocks } = this;
    const { nRolls } = latticeOf(this.game);
    this.begin();
    this.sequence("score", [this.weighed(blocks.ends, blocks.nEnds), ...this.scores()]);
    const shares = this.shares(nRolls);
    const later = [...this.throws(), this.weighed(0, blocks.nKeeps), ...this.sums(), shares];
    // Shares come after sums; what rolls look worth is raised last, because weights are of what came before.
    this.sequence("last", later);
    this.sequence("reroll", [...later, ...this.best()]);
    return this.expect();
  }

  /** Every outcome, by a list with the addresses of the states after it: as they look, then as they are. */
  private begin(): void {
    const { game, blocks } = this;
    const { theta } = this.by;
    const { of, bits } = successorsOf(game);
    const code = this.code(3);
    const best = code.local("lanes");
    const [seen, real] = [0, bits.length].map((first) =>
      bits.map((_, i) => {
        const local = code.local("i32");
        code.word(2, 4 * (first + i)).set(local);
        return local;
      }),
    ) as [number[], number[]];
    code.loop(1, () => {
      code.constant(filledBox(theta)).set(best);
      game.outcomes.bits.forEach((_, end) => {
        const [after, lift] = [of[end] ?? 0, 8 * (game.outcomes.lift[end] ?? 0)];
        const points = pointsOf(game, end);
        code
          .get(0)
          .load(real[after] ?? 0, lift)
          .constant(points)
          .add()
          .store(this.at(blocks.ends + end));
        code.get(0).load(seen[after] ?? 0, lift);
        if (theta) code.constant(Math.exp(theta * points)).mul();
        else code.constant(points).add();
        code.store(this.at(blocks.ends + blocks.nEnds + end));
        code
          .get(best)
          .load(0, this.at(blocks.ends + blocks.nEnds + end))
          .max()
          .set(best);
      });
      code.get(0).get(best).store(this.at(blocks.top));
      for (const local of [...seen, ...real]) code.advance(local, blocks.lanes.bytes);
      code.advance(0, blocks.group);
    });
    this.module.add(code, "begin");
  }

  /** (real, looks, weights, products, n, top): weights and products of n rows from where each kind begins. */
  private weighing(): number {
    const { lanes } = this.blocks;
    const { theta, beta } = this.by;
    const code = this.code(6);
    const [top, x, y, z] = [0, 1, 2, 3].map(() => code.local("lanes")) as [number, number, number, number];
    const points = (): void => {
      if (!theta) return;
      if (theta < 0) code.constant(-1).mul();
      logarithm(code, lanes, [x, y, z]);
    };
    const scale = theta ? beta / theta : beta;
    code.load(5, 0);
    points();
    code.constant(-scale).mul().constant(MAX_EXPONENT).add().set(top);
    code.loop(4, () => {
      code.get(2).load(1, 0);
      points();
      code.constant(scale).mul().get(top).add().constant(MIN_EXPONENT).max();
      exponential(code, lanes, [x, y, z]);
      code.tee(x).store(0);
      code.get(3).get(x).load(0, 0).mul().store(0);
      for (const row of [0, 1, 2, 3]) code.advance(row, lanes.bytes);
    });
    return this.module.add(code);
  }

  /** A piece (work, groups): weights of a block. */
  private weighed(first: number, n: number): number {
    const code = this.code(2);
    code.loop(1, () => {
      for (const kind of [0, 1, 2, 3])
        code
          .get(0)
          .number(this.at(first + kind * n))
          .plus();
      code.number(n).get(0).number(this.at(this.blocks.top)).plus().call(this.weigh);
      code.advance(0, this.blocks.group);
    });
    return this.module.add(code);
  }

  /** Every roll after the last throw: what the boxes bring by their weights, and the best that it looks. */
  private scores(): number[] {
    const { game, blocks, looks } = this;
    const rolls = game.ways.map((_, roll): Step => [roll, (game.readings[roll] ?? []).filter((end) => end >= 0)]);
    return this.pieces(rolls, (code, [roll, ends]) => {
      const kind = (n: number, join: "add" | "max"): Code => {
        const first = blocks.ends + n * blocks.nEnds;
        const rows = ends.map((end) => first + end);
        return this.fold(code, rows, join);
      };
      code.get(0);
      kind(3, "add");
      kind(2, "add").push(blocks.lanes.div).store(this.at(roll));
      code.get(0);
      kind(1, "max").store(this.at(looks + roll));
    });
  }

  /** What keeps are worth before their throw, really and as they look. */
  private throws(): number[] {
    const { added, nRolls, nKeeps } = latticeOf(this.game);
    const below = Array.from({ length: nKeeps - nRolls }, (_, i) => nRolls + i);
    return [0, this.looks].flatMap((first) =>
      this.means(below.map((keep): Step => [first + keep, (added[keep] ?? []).map((one) => first + one)])),
    );
  }

  /** Sums of weights, and of what they weigh, over all keeps inside each keep. */
  private sums(): number[] {
    const { game, blocks } = this;
    const { added, nRolls, nKeeps } = latticeOf(game);
    const steps: Step[] = [];
    for (let face = 0; face < game.faces; face++)
      for (let smaller = nKeeps - 1; smaller >= nRolls; smaller--) {
        const larger = added[smaller]?.[face] ?? 0;
        for (const kind of [2, 3]) {
          const first = kind * blocks.nKeeps;
          steps.push([first + larger, [first + larger, first + smaller]]);
        }
      }
    return this.pieces(steps, (code, [row, sources]) => {
      this.fold(code.get(0), sources, "add").store(this.at(row));
    });
  }

  /** A piece (work, groups): what rolls are really worth, by the sums of their keeps. */
  private shares(nRolls: number): number {
    const { lanes, group, nKeeps } = this.blocks;
    const code = this.code(2);
    const [row, left] = [code.local("i32"), code.local("i32")];
    code.loop(1, () => {
      code.get(0).set(row).number(nRolls).set(left);
      code.loop(left, () => {
        code
          .get(row)
          .load(row, this.at(3 * nKeeps))
          .load(row, this.at(2 * nKeeps));
        code.push(lanes.div).store(0).advance(row, lanes.bytes);
      });
      code.advance(0, group);
    });
    return this.module.add(code);
  }

  /** The best keep inside each keep, as it looks. */
  private best(): number[] {
    const { removed, nKeeps } = latticeOf(this.game);
    const of = (keep: number): number => this.looks + keep;
    return this.maxima(
      Array.from({ length: nKeeps - 1 }, (_, i): Step => {
        const keep = nKeeps - 2 - i;
        return [of(keep), [keep, ...(removed[keep] ?? [])].map(of)];
      }),
    );
  }
}

/** exp of what is on the stack, between `LEAST` and `ROOM`: 2^n times a polynomial of the rest, within 1e-11 of it. */
function exponential(code: Code, lanes: Doubles, [x, y, z]: readonly [number, number, number]): void {
  code.set(x);
  code.get(x).constant(Math.LOG2E).mul().constant(EXPONENTS).add().set(y);
  code.get(y).constant(EXPONENTS).push(lanes.sub).set(z);
  // ln 2 in two parts, the first with zeros at its end, so that its product with n is exact.
  code.get(x).get(z).constant(0.69314718036912381649).mul().push(lanes.sub);
  code.get(z).constant(1.90821492927058770002e-10).mul().push(lanes.sub).set(x);
  const terms = Array.from({ length: 10 }, (_, n) => 1 / factorial(n));
  code.constant(terms.at(-1) ?? 0);
  for (const term of terms.slice(0, -1).reverse()) code.get(x).mul().constant(term).add();
  code.get(y).push(lanes.power).mul();
}

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

/** ln of what is on the stack, above 0: with s = (m - sqrt 2) / (m + sqrt 2), ln m = ln(2) / 2 + 2 atanh s. */
function logarithm(code: Code, lanes: Doubles, [x, y, z]: readonly [number, number, number]): void {
  code.tee(x).push(lanes.exponent).constant(EXPONENT_BIAS).push(lanes.sub).constant(0.5).add();
  code.constant(Math.LN2).mul().set(y);
  code.get(x).push(lanes.fraction).tee(x).constant(Math.SQRT2).push(lanes.sub);
  code.get(x).constant(Math.SQRT2).add().push(lanes.div).tee(x).get(x).mul().set(z);
  const terms = Array.from({ length: 7 }, (_, n) => 2 / (2 * n + 1));
  code.constant(terms.at(-1) ?? 0);
  for (const term of terms.slice(0, -1).reverse()) code.get(z).mul().constant(term).add();
  code.get(x).mul().get(y).add();
}
