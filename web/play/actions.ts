/** What the player does: throwing, holding, entering, scoring, taking back, and beginning again. */
import { opponentEngine, forgetFailures, hasAdvice, currentSituation, warningOf, type Warning } from "./coach";
import { randomDice } from "../engine/dice";
import type { Move, Player } from "../engine/types";
import * as play from "./game/game";
import { boxOf, type Rules, type Scored } from "./game/rules";
import { canPlay } from "./game/opponents";
import { isOver, nextSeat, playTurn, seatPlayers, takeBack, undoSeat, type Table } from "./game/table";
import { labelOf, t } from "./language";
import { reducedMotion } from "../look/settings";
import { setGame, choices, session, usesRealDice, isScorepad, nextPlace, save, seedInAddress } from "./session";
import { alikeText } from "./view/dice";
import { find, setText } from "./view/dom";

/** How long each throw of a player of the page is seen, and all of a turn, in milliseconds. */
const MAX_PAUSE = 550;
const MAX_TURN = 1800;

/** What actions need of the page. */
export interface PageHooks {
  show: () => void;
  tumble: (places: readonly boolean[]) => void;
  openAdvice: () => void;
  /** Ask for the points of a box, where only scores are written. */
  askPoints: (box: number, from: readonly Scored[]) => void;
  /** Something is about to be done that costs much; go on with it if the player says so. */
  warn: (warning: Warning, goOn: () => void) => void;
  /** Something was scored that deserves a moment. */
  celebrate: (before: play.Game, after: play.Game, box: number) => void;
  /** All cards are full. */
  finished: (table: Table) => void;
  /** What was asked is answered. */
  answer: (action: Move) => void;
}

