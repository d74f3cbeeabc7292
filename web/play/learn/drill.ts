/**
 * Questions: a situation is laid on the table, an answer is a keep or a box, and it is judged by what it costs. What is
 * worth as much as the best is right.
 */
import type { Advice, AdvisedAction, Move } from "../../engine/types";
import * as play from "../game/game";
import { tableForOne } from "../game/table";
import { percent, points, t, whole } from "../language";
import type { Position } from "./questions";
import { session } from "../session";
import { keepAnswered } from "../storage/answers";
import limits from "../../../src/yatzy/coach/deck.json";
import { choiceList } from "../view/advice";
import { el, find, plainButton, setText, showLesson } from "../view/dom";
import { whyView } from "../view/why";
import { actionText, adviceFor } from "../view/words";

/** Choices that cost less are as good as right: nobody can tell them apart. */
export const RIGHT_BELOW = limits.good_below;
/** The same for chances. */
const RIGHT_BELOW_CHANCE = 0.0005;

export interface Question {
  game: play.Game;
  /** None where answers are taken and not judged. */
  advice: Advice | null;
  target?: number;
  /** What was done here in a game. */
  played?: Move;
}

/** A question that has a best answer. */
type JudgedQuestion = Question & { advice: Advice };

/** One question after the other: where they come from, and what becomes of an answer. */
export interface Round {
  title: string;
  next: () => Promise<Question | null>;
  /** How many there are, if that is known. */
  length: number | null;
  /** How many were answered before. */
  first?: number;
  answered: (question: Question, cost: number, given?: AdvisedAction) => void | Promise<void>;
  /** What was answered before: it is shown again, not asked. */
  given?: Move | null;
  /** Does it train against a habit? Its answers say nothing of habits then. */
  isTraining?: true;
  /** Of a single question: what stands below its answer. */
  after?: () => HTMLElement;
  /** Answers to questions without advice, and how one is taken back. */
  take?: (given: Move) => void;
  back?: () => void;
  /** What is said when there are no more. */
  done: (right: number, asked: number, cost: number) => string;
  /** The questions are left; were all of them answered? */
  left?: (isDone: boolean) => void;
}

export interface Drill {
  start: (round: Round) => Promise<void>;
  answer: (action: Move) => void;
}

export const questionOf = ({ game, advice, target }: Position): JudgedQuestion => ({
  game,
  advice,
  ...(target === undefined ? {} : { target }),
});

/** What an answer costs: points, or for a target chance. */
export function costOf(
  { advice }: JudgedQuestion,
  action: AdvisedAction | undefined,
): { cost: number; right: boolean } {
  if (!action) return { cost: 0, right: true };
  if (!advice.goal) return { cost: action.regret, right: action.regret < RIGHT_BELOW };
  const cost = advice.goal.chance - (action.chance ?? 0);
  return { cost, right: cost < RIGHT_BELOW_CHANCE };
}

const inGame = ({ game, advice, played }: JudgedQuestion): AdvisedAction | undefined =>
  played && adviceFor(game.rules, advice.actions, played);

/** What was done in the game, if that was a mistake. */
function playedText(question: JudgedQuestion): HTMLElement | null {
  const found = inGame(question);
  const { cost, right } = costOf(question, found);
  if (!found || right) return null;
  const did = actionText(question.game.rules, found.action, "did");
  return el("p", { id: "in-game" }, t.drill.inGame, ...did, `. ${t.drill.wrong(points(cost))}`);
}

/** One's answer and what was done in the game, in the list of choices. */
function marksOf(
  question: JudgedQuestion,
  given: AdvisedAction | undefined,
): Map<AdvisedAction | undefined, string> {
  const marks = new Map([[inGame(question), t.drill.game]]);
  return marks.set(given, [t.drill.yours, ...(marks.has(given) ? [t.drill.game] : [])].join(", "));
}

