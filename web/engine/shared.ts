// Made from the library's own classes by `make tables`; do not edit.

export interface Shared {
  results: Results;
  advice: Advice;
  reason: Reason;
  review: Review;
  leaks: Leaks;
  game_log: GameLog;
}
export interface Results {
  statespace: StateSpaceSize;
  distribution: ScoreDistribution;
  populations: Populations;
  bonus: BonusGap;
  "game-spray": GameSpray;
  precision: Precision;
  reported: Reported;
  quiz: DecisionQuiz;
  exact: ExactStudy;
  "small-game": SmallGame;
  "opening-turn": OpeningTurn;
  decisions: DecisionGaps;
  "heuristic-gap": HeuristicGap;
  compression: Compression;
  rosetta: Rosetta;
  learning: Learning;
  charts: Charts;
  profile: ProfileStudy;
  levels: LevelsStudy;
  games: GamesSideBySide;
  reach: Reach;
  duel: DuelStudy;
  sweep: Sweep;
}
/**
 * Every size, from histories to classes.
 *
 * `grid` [n][u]: how many choices of n filled upper categories allow the upper total u.
 */
export interface StateSpaceSize {
  rules: string;
  rerolls: number;
  histories: Histories;
  slots: number;
  reachable: number;
  reachable_unfinished: number;
  classes: number;
  pruned: number;
  widget: Widget;
  layers: LayerSize[];
  grid: number[][];
  memory: MemoryUse;
  claims: Claim[];
}
/**
 * Numbers of different games; integers as text, since floats have too few digits.
 */
export interface Histories {
  turns: string;
  games: string;
  log10_games: number;
  turns_dice_apart: string;
  log10_games_dice_apart: number;
}
/**
 * One turn as a graph, and the operations of the two ways to solve it.
 *
 * `edges_keep_all` of the edges from rolls to keeps hold all dice, which is scoring at once.
 */
export interface Widget {
  rolls: number;
  keeps: number;
  nodes: number;
  edges_first_roll: number;
  edges_keeps_in_rolls: number;
  edges_keep_all: number;
  edges_rolls_from_keeps: number;
  edges_categories: number;
  edges: number;
  sparse_operations_per_reroll: number;
  lattice_operations_per_reroll: number;
}
/**
 * States with the same number of filled categories.
 */
export interface LayerSize {
  filled: number;
  masks: number;
  slots: number;
  reachable: number;
  classes: number;
}
/**
 * Bytes.
 */
export interface MemoryUse {
  table_float32: number;
  table_float64: number;
  padded_table_float32: number;
  reachable_float32: number;
  two_layers_float32: number;
  work_per_thread_float32: number;
  work_per_thread_float64: number;
  one_widget_float32: number;
  all_widgets_float32: number;
}
/**
 * A number of the forerunner beside ours; `within` is half a unit of its last digit.
 */
export interface Claim {
  what: string;
  forerunner: number;
  ours: number;
  within: number;
  agrees: boolean;
}
/**
 * Exact distribution of the final score, indexed by score, and simulated games beside it.
 */
export interface ScoreDistribution {
  policy: string;
  rules: string;
  mean: number;
  sd: number;
  skewness: number;
  excess_kurtosis: number;
  bonus_rate: number;
  yatzy_rate: number;
  lowest: number;
  highest: number;
  quantiles: {
    [k: string]: number;
  };
  pmf: number[];
  at_least: {
    [k: string]: number;
  };
  tails: Tail[];
  log10_at_least: (number | null)[];
  log10_at_most: (number | null)[];
  simulated: SimulatedScores;
  claims: Claim[];
}
/**
 * The highest and lowest scores that a game reaches or passes with at least this probability.
 */
export interface Tail {
  probability: number;
  at_least: number;
  at_most: number;
}
/**
 * The same distribution from seeded games.
 */
export interface SimulatedScores {
  games: number;
  seed: number;
  mean: number;
  sd: number;
  z: number;
  counts: number[];
  bins: Bin[];
  chi_square: ChiSquare;
  categories: CategoryCheck[];
}
/**
 * Scores first..last (both included) in exact and in simulated games.
 */
export interface Bin {
  first: number;
  last: number;
  expected: number;
  observed: number;
}
/**
 * The distance of simulated games from the exact distribution.
 */
export interface ChiSquare {
  statistic: number;
  degrees: number;
  p_value: number;
}
/**
 * Mean points of a category, exact and simulated; `z` in standard errors.
 */
