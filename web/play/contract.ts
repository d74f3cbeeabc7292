/**
 * What the coach is asked and what it tells. Made from the server's own types by `yatzy.server.contract`: change
 * those (src/yatzy/server/models.py and answers.py), then run `make contract`.
 */

/** `keep`, or `category` and `points`, `extra` of them beside the box; the rest is for the best few.

`chance` is that of the goal, where there is one. */
export interface ActionTold {
  action: string;
  value: number;
  regret: number;
  keep?: number[];
  category?: Name;
  points?: number;
  extra?: number;
  bonus_chance?: number;
  improve_chance?: number;
  outcomes?: Outcome[];
  chance?: number;
}

export interface AdviceTold {
  rules: string;
  theta: number;
  filled: Name[];
  upper: number;
  saved?: number;
  dice: number[];
  rerolls: number;
  value: number;
  lead: Lead;
  actions: ActionTold[];
  goal?: GoalTold;
}

/** The card of another player, who plays for the mean. */
export interface CardGiven {
  /** Categories already filled, each once; in Yahtzee and Kniffel a star marks a box of all alike that holds points. */
  filled?: Name[];
  /** Upper-section total so far; the threshold stands for it or more. */
  upper?: number;
  /** Points so far, without the bonus; without it, `upper`. */
  points?: number | null;
}

export interface CardTold {
  policy: string;
  action: string;
  regret: number;
  rule: string | null;
}

export interface CategoryTold {
  category: Name;
  label: string;
  upper: boolean;
  most: number;
}

export interface DecisionTold {
  turn: number;
  rerolls: number;
  dice: number[];
  filled: Name[];
  upper: number;
  saved?: number;
  expected: number;
  luck: number;
  played: string;
  value: number;
  best: string;
  best_value: number;
  regret: number;
  word: Word;
  card: CardTold | null;
  goal?: JudgedTold;
}

export interface DistributionTold {
  rules: string;
  theta: number;
  filled: Name[];
  upper: number;
  saved?: number;
  points: number;
  mean: number;
  sd: number;
  bonus_rate: number;
  quantiles: Record<string, number>;
  target: number | null;
  prob_target: number | null;
  prob_win: number | null;
  /** Of the target, playing for it; null without one, or while it is not known. */
  chance: number | null;
  /** Probabilities by final score, from 0. */
  pmf: number[];
}

/** What is wrong, and where. */
export interface Fault {
  field: string | null;
  message: string;
}

/** A game log; see the documentation of the format.

With a `target` or a `theta` beside it, all of its decisions are judged by that. */
export interface GameGiven {
  format: "yatzy-game";
  version: 1;
  rules: string;
  player?: string | null;
  date?: string | null;
  seed?: number | null;
  game?: number | null;
  turns: TurnGiven[];
  checksum?: string | null;
  /** A final score to reach, with everything. */
  target?: number | null;
  /** Risk: 0 plays for the mean, positive seeks risk, negative avoids it. */
  theta?: number;
}

/** A game of the catalogue without switches; `solved`: is it small enough for advice over HTTP? */
export interface GameTold {
  rules: string;
  title: string;
  dice: number;
  faces: number;
  rerolls: number;
  bonus_threshold: number;
  bonus: number;
  categories: CategoryTold[];
  switches: SwitchTold[];
  solved: boolean;
}

/** All games; `rules` is the one that is played where none is named. */
export interface GamesTold {
  rules: string;
  games: GameTold[];
  most_entries: number;
}

/** What a decision was for, other than the mean: one of these. */
export interface GoalGiven {
  /** A final score to reach, with everything. */
  target?: number | null;
  theta?: number | null;
  others?: LoggedCard[] | null;
}

/** A target with what is still needed, or how many others; `exact` unless the chance is an estimate. */
export interface GoalTold {
  target?: number;
  need?: number;
  others?: number;
  chance: number;
  exact: boolean;
}

export interface Health {
  status: "ok";
  version: string;
  rules: string;
  value: number;
}

/** A decision in terms of its goal: chances, or points under a risk; `lost` is their difference. */
export interface JudgedTold {
  target?: number;
  others?: number;
  theta?: number;
  chance?: number;
  best_chance?: number;
  value?: number;
  best_value?: number;
  lost: number;
}

export type Lead = "only choice" | "equal" | "close call" | "clear" | "obvious";

/** How far ahead the best is at most: up to `equal`, below the others; beyond it is obvious. */
export interface LeadLimits {
  equal: number;
  "close call": number;
  clear: number;
}

/** A game log; what is not known is left out. */
export interface LogTold {
  format: "yatzy-game";
  version: 1;
  rules: string;
  player?: string;
  date?: string;
  seed?: number;
  game?: number;
  turns: LoggedTurn[];
}

/** The card of another player as a log has it. */
export interface LoggedCard {
  /** Categories already filled, each once; in Yahtzee and Kniffel a star marks a box of all alike that holds points. */
  filled: Name[];
  /** Upper-section total so far; the threshold stands for it or more. */
  upper: number;
  points: number;
}

export interface LoggedTurn {
  rolls: number[][];
  keeps: number[][];
  category: Name;
}

