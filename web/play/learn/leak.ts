/**
 * Your leak: the habit that costs most in all games of this device, if it is no chance, and questions to train against it.
 *
 * The engine finds it (`engine/leak`). A round of training asks about new situations every time: in half of them the habit
 * costs, in the other half it is right. What is lost where it costs is compared with the games before.
 */
import { leaksIn, trainingFor } from "../coach";
import { situationOf } from "../game/game";
import type { Rules } from "../game/rules";
import type { Answer, Training } from "../../engine/leak";
import type { Leak, LeakName, Leaks } from "../../engine/types";
import { fixed, percent, t, whole } from "../language";
import { recall, remember } from "../../look/settings";
import limits from "../../../src/yatzy/coach/deck.json";
import type { Question, Round } from "./drill";
import { adviseFully, gameOf } from "./practice";
import { recallAnswers } from "../storage/answers";
import { readLogs, type Summary } from "../storage/history";
import { el, plainButton, setText } from "../view/dom";

/** Habits are those of the last games. */
const MAX_GAMES = 60;
const PER_ROUND = 10;
/** Games of so many seeds are played perfectly to draw from. */
const SEEDS_AT_ONCE = 8;
const MAX_SEEDS = 200;
const MAX_KNOWN = 1000;
const MAX_SHOWN = 4;

/** What was trained against one habit: since when, from which seed on, what was asked, and what rounds came to. */
interface Trained {
  since: string;
  seed: number;
  asked: string[];
  rounds: { n: number; lost: number }[];
}

type AllTrained = Partial<Record<LeakName, Trained>>;

function recallTrained(): AllTrained {
  try {
    const { version, ...all } = JSON.parse(recall("training") ?? "{}") as AllTrained & { version?: number };
    const isOne = ({ since, seed, asked, rounds }: Trained): boolean =>
      typeof since === "string" && Number.isSafeInteger(seed) && Array.isArray(asked) && Array.isArray(rounds);
    return version === 1 && Object.values(all).every((one) => isOne(one)) ? all : {};
  } catch {
    return {};
  }
}

function keepTrained(habit: LeakName, trained: Trained): void {
  remember("training", JSON.stringify({ version: 1, ...recallTrained(), [habit]: trained }));
}

const trainedFor = (habit: LeakName): Trained =>
  recallTrained()[habit] ?? { since: new Date().toISOString(), seed: firstSeed(), asked: [], rounds: [] };

/** Two players of one family do not get the same questions. */
const firstSeed = (): number => SEEDS_AT_ONCE * Math.floor(Math.random() * 2 ** 40);

/** What a situation is known by. */
const keyOf = ({ game }: Question): string => {
  const { set, upper, dice, rerolls } = situationOf(game);
  return [set, upper, [...dice].sort((a, b) => a - b).join(""), rerolls].join(" ");
};

