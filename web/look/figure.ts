/**
 * What all figures share: a box of fixed size, controls above the picture, a readout below it.
 *
 * A figure's module exports `draw(root, data)`. `data` maps study names to their results. Inside `root`, whose size is
 * set by the style sheet, `frame` makes the parts; `onResize` draws again when the width changes.
 */
import { select, type Selection } from "d3-selection";
import { axisBottom, axisLeft, type Axis, type AxisDomain } from "d3-axis";
import { area, line, symbol, type SymbolType } from "d3-shape";
import type { Data } from "./results";

export type { Data };
export type Draw = (root: HTMLElement, data: Data) => void;
export type Svg = Selection<SVGSVGElement, unknown, null, undefined>;
export type Group = Selection<SVGGElement, unknown, null, undefined>;

export interface Frame {
  controls: HTMLElement;
  picture: HTMLElement;
  readout: HTMLElement;
  /** Shows again what was chosen: controls call it themselves, buttons do not. */
  refresh: () => void;
}

/** What shows what was chosen, by figure: set once it is drawn. */
const shows = new WeakMap<Element, () => void>();
const refresh = (part: Element): void => shows.get(part.parentElement ?? part)?.();

/**
 * The three parts of a figure: controls, picture (takes what height is left), and a readout of this many lines, which
 * screen readers announce; 0 for none.
 */
export function frame(root: HTMLElement, lines: 0 | 1 | 2 = 1): Frame {
  const make = (style: string): HTMLElement => {
    const part = document.createElement("div");
    part.className = style;
    return part;
  };
  const parts = { controls: make("controls"), picture: make("picture"), readout: make("readout") };
  parts.readout.setAttribute("aria-live", "polite");
  parts.readout.classList.toggle("tall", lines === 2);
  root.replaceChildren(parts.controls, parts.picture, ...(lines ? [parts.readout] : []));
  return { ...parts, refresh: () => refresh(parts.picture) };
}

/** Draws now and whenever the element's width changes; `small` says that it is that of a phone. */
export function onResize(
  element: HTMLElement,
  draw: (width: number, height: number, small: boolean) => void,
): void {
  let last = 0;
  const redraw = (): void => {
    const { clientWidth: width, clientHeight: height } = element;
    if (width > 0 && width !== last) {
      last = width;
      draw(width, height, narrow(width));
    }
  };
  redraw();
  new ResizeObserver(redraw).observe(element);
}

/** An empty SVG that fills the picture, with a description for those who cannot see it. */
export function svgIn(picture: HTMLElement, width: number, height: number, description: string): Svg {
  picture.querySelectorAll("svg.plot").forEach((old) => old.remove());
  return select(picture)
    .append("svg")
    .attr("class", "plot")
    .attr("viewBox", `0 0 ${width} ${height}`)
    .attr("width", width)
    .attr("height", height)
    .attr("role", "img")
    .attr("aria-label", description);
}

type Plot<T> = (svg: Svg, width: number, height: number, small: boolean) => T;

/**
 * A picture drawn into an SVG of its own, now and whenever its width changes. What `draw` returns shows what was
 * chosen: it is called then, and whenever a control is moved.
 */
export function plot(picture: HTMLElement, description: string, draw: Plot<(() => void) | void>): void {
  onResize(picture, (width, height, small) => {
    const show = draw(svgIn(picture, width, height, description), width, height, small);
    if (show) shows.set(picture.parentElement ?? picture, show);
    show?.();
  });
}

/** The same for a picture that is drawn anew whenever a control is moved. */
export function plotAnew(picture: HTMLElement, description: string, draw: Plot<void>): void {
  onResize(picture, (width, height, small) => {
    const show = (): void => draw(svgIn(picture, width, height, description), width, height, small);
    shows.set(picture.parentElement ?? picture, show);
    show();
  });
}

export function button(into: HTMLElement, label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  into.append(made);
  return made;
}

export interface SliderOptions {
  label: string;
  min: number;
  max: number;
  value: number;
  /** What the position means, shown beside the slider and read aloud. */
  text: (value: number) => string;
  /** It was moved; the figure is shown anew after that. */
  change?: (value: number) => void;
}

/** Where a slider stands; `set` moves it. */
export interface Slider {
  value: number;
  set: (value: number) => void;
}

/** A labelled range input: does for keyboard and finger what hovering does for a mouse. */
export function slider(into: HTMLElement, { label: named, min, max, value, text, change }: SliderOptions): Slider {
  const label = document.createElement("label");
  label.className = "slider";
  const name = document.createElement("span");
  name.textContent = named;
  const input = document.createElement("input");
  Object.assign(input, { type: "range", min: `${min}`, max: `${max}`, step: "1", value: `${value}` });
  const shown = document.createElement("output");
  label.append(name, input, shown);
  into.append(label);
  const show = (): void => {
    input.value = `${made.value}`;
    shown.textContent = text(made.value);
    input.setAttribute("aria-valuetext", text(made.value));
  };
  const made: Slider = {
    value,
    set: (wanted) => {
      made.value = Math.max(min, Math.min(max, Math.round(wanted)));
      show();
      change?.(made.value);
      refresh(into);
    },
  };
  input.addEventListener("input", () => made.set(+input.value));
  show();
  return made;
}

