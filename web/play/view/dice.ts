/** The dice at the bottom of the page, the button that throws them, and the faces to enter real ones. */
import { die, type Face } from "../../look/dice";
import { el, find, onPress, setText } from "./dom";
import {
  canThrow,
  diceOnTable,
  diceToThrow,
  isEntering,
  isFinished,
  lastThrow,
  rerollsLeft,
  savedThrows,
  type Game,
} from "../game/game";
import { labelOf, t } from "../language";
import { choices } from "../session";
import { alikeBox, type Rules } from "../game/rules";

const SVG = "http://www.w3.org/2000/svg";

export interface DiceActions {
  pressDie: (place: number) => void;
  roll: () => void;
  undo: () => void;
  enterFace: (face: number) => void;
}

export interface DiceView {
  show: (seen: DiceState) => void;
  /** Make the dice that were just thrown tumble. */
  tumble: (places: readonly boolean[]) => void;
}

interface DiceState {
  game: Game;
  /** Real dice are entered; or only scores are written. */
  entered: boolean;
  pad: boolean;
  /** The die that is entered next. */
  place: number;
  /** The dice of the best keep, by place. */
  advised: readonly boolean[];
  canUndo: boolean;
  /** The dice are asked about: holding some is an answer. */
  asking: boolean;
  /** The page could not play, and may try again. */
  stuck: boolean;
  /** Who is playing, if it is the page. */
  playing: string | null;
}

interface DieButton {
  button: HTMLElement;
  picture: HTMLElement;
  caption: HTMLElement;
}

export function createDiceView(actions: DiceActions): DiceView {
  let buttons: DieButton[] = [];
  let laid = "";
  const roll = find<HTMLButtonElement>("#roll");
  const undo = find<HTMLButtonElement>("#undo");
  onPress(roll, actions.roll);
  onPress(undo, actions.undo);
  const keypad = find("#keypad");

  return {
    show: ({ game, entered, pad, place, advised, canUndo, asking, stuck, playing }) => {
      const shape = `${game.rules.dice} ${game.rules.faces}`;
      if (shape !== laid) buttons = layOut(game.rules, actions);
      laid = shape;
      const last = lastThrow(game);
      const entering = isEntering(game);
      find("#dice").classList.toggle("alike", !asking && alikeText(game) !== "");
      buttons.forEach(({ button, picture, caption }, i) => {
        const face = last?.dice[i] ?? 0;
        // What was held stays marked while the others are entered; after the last throw it means nothing.
        const held = (last?.held[i] ?? false) && (entering || rerollsLeft(game) > 0);
        const isNext = entering && i === place;
        if (picture.dataset["face"] !== `${face}`) {
          picture.dataset["face"] = `${face}`;
          picture.replaceChildren(face ? die(face as Face) : emptyDie());
        }
        picture.firstElementChild?.classList.toggle("held", held);
        button.classList.toggle("held", held);
        button.classList.toggle("next", isNext);
        button.classList.toggle("advised", advised[i] ?? false);
        caption.classList.toggle("key", !held && !isNext);
        setText(caption, held ? t.dice.held : isNext ? t.dice.set : `${i + 1}`);
        button.setAttribute("aria-pressed", `${held}`);
        const usable = entering ? !held : last !== null && rerollsLeft(game) > 0;
        button.setAttribute("aria-disabled", `${!usable}`);
        const says = face ? t.dice.shows(face) : entering ? t.dice.notEntered : t.dice.notThrown;
        const mark = held ? t.dice.isHeld : isNext ? t.dice.setNow : "";
        const hinted = advised[i] ? t.dice.hinted : "";
        button.setAttribute("aria-label", `${t.dice.die(i + 1, says)}${mark}${hinted}`);
      });
      // Real dice: the faces of the next throw can be tapped at once.
      const tapping = playing === null && !asking && !stuck && (entering || (entered && canThrow(game)));
      keypad.hidden = !tapping;
      roll.hidden = tapping;
      const says = asking ? keepText(game) : pad && !isFinished(game) ? t.table.tapBox : rollText(game);
      setText(roll, stuck ? t.review.tryAgain : (playing ?? says));
      const usable = stuck || isFinished(game) || (canThrow(game) && (asking || !pad) && playing === null);
      roll.setAttribute("aria-disabled", `${!usable}`);
      undo.setAttribute("aria-disabled", `${!canUndo}`);
    },
    tumble: (places) =>
      buttons.forEach(({ picture }, i) => {
        if (!places[i]) return;
        picture.getAnimations().forEach((running) => running.cancel());
        picture.animate(
          [{ transform: `translateY(-14px) rotate(${i % 2 ? 70 : -70}deg)`, opacity: 0.4 }, { transform: "none" }],
          { duration: 220 + 40 * i, easing: "cubic-bezier(0.2, 0.9, 0.3, 1.2)" },
        );
      }),
  };
}

