/** Games as files: saved with their checksum, opened only as they were saved, and those that could not be read. */
import { onPress } from "../view/dom";
import { fromLog, hasDice, toLog } from "../game/game";
import { t } from "../language";
import type { Rules } from "../game/rules";
import { isChanged, seal } from "./sealed";
import { alone, type Table } from "../game/table";
import { forgetSetAside, readTable, setAside, toKept } from "./store";

/** One player's game is a log, as Python reads it; a table, or a card without dice, is a file of the page's own. */
export async function saveTable(table: Table): Promise<void> {
  const [seat] = table.seats;
  if (!seat) return;
  const alone = table.seats.length === 1 && hasDice(seat.game);
  const sealed = await seal(alone ? toLog(seat.game) : toKept(table, false));
  download(`${JSON.stringify(sealed)}\n`, `yatzy-${(seat.game.about.date ?? "game").slice(0, 10)}.json`);
}

/** The table of a file, or the first game of a log; throws an `Error` that says why it cannot be read. */
export async function readGame(file: File, rulesOf: (name: string) => Promise<Rules>): Promise<Table> {
  const found = readFirst(await file.text());
  if (await isChanged(found)) throw new Error(t.files.changed);
  if ((found as { format?: unknown } | null)?.format === "yatzy-seats") return readTable(found);
  const name = (found as { rules?: unknown } | null)?.rules;
  const game = fromLog(found, await rulesOf(typeof name === "string" ? name : ""));
  return alone(game);
}

/** Games that were kept here and cannot be read any more: say so, offer them as a file, and let go only when told. */
export function tellSetAside(trouble: HTMLElement): void {
  const texts = setAside();
  if (!texts.length) return;
  const button = (text: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "plain";
    made.textContent = text;
    onPress(made, act);
    return made;
  };
  trouble.replaceChildren(
    t.files.unreadable,
    button(t.files.saveIt, () => download(`${texts.join("\n")}\n`, "yatzy-unreadable.json")),
    " ",
    button(t.files.discard, () => {
      forgetSetAside();
      trouble.replaceChildren();
    }),
  );
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

export function download(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
