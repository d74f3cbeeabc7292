/** What lies on the desk: the table with its cards, and what the player chose. One object, shared by the page. */
import { LARGEST_SEED } from "../engine/dice";
import type { Edges } from "../engine/types";
import * as play from "./game/game";
import type { Seat, Table } from "./game/table";
import { keepTable, recallChoices } from "./storage/browser";

export const choices = recallChoices();

/** A seed in the address: `?seed=7`. */
export const seedAsked = readSeed();

/** Playing; going through a finished game; or answering what is asked. */
export type Mode = "play" | "step" | "drill";

class Desk {
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

  get outlooks(): (Edges | null)[] {
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
  comeBack(): void {
    if (this.aside) this.table = this.aside;
    this.aside = null;
    this.mode = "play";
  }

  get isShared(): boolean {
    return this.table.seats.length > 1;
  }
}

export const desk = new Desk();

export const save = (): void => {
  if (desk.mode === "play") keepTable(desk.table);
};

/** Are real dice entered, face by face? */
export const isEntered = (): boolean => choices.dice === "entered";

/** Are only scores written? */
export const isPad = (): boolean => choices.dice === "pad";

/** The next game, in a new situation. */
export function change(next: play.Game): void {
  desk.game = next;
  desk.asked = false;
  save();
}

export function nextPlace(): void {
  desk.place = Math.max(0, play.lastThrow(desk.game)?.dice.indexOf(0) ?? 0);
}

function readSeed(): number | null {
  const given = new URLSearchParams(location.search).get("seed");
  return given && /^\d+$/.test(given) && Number(given) <= LARGEST_SEED ? Number(given) : null;
}
