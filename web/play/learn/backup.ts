/**
 * All that the device keeps in one file, and back: what is here already stays, and nothing is there twice.
 *
 * It is the file of the history (docs/formats.md) with the entries of `localStorage` beside the games.
 */
import { recall, remember } from "../../look/settings";
import { isFresh, isOver, type Table } from "../game/table";
import { t } from "../language";
import { session } from "../session";
import { mergedChallenges } from "../storage/challenges";
import { readTable, tableToJson } from "../storage/format";
import { addGames, exportHistory, readHistory } from "../storage/history";
import { mergedAnswers } from "../storage/puzzles";
import { mergedDeck } from "./deck";

/** Those of the file come in where there are none here. */
const SETTINGS = ["choices", "language", "theme", "depth", "dice", "name", "profile"];
/** Those of the file are added to those here. */
const LISTS: Record<string, (others: string) => string> = {
  deck: mergedDeck,
  challenges: mergedChallenges,
  puzzles: mergedAnswers,
};
/** What could not be read, and is kept for who can. */
const ASIDE = ["set-aside", "deck-set-aside", "challenges-set-aside", "puzzles-set-aside", "profile-set-aside"];

/** Everything, sealed. */
export function everything(): Promise<object> {
  const names = ["game", ...SETTINGS, ...Object.keys(LISTS), ...ASIDE];
  const kept = names.map((name) => [name, recall(name)] as const).filter(([, text]) => text !== null);
  return exportHistory(Object.fromEntries(kept) as Record<string, string>);
}

export interface TakenIn {
  added: number;
  known: number;
  /** A game that was under way there. */
  table: Table | null;
  /** Settings came in: they hold when the page starts again. */
  settings: boolean;
}

/** Takes a file in; throws an `Error` that says what is wrong with it, and then nothing is changed. */
export async function takeIn(text: string): Promise<TakenIn> {
  const { games, kept } = await readHistory(text);
  const entries = new Map<string, string>();
  for (const [name, entry] of Object.entries(kept)) {
    if (typeof entry !== "string") throw new Error(t.files.field(["kept", name].join(".")));
    if ([...SETTINGS, ...ASIDE].includes(name) && recall(name) === null) entries.set(name, entry);
    try {
      const merged = Object.hasOwn(LISTS, name) ? LISTS[name]?.(entry) : undefined;
      if (merged !== undefined) entries.set(name, merged);
    } catch {
      throw new Error(t.files.field(["kept", name].join(".")));
    }
  }
  const table =
    typeof kept["game"] === "string" ? await readTable(JSON.parse(kept["game"])).catch(() => null) : null;
  const counted = await addGames(games);
  entries.forEach((entry, name) => remember(name, entry));
  const settings = [...entries.keys()].some((name) => SETTINGS.includes(name));
  return { ...counted, table: table && isWanted(table) ? table : null, settings };
}

/** Is there something in it that is not here, and could go on? */
function isWanted(table: Table): boolean {
  const text = (one: Table): string => JSON.stringify(tableToJson(one, false));
  return !isFresh(table) && !isOver(table) && text(table) !== text(session.table);
}
