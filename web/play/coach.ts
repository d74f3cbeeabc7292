/**
 * What the coach is asked, and what it said. The engine solves the game in this browser; until then, and while an answer
 * is on its way, the game goes on. An answer that comes when its situation has passed is kept, not shown.
 */
import newGame from "./data/new-game.json";
import { NOT_STARTED, createEngine } from "../engine/client";
import {
  Edges,
  type Advice,
  type Chance,
  type Midway,
  type Outlook,
  type Situation,
  type Turn,
} from "../engine/types";
import * as play from "./game/game";
import { situationOf } from "./game/game";
import { isSolved, type Rules } from "./game/rules";
import { winChances, winsByScore, type Asks, type Seat } from "./game/table";
import { fixed, percent, t, titleOf, whole } from "./language";
import { choices, desk, save } from "./session";

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
const solvingKey = (): string => `${desk.game.rules.fingerprint} ${theta()}`;

export function startCoach(showPage: () => void): void {
  show = showPage;
}

/** Why there is no coach for this game at all, if so. */
export function noCoach(): string | null {
  const { rules } = desk.game;
  if (isSolved(rules)) return null;
  return t.outlook.tooMany(titleOf(rules.rules), whole(rules.values));
}

/** Have the game on the desk solved, and say how far that is. */
export function solve(): void {
  const key = solvingKey();
  if (solving.has(key) || failures.has(key) || noCoach()) return;
  const state = { share: 0, seconds: null as number | null };
  solving.set(key, state);
  engine
    .solve(desk.game.rules, theta(), (share) => {
      const moved = Math.floor(share * 20) > Math.floor(state.share * 20);
      state.share = share;
      if (moved) show();
    })
    .then(({ seconds }) => Object.assign(state, { share: 1, seconds }))
    .catch((error: unknown) => {
      solving.delete(key);
      failures.set(key, messageOf(error));
    })
    .finally(show);
}

/** What the solver is doing, in a sentence. */
export function solverSays(): string {
  const state = solving.get(solvingKey());
  if (noCoach() || !state) return "";
  const states = whole(desk.game.rules.states);
  if (state.share < 1) return t.outlook.solving(states, percent(state.share));
  if (state.seconds === null) return t.outlook.solvedBefore(states);
  return t.outlook.solved(states, fixed(state.seconds));
}

export const messageOf = (error: unknown): string =>
  error instanceof Error && error.message === NOT_STARTED ? t.outlook.notStarted : t.outlook.noAnswer;

/** Ask again for what failed. */
export function forgetFailures(): void {
  failures.clear();
}