export interface CategoryCheck {
  category: string;
  exact: number;
  simulated: number;
  z: number;
}
/**
 * The populations, and how well normals describe the whole; `modes` are those of four normals together.
 */
export interface Populations {
  policy: string;
  rules: string;
  populations: Population[];
  four_normals: MixtureFit;
  one_normal: MixtureFit;
  forerunner_normals: MixtureFit;
  modes: number[];
  ripple: Ripple;
  claims: Claim[];
}
/**
 * One component; `density` by score sums to `weight`; `humps` are the scores of its visible maxima.
 */
export interface Population {
  bonus: boolean;
  yatzy: boolean;
  weight: number;
  mean: number;
  sd: number;
  skewness: number;
  excess_kurtosis: number;
  normal_fit: MixtureFit;
  humps: number[];
  density: number[];
}
/**
 * Distances of a model of the distribution from the exact one.
 */
export interface MixtureFit {
  total_variation: number;
  ks_distance: number;
}
/**
 * Seeded games of the largest population by the number of `boxes` made; one more adds `step` points.
 */
export interface Ripple {
  games: number;
  seed: number;
  boxes: string[];
  step: number;
  parts: Made[];
}
/**
 * Games in which `made` of the ripple's boxes were scored; `density` by score sums to `share`.
 */
export interface Made {
  made: number;
  share: number;
  mean: number;
  sd: number;
  humps: number[];
  density: number[];
}
/**
 * The gap and its parts: gap = bonus + upper_part + lower_part.
 */
export interface BonusGap {
  policy: string;
  rules: string;
  bonus_rate: number;
  mean_with_bonus: number;
  mean_without_bonus: number;
  gap: number;
  bonus: number;
  upper_part: number;
  lower_part: number;
  categories: CategoryPart[];
  claims: Claim[];
}
/**
 * Mean points of a category with and without the bonus.
 */
export interface CategoryPart {
  category: string;
  upper: boolean;
  mean: number;
  with_bonus: number;
  without_bonus: number;
  difference: number;
}
/**
 * Seeded games of optimal play; `bonus` and `yatzy` are strings with a 0 or 1 per game.
 */
export interface GameSpray {
  policy: string;
  rules: string;
  games: number;
  seed: number;
  bonus_points: number;
  mean: number;
  sd: number;
  score: number[];
  bonus: string;
  yatzy: string;
  columns: Column[];
}
/**
 * A category in all games.
 */
export interface Column {
  category: string;
  possible: number[];
  points: string;
  turns: string;
}
/**
 * float32 beside float64; `mean_lost` is per game, the largest regret that of a single turn.
 */
export interface Precision {
  rules: string;
  states: number;
  value: number;
  value_float32: number;
  largest_error: number;
  mean_error: number;
  states_erring: number;
  largest_regret: number;
  mean_lost: number;
  claims: Claim[];
}
/**
 * The reported value, ours with the same scoring, and ours with the printed rules.
 */
export interface Reported {
  reported: number;
  as_programmed: number;
  as_printed: number;
}
/**
 * The questions, what two players lose in total, and the answers of two others to the first question.
 */
export interface DecisionQuiz {
  rules: string;
  boxes: string[];
  questions: QuizDecision[];
  greedy_lost: number;
  bot_lost: number;
  cautious: string;
  bold: string;
}
/**
 * One decision; `points` by box are those of the dice as they lie, `choices` all actions, best first.
 */
export interface QuizDecision {
  dice: string;
  rerolls: number;
  why: string;
  points: number[];
  choices: QuizChoice[];
  greedy_regret: number;
  bot_regret: number;
}
/**
 * An action, its value and its regret.
 */
export interface QuizChoice {
  action: string;
  value: number;
  regret: number;
}
/**
 * The fractions of all games, and what is known of the first game beside them.
 */
export interface ExactStudy {
  values: ExactValue[];
  published: PublishedValue;
  error: FloatError;
  choices: ExactDecisions;
  bonus: ExactValue;
  yatzy: ExactValue;
}
/**
 * A fraction, reduced, as strings of digits; the prime factors of its denominator, its first 50 digits.
 */
export interface ExactValue {
  rules: string;
  value: number;
  numerator: string;
  denominator: string;
  factors: {
    [k: string]: number;
  };
  digits: string;
}
/**
 * The numerator and denominator that somebody else published, by their digits, and how long it took.
 */
