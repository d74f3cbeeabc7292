/**
 * The die: one small SVG used in prose, figures, coach and card; a held die has the felt outline.
 *
 * The pips are in dice.json (`make tables`): dice in prose and on cards are the same drawing without a script.
 * Colours come from the classes in dice.css.
 */
import pips from "./dice.json";
import { recall, remember } from "./settings";
import "./dice.css";

export type Face = 1 | 2 | 3 | 4 | 5 | 6;

const SVG = "http://www.w3.org/2000/svg";

/** A die as an element of its own: `<svg class="die">`. */
export function die(face: Face, held = false): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", held ? "die held" : "die");
  svg.setAttribute("aria-hidden", "true");
  drawDie(svg, face);
  return svg;
}

/** The die's shapes, 20 units wide, inside any SVG element (a `<g>` with a transform in figures). */
function drawDie(into: SVGElement, face: Face): void {
  const rect = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ x: 1, y: 1, width: 18, height: 18, rx: 4 }))
    rect.setAttribute(name, `${value}`);
  const dots = pips[face].map(([x, y]) => {
    const dot = document.createElementNS(SVG, "circle");
    for (const [name, value] of Object.entries({ cx: x, cy: y, r: 1.9 })) dot.setAttribute(name, `${value}`);
    return dot;
  });
  into.replaceChildren(rect, ...dots);
}

/** A group of dice in a figure, `size` pixels each; `held` says which have the outline. */
export function diceGroup(faces: readonly number[], size: number, held: readonly boolean[] = []): SVGGElement {
  const group = document.createElementNS(SVG, "g");
  faces.forEach((face, i) => {
    const one = document.createElementNS(SVG, "g");
    one.setAttribute("class", held[i] ? "die held" : "die");
    one.setAttribute("transform", `translate(${i * size * 1.1},0) scale(${size / 20})`);
    drawDie(one, face as Face);
    group.append(one);
  });
  return group;
}

// The reader's own dice: set once, they appear in every figure that plays with dice.

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
