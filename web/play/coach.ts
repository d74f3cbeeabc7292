/**
 * What the coach is asked, and what it said. The engine solves the game in this browser; until then, and while an answer
 * is on its way, the game goes on. An answer that comes when its situation has passed is kept, not shown.
 */
import newGame from "./data/new-game.json";
import { actionId } from "../engine/advise";
import { NOT_STARTED, createEngine } from "../engine/client";
import { nBefore } from "../engine/start";
import type { OutlookSummary } from "../engine/types";
import {
  type Action,
  type Advice,
  type Chance,
  type CardInTurn,
  type ExplainedAdvice,
  type Move,
  type Outlook,
  type Reason,
  type Review,
  type Situation,
  type Turn,
} from "../engine/types";
import { reasonOf, rivalOf } from "../engine/why";
import * as play from "./game/game";
import { situationOf } from "./game/game";
import { isSolved, type Rules } from "./game/rules";
import { winChances, winsByScore, type OpponentEngine, type Seat } from "./game/table";
import { fixed, percent, t, titleOf, whole } from "./language";
import { choices, session, save } from "./session";

const DEBOUNCE = 250;

const engine = createEngine();
const advices = new Map<string, Advice>();
const distributions = new Map<string, Outlook>();
const chances = new Map<string, Chance>();
/** Why an answer did not come, by what was asked. */
const failures = new Map<string, string>();
const underway = new Set<string>();
let outlookTimer = 0;
let show = (): void => undefined;

/** How far the solver is, by game and risk: a share, or in how many seconds it was done (none if it was kept). */
const solving = new Map<string, { share: number; seconds: number | null }>();
const solvingKey = (): string => `${session.game.rules.fingerprint} ${theta()}`;

export function onCoachChange(showPage: () => void): void {
  show = showPage;
}

/** Why there is no coach for this game at all, if so. */
export function whyNoCoach(): string | null {
  const { rules } = session.game;
  if (isSolved(rules)) return null;
  return t.outlook.tooMany(titleOf(rules.rules), whole(rules.values));
}

/** Have the current game solved, and say how far that is. */
export function solve(): void {
  const key = solvingKey();
  if (solving.has(key) || failures.has(key) || whyNoCoach()) return;
  const state = { share: 0, seconds: null as number | null };
  solving.set(key, state);
  engine
    .solve(session.game.rules, theta(), (share) => {
      const moved = Math.floor(share * 20) > Math.floor(state.share * 20);
      state.share = share;
      if (moved) show();
    })
    .then(({ seconds }) => Object.assign(state, { share: 1, seconds }))
    .catch((error: unknown) => {
      solving.delete(key);
      failures.set(key, errorText(error));
    })
    .finally(show);
}

/** What the solver is doing, in a sentence. */
export function solverStatus(): string {
  const state = solving.get(solvingKey());
  if (whyNoCoach() || !state) return "";
  const states = whole(session.game.rules.states);
  if (state.share < 1) return t.outlook.solving(states, percent(state.share));
  if (state.seconds === null) return t.outlook.solvedBefore(states);
  return t.outlook.solved(states, fixed(state.seconds));
}

export const errorText = (error: unknown): string =>
  error instanceof Error && error.message === NOT_STARTED ? t.outlook.notStarted : t.outlook.noAnswer;

/** Ask again for what failed. */
export function forgetFailures(): void {
  failures.clear();
}

/** The answer if it is there; asks for it otherwise, once, and shows the page again when something comes. */
function cached<T>(key: string, known: Map<string, T>, request: () => Promise<T | null>, none = ""): T | null {
  const found = known.get(key);
  if (found || underway.has(key) || failures.has(key) || whyNoCoach()) return found ?? null;
  underway.add(key);
  request()
    .then((told) => (told ? known.set(key, told) : failures.set(key, none)))
    .catch((error: unknown) => failures.set(key, errorText(error)))
    .finally(() => {
      underway.delete(key);
      show();
    });
  return null;
}

// Hints.

export type Hint =
  | { kind: "off" }
  | { kind: "ask" }
  | { kind: "wait" }
  | { kind: "failed"; why: string }
  | { kind: "told"; advice: Advice; asked: Situation };

/** Risk is for somebody who plays alone; at a table it is winning that counts. */
const theta = (): number => (session.isShared ? 0 : choices.theta);

/** Is advice for winning? */
const isToWin = (): boolean => session.isShared && choices.toWin && !session.game.rules.saves_throws;

