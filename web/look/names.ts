import type { Action } from "../engine/types";
import type { Who } from "./results";

/** Players and moves as the story calls them; the codes in results and commands stay what they are. */
const FAMILIES: Record<string, string> = {
  "value models": "appraisers",
  "imitation trees": "copyists",
  "regret trees": "apprentices",
  "by hand": "by hand",
};

export const familyName = (family: string): string => FAMILIES[family] ?? family;

// Of a list, the code has the most rules it may have; the name says how many it has.
const withPar = (_: Who, size: string): string => `with par, ${size} rules`;
const withBoxes = (_: Who, size: string): string => `with words for boxes, ${size} rules`;
const plain = (_: Who, size: string): string => `plain, ${size} rules`;
const NAMES: Record<string, (who: Who, size: string) => string> = {
  greedy: () => "most points every turn",
  heuristic: () => "the bot that plays by patterns",
  value: (_, size) => `the appraiser with ${size} numbers`,
  "imitation-trees": ({ depth }) =>
    depth ? `the copyist with ${depth} questions` : "the copyist without a limit",
  "regret-trees": (_, size) => `the apprentice with ${size} numbers`,
  networks: (_, size) => `the network with ${size} numbers`,
  card: (_, size) => `the card, ${size} rules`,
  covering: ({ keeps }, size) =>
    `the earlier way, ${size} rules${keeps === "masks" ? " in bitmasks" : keeps ? " in verbs" : ""}`,
  par: withPar,
  "rules-par": withPar,
  rich: withBoxes,
  "rules-rich": withBoxes,
  rules: plain,
  primitive: plain,
};

/** The name of a player; `size` is how many numbers a model has, or how many rules a list. */
export const playerName = (who: Who | undefined, size = 0): string =>
  who ? (NAMES[who.kind]?.(who, size.toLocaleString("en")) ?? who.kind) : "";

/** An action in the words of somebody at the table; a box that is filled for nothing is crossed out. */
export function actionWords(action: Action, boxes: readonly string[]): string {
  if (!action.keep) return `${action.points ? "fill" : "cross out"} ${boxes[action.score]}`;
  return action.keep.length ? `hold ${action.keep.join(" ")}` : "throw all five again";
}

/** The beginning of a sentence. */
export const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
