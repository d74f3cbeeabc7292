/** Boxes, actions and points in words. */
import { placeOf } from "../engine/advise";
import type { State } from "../engine/answers";
import { die, type Face } from "../look/dice";
import { el } from "./dom";
import { baseOf, labelOf } from "./labels";
import { fixed, t } from "./language";
import { scoresOf, type Category, type Rules } from "./rules";

/** Dice in a line of text; screen readers say their faces. */
export function glyphs(faces: readonly number[], held: readonly boolean[] = []): HTMLElement {
  const names = faces.map((face, i) => (held[i] ? t.dice.faceHeld(face) : `${face}`)).join(", ");
  return el(
    "span",
    { class: "dice", role: "img", "aria-label": names },
    ...faces.map((face, i) => die(face as Face, held[i] ?? false)),
  );
}

const YAHTZEES = ["yahtzee", "kniffel"];

/** What a box scores, in a few words. */
export function scoringOf(rules: Rules, { category, upper, most }: Category): string {
  const { scores } = t;
  const straight = (first: number, n: number): string =>
    scores.straight(Array.from({ length: n }, (_, i) => `${first + i}`).join(" "), most);
  if (upper) return scores.face(most / rules.dice);
  if (YAHTZEES.includes(baseOf(rules.rules)))
    switch (category) {
      case "three of a kind":
        return scores["three at least"];
      case "four of a kind":
        return scores["four at least"];
      case "full house":
        return scores["full house fixed"](most);
      case "small straight":
        return scores["small run"](most);
      case "large straight":
        return scores["large run"](most);
    }
  switch (category) {
    case "small straight":
    case "little straight":
      return straight(1, 5);
    case "large straight":
    case "big straight":
      return straight(2, 5);
    case "full straight":
      return straight(1, 6);
    case "chance":
    case "choice":
      return scores.chance;
    case "one pair":
    case "two pairs":
    case "three pairs":
    case "three of a kind":
    case "four of a kind":
    case "five of a kind":
    case "full house":
    case "villa":
    case "tower":
      return scores[category];
    default:
      return scores.all(most);
  }
}

/** An action as the API writes it: `keep 3 3`, `keep nothing`, `score one pair`. */
export function parseAction(action: string): { keep: number[] | null; category: string | null } {
  const [verb, ...rest] = action.split(" ");
  if (verb === "score") return { keep: null, category: rest.join(" ") };
  return { keep: rest[0] === "nothing" ? [] : rest.map(Number), category: null };
}

/** Which of the dice an action holds. */
export function heldOf(dice: readonly number[], action: string): boolean[] {
  const left = [...(parseAction(action).keep ?? [])];
  return dice.map((face) => {
    const at = left.indexOf(face);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Text and dice. */
export type Said = (Node | string)[];

/** A text with something in the place of `{}`. */
export function around(text: string, inside: Node | string): Said {
  const [before = "", after = ""] = text.split("{}");
  return [before, inside, after].filter((part) => part !== "");
}

/** An action in words; a box that takes these dice for nothing is crossed out. */
export function sayAction(
  rules: Rules,
  action: string,
  at: { dice: readonly number[] } & State,
  form: keyof typeof t.act & ("do" | "did" | "best") = "do",
): Said {
  const { keep, category } = parseAction(action);
  const says = t.act[form];
  if (category === null) return keep?.length ? around(says.keep, glyphs(keep)) : [says.nothing];
  const { set } = placeOf(rules, at.filled, at.upper, at.saved);
  const scored = scoresOf(rules, set, at.dice).get(category);
  const isCrossed = scored?.points === 0 && scored.extra === 0;
  return [around(isCrossed ? says.cross : says.score, labelOf(rules, category)).join("")];
}

/** What a choice costs against the best: a word first, then points with one decimal. */
export function costs(rules: Rules, regret: number): string {
  const { perfect, fine } = rules.words.loss;
  if (regret <= perfect) return t.advice.best;
  if (regret < 0.05) return t.advice.nearly;
  return regret < fine ? t.advice.close_call(fixed(regret)) : t.advice.costs(fixed(regret));
}
