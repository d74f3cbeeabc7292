/** A finished game, decision by decision: the card and the dice as they were, what was done and what was best. */
import { heldBy } from "../../engine/dice";
import type { Decision, Review, Throw, Turn } from "../../engine/types";
import * as play from "../game/game";
import { tableForOne, type Table } from "../game/table";
import { t } from "../language";
import { costChip, decisionText, throwName, whyOfDecision } from "./review";
import { session } from "../session";
import { el, find, lessonShown, plainButton, showLesson } from "../view/dom";

export interface Steps {
  /** Show decision number i (from 0) of this review. */
  at: (game: play.Game, found: Review, i: number) => void;
  /** One further or one back, if decisions are shown. */
  move: (by: number) => void;
}

/** The game as it was before a decision: the turns before it, and the throws up to it with what was held then. */
export function gameAt(game: play.Game, found: Review, i: number): play.Game {
  const { turn } = found.decisions[i] as Decision;
  const first = found.decisions.findIndex((one) => one.turn === turn);
  const played = play.turnOf(game, turn) as Turn;
  const throws = play.throwsOf(played).slice(0, i - first + 1);
  return { ...game, turns: game.turns.slice(0, game.turns.indexOf(played)), throws, previous: [] };
}

/** The same without what was held, to be decided again; its dice are new from here on. */
export function retryAt(game: play.Game, found: Review, i: number): play.Game {
  const then = gameAt(game, found, i);
  // Without its date: a game that is tried again is no game of its own, and is not counted.
  const { seed: _seed, game: _game, scheme: _scheme, date: _date, ...about } = then.about;
  const [last, before] = [then.throws.at(-1) as Throw, then.throws.at(-2)];
  const held = heldBy(last.dice, before ? play.heldDice(before) : []);
  const again = then.throws.slice(0, -1).map(({ dice, held }) => ({ dice, held }));
  const throws = [...again, { dice: last.dice, held }];
  return { ...then, about, throws };
}

/** `show` draws the page, `back` returns to the review, `again` plays on from a game. */
export function createSteps(show: () => void, back: () => void, again: (table: Table) => void): Steps {
  let now: { game: play.Game; found: Review; i: number } | null = null;

  const at = (game: play.Game, found: Review, i: number): void => {
    const decision = found.decisions[i];
    if (!decision) return;
    now = { game, found, i };
    session.visit("step", tableForOne(gameAt(game, found, i)));
    show();
    showLesson(...lesson(game, found, i, decision));
    find("#lesson").focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  };

  const lesson = (game: play.Game, found: Review, i: number, one: Decision): HTMLElement[] => {
    const { rules } = game;
    const button = (text: string, act: () => void, id: string): HTMLButtonElement =>
      plainButton(text, act, { id });
    const previous = button(t.learn.previous, () => move(-1), "previous");
    const next = button(t.learn.next, () => move(1), "next");
    previous.disabled = i === 0;
    next.disabled = i === found.decisions.length - 1;
    return [
      el("h2", {}, t.learn.decision(i + 1, found.decisions.length)),
      el("p", { class: "where" }, t.review.where(one.turn, throwName(rules, one)), costChip(one)),
      el("p", { id: "judged" }, ...decisionText(rules, one)),
      el("div", { id: "why" }, whyOfDecision(rules, one)),
      el(
        "div",
        { class: "ends" },
        previous,
        next,
        button(t.learn.again, () => again(tableForOne(retryAt(game, found, i))), "try-again"),
        button(t.learn.toReview, leave, "to-review"),
      ),
    ];
  };

  const leave = (): void => {
    now = null;
    back();
  };

  const move = (by: number): void => {
    if (now && lessonShown()) at(now.game, now.found, now.i + by);
  };
  return { at, move };
}
