/**
 * Your profile: thirty questions, the habits that fit the answers best, and what those habits are worth.
 *
 * The questions and what every choice looks worth to every kind of player are data (`yatzy.coach.quiz`). Answers are
 * kept in this browser, so that one can stop and go on; the exact means are worked out here, and kept too.
 */
import { worthOf } from "../coach";
import type { Drill, Question, Round } from "./drill";
import { actionId } from "../../engine/advise";
import { fitHabits, type Cost, type FittedHabits, type Habit, type Quiz, type Worth } from "../../engine/habits";
import { isFilled } from "../../engine/tables";
import type { Move, Situation } from "../../engine/types";
import * as play from "../game/game";
import { SCANDINAVIAN, type Rules } from "../game/rules";
import { fixed, percent, signed, t } from "../language";
import { forget, recall, remember } from "../../look/settings";
import { el, find, plainButton, setText } from "../view/dom";

const VERSION = 1;
/** Less than this many standard deviations from none is nothing to speak of. */
const NOTABLE = 2;

/** A question as values (`yatzy.site.tables`), by the number of the quiz's; choices are ids of actions. */
type QuizSituation = Pick<Situation, "set" | "upper" | "dice" | "rerolls"> & { choices: number[] };
type Questions = Quiz & { asked: QuizSituation[] };

/** Choices by the number of their question; what they are worth, once that is known. */
interface StoredProfile {
  answers: Record<number, number>;
  worth?: Worth;
}

let quiz: Promise<Questions> | null = null;

/** The questions; they are loaded when they are first needed. */
function loadQuiz(): Promise<Questions> {
  quiz ??= Promise.all([import("../../../src/yatzy/coach/quiz.json"), import("../data/questions.json")]).then(
    ([found, { default: asked }]) => ({ ...found.default, asked }),
  );
  quiz.catch(() => (quiz = null));
  return quiz;
}

/** What was kept, if it answers these questions. */
function recallProfile({ questions }: Quiz): StoredProfile {
  const text = recall("profile");
  if (text === null) return { answers: {} };
  try {
    const { version, answers, worth } = JSON.parse(text) as Partial<StoredProfile> & { version?: number };
    const areNumbers = (all: readonly unknown[]): boolean => all.every((one) => Number.isFinite(one));
    const isChoice = ([n, choice]: [string, unknown]): boolean =>
      Number.isInteger(choice) && questions[Number(n)]?.choices[choice as number] !== undefined;
    if (version !== VERSION || !answers || !Object.entries(answers).every(isChoice)) throw new Error();
    const fits =
      worth === undefined ||
      (areNumbers([worth.mean, worth.best]) &&
        worth.costs.every(({ habit, mean, gain }) => habit in t.profile.cures && areNumbers([mean, gain])));
    if (!fits) throw new Error();
    return { answers, ...(worth ? { worth } : {}) };
  } catch {
    remember("profile-set-aside", text);
    forget("profile");
    return { answers: {} };
  }
}

const keepProfile = (kept: StoredProfile): void =>
  remember("profile", JSON.stringify({ version: VERSION, ...kept }));

/** Upper boxes with these faces filled so that they add up to a total, as evenly as can be; a capped total or more. */
export function upperScores(faces: readonly number[], total: number, isCapped: boolean): number[] | null {
  const tried = (i: number, left: number): number[] | null => {
    if (i === faces.length) return left === 0 || (isCapped && left < 0) ? [] : null;
    const face = faces[i] ?? 0;
    // Three of each is what people have; the others by how far they are from it.
    for (const n of [3, 2, 4, 1, 5, 0]) {
      const rest = tried(i + 1, left - n * face);
      if (rest) return [n * face, ...rest];
    }
    return null;
  };
  return tried(0, total);
}

/** A game that has come to this situation. */
export function gameFrom(rules: Rules, { set, upper, dice, rerolls }: QuizSituation): play.Game {
  const boxes = [...rules.categories.keys()].filter((box) => isFilled(set, box));
  const faces = boxes.flatMap((box) => (rules.categories[box]?.upper ? [box + 1] : []));
  const scores = upperScores(faces, upper, upper >= rules.bonus_threshold) ?? [];
  let game: play.Game = { ...play.newGame(rules, null), about: {} };
  for (const box of boxes) {
    const amounts = play.possibleScores(game, box);
    const middle = amounts[Math.floor(amounts.length / 2)];
    const wanted = rules.categories[box]?.upper ? scores.shift() : middle?.points;
    const scored = amounts.find(({ points }) => points === wanted) ?? middle;
    if (scored) game = play.scorePoints(game, box, scored);
  }
  const thrown = { dice, held: dice.map(() => false) };
  return { ...game, throws: Array.from({ length: rules.rerolls + 1 - rerolls }, () => thrown) };
}

/** The number of a choice by what was done; who scores with rerolls left has kept all dice. */
export function choiceOf(rules: Rules, { choices, dice }: QuizSituation, given: Move): number {
  const found = choices.indexOf(actionId(rules, given));
  return found < 0 && !given.keep ? choices.indexOf(actionId(rules, { keep: dice })) : found;
}