export interface PublishedValue {
  source: string;
  numerator_digits: number;
  denominator_digits: number;
  computing: string;
}
/**
 * How far float64 values are from the exact ones, over all reachable states.
 */
export interface FloatError {
  states: number;
  largest: number;
  mean: number;
  start: number;
}
/**
 * Decisions of all reachable states, by rerolls left from none: how many, and how many are exactly equal.
 */
export interface ExactDecisions {
  decisions: number[];
  ties: number[];
  wrong: number[];
  other: number[];
}
/**
 * The whole solution; `greedy_value` is that of taking the most points in the first turn.
 */
export interface SmallGame {
  last_pair: number;
  last_chance: number;
  throws: Throw[];
  value: number;
  greedy_value: number;
}
/**
 * Two dice, how many of the 36 throws show them, their points in both boxes, and the value of each choice.
 */
export interface Throw {
  dice: string;
  ways: number;
  pair: number;
  chance: number;
  worth_of_pair: number;
  worth_of_chance: number;
}
/**
 * The first turn. `category_by_roll` and `value_by_roll` are for the dice as they lie, no reroll left.
 */
export interface OpeningTurn {
  rules: string;
  value: number;
  categories: string[];
  category_by_roll: number[];
  value_by_roll: number[];
  rerolls: Reroll[];
}
/**
 * With `rerolls` left: the value of every keep, of every roll, and the best keep of every roll.
 */
export interface Reroll {
  rerolls: number;
  value_by_keep: number[];
  value_by_roll: number[];
  keep_by_roll: number[];
}
/**
 * All kinds of decisions, beside the spread of the score.
 */
export interface DecisionGaps {
  rules: string;
  sd: number;
  decisions_per_game: number;
  median: number;
  games_to_tell: number;
  below: {
    [k: string]: number;
  };
  edges: number[];
  decisions: DecisionGap[];
  layers: LayerValue[];
}
/**
 * One kind of decision; only those with a choice count, `per_game` of them.
 *
 * `tied`: the share with a gap of 0; `below`: the share with a smaller gap, by gap in points;
 * `histogram`: the share between neighbouring `edges` (the first bin from 0); `mean_by_turn` in points.
 */
export interface DecisionGap {
  decision: string;
  per_game: number;
  tied: number;
  mean: number;
  median: number;
  below: {
    [k: string]: number;
  };
  games_to_tell: number;
  histogram: number[];
  mean_by_turn: (number | null)[];
}
/**
 * States with `filled` categories filled: the points to come, on average in optimal play, and their range.
 */
export interface LayerValue {
  filled: number;
  mean: number;
  lowest: number;
  highest: number;
}
/**
 * The gap and where it comes from. Lists by decision are in the order of `decisions`.
 */
export interface HeuristicGap {
  policy: string;
  rules: string;
  optimal_mean: number;
  mean: number;
  sd: number;
  gap: number;
  regret: number;
  bonus_rate: number;
  optimal_bonus_rate: number;
  bonus_shortfall: number;
  decisions: DecisionLoss[];
  categories: CategoryLoss[];
  turns: TurnLoss[];
  claims: Claim[];
}
/**
 * Points lost per game by one kind of decision.
 */
export interface DecisionLoss {
  decision: string;
  regret: number;
  share: number;
}
/**
 * A category: regret of the turns that end in it, by decision, and its mean under either policy.
 */
export interface CategoryLoss {
  category: string;
  regret: number;
  regret_by_decision: number[];
  mean: number;
  optimal_mean: number;
  shortfall: number;
}
/**
 * Regret in one turn of the game, by decision.
 */
export interface TurnLoss {
  turn: number;
  regret: number;
  regret_by_decision: number[];
}
/**
 * All models by size.
 */
export interface Compression {
  rules: string;
  optimal_mean: number;
  lookup_parameters: number;
  situations: number;
  lossless: boolean;
  models: Strength[];
  claims: Claim[];
}
/**
 * One policy. Lists are by decision: category, keep with 1 reroll left, keep with 2; errors are per game.
 *
 * Proxy and agreement are measured on optimal play's states, regret and errors on the policy's own.
 */
