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
import { placeAfter, Turn, type Place } from "./turn";

/** What my turn is about: my card, the other's, and my points less theirs, bonuses aside. */
export interface Duel {
  mine: Place;
  theirs: Place;
  lead: number;
}

interface Ending {
  after: Place;
  points: number;
  prob: number;
}

export class Duels {
  private readonly values = new Map<number, number>();
  private readonly endings = new Map<number, Ending[]>();
  private readonly chances = new Map<string, number>();
  private readonly bare: ValueTable;

  constructor(private readonly game: GameTables) {
    // A turn that is told what outcomes are worth reads no rows.
    this.bare = { game, theta: 0, rows: new Float32Array(), refs: new Float64Array(), stride: 0 };
  }

  private keyOf = ({ set, upper }: Place): number => set * (this.game.bonus_threshold + 1) + upper;
  private isFull = ({ set }: Place): boolean => tables.nFilled(this.game, set) === this.game.categories.length;
  private bonusOf = ({ upper }: Place): number => (upper >= this.game.bonus_threshold ? this.game.bonus : 0);
  private get empty(): number {
    return tables.latticeOf(this.game).nKeeps - 1;
  }

  /** The rest of a turn in which an outcome is worth what `worth` says; the first throw is a reroll of all dice. */
  private turn(place: Place, rerolls: number, worth: (end: number) => number): Turn {
    return new Turn(this.bare, place, rerolls, worth);
  }

  /** A turn with this many rerolls left, for points. */
  turnForMean(place: Place, rerolls = this.game.rerolls + 1): Turn {
    return this.turn(
      place,
      rerolls,
      (end) => tables.pointsOf(this.game, end) + this.value(placeAfter(this.game, place, end, 0)),
    );
  }

  /** What play for the mean still expects. */
  value(place: Place): number {
    if (this.isFull(place)) return this.bonusOf(place);
    const key = this.keyOf(place);
    let value = this.values.get(key);
    if (value === undefined) this.values.set(key, (value = this.turnForMean(place).pointsOfKeep(this.empty)));
    return value;
  }

  /** How a turn of somebody ends who plays for the mean. */
  private endingsOf(place: Place): Ending[] {
    const key = this.keyOf(place);
    let found = this.endings.get(key);
    if (!found) {
      const [exits = new Float64Array()] = this.turnForMean(place).exitsOf(this.empty);
      found = [...exits.keys()]
        .filter((end) => exits[end])
        .map((end) => ({
          after: placeAfter(this.game, place, end, 0),
          points: tables.pointsOf(this.game, end),
          prob: exits[end] ?? 0,
        }));
      this.endings.set(key, found);
    }
    return found;
  }

  /** After my turn: the other's, if a box is open there, and then mine again. */
  private afterMine(mine: Place, theirs: Place, lead: number): number {
    if (this.isFull(theirs)) return this.beforeMine(mine, theirs, lead);
    return this.endingsOf(theirs).reduce(
      (sum, { after, points, prob }) => sum + prob * this.beforeMine(mine, after, lead - points),
      0,
    );
  }

  /** Before my throw. */
  private beforeMine(mine: Place, theirs: Place, lead: number): number {
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
      this.afterMine(placeAfter(this.game, mine, end, 0), theirs, lead + tables.pointsOf(this.game, end)),
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
