/**
 * The deck of one's own: decisions from one's own games, mistakes and as many that were right, kept in this browser.
 *
 * A card that is answered right goes up a step, a wrong one goes back to the first; after the last step it retires. With
 * spacing, a card rests for some days between the steps; without, all cards are there at any time.
 */
import type { GameLog, Review, Throw } from "../engine/types";
import { forget, recall, remember } from "../look/settings";
import * as play from "./game";
import { rulesOf } from "./rules";
import { openAt } from "./steps";

const VERSION = 1;
/** Days of rest after each right answer but the last. */
export const RESTS = [1, 3, 7];
/** Right answers in a row after which a card retires. */
const STEPS = RESTS.length + 1;
const DAY = 86_400_000;
/** The oldest cards make room. */
const MOST_CARDS = 300;
/** A card of one's own is made of decisions that cost at least as much. */
const LEAST_REGRET = 0.5;

export interface Card {
  /** The log up to the decision, and the throws of its turn. */
  log: unknown;
  throws: Throw[];
  /** How often it was answered right in a row. */
  step: number;
  /** When it is there again, as a time in milliseconds. */
  due: number;
}

export interface Deck {
  spaced: boolean;
  cards: Card[];
  retired: number;
}

const EMPTY: Deck = { spaced: false, cards: [], retired: 0 };

export function recallDeck(): Deck {
  const text = recall("deck");
  if (text === null) return EMPTY;
  try {
    const { version, spaced, cards, retired } = JSON.parse(text) as Partial<Deck> & { version?: number };
    if (version !== VERSION || !Array.isArray(cards) || !Number.isSafeInteger(retired)) throw new Error();
    const fits = cards.every(
      (one: Partial<Card> | null) =>
        Number.isInteger(one?.step) && Number.isFinite(one?.due) && Array.isArray(one?.throws) && one.log !== null,
    );
    if (!fits) throw new Error();
    return { spaced: spaced === true, cards, retired: retired as number };
  } catch {
    remember("deck-set-aside", text);
    forget("deck");
    return EMPTY;
  }
}

export const keepDeck = (deck: Deck): void => remember("deck", JSON.stringify({ version: VERSION, ...deck }));

/** The decisions of a game that belong into the deck: its mistakes, and as many right ones that were not easy. */
export function cardsFrom(game: play.Game, found: Review): Card[] {
  const numbered = found.decisions.map((one, i) => ({ one, i }));
  const wrong = numbered.filter(({ one }) => one.regret >= LEAST_REGRET);
  // Right ones from all over the game, those with throws left first: they are harder.
  const right = numbered
    .filter(({ one }) => !one.loss)
    .sort((a, b) => Math.sign(b.one.rerolls) - Math.sign(a.one.rerolls) || ((a.i * 7) % 11) - ((b.i * 7) % 11))
    .slice(0, wrong.length);
  return [...wrong, ...right]
    .sort((a, b) => a.i - b.i)
    .map(({ i }) => {
      const then = openAt(game, found, i);
      return { log: play.toLog(then), throws: then.throws, step: 0, due: 0 };
    });
}

/** The deck with these cards too; one that is there already stays as it is. */
export function addCards(deck: Deck, cards: readonly Card[]): Deck {
  const keyOf = ({ log, throws }: Card): string => JSON.stringify([(log as GameLog).turns, throws]);
  const known = new Set(deck.cards.map(keyOf));
  const all = [...deck.cards, ...cards.filter((one) => !known.has(keyOf(one)))];
  return { ...deck, cards: all.slice(-MOST_CARDS) };
}

/** Cards that may be asked now, those that wait longest first. */
export const dueCards = ({ spaced, cards }: Deck, now: number): Card[] =>
  cards.filter(({ due }) => !spaced || due <= now).sort((a, b) => a.due - b.due || a.step - b.step);

/** The deck after an answer. */
export function answered(deck: Deck, card: Card, right: boolean, now: number): Deck {
  const step = right ? card.step + 1 : 0;
  const others = deck.cards.filter((one) => one !== card);
  if (step >= STEPS) return { ...deck, cards: others, retired: deck.retired + 1 };
  const rest = right ? (RESTS[step - 1] ?? 0) * DAY : 0;
  return { ...deck, cards: [...others, { ...card, step, due: now + rest }] };
}

/** The game of a card; null if it cannot be read. */
export async function gameOf({ log, throws }: Card): Promise<play.Game | null> {
  try {
    const rules = await rulesOf((log as GameLog).rules);
    const game = play.fromLog(log, rules);
    return { ...game, throws: play.checkThrows(throws, game) };
  } catch {
    return null;
  }
}