export function currentSituation(): Situation | null {
  const { game } = session;
  if (!play.diceOnTable(game) || play.isFinished(game)) return null;
  const { target } = choices;
  const situation = { ...situationOf(game), theta: theta() };
  if (isToWin()) {
    const wins = winsByOwnScore();
    return wins && { ...situation, wins };
  }
  const isFor = target !== null && !theta() && !game.rules.saves_throws && !session.isShared;
  return isFor ? { ...situation, target } : situation;
}

const keyOf = (situation: Situation): string => JSON.stringify([session.game.rules.rules, situation]);

/** Is the advice for this situation there? */
export function hasAdvice(situation: Situation): boolean {
  failures.delete(keyOf(situation));
  return advices.has(keyOf(situation));
}

export function currentHint(): Hint {
  // Why there is no coach stands with the outlook; it is nothing to try again.
  if (choices.hints === "off" || session.challenge || whyNoCoach()) return { kind: "off" };
  const asked = choices.hints === "always" || session.asked;
  const situation = currentSituation();
  if (!situation) return asked && isToWin() && play.diceOnTable(session.game) ? { kind: "wait" } : { kind: "ask" };
  if (!asked) return { kind: "ask" };
  const advice = adviceOn(situation);
  if (advice) return { kind: "told", advice, asked: situation };
  const why = failures.get(keyOf(situation));
  return why ? { kind: "failed", why } : { kind: "wait" };
}

/** Advice on what lies on the table, if it is there; asks for it otherwise. */
const adviceOn = (situation: Situation): Advice | null =>
  cached(keyOf(situation), advices, () => engine.advise(session.game.rules, situation));

// Warnings.

/** What somebody is about to do that costs `lost` points, or percent of the chance. */
export interface Warning {
  asked: Situation;
  move: Action;
  best: Action;
  lost: number;
  isChance: boolean;
}

/** Values are in float32: what costs just as much as the player wants to be warned of costs this little less, or more. */
const ROUNDING = 1e-4;

const watched = (): Situation | null =>
  choices.warn && session.mode === "play" && session.seat.kind === "person" && !session.challenge
    ? currentSituation()
    : null;

/** Have the advice there before something is done that it warns of. Nothing ever waits for it. */
export function watch(): void {
  const situation = watched();
  if (situation) adviceOn(situation);
}

/** The warning of an action, if it costs as much as the player wants to be warned of. */
export function warningOf(move: Move): Warning | null {
  const asked = watched();
  const advice = asked && advices.get(keyOf(asked));
  if (!advice) return null;
  const { rules } = session.game;
  const id = actionId(rules, move);
  const found = advice.actions.find(({ action }) => actionId(rules, action) === id);
  const [best] = advice.actions;
  if (!found || !best) return null;
  const lost = advice.goal ? 100 * (advice.goal.chance - (found.chance ?? 0)) : found.regret;
  if (lost < choices.warn - ROUNDING) return null;
  return { asked, move: found.action, best: best.action, lost, isChance: advice.goal !== undefined };
}

/** Questions that wait for the solver, and throw where there is no coach: advice, a review, what habits are worth. */
export const {
  advise: adviseOn,
  review: reviewOf,
  worth: worthOf,
  leaks: leaksIn,
  training: trainingFor,
} = engine;

const reviewed = new WeakMap<Turn[], Promise<Review>>();

/** The review of a finished game, worked out once. */
export function reviewOfGame({ rules, turns, ...rest }: play.Game): Promise<Review> {
  let found = reviewed.get(turns);
  if (!found) {
    reviewed.set(turns, (found = engine.review(rules, play.toLog({ rules, turns, ...rest }))));
    found.catch(() => reviewed.delete(turns));
  }
  return found;
}

/** The engine's outlook; that of a new game of the kind that most people play was worked out beforehand. */
async function outlookFrom(rules: Rules, card: CardInTurn, risk: number): Promise<Outlook | null> {
  const isThere = rules.fingerprint === newGame.fingerprint && !risk && !card.set && !card.dice;
  return isThere ? newGame : engine.outlook(rules, card, risk);
}

/** The distribution of the final score of perfect play; null where it takes too long. */
export const perfectScores = (rules: Rules): Promise<Outlook | null> =>
  outlookFrom(rules, { set: 0, upper: 0, saved: 0, points: 0 }, 0);

/** Questions of those whom the page plays. */
export const opponentEngine = (): OpponentEngine => engine;

// Why.

/** Why the best is better than another choice, and what each part brings more than after that one. */
export interface Why {
  reason: Reason;
  parts: number[];
  /** Do the parts add up to what the other choice loses? */
  isSum: boolean;
}