/** Some of them, each as likely as any other. */
export function drawn<T>(all: readonly T[], n: number, random: () => number = Math.random): T[] {
  const left = [...all];
  return Array.from(
    { length: Math.min(n, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0] as T,
  );
}

type TrainingQuestion = Question & { costs: boolean };

async function questionFrom(one: Training): Promise<TrainingQuestion | null> {
  const game = await gameOf(one);
  return game && { game, advice: null, costs: one.costs };
}

/** Situations that were not asked before, in half of which the habit costs. */
async function questionsFor(rules: Rules, habit: LeakName): Promise<TrainingQuestion[]> {
  const trained = trainedFor(habit);
  const known = new Set(trained.asked);
  const found: Record<"costs" | "right", TrainingQuestion[]> = { costs: [], right: [] };
  let seed = trained.seed;
  for (let n = 0; n < MAX_SEEDS; n++) {
    for (const one of await trainingFor(rules, habit, seed++, limits.hard_below)) {
      const question = await questionFrom(one);
      if (!question || known.has(keyOf(question))) continue;
      known.add(keyOf(question));
      found[one.costs ? "costs" : "right"].push(question);
    }
    const enough = Object.values(found).every((all) => all.length >= PER_ROUND / 2);
    if ((n + 1) % SEEDS_AT_ONCE === 0 && enough) break;
  }
  keepTrained(habit, { ...trained, seed });
  return drawn([...drawn(found.costs, PER_ROUND / 2), ...drawn(found.right, PER_ROUND / 2)], PER_ROUND);
}

/** A round against a habit, of which it is known what it cost in games. */
export function trainingRound(rules: Rules, { habit, lost_each }: Leak): Round {
  let ahead: Promise<TrainingQuestion[]> | null = null;
  let now: TrainingQuestion | null = null;
  let [all, n, lost] = [0, 0, 0];
  return {
    title: t.leak.training,
    length: PER_ROUND,
    isTraining: true,
    next: async () => {
      ahead ??= questionsFor(rules, habit);
      now = (await ahead).shift() ?? null;
      return now && { ...now, advice: await adviseFully(rules, situationOf(now.game)) };
    },
    answered: (question, cost) => {
      if (now?.costs) {
        n++;
        lost += cost;
      }
      const trained = trainedFor(habit);
      const rounds = ++all === PER_ROUND && n ? [...trained.rounds, { n, lost }] : trained.rounds;
      keepTrained(habit, { ...trained, rounds, asked: [...trained.asked, keyOf(question)].slice(-MAX_KNOWN) });
    },
    done: () => (n ? t.leak.after(fixed(lost_each, 2), fixed(lost / n, 2)) : t.leak.stopped),
  };
}

/** What was found, by the games and answers that it was found in. */
const known = new Map<string, Promise<Leaks>>();

function leaksOf(
  rules: Rules,
  games: readonly Summary[],
  answers: readonly Answer[],
  progress?: (share: number) => void,
): Promise<Leaks> {
  const key = JSON.stringify([rules.rules, games.map(({ id }) => id), answers.length]);
  let found = known.get(key);
  if (!found) {
    found = readLogs(games.map(({ id }) => id)).then((logs) => leaksIn(rules, logs, [...answers], progress));
    found.catch(() => known.delete(key));
    known.set(key, found);
  }
  return found;
}

/** The part of the numbers that says what would lift them most; `train` starts a round. */
export function showLeak(
  into: HTMLElement,
  rules: Rules,
  mine: readonly Summary[],
  train: (round: Round) => void,
): void {
  const games = [...mine].sort((a, b) => (a.date < b.date ? -1 : 1)).slice(-MAX_GAMES);
  if (rules.saves_throws || !games.length) return;
  const status = el("p", { class: "quiet", role: "status" }, t.leak.working(percent(0)));
  const head = el("h3", {}, t.leak.title);
  into.replaceChildren(head, status);
  const answers = recallAnswers(rules);
  leaksOf(rules, games, answers, (share) => setText(status, t.leak.working(percent(share))))
    .then((found) => {
      into.replaceChildren(head, ...told(rules, found, train));
      const since = found.found && recallTrained()[found.found.habit]?.since;
      if (found.found && since) void showSince(into, rules, games, found.found, since);
    })
    .catch(() => into.replaceChildren());
}

function told(
  rules: Rules,
  { found, missing, games, habits }: Leaks,
  train: (round: Round) => void,
): HTMLElement[] {
  if (missing) return [el("p", { id: "leak" }, t.leak.missing(whole(missing), missing))];
  const all = looked(habits);
  if (!found) return [el("p", { id: "leak" }, t.leak.none(whole(games))), all];
  const { habit, lost, usual, mistakes, expected } = found;
  const button = plainButton(t.leak.train, () => train(trainingRound(rules, found)), { id: "train" });
  return [
    el("p", { id: "leak", class: "big", "data-habit": habit }, t.leak.habits[habit]),
    el("p", { class: "quiet" }, t.leak.costs(fixed(lost), fixed(usual))),
    el("p", { class: "quiet" }, t.leak.mistakes(whole(mistakes), whole(games), whole(Math.round(expected)))),
    ...trainedText(habit),
    el("div", { class: "ends" }, button),
    all,
  ];
}

/** The first and the last round of training. */
function trainedText(habit: LeakName): HTMLElement[] {
  const rounds = recallTrained()[habit]?.rounds ?? [];
  const [first, last] = [rounds[0], rounds.at(-1)];
  if (!first || !last || first === last) return [];
  const each = ({ n, lost }: { n: number; lost: number }): string => fixed(lost / n, 2);
  return [el("p", { class: "quiet", id: "trained" }, t.leak.rounds(each(first), each(last)))];
}

/** What the habit cost in the games before training, and since. */
async function showSince(
  into: HTMLElement,
  rules: Rules,
  games: readonly Summary[],
  { habit }: Leak,
  since: string,
): Promise<void> {
  const halves = [games.filter(({ date }) => date < since), games.filter(({ date }) => date >= since)];
  if (halves.some((half) => !half.length)) return;
  const each: string[] = [];
  for (const half of halves) {
    const one = (await leaksOf(rules, half, [])).habits.find((found) => found.habit === habit);
    if (!one?.tempted) return;
    each.push(fixed(one.lost_each, 2));
  }
  const [before = "", after = ""] = each;
  into
    .querySelector("#train")
    ?.parentElement?.before(el("p", { class: "quiet", id: "since" }, t.leak.since(before, after)));
}

/** The dearest of all habits that were looked for, each with its interval. */
function looked(habits: readonly Leak[]): HTMLElement {
  const rows = habits.slice(0, MAX_SHOWN).map(({ habit, costs, within }) => {
    const said = within === null ? fixed(costs) : `${fixed(costs)}\u00a0±\u00a0${fixed(within)}`;
    return el("li", {}, t.leak.habits[habit], " ", el("b", {}, said));
  });
  return el(
    "details",
    { id: "looked-for" },
    el("summary", {}, t.leak.looked),
    el("p", { class: "quiet" }, t.leak.lookedAbout),
    el("ul", {}, ...rows),
  );
}
