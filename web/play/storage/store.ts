/**
 * The table and the player's choices, kept in this browser between visits and nowhere else.
 *
 * A table as it is kept, saved and sent is one JSON object, `yatzy-seats` (docs/formats.md); games of version 1, which were
 * for one player, are still read.
 */
import { forget, recall, remember } from "../../look/settings";
import { KINDS, type Edges, type Kind, type TableFile } from "../../engine/types";
import { checkThrows, fromLog, isFinished, toLog } from "../game/game";
import { t } from "../language";
import { rulesOf, type Rules } from "../game/rules";
import { LONGEST_NAME, MOST_SEATS, type Seat, type Table } from "../game/table";

const CHOICES = 1;
const TABLE = 2;

export const HINTS = ["off", "ask", "always"] as const;
export type Hints = (typeof HINTS)[number];
export const DICE = ["random", "entered", "pad"] as const;
export type Dice = (typeof DICE)[number];

export interface Choices {
  hints: Hints;
  /** Thrown here; thrown on a real table and entered here; or scores alone are written. */
  dice: Dice;
  theta: number;
  target: number | null;
  /** At a table: advice is for winning, not for points. */
  toWin: boolean;
}

type KeptSeat = TableFile["seats"][number];

/** A table as JSON; `outlooks` are left out where it is sent. */
export function toKept({ seats, now }: Table, withOutlooks = true): TableFile {
  return {
    format: "yatzy-seats",
    version: TABLE,
    now,
    seats: seats.map(({ name, kind, game, outlooks }) => ({
      name,
      kind,
      log: toLog(game),
      throws: game.throws,
      previous: game.previous,
      outlooks: withOutlooks ? outlooks : [],
    })),
  };
}

export function keepTable(table: Table): void {
  remember("game", JSON.stringify(toKept(table)));
}

/**
 * What was kept, or null if there is nothing that this version can read. What cannot be read is set aside, so that
 * the page starts and nothing is lost: `setAside` gives it back.
 */
export async function recallTable(): Promise<Table | null> {
  const text = recall("game");
  if (text === null) return null;
  try {
    return await readTable(JSON.parse(text));
  } catch {
    const texts = [...setAside(), text];
    // First, because storage may be full.
    forget("game");
    remember("set-aside", JSON.stringify(texts));
    return null;
  }
}

/** The texts of games that could not be read. */
export function setAside(): string[] {
  const kept = recall("set-aside");
  if (kept === null) return [];
  try {
    const texts = JSON.parse(kept) as unknown;
    if (Array.isArray(texts) && texts.every((one) => typeof one === "string")) return texts;
  } catch {
    // Not a list: it is the text itself.
  }
  return [kept];
}

export const forgetSetAside = (): void => forget("set-aside");

/** A table from JSON; throws an `Error` that says what is wrong with it. */
export async function readTable(found: unknown): Promise<Table> {
  const kept = found as (Partial<TableFile> & Partial<KeptSeat>) | null;
  const version = kept?.version as number | undefined;
  if (version === 1) return { seats: [await readSeat({ ...kept, name: "", kind: "person" }, null)], now: 0 };
  if (version !== TABLE) throw new Error(t.files.version(String(version)));
  const { seats, now } = kept ?? {};
  if (!Array.isArray(seats) || seats.length < 1 || seats.length > MOST_SEATS)
    throw new Error(t.files.field("seats"));
  const read: Seat[] = [];
  for (const one of seats) read.push(await readSeat(one, read[0]?.game.rules ?? null));
  if (!Number.isInteger(now) || !read[now as number]) throw new Error(t.files.field("now"));
  const table = { seats: read, now: now as number };
  checkTurns(table);
  return table;
}

/** Everybody before the player whose turn it is has played this turn, nobody after, and only one has dice. */
function checkTurns({ seats, now }: Table): void {
  const played = seats[now]?.game.turns.length ?? 0;
  const all = seats[now]?.game.rules.categories.length ?? 0;
  seats.forEach(({ game }, i) => {
    const fits = game.turns.length === (i < now && played < all ? played + 1 : played);
    if (!fits || (i !== now && game.throws.length)) throw new Error(t.files.field(`seats[${i}]`));
  });
}

async function readSeat(found: unknown, rules: Rules | null): Promise<Seat> {
  const kept = found as Partial<KeptSeat> | null;
  const log = kept?.log as { rules?: unknown } | null | undefined;
  const { name, kind } = kept ?? {};
  if (typeof log?.rules !== "string") throw new Error(t.files.field("rules"));
  if (typeof name !== "string" || name.length > LONGEST_NAME) throw new Error(t.files.field("name"));
  if (!KINDS.includes(kind as Kind)) throw new Error(t.files.field("kind"));
  const game = fromLog(log, rules ?? (await rulesOf(log.rules)), true);
  const throws = checkThrows(kept?.throws, game);
  if (throws.length && isFinished(game)) throw new Error(t.files.field("throws"));
  const outlooks = Array.isArray(kept?.outlooks) ? kept.outlooks.map(readOutlook) : [];
  const before = { ...game, turns: game.turns.slice(0, -1) };
  return {
    name,
    kind: kind as Kind,
    game: { ...game, throws, previous: checkThrows(kept?.previous, before) },
    outlooks: outlooks.slice(0, game.rules.categories.length + 1),
  };
}

function readOutlook(found: unknown): Edges | null {
  const { theta, mean, quantiles } = (found ?? {}) as Partial<Edges>;
  const numbers = Array.isArray(quantiles) && quantiles.length === 4 ? [theta, mean, ...quantiles] : [null];
  return numbers.every((one) => Number.isFinite(one)) ? (found as Edges) : null;
}

export function keepChoices(choices: Choices): void {
  remember("choices", JSON.stringify({ version: CHOICES, ...choices }));
}

export function recallChoices(): Choices {
  const standard: Choices = { hints: "ask", dice: "random", theta: 0, target: null, toWin: false };
  try {
    const kept = JSON.parse(recall("choices") ?? "{}") as Choices & { version?: number; entered?: unknown };
    const { version, hints, dice, entered, theta, target, toWin } = kept;
    if (version !== CHOICES) return standard;
    return {
      hints: HINTS.includes(hints) ? hints : standard.hints,
      // Before there were three ways, it was said whether dice are entered.
      dice: DICE.includes(dice) ? dice : entered === true ? "entered" : standard.dice,
      theta: typeof theta === "number" && Number.isFinite(theta) ? theta : 0,
      target: typeof target === "number" && Number.isInteger(target) ? target : null,
      toWin: toWin === true,
    };
  } catch {
    return standard;
  }
}
