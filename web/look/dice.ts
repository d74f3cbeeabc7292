/**
 * The die: one small SVG used in prose, figures, coach and card; a held die has the felt outline.
 *
 * The pips are in dice.json (`make tables`): dice in prose and on cards are the same drawing without a script.
 * Colours come from the classes in dice.css.
 */
import pips from "./dice.json";
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
export function drawDie(into: SVGElement, face: Face): void {
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
