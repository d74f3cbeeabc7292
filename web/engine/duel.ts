/**
 * The last turns of a duel, exactly: you and somebody who plays for the mean, in turn, with both cards in view.
 *
 *     W(mine, theirs, lead) = sum over rolls r of P(r) * best(r),   best(r, 0) = max over my outcomes of
 *                             sum over their outcomes q of P(q) * W(mine after, theirs after, lead + points - points of q)
 *     W(full, full, lead)   = 1 if the lead, bonuses included, is above zero, 1/2 if it is zero, else 0
 *
 * A tie is half a win. How the other's turn ends follows from values in float64, solved here from the full card back.
 * For a few open boxes only: every pair of cards is walked by itself.
 */
import type { Choice } from "./advise";
import type { ValueTable } from "./solve";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import { stateAfter, Turn } from "./turn";
import type { State } from "./types";

/** What my turn is about: my card, the other's, and my points less theirs, bonuses aside. */
export interface Duel {
  mine: State;
  theirs: State;
  lead: number;
}

interface TurnOutcome {
  after: State;
  points: number;
  prob: number;
}

export class DuelSolver {
  private readonly values = new Map<number, number>();
  private readonly endings = new Map<number, TurnOutcome[]>();
  private readonly chances = new Map<string, number>();
  private readonly bare: ValueTable;

  constructor(private readonly game: GameTables) {
    // A turn that is told what outcomes are worth reads no rows.
    this.bare = { game, theta: 0, rows: new Float32Array(), refs: new Float64Array(), stride: 0 };
  }

  private keyOf = ({ set, upper }: State): number => set * (this.game.bonus_threshold + 1) + upper;
  private isFull = ({ set }: State): boolean => tables.nFilled(this.game, set) === this.game.categories.length;
  private bonusOf = ({ upper }: State): number => (upper >= this.game.bonus_threshold ? this.game.bonus : 0);
  private get empty(): number {
    return tables.latticeOf(this.game).nKeeps - 1;
  }

  /** The rest of a turn in which an outcome is worth what `worth` says; the first throw is a reroll of all dice. */
  private turn(state: State, rerolls: number, worth: (end: number) => number): Turn {
    return new Turn(this.bare, state, rerolls, worth);
  }

  /** A turn with this many rerolls left, for points. */
  turnForMean(state: State, rerolls = this.game.rerolls + 1): Turn {
    return this.turn(
      state,
      rerolls,
      (end) => tables.pointsOf(this.game, end) + this.value(stateAfter(this.game, state, end, 0)),
    );
  }

  /** What play for the mean still expects. */
  value(state: State): number {
    if (this.isFull(state)) return this.bonusOf(state);
    const key = this.keyOf(state);
    let value = this.values.get(key);
    if (value === undefined) this.values.set(key, (value = this.turnForMean(state).pointsOfKeep(this.empty)));
    return value;
  }

  /** How a turn of somebody ends who plays for the mean. */
  private endingsOf(state: State): TurnOutcome[] {
    const key = this.keyOf(state);
    let found = this.endings.get(key);
    if (!found) {
      const [exits = new Float64Array()] = this.turnForMean(state).exitsOf(this.empty);
      found = [...exits.keys()]
        .filter((end) => exits[end])
        .map((end) => ({
          after: stateAfter(this.game, state, end, 0),
          points: tables.pointsOf(this.game, end),
          prob: exits[end] ?? 0,
        }));
      this.endings.set(key, found);
    }
    return found;
  }

  /** After my turn: the other's, if a box is open there, and then mine again. */
  private afterMine(mine: State, theirs: State, lead: number): number {
    if (this.isFull(theirs)) return this.beforeMine(mine, theirs, lead);
    return this.endingsOf(theirs).reduce(
      (sum, { after, points, prob }) => sum + prob * this.beforeMine(mine, after, lead - points),
      0,
    );
  }

  /** Before my throw. */
  private beforeMine(mine: State, theirs: State, lead: number): number {
    if (this.isFull(mine)) {
      if (!this.isFull(theirs)) return this.afterMine(mine, theirs, lead);
      const ahead = lead + this.bonusOf(mine) - this.bonusOf(theirs);
      return ahead > 0 ? 1 : ahead < 0 ? 0 : 0.5;
    }
    const key = `${this.keyOf(mine)} ${this.keyOf(theirs)} ${lead}`;
    let chance = this.chances.get(key);
    if (chance === undefined) {
      const turn = this.turnToWin({ mine, theirs, lead }, this.game.rerolls + 1);
      this.chances.set(key, (chance = turn.pointsOfKeep(this.empty)));
    }
    return chance;
  }

  /** My turn with this many rerolls left: "points" of its actions are chances to win. */
  turnToWin({ mine, theirs, lead }: Duel, rerolls: number): Turn {
    return this.turn(mine, rerolls, (end) =>
      this.afterMine(stateAfter(this.game, mine, end, 0), theirs, lead + tables.pointsOf(this.game, end)),
    );
  }

  /** How far a choice scatters, under play for the mean: the standard deviation of its turn, with what that leads to. */
  spread(turn: Turn, { end, keep }: Pick<Choice, "end" | "keep">): number {
    let [mean, square] = [0, 0];
    turn.exitsAfter(end, keep)[0]?.forEach((prob, one) => {
      if (!prob) return;
      const worth = turn.pointsOfEnd(one);
      mean += prob * worth;
      square += prob * worth ** 2;
    });
    return Math.sqrt(Math.max(0, square - mean ** 2));
  }
}
