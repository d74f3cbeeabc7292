/** Games as files: saved with their checksum, opened only as they were saved, and those that could not be read. */
import { onPress } from "./dom";
import { fromLog, toLog, type Game } from "./game";
import { t } from "./language";
import type { Rules } from "./rules";
import { isChanged, seal } from "./sealed";
import { forgetSetAside, setAside } from "./store";

export async function saveGame(game: Game): Promise<void> {
  const log = await seal(toLog(game));
  download(`${JSON.stringify(log)}\n`, `yatzy-${(game.about.date ?? "game").slice(0, 10)}.json`);
}

/** The first game of a file; throws an `Error` that says why it cannot be read. */
export async function readGame(file: File, rulesOf: (name: string) => Promise<Rules>): Promise<Game> {
  const found = readFirst(await file.text());
  if (await isChanged(found)) throw new Error(t.files.changed);
  const name = (found as { rules?: unknown } | null)?.rules;
  return fromLog(found, await rulesOf(typeof name === "string" ? name : ""));
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

function download(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
