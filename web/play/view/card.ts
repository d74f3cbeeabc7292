/** The scorecard: what is filled, and faintly what each open box would score now. */
import { el, find, onPress, plainButton, setText } from "./dom";
import {
  boxesOf,
  cardOf,
  diceOnTable,
  extraOf,
  isFinished,
  openBoxes,
  possibleScores,
  scoreOf,
  type Game,
} from "../game/game";
import { alikeBox, hasExtra, type Category, type Rules, type Scored } from "../game/rules";
import { labelOf, t, whole } from "../language";
import { reducedMotion } from "../../look/settings";
import { choices } from "../session";

/** Keys of the boxes, as in the terminal: without h and q, which are commands there, and z, which is undo. */
export const LETTERS = "abcdefgijklmnoprstuvwxy";

interface Box {
  id: number;
  category: Category;
  button: HTMLButtonElement;
  /** Between label and points, for screen readers. */
  says: HTMLElement;
  points: HTMLElement;
  isBest: HTMLElement;
}

export interface CardView {
  /** `pad`: every open box can be pressed, whatever the dice. */
  show: (game: Game, best: number | null, pad: boolean) => void;
}

export function createCard(press: (box: number) => void): CardView {
  let laid: Rules | null = null;
  let boxes: Box[] = [];
  return {
    show: (game, best, pad) => {
      if (laid?.rules !== game.rules.rules) boxes = layOut(game.rules, press);
      laid = game.rules;
      const filled = boxesOf(game);
      const open = diceOnTable(game) ? openBoxes(game) : null;
      for (const box of boxes) {
        showBox(box, game, filled.get(box.id), open, best);
        if (pad) showPossible(box, game);
      }
      if (game.rules.bonus) showBonus(game, filled);
      setText(find("#extra"), `${extraOf(game) || ""}`);
      setText(find("#total"), `${scoreOf(game)}`);
    },
  };
}

/** The boxes of a game, its bonus and its extra points, where it has them. */
function layOut(rules: Rules, press: (box: number) => void): Box[] {
  const boxes = rules.categories.map((category, id) => {
    const [says, isBest] = [el("span", { class: "unseen" }), el("span", { class: "unseen" })];
    const points = el("span", { class: "points" });
    const button = el(
      "button",
      { type: "button", class: "box", "data-category": category.category },
      el("kbd", { "aria-hidden": "true" }, LETTERS[id] ?? ""),
      el("span", { class: "label" }, labelOf(rules, id)),
      says,
      points,
      isBest,
    );
    onPress(button, () => press(id));
    return { id, category, button, says, points, isBest };
  });
  const upperBoxes = boxes.filter(({ category }) => category.upper);
  const lowerBoxes = boxes.filter(({ category }) => !category.upper);
  find("#upper").replaceChildren(...upperBoxes.map(({ button }) => button));
  find("#lower").replaceChildren(...lowerBoxes.map(({ button }) => button));
  for (const id of ["#bonus-box", "#bonus-row"]) find(id).hidden = !rules.bonus;
  find("#extra-row").hidden = !hasExtra(rules);
  find<HTMLProgressElement>("#progress").max = Math.max(1, rules.bonus_threshold);
  return boxes;
}

function showBox(
  { id, button, says, points, isBest }: Box,
  game: Game,
  filled: number | undefined,
  open: Map<number, Scored> | null,
  best: number | null,
): void {
  const scored = open?.get(id);
  const would = scored ? scored.points : null;
  const shut = open !== null && !scored && filled === undefined;
  const marked = best === id && filled === undefined;
  button.classList.toggle("filled", filled !== undefined);
  button.classList.toggle("best", marked);
  button.classList.toggle("nothing", filled === undefined && would === 0);
  button.disabled = filled !== undefined || isFinished(game);
  button.setAttribute("aria-disabled", `${would === null}`);
  button.classList.toggle("shut", shut);
  setText(
    points,
    scored?.extra ? `${scored.points} + ${scored.extra}` : `${filled ?? would ?? (shut ? "–" : "")}`,
  );
  button.dataset["points"] = `${filled ?? ""}`;
  setText(
    says,
    filled !== undefined
      ? t.card.scored
      : shut
        ? t.card.notForThese
        : would === null
          ? t.card.open
          : would || scored?.extra
            ? t.card.wouldScore
            : t.card.wouldCross,
  );
  setText(isBest, marked ? t.card.best : "");
}