/** Buttons, one of which is pressed. */
export function choice<T extends string>(
  into: HTMLElement,
  label: string,
  names: readonly (readonly [T, string])[],
  change: (name: T) => void,
): void {
  const group = document.createElement("div");
  group.className = "choice";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  const buttons = names.map(([name, text]) =>
    button(group, text, () => {
      buttons.forEach((one, i) => one.setAttribute("aria-pressed", `${names[i]?.[0] === name}`));
      change(name);
      refresh(into);
    }),
  );
  buttons.forEach((one, i) => one.setAttribute("aria-pressed", `${i === 0}`));
  into.append(group);
}

/** A light axis: no domain line, ticks as grid lines if `grid` is their length. */
export function axis<D extends AxisDomain>(
  into: Group | Svg,
  made: Axis<D>,
  x: number,
  y: number,
  grid = 0,
): Group {
  const group = into.append("g").attr("class", "axis").attr("transform", `translate(${x},${y})`);
  made.tickSize(grid ? -grid : 4).tickPadding(6);
  group.call(made);
  group.select(".domain").remove();
  group.attr("font-family", null).attr("font-size", null);
  return group;
}

/** A vertical axis whose numbers stand on the grid lines, inside the picture; the lowest is left out. */
export function axisInside<D extends AxisDomain>(into: Svg, made: Axis<D>, x: number, grid: number): void {
  const texts = axis(into, made, x, 0, grid).selectAll("text");
  texts.attr("x", 0).attr("dy", "-0.4em").attr("text-anchor", "start");
  texts.filter((_, i) => i === 0).remove();
}

export { axisBottom, axisLeft };

type Attributes = Record<string, string | number | null>;

/** An element of a figure with its attributes. */
export function add<T extends keyof SVGElementTagNameMap>(
  into: Group | Svg,
  tag: T,
  attributes: Attributes,
): Selection<SVGElementTagNameMap[T], unknown, null, undefined> {
  const made = (into as Group).append<SVGElementTagNameMap[T]>(tag);
  for (const [name, value] of Object.entries(attributes)) made.attr(name, value);
  return made;
}

export const circle = (into: Group | Svg, cx: number, cy: number, r: number, more: Attributes = {}) =>
  add(into, "circle", { cx, cy, r, ...more });

export const rect = (
  into: Group | Svg,
  x: number,
  y: number,
  width: number,
  height: number,
  more: Attributes = {},
) => add(into, "rect", { x, y, width, height, ...more });

export const segment = (
  into: Group | Svg,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  more: Attributes = {},
) => add(into, "line", { x1, y1, x2, y2, ...more });

/** A line through points, by where each of them lies. */
export const curve = <T>(
  into: Group | Svg,
  points: readonly T[],
  x: (one: T, i: number) => number,
  y: (one: T, i: number) => number,
  more: Attributes = {},
) => add(into, "path", { d: line<T>(x, y)(points), fill: "none", ...more });

/** The area between two lines through points. */
export const between = <T>(
  into: Group | Svg,
  points: readonly T[],
  x: (one: T, i: number) => number,
  low: (one: T, i: number) => number,
  high: (one: T, i: number) => number,
  more: Attributes = {},
) => add(into, "path", { d: area<T>(x, low, high)(points), ...more });

/** A mark of some form and size at a place. */
export const sign = (into: Svg, form: SymbolType, size: number, x: number, y: number, more: Attributes) =>
  add(into, "path", { d: symbol(form, size)(), class: "mark", transform: `translate(${x},${y})`, ...more });

/** The number of the place nearest to where somebody points, -1 if none is within reach. */
export function nearest(
  event: MouseEvent,
  places: readonly (readonly [number, number] | null)[],
  reach = Infinity,
): number {
  let [found, least] = [-1, reach ** 2];
  places.forEach((place, i) => {
    const far = place ? (place[0] - event.offsetX) ** 2 + (place[1] - event.offsetY) ** 2 : Infinity;
    if (far < least) [found, least] = [i, far];
  });
  return found;
}

/** Text in a figure, with a halo in the paper's colour so that it reads over marks. */
export function label(
  into: Group | Svg,
  text: string,
  x: number,
  y: number,
  style = "",
  anchor: "start" | "middle" | "end" = "start",
): Selection<SVGTextElement, unknown, null, undefined> {
  return into
    .append("text")
    .attr("class", `label ${style}`)
    .attr("x", x)
    .attr("y", y)
    .attr("text-anchor", anchor)
    .text(text);
}

/** The pattern of games with bonus and Yatzy: deep green crossed by gold. Returns the paint for `fill`. */
export function hatch(svg: Svg, id: string, ground = "var(--both)", stripe = "var(--both-edge)"): string {
  const pattern = svg
    .append("defs")
    .append("pattern")
    .attr("id", id)
    .attr("width", 7)
    .attr("height", 7)
    .attr("patternUnits", "userSpaceOnUse")
    .attr("patternTransform", "rotate(45)");
  pattern.append("rect").attr("width", 7).attr("height", 7).attr("fill", ground);
  pattern.append("rect").attr("width", 1.6).attr("height", 7).attr("fill", stripe);
  return `url(#${id})`;
}

export const thousands = (value: number): string => Math.round(value).toLocaleString("en");
export const fixed = (value: number, decimals = 1): string =>
  value
    .toLocaleString("en", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      signDisplay: "negative",
    })
    .replace("-", "−");
export const percent = (share: number, decimals = 1): string => `${fixed(100 * share, decimals)}%`;
export const narrow = (width: number): boolean => width < 560;
