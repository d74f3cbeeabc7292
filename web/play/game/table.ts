/**
 * Who sits at the table: one to six players, each with a card of their own, all by the same rules.
 *
 * Turns go round. A card belongs to a person, or to a player that the page plays: `perfect` and opponents of a strength throw
 * dice of their own, `shadow` plays the dice of the first player perfectly.
 */
import type { EngineClient } from "../../engine/client";
import { randomDice, randomSeed } from "../../engine/dice";
import type { OutlookSummary, Player } from "../../engine/types";
import * as play from "./game";
import { situationOf } from "./game";
import { drawAction, limitOf } from "./opponents";
import type { Rules } from "./rules";

export const MAX_SEATS = 6;
export const MAX_NAME_LENGTH = 24;

export interface Seat extends Player {
  game: play.Game;
  outlooks: (OutlookSummary | null)[];
}

export interface Table {
  seats: Seat[];
  /** Whose turn it is. */
  now: number;
}

/** A table for somebody who is alone with a card. */
export const tableForOne = (game: play.Game): Table => ({
  seats: [{ name: "", kind: "person", game, outlooks: [] }],
  now: 0,
});

/**
 * A new game for these players. A seed that is given is for somebody who plays alone; other people's dice have each a seed
 * of their own, by die, so that they can be played again.
 */
export function seatPlayers(rules: Rules, players: readonly Player[], seed: number | null): Table {
  const seats = players.map(({ name, kind }) => {
    const given = players.length === 1 ? seed : null;
    const game = play.newGame(rules, given ?? (kind === "person" ? randomSeed() : null), given === null);
    const policy = kind === "person" ? {} : { policy: limitOf(kind) === null ? "optimal" : kind };
    const about = { ...game.about, ...(name ? { player: name } : {}), ...policy };
    return { name, kind, game: { ...game, about }, outlooks: [] };
  });
  return { seats, now: 0 };
}

export const isOver = ({ seats }: Table): boolean => seats.every(({ game }) => play.isFinished(game));

/** Has nothing happened yet? */
export const isFresh = ({ seats }: Table): boolean => seats.every(({ game }) => play.isNew(game));

/** Whose turn it is after a score: turns go round until all cards are full. */
export const nextSeat = ({ seats, now }: Table): number => (now + 1) % seats.length;

/** The last person before this turn whose score may be taken back; -1 if there is none. */
export function undoSeat({ seats, now }: Table): number {
  for (let back = 1; back <= seats.length; back++) {
    const at = (now - back + 2 * seats.length) % seats.length;
    const seat = seats[at];
    if (seat?.kind === "person" && seat.game.turns.length) return at;
    if (seat?.kind === "person") return -1;
  }
  return -1;
}

/** The table with the last score of a person taken back, and with it what was played for others since. */
export function takeBack(table: Table): Table {
  const at = undoSeat(table);
  if (at < 0) return table;
  const seats = [...table.seats];
  const mine = seats[table.now] as Seat;
  // What the page was just throwing is taken back too.
  if (mine.kind !== "person") seats[table.now] = { ...mine, game: { ...mine.game, throws: [] } };
  for (let i = (at + 1) % seats.length; i !== table.now; i = (i + 1) % seats.length) {
    const seat = seats[i] as Seat;
    seats[i] = { ...seat, game: { ...seat.game, turns: seat.game.turns.slice(0, -1), throws: [] } };
  }
  const seat = seats[at] as Seat;
  seats[at] = { ...seat, game: play.undo(seat.game), outlooks: seat.outlooks.slice(0, play.nFilled(seat.game)) };
  return { seats, now: at };
}

/** Names of the leaders when all cards are full. */
export function winners({ seats }: Table): Seat[] {
  const most = Math.max(...seats.map(({ game }) => play.scoreOf(game)));
  return seats.filter(({ game }) => play.scoreOf(game) === most);
}

/**
 * The chance of each to win if final scores are distributed so and independent; who shares the first place has a share of it.
 *
 *     P(i wins) = sum over s of p_i(s) * sum over k of P(k others at s, the rest below) / (k + 1)
 */
export function winChances(pmfs: readonly (readonly number[])[]): number[] {
  return pmfs.map((own, i) => {
    const wins = winsByScore(pmfs.filter((_, j) => j !== i));
    return own.reduce((sum, prob, score) => sum + prob * (wins[Math.min(score, wins.length - 1)] ?? 1), 0);
  });
}

/** By final score: the chance that it wins against others with these distributions; the last entry is 1. */
export function winsByScore(others: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...others.map((pmf) => pmf.length)) + 1;
  const below = others.map(() => 0);
  return Array.from({ length }, (_, score) => {
    // ties[k]: the chance that k of those seen so far have this score and the others less.
    let ties = [1];
    others.forEach((pmf, j) => {
      const same = pmf[score] ?? 0;
      const next = new Array<number>(ties.length + 1).fill(0);
      ties.forEach((prob, k) => {
        next[k] = (next[k] ?? 0) + prob * (below[j] ?? 0);
        next[k + 1] = (next[k + 1] ?? 0) + prob * same;
      });
      ties = next;
      below[j] = (below[j] ?? 0) + same;
    });
    const won = ties.reduce((sum, prob, k) => sum + prob / (k + 1), 0);
    return score === length - 1 ? 1 : Math.min(1, won);
  });
}

// Players that the page plays: the best for the average, with dice of its own or with the first player's; or opponents of a
// strength, with dice of their own.

export type OpponentEngine = Pick<EngineClient, "advise" | "review">;

/** The game of the player whose turn it is, with one turn more. */
export async function playTurn({ seats, now }: Table, asks: OpponentEngine): Promise<play.Game> {
  const seat = seats[now];
  const first = seats[0];
  if (!seat || !first) throw new Error(`${now}`);
  return seat.kind === "shadow"
    ? shadow(seat.game, first.game, asks)
    : withOwnDice({ ...seat.game, throws: [] }, limitOf(seat.kind), asks);
}

/** The best action each time; with a limit, one that is drawn. */
async function withOwnDice(game: play.Game, limit: number | null, { advise }: OpponentEngine): Promise<play.Game> {
  const { rules } = game;
  for (let now = game; ;) {
    now = play.throwDice(now, randomDice(play.diceToThrow(now), rules.faces));
    const { actions } = await advise(rules, { ...situationOf(now), details: 0 });
    const drawn = limit === null ? actions[0] : drawAction(actions, limit, Math.random());
    if (!drawn) throw new Error(rules.rules);
    now = play.applyMove(now, drawn.action);
    if (now.turns !== game.turns) return now;
  }
}

/**
 * The same dice, played perfectly. Dice beyond those that were thrown come from the game's seed, or from one made of the
 * time at which it began, so that they stay the same from turn to turn.
 */
async function shadow(game: play.Game, first: play.Game, { review }: OpponentEngine): Promise<play.Game> {
  const seed = Math.floor(Date.parse(first.about.date ?? "") / 1000) || 0;
  const log = { ...play.toLog(first), ...(first.about.scheme ? {} : { seed, game: 0 }) };
  const { replay } = await review(game.rules, log);
  const turns = play.fromLog(replay.log, game.rules).turns.slice(0, game.turns.length + 1);
  return { ...game, turns, throws: [], previous: [] };
}
