/** Boxes, actions and points in words. */
import { el } from "./dom";
import { actionId, lossLevel } from "../../engine/advise";
import type { Action, AdvisedAction, Move } from "../../engine/types";
import type { Category, Rules } from "../game/rules";
import { baseGame, fixed, labelOf, t } from "../language";
import { die, type Face } from "../../look/dice";

/** Dice in a line of text; screen readers say their faces. */
export function inlineDice(faces: readonly number[], held: readonly boolean[] = []): HTMLElement {
  const names = faces.map((face, i) => (held[i] ? t.dice.faceHeld(face) : `${face}`)).join(", ");
  return el(
    "span",
    { class: "dice", role: "img", "aria-label": names },
    ...faces.map((face, i) => die(face as Face, held[i] ?? false)),
  );
}

const YAHTZEES = ["yahtzee", "kniffel"];

/** What a box scores, in a few words. */
export function scoringText(rules: Rules, { category, upper, most }: Category): string {
  const { scores } = t;
  const straight = (first: number, n: number): string =>
    scores.straight(Array.from({ length: n }, (_, i) => `${first + i}`).join(" "), most);
  if (upper) return scores.face(most / rules.dice);
  if (YAHTZEES.includes(baseGame(rules.rules)))
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

/** Text and dice. */
export type RichText = (Node | string)[];

/** A text with something in the place of `{}`. */
export function fillIn(text: string, inside: Node | string): RichText {
  const [before = "", after = ""] = text.split("{}");
  return [before, inside, after].filter((part) => part !== "");
}

/** An action in words; a box that takes the dice for nothing is crossed out. */
export function actionText(rules: Rules, action: Action, form: "do" | "did" | "best" | "wanted" = "do"): RichText {
  const says = t.act[form];
  if (action.keep) return action.keep.length ? fillIn(says.keep, inlineDice(action.keep)) : [says.nothing];
  return fillIn(action.points ? says.score : says.cross, labelOf(rules, action.score));
}

/** What to do as plain text. */
export function plainAction(rules: Rules, action: Action): string {
  const { keep, nothing, score, cross } = t.act.do;
  if (!action.keep) return (action.points ? score : cross).replace("{}", labelOf(rules, action.score));
  return action.keep.length ? keep.replace("{}", action.keep.join(" ")) : nothing;
}

/** What was advised on something that can be done. */
export function adviceFor(
  rules: Rules,
  actions: readonly AdvisedAction[],
  given: Move,
): AdvisedAction | undefined {
  const id = actionId(rules, given);
  return actions.find(({ action }) => actionId(rules, action) === id);
}

/** What a choice costs against the best: a word first, then points with one decimal. */
export function costText(regret: number): string {
  const level = lossLevel(regret);
  if (!level) return t.advice.best;
  if (regret < 0.05) return t.advice.nearly;
  return (level === 1 ? t.advice.closeCall : t.advice.costs)(fixed(regret));
}
