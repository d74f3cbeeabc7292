import type { Action } from "../engine/types";

/** Players and moves as the story calls them; the codes in results and commands stay what they are. */
const FAMILIES: Record<string, string> = {
  "value models": "appraisers",
  "imitation trees": "copyists",
  "regret trees": "apprentices",
  "by hand": "by hand",
};

export const familyName = (family: string): string => FAMILIES[family] ?? family;

// A list's code has the most rules it may have; the name says how many it has.
const FORMS: [RegExp, (found: RegExpMatchArray, size: string) => string][] = [
  [/^greedy$/, () => "most points every turn"],
  [/^heuristic$/, () => "the bot that plays by patterns"],
  [/^value-/, (_, size) => `the appraiser with ${size} numbers`],
  [/^tree-depth-(\d+)$/, ([, depth]) => `the copyist with ${depth} questions`],
  [/^tree-unlimited$/, () => "the copyist without a limit"],
  [/^tree-/, (_, size) => `the apprentice with ${size} numbers`],
  [/^network-/, (_, size) => `the network with ${size} numbers`],
  [/^card-/, (_, size) => `the card, ${size} rules`],
  [
    /^covering-\d+(-verbs|-masks)?$/,
    ([, way], size) =>
      `the earlier way, ${size} rules${way === "-masks" ? " in bitmasks" : way ? " in verbs" : ""}`,
  ],
  [/^(rules-)?par-/, (_, size) => `with par, ${size} rules`],
  [/^(rules-)?rich-/, (_, size) => `with words for boxes, ${size} rules`],
  [/^(rules|primitive)-/, (_, size) => `plain, ${size} rules`],
];

/** The name of a player by its code; `size` is how many numbers a model has, or how many rules a list. */
export function playerName(code: string, size = 0): string {
  for (const [form, name] of FORMS) {
    const found = code.match(form);
    if (found) return name(found, size.toLocaleString("en"));
  }
  return code;
}

/** An action in the words of somebody at the table; a box that is filled for nothing is crossed out. */
export function actionWords(action: Action, boxes: readonly string[]): string {
  if (!action.keep) return `${action.points ? "fill" : "cross out"} ${boxes[action.score]}`;
  return action.keep.length ? `hold ${action.keep.join(" ")}` : "throw all five again";
}

/** The beginning of a sentence. */
export const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
