/** Why one choice is better than another: a sentence or two, and the points box by box for those who want to see them add up. */
import { whyOf, type Why } from "../coach";
import { el, setText } from "./dom";
import { reasonText } from "./reason";
import { actionText } from "./words";
import type { Move, Situation } from "../../engine/types";
import type { Rules } from "../game/rules";
import { labelOf, percent, signed, t } from "../language";

/** A row of the bars: points that the better choice brings more, less than 0 if the other one does. */
export interface Bar {
  /** The number of a part: boxes, then the bonus and extra points; -1 for all that is not shown by itself. */
  part: number;
  points: number;
}

/** Parts that round to less than this share one row. */
const SHOWN = 0.05;
const MAX_BARS = 8;

/** The largest parts as rows in tenths that add up to the sum, itself rounded: what one is off by is less than a tenth. */
export function barsOf(parts: readonly number[]): { bars: Bar[]; sum: number } {
  const sum = Math.round(10 * parts.reduce((all, one) => all + one, 0));
  const bySize = parts
    .map((points, part) => ({ part, points }))
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points) || a.part - b.part);
  const shown = bySize.filter(({ points }, i) => i < MAX_BARS && Math.abs(points) >= SHOWN);
  const rest = bySize.slice(shown.length).reduce((all, { points }) => all + points, 0);
  const rows = [...shown, ...(bySize.length > shown.length ? [{ part: -1, points: rest }] : [])];
  const tenths = rows.map(({ points }) => Math.floor(10 * points));
  const missing = sum - tenths.reduce((all, one) => all + one, 0);
  const order = rows
    .map(({ points }, i) => ({ i, over: 10 * points - (tenths[i] ?? 0) }))
    .sort((a, b) => b.over - a.over);
  for (const { i } of order.slice(0, missing)) tenths[i] = (tenths[i] ?? 0) + 1;
  const bars = rows.map(({ part }, i) => ({ part, points: (tenths[i] ?? 0) / 10 }));
  return { bars: bars.filter(({ points }) => points !== 0), sum: sum / 10 };
}

/** What a part is called. */
export function partName(rules: Rules, part: number): string {
  if (part < 0) return t.why.rest;
  if (part < rules.categories.length) return labelOf(rules, part);
  return part === rules.categories.length && rules.bonus ? t.card.bonus : t.card.extra;
}

/** The bars as a table: right of the line what the better choice wins, left of it what it gives up. */
function barTable(rules: Rules, why: Why): HTMLElement {
  const { bars, sum } = barsOf(why.parts);
  const most = Math.max(0.1, ...bars.map(({ points }) => points));
  const least = Math.min(0, ...bars.map(({ points }) => points));
  const share = (length: number): string => `${(100 * length) / (most - least)}%`;
  const row = ({ part, points }: Bar): HTMLElement => {
    const bar = el("span", { class: points < 0 ? "gain loss" : "gain" });
    bar.style.left = share(Math.min(0, points) - least);
    bar.style.width = share(Math.abs(points));
    const line = el("span", { class: "zero" });
    line.style.left = share(-least);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, partName(rules, part)),
      el("td", { class: "bars", "aria-hidden": "true" }, el("span", { class: "track" }, bar, line)),
      el("td", {}, signed(points)),
    );
  };
  const caption = el("caption", {}, ...captionText(rules, why));
  const total = el(
    "tr",
    { class: "sum" },
    el("th", { scope: "row" }, t.why.together),
    el("td", { "aria-hidden": "true" }),
    el("td", {}, signed(sum)),
  );
  return el("table", { class: "bars-by-box" }, caption, el("tbody", {}, ...bars.map(row), total));
}

/** Which two choices are compared. */
function captionText(rules: Rules, { reason, isSum }: Why): (Node | string)[] {
  const { action, rival } = reason;
  if (!rival) return [];
  return [
    ...actionText(rules, action),
    ` ${t.why.against} `,
    ...actionText(rules, rival),
    `. ${isSum ? t.why.adds : t.why.needNotAdd}`,
  ];
}

/** What is known of a why: the sentence, and behind a button the bars. */
function told(rules: Rules, why: Why): HTMLElement[] {
  const said = el("p", { class: "why" }, ...reasonText(rules, why.reason));
  if (!why.parts.some((one) => Math.abs(one) >= SHOWN)) return [said];
  const details = el("details", { class: "where-points-go" }, el("summary", {}, t.why.show));
  // The bars are drawn when somebody looks.
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(barTable(rules, why));
  });
  return [said, details];
}

/**
 * Why a choice is what it is: against the best, or for the best against the next. Says that it is being worked out until it
 * is known, and nothing if it cannot be.
 */
export function whyView(rules: Rules, asked: Situation, move: Move): HTMLElement {
  const waiting = el("p", { class: "why waiting" }, t.why.working);
  const box = el("div", { class: "why-box" }, waiting);
  whyOf(rules, asked, move, (share) => setText(waiting, `${t.why.working} ${percent(share)}`))
    .then((why) => box.replaceChildren(...(why ? told(rules, why) : [])))
    .catch(() => box.replaceChildren());
  return box;
}
