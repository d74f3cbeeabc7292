/**
 * What the coach is asked and what it tells. Made from the server's own types by `yatzy.server.contract`: change
 * those (src/yatzy/server/models.py), then run `make contract`.
 */

/** `keep`, or `category` and `points`; the rest for the best few (`bonus_chance` as soon as it is known). */
export interface ActionTold {
  action: string;
  value: number;
  regret: number;
  keep?: number[];
  category?: Name;
  points?: number;
  bonus_chance?: number;
  improve_chance?: number;
  outcomes?: Outcome[];
}

export interface AdviceTold {
  rules: string;
  theta: number;
  filled: Name[];
  upper: number;
  dice: number[];
  rerolls: number;
  value: number;
  lead: Lead;
  actions: ActionTold[];
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
  expected: number;
  luck: number;
  played: string;
  value: number;
  best: string;
  best_value: number;
  regret: number;
  word: Word;
  card: CardTold | null;
}

export interface DistributionTold {
  rules: string;
  theta: number;
  filled: Name[];
  upper: number;
  points: number;
  mean: number;
  sd: number;
  bonus_rate: number;
  quantiles: Record<string, number>;
  target: number | null;
  prob_target: number | null;
  /** Probabilities by final score, from 0. */
  pmf: number[];
}

/** What is wrong, and where. */
export interface Fault {
  field: string | null;
  message: string;
}

/** A game log; see the documentation of the format. */
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
}

export interface Health {
  status: "ok";
  version: string;
  rules: string;
  value: number;
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

export type Name =
  | "ones"
  | "twos"
  | "threes"
  | "fours"
  | "fives"
  | "sixes"
  | "one pair"
  | "two pairs"
  | "three of a kind"
  | "four of a kind"
  | "small straight"
  | "large straight"
  | "full house"
  | "chance"
  | "yatzy";

/** A turn's end: where it is scored, and what. */
export interface Outcome {
  category: Name;
  points: number;
  prob: number;
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

export interface RulesTold {
  rules: string;
  fingerprint: string;
  dice: number;
  faces: number;
  rerolls: number;
  bonus_threshold: number;
  bonus: number;
  categories: CategoryTold[];
  words: WordLimits;
  largest_theta: number;
}

/** Dice on the table and the state of the turn. */
export interface SituationGiven {
  /** The dice on the table, in any order. */
  dice: number[];
  /** Rerolls left. */
  rerolls: number;
  /** Categories already filled, each once. */
  filled?: Name[];
  /** Upper-section total so far; 63 stands for 63 or more. */
  upper?: number;
  /** Risk: 0 plays for the mean, positive seeks risk, negative avoids it. */
  theta?: number;
  /** How many of the best actions come with details. */
  details?: number;
}

/** A state and the points on the card. */
export interface StateGiven {
  /** Categories already filled, each once. */
  filled?: Name[];
  /** Upper-section total so far; 63 stands for 63 or more. */
  upper?: number;
  /** Points so far, without the bonus; without it, `upper`. */
  points?: number | null;
  /** Risk: 0 plays for the mean, positive seeks risk, negative avoids it. */
  theta?: number;
  /** A score to reach: its chance is `prob_target`. */
  target?: number | null;
}

export interface StateValueTold {
  rules: string;
  theta: number;
  filled: Name[];
  upper: number;
  value: number;
}

/** One turn of a game log. */
export interface TurnGiven {
  rolls: number[][];
  keeps: number[][];
  category: Name;
}

export interface TurnTold {
  turn: number;
  category: Name;
  points: number;
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
  "GET /api/rules": { given: undefined; told: RulesTold };
  "GET /api/state-value": { given: undefined; told: StateValueTold };
  "POST /api/advise": { given: SituationGiven; told: AdviceTold };
  "POST /api/distribution": { given: StateGiven; told: DistributionTold };
  "POST /api/review": { given: GameGiven; told: ReviewTold };
}