export interface Strength {
  name: string;
  family: string;
  parameters: number;
  mean: number;
  sd: number;
  bonus_rate: number;
  yatzy_rate: number;
  gap: number;
  proxy: number;
  compounding: number;
  regret_by_decision: number[];
  proxy_by_decision: number[];
  agreement_by_decision: number[];
  errors_by_decision: number[];
  share_at_upper_40_to_62: number[];
  share_below_a_tenth: number[];
  regret_by_upper: number[];
  regret_by_turn: number[];
  simulated_mean: number;
  simulated_error: number;
  on_frontier: boolean;
}
/**
 * All lists, and their learning curves.
 */
export interface Rosetta {
  rules: string;
  optimal_mean: number;
  lists: ListStrength[];
  curves: ListCurve[];
  grammars: Grammar[];
  claims: Claim[];
}
/**
 * A list, its strength and its rules; `start_mean` is that of its defaults alone.
 *
 * `grown` are (rules, mean) while the search added rules, before it exchanged and dropped some.
 */
export interface ListStrength {
  strength: Strength;
  method: string;
  path: string;
  every_decision: boolean;
  n_rules: number;
  n_conditions: number;
  start_mean: number;
  gap_closed: number;
  text: string;
  rules: RuleWorth[];
  grown: [number, number][];
}
/**
 * A rule in words; `worth` is what the list loses without it (None if not measured).
 */
export interface RuleWorth {
  level: number;
  number: number;
  text: string;
  worth: number | null;
}
/**
 * The exact mean by number of rules; `points` (rules, mean) are lists found the same way.
 */
export interface ListCurve {
  name: string;
  method: string;
  every_decision: boolean;
  points: [number, number][];
  phases: Phase[];
}
/**
 * Rules `first` to `last` of a curve and what each adds on average.
 */
export interface Phase {
  first: number;
  last: number;
  points_per_rule: number;
}
/**
 * A way to name keeps: the number of names, and the best mean of play with these keeps only.
 */
export interface Grammar {
  name: string;
  moves: number;
  mean: number;
  cost: number;
}
/**
 * All learners; `games_to_beat_greedy` by learner, None where it never does.
 */
export interface Learning {
  rules: string;
  seed: number;
  optimal_mean: number;
  greedy_mean: number;
  learners: LearningCurve[];
  games_to_beat_greedy: {
    [k: string]: number | null;
  };
}
/**
 * One learner at every stop.
 */
export interface LearningCurve {
  name: string;
  looks_ahead: boolean;
  from_scores: boolean;
  points: Stop[];
}
/**
 * Strength after a number of games.
 */
export interface Stop {
  games: number;
  mean: number;
  bonus_rate: number;
}
/**
 * The charts of a game, then those of other games.
 */
export interface Charts {
  rules: string;
  optimal_mean: number;
  carried: ReadingAid[];
  other_games: GameCharts[];
}
/**
 * A chart, card or list; `reads` are lines or rules read per decision, by rerolls left too (0: scoring).
 *
 * `numbers` is the size of the par table beside it. With `oracle_keeps` dice are kept as in optimal play. Only
 * charts are also played in games.
 */
export interface ReadingAid {
  name: string;
  kind: "chart" | "card" | "list";
  n_lines: number;
  numbers: number;
  mean: number;
  reads: number;
  reads_by_rerolls: number[];
  oracle_keeps: boolean;
  sd: number | null;
  bonus_rate: number | null;
  simulated_mean: number | null;
  simulated_error: number | null;
  text: string;
}
/**
 * All charts of a game, and all lists that make every decision; only the first game has `other_games`.
 */
export interface GameCharts {
  rules: string;
  optimal_mean: number;
  carried: ReadingAid[];
  other_games: unknown[];
}
/**
 * How well habits are recovered, and what they cost.
 */
export interface ProfileStudy {
  rules: string;
  questions: number;
  bits: number;
  on_grid: Recovery;
  between: Recovery;
  six: Recovery;
  published: {
    [k: string]: number;
  };
  ladders: HabitStep[];
  best: number;
  claims: Claim[];
}
/**
 * Errors of the fit for simulated players.
 */
export interface Recovery {
  players: number;
  theta: number;
  beta: number;
  gamma: number;
  depth_right: number;
  spread: {
    [k: string]: number;
  };
}
/**
 * The exact mean of a player with one habit of this strength.
 */
export interface HabitStep {
  habit: string;
  number: number;
  mean: number;
}
/**
 * The means of every game.
 */
export interface LevelsStudy {
  games: GameLevels[];
}
/**
 * The exact means in one game: of perfect play, of `references`, and of opponents by their limit.
 */
