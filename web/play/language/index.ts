/**
 * The language of the page: what the player chose, else the first of the browser's that there is, else English.
 *
 * `t` has all texts. They come before anything else is shown, one file for the language that is spoken; numbers are
 * written as it writes them.
 */
import type { Words } from "./en";
import type { GameTables } from "../../engine/tables";
import { recall, remember } from "../../look/settings";

/** The languages there are, each by its own name, in the order of the menu. */
export const NAMES = {
  en: "English",
  sv: "Svenska",
  nb: "Norsk",
  da: "Dansk",
  fi: "Suomi",
  de: "Deutsch",
};

export type Code = keyof typeof NAMES;

interface LanguageFile {
  default: Words;
  address: string;
}

const FILES: Record<Code, () => Promise<LanguageFile>> = {
  en: () => import("./en"),
  sv: () => import("./sv"),
  nb: () => import("./nb"),
  da: () => import("./da"),
  fi: () => import("./fi"),
  de: () => import("./de"),
};

/** Other codes for the same language. */
const ALSO: Record<string, Code> = { no: "nb", nn: "nb" };

export let t: Words;
export let code: Code = "en";
/** Where the texts were loaded from. */
export let address = "";

const isCode = (one: string): one is Code => Object.hasOwn(NAMES, one);

function chosen(): Code {
  const wanted = [recall("language") ?? "", ...navigator.languages];
  for (const one of wanted) {
    const [base = ""] = one.toLowerCase().split("-");
    const known = ALSO[base] ?? base;
    if (isCode(known)) return known;
  }
  return "en";
}

/** From now on these are the texts. */
export function setLanguage(which: Code, words: Words): void {
  [code, t] = [which, words];
}

/** Have the texts ready; those of a language that cannot be loaded are English. */
export async function loadLanguage(): Promise<void> {
  code = chosen();
  const spoken = await FILES[code]().catch(() => {
    code = "en";
    return FILES.en();
  });
  setLanguage(code, spoken.default);
  address = spoken.address;
  document.documentElement.lang = code;
  document.title = t.page.title;
  translate(document);
  delete document.documentElement.dataset["wait"];
}

/** Speak another language from now on: the page starts again with it. False if it is not there. */
export async function switchLanguage(wanted: string): Promise<boolean> {
  if (!isCode(wanted)) return false;
  try {
    await FILES[wanted]();
  } catch {
    return false;
  }
  remember("language", wanted);
  location.reload();
  return true;
}

/** A text by its path, such as `card.total`. */
function textAt(path: string): string {
  const found = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], t);
  if (typeof found !== "string") throw new Error(path);
  return found;
}

/** Fill what the HTML leaves open: `data-t` is the text of an element, `data-t-label` and others its attributes. */
function translate(root: ParentNode): void {
  for (const one of root.querySelectorAll<HTMLElement>("[data-t]"))
    one.textContent = textAt(one.dataset["t"] ?? "");
  for (const [attribute, mark] of ATTRIBUTES)
    for (const one of root.querySelectorAll(`[${mark}]`))
      one.setAttribute(attribute, textAt(one.getAttribute(mark) ?? ""));
}

const ATTRIBUTES = [
  ["aria-label", "data-t-label"],
  ["title", "data-t-title"],
  ["content", "data-t-content"],
] as const;

const formats = new Map<string, Intl.NumberFormat>();

function format(style: "decimal" | "percent", digits: number): Intl.NumberFormat {
  const key = `${code} ${style} ${digits}`;
  let found = formats.get(key);
  if (!found) {
    const options = { style, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
    formats.set(key, (found = new Intl.NumberFormat(code, options)));
  }
  return found;
}

/** A number with a given number of decimals. */
export const fixed = (n: number, digits = 1): string => format("decimal", digits).format(n);
/** A whole number. */
export const whole = (n: number): string => fixed(n, 0);
export const signed = (n: number): string => `${n < 0 ? "−" : "+"}${fixed(Math.abs(n))}`;
export const points = (n: number): string => t.number.points(fixed(n), n);

export const wholePoints = (n: number): string => t.number.points(whole(n), n);

/** A share in percent. */
export const share = (one: number, digits = 0): string => format("percent", digits).format(one);

/** A share in percent; what is neither impossible nor certain does not look as if it were. */
export const percent = (one: number, digits = 0): string => {
  const least = 10 ** -(digits + 2);
  if (one > 0 && one < least / 2) return t.number.under(share(least, digits));
  if (one < 1 && one >= 1 - least / 2) return t.number.over(share(1 - least, digits));
  return share(one, digits);
};

/** Shares of one whole in whole percent, rounded so that they add up to 100. */
export function percents(shares: readonly number[]): string[] {
  const floors = shares.map((one) => Math.floor(100 * one));
  const order = [...shares.keys()].sort(
    (a, b) => 100 * ((shares[b] ?? 0) - (shares[a] ?? 0)) - (floors[b] ?? 0) + (floors[a] ?? 0),
  );
  const over = 100 - floors.reduce((sum, one) => sum + one, 0);
  return shares.map((one, i) => {
    const n = (floors[i] ?? 0) + (order.indexOf(i) < over ? 1 : 0);
    if (one > 0 && !n) return t.number.under(share(0.01));
    return one < 1 && n >= 100 ? t.number.over(share(0.99)) : share(n / 100);
  });
}

/** Several things in a sentence. */
export const list = (items: readonly string[]): string => new Intl.ListFormat(code).format(items);

/** A day such as `2026-02-07`. */
export const dateText = (day: string): string =>
  new Intl.DateTimeFormat(code, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${day}T00:00Z`));

// What games and boxes are called.

/** A game without its switches. */
export const baseGame = (rules: string): string => rules.split("+")[0] ?? "";

/** What a game is called, without its switches. */
export const titleOf = (rules: string): string => t.games[baseGame(rules) as keyof typeof t.games];

/** What a game is called, with its switches. */
export const fullTitleOf = (rules: string): string =>
  [
    titleOf(rules),
    ...rules
      .split("+")
      .slice(1)
      .map((one) => t.switches[one as keyof typeof t.switches]),
  ].join(" · ");

/** What a box is called on the score sheets of its game. */
export function labelOf(rules: GameTables, box: number): string {
  const name = rules.categories[box]?.category ?? "";
  return t.boxes[`${baseGame(rules.rules)}: ${name}`] ?? t.boxes[name] ?? name;
}