/** `show` draws the page, `back` returns to it. */
export function createDrill(show: () => void, back: () => void): Drill {
  let round: Round | null = null;
  let now: Question | null = null;
  let asked = 0;
  let right = 0;
  let cost = 0;

  const button = (id: string, text: string, act: () => void): HTMLButtonElement => plainButton(text, act, { id });
  const leave = (): void => {
    round?.left?.(asked === round.length && !now);
    round = now = null;
    back();
  };
  const head = (): HTMLElement => {
    if (round?.length === 1) return el("h2", {}, round.title);
    const n = round?.length == null ? t.drill.number(asked) : t.drill.numberOf(asked, round.length);
    return el("h2", {}, `${round?.title ?? ""} · ${n}`);
  };

  const ask = async (): Promise<void> => {
    const mine = round;
    if (!mine) return;
    showLesson(el("h2", {}, mine.title), el("p", { class: "quiet" }, t.drill.looking), leaving());
    const question = await mine.next();
    if (round !== mine) return;
    if (!question) return finish(mine);
    now = question;
    asked++;
    session.visit("drill", tableForOne(question.game));
    show();
    const { game, target, advice } = question;
    if (mine.given && advice)
      return judge({ ...question, advice }, adviceFor(game.rules, advice.actions, mine.given));
    const aim = !advice
      ? t.profile.how
      : target === undefined
        ? t.drill.forPoints
        : t.drill.forTarget(whole(target), whole(target - play.scoreOf(game)));
    const left = play.rerollsLeft(game);
    const back = mine.back && asked > 1 ? [button("question-before", t.learn.previous, goBack)] : [];
    showLesson(
      head(),
      el("p", {}, [aim, ...(left > 0 ? [t.drill.left(left), t.drill.how] : [t.drill.howBox])].join(" ")),
      leaving(...back),
    );
    find("#lesson").focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  };

  const leaving = (...others: HTMLElement[]): HTMLElement =>
    el("div", { class: "ends" }, ...others, button("leave-drill", t.drill.stop, leave));

  /** The question before is asked again. */
  const goBack = (): void => {
    round?.back?.();
    asked -= 2;
    void ask();
  };

  const finish = (mine: Round): void => {
    now = null;
    showLesson(
      el("h2", {}, mine.title),
      el("p", { id: "judged" }, mine.done(right, asked, cost)),
      el("div", { class: "ends" }, button("leave-drill", t.drill.close, leave)),
    );
  };

  const judge = (question: JudgedQuestion, given: AdvisedAction | undefined): void => {
    const { rules } = question.game;
    const judged = costOf(question, given);
    const [best] = question.advice.actions;
    const shown = given ?? best;
    right += judged.right ? 1 : 0;
    cost += question.advice.goal ? 0 : judged.cost;
    const { after, done, length } = round ?? {};
    const [isLast, answers, costs] = [asked === length, right, cost];
    const sum = el("p", { id: "round-done" });
    void Promise.resolve(round?.answered(question, judged.cost, given)).then(() => {
      if (isLast && done) setText(sum, done(answers, asked, costs));
    });
    if (given && !question.advice.goal && !round?.isTraining)
      keepAnswered(rules, play.situationOf(question.game), given.action);
    now = null;
    const said = question.advice.goal ? percent(judged.cost, 1) : points(judged.cost);
    const next = isLast
      ? button("leave-drill", t.drill.close, leave)
      : button("next-question", t.drill.next, () => void ask());
    const asking = play.situationOf(question.game, question.target);
    showLesson(
      head(),
      el(
        "p",
        { id: "judged", "data-right": `${judged.right}` },
        el("b", {}, judged.right ? t.drill.right : t.drill.wrong(said)),
        ...(judged.right || !best ? [] : [" ", ...actionText(rules, best.action, "best"), "."]),
      ),
      playedText(question),
      ...(shown ? [whyView(rules, asking, shown.action)] : []),
      ...(isLast ? [sum, after?.() ?? null] : []),
      el("div", { class: "ends" }, next, isLast ? null : button("leave-drill", t.drill.stop, leave)),
      el("h3", {}, t.advice.title),
      choiceList(question.game, asking, question.advice, marksOf(question, given)),
    );
    next.focus({ preventScroll: true });
  };

  return {
    start: async (given) => {
      [round, asked, right, cost] = [given, given.first ?? 0, 0, 0];
      session.visit("drill", session.table);
      await ask();
    },
    answer: (action) => {
      if (!now) return;
      const { advice } = now;
      if (!advice) {
        now = null;
        round?.take?.(action);
        return void ask();
      }
      judge({ ...now, advice }, adviceFor(now.game.rules, advice.actions, action));
    },
  };
}
