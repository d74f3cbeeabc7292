/**
 * Games that were finished on this device, in the browser's own database: what is counted (small, read at once) and logs
 * (read to be exported). One file holds all of them, `yatzy-history` (docs/formats.md).
 */
import type { GameLog } from "../../engine/types";
import { isChanged, withChecksum } from "./format";
import * as play from "../game/game";
import { rulesOf, type Rules } from "../game/rules";
import { t } from "../language";

/** Points lost, by where. */
export interface LostBy {
  /** After the last throw, and with one or more left. */
  throws: [number, number, number];
  /** In the first, second and last third of the game. */
  stages: [number, number, number];
  /** By the box that was scored. */
  boxes: Record<string, number>;
  /** By what the dice looked like. */
  dice: Record<string, number>;
}

export interface Summary {
  /** Which game it is: when it began, and whose it was. */
  id: string;
  date: string;
  rules: string;
  score: number;
  start: number;
  lost: number;
  decisions: number;
  lostBy: LostBy;
  /** Decisions that were not obvious, and what they lost; not known of games that were counted before it was asked. */
  unclear?: { decisions: number; lost: number };
  /** Were hints shown? Then it counts for nothing that is said of the player. */
  hints?: true;
}

/** Is it a summary as `summaryOf` makes them? */
export function isSummary(found: unknown): found is Summary {
  const one = found as Partial<Summary> | null;
  const isNumber = (n: unknown): boolean => typeof n === "number" && Number.isFinite(n);
  const threes = [one?.lostBy?.throws, one?.lostBy?.stages];
  const maps = [one?.lostBy?.boxes, one?.lostBy?.dice];
  return (
    [one?.id, one?.date, one?.rules].every((text) => typeof text === "string" && text.length <= 200) &&
    [one?.score, one?.start, one?.lost, one?.decisions].every(isNumber) &&
    [undefined, true].includes(one?.hints) &&
    (one?.unclear === undefined || [one.unclear?.decisions, one.unclear?.lost].every(isNumber)) &&
    threes.every((three) => Array.isArray(three) && three.length === 3 && three.every(isNumber)) &&
    maps.every((map) => map !== null && typeof map === "object" && Object.values(map).every(isNumber))
  );
}

const NAME = "yatzy-history";
const VERSION = 1;
const STORES = ["summaries", "logs"] as const;

export interface StoredGame {
  summary: Summary;
  log: GameLog;
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, VERSION);
    asked.onupgradeneeded = (): void => {
      for (const store of STORES) asked.result.createObjectStore(store, { keyPath: "id" });
    };
    asked.onsuccess = (): void => resolve(asked.result);
    asked.onerror = (): void => reject(new Error(NAME));
  });
}

async function inStores<T>(
  mode: IDBTransactionMode,
  act: (of: (name: string) => IDBObjectStore) => IDBRequest<T> | null,
): Promise<T | null> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORES, mode);
      const asked = act((name) => transaction.objectStore(name));
      transaction.oncomplete = (): void => resolve(asked?.result ?? null);
      transaction.onerror = transaction.onabort = (): void => reject(new Error(NAME));
    });
  } finally {
    database.close();
  }
}

/** Keep games; one that is there already is replaced. All of them, or none. */
export async function keepGames(games: readonly StoredGame[]): Promise<void> {
  await inStores("readwrite", (of) => {
    for (const { summary, log } of games) {
      of("summaries").put(summary);
      of("logs").put({ id: summary.id, log });
    }
    return null;
  });
}

export async function readSummaries(): Promise<Summary[]> {
  const found = await inStores<unknown[]>("readonly", (of) => of("summaries").getAll());
  return (found ?? []).filter(isSummary);
}

