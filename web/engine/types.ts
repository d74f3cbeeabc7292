/**
 * What the engine is asked and what it answers, and what a game is as JSON (docs/formats.md).
 *
 * Boxes, losses and leads are numbers in questions and answers: views find the words in the reader's language. In what is
 * kept and sent, boxes have names.
 *
 * What means the same in the library is made from its classes (`shared.ts`), and differs by what is said here.
 */
import type * as lib from "./shared";

/** `set` has a bit for each filled box, by its id, and after these one for each flag. */
export interface State {
  set: number;
  upper: number;
  saved: number;
}

/** A state with the points in its boxes, the bonus aside. */
export interface Card extends State {
  points: number;
}

/** Dice on the table. */
export interface Situation extends Card {
  dice: number[];
  rerolls: number;
  theta: number;
  /** A final score to reach: actions then have chances, and the best is that with the greatest. */
  target?: number;
  /** By final score, the chance that it wins, from some score on 1: actions then have chances to win. */
  wins?: number[];
  /** How many of the best actions come with details. */
  details?: number;
}

/** A card, and what lies on the table in the turn under way. */
export type CardInTurn = Card & Partial<Pick<Situation, "dice" | "rerolls">>;

/** Dice to hold. */
interface Keep {
  keep: readonly number[];
  score?: never;
}
/** A box to score in, by its id. */
interface Box {
  score: number;
  keep?: never;
}
/** What somebody does. */
export type Move = Keep | Box;

/** What can be done, with what it scores: in the box and beside it, `extra` of them beside it. */
export type Action = Keep | (Box & { points: number; extra?: number });

/** How a turn ends. */
interface End extends Omit<lib.LikelyEnd, "category"> {
  category: number;
}

/** What follows the chances of the target is for the best few. */
export interface AdvisedAction extends Omit<lib.AdvisedAction, "action" | "outcomes" | ActionText> {
  action: Action;
  outcomes?: End[];
}
/** What the library says of an action beside its text. */
type ActionText = "keep" | "category" | "points" | "extra";

/** Every action, best first; `lead` is a level (`advise`), null if there is only one. */
export interface Advice extends Omit<lib.Advice, "lead" | "actions" | "goal" | Question> {
  lead: number | null;
  actions: AdvisedAction[];
  goal?: Chance;
}
/** The library repeats the question, and says in many fields what `goal` says here. */
type Question =
  | "rules"
  | "dice"
  | "rerolls"
  | "filled"
  | "upper"
  | "saved"
  | "others"
  | "moves_first"
  | keyof Omit<Chance, "wins">;

/** The greatest chance of a target; not `exact` where it is an estimate. */
export interface Chance extends Required<Pick<lib.Advice, "target" | "need" | "chance" | "exact">> {
  /** It is the chance to win. */
  wins?: true;
}

/**
 * Advice, and by action the points that each box will bring; then the bonus and extra points, where a game has them.
 * `now` are those of this turn alone, and `little` how likely this turn ends in a box with little of what it brings
 * on average after the best action.
 */
export interface ExplainedAdvice {
  advice: Advice;
  parts: number[][];
  now: number[][];
  little: number[][];
}

export interface Clause extends Omit<lib.Clause, "boxes"> {
  boxes: number[];
}

export interface Reason extends Omit<lib.Reason, "action" | "rival" | "clauses"> {
  action: Action;
  rival: Action | null;
  clauses: Clause[];
}

/** Probabilities of final scores from 0, and what follows from them. */
export interface Outlook {
  mean: number;
  sd: number;
  bonus_rate: number;
  quantiles: Record<string, number>;
  pmf: number[];
}

/** `loss` is a level (`advise`). */
export interface Decision
  extends State, Omit<lib.Decision, "filled" | "saved" | "played" | "wanted" | "best" | "word" | "card" | "goal"> {
  played: Action;
  wanted?: Action;
  best: Action;
  loss: number;
}

export interface TurnReview extends Omit<lib.ReviewedTurn, "category"> {
  category: number;
}

export interface Review extends Omit<
  lib.Review,
  "rules" | "player" | "finished" | "words" | "turns" | "decisions" | "mistakes"
> {
  /** How many decisions there are of each level. */
  losses: number[];
  turns: TurnReview[];
  decisions: Decision[];
  mistakes: Decision[];
}

export type LeakName = lib.Leak["habit"];
export type Leak = Omit<lib.Leak, "sentence">;
export interface Leaks extends Omit<lib.Leaks, "rules" | "habits" | "found"> {
  habits: Leak[];
  found?: Leak;
}

/** How a game was solved: how many states, and in how many seconds (none if it was kept from before). */
export interface Solved {
  states: number;
  seconds: number | null;
  value: number;
}

/** On a scorepad for real dice only the points are known: such a turn has no rolls. */
export interface Turn extends lib.TurnLog {
  points?: number;
  extra?: number;
}

/** A game log; what is not known is left out. */
export interface GameLog extends lib.GameLog {
  turns: Turn[];
}

/** What lies on the table after a throw, which of it is held for the next, and what the coach first warned about. */
export interface Throw {
  dice: number[];
  held: boolean[];
  wanted?: string;
}

/** The outlook at the start of a turn, as far as the fan needs it: quantiles are those of 5%, 25%, 75% and 95%. */
export interface OutlookSummary {
  theta: number;
  mean: number;
  quantiles: [number, number, number, number];
}

/** An opponent of a strength, as the library names it. */
export type OpponentKind = `level-${number}` | `limit-${number}`;
export type PlayerKind = "person" | "perfect" | "shadow" | OpponentKind;

export interface Player {
  /** Empty for the only player of a game, who needs none. */
  name: string;
  kind: PlayerKind;
}

/** A table as it is kept, saved and sent. */
export interface TableFile {
  format: "yatzy-seats";
  version: 2 | 3;
  /** Whose turn it is. */
  now: number;
  seats: (Player & { log: GameLog; throws: Throw[]; previous: Throw[]; outlooks: (OutlookSummary | null)[] })[];
}
