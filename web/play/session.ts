/** The session: the table with its cards, and what the player chose. One object, shared by the page. */
import { MAX_SEED } from "../engine/dice";
import type { OutlookSummary } from "../engine/types";
import * as play from "./game/game";
import type { Seat, Table } from "./game/table";
import { recall } from "../look/settings";
import { keepTable, recallChoices } from "./storage/browser";
import { keepTry, tryAt, type Challenge } from "./storage/challenges";

/** Has nobody chosen anything here before? */
export const isNewcomer = recall("choices") === null;

export const choices = recallChoices();

/** A seed in the address: `?seed=7`. */
export const seedInAddress = readSeed();

/** Playing; going through a finished game; or answering what is asked. */
type Mode = "play" | "step" | "drill";

class Session {
  table: Table = { seats: [], now: 0 };
  mode: Mode = "play";
  /** The table that is played at, while something else is looked at. */
  private aside: Table | null = null;
  /** The die that is entered next. */
  place = 0;
  /** Could the page not play for the one whose turn it is? */
  stuck = false;
  /** Was a hint asked for in this situation? */
  asked = false;

  get seat(): Seat {
    return this.table.seats[this.table.now] as Seat;
  }

  /** The card of the player whose turn it is. */
  get game(): play.Game {
    return this.seat.game;
  }

  set game(next: play.Game) {
    const { seats, now } = this.table;
    this.table = { seats: seats.map((seat, i) => (i === now ? { ...seat, game: next } : seat)), now };
  }

  get outlooks(): (OutlookSummary | null)[] {
    return this.seat.outlooks;
  }

  /** Look at something else for a while; it is not kept. */
  visit(mode: Mode, table: Table): void {
    this.aside ??= this.table;
    this.mode = mode;
    this.table = table;
    this.asked = false;
  }

  /** Back to the table that is played at. */
  leaveVisit(): void {
    if (this.aside) this.table = this.aside;
    this.aside = null;
    this.mode = "play";
  }

  /** The challenge that is played: one try, with its own dice and without hints. */
  get challenge(): Challenge | undefined {
    return this.mode === "play" ? tryAt(this.table) : undefined;
  }

  get isShared(): boolean {
    return this.table.seats.length > 1;
  }
}

export const session = new Session();

export const save = (): void => {
  if (session.mode !== "play") return;
  keepTable(session.table);
  keepTry(session.table);
};

/** Are real dice entered, face by face? */
export const usesRealDice = (): boolean => choices.dice === "entered" && !session.challenge;

/** Are only scores written? */
export const isScorepad = (): boolean => choices.dice === "pad" && !session.challenge;

/** The next game, in a new situation. */
export function setGame(next: play.Game): void {
  session.game = next;
  session.asked = false;
  save();
}

export function nextPlace(): void {
  session.place = Math.max(0, play.lastThrow(session.game)?.dice.indexOf(0) ?? 0);
}

function readSeed(): number | null {
  const given = new URLSearchParams(location.search).get("seed");
  return given && /^\d+$/.test(given) && Number(given) <= MAX_SEED ? Number(given) : null;
}