/** A box of the scorepad: open if something may be written there. */
function showPossible({ id, button, points }: Box, game: Game): void {
  if (boxesOf(game).has(id)) return;
  const isOpen = possibleScores(game, id).length > 0;
  button.setAttribute("aria-disabled", `${!isOpen}`);
  button.classList.toggle("shut", !isOpen && !isFinished(game));
  setText(points, "");
}

/** How the upper section stands against an even share of what the bonus needs: often three of each face. */
function showBonus(game: Game, filled: Map<number, number>): void {
  const { bonus_threshold: needed, bonus, categories } = game.rules;
  const sum = (of: (points: number | undefined, most: number) => number): number =>
    categories.reduce((all, { upper, most }, id) => all + (upper ? of(filled.get(id), most) : 0), 0);
  const total = sum((points = 0) => points);
  const pace = Math.round(
    (needed * sum((points, most) => (points === undefined ? 0 : most))) / sum((_, most) => most),
  );
  const most = sum((points, at) => points ?? at);
  const ahead = total - pace;
  let says = t.card.needed(whole(needed));
  if (total >= needed) says = t.card.reached;
  else if (most < needed) says = t.card.lost;
  else if (pace > 0) {
    const off = whole(Math.abs(ahead));
    says = ahead === 0 ? t.card.onPace : ahead > 0 ? t.card.ahead(off) : t.card.behind(off);
  }
  setText(find("#upper-total"), `${total}`);
  setText(find("#pace"), says);
  setText(find("#bonus"), total >= needed ? `${bonus}` : filled.size && most < needed ? "0" : "");
  find<HTMLProgressElement>("#progress").value = Math.min(total, needed);
  find("#bonus-box").classList.toggle("reached", total >= needed);
  find("#bonus-box").classList.toggle("lost", total < needed && most < needed);
}

// A quiet moment for five alike and for the bonus: gold runs over the box, once. Still for those who want no motion.

const MILLISECONDS = 1100;

export function celebrate(before: Game, after: Game, box: number): void {
  if (reducedMotion() || !choices.joy) return;
  const { bonus_threshold: needed, bonus, categories } = after.rules;
  const [then, now] = [cardOf(before), cardOf(after)];
  const { category = "", most = Infinity } = categories[box] ?? {};
  if (box === alikeBox(after.rules) && now.points - then.points >= most) glow(`.box[data-category="${category}"]`);
  if (bonus && then.upper < needed && now.upper >= needed) glow("#bonus-row");
}

function glow(selector: string): void {
  const gold = "color-mix(in srgb, var(--gold) 55%, transparent)";
  find(selector).animate(
    [
      { boxShadow: `inset 0 0 0 0 ${gold}`, background: "transparent" },
      { boxShadow: `inset 0 0 0 3px ${gold}`, background: "color-mix(in srgb, var(--gold) 30%, transparent)" },
      { boxShadow: `inset 0 0 0 0 ${gold}`, background: "transparent" },
    ],
    { duration: MILLISECONDS, easing: "ease-out" },
  );
}

// The scorepad for real dice: a box is tapped, then what it scores.

/** Asks how many points go into a box; only what it can score is there to choose. */
export function askPoints(
  rules: Rules,
  box: number,
  from: readonly Scored[],
  write: (points: Scored) => void,
): void {
  if (!from.length) return;
  const dialog = find<HTMLDialogElement>("#write");
  setText(find("#write-title"), t.table.writeTitle(labelOf(rules, box)));
  find("#amounts").replaceChildren(
    ...from.map((one) => {
      const text = one.extra ? `${one.points} + ${one.extra}` : one.points ? `${one.points}` : t.table.cross;
      const choose = (): void => {
        dialog.close();
        write(one);
      };
      return plainButton(text, choose, { "data-points": `${one.points}` });
    }),
  );
  dialog.showModal();
}
