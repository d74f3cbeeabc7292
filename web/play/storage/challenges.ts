/**
 * Challenges: dice of a seed, by die, that several people play, each of them once on a device.
 *
 * A link carries the seed, who sent it, and moves; dice and scores follow from these and are worked out anew (docs/formats.md):
 *
 *     #beat=1.scandinavian.<seed>.<name>.<turns>.<checksum>
 *
 * What was played here is kept in the same short form. The game of a day has the date as its seed, with a 1 in front.
 */
import { lossLevel } from "../../engine/advise";
import { MAX_SEED } from "../../engine/dice";
import type { Review, Throw } from "../../engine/types";
import { recall, remember } from "../../look/settings";
import * as play from "../game/game";
import { rulesOf, type Rules } from "../game/rules";
import { MAX_NAME_LENGTH, type Table } from "../game/table";
import { t } from "../language";

/** What becomes of a game: points lost by decisions, and the worst level of each turn's; null where there is no coach. */
export interface Result {
  score: number;
  lost: number | null;
  levels: number[];
}

/** What somebody else made of the dice. */
export interface Rival {
  name: string;
  turns: string;
}

/** Dice that are played here, or sent from here. */
export interface Challenge {
  rules: string;
  seed: number;
  /** When it came here, as in a log. */
  date: string;
  /** The turns that are played here, and the throws of the one under way. */
  turns: string;
  throws: Throw[];
  /** Of a game that is finished. */
  result: Result | null;
  rivals: Rival[];
  /** Was it a game with hints, sent afterwards? */
  hints?: true;
}

/** A challenge that came by a link; without a game if it was sent before one was played. */
export interface Sent {
  rules: Rules;
  seed: number;
  name: string;
  game: play.Game | null;
}

// Moves as letters: of each turn the box, how many times dice were held, and each time which, as a bit for every place.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const letter = (n: number): string => LETTERS[n] ?? "";

/** A new game with the dice of a challenge. */
export const gameOn = (rules: Rules, seed: number): play.Game => play.newGame(rules, seed, true);

const withHeld = (game: play.Game, held: boolean[]): play.Game => {
  const last = game.throws.at(-1);
  return last ? { ...game, throws: [...game.throws.slice(0, -1), { ...last, held }] } : game;
};

/** The turns of a game by die. */
export function turnsText(game: play.Game): string {
  let now: play.Game = { ...game, turns: [], throws: [], previous: [] };
  return game.turns
    .map(({ rolls, keeps, category }, n) => {
      let text = "";
      now = { ...now, turns: game.turns.slice(0, n), throws: [] };
      keeps.forEach((keep, i) => {
        now = play.throwDice(now, play.nextSeeded(now) ?? []);
        // A die that does not show what the seed says was held; of the others, whichever may have been.
        const [dice, next] = [rolls[i] ?? [], rolls[i + 1] ?? []];
        const nothing = withHeld(now, new Array<boolean>(dice.length).fill(false));
        const seeds = play.nextSeeded(nothing) ?? [];
        const left = [...keep];
        const take = (face: number): boolean =>
          left.includes(face) && left.splice(left.indexOf(face), 1).length > 0;
        const must = dice.map((face, place) => next[place] !== seeds[place] && take(face));
        const held = dice.map((face, place) => must[place] || (face === next[place] && take(face)));
        now = withHeld(now, held);
        text += letter(held.reduce((bits, stays, place) => bits | (stays ? 1 << place : 0), 0));
      });
      const box = game.rules.categories.findIndex((one) => one.category === category);
      return letter(box) + letter(keeps.length) + text;
    })
    .join("");
}

/** The game with these turns, played by the dice of its seed; throws if the rules do not allow them. */
export function playTurns(begun: play.Game, text: string): play.Game {
  let [game, at] = [begun, 0];
  const all = 2 ** game.rules.dice - 1;
  const read = (most: number): number => {
    const found = LETTERS.indexOf(text[at++] ?? "?");
    if (found < 0 || found > most) throw new Error(t.same.illegal(play.nFilled(game) + 1));
    return found;
  };
  const thrown = (): void => {
    if (!play.canThrow(game)) read(-1);
    game = play.throwDice(game, play.nextSeeded(game) ?? []);
  };
  while (at < text.length) {
    const box = read(game.rules.categories.length - 1);
    const holds = read(LETTERS.length - 1);
    thrown();
    for (let i = 0; i < holds; i++) {
      const bits = read(all);
      game = withHeld(
        game,
        Array.from({ length: game.rules.dice }, (_, place) => Boolean((bits >> place) & 1)),
      );
      thrown();
    }
    const next = play.score(game, box);
    if (next === game) read(-1);
    game = next;
  }
  return game;
}