export function createActions(hooks: PageHooks) {
  const { show, tumble, openAdvice, askPoints, warn, celebrate, finished, answer } = hooks;
  const isMine = (): boolean => session.seat.kind === "person" && session.mode === "play";

  /** Do it, unless the coach warns of it and the player takes it back. */
  function unlessWarned(move: Move, act: () => void): void {
    const warning = warningOf(move);
    if (!warning) return act();
    session.game = play.warned(session.game, move);
    save();
    const { throws } = session.game;
    warn(warning, () => session.game.throws === throws && act());
  }

  function roll(): void {
    if (session.mode === "drill") return answer({ keep: heldNow() });
    if (session.mode === "step") return;
    if (play.isFinished(session.game)) {
      startAgain();
      return window.scrollTo({ top: 0, behavior: "instant" });
    }
    if (session.stuck) return playForOthers();
    if (isScorepad() || !isMine() || !play.canThrow(session.game)) return;
    unlessWarned({ keep: heldNow() }, throwNow);
  }

  function throwNow(): void {
    const { game } = session;
    const n = play.diceToThrow(game);
    const thrown = usesRealDice() ? new Array<number>(n).fill(0) : throwOf(n);
    const places = game.throws.at(-1)?.held.map((held) => !held) ?? new Array<boolean>(game.rules.dice).fill(true);
    setGame(play.throwDice(session.game, thrown));
    nextPlace();
    if (!usesRealDice()) {
      if (!reducedMotion()) tumble(places);
      announceDice();
    }
    show();
  }

  function pressDie(i: number): void {
    if (session.mode === "step" || session.seat.kind !== "person") return;
    if (play.isEntering(session.game)) session.place = i;
    else session.game = play.toggle(session.game, i);
    save();
    show();
  }

  function enterFace(face: number): void {
    if (!play.isEntering(session.game)) {
      if (!usesRealDice() || !isMine() || !play.canThrow(session.game)) return;
      return unlessWarned({ keep: heldNow() }, () => {
        setGame(play.throwDice(session.game, new Array<number>(play.diceToThrow(session.game)).fill(0)));
        nextPlace();
        enterFace(face);
      });
    }
    forgetSeed();
    setGame(play.enterFace(session.game, session.place, face));
    nextPlace();
    if (!play.isEntering(session.game)) announceDice();
    show();
  }

  /** Take back the face that was entered last. */
  function takeBackFace(): void {
    if (!usesRealDice() || !isMine() || !session.game.throws.length) return;
    setGame(play.takeBackFace(session.game));
    nextPlace();
    show();
  }

  function score(box: number): void {
    if (session.mode === "drill" && play.openBoxes(session.game).has(box)) return answer({ score: box });
    if (!isMine()) return;
    if (isScorepad()) return askPoints(box, play.possibleScores(session.game, box));
    unlessWarned({ score: box }, () => scored(play.score(session.game, box), box));
  }

  /** Points that were chosen for a box. */
  function scorePoints(box: number, points: Pick<Scored, "points" | "extra">): void {
    forgetSeed();
    scored(play.scorePoints(session.game, box, points), box);
  }

  function scored(next: play.Game, box: number): void {
    const before = session.game;
    if (next === before) return;
    const { outlooks } = session;
    outlooks.length = Math.min(outlooks.length, play.nFilled(next));
    const points = play.boxesOf(next).get(box) ?? 0;
    announce(t.dice.written(points, labelOf(next.rules, box), play.scoreOf(next)));
    if (document.activeElement?.closest("#card")) find("#roll").focus();
    celebrate(before, next, box);
    finishTurn(next);
  }

  /** The turn is over with this card: the next player's begins. */
  function finishTurn(next: play.Game): void {
    session.game = next;
    session.asked = false;
    session.table = { ...session.table, now: nextSeat(session.table) };
    nextPlace();
    save();
    show();
    if (isOver(session.table)) {
      finished(session.table);
      window.scrollTo({ top: 0, behavior: "instant" });
      find("#review-title").focus({ preventScroll: true });
    } else playForOthers();
  }

  /** Have the page play its players until it is a person's turn. */
  function playForOthers(): void {
    const { table, seat } = session;
    session.stuck = false;
    if (seat.kind === "person" || play.isFinished(seat.game)) return;
    playTurn(table, opponentEngine())
      .then((next) => {
        // Meanwhile a turn may have been taken back, or another game begun.
        if (session.table === table) return showTurn(seat.name, next);
      })
      .catch(() => {
        session.stuck = session.table === table;
        show();
      });
    show();
  }

  /** What the page has just played, throw by throw, unless something else is done; then the next turn begins. */
  async function showTurn(name: string, next: play.Game): Promise<void> {
    const turn = next.turns.at(-1);
    const throws = next.previous.length || !turn ? next.previous : play.throwsOf(turn);
    let mine = session.table;
    for (const [i, one] of reducedMotion() ? [] : throws.entries()) {
      const before = throws[i - 1];
      session.game = { ...session.game, throws: throws.slice(0, i + 1) };
      mine = session.table;
      show();
      tumble(one.dice.map((_, place) => !before?.held[place]));
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_PAUSE, MAX_TURN / throws.length)));
      if (session.table !== mine) return;
    }
    const box = boxOf(next.rules, turn?.category ?? "");
    announce(t.table.played(name, play.boxesOf(next).get(box) ?? 0, labelOf(next.rules, box)));
    finishTurn(next);
  }

  const heldNow = (): number[] => {
    const last = play.lastThrow(session.game);
    return last ? play.heldDice(last) : [];
  };

  const canUndo = (): boolean =>
    session.mode === "play" &&
    !session.challenge?.result &&
    (isMine() && session.game.throws.length ? usesRealDice() : undoSeat(session.table) >= 0);

  function undo(): void {
    if (!canUndo()) return;
    if (isMine() && session.game.throws.length) return takeBackFace();
    session.table = takeBack(session.table);
    session.stuck = false;
    if (isScorepad()) session.game = { ...session.game, throws: [] };
    session.asked = false;
    nextPlace();
    announce(t.dice.takenBack);
    save();
    show();
  }

  function showHint(): void {
    const situation = currentSituation();
    if (choices.hints === "off" || session.challenge || !situation || session.mode !== "play") return;
    if (hasAdvice(situation) && (session.asked || choices.hints === "always")) openAdvice();
    session.asked = true;
    show();
  }

  /** Do what the hint says, if it is there: hold its dice, or score as a tap on its box does. */
  function followHint(action: Move | undefined): void {
    if (!action) return showHint();
    if (!action.keep) return score(action.score);
    session.game = play.hold(session.game, action.keep);
    save();
    show();
  }

  /** A new game; without players, for those who played the last one. */
  function startAgain(rules: Rules = session.game.rules, players: readonly Player[] = session.table.seats): void {
    // Without a coach there is nobody to play for the page.
    const able = players.filter(({ kind }) => kind === "person" || canPlay(rules, kind));
    begin(seatPlayers(rules, able, seedInAddress));
  }

  function begin(table: Table): void {
    session.leaveVisit();
    session.table = table;
    nextPlace();
    session.asked = false;
    forgetFailures();
    save();
    show();
    playForOthers();
  }

  /** See the card of another player when all are full. */
  function showCard(seat: number): void {
    if (!isOver(session.table)) return;
    session.table = { ...session.table, now: seat };
    save();
    show();
  }

  return {
    roll,
    pressDie,
    enterFace,
    takeBackFace,
    score,
    scorePoints,
    undo,
    canUndo,
    showHint,
    followHint,
    startAgain,
    begin,
    showCard,
  };
}

export type Actions = ReturnType<typeof createActions>;

/** Dice of the seed, if the game has one that is ours to follow; else random ones, and the game has none. */
function throwOf(n: number): number[] {
  const thrown = play.nextSeeded(session.game);
  if (thrown) return thrown;
  forgetSeed();
  return randomDice(n, session.game.rules.faces);
}

function forgetSeed(): void {
  session.game = play.withoutSeed(session.game);
}

function announce(text: string): void {
  setText(find("#live"), text);
}

function announceDice(): void {
  const dice = play.diceOnTable(session.game) ?? [];
  const left = play.rerollsLeft(session.game);
  announce([alikeText(session.game), t.dice.left(dice.join(", "), left)].join(" ").trim());
}
