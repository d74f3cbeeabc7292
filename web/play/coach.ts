/**
 * What the coach is asked, and what it said. The engine solves the game in this browser; until then, and while an answer
 * is on its way, the game goes on. An answer that comes when its situation has passed is kept, not shown.
 */
import type { Advice, Chance, Outlook as Distribution, Situation } from "../engine/answers";
import { createEngine, NOT_STARTED } from "../engine/client";
import { chartWord } from "./chart";
import type { Hint } from "./advice";
import { choices, desk, save } from "./desk";
import * as play from "./game";
import { fixed, percent, t, whole } from "./language";
import { explain, type ReviewView } from "./review";
import { isSolved } from "./rules";
import type { Outlook } from "./store";
import { titleOf } from "./words";

const DEBOUNCE = 250;

const engine = createEngine();
const advices = new Map<string, Advice>();
const distributions = new Map<string, Distribution>();
const chances = new Map<string, Chance>();
/** Why an answer did not come, by what was asked. */
const failures = new Map<string, string>();
const underway = new Set<string>();
let outlookTimer = 0;
let reviewed: play.Turn[] | null = null;
let show = (): void => undefined;

/** How far the solver is, by game and risk: a share, or in how many seconds it was done (none if it was kept). */
const solving = new Map<string, { share: number; seconds: number | null }>();
const solvingKey = (): string => `${desk.game.rules.fingerprint} ${choices.theta}`;

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
    .solve(desk.game.rules, choices.theta, (share) => {
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

const messageOf = (error: unknown): string =>
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

export function situationNow(): Situation | null {
  const { game } = desk;
  const dice = play.diceOnTable(game);
  if (!dice || play.isFinished(game)) return null;
  const { theta, target } = choices;
  const aim = target !== null && !theta && !game.rules.saves_throws ? { target } : {};
  return { dice, rerolls: play.rerollsLeft(game), ...play.stateOf(game), theta, ...aim };
}

const keyOf = (situation: Situation): string => JSON.stringify([desk.game.rules.rules, situation]);

/** Is the advice for this situation there? */
export function isKnown(situation: Situation): boolean {
  failures.delete(keyOf(situation));
  return advices.has(keyOf(situation));
}

export function hintNow(): Hint {
  if (choices.hints === "off") return { kind: "off" };
  const situation = situationNow();
  if (!situation || (choices.hints === "ask" && !desk.asked)) return { kind: "ask" };
  const key = keyOf(situation);
  const { rules } = desk.game;
  const advice = know(key, advices, () => engine.advise(rules, situation));
  if (advice) return { kind: "told", advice };
  const why = noCoach() ?? failures.get(key);
  return why ? { kind: "failed", why } : { kind: "wait" };
}

// The outlook.

/** The card at the start of turn n (from 0) with its key. */
function stateAt(turns: number): { card: ReturnType<typeof play.stateOf>; key: string } {
  const { game } = desk;
  const card = play.stateOf({ ...game, turns: game.turns.slice(0, turns) });
  return { card, key: JSON.stringify([game.rules.rules, choices.theta, card]) };
}

/** The outlook now, if it is there, and else why not, if that is known. */
export function outlookNow(): { now: Distribution | null; trouble: string | null } {
  const { key } = stateAt(desk.game.turns.length);
  return { now: distributions.get(key) ?? null, trouble: noCoach() ?? failures.get(key) ?? null };
}

/** The greatest chance of the target there is, playing for it. */
export function chanceNow(): Chance | null {
  const { game } = desk;
  const { target, theta } = choices;
  if (target === null || theta || game.rules.saves_throws || play.isFinished(game)) return null;
  const { card, key } = stateAt(game.turns.length);
  const known = `${key} ${target}`;
  return know(known, chances, () => engine.chance(game.rules, card, target));
}

/** Asks for the outlook of a turn when nothing has changed for a moment; then for those of earlier turns, if missing. */
export function lookAhead(): void {
  clearTimeout(outlookTimer);
  const { game, outlooks } = desk;
  const latestFirst = [game.turns.length, ...[...game.turns.keys()].reverse()];
  const missing = latestFirst.find((turns) => {
    const { key } = stateAt(turns);
    const isNow = turns === game.turns.length;
    if (turns === game.rules.categories.length || failures.has(key) || underway.has(key)) return false;
    return isNow ? !distributions.has(key) : !outlooks[turns];
  });
  if (missing === undefined || noCoach() || underway.size) return;
  outlookTimer = window.setTimeout(() => {
    const { card, key } = stateAt(missing);
    know(key, distributions, () => engine.outlook(game.rules, card, choices.theta), t.outlook.saved);
  }, DEBOUNCE);
}

/** Put the answers that are there into the fan. */
export function gatherOutlooks(): void {
  const { game, outlooks } = desk;
  for (let turns = 0; turns <= game.turns.length; turns++) {
    const told = distributions.get(stateAt(turns).key);
    if (!told || (outlooks[turns] && turns < game.turns.length)) continue;
    const { "0.05": low, "0.25": lower, "0.75": upper, "0.95": high } = told.quantiles;
    const quantiles = [low ?? 0, lower ?? 0, upper ?? 0, high ?? 0] as Outlook["quantiles"];
    outlooks[turns] = { theta: choices.theta, mean: told.mean, quantiles };
    save();
  }
  if (play.isFinished(game)) {
    const end = play.scoreOf(game);
    outlooks[game.turns.length] = { theta: choices.theta, mean: end, quantiles: [end, end, end, end] };
  }
  for (let turns = 0; turns <= game.turns.length; turns++) outlooks[turns] ??= null;
}

// The review.

export const isReviewed = (): boolean => reviewed === desk.game.turns;

export async function review(view: ReviewView): Promise<void> {
  failures.clear();
  const mine = desk.game;
  const { rules } = mine;
  reviewed = mine.turns;
  view.wait();
  try {
    const why = noCoach();
    if (why) return view.fail(why);
    const found = await engine.review(rules, play.toLog(mine));
    const whys = await Promise.all(
      found.mistakes.map(async (one) => {
        const why = await explain((asked) => engine.advise(rules, asked), one);
        return why + (await chartWord(rules, one));
      }),
    );
    if (reviewed === mine.turns) view.show(mine, found, whys);
  } catch (error) {
    if (reviewed === mine.turns) view.fail(messageOf(error));
  }
}
