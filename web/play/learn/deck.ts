/**
 * The deck of one's own: decisions from one's own games, mistakes and as many that were right, kept in this browser.
 *
 * After an answer a card rests for some days (FSRS), longer each time it is right. A card that rests for weeks
 * is mastered. With spacing, only cards that are due are asked; without, all that are not mastered.
 */
import limits from "../../../src/yatzy/coach/deck.json";
import type { GameLog, Throw } from "../../engine/types";
import { forget, recall, remember } from "../../look/settings";

const VERSION = 2;
/** Days of rest after each right answer but the last, in a deck of version 1. */
const OLD_RESTS = [1, 3, 7];
const DAY = 86_400_000;
/** The oldest cards make room. */
const MAX_CARDS = 300;

/** How well a card is remembered, in the terms of FSRS; the days of its last answer and of its next one. */
export interface Memory {
  stability: number;
  difficulty: number;
  last: string;
  due: string;
}

export interface Card {
  /** The log up to the decision, and the throws of its turn. */
  log: unknown;
  throws: Throw[];
  /** What was done there; not known of older cards. */
  played?: string;
  /** None of a card that is new. */
  memory: Memory | null;
}

export interface Deck {
  spaced: boolean;
  cards: Card[];
  /** How many cards were mastered, and left, in a deck of version 1. */
  retired: number;
}

const EMPTY: Deck = { spaced: false, cards: [], retired: 0 };

/** A day here, as `2026-02-07`. */
export function dayOf(date: Date): string {
  const two = (n: number): string => `${n}`.padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const daysBetween = (day: string, later: string): number => (Date.parse(later) - Date.parse(day)) / DAY;

const addDays = (day: string, n: number): string => new Date(Date.parse(day) + n * DAY).toISOString().slice(0, 10);

const isDay = (text: unknown): boolean =>
  typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text) && !!Date.parse(text);

function isMemory(found: unknown): found is Memory {
  const { stability, difficulty, last, due } = found as Memory;
  const numbers = Number.isFinite(stability) && Number.isFinite(difficulty);
  return numbers && stability > 0 && difficulty >= 1 && difficulty <= 10 && isDay(last) && isDay(due);
}

/** What is remembered of a card of version 1: so many right answers in a row, and when it was to be asked again. */
function memoryOfVersion1(step: number, due: number): Memory | null {
  if (!Number.isInteger(step) || step < 0 || step > OLD_RESTS.length || !Number.isFinite(due)) throw new Error();
  const rest = OLD_RESTS[step - 1];
  const known = limits.learned[step - 1];
  if (rest === undefined || !known) return null;
  return { ...known, last: dayOf(new Date(due - rest * DAY)), due: dayOf(new Date(due)) };
}

export function recallDeck(): Deck {
  const text = recall("deck");
  if (text === null) return EMPTY;
  try {
    return readDeck(text);
  } catch {
    remember("deck-set-aside", text);
    forget("deck");
    return EMPTY;
  }
}

/** A deck as it is kept; throws if it cannot be read. */
function readDeck(text: string): Deck {
  const { version, spaced, cards, retired } = JSON.parse(text) as Record<string, unknown>;
  if ((version !== 1 && version !== VERSION) || !Array.isArray(cards) || !Number.isSafeInteger(retired))
    throw new Error();
  const read = (cards as (Record<string, unknown> | null)[]).map((one): Card => {
    const { log, throws, memory, step, due, played } = one ?? {};
    if (!log || !Array.isArray(throws) || (played !== undefined && typeof played !== "string")) throw new Error();
    if (version === 1) return { log, throws, memory: memoryOfVersion1(step as number, due as number) };
    if (memory !== null && !isMemory(memory)) throw new Error();
    return { log, throws, memory, ...(played === undefined ? {} : { played }) };
  });
  return { spaced: spaced === true, cards: read, retired: retired as number };
}

const deckText = (deck: Deck): string => JSON.stringify({ version: VERSION, ...deck });
export const keepDeck = (deck: Deck): void => remember("deck", deckText(deck));

/** The deck here and another one: cards that are in both stay as they are here. */
export function mergedDeck(other: string): string {
  const [mine, theirs] = [recallDeck(), readDeck(other)];
  const all = addCards(mine, theirs.cards);
  return deckText({ ...all, retired: Math.max(mine.retired, theirs.retired) });
}

const isMastered = ({ memory }: Card): boolean =>
  memory !== null && daysBetween(memory.last, memory.due) >= limits.mastered_days;

/** How many were mastered, here or before they left a deck of version 1. */
export const masteredOf = ({ cards, retired }: Deck): number => retired + cards.filter(isMastered).length;

/** The deck with these cards too; one that is there already stays as it is. */
export function addCards(deck: Deck, cards: readonly Card[]): Deck {
  const keyOf = ({ log, throws }: Card): string => {
    const { start, turns } = log as GameLog;
    return JSON.stringify([start, turns, throws]);
  };
  const known = new Set(deck.cards.map(keyOf));
  const all = [...deck.cards, ...cards.filter((one) => !known.has(keyOf(one)))];
  return { ...deck, cards: all.slice(-MAX_CARDS) };
}

/** Cards that may be asked on a day: new ones first, then those that wait longest. */
export const dueCards = ({ spaced, cards }: Deck, day: string): Card[] => {
  const since = ({ memory }: Card): string => memory?.due ?? "";
  return cards
    .filter((one) => (spaced ? since(one) <= day : !isMastered(one)))
    .sort((a, b) => (since(a) < since(b) ? -1 : since(a) > since(b) ? 1 : 0));
};

/** The deck after an answer to one of its cards. */
export const withAnswer = (deck: Deck, card: Card, memory: Memory): Deck => ({
  ...deck,
  cards: [...deck.cards.filter((one) => one !== card), { ...card, memory }],
});

/** What is remembered of a card after an answer that cost so many points, on a day such as `2026-02-07`. */
export type Spacing = (memory: Memory | null, regret: number, day: string) => Memory;

/** When a card is asked again: FSRS by whole days and without chance, as Python's `coach/deck.py`. */
export async function loadSpacing(): Promise<Spacing> {
  const { FSRSAlgorithm, Rating } = await import("ts-fsrs");
  const algorithm = new FSRSAlgorithm({ enable_fuzz: false });
  return (memory, regret, day) => {
    const grade =
      regret < limits.good_below ? Rating.Good : regret < limits.hard_below ? Rating.Hard : Rating.Again;
    const elapsed = memory ? Math.max(0, daysBetween(memory.last, day)) : 0;
    const next = algorithm.next_state(memory, elapsed, grade);
    return { ...next, last: day, due: addDays(day, algorithm.next_interval(next.stability, elapsed)) };
  };
}