/** The questions that are still to answer, one after the other. */
function quizRound(asked: Questions, done: () => void): Round {
  const { answers } = recallProfile(asked);
  const ahead = [...asked.questions.keys()].filter((n) => !(n in answers));
  let now = -1;
  return {
    title: t.profile.title,
    length: asked.questions.length,
    first: Object.keys(answers).length,
    next: async (): Promise<Question | null> => {
      now = ahead.shift() ?? -1;
      const question = asked.asked[now];
      return question ? { game: gameFrom(SCANDINAVIAN, question), advice: null } : null;
    },
    answered: () => undefined,
    take: (given) => {
      const question = asked.asked[now];
      const choice = question ? choiceOf(SCANDINAVIAN, question, given) : -1;
      if (choice >= 0) keepProfile({ answers: { ...recallProfile(asked).answers, [now]: choice } });
    },
    back: () => {
      const kept = recallProfile(asked).answers;
      const before = Math.max(...Object.keys(kept).map(Number));
      delete kept[before];
      keepProfile({ answers: kept });
      ahead.unshift(before, now);
    },
    done: () => {
      done();
      return t.profile.answered;
    },
  };
}

/** Each habit in words. */
export function sentences(
  { theta, beta, gamma, depth, spread, atEnd }: FittedHabits,
  full: number,
): [Habit, string][] {
  const risk = Math.abs(theta) > NOTABLE * spread.theta ? (theta > 0 ? "seeks" : "avoids") : "average";
  const sees =
    depth === 0 ? t.profile.sees.turn : depth === full ? t.profile.sees.all : t.profile.sees.some(depth);
  const said: [Habit, string][] = [
    ["depth", sees],
    ["beta", t.profile.sure(percent(1 / (1 + Math.exp(-beta))))],
    // Who sees this turn only has nothing later to count.
    ...(depth ? [["gamma", t.profile.later(fixed(gamma, 2))] as [Habit, string]] : []),
    ["theta", t.profile.risk[risk]],
  ];
  return said.map(([habit, text]) => [habit, atEnd.includes(habit) ? `${text} ${t.profile.atEnd}` : text]);
}

/** The part of the numbers that is about the profile; `open` and `close` are of the dialog that it is in. */
export function createProfile(drill: Drill, open: () => void, close: () => void): { show: () => void } {
  const place = find("#profile");
  let share = 0;
  let working = false;

  const start = (asked: Questions): void => {
    close();
    void drill.start(quizRound(asked, open));
  };
  const button = (id: string, text: string, act: () => void): HTMLElement =>
    el("div", { class: "ends" }, plainButton(text, act, { id }));

  /** Twice, because nothing brings the answers back. */
  const beginAgain = (asked: Questions): HTMLElement => {
    let sure = false;
    const made = button("profile-again", t.profile.again, () => {
      if (sure) {
        keepProfile({ answers: {} });
        return start(asked);
      }
      sure = true;
      setText(made.firstElementChild as Element, t.numbers.sure);
    });
    return made;
  };

  const draw = async (): Promise<void> => {
    const asked = await loadQuiz().catch(() => null);
    const head = el("h3", {}, t.profile.title);
    if (!asked) return place.replaceChildren(head, el("p", { class: "quiet" }, t.profile.missing));
    const { answers, worth } = recallProfile(asked);
    const [n, all] = [Object.keys(answers).length, asked.questions.length];
    if (n < all)
      return place.replaceChildren(
        head,
        el("p", { class: "quiet" }, t.profile.about),
        button("profile-start", n ? t.profile.goOn(n, all) : t.profile.start, () => start(asked)),
      );
    const habits = fitHabits(asked, new Map(Object.entries(answers).map(([i, one]) => [Number(i), one])));
    const said = sentences(habits, SCANDINAVIAN.categories.length - 1);
    place.replaceChildren(
      head,
      el("ul", { id: "habits" }, ...said.map(([habit, text]) => el("li", { "data-habit": habit }, text))),
      ...(worth ? worthRows(worth) : [el("p", { id: "working", class: "quiet", role: "status" }, worked())]),
      beginAgain(asked),
    );
    if (!worth) measure(asked, habits, JSON.stringify(answers));
  };

  const worked = (): string => t.profile.working(percent(share));
  const measure = (asked: Questions, habits: FittedHabits, answers: string): void => {
    if (working) return;
    working = true;
    const tell = (now: number): void => {
      share = now;
      const line = document.querySelector("#working");
      if (line) setText(line, worked());
    };
    worthOf(SCANDINAVIAN, habits, tell)
      .then((worth) => {
        // Somebody may have begun again meanwhile.
        const kept = recallProfile(asked);
        if (JSON.stringify(kept.answers) === answers) keepProfile({ ...kept, worth });
      })
      .catch(() => undefined)
      .finally(() => {
        [working, share] = [false, 0];
        if (recallProfile(asked).worth) void draw();
      });
  };
  return { show: () => void draw() };
}

function worthRows({ mean, best, costs }: Worth): HTMLElement[] {
  const most = Math.max(...costs.map(({ gain }) => gain), 1e-9);
  const row = ({ habit, gain }: Cost): HTMLElement => {
    const bar = el("span", { class: "bar-of", "aria-hidden": "true" });
    bar.style.width = `${(100 * Math.max(0, gain)) / most}%`;
    return el(
      "li",
      { "data-habit": habit },
      el("span", { class: "name" }, t.profile.cures[habit]),
      el("span", { class: "track" }, bar),
      el("b", {}, signed(gain)),
    );
  };
  return [
    el("p", { id: "profile-mean" }, t.profile.mean(fixed(mean), fixed(best))),
    el("div", { class: "bars" }, el("h4", {}, t.profile.costs), el("ul", { id: "costs" }, ...costs.map(row))),
    el("p", { class: "quiet" }, t.profile.note),
  ];
}