/** Are the dice of a game by die those of its seed? A file may say so of others. */
export function followsSeed(game: play.Game): boolean {
  try {
    const again = playTurns({ ...game, turns: [], throws: [], previous: [] }, turnsText(game));
    return (
      JSON.stringify(again.turns.map(({ rolls }) => rolls)) ===
      JSON.stringify(game.turns.map(({ rolls }) => rolls))
    );
  } catch {
    return false;
  }
}

// Links.

const PREFIX = "#beat=1.";
/** Longer than any link of the page; more is not read. */
const MAX_LENGTH = 700;

export const isChallenge = (hash: string): boolean => hash.startsWith("#beat=");

/** FNV-1a: tells damage, not ill will; what somebody makes up must still be a legal game. */
function checkOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const one of new TextEncoder().encode(text)) hash = Math.imul(hash ^ one, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

const hidden = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** A name as it may be shown: of this length, without signs that are not seen. */
export const cleanName = (name: string): string => name.replace(hidden, "").slice(0, MAX_NAME_LENGTH).trim();
const isName = (name: string): boolean => name === cleanName(name);

const packed = (name: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(name)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");

const unpacked = (text: string): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0)),
  );

function hashOf({ rules, seed, name, turns }: { rules: string; seed: number } & Rival): string {
  const said = [rules.replaceAll("+", "~"), seed.toString(36), packed(name), turns].join(".");
  return `${PREFIX}${said}.${checkOf(said)}`;
}

/** The address of this page with a challenge in it. */
export const challengeLink = (rules: string, seed: number, mine: Rival): string =>
  `${location.origin}${location.pathname}${hashOf({ rules, seed, ...mine })}`;

/** The challenge of a link; throws an `Error` that says in a sentence why there is none. */
export async function readChallenge(hash: string): Promise<Sent> {
  const [rulesText = "", seedText = "", nameText = "", turns = "", ...rest] = hash.slice(PREFIX.length).split(".");
  const seed = parseInt(seedText, 36);
  const rules = rulesText.replaceAll("~", "+");
  let name = "";
  try {
    name = unpacked(nameText);
  } catch {
    throw new Error(t.files.linkBroken);
  }
  // What is written in any other way than this page writes it was changed on the way.
  const fits =
    hash.length <= MAX_LENGTH &&
    seed <= MAX_SEED &&
    rest.length === 1 &&
    hash === hashOf({ rules, seed, name, turns });
  if (!fits) throw new Error(t.files.linkBroken);
  if (!isName(name)) throw new Error(t.same.badName(MAX_NAME_LENGTH));
  const begun = gameOn(await rulesOf(rules), seed);
  const game = playTurns(begun, turns);
  if (turns && !play.isFinished(game)) throw new Error(t.same.unfinished);
  return { rules: begun.rules, seed, name, game: turns ? withPlayer(game, name) : null };
}

const withPlayer = (game: play.Game, name: string): play.Game => ({
  ...game,
  about: { ...game.about, ...(name ? { player: name } : {}) },
});

/** A rival's game, from what is kept. */
export const rivalGame = (rules: Rules, seed: number, { name, turns }: Rival): play.Game =>
  withPlayer(playTurns(gameOn(rules, seed), turns), name);

// What is kept on this device.

const ENTRY = "challenges";
const VERSION = 1;
/** The oldest make room. */
const MAX_KEPT = 500;
/** Rivals of one challenge. */
const MAX_RIVALS = 20;

let read: { text: string | null; found: Challenge[] } = { text: null, found: [] };

function isKept(found: unknown): found is Challenge {
  const { rules, seed, date, turns, throws, result, rivals } = (found ?? {}) as Partial<Challenge>;
  const isRival = (one: Partial<Rival> | null): boolean =>
    typeof one?.name === "string" && isName(one.name) && typeof one.turns === "string";
  const isResult = ({ score, lost, levels }: Partial<Result>): boolean =>
    Number.isInteger(score) &&
    (lost === null || Number.isFinite(lost)) &&
    Array.isArray(levels) &&
    levels.every((one) => Number.isInteger(one) && one >= 0 && one < MARKS.length);
  return (
    [rules, date, turns].every((text) => typeof text === "string" && text.length <= MAX_LENGTH) &&
    Number.isSafeInteger(seed) &&
    (seed as number) >= 0 &&
    Array.isArray(throws) &&
    (result === null || (typeof result === "object" && isResult(result))) &&
    Array.isArray(rivals) &&
    rivals.every(isRival)
  );
}