/** What a decision has lost at most to be called so: up to `perfect`, below the others; beyond is a blunder. */
export interface LossLimits {
  perfect: number;
  fine: number;
  inaccuracy: number;
  mistake: number;
}

export type Name = string;

/** A turn's end: where it is scored, and what. */
export interface Outcome {
  category: Name;
  points: number;
  prob: number;
}

/** How turns can end, column by column: the category, points in its box and beside it, and bits of the mask. */
export interface OutcomesTold {
  category: number[];
  points: number[];
  extra: number[];
  bits: number[];
}

/** The answer to a request that cannot be served. */
export interface Refused {
  error: Fault;
}

export interface ReplayTold {
  score: number;
  value_left: number;
  log: LogTold;
}

export interface ReviewTold {
  rules: string;
  player: string | null;
  finished: boolean;
  score: number;
  bonus: number;
  start_value: number;
  luck: number;
  lost: number;
  value_left: number;
  words: WordCounts;
  turns: TurnTold[];
  decisions: DecisionTold[];
  mistakes: DecisionTold[];
  replay: ReplayTold;
}

/** A game with its scoring: readings list outcomes by category (-1: not allowed), those of the rolls first. */
export interface RulesTold {
  rules: string;
  title: string;
  switches: string[];
  fingerprint: string;
  dice: number;
  faces: number;
  rerolls: number;
  bonus_threshold: number;
  bonus: number;
  saves_throws: boolean;
  forced_order: boolean;
  flagged: Name[];
  categories: CategoryTold[];
  rolls: string[];
  outcomes: OutcomesTold;
  readings: number[][];
  special: SpecialTold[];
  words: WordLimits;
  largest_theta: number;
  solved: boolean;
}

/** Dice on the table and the state of the turn; with a target or others, advice is by the chance of it. */
export interface SituationGiven {
  /** The dice on the table, in any order. */
  dice: number[];
  /** Rerolls left. */
  rerolls: number;
  /** The game, with its switches behind plus signs; without it, the server's own. */
  rules?: string | null;
  /** Categories already filled, each once; in Yahtzee and Kniffel a star marks a box of all alike that holds points. */
  filled?: Name[];
  /** Upper-section total so far; the threshold stands for it or more. */
  upper?: number;
  /** Throws saved, in games that save them. */
  saved?: number;
  /** Risk: 0 plays for the mean, positive seeks risk, negative avoids it. */
  theta?: number;
  /** How many of the best actions come with details. */
  details?: number;
  /** Points so far, without the bonus; without it, `upper`. */
  points?: number | null;
  /** A final score to reach, with everything. */
  target?: number | null;
  /** The cards of the others at the table, to beat. */
  others?: CardGiven[];
}

/** Which reading a special roll has: questions [bit, next if clear, next if set]; below zero, -1 - next. */
export interface SpecialTold {
  roll: number;
  questions: number[][];
}

/** A state and the points on the card; with a target or others, the chance of it is told too. */
export interface StateGiven {
  /** The game, with its switches behind plus signs; without it, the server's own. */
  rules?: string | null;
  /** Categories already filled, each once; in Yahtzee and Kniffel a star marks a box of all alike that holds points. */
  filled?: Name[];
  /** Upper-section total so far; the threshold stands for it or more. */
  upper?: number;
  /** Throws saved, in games that save them. */
  saved?: number;
  /** Points so far, without the bonus; without it, `upper`. */
  points?: number | null;
  /** Risk: 0 plays for the mean, positive seeks risk, negative avoids it. */
  theta?: number;
  /** A final score to reach, with everything. */
  target?: number | null;
  /** The cards of the others at the table, to beat. */
  others?: CardGiven[];
}

export interface StateValueTold {
  rules: string;
  theta: number;
  filled: Name[];
  upper: number;
  saved?: number;
  value: number;
}

/** A way to change a game, and what it says; `solved` as in a game, with this switch alone. */
export interface SwitchTold {
  switch: string;
  sentence: string;
  not_with: string[];
  solved: boolean;
}

/** One turn of a game log; `goals` has an entry for each roll, null for the mean. */
export interface TurnGiven {
  rolls: number[][];
  keeps: number[][];
  category: Name;
  goals?: (GoalGiven | null)[] | null;
}

export interface TurnTold {
  turn: number;
  category: Name;
  points: number;
  extra?: number;
  expected: number;
  luck: number;
  lost: number;
}

export type Word = "perfect" | "fine" | "inaccuracy" | "mistake" | "blunder";

export interface WordCounts {
  perfect: number;
  fine: number;
  inaccuracy: number;
  mistake: number;
  blunder: number;
}

export interface WordLimits {
  loss: LossLimits;
  lead: LeadLimits;
}

/** By method and path: what is given in the body, and what is told. */
export interface Endpoints {
  "GET /api/health": { given: undefined; told: Health };
  "GET /api/games": { given: undefined; told: GamesTold };
  "GET /api/rules": { given: undefined; told: RulesTold };
  "GET /api/state-value": { given: undefined; told: StateValueTold };
  "POST /api/advise": { given: SituationGiven; told: AdviceTold };
  "POST /api/distribution": { given: StateGiven; told: DistributionTold };
  "POST /api/review": { given: GameGiven; told: ReviewTold };
}
