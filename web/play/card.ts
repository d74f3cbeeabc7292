/** The scorecard: what is filled, and faintly what each open box would score now. */
import type { Name } from "./contract";
import { el, find, onPress, setText } from "./dom";
import { card, diceOnTable, isFinished, scoreOf, stateOf, type Game } from "./game";
import { pointsOf, type Category } from "./rules";

/** Keys of the boxes, as in the terminal: without h and q, which are commands there, and z, which is undo. */
export const LETTERS = "abcdefgijklmnop";

interface Box {
  category: Category;
  button: HTMLButtonElement;
  /** Between label and points, for screen readers. */
  says: HTMLElement;
  points: HTMLElement;
  isBest: HTMLElement;
}

export interface CardView {
  show: (game: Game, best: string | null) => void;
}

export function createCard(categories: Category[], press: (category: Name) => void): CardView {
  const boxes = categories.map((category, i) => {
    const [says, isBest] = [el("span", { class: "unseen" }), el("span", { class: "unseen" })];
    const points = el("span", { class: "points" });
    const button = el(
      "button",
      { type: "button", class: "box", "data-category": category.category },
      el("kbd", { "aria-hidden": "true" }, LETTERS[i] ?? ""),
      el("span", { class: "label" }, category.label),
      says,
      points,
      isBest,
    );
    onPress(button, () => press(category.category));
    return { category, button, says, points, isBest };
  });
  const upperBoxes = boxes.filter(({ category }) => category.upper);
  const lowerBoxes = boxes.filter(({ category }) => !category.upper);
  find("#upper").replaceChildren(...upperBoxes.map(({ button }) => button));
  find("#lower").replaceChildren(...lowerBoxes.map(({ button }) => button));

  return {
    show: (game, best) => {
      const filled = card(game);
      const dice = diceOnTable(game);
      for (const box of boxes) showBox(box, game, filled.get(box.category.category), dice, best);
      showBonus(game, filled);
      setText(find("#total"), `${scoreOf(game)}`);
    },
  };
}

function showBox(
  { category, button, says, points, isBest }: Box,
  game: Game,
  filled: number | undefined,
  dice: number[] | null,
  best: string | null,
): void {
  const would = dice ? pointsOf(game.rules.rules, dice, category.category) : null;
  const marked = best === category.category && filled === undefined;
  button.classList.toggle("filled", filled !== undefined);
  button.classList.toggle("best", marked);
  button.classList.toggle("nothing", filled === undefined && would === 0);
  button.disabled = filled !== undefined || isFinished(game);
  button.setAttribute("aria-disabled", `${would === null}`);
  setText(points, `${filled ?? would ?? ""}`);
  button.dataset["points"] = `${filled ?? ""}`;
  setText(says, filled !== undefined ? ", scored " : would === null ? ", open" : ", would score ");
  setText(isBest, marked ? ", best choice" : "");
}

/** How the upper section stands against three of each face, which is what the bonus needs. */
function showBonus(game: Game, filled: Map<string, number>): void {
  const { bonus_threshold: needed, bonus, categories } = game.rules;
  const uppers = categories.filter(({ upper }) => upper);
  const total = uppers.reduce((sum, { category }) => sum + (filled.get(category) ?? 0), 0);
  const pace = uppers.reduce((sum, { category }, i) => sum + (filled.has(category) ? 3 * (i + 1) : 0), 0);
  const most = uppers.reduce(
    (sum, { category }, i) => sum + (filled.get(category) ?? game.rules.dice * (i + 1)),
    0,
  );
  const ahead = total - pace;
  let says = `${needed} needed`;
  if (total >= needed) says = "reached";
  else if (most < needed) says = "out of reach";
  else if (pace > 0)
    says = ahead === 0 ? "on pace" : `${Math.abs(ahead)} ${ahead > 0 ? "ahead of" : "behind"} pace`;
  setText(find("#upper-total"), `${total}`);
  setText(find("#pace"), says);
  setText(find("#bonus"), total >= needed ? `${bonus}` : stateOf(game).filled.length && most < needed ? "0" : "");
  find<HTMLProgressElement>("#progress").value = Math.min(total, needed);
  find("#bonus-box").classList.toggle("reached", total >= needed);
  find("#bonus-box").classList.toggle("lost", total < needed && most < needed);
}