/** All that is kept, the latest last; what cannot be read is set aside. */
export function recallChallenges(): readonly Challenge[] {
  const text = recall(ENTRY);
  if (text === null || text === read.text) return text === null ? [] : read.found;
  let found: Challenge[] = [];
  try {
    found = readAll(text);
  } catch {
    remember(`${ENTRY}-set-aside`, text);
    keepAll([]);
  }
  read = { text, found };
  return read.found;
}

/** Challenges as they are kept; throws if they cannot be read. */
function readAll(text: string): Challenge[] {
  const kept = JSON.parse(text) as { version?: unknown; challenges?: unknown };
  if (kept.version !== VERSION || !Array.isArray(kept.challenges) || !kept.challenges.every(isKept))
    throw new Error();
  return kept.challenges;
}

const textOf = (all: readonly Challenge[]): string =>
  JSON.stringify({ version: VERSION, challenges: all.slice(-MAX_KEPT) });
const keepAll = (all: readonly Challenge[]): void => remember(ENTRY, textOf(all));

/** The challenges here and others; of two with the same dice that which is finished, else the one here. */
export function mergedChallenges(others: string): string {
  const all = new Map(recallChallenges().map((one) => [`${one.rules} ${one.seed}`, one]));
  for (const one of readAll(others)) {
    const key = `${one.rules} ${one.seed}`;
    const mine = all.get(key);
    if (!mine || (!mine.result && one.result)) all.set(key, one);
  }
  return textOf([...all.values()].sort((a, b) => (a.date < b.date ? -1 : 1)));
}

export const findChallenge = (rules: string, seed: number | undefined): Challenge | undefined =>
  recallChallenges().find((one) => one.rules === rules && one.seed === seed);

/** Keep a challenge as it is now. */
export function keepChallenge(changed: Challenge): void {
  const all = recallChallenges();
  const isIt = (one: Challenge): boolean => one.rules === changed.rules && one.seed === changed.seed;
  keepAll(all.some(isIt) ? all.map((one) => (isIt(one) ? changed : one)) : [...all, changed]);
}

/** The challenge of these dice, begun now if it was not known; with a rival who sent a game. */
export function meet(rules: Rules, seed: number, rival: Rival | null): Challenge {
  const known = findChallenge(rules.rules, seed);
  const date = gameOn(rules, seed).about.date ?? "";
  const begun = known ?? { rules: rules.rules, seed, date, turns: "", throws: [], result: null, rivals: [] };
  const isNew =
    rival?.turns && rival.turns !== begun.turns && begun.rivals.every(({ turns }) => turns !== rival.turns);
  const met = isNew ? { ...begun, rivals: [...begun.rivals, rival].slice(-MAX_RIVALS) } : begun;
  keepChallenge(met);
  return met;
}

/** The game of a challenge as far as it was played here. */
export function gameOf(rules: Rules, { seed, date, turns, throws }: Challenge): play.Game {
  const begun = gameOn(rules, seed);
  const game = playTurns({ ...begun, about: { ...begun.about, date } }, turns);
  return { ...game, throws: play.isFinished(game) ? [] : play.parseThrows(throws, game) };
}

/** Is this table a try of a challenge: one person, whose dice are kept as one? */
export function tryAt({ seats }: Table): Challenge | undefined {
  const [one] = seats;
  const { seed, scheme } = one?.game.about ?? {};
  return one && seats.length === 1 && scheme ? findChallenge(one.game.rules.rules, seed) : undefined;
}

/** Keep how far a try is, and what it came to; what is finished stays as it is. */
export function keepTry(table: Table): void {
  const known = tryAt(table);
  const game = table.seats[0]?.game;
  if (!known || !game || known.result) return;
  const result = play.isFinished(game) ? resultOf(game, null) : null;
  const date = game.about.date ?? known.date;
  keepChallenge({ ...known, date, turns: turnsText(game), throws: game.throws, result });
}

/** What a finished game came to. */
export const resultOf = (game: play.Game, found: Review | null): Result => ({
  score: play.scoreOf(game),
  lost: found?.lost ?? null,
  levels: found ? levelsOf(found) : [],
});

/** The level of what each turn lost. */
export const levelsOf = ({ turns }: Review): number[] => turns.map(({ lost }) => lossLevel(lost));

/** How a turn looks in a text, by the level of what it lost. */
export const MARKS = ["🟩", "🟨", "🟧", "🟥", "⬛"] as const;

// The game of a day.

/** The seed of a day such as `2026-02-07`. */
export const seedOfDay = (day: string): number => Number(`1${day.replaceAll("-", "")}`);

/** The day whose seed this is, if it is one. */
export function dayOfSeed(seed: number): string | null {
  const found = /^1(\d{4})(\d\d)(\d\d)$/.exec(`${seed}`);
  const day = found?.slice(1).join("-") ?? "";
  return found && !Number.isNaN(Date.parse(day)) ? day : null;
}