/** A button for each die, and a key for each face. */
function layOut({ dice, faces }: Rules, actions: DiceActions): DieButton[] {
  const buttons = Array.from({ length: dice }, (_, i) => {
    const picture = el("span", { class: "face" });
    const caption = el("span", { class: "caption", "aria-hidden": "true" });
    const button = el("button", { type: "button", class: "die-button" }, picture, caption);
    button.style.setProperty("--place", `${i}`);
    onPress(button, () => actions.pressDie(i));
    return { button, picture, caption };
  });
  find("#dice").replaceChildren(...buttons.map(({ button }) => button));
  const keys = Array.from({ length: faces }, (_, i) => {
    const button = el("button", { type: "button", "aria-label": t.dice.itShows(i + 1) }, die((i + 1) as Face));
    onPress(button, () => actions.enterFace(i + 1));
    return button;
  });
  find("#dice").style.setProperty("--dice", `${dice}`);
  find("#keypad").style.setProperty("--faces", `${faces}`);
  find("#keypad").replaceChildren(...keys);
  return buttons;
}

function rollText(game: Game): string {
  if (isFinished(game)) return t.dice.newGame;
  if (!game.throws.length) return startText(game);
  const left = rerollsLeft(game);
  if (left <= 0) return t.dice.chooseBox;
  const n = diceToThrow(game);
  if (!n) return t.dice.allHeld;
  return n === game.rules.dice ? t.dice.rollAll(left) : t.dice.rollSome(n, left);
}

/** The answer that the held dice are. */
function keepText(game: Game): string {
  if (rerollsLeft(game) <= 0) return t.dice.chooseBox;
  const held = lastThrow(game)?.held.filter(Boolean).length ?? 0;
  if (held === game.rules.dice) return t.dice.allHeld;
  return held ? t.drill.keep(held) : t.drill.keepNothing;
}

/** Throws that were saved are there on top of those of the turn. */
function startText(game: Game): string {
  const saved = savedThrows(game);
  return saved ? t.dice.rollSaved(rerollsLeft(game), saved) : t.dice.roll;
}

/** Dice that are all alike are called by their name, unless that is not wanted. */
export function alikeText(game: Game): string {
  const dice = diceOnTable(game);
  const box = dice && new Set(dice).size === 1 && choices.joy ? alikeBox(game.rules) : -1;
  return box < 0 ? "" : t.joy.alike(labelOf(game.rules, box));
}

/** What to do with real dice. */
export function realDiceText(game: Game): string {
  if (!game.throws.length || isEntering(game)) return t.dice.enterAll;
  if (!canThrow(game)) return "";
  const [n, left] = [diceToThrow(game), rerollsLeft(game)];
  return n === game.rules.dice ? t.dice.tapKept : t.dice.threwSome(n, left);
}

function emptyDie(): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "die empty");
  svg.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ x: 1, y: 1, width: 18, height: 18, rx: 4 }))
    rect.setAttribute(name, `${value}`);
  svg.append(rect);
  return svg;
}
