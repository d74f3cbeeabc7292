/** Advice: one line above the dice that holds what it says, and every action, ranked. */
import type { Hint } from "../coach";
import { el, find, onPress, plainButton, setText, type Child } from "./dom";
import { lossLevel } from "../../engine/advise";
import type { Action, Advice, AdvisedAction, Situation } from "../../engine/types";
import {
  cardOf,
  diceOnTable,
  hasJoker,
  heldDice,
  isFinished,
  lastThrow,
  nFilled,
  openBoxes,
  rerollsLeft,
  type Game,
} from "../game/game";
import { fixed, percent, points, t, whole } from "../language";
import { session, usesRealDice } from "../session";
import { whyView } from "./why";
import { actionText, adviceFor, costText, type RichText } from "./words";

export interface AdviceView {
  /** `entering` is what to do with real dice, if they are entered. */
  show: (game: Game, hint: Hint, entering: string) => void;
  /** Open or close the ranked list; without an argument, toggle it. */
  open: (open?: boolean) => void;
  isOpen: () => boolean;
}

/** This many actions are enough to choose from. */
const RANKED = 12;

/** `press`: the line was pressed; `hold`: these dice were chosen from the list. */
export function createAdvice(press: () => void, hold: (keep: readonly number[]) => void): AdviceView {
  const line = find<HTMLButtonElement>("#advice");
  const more = find<HTMLButtonElement>("#more");
  const said = find("#said");
  const lead = find("#lead");
  const yours = find("#yours");
  const whyOpen = find("#why-open");
  const hintWhy = find("#hint-why");
  const ranking = find("#ranking");
  const list = find("#ranked");
  let listed: Advice | null = null;
  let makeWhy = (): HTMLElement[] => [];

  const explain = (wanted: boolean): void => {
    whyOpen.setAttribute("aria-expanded", `${wanted}`);
    hintWhy.hidden = !wanted;
    hintWhy.replaceChildren(...(wanted ? makeWhy() : []));
  };
  const open = (wanted = !ranking.classList.contains("open")): void => {
    ranking.classList.toggle("open", wanted);
    more.setAttribute("aria-expanded", `${wanted}`);
    if (wanted) explain(false);
  };
  onPress(line, press);
  onPress(more, () => open());
  onPress(whyOpen, () => {
    open(false);
    explain(hintWhy.hidden !== false);
  });
  onPress(find("#close-ranking"), () => {
    open(false);
    more.focus();
  });

  return {
    show: (game, hint, entering) => {
      const told = hint.kind === "told" ? hint.advice : null;
      line.dataset["kind"] = hint.kind;
      line.setAttribute(
        "aria-disabled",
        `${hint.kind === "off" || (!diceOnTable(game) && hint.kind !== "failed")}`,
      );
      more.hidden = whyOpen.hidden = !told;
      said.replaceChildren(...hintText(game, hint));
      setText(lead, told ? leadText(told) : hint.kind === "failed" ? t.advice.tryAgain : "");
      lead.dataset["lead"] = told ? `${told.lead}` : "";
      setText(yours, lineText(game, told, entering));
      if (told !== listed) {
        listed = told;
        const why = (one: AdvisedAction): HTMLElement[] =>
          hint.kind === "told" ? [whyView(game.rules, hint.asked, one.action)] : [];
        makeWhy = () => (told?.actions ?? []).slice(0, 1).flatMap(why);
        explain(false);
        list.replaceChildren(
          ...(told ? told.actions.slice(0, RANKED).map((one) => row(game, told, one, () => why(one), hold)) : []),
        );
        ranking.classList.toggle("empty", !told);
        ranking.scrollTop = 0;
        setText(find("#worth"), told ? worthText(told) : "");
      }
      if (!told) open(false);
    },
    open,
    isOpen: () => ranking.classList.contains("open"),
  };
}

const leadText = ({ lead }: Advice): string => (lead === null ? t.advice.only : (t.advice.lead[lead] ?? ""));

function worthText({ theta, goal }: Advice): string {
  if (goal?.wins) return goal.exact ? t.table.worthWin : t.table.worthWinAbout;
  if (goal)
    return goal.exact ? t.advice.worthTarget(whole(goal.target)) : t.advice.worthTargetAbout(whole(goal.target));
  return theta ? t.advice.worthRisk : t.advice.worth;
}