export interface GameLevels {
  rules: string;
  best: number;
  references: Reference[];
  limits: number[];
  means: number[];
}
/**
 * A player and its exact mean.
 */
export interface Reference {
  player: string;
  mean: number;
}
/**
 * All games, the worth of saved throws, and published values.
 */
export interface GamesSideBySide {
  games: GameFigures[];
  states_checked: number;
  worth_of_saved_throws: {
    [k: string]: number;
  };
  published: Published[];
}
/**
 * One game. `spread` is None where throws are saved, `carried_over` where nothing can be, `greedy` with other
 * dice and where throws are saved.
 *
 * `recomputed` is the largest difference of a checked state from the table.
 */
export interface GameFigures {
  rules: string;
  dice: number;
  boxes: number;
  states: number;
  value: number;
  recomputed: number;
  spread: ScoreSpread | null;
  simulated: SimulatedPlay;
  greedy: number | null;
  carried_over: number | null;
}
/**
 * The exact distribution of perfect play; `mean` comes out of it, not of the table.
 */
export interface ScoreSpread {
  mean: number;
  sd: number;
  median: number;
  bonus_rate: number;
  yatzy_rate: number;
  extra_mean: number;
  chance_of_300: number;
  cut: number;
  quantiles: {
    [k: string]: number;
  };
}
/**
 * Seeded games of perfect play.
 */
export interface SimulatedPlay {
  games: number;
  mean: number;
  standard_error: number;
  sd: number;
  median: number;
  bonus_rate: number;
  yatzy_rate: number;
}
/**
 * A number published by somebody else, beside ours.
 */
export interface Published {
  what: string;
  source: string;
  published: number;
  ours: number;
}
/**
 * The curves, the cost of targets, and changed decisions.
 */
export interface Reach {
  rules: string;
  mean: number;
  curve: ReachCurve;
  within: ReachableTargets[];
  followed: Followed[];
  changes: Change[];
  games_replayed: number;
  decisions_replayed: number;
  decisions_changed: {
    [k: string]: number;
  };
  costliest: number;
  widest: number;
}
/**
 * By target, from 0 on: the chance and mean of the best play for it, and the chances of play for the mean and
 * for the best theta, with this theta.
 */
export interface ReachCurve {
  best: number[];
  mean_of_best: number[];
  for_mean: number[];
  for_theta: number[];
  theta: number[];
}
/**
 * The highest targets reached with at least this probability.
 */
export interface ReachableTargets {
  probability: number;
  best: number;
  for_mean: number;
  for_theta: number;
}
/**
 * Play for one target; `cost` in points of the mean, `cut` is the share of games left out.
 */
export interface Followed {
  target: number;
  chance: number;
  mean: number;
  cost: number;
  sd: number;
  bonus_rate: number;
  quantiles: {
    [k: string]: number;
  };
  cut: number;
}
/**
 * A situation in which play for the target differs from play for the mean; chances are of the target.
 */
export interface Change {
  target: number;
  game: number;
  turn: number;
  points: number;
  open: string[];
  upper: number;
  dice: number[];
  rerolls: number;
  for_target: string;
  for_mean: string;
  chance: number;
  chance_for_mean: number;
  points_given_up: number;
  size: number;
  words: string;
}
/**
 * Playing to win against play for the mean.
 */
export interface DuelStudy {
  rules: string;
  blind: Blind;
  known: Known;
  played: DuelRecord[];
  promises: Promises;
  worth_of_moving_second: number;
  claims: Claim[];
}
/**
 * Exact win rates without seeing the other's card; ties count half.
 */
export interface Blind {
  tie_of_equals: number;
  best_theta: number;
  theta_rate: number;
  best_rate: number;
  by_theta: {
    [k: string]: number;
  };
}
/**
 * Chances with the other's final score known before the first throw.
 */
export interface Known {
  win: number;
  win_or_tie: number;
}
/**
 * A way of playing, in seeded duels; ties are half a win in `win_rate` and `gain`, none in `decided_rate`.
 */
export interface DuelRecord {
  player: string;
  moves_first: boolean;
  games: number;
  win_rate: number;
  standard_error: number;
  decided_rate: number;
  tie_rate: number;
  mean: number;
  gain: number;
  gain_error: number;
  promise: number | null;
}
/**
 * What the model says of itself: its mean chance before each turn of seeded duels, and how often it then won.
 *
 * If the model were the game, all would be equal but for luck.
 */
