/** What the player does: throwing, holding, entering, scoring, taking back, and beginning again. */
import { randomDice, seededDice } from "../engine/dice";
import { reducedMotion } from "../look/settings";
import { forgetFailures, isKnown, situationNow } from "./coach";
import { change, choices, desk, nextPlace, save, seedAsked } from "./desk";
import { find, setText } from "./dom";
import * as play from "./game";
import { t } from "./language";
import type { Rules } from "./rules";
import type { Outlook } from "./store";
import { labelOf } from "./words";

/** What acts need of the page. */
export interface Page {
  show: () => void;
  tumble: (places: readonly boolean[]) => void;
  openAdvice: () => void;
}

export function createActs({ show, tumble, openAdvice }: Page) {
  function roll(): void {
    if (play.isFinished(desk.game)) return startAgain();
    if (!play.canThrow(desk.game)) return;
    const { game } = desk;
    const n = play.diceToThrow(game);
    const thrown = choices.entered ? new Array<number>(n).fill(0) : throwOf(n);
    const places = game.throws.at(-1)?.held.map((held) => !held) ?? new Array<boolean>(game.rules.dice).fill(true);
    change(play.throwDice(desk.game, thrown));
    nextPlace();
    if (!choices.entered) {
      if (!reducedMotion()) tumble(places);
      announceDice();
    }
    show();
  }

  function pressDie(i: number): void {
    if (play.isEntering(desk.game)) desk.place = i;
    else desk.game = play.toggle(desk.game, i);
    save();
    show();
  }

  function enter(face: number): void {
    if (!play.isEntering(desk.game)) {
      if (!choices.entered || !play.canThrow(desk.game)) return;
      change(play.throwDice(desk.game, new Array<number>(play.diceToThrow(desk.game)).fill(0)));
      nextPlace();
    }
    forgetSeed();
    change(play.enterFace(desk.game, desk.place, face));
    nextPlace();
    if (!play.isEntering(desk.game)) announceDice();
    show();
  }

  /** Take back the face that was entered last. */
  function unenter(): void {
    if (!choices.entered || !desk.game.throws.length) return;
    change(play.takeBackFace(desk.game));
    nextPlace();
    show();
  }

  function score(category: string): void {
    const before = desk.game;
    change(play.score(before, category));
    const { game, outlooks } = desk;
    if (game === before) return;
    outlooks.length = Math.min(outlooks.length, game.turns.length);
    const points = play.card(game).get(category) ?? 0;
    announce(t.dice.written(points, labelOf(game.rules, category), play.scoreOf(game)));
    if (document.activeElement?.closest("#card")) find("#roll").focus();
    save();
    show();
    if (play.isFinished(game)) {
      window.scrollTo({ top: 0, behavior: "instant" });
      find("#review-title").focus({ preventScroll: true });
    }
  }

  function undo(): void {
    if (!play.canUndo(desk.game, choices.entered)) return;
    if (desk.game.throws.length) return unenter();
    change(play.undo(desk.game));
    desk.outlooks.length = Math.min(desk.outlooks.length, desk.game.turns.length + 1);
    nextPlace();
    announce(t.dice.takenBack);
    save();
    show();
  }

  function hint(): void {
    const situation = situationNow();
    if (choices.hints === "off" || !situation) return;
    if (isKnown(situation) && (desk.asked || choices.hints === "always")) openAdvice();
    desk.asked = true;
    show();
  }

  /** What the hint says: hold its dice, or see every choice if it is a box. */
  function follow(keep: readonly boolean[] | null): void {
    if (!keep) return hint();
    keep.forEach((wanted, place) => {
      if (play.lastThrow(desk.game)?.held[place] !== wanted) desk.game = play.toggle(desk.game, place);
    });
    save();
    show();
  }

  function startAgain(rules: Rules = desk.game.rules): void {
    begin(play.newGame(rules, seedAsked), []);
  }

  function begin(next: play.Game, known: (Outlook | null)[]): void {
    desk.game = next;
    desk.outlooks = known;
    nextPlace();
    desk.asked = false;
    forgetFailures();
    save();
    show();
  }

  return { roll, pressDie, enter, unenter, score, undo, hint, follow, startAgain, begin };
}

export type Acts = ReturnType<typeof createActs>;

/** Dice of the seed, if the game has one that is ours to follow; else random ones, and the game has none. */
function throwOf(n: number): number[] {
  const { rules, about, turns, throws } = desk.game;
  const { seed, game } = about;
  const { dice, faces } = rules;
  if (seed === undefined || game !== 0) {
    forgetSeed();
    return randomDice(n, faces);
  }
  return seededDice({ seed, game, dice, faces, throws: () => 0 }, turns.length, throws.length, n);
}

function forgetSeed(): void {
  const { seed: _seed, game: _game, ...about } = desk.game.about;
  desk.game = { ...desk.game, about };
}

function announce(text: string): void {
  setText(find("#live"), text);
}

function announceDice(): void {
  const dice = play.diceOnTable(desk.game) ?? [];
  const left = play.rerollsLeft(desk.game);
  announce(t.dice.left(dice.join(", "), left));
}