function hintText(game: Game, hint: Hint): RichText {
  if (hint.kind === "failed") return [`${hint.why} ${t.advice.goesOn}`];
  if (isFinished(game)) return [t.advice.full];
  const whose = session.isShared && session.mode === "play" ? `${session.seat.name}: ` : "";
  const turn = whose + t.advice.turn(nFilled(game) + 1, game.rules.categories.length);
  const dice = diceOnTable(game);
  if (!dice) return [game.throws.length ? t.advice.enter(turn) : turn];
  if (hint.kind === "told")
    return hint.advice.actions.slice(0, 1).flatMap(({ action }) => actionText(game.rules, action));
  if (hint.kind === "wait") return [t.advice.thinking];
  return [hint.kind === "ask" ? t.advice.show : turn];
}

/** What an action costs against the best: points, or chance where that is what counts. */
function lossOf(advice: Advice, action: AdvisedAction): string {
  if (!advice.goal) return costText(action.regret);
  const lost = advice.goal.chance - (action.chance ?? 0);
  if (lost < 1e-6) return t.advice.best;
  return lost < 0.0005 ? t.advice.nearly : t.advice.costsChance(percent(lost, 1));
}

/** What is held and what happens next, in agreement with the hint; `entering` is what to do as the dice are held now. */
function lineText(game: Game, told: Advice | null, entering: string): string {
  const verdict = told ? heldText(game, told) : "";
  if (verdict) return usesRealDice() ? `${verdict} ${entering}`.trim() : verdict;
  const best = told?.actions[0]?.action;
  if (jokerText(game) || !best) return jokerText(game) || entering;
  if (!best.keep) return t.advice.takeBox;
  return best.keep.length ? t.advice.takeKeep(game.rules.dice - best.keep.length) : entering;
}

/** What the dice that are held now would cost; silent while nothing is held. */
function heldText(game: Game, advice: Advice): string {
  const last = lastThrow(game);
  if (!last || rerollsLeft(game) <= 0) return "";
  const keep = heldDice(last);
  if (!keep.length || last.held.every(Boolean)) return "";
  const found = adviceFor(game.rules, advice.actions, { keep });
  if (!found) return "";
  const loss = lossOf(advice, found);
  if (loss === t.advice.best) return found === advice.actions[0] ? t.advice.yoursBest : t.advice.yoursEqual;
  if (loss === t.advice.nearly) return t.advice.yoursNearly;
  if (advice.goal) return t.advice.yoursCosts(percent(advice.goal.chance - (found.chance ?? 0), 1));
  const isClose = lossLevel(found.regret) <= 1;
  return (isClose ? t.advice.yoursClose : t.advice.yoursCosts)(points(found.regret));
}

/** That the dice count as a joker, and what they bring beside the box. */
function jokerText(game: Game): string {
  if (!hasJoker(game)) return "";
  const extra = Math.max(0, ...[...openBoxes(game).values()].map((one) => one.extra));
  return extra ? t.advice.jokerExtra(extra) : t.advice.joker;
}

/** Every choice, best first, after an answer: those that have a mark are there however far behind they are. */
export function choiceList(
  game: Game,
  asked: Situation,
  advice: Advice,
  marks: ReadonlyMap<AdvisedAction | undefined, string>,
): HTMLElement {
  const shown = advice.actions.filter((one, i) => i < RANKED || marks.has(one));
  const rows = shown.map((one) =>
    row(game, advice, one, () => [whyView(game.rules, asked, one.action)], null, marks.get(one)),
  );
  return el("ol", { class: "ranked" }, ...rows);
}

/** One action, which opens to say why. Its value is shown as the final score to expect, or as the chance it leaves. */
function row(
  game: Game,
  advice: Advice,
  one: AdvisedAction,
  why: () => HTMLElement[],
  hold: ((keep: readonly number[]) => void) | null,
  mark?: string,
): HTMLElement {
  const { rules } = game;
  const { action } = one;
  const loss = lossOf(advice, one);
  const value = advice.goal ? percent(one.chance ?? 0, 1) : fixed(cardOf(game).points + one.value);
  const summary = el(
    "summary",
    { class: "ranked-row" },
    el(
      "span",
      { class: "action" },
      ...actionText(rules, action),
      wouldScore(action),
      mark ? el("span", { class: "chip" }, mark) : null,
    ),
    el("span", { class: loss === t.advice.best ? "loss none" : "loss" }, loss),
    el("span", { class: "value" }, value),
  );
  const details = el("details", {}, summary);
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    const button =
      hold && action.keep?.length ? [plainButton(t.advice.holdIt, () => hold(action.keep ?? []))] : [];
    details.append(...why(), ...button);
  });
  return el("li", {}, details);
}

const wouldScore = (action: Action): Child => (!action.keep && action.points ? t.act.for(action.points) : null);