export interface Promises {
  games: number;
  by_turn: number[];
  win_rate: number;
  standard_error: number;
}
/**
 * All points of a grid, by theta.
 */
export interface Sweep {
  rules: string;
  fingerprint: string;
  version: string;
  points: Point[];
  slopes: Slope[];
}
/**
 * Optimal play for one theta.
 */
export interface Point {
  theta: number;
  value: number;
  mean: number;
  sd: number;
  skewness: number;
  bonus_rate: number;
  yatzy_rate: number;
  quantiles: {
    [k: string]: number;
  };
  pmf: number[];
  seconds: number;
}
/**
 * The price of variance in points of the mean, between neighbouring thetas.
 */
export interface Slope {
  theta_from: number;
  theta_to: number;
  measured: number;
  predicted: number;
}
/**
 * Every action of a situation, best first; ties by value, then by id. `goal` says what is maximised:
 *
 * mean    the expected score                  risk    the mean of exp(theta * score)
 * reach   the chance of `target`, with `need` points still missing
 * beat    the chance to beat `others` at the table, who play for the mean; an estimate unless `exact`
 * duel    the chance to win a duel, in which the player `moves_first` or second
 * utility a utility of the final score, which takes the place of the chance
 */
export interface Advice {
  dice: number[];
  rerolls: number;
  filled: string[];
  upper: number;
  saved?: number;
  actions: AdvisedAction[];
  theta: number;
  goal: "mean" | "risk" | "reach" | "beat" | "duel" | "utility";
  target?: number;
  need?: number;
  others?: number;
  exact?: boolean;
  moves_first?: boolean;
  rules: string;
  value: number;
  chance?: number;
  lead: "only choice" | "equal" | "close call" | "clear" | "obvious";
}
/**
 * An action, its value (expected remaining points) and its regret (the loss against the best action).
 *
 * `chance` is that of the goal, if the goal is one. The coach adds the chance of the bonus, the chance that the
 * turn brings more than any box would now, and the likeliest ends of the turn.
 *
 * Asked for, `why` says why the best action is better (of the best: why it is best), and `parts` by box, bonus
 * and extra points what an action loses: the sum is its regret. With a risk or a chance there are instead the
 * points that each box brings after the action, which need not sum to anything (`points_by_box`).
 */
export interface AdvisedAction {
  action: string;
  value: number;
  regret: number;
  chance?: number;
  bonus_chance?: number;
  improve_chance?: number;
  outcomes?: LikelyEnd[];
  why?: string;
  parts?: {
    [k: string]: number;
  };
  points_by_box?: {
    [k: string]: number;
  };
  keep?: number[];
  category?: string;
  points?: number;
  extra?: number;
}
/**
 * A likely end of the turn: the box, its points, and the probability.
 */
export interface LikelyEnd {
  category: string;
  points: number;
  prob: number;
}
/**
 * Why an action is better than its rival, by `lead` points or percent of the chance.
 *
 * Without a `rival` there is nothing else to do; without clauses both are equally good.
 */
export interface Reason {
  action: string;
  rival: string | null;
  lead: number;
  clauses: Clause[];
}
/**
 * A part of a reason: `part` are the points that it explains, above 0 if they speak for the better action.
 */
export interface Clause {
  kind: "takes" | "leaves" | "boxes" | "spared" | "later" | "bonus" | "extra" | "chance" | "daring" | "safe";
  part: number;
  boxes: string[];
  points?: number;
  average?: number;
  chance?: number;
  rival_chance?: number;
}
/**
 * A game, decision by decision; `value_left` is the value of what is left of an unfinished game.
 */
export interface Review {
  start_value: number;
  value_left: number;
  decisions: Decision[];
  replay: Replay;
  rules: string;
  player?: string;
  finished: boolean;
  score: number;
  bonus: number;
  luck: number;
  lost: number;
  spared: number;
  words: {
    [k: string]: number;
  };
  turns: ReviewedTurn[];
  mistakes: Decision[];
}
/**
 * One decision of a game; turns are counted from 1, `dice` are in the order they lay.
 *
 * `luck` is that of the throw before it, `expected` the score to expect before that throw. `value` of the action
 * played and `best_value` are points to come. `best` is a best action: the one that was played, if it is one. If
 * the goal was not the mean, `goal` is the verdict by it, and `best` is best for it. If the coach warned,
 * `wanted` is what was about to be played then; it counts in `regret` and in the verdict, and the warning
 * `spared` the difference to what was played. `lead` is how far the best action is ahead of the next, None if it
 * is the only one. `why` says why the best action is better; of the worst decisions only, and if asked.
 */