/** The answer if it is there; asks for it otherwise, once, and shows the page again when something comes. */
function know<T>(key: string, known: Map<string, T>, request: () => Promise<T | null>, none = ""): T | null {
  const found = known.get(key);
  if (found || underway.has(key) || failures.has(key) || noCoach()) return found ?? null;
  underway.add(key);
  request()
    .then((told) => (told ? known.set(key, told) : failures.set(key, none)))
    .catch((error: unknown) => failures.set(key, messageOf(error)))
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
  | { kind: "told"; advice: Advice };

/** Risk is for somebody who plays alone; at a table it is winning that counts. */
const theta = (): number => (desk.isShared ? 0 : choices.theta);

/** Is advice for winning? */
const isToWin = (): boolean => desk.isShared && choices.toWin && !desk.game.rules.saves_throws;

export function situationNow(): Situation | null {
  const { game } = desk;
  if (!play.diceOnTable(game) || play.isFinished(game)) return null;
  const { target } = choices;
  const situation = { ...situationOf(game), theta: theta() };
  if (isToWin()) {
    const wins = winsNow();
    return wins && { ...situation, wins };
  }
  const isFor = target !== null && !theta() && !game.rules.saves_throws && !desk.isShared;
  return isFor ? { ...situation, target } : situation;
}

const keyOf = (situation: Situation): string => JSON.stringify([desk.game.rules.rules, situation]);

/** Is the advice for this situation there? */
export function isKnown(situation: Situation): boolean {
  failures.delete(keyOf(situation));
  return advices.has(keyOf(situation));
}

export function hintNow(): Hint {
  if (choices.hints === "off") return { kind: "off" };
  const asked = choices.hints === "always" || desk.asked;
  const situation = situationNow();
  if (!situation) return asked && isToWin() && play.diceOnTable(desk.game) ? { kind: "wait" } : { kind: "ask" };
  if (!asked) return { kind: "ask" };
  const key = keyOf(situation);
  const { rules } = desk.game;
  const advice = know(key, advices, () => engine.advise(rules, situation));
  if (advice) return { kind: "told", advice };
  const why = noCoach() ?? failures.get(key);
  return why ? { kind: "failed", why } : { kind: "wait" };
}

/** Questions that wait for the solver, and throw where there is no coach: advice, a review, what habits are worth. */
export const { advise: adviseOn, review: reviewOf, worth: worthOf } = engine;

/** The engine's outlook; that of a new game of the kind that most people play was worked out beforehand. */
async function lookFrom(rules: Rules, card: Midway, risk: number): Promise<Outlook | null> {
  const isThere = rules.fingerprint === newGame.fingerprint && !risk && !card.set && !card.dice;
  return isThere ? newGame : engine.outlook(rules, card, risk);
}

/** The distribution of the final score of perfect play; null where it takes too long. */
export const perfectScores = (rules: Rules): Promise<Outlook | null> =>
  lookFrom(rules, { set: 0, upper: 0, saved: 0, points: 0 }, 0);

/** Questions of those whom the page plays. */
export const asks = (): Asks => engine;

// The outlook.

interface Asked {
  card: Midway;
  key: string;
}

const askAbout = (rules: string, card: Midway): Asked => ({ card, key: JSON.stringify([rules, theta(), card]) });

/** The card at the start of turn n (from 0) with its key. */
function stateAt(turns: number): Asked {
  const { game } = desk;
  return askAbout(game.rules.rules, play.cardOf({ ...game, turns: game.turns.slice(0, turns) }));
}

/** The situation now: the card, and the dice if there are any. */
function stateNow(): Asked {
  const { game } = desk;
  const dice = play.diceOnTable(game);
  const card = play.cardOf(game);
  // Where throws are saved, the outlook knows turns only.
  if (!dice || play.isFinished(game) || game.rules.saves_throws) return askAbout(game.rules.rules, card);
  const sorted = [...dice].sort((a, b) => a - b);
  return askAbout(game.rules.rules, { ...card, dice: sorted, rerolls: play.rerollsLeft(game) });
}

/** What was shown last, and for which game and turn. */
let shown: { turns: Turn[]; now: Outlook } | null = null;

/**
 * The outlook now and, if it is not there, why not. Until that of new dice comes, the last one of the turn stays, marked as
 * stale; its mean is that of the dice at once.
 */
export function outlookNow(): { now: Outlook | null; stale: boolean; trouble: string | null } {
  const { game } = desk;
  const { key, card } = stateNow();
  const now = distributions.get(key) ?? null;
  if (now) shown = { turns: game.turns, now };
  const trouble = noCoach() ?? failures.get(key) ?? null;
  if (now || trouble || shown?.turns !== game.turns) return { now, stale: false, trouble };
  const asked = card.dice && { ...situationOf(game), dice: card.dice, theta: theta(), details: 0 };
  const advice = asked && know(`mean ${key}`, advices, () => engine.advise(game.rules, asked));
  const mean = advice ? card.points + advice.value : shown.now.mean;
  return { now: { ...shown.now, mean }, stale: true, trouble: null };
}

/** The greatest chance of the target there is, or of winning, playing for it. */
export function chanceNow(): Chance | null {
  const { game } = desk;
  const { target } = choices;
  if (game.rules.saves_throws || play.isFinished(game)) return null;
  const { card, key } = stateAt(game.turns.length);
  if (isToWin()) {
    const wins = winsNow();
    if (!wins) return null;
    return know(`${key} ${JSON.stringify(wins)}`, chances, () => engine.winning(game.rules, card, wins));
  }
  if (target === null || theta() || desk.isShared) return null;
  return know(`${key} ${target}`, chances, () => engine.chance(game.rules, card, target));
}

// The others at the table.

const stateOfSeat = (i: number): Asked => {
  const { game } = desk.table.seats[i] as Seat;
  return i === desk.table.now ? stateNow() : askAbout(game.rules.rules, play.cardOf(game));
};

/** The distribution of a player's final score, as far as it is known. */
function scoresOf(i: number): number[] | null {
  const { game } = desk.table.seats[i] as Seat;
  if (!play.isFinished(game)) return distributions.get(stateOfSeat(i).key)?.pmf ?? null;
  const score = play.scoreOf(game);
  return Array.from({ length: score + 1 }, (_, n) => (n === score ? 1 : 0));
}

/** The chance of each to win, if all play perfectly for points from here. */
export function oddsNow(): number[] | null {
  if (!desk.isShared || noCoach()) return null;
  const pmfs = desk.table.seats.map((_, i) => scoresOf(i));
  return pmfs.every((pmf) => pmf !== null) ? winChances(pmfs) : null;
}

const CERTAIN = 1 - 1e-9;

/** By final score of the player whose turn it is: the chance that it wins. */
function winsNow(): number[] | null {
  const { seats, now } = desk.table;
  const others = seats.map((_, i) => (i === now ? [] : scoresOf(i)));
  if (!others.every((pmf) => pmf !== null)) return null;
  const wins = winsByScore(others.filter((_, i) => i !== now));
  const certain = wins.findIndex((won) => won > CERTAIN);
  return [...wins.slice(0, certain), 1];
}

/** What the page would like to know next: the outlook now, those of the others, then those of earlier turns. */
function wanted(): Asked | undefined {
  const { game, outlooks, table } = desk;
  const isOpen = ({ key }: Asked): boolean => !failures.has(key) && !underway.has(key) && !distributions.has(key);
  const seats = table.seats.flatMap((seat, i) => (play.isFinished(seat.game) ? [] : [stateOfSeat(i)]));
  const now = play.isFinished(game) ? [] : [stateNow(), stateAt(game.turns.length)];
  const before = [...game.turns.keys()].reverse().filter((turns) => !outlooks[turns]);
  return [...now.slice(0, 1), ...(desk.isShared ? seats : []), ...now.slice(1), ...before.map(stateAt)].find(
    isOpen,
  );
}

/** Asks for the next outlook when nothing has changed for a moment. */
export function lookAhead(): void {
  clearTimeout(outlookTimer);
  const next = wanted();
  if (!next || noCoach() || underway.size) return;
  const { rules } = desk.game;
  outlookTimer = window.setTimeout(
    () => void know(next.key, distributions, () => lookFrom(rules, next.card, theta()), t.outlook.saved),
    DEBOUNCE,
  );
}

/** What the fan shows of a distribution. */
export function edges({ mean, quantiles }: Outlook): Pick<Edges, "mean" | "quantiles"> {
  const { "0.05": low = 0, "0.25": lower = 0, "0.75": upper = 0, "0.95": high = 0 } = quantiles;
  return { mean, quantiles: [low, lower, upper, high] };
}

/** Put the answers that are there into the fan. */
export function gatherOutlooks(): void {
  const { game, outlooks } = desk;
  for (let turns = 0; turns <= game.turns.length; turns++) {
    const told = distributions.get(stateAt(turns).key);
    if (!told || (outlooks[turns] && turns < game.turns.length)) continue;
    outlooks[turns] = { theta: theta(), ...edges(told) };
    save();
  }
  if (play.isFinished(game)) {
    const end = play.scoreOf(game);
    outlooks[game.turns.length] = { theta: theta(), mean: end, quantiles: [end, end, end, end] };
  }
  for (let turns = 0; turns <= game.turns.length; turns++) outlooks[turns] ??= null;
}
