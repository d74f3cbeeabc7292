/** What there is to practise: the puzzle of the day, one's own deck, and decks that are ready-made. */
import { adviseOn, whyNoCoach, whyOf } from "../coach";
import {
  addCards,
  dayOf,
  dueCards,
  keepDeck,
  loadSpacing,
  masteredOf,
  recallDeck,
  withAnswer,
  type Card,
} from "./deck";
import { RIGHT_BELOW, questionOf, type Drill, type Question, type Round } from "./drill";
import { findToday, resultText, sendButtons, type Challenges } from "./challenge";
import { moveOf, moveText } from "../../engine/advise";
import type { Decision, GameLog, Move, Review } from "../../engine/types";
import * as play from "../game/game";
import { situationOf } from "../game/game";
import { SCANDINAVIAN, isSolved, rulesOf, type Rules } from "../game/rules";
import { dateText, fullTitleOf, labelOf, list, points, t } from "../language";
import { DECKS, deckOf, puzzleOf, type Deck } from "./questions";
import { session } from "../session";
import { findAnswer, keepAnswer } from "../storage/puzzles";
import limits from "../../../src/yatzy/coach/deck.json";
import { retryAt } from "./steps";
import { isOpen } from "../../engine/tables";
import { download, el, find, onPress, setText } from "../view/dom";
import { plainReason } from "../view/reason";
import { adviceFor, costText, plainAction } from "../view/words";

/** A ready-made deck asks this many. */
const PER_ROUND = 10;
/** All actions get their details: any of them may be the answer. */
const DETAILS = 500;

export const adviseFully = (rules: Rules, asked: Parameters<typeof adviseOn>[1]): ReturnType<typeof adviseOn> =>
  adviseOn(rules, { ...asked, details: DETAILS });

const today = (): string => dayOf(new Date());

/** What the day's game is, or what it came to. */
function dayText(): string {
  const played = findToday(session.game.rules)?.result;
  return played ? resultText(played) : `${t.day.about} ${t.day.once}`;
}

function puzzleSays({ rules }: Rules): string {
  const answer = findAnswer(today(), rules);
  if (!answer) return t.drill.puzzleAbout;
  return answer.right ? t.drill.puzzleRight : t.drill.puzzleWrong;
}

const sum = (right: number, asked: number, cost: number): string => t.drill.done(right, asked, points(cost));

function puzzleRound(day: string, rules: Rules): Round {
  let told = false;
  const before = findAnswer(day, rules.rules);
  return {
    title: t.drill.puzzleOf(dateText(day)),
    length: 1,
    next: async () => {
      if (told) return null;
      told = true;
      return questionOf(await puzzleOf(day, rules, adviseFully));
    },
    given: before ? moveOf(rules, before.action) : null,
    answered: (_, cost, given) => {
      const right = cost < RIGHT_BELOW;
      if (given) keepAnswer({ day, rules: rules.rules, action: moveText(rules, given.action), cost, right });
    },
    done: (right) => (right ? t.drill.puzzleRight : t.drill.puzzleWrong),
    after: () => sendButtons(() => puzzleText(day, rules), t.day.copy),
  };
}

/** What is sent of a puzzle: nothing in it says what is right. */
function puzzleText(day: string, { rules }: Rules): string {
  const { right, cost } = findAnswer(day, rules) ?? { right: false, cost: 0 };
  const said = right ? t.day.solvedText : t.day.missedText(points(cost));
  const title = `${t.drill.puzzleOf(dateText(day))} · ${fullTitleOf(rules)}`;
  return [title, said, `${location.origin}${location.pathname}`].join("\n");
}

function readyRound(deck: Deck, rules: Rules): Round {
  const questions = deckOf(deck, rules, adviseFully);
  let asked = 0;
  // The next is looked for while the last one is thought about.
  let coming = questions.next();
  return {
    title: t.drill.decks[deck],
    length: PER_ROUND,
    next: async () => {
      if (asked++ >= PER_ROUND) return null;
      const { value, done } = await coming;
      coming = questions.next();
      return done ? null : questionOf(value);
    },
    answered: () => undefined,
    done: sum,
  };
}

/** What somebody did, or wanted to do until the coach warned. */
function doneAt(found: Review, i: number): Move {
  const { played, wanted = played } = found.decisions[i] as Decision;
  return wanted;
}

