/** What the player does: throwing, holding, entering, scoring, taking back, and beginning again. */
import { asks, forgetFailures, isKnown, situationNow } from "./coach";
import { randomDice, seededDice } from "../engine/dice";
import type { Given, Player } from "../engine/types";
import * as play from "./game/game";
import { boxOf, isSolved, type Rules, type Scored } from "./game/rules";
import { isOver, nextSeat, playTurn, seatPlayers, takeBack, undoSeat, type Table } from "./game/table";
import { labelOf, t } from "./language";
import { reducedMotion } from "../look/settings";
import { change, choices, desk, isEntered, isPad, nextPlace, save, seedAsked } from "./session";
import { find, setText } from "./view/dom";

/** What acts need of the page. */
export interface Page {
  show: () => void;
  tumble: (places: readonly boolean[]) => void;
  openAdvice: () => void;
  /** Ask for the points of a box, where only scores are written. */
  askPoints: (box: number, from: readonly Scored[]) => void;
  /** Something was scored that deserves a moment. */
  celebrate: (before: play.Game, after: play.Game, box: number) => void;
  /** All cards are full. */
  finished: (table: Table) => void;
  /** What was asked is answered. */
  answer: (action: Given) => void;
}

export function createActs({ show, tumble, openAdvice, askPoints, celebrate, finished, answer }: Page) {
  const isMine = (): boolean => desk.seat.kind === "person" && desk.mode === "play";

  function roll(): void {
    if (desk.mode === "drill") return answer({ keep: heldNow() });
    if (desk.mode === "step") return;
    if (play.isFinished(desk.game)) return startAgain();
    if (desk.stuck) return playForOthers();
    if (isPad() || !isMine() || !play.canThrow(desk.game)) return;
    const { game } = desk;
    const n = play.diceToThrow(game);
    const thrown = isEntered() ? new Array<number>(n).fill(0) : throwOf(n);
    const places = game.throws.at(-1)?.held.map((held) => !held) ?? new Array<boolean>(game.rules.dice).fill(true);
    change(play.throwDice(desk.game, thrown));
    nextPlace();
    if (!isEntered()) {
      if (!reducedMotion()) tumble(places);
      announceDice();
    }
    show();
  }

  function pressDie(i: number): void {
    if (desk.mode === "step") return;
    if (play.isEntering(desk.game)) desk.place = i;
    else desk.game = play.toggle(desk.game, i);
    save();
    show();
  }

  function enter(face: number): void {
    if (!play.isEntering(desk.game)) {
      if (!isEntered() || !isMine() || !play.canThrow(desk.game)) return;
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
    if (!isEntered() || !isMine() || !desk.game.throws.length) return;
    change(play.takeBackFace(desk.game));
    nextPlace();
    show();
  }

  function score(box: number): void {
    if (desk.mode === "drill" && play.openBoxes(desk.game).has(box)) return answer({ score: box });
    if (!isMine()) return;
    if (isPad()) return askPoints(box, play.writable(desk.game, box));
    scored(play.score(desk.game, box), box);
  }

  /** Points that were chosen for a box. */
  function write(box: number, points: Pick<Scored, "points" | "extra">): void {
    forgetSeed();
    scored(play.write(desk.game, box, points), box);
  }

  function scored(next: play.Game, box: number): void {
    const before = desk.game;
    if (next === before) return;
    const { outlooks } = desk;
    outlooks.length = Math.min(outlooks.length, next.turns.length);
    const points = play.boxesOf(next).get(box) ?? 0;
    announce(t.dice.written(points, labelOf(next.rules, box), play.scoreOf(next)));
    if (document.activeElement?.closest("#card")) find("#roll").focus();
    celebrate(before, next, box);
    finishTurn(next);
  }

  /** The turn is over with this card: the next player's begins. */
  function finishTurn(next: play.Game): void {
    desk.game = next;
    desk.asked = false;
    desk.table = { ...desk.table, now: nextSeat(desk.table) };
    nextPlace();
    save();
    show();
    if (isOver(desk.table)) {
      finished(desk.table);
      window.scrollTo({ top: 0, behavior: "instant" });
      find("#review-title").focus({ preventScroll: true });
    } else playForOthers();
  }

  /** Have the page play its players until it is a person's turn. */
  function playForOthers(): void {
    const { table, seat } = desk;
    desk.stuck = false;
    if (seat.kind === "person" || play.isFinished(seat.game)) return;
    playTurn(table, asks())
      .then((next) => {
        // Meanwhile a turn may have been taken back, or another game begun.
        if (desk.table !== table) return;
        const box = boxOf(next.rules, next.turns.at(-1)?.category ?? "");
        announce(t.table.played(seat.name, play.boxesOf(next).get(box) ?? 0, labelOf(next.rules, box)));
        finishTurn(next);
      })
      .catch(() => {
        desk.stuck = desk.table === table;
        show();
      });
    show();
  }

  const heldNow = (): number[] => {
    const last = play.lastThrow(desk.game);
    return last ? play.heldDice(last) : [];
  };

  const canUndo = (): boolean =>
    desk.mode === "play" && (desk.game.throws.length ? isEntered() : undoSeat(desk.table) >= 0);

  function undo(): void {
    if (!canUndo()) return;
    if (desk.game.throws.length) return unenter();
    desk.table = takeBack(desk.table);
    desk.stuck = false;
    if (isPad()) desk.game = { ...desk.game, throws: [] };
    desk.asked = false;
    nextPlace();
    announce(t.dice.takenBack);
    save();
    show();
  }

  function hint(): void {
    const situation = situationNow();
    if (choices.hints === "off" || !situation || desk.mode !== "play") return;
    if (isKnown(situation) && (desk.asked || choices.hints === "always")) openAdvice();
    desk.asked = true;
    show();
  }

  /** What the hint says: hold its dice, or see every choice if it is a box. */
  function follow(keep: readonly number[] | null): void {
    if (!keep) return hint();
    desk.game = play.hold(desk.game, keep);
    save();
    show();
  }

  /** A new game; without players, for those who played the last one. */
  function startAgain(rules: Rules = desk.game.rules, players: readonly Player[] = desk.table.seats): void {
    // Without a coach there is nobody to play for the page.
    const able = isSolved(rules) ? players : players.filter(({ kind }) => kind === "person");
    begin(seatPlayers(rules, able, seedAsked));
  }

  function begin(table: Table): void {
    desk.comeBack();
    desk.table = table;
    nextPlace();
    desk.asked = false;
    forgetFailures();
    save();
    show();
    playForOthers();
  }

  /** See the card of another player when all are full. */
  function look(seat: number): void {
    if (!isOver(desk.table)) return;
    desk.table = { ...desk.table, now: seat };
    save();
    show();
  }

  return {
    ...{ roll, pressDie, enter, unenter, score, write, undo, canUndo, hint, follow, startAgain, begin, look },
  };
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