interface Explained {
  answer: Promise<ExplainedAdvice>;
  waiting: ((share: number) => void)[];
}

const explained = new Map<string, Explained>();
const MAX_EXPLAINED = 100;

function explainedAdvice(
  rules: Rules,
  asked: Situation,
  progress?: (share: number) => void,
): Promise<ExplainedAdvice> {
  const key = JSON.stringify([rules.rules, { ...asked, details: 0 }]);
  let known = explained.get(key);
  if (!known) {
    const waiting: Explained["waiting"] = [];
    const answer = engine.explain(rules, asked, (share) => waiting.forEach((tell) => tell(share)));
    answer.catch(() => explained.delete(key));
    explained.set(key, (known = { answer, waiting }));
    const [oldest = ""] = explained.keys();
    if (explained.size > MAX_EXPLAINED) explained.delete(oldest);
  }
  if (progress) known.waiting.push(progress);
  return known.answer;
}

/** Why a choice costs what it does; of the best, why it is better than the next. Null where there is no such choice. */
export async function whyOf(
  rules: Rules,
  asked: Situation,
  move: Move,
  progress?: (share: number) => void,
): Promise<Why | null> {
  const found = await explainedAdvice(rules, asked, progress);
  const id = actionId(rules, move);
  const place = found.advice.actions.findIndex(({ action }) => actionId(rules, action) === id);
  if (place < 0) return null;
  const rival = rivalOf(rules, asked, found, place);
  const [mine = [], other = []] = [found.parts[0], rival === null ? found.parts[0] : found.parts[rival]];
  return {
    reason: reasonOf(rules, asked, found, rival),
    parts: mine.map((one, part) => one - (other[part] ?? 0)),
    isSum: !found.advice.goal && !asked.theta,
  };
}

// The outlook.

interface OutlookRequest {
  card: CardInTurn;
  key: string;
}

const outlookRequest = (rules: string, card: CardInTurn): OutlookRequest => ({
  card,
  key: JSON.stringify([rules, theta(), card]),
});

/** The card with so many boxes filled, with its key. */
function requestAt(filled: number): OutlookRequest {
  const { game } = session;
  const turns = game.turns.slice(0, filled - nBefore(game));
  return outlookRequest(game.rules.rules, play.cardOf({ ...game, turns }));
}

/** The situation now: the card, and the dice if there are any. */
function requestNow(): OutlookRequest {
  const { game } = session;
  // What the page throws for one of its own players is over in a moment.
  const dice = session.seat.kind === "person" ? play.diceOnTable(game) : null;
  const card = play.cardOf(game);
  // Where throws are saved, the outlook knows turns only.
  if (!dice || play.isFinished(game) || game.rules.saves_throws) return outlookRequest(game.rules.rules, card);
  const sorted = [...dice].sort((a, b) => a - b);
  return outlookRequest(game.rules.rules, { ...card, dice: sorted, rerolls: play.rerollsLeft(game) });
}

/** What was shown last, and for which game and turn. */
let shown: { turns: Turn[]; now: Outlook } | null = null;

/**
 * The outlook now and, if it is not there, why not. Until that of new dice comes, the last one of the turn stays, marked as
 * stale; its mean is that of the dice at once.
 */
export function currentOutlook(): { now: Outlook | null; stale: boolean; trouble: string | null } {
  const { game } = session;
  const { key, card } = requestNow();
  const now = distributions.get(key) ?? null;
  if (now) shown = { turns: game.turns, now };
  const trouble = whyNoCoach() ?? failures.get(key) ?? null;
  if (now || trouble || shown?.turns !== game.turns) return { now, stale: false, trouble };
  const asked = card.dice && { ...situationOf(game), dice: card.dice, theta: theta(), details: 0 };
  const advice = asked && cached(`mean ${key}`, advices, () => engine.advise(game.rules, asked));
  const mean = advice ? card.points + advice.value : shown.now.mean;
  return { now: { ...shown.now, mean }, stale: true, trouble: null };
}

/** The greatest chance of the target there is, or of winning, playing for it. */
export function currentChance(): Chance | null {
  const { game } = session;
  const { target } = choices;
  if (game.rules.saves_throws || play.isFinished(game)) return null;
  const { card, key } = requestAt(play.nFilled(game));
  if (isToWin()) {
    const wins = winsByOwnScore();
    if (!wins) return null;
    return cached(`${key} ${JSON.stringify(wins)}`, chances, () => engine.winning(game.rules, card, wins));
  }
  if (target === null || theta() || session.isShared) return null;
  return cached(`${key} ${target}`, chances, () => engine.chance(game.rules, card, target));
}