/** The logs of these games, as far as they are there, in this order. */
export async function readLogs(ids: readonly string[]): Promise<GameLog[]> {
  const found = await inStores<{ id: string; log: GameLog }[]>("readonly", (of) => of("logs").getAll());
  const byId = new Map((found ?? []).map(({ id, log }) => [id, log]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Whose games are kept, by their ids; of some nobody said. */
export async function readPlayers(): Promise<Map<string, string>> {
  const logs = await inStores<{ id: string; log: GameLog }[]>("readonly", (of) => of("logs").getAll());
  return new Map((logs ?? []).flatMap(({ id, log }) => (log.player ? [[id, log.player] as const] : [])));
}

export async function forgetGames(): Promise<void> {
  await inStores("readwrite", (of) => {
    for (const store of STORES) of(store).clear();
    return null;
  });
}

/** All games, the earliest first. */
export async function readGames(): Promise<StoredGame[]> {
  const logs = await inStores<{ id: string; log: GameLog }[]>("readonly", (of) => of("logs").getAll());
  const byId = new Map((logs ?? []).map(({ id, log }) => [id, log]));
  const games = (await readSummaries()).flatMap((summary) => {
    const log = byId.get(summary.id);
    return log ? [{ summary, log }] : [];
  });
  return games.sort((a, b) => (a.summary.date < b.summary.date ? -1 : 1));
}

/** All games as one sealed object; `kept` is what else the device keeps. */
export const exportHistory = async (kept: Record<string, string>): Promise<object> =>
  withChecksum({ format: "yatzy-history", version: 1, games: await readGames(), kept });

/** The games of a file, and what else it has; throws an `Error` that says what is wrong with it. */
export async function readHistory(text: string): Promise<{ games: StoredGame[]; kept: Record<string, unknown> }> {
  let found: { format?: unknown; version?: unknown; games?: unknown; kept?: unknown } | null;
  try {
    found = JSON.parse(text) as typeof found;
  } catch {
    throw new Error(t.files.notJson);
  }
  if (found?.format !== "yatzy-history") throw new Error(t.numbers.notHistory);
  if (found.version !== 1) throw new Error(t.files.version(String(found.version)));
  if (await isChanged(found)) throw new Error(t.files.changed);
  if (!Array.isArray(found.games)) throw new Error(t.files.field("games"));
  const rules = new Map<string, Rules>();
  const games: StoredGame[] = [];
  for (const [i, one] of (found.games as (Partial<StoredGame> | null)[]).entries()) {
    const { summary, log } = one ?? {};
    if (!isSummary(summary)) throw new Error(t.files.field(`games[${i}].summary`));
    const known = rules.get(summary.rules) ?? (await rulesOf(summary.rules));
    rules.set(summary.rules, known);
    const game = play.fromLog(log, known);
    if (!play.isFinished(game) || play.scoreOf(game) !== summary.score)
      throw new Error(t.files.field(`games[${i}].summary.score`));
    games.push({ summary, log: play.toLog(game) });
  }
  return { games, kept: (found.kept ?? {}) as Record<string, unknown> };
}

/** What makes a game the same, whoever it is said to be of. */
const contentOf = ({ rules, date, start, turns }: GameLog): string => JSON.stringify([rules, date, start, turns]);

export const isSameGame = (one: GameLog, other: GameLog): boolean => contentOf(one) === contentOf(other);

/** Adds games to those that are here; one that is here already, by its content, is not added again. */
export async function addGames(games: readonly StoredGame[]): Promise<{ added: number; known: number }> {
  const here = await readGames();
  const contents = new Set(here.map(({ log }) => contentOf(log)));
  const ids = new Set(here.map(({ summary }) => summary.id));
  const added: StoredGame[] = [];
  for (const { summary, log } of games) {
    const content = contentOf(log);
    if (contents.has(content)) continue;
    // Two games of one second and name are two games.
    let { id } = summary;
    for (let n = 2; ids.has(id); n++) id = `${summary.id} ${n}`;
    contents.add(content);
    ids.add(id);
    added.push({ summary: { ...summary, id }, log });
  }
  await keepGames(added);
  return { added: added.length, known: games.length - added.length };
}
