/** Advice: one line above the dice that opens to every action, ranked. */
import { fixed } from "../look/figure";
import type { Action, Advice } from "../engine/answers";
import { el, find, onPress, setText, type Child } from "./dom";
import {
  diceOnTable,
  hasJoker,
  heldDice,
  isFinished,
  lastThrow,
  openBoxes,
  rerollsLeft,
  stateOf,
  type Game,
} from "./game";
import { costs, labelOf, percent, sayAction, type Said } from "./words";
import type { Rules } from "./rules";

export type Hint =
  | { kind: "off" }
  | { kind: "ask" }
  | { kind: "wait" }
  | { kind: "failed"; why: string }
  | { kind: "told"; advice: Advice };

export interface AdviceView {
  show: (game: Game, hint: Hint) => void;
  /** Open or close the ranked list; without an argument, toggle it. */
  open: (open?: boolean) => void;
  isOpen: () => boolean;
}

/** This many actions are enough to choose from. */
const RANKED = 12;
const OUTCOMES = 3;

export function createAdvice(press: () => void): AdviceView {
  const line = find<HTMLButtonElement>("#advice");
  const said = find("#said");
  const lead = find("#lead");
  const yours = find("#yours");
  const ranking = find("#ranking");
  const list = find("#ranked");
  let listed: Advice | null = null;

  const open = (wanted = !ranking.classList.contains("open")): void => {
    ranking.classList.toggle("open", wanted);
    line.setAttribute("aria-expanded", `${wanted}`);
  };
  onPress(line, press);
  onPress(find("#close-ranking"), () => {
    open(false);
    line.focus();
  });

  return {
    show: (game, hint) => {
      const told = hint.kind === "told" ? hint.advice : null;
      line.dataset["kind"] = hint.kind;
      line.setAttribute(
        "aria-disabled",
        `${hint.kind === "off" || (!diceOnTable(game) && hint.kind !== "failed")}`,
      );
      said.replaceChildren(...sayLine(game, hint));
      setText(lead, told?.lead ?? (hint.kind === "failed" ? "try again" : ""));
      lead.dataset["word"] = told?.lead ?? "";
      setText(yours, (told ? sayYours(game, told) : "") || sayJoker(game));
      if (told !== listed) {
        listed = told;
        list.replaceChildren(...(told ? told.actions.slice(0, RANKED).map((one) => row(game, one)) : []));
        ranking.classList.toggle("empty", !told);
        ranking.scrollTop = 0;
        setText(find("#worth"), told ? sayWorth(told) : "");
      }
      if (!told) open(false);
    },
    open,
    isOpen: () => ranking.classList.contains("open"),
  };
}

const sayWorth = ({ theta }: Advice): string =>
  theta
    ? "On the right: the sure score that the choice is worth at your risk."
    : "On the right: the final score it leads to on average.";

function sayLine(game: Game, hint: Hint): Said {
  if (hint.kind === "failed") return [`${hint.why} Your game goes on.`];
  if (isFinished(game)) return ["The card is full."];
  const turn = `Turn ${game.turns.length + 1} of ${game.rules.categories.length}`;
  if (!diceOnTable(game)) return [game.throws.length ? `${turn}: enter your dice` : turn];
  if (hint.kind === "told") return sayAction(game.rules, hint.advice.actions[0]?.action ?? "");
  if (hint.kind === "wait") return ["The coach is thinking …"];
  return [hint.kind === "ask" ? "Show a hint" : turn];
}

/** What the dice that are held now would cost; silent while nothing is held. */
function sayYours(game: Game, advice: Advice): string {
  const last = lastThrow(game);
  if (!last || rerollsLeft(game) <= 0) return "";
  const keep = heldDice(last).sort().join(" ");
  if (!keep || last.held.every(Boolean)) return "";
  const found = advice.actions.find((one) => one.keep && [...one.keep].sort().join(" ") === keep);
  if (!found) return "";
  const word = costs(game.rules, found.regret);
  if (word === "best") return found === advice.actions[0] ? "What you hold is best." : "What you hold is as good.";
  return `What you hold ${word === "next to nothing" ? `costs ${word}` : word.replace(/^costs (.*)$/, "costs $1 points")}.`;
}

/** That the dice count as a joker, and what they bring beside the box. */
function sayJoker(game: Game): string {
  if (!hasJoker(game)) return "";
  const extra = Math.max(0, ...[...openBoxes(game).values()].map((one) => one.extra));
  return extra ? `Joker: ${extra} points extra.` : "Joker.";
}

/** One action; those with details open. Its value is shown as the final score to expect. */
function row(game: Game, action: Action): HTMLElement {
  const { rules } = game;
  const loss = costs(rules, action.regret);
  const cells = [
    el("span", { class: "action" }, ...sayAction(rules, action.action), wouldScore(action)),
    el("span", { class: loss === "best" ? "loss none" : "loss" }, loss),
    el("span", { class: "value" }, fixed(stateOf(game).points + action.value)),
  ];
  if (action.outcomes === undefined) return el("li", {}, el("div", { class: "ranked-row" }, ...cells));
  return el(
    "li",
    {},
    el("details", {}, el("summary", { class: "ranked-row" }, ...cells), el("p", {}, detail(rules, action))),
  );
}

const wouldScore = (action: Action): Child => (action.category ? ` for ${action.points ?? 0}` : null);

function detail(rules: Rules, action: Action): string {
  const parts = [];
  const ends = (action.outcomes ?? [])
    .slice(0, OUTCOMES)
    .map(({ category, points, prob }) => `${labelOf(rules, category)} ${points} (${percent(prob)})`);
  if (action.keep) {
    parts.push(`It ends better than the dice are now in ${percent(action.improve_chance ?? 0)} of throws`);
    parts.push(`Most likely: ${ends.join(", ")}`);
  }
  if (action.bonus_chance !== undefined) parts.push(`Chance of the bonus: ${percent(action.bonus_chance)}`);
  return `${parts.join(". ")}.`;
}