export interface Decision {
  turn: number;
  dice: number[];
  rerolls: number;
  filled: string[];
  upper: number;
  saved?: number;
  expected: number;
  luck: number;
  played: string;
  value: number;
  best: string;
  best_value: number;
  regret: number;
  card: CardAdvice | null;
  goal?: Verdict;
  wanted?: string;
  spared?: number;
  lead?: number;
  why?: string;
  word: "perfect" | "fine" | "inaccuracy" | "mistake" | "blunder";
}
/**
 * What the chart would have played, and what that loses.
 */
export interface CardAdvice {
  policy: string;
  action: string;
  regret: number;
  rule?: string;
}
/**
 * A decision judged by its goal: what the played and the best action are worth, as chances or as points.
 */
export interface Verdict {
  lost: number;
  target?: number;
  theta?: number;
  others?: number;
  chance?: number;
  best_chance?: number;
  value?: number;
  best_value?: number;
}
/**
 * The same dice played perfectly for as many turns; `value_left` is the value of what is left then.
 */
export interface Replay {
  log: GameLog;
  value_left: number;
  score: number;
}
/**
 * A game of one player, finished or not.
 */
export interface GameLog {
  format: "yatzy-game";
  version: 1;
  rules: string;
  player?: string;
  date?: string;
  seed?: number;
  game?: number;
  scheme?: "by-die";
  policy?: string;
  hints?: true;
  start?: Start;
  turns: TurnLog[];
  checksum?: string;
}
/**
 * What stood on the card before the first turn of a log: `boxes` are points by box, `extra` those beside them.
 *
 * `saved` are throws saved. With `rerolls`, the first roll lay on the table already, with so many rerolls left.
 */
export interface Start {
  boxes: {
    [k: string]: number;
  };
  extra?: number;
  saved?: number;
  rerolls?: number;
}
/**
 * One turn: the dice after each throw, what was held in between, and the category.
 *
 * `goals` are the aims of its decisions; none means that all were for the mean. `wanted` are the actions that the
 * coach first warned about; none means that it did not warn.
 */
export interface TurnLog {
  rolls: number[][];
  keeps: number[][];
  category: string;
  goals?: (Aim | null)[];
  wanted?: (string | null)[];
}
/**
 * A target, a risk parameter, or cards to beat: exactly one of them.
 */
export interface Aim {
  target?: number;
  theta?: number;
  others?: Card[];
}
/**
 * A player's card; `points` are those in its boxes, without the bonus.
 */
export interface Card {
  points: number;
  filled: string[];
  upper: number;
}
/**
 * A turn, counted from 1: the box scored, the score to expect before it, luck, and points lost.
 */
export interface ReviewedTurn {
  turn: number;
  category: string;
  points: number;
  expected: number;
  luck: number;
  lost: number;
  extra?: number;
  spared?: number;
}
/**
 * What was looked for in somebody's games and answers, dearest first; `found` is the habit that stands out.
 */
export interface Leaks {
  rules: string;
  games: number;
  decisions: number;
  lost: number;
  habits: Leak[];
  missing: number;
  found?: Leak;
}
/**
 * A habit, and what followed it.
 *
 * `lost` are points lost per game by mistakes that follow it, `usual` what a player as strong and without habits
 * loses so in the same situations; `within` is half of the 95% interval of the difference. Of `tempted` decisions
 * in which some mistake would follow it, `mistakes` did; of the other player `expected` would. `z` says how sure
 * it is, `strength` how strong the evidence. `lost_each` are points lost per decision in which what looks best to
 * who has the habit loses half a point or more: that is what training measures too.
 */
export interface Leak {
  habit:
    | "ignores-bonus"
    | "overrates-bonus"
    | "chases-yatzy"
    | "neglects-yatzy"
    | "chases-straights"
    | "neglects-straights"
    | "points-now"
    | "points-later"
    | "breaks-pairs"
    | "clings-to-pairs"
    | "crosses-out-late"
    | "crosses-out-early";
  lost: number;
  usual: number;
  within: number | null;
  tempted: number;
  mistakes: number;
  expected: number;
  z: number;
  lost_each: number;
  costs: number;
  sentence: string;
}
