/** Actions and points in words. */
import { die, type Face } from "../look/dice";
import { fixed } from "../look/figure";
import { el } from "./dom";
import type { Rules } from "./rules";

/** Dice in a line of text; screen readers say their faces. */
export function glyphs(faces: readonly number[], held: readonly boolean[] = []): HTMLElement {
  const names = faces.map((face, i) => (held[i] ? `${face} held` : `${face}`)).join(", ");
  return el(
    "span",
    { class: "dice", role: "img", "aria-label": names },
    ...faces.map((face, i) => die(face as Face, held[i] ?? false)),
  );
}

export const labelOf = (rules: Rules, category: string): string =>
  rules.categories.find((one) => one.category === category)?.label ?? category;

/** An action as the API writes it: `keep 3 3`, `keep nothing`, `score one pair`. */
export function parseAction(action: string): { keep: number[] | null; category: string | null } {
  const [verb, ...rest] = action.split(" ");
  if (verb === "score") return { keep: null, category: rest.join(" ") };
  return { keep: rest[0] === "nothing" ? [] : rest.map(Number), category: null };
}

/** Text and dice. */
export type Said = (Node | string)[];

const FORMS = {
  do: ["Keep", "Score", "Keep nothing"],
  did: ["You kept", "You scored", "You kept nothing"],
  doing: ["Keeping", "Scoring", "Keeping nothing"],
} as const;

export function sayAction(rules: Rules, action: string, form: keyof typeof FORMS = "do"): Said {
  const { keep, category } = parseAction(action);
  const [keeps, scores, nothing] = FORMS[form];
  if (category !== null) return [`${scores} ${labelOf(rules, category)}`];
  return keep?.length ? [`${keeps} `, glyphs(keep)] : [nothing];
}

/** What a choice costs against the best: a word first, then points with one decimal. */
export function costs(rules: Rules, regret: number): string {
  const { perfect, fine } = rules.words.loss;
  if (regret <= perfect) return "best";
  if (regret < 0.05) return "next to nothing";
  return regret < fine ? `close call, ${fixed(regret)}` : `costs ${fixed(regret)}`;
}

export const points = (n: number): string => `${fixed(n)} ${n === 1 ? "point" : "points"}`;
export const signed = (n: number): string => `${n < 0 ? "−" : "+"}${fixed(Math.abs(n))}`;
export const percent = (share: number): string => {
  if (share > 0 && share < 0.005) return "under 1%";
  if (share < 1 && share >= 0.995) return "over 99%";
  return `${Math.round(100 * share)}%`;
};
