/** What tests share: games, a fake of the browser's storage, English, and chance from a seed. */
import { readFileSync } from "node:fs";
import type { GameTables } from "../engine/tables";
import { setLanguage } from "../play/language";
import en from "../play/language/en";
import scandinavian from "../play/data/scandinavian.json";

/** The folder with all games, which `yatzy.site.web test` writes; without it only the page's own game is there. */
export const GAMES = process.env["YATZY_GAMES"] ?? "";

export const SCANDINAVIAN = scandinavian as GameTables;

/** A file of the project's Python tests. */
export const readTest = (path: string): string =>
  readFileSync(new URL(`../../tests/${path}`, import.meta.url), "utf8");

const read = new Map<string, GameTables>();

export function gameOf(name: string): GameTables {
  let game = read.get(name);
  if (!game) read.set(name, (game = JSON.parse(readFileSync(`${GAMES}/${name}.json`, "utf8")) as GameTables));
  return game;
}

setLanguage("en", en);
// The page reads its address when it begins.
Object.assign(globalThis, { location: new URL("https://yatzy.example/play/") });

/** The browser's storage from now on. */
export function fakeStorage(entries: Record<string, string> = {}): Map<string, string> {
  const kept = new Map(Object.entries(entries));
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  Object.assign(globalThis, { localStorage });
  return kept;
}

/** Whole numbers below n, the same in every run. */
export function seeded(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
