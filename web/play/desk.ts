/** What lies on the desk: the game, the outlooks so far, and what the player chose. One object, shared by the page. */
import { LARGEST_SEED } from "../engine/dice";
import * as play from "./game";
import { keepGame, recallChoices, type Outlook } from "./store";

export const choices = recallChoices();

/** A seed in the address: `?seed=7`. */
export const seedAsked = readSeed();

interface Desk {
  game: play.Game;
  outlooks: (Outlook | null)[];
  /** The die that is entered next. */
  place: number;
  /** Was a hint asked for in this situation? */
  asked: boolean;
}

export const desk = { outlooks: [], place: 0, asked: false } as unknown as Desk;

export const save = (): void => keepGame(desk.game, desk.outlooks);

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
