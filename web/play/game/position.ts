/**
 * A position that is taken over from paper: what stands on the card of each player, whose turn it is, and the dice on
 * the table. Everybody's turns go round, so whoever has played in this round has one box more than the others.
 */
import type { Start } from "../../engine/shared";
import { boxesAt, extrasOf, mostSaved, totalsOf, wrongField, type BoxPoints } from "../../engine/start";
import type { Player } from "../../engine/types";
import * as play from "./game";
import type { Rules } from "./rules";
import { seatPlayers, type Table } from "./table";

/** What stands on one player's card. */
export interface PaperCard {
  boxes: BoxPoints;
  extra: number;
  saved: number;
}

export interface Position {
  players: readonly Player[];
  cards: readonly PaperCard[];
  /** Whose turn it is. */
  now: number;
  /** None: they are not thrown yet. */
  dice: readonly number[];
  /** Throws left in this turn, after that of the dice. */
  rerolls: number;
}

export const EMPTY_CARD: PaperCard = { boxes: new Map(), extra: 0, saved: 0 };

/** What is wrong with a card: the box, or what else of it, and what would be possible; with boxes, their order. */
export type Wrong =
  | { field: "box"; box: number; allowed: number[] }
  | { field: "extra" | "saved"; allowed: number[] }
  | { field: "boxes" };

const startOf = (rules: Rules, { boxes, extra, saved }: PaperCard): Start => ({
  boxes: Object.fromEntries([...boxes].map(([box, points]) => [rules.categories[box]?.category ?? "", points])),
  ...(extra ? { extra } : {}),
  ...(saved ? { saved } : {}),
});

/** The first thing that is wrong with a card; null if some game leads to it. */
export function wrongOn(rules: Rules, card: PaperCard): Wrong | null {
  const start = startOf(rules, card);
  const field = wrongField(rules, start);
  if (field === null) return null;
  if (field === "extra") return { field, allowed: extrasOf(rules, card.boxes) };
  if (field === "saved") return { field, allowed: upTo(mostSaved(rules, card.boxes.size)) };
  if (field === "boxes") return { field };
  const name = field.slice("boxes.".length);
  const [box = -1] = boxesAt(rules, { boxes: { [name]: 0 } }).keys();
  return { field: "box", box, allowed: totalsOf(rules, box) };
}

/** 0 to n. */
export const upTo = (n: number): number[] => Array.from({ length: n + 1 }, (_, i) => i);

/** How many throws may be left after that of the dice on the table: all of a turn's, and those that are saved. */
export const mostRerolls = (rules: Rules, { saved }: PaperCard): number => rules.rerolls + saved;

/**
 * Who begins the round if it is the turn of `now`; -1 if the cards do not fit that. Seats keep their order around the
 * table: whoever sits from there to `now` has one box more than the others.
 */
export function firstOf(cards: readonly PaperCard[], now: number): number {
  const n = cards.length;
  const filled = cards.map(({ boxes }) => boxes.size);
  return upTo(n - 1).findIndex((first) =>
    filled.every((one, i) => {
      const hasPlayed = (i - first + n) % n < (now - first + n) % n;
      return one === (filled[now] ?? 0) + Number(hasPlayed);
    }),
  );
}

/** Whose turn it may be. */
export const turnsThatFit = (cards: readonly PaperCard[]): number[] =>
  [...cards.keys()].filter((now) => firstOf(cards, now) >= 0);

/** A table at which the game goes on from there; whoever begins a round sits first. */
export function tableAt(rules: Rules, { players, cards, now, dice, rerolls }: Position): Table {
  const first = firstOf(cards, now);
  const order = players.map((_, i) => (first + i) % players.length);
  const around = order.flatMap((i) => players[i] ?? []);
  const { seats } = seatPlayers(rules, around, null);
  const begun = seats.map((seat, i) => {
    const at = order[i] ?? 0;
    const card = cards[at] ?? EMPTY_CARD;
    const isInTurn = at === now && rerolls < mostRerolls(rules, card);
    const isThrown = at === now && dice.length > 0;
    if (!card.boxes.size && !isInTurn && !isThrown) return seat;
    const start = { ...startOf(rules, card), ...(isInTurn ? { rerolls } : {}) };
    const game = play.withoutSeed({ ...seat.game, ...(card.boxes.size || isInTurn ? { start } : {}) });
    return { ...seat, game: isThrown ? play.throwDice(game, dice) : game };
  });
  return { seats: begun, now: order.indexOf(now) };
}

/** The position of a game under way. */
export function positionOf({ seats, now }: Table): Position {
  const game = seats[now]?.game as play.Game;
  return {
    players: seats.map(({ name, kind }) => ({ name, kind })),
    cards: seats.map((seat) => ({
      boxes: play.boxesOf(seat.game),
      extra: play.extraOf(seat.game),
      saved: play.savedThrows(seat.game),
    })),
    now,
    dice: play.diceOnTable(game) ?? [],
    rerolls: play.diceOnTable(game) ? play.rerollsLeft(game) : play.rerollsLeft(game) - 1,
  };
}