/** A game's mistakes as questions, in their order; `left` says whether all were answered. */
export function mistakesRound(game: play.Game, found: Review, left: (isDone: boolean) => void): Round {
  const numbers = mistakesOf(found);
  const ahead = [...numbers];
  return {
    title: t.learn.mistakes,
    length: numbers.length,
    next: async () => {
      const i = ahead.shift();
      if (i === undefined) return null;
      const then = retryAt(game, found, i);
      return { game: then, advice: await adviseFully(then.rules, situationOf(then)), played: doneAt(found, i) };
    },
    answered: () => undefined,
    done: sum,
    left,
  };
}

/** The numbers of decisions that are worth a question. */
export const mistakesOf = ({ decisions }: Review): number[] =>
  [...decisions.keys()].filter((i) => (decisions[i]?.regret ?? 0) >= limits.hard_below);

/** The decisions of a game that belong into the deck: its mistakes, and as many right ones that were not easy. */
function cardsFrom(game: play.Game, found: Review): Card[] {
  const numbered = found.decisions.map((one, i) => ({ one, i }));
  const wrong = numbered.filter(({ one }) => one.regret >= limits.hard_below);
  // Right ones from all over the game, those with throws left first: they are harder.
  const right = numbered
    .filter(({ one }) => !one.loss)
    .sort((a, b) => Math.sign(b.one.rerolls) - Math.sign(a.one.rerolls) || ((a.i * 7) % 11) - ((b.i * 7) % 11))
    .slice(0, wrong.length);
  return [...wrong, ...right]
    .sort((a, b) => a.i - b.i)
    .map(({ i }) => {
      const then = retryAt(game, found, i);
      const played = moveText(game.rules, doneAt(found, i));
      return { log: play.toLog(then), throws: then.throws, played, memory: null };
    });
}

/** The game of a card; null if it cannot be read. */
export async function gameOf({ log, throws }: Pick<Card, "log" | "throws">): Promise<play.Game | null> {
  try {
    const rules = await rulesOf((log as GameLog).rules);
    const game = play.fromLog(log, rules);
    return { ...game, throws: play.parseThrows(throws, game) };
  } catch {
    return null;
  }
}

function ownRound(): Round {
  const asked = dueCards(recallDeck(), today());
  const spacing = loadSpacing();
  const ahead = [...asked];
  let now: Card | null = null;
  const next = async (): Promise<Question | null> => {
    now = ahead.shift() ?? null;
    if (!now) return null;
    const game = await gameOf(now);
    if (!game || !isSolved(game.rules)) {
      // What cannot be read any more leaves the deck.
      const deck = recallDeck();
      keepDeck({ ...deck, cards: deck.cards.filter((one) => JSON.stringify(one) !== JSON.stringify(now)) });
      return next();
    }
    const played = now.played === undefined ? null : moveOf(game.rules, now.played);
    return { game, advice: await adviseFully(game.rules, situationOf(game)), ...(played ? { played } : {}) };
  };
  return {
    title: t.drill.own,
    length: asked.length,
    next,
    answered: async (_, cost) => {
      const text = JSON.stringify(now);
      const memory = (await spacing)(now?.memory ?? null, cost, today());
      const deck = recallDeck();
      const mine = deck.cards.find((one) => JSON.stringify(one) === text);
      if (mine) keepDeck(withAnswer(deck, mine, memory));
    },
    done: (right, n, cost) =>
      n ? `${sum(right, n, cost)} ${t.drill.retired(masteredOf(recallDeck()))}` : t.drill.ownEmpty,
  };
}

// Anki reads a text with a line for each card; https://docs.ankiweb.net/importing/text-files.html
const ANKI_HEAD = ["#separator:tab", "#html:true", "#columns:Front\tBack"];
/** How many choices beside the best have their cost on the back. */
const ANKI_OTHERS = 3;

