/** The reader's own dice: set once, they appear in every figure that plays with dice. */
import { die, type Face } from "./dice";
import { recall, remember } from "./settings";

const START = [1, 3, 3, 5, 6];

export function myDice(): number[] {
  const kept = (recall("dice") ?? "").split("").map(Number);
  return kept.length === START.length && kept.every((face) => face >= 1 && face <= 6) ? kept : [...START];
}

export interface DiceButtons {
  show: (faces: readonly number[], held: readonly boolean[]) => void;
}

/** Five dice as buttons, 44 pixels each; `say` is the label of one, `press` what a click on it does. */
export function diceButtons(
  into: HTMLElement,
  say: (face: number, held: boolean, i: number) => string,
  press: (i: number) => void,
): DiceButtons {
  const group = document.createElement("div");
  group.className = "my-dice";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Your dice");
  const buttons = START.map((_, i) => {
    const one = document.createElement("button");
    one.type = "button";
    one.addEventListener("click", () => press(i));
    group.append(one);
    return one;
  });
  into.append(group);
  return {
    show: (faces, held) => {
      remember("dice", faces.join(""));
      buttons.forEach((one, i) => {
        const face = faces[i] ?? 1;
        one.replaceChildren(die(face as Face, held[i] ?? false));
        one.setAttribute("aria-label", say(face, held[i] ?? false, i));
      });
    },
  };
}
