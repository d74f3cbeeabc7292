/**
 * A table outside the page: as JSON, as a file and as a link.
 *
 * As JSON it is one object, `yatzy-seats` (docs/formats.md); games of version 1, which were for one player, are still read.
 * Files and links carry a checksum, as Python writes and checks it.
 */
import type { OutlookSummary, TableFile } from "../../engine/types";
import { parseThrows, fromLog, hasDice, isFinished, nFilled, toLog } from "../game/game";
import { isPlayerKind } from "../game/opponents";
import { rulesOf, type Rules } from "../game/rules";
import { MAX_NAME_LENGTH, MAX_SEATS, tableForOne, type Seat, type Table } from "../game/table";
import { t } from "../language";

const TABLE = 2;
/** With a game that was taken over from paper. */
const TABLE_TAKEN_OVER = 3;

type SeatFile = TableFile["seats"][number];

/** A table as JSON; `outlooks` are left out where it is sent. */
export function tableToJson({ seats, now }: Table, withOutlooks = true): TableFile {
  return {
    format: "yatzy-seats",
    version: seats.some(({ game }) => game.start) ? TABLE_TAKEN_OVER : TABLE,
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

/** A table from JSON; throws an `Error` that says what is wrong with it. */
export async function readTable(found: unknown): Promise<Table> {
  const kept = found as (Partial<TableFile> & Partial<SeatFile>) | null;
  const version = kept?.version as number | undefined;
  if (version === 1) return { seats: [await readSeat({ ...kept, name: "", kind: "person" }, null)], now: 0 };
  if (version !== TABLE && version !== TABLE_TAKEN_OVER) throw new Error(t.files.version(String(version)));
  const { seats, now } = kept ?? {};
  if (!Array.isArray(seats) || seats.length < 1 || seats.length > MAX_SEATS)
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
  const filled = seats.map(({ game }) => nFilled(game));
  const played = filled[now] ?? 0;
  const all = seats[now]?.game.rules.categories.length ?? 0;
  seats.forEach(({ game }, i) => {
    const fits = filled[i] === (i < now && played < all ? played + 1 : played);
    if (!fits || (i !== now && game.throws.length)) throw new Error(t.files.field(`seats[${i}]`));
  });
}

async function readSeat(found: unknown, rules: Rules | null): Promise<Seat> {
  const kept = found as Partial<SeatFile> | null;
  const log = kept?.log as { rules?: unknown } | null | undefined;
  const { name, kind } = kept ?? {};
  if (typeof log?.rules !== "string") throw new Error(t.files.field("rules"));
  if (typeof name !== "string" || name.length > MAX_NAME_LENGTH) throw new Error(t.files.field("name"));
  if (!isPlayerKind(kind)) throw new Error(t.files.field("kind"));
  const game = fromLog(log, rules ?? (await rulesOf(log.rules)), true);
  const throws = parseThrows(kept?.throws, game);
  if (throws.length && isFinished(game)) throw new Error(t.files.field("throws"));
  const outlooks = Array.isArray(kept?.outlooks) ? kept.outlooks.map(readOutlook) : [];
  const before = { ...game, turns: game.turns.slice(0, -1) };
  return {
    name,
    kind,
    game: { ...game, throws, previous: parseThrows(kept?.previous, before) },
    outlooks: outlooks.slice(0, game.rules.categories.length + 1),
  };
}

function readOutlook(found: unknown): OutlookSummary | null {
  const { theta, mean, quantiles } = (found ?? {}) as Partial<OutlookSummary>;
  const numbers = Array.isArray(quantiles) && quantiles.length === 4 ? [theta, mean, ...quantiles] : [null];
  return numbers.every((one) => Number.isFinite(one)) ? (found as OutlookSummary) : null;
}

// The checksum: SHA-256 of the object without it, keys sorted, no spaces. A browser computes it only where the page's own
// address is safe (https or this machine); elsewhere there is none.

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([key, one]) => key !== "checksum" && one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(",")}}`;
};

/** The checksum of an object, or null where it cannot be computed. */
async function checksumOf(value: object): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(value)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The object with its checksum, if it can be computed. */
export async function withChecksum<T extends object>(value: T): Promise<T & { checksum?: string }> {
  const checksum = await checksumOf(value);
  return checksum === null ? value : { ...value, checksum };
}

/** Was the object changed since it was sealed? Without a checksum nobody can tell. */
export async function isChanged(value: unknown): Promise<boolean> {
  if (value === null || typeof value !== "object" || !("checksum" in value)) return false;
  const checksum = await checksumOf(value);
  return checksum !== null && value.checksum !== checksum;
}

// Files.

/** One player's game is a log, as Python reads it; a table, or a card without dice, is a file of the page's own. */
export async function fileOf(table: Table): Promise<{ text: string; name: string }> {
  const [seat] = table.seats as [Seat];
  const isLog = table.seats.length === 1 && hasDice(seat.game);
  const sealed = await withChecksum(isLog ? toLog(seat.game) : tableToJson(table, false));
  const name = `yatzy-${(seat.game.about.date ?? "game").slice(0, 10)}.json`;
  return { text: `${JSON.stringify(sealed)}\n`, name };
}

/** The table of a file, or the first game of a log; throws an `Error` that says why it cannot be read. */
export async function readGame(file: File): Promise<Table> {
  const found = readFirst(await file.text());
  if (await isChanged(found)) throw new Error(t.files.changed);
  if ((found as { format?: unknown } | null)?.format === "yatzy-seats") return readTable(found);
  const name = (found as { rules?: unknown } | null)?.rules;
  const game = fromLog(found, await rulesOf(typeof name === "string" ? name : ""));
  return tableForOne(game);
}

/** The first game of a file: one JSON object, or one on each line. */
function readFirst(text: string): unknown {
  for (const part of [text, text.split("\n", 1)[0] ?? ""])
    try {
      return JSON.parse(part) as unknown;
    } catch {
      continue;
    }
  throw new Error(t.files.notJson);
}

// Links: all of the table is in the fragment of the address, packed and sealed; nothing is stored anywhere.

const LINK_PREFIX = "#table=";
/** Longer than any table packs to; more is not read. */
const MAX_LINK_LENGTH = 60_000;

const pipe = (bytes: BlobPart, stream: GenericTransformStream): Promise<ArrayBuffer> =>
  new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

/** The address of this page with the table in it. */
export async function linkTo(table: Table): Promise<string> {
  const text = JSON.stringify(await withChecksum(tableToJson(table, false)));
  const packed = new Uint8Array(await pipe(text, new CompressionStream("deflate-raw")));
  const letters = btoa(packed.reduce((all, byte) => all + String.fromCharCode(byte), ""));
  return `${location.origin}${location.pathname}${LINK_PREFIX}${letters.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

export const isLink = (hash: string): boolean => hash.startsWith(LINK_PREFIX);

/** The table of a link; throws an `Error` that says why it cannot be read. */
export async function readLink(hash: string): Promise<Table> {
  let found: unknown;
  try {
    if (hash.length > MAX_LINK_LENGTH) throw new Error();
    const letters = atob(hash.slice(LINK_PREFIX.length).replace(/-/g, "+").replace(/_/g, "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    found = JSON.parse(new TextDecoder().decode(await pipe(packed, new DecompressionStream("deflate-raw"))));
  } catch {
    throw new Error(t.files.linkBroken);
  }
  if (await isChanged(found)) throw new Error(t.files.changed);
  return readTable(found);
}
