/** What the engine is asked and what it answers; names and values are those of the library and its HTTP API. */

export type Name = string;
export type Word = "perfect" | "fine" | "inaccuracy" | "mistake" | "blunder";
export type Lead = "only choice" | "equal" | "close call" | "clear" | "obvious";

/** A state; `filled` are names of boxes, with a star where a flag is set. */
export interface State {
  filled: Name[];
  upper: number;
  saved?: number;
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
export interface Midway extends Card {
  dice?: number[];
  rerolls?: number;
}

/** How a turn ends. */
export interface End {
  category: Name;
  points: number;
  prob: number;
}

/** A keep, or a box with its points, `extra` of them beside it; what follows is for the best few. */
export interface Action {
  action: string;
  value: number;
  regret: number;
  keep?: number[];
  category?: Name;
  points?: number;
  extra?: number;
  bonus_chance?: number;
  improve_chance?: number;
  outcomes?: End[];
  /** Of the target. */
  chance?: number;
}

/** Every action, best first. */
export interface Advice {
  theta: number;
  value: number;
  lead: Lead;
  actions: Action[];
  goal?: Chance;
}

/** The greatest chance of a target; not `exact` where it is an estimate. */
export interface Chance {
  target: number;
  need: number;
  chance: number;
  exact: boolean;
  /** It is the chance to win. */
  wins?: true;
}

/** Probabilities of final scores from 0, and what follows from them. */
export interface Outlook {
  mean: number;
  sd: number;
  bonus_rate: number;
  quantiles: Record<string, number>;
  pmf: number[];
}

export interface Turn {
  rolls: number[][];
  keeps: number[][];
  category: Name;
}

/** A game log; what is not known is left out. */
export interface Log {
  format: "yatzy-game";
  version: 1;
  rules: string;
  player?: string;
  date?: string;
  seed?: number;
  game?: number;
  turns: Turn[];
}

export interface Decision extends State {
  turn: number;
  rerolls: number;
  dice: number[];
  expected: number;
  luck: number;
  played: string;
  value: number;
  best: string;
  best_value: number;
  regret: number;
  word: Word;
}

export interface TurnReview {
  turn: number;
  category: Name;
  points: number;
  extra?: number;
  expected: number;
  luck: number;
  lost: number;
}

export interface Review {
  rules: string;
  finished: boolean;
  score: number;
  bonus: number;
  start_value: number;
  luck: number;
  lost: number;
  value_left: number;
  words: Record<Word, number>;
  turns: TurnReview[];
  decisions: Decision[];
  mistakes: Decision[];
  replay: { score: number; value_left: number; log: Log };
}

/** How a game was solved: how many states, and in how many seconds (none if it was kept from before). */
export interface Solved {
  states: number;
  seconds: number | null;
  value: number;
}