// The others at the table.

const requestOfSeat = (i: number): OutlookRequest => {
  const { game } = session.table.seats[i] as Seat;
  return i === session.table.now ? requestNow() : outlookRequest(game.rules.rules, play.cardOf(game));
};

/** The distribution of a player's final score, as far as it is known. */
function scoresOf(i: number): number[] | null {
  const { game } = session.table.seats[i] as Seat;
  if (!play.isFinished(game)) return distributions.get(requestOfSeat(i).key)?.pmf ?? null;
  const score = play.scoreOf(game);
  return Array.from({ length: score + 1 }, (_, n) => (n === score ? 1 : 0));
}

/** The chance of each to win, if all play perfectly for points from here; `stale` until the last throw is counted in. */
export interface WinningChances {
  chances: number[];
  stale: boolean;
}

/** The last chances that were known, and of which game. */
let lastChances = { game: "", chances: [] as number[] };

export function winningChances(): WinningChances | null {
  if (!session.isShared || whyNoCoach()) return null;
  const { seats } = session.table;
  const pmfs = seats.map((_, i) => scoresOf(i));
  const game = seats.map((seat) => `${seat.name} ${seat.game.rules.rules} ${seat.game.about.date}`).join();
  if (pmfs.every((pmf) => pmf !== null)) lastChances = { game, chances: winChances(pmfs) };
  else if (lastChances.game !== game) return null;
  return { chances: lastChances.chances, stale: pmfs.includes(null) };
}

const CERTAIN = 1 - 1e-9;

/** By final score of the player whose turn it is: the chance that it wins. */
function winsByOwnScore(): number[] | null {
  const { seats, now } = session.table;
  const others = seats.map((_, i) => (i === now ? [] : scoresOf(i)));
  if (!others.every((pmf) => pmf !== null)) return null;
  const wins = winsByScore(others.filter((_, i) => i !== now));
  const certain = wins.findIndex((won) => won > CERTAIN);
  return [...wins.slice(0, certain), 1];
}

/** What the page would like to know next: the outlook now, those of the others, then those of earlier turns. */
function nextOutlook(): OutlookRequest | undefined {
  const { game, outlooks, table } = session;
  const isOpen = ({ key }: OutlookRequest): boolean =>
    !failures.has(key) && !underway.has(key) && !distributions.has(key);
  const seats = table.seats.flatMap((seat, i) => (play.isFinished(seat.game) ? [] : [requestOfSeat(i)]));
  const now = play.isFinished(game) ? [] : [requestNow(), requestAt(play.nFilled(game))];
  const earlier = [...game.turns.keys()].reverse().map((i) => nBefore(game) + i);
  const before = earlier.filter((filled) => !outlooks[filled]);
  return [...now.slice(0, 1), ...(session.isShared ? seats : []), ...now.slice(1), ...before.map(requestAt)].find(
    isOpen,
  );
}

/** Asks for the next outlook when nothing has changed for a moment. */
export function scheduleOutlook(): void {
  clearTimeout(outlookTimer);
  const next = nextOutlook();
  if (!next || whyNoCoach() || underway.size) return;
  const { rules } = session.game;
  outlookTimer = window.setTimeout(
    () => void cached(next.key, distributions, () => outlookFrom(rules, next.card, theta()), t.outlook.saved),
    DEBOUNCE,
  );
}

/** What the fan shows of a distribution. */
export function summarize({ mean, quantiles }: Outlook): Pick<OutlookSummary, "mean" | "quantiles"> {
  const { "0.05": low = 0, "0.25": lower = 0, "0.75": upper = 0, "0.95": high = 0 } = quantiles;
  return { mean, quantiles: [low, lower, upper, high] };
}

/** Put the answers that are there into the fan. */
export function collectOutlooks(): void {
  const { game, outlooks } = session;
  const now = play.nFilled(game);
  for (let filled = nBefore(game); filled <= now; filled++) {
    const told = distributions.get(requestAt(filled).key);
    if (!told || (outlooks[filled] && filled < now)) continue;
    outlooks[filled] = { theta: theta(), ...summarize(told) };
    save();
  }
  if (play.isFinished(game)) {
    const end = play.scoreOf(game);
    outlooks[now] = { theta: theta(), mean: end, quantiles: [end, end, end, end] };
  }
  for (let filled = 0; filled <= now; filled++) outlooks[filled] ??= null;
}