/** A card as a line: the situation in front; the best choice, why, and what others cost on the back. */
async function ankiLine(card: Card): Promise<string | null> {
  const game = await gameOf(card);
  if (!game || !isSolved(game.rules)) return null;
  const { rules } = game;
  const asked = situationOf(game);
  const { actions } = await adviseFully(rules, asked);
  const [best, ...others] = actions;
  if (!best) return null;
  const why = rules.saves_throws ? null : await whyOf(rules, asked, best.action).catch(() => null);
  const boxes = [...rules.categories.keys()].filter((box) => isOpen(rules, asked.set, box));
  const front = [
    `<b>${[...asked.dice].sort((a, b) => a - b).join(" ")}</b>`,
    asked.rerolls ? t.drill.left(asked.rerolls) : "",
    list(boxes.map((box) => labelOf(rules, box))),
    rules.bonus ? `${t.card.upper}: ${asked.upper}` : "",
  ];
  const played = card.played === undefined ? null : moveOf(rules, card.played);
  const mine = played && adviceFor(rules, actions, played);
  const back = [
    `<b>${plainAction(rules, best.action)}</b>`,
    why ? plainReason(rules, why.reason) : "",
    mine?.regret ? `${t.drill.inGame}${plainAction(rules, mine.action)}, ${costText(mine.regret)}` : "",
    ...others
      .slice(0, ANKI_OTHERS)
      .map(({ action, regret }) => `${plainAction(rules, action)}: ${costText(regret)}`),
  ];
  return [front, back].map((lines) => lines.filter(Boolean).join("<br>").replaceAll("\t", " ")).join("\t");
}

/** One's own deck as text that Anki imports. */
async function exportToAnki(): Promise<void> {
  const lines = [];
  for (const card of recallDeck().cards) lines.push(await ankiLine(card));
  const text = [...ANKI_HEAD, ...lines.filter((line) => line !== null), ""].join("\n");
  download(text, "yatzy-anki.txt", "text/plain");
}

/** Puts the decisions of a game into the deck; says how many there are now. */
export function addToDeck(game: play.Game, found: Review): string {
  const deck = addCards(recallDeck(), cardsFrom(game, found));
  keepDeck(deck);
  return t.drill.added(deck.cards.length);
}

/** The dialog that lists what there is. */
export function createPractice(drill: Drill, challenges: Challenges): void {
  const dialog = find<HTMLDialogElement>("#practice");
  const decks = find("#decks");
  const spaced = find<HTMLInputElement>("#spaced");
  const anki = find<HTMLButtonElement>("#anki");
  const row = (id: string, title: string, about: string, act: (() => void) | null): HTMLElement => {
    const button = el(
      "button",
      { type: "button", class: "deck", "data-deck": id },
      el("b", {}, title),
      el("span", {}, about),
    );
    button.disabled = act === null;
    onPress(button, () => {
      dialog.close();
      act?.();
    });
    return el("li", {}, button);
  };
  const asking = (round: () => Round) => (): void => void drill.start(round());
  const draw = (): void => {
    const deck = recallDeck();
    const due = dueCards(deck, today()).length;
    const rules = whyNoCoach() || session.game.rules.saves_throws ? SCANDINAVIAN : session.game.rules;
    const own = deck.cards.length ? t.drill.ownAbout(due, deck.cards.length, masteredOf(deck)) : t.drill.ownEmpty;
    decks.replaceChildren(
      row("day", t.day.title, dayText(), () => challenges.day(session.game.rules)),
      row(
        "puzzle",
        t.drill.puzzle,
        puzzleSays(rules),
        asking(() => puzzleRound(today(), rules)),
      ),
      row("same", t.same.title, t.same.about, challenges.list),
      row("own", t.drill.own, own, due ? asking(ownRound) : null),
      ...DECKS.filter((one) => one !== "bonus" || rules.bonus).map((one) =>
        row(
          one,
          t.drill.decks[one],
          t.drill.about[one],
          asking(() => readyRound(one, rules)),
        ),
      ),
    );
    spaced.checked = deck.spaced;
    setText(find("#spacing"), t.drill.spacing);
    anki.disabled = !deck.cards.length;
  };
  onPress(anki, () => {
    anki.disabled = true;
    void exportToAnki().finally(() => (anki.disabled = false));
  });
  spaced.addEventListener("change", () => {
    keepDeck({ ...recallDeck(), spaced: spaced.checked });
    draw();
  });
  onPress(find("#practise"), () => {
    draw();
    dialog.showModal();
  });
}
