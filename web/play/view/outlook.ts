/**
 * Where the game will end: the final score under optimal play, as the fan that narrows turn by turn, the value trace
 * inside it (the mean), and the exact distribution now at its right edge.
 */
import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { summarize } from "../coach";
import { find, onPress, setText } from "./dom";
import type { Chance, OutlookSummary, Outlook } from "../../engine/types";
import { fixed, percent, t, whole } from "../language";
import { add, axis, axisLeft, circle, label, onResize, rect, segment, svgIn, type Group } from "../../look/figure";

/** Risk by position of the slider, from careful to daring. */
export const THETAS = [-0.1, -0.05, -0.02, -0.01, 0, 0.01, 0.02, 0.05, 0.1];
export const riskText = (position: number): string => t.outlook.risks[position] ?? "";

const BIN = 5;
const EMPTY_RANGE = [130, 330];
const MARGIN = { top: 14, right: 4, bottom: 20, left: 30 };

type Scale = ((score: number) => number) & { range: () => number[] };

interface OutlookState {
  /** By the number of turns played; null where it is not known. */
  outlooks: (OutlookSummary | null)[];
  now: Outlook | null;
  /** It is that of a moment ago, but for its mean. */
  stale: boolean;
  turns: number;
  allTurns: number;
  /** Of a finished game. */
  score: number | null;
  target: number | null;
  /** What to say in place of numbers: why there are none. */
  trouble: string | null;
  /** The greatest chance of the target, playing for it. */
  chance: Chance | null;
  /** What the solver is doing. */
  solver: string;
}

export interface OutlookView {
  show: (seen: OutlookState) => void;
}

/** `isOpen`: all of it is shown on a phone too, where at first there is only its heading. */
export function createOutlook(isOpen: boolean): OutlookView {
  const picture = find("#fan");
  const more = find("#outlook-open");
  more.setAttribute("aria-expanded", `${isOpen}`);
  onPress(more, () => {
    const opens = more.getAttribute("aria-expanded") === "false";
    more.setAttribute("aria-expanded", `${opens}`);
    if (opens) find("#outlook").scrollIntoView({ block: "nearest" });
  });
  let seen: OutlookState | null = null;
  let size: [number, number] = [0, 0];
  const redraw = (): void => {
    if (seen && size[0]) draw(picture, ...size, seen);
  };
  onResize(picture, (width, height) => {
    size = [width, height];
    redraw();
  });
  return {
    show: (given) => {
      seen = given;
      picture.classList.toggle("stale", given.stale);
      setText(find("#heading-for"), title(given));
      setText(find("#range"), range(given));
      setText(find("#chance"), chance(given));
      setText(find("#for-it"), chanceText(given));
      setText(find("#solver"), given.solver);
      redraw();
    },
  };
}

function title({ score, now, trouble }: OutlookState): string {
  if (score !== null) return t.outlook.ended(whole(score));
  if (now) return t.outlook.heading(fixed(now.mean));
  return trouble ? t.outlook.none : t.outlook.looking;
}

function range({ score, now, trouble }: OutlookState): string {
  if (score !== null) return t.outlook.how;
  if (!now) return trouble ?? "";
  const { "0.05": low, "0.95": high } = now.quantiles;
  return t.outlook.range(whole(low ?? 0), whole(high ?? 0));
}

/** P(final score >= target). */
function chanceOf(now: Outlook, target: number): number {
  return now.pmf.slice(Math.max(0, target)).reduce((sum, prob) => sum + prob, 0);
}

function chance({ score, now, target }: OutlookState): string {
  if (target === null) return "";
  if (score !== null) return score >= target ? t.outlook.reached : t.outlook.missed(whole(target - score));
  return now ? t.outlook.chance(percent(Math.min(1, chanceOf(now, target)))) : "";
}

/** What playing for the target would make of it. */
function chanceText({ score, chance: best }: OutlookState): string {
  if (score !== null || !best) return "";
  const said = percent(best.chance);
  if (best.wins) return best.exact ? t.table.forWin(said) : t.table.forWinAbout(said);
  return best.exact ? t.outlook.forIt(said) : t.outlook.forItAbout(said);
}

function draw(picture: HTMLElement, width: number, height: number, seen: OutlookState): void {
  const { outlooks, turns, allTurns, target, now, score } = seen;
  const svg = svgIn(picture, width, height, describe(seen));
  const known = outlooks
    .slice(0, turns + 1)
    .map((outlook, turn) =>
      outlook ? { turn, ...(turn === turns && now ? { ...outlook, ...summarize(now) } : outlook) } : null,
    )
    .filter((one) => one !== null);
  const shown = [
    ...known.flatMap(({ quantiles }) => quantiles),
    ...(target === null ? [] : [target]),
    ...(score === null ? [] : [score]),
  ];
  const [low = 0, high = 0] = known.length ? [Math.min(...shown), Math.max(...shown)] : EMPTY_RANGE;
  const side = Math.min(110, width * 0.26);
  const x = scaleLinear([0, allTurns], [MARGIN.left, width - MARGIN.right - side]);
  const y = scaleLinear([low - 8, high + 8], [height - MARGIN.bottom, MARGIN.top]);
  axis(svg, axisLeft<number>(y).ticks(4).tickFormat(whole), MARGIN.left, 0, x(allTurns) - MARGIN.left);
  for (const turn of [0, 5, 10, 15, allTurns].filter((one) => one <= allTurns - 3 || one === allTurns))
    label(
      svg,
      turn ? (turn === allTurns ? t.outlook.turn(turn) : `${turn}`) : t.outlook.start,
      x(turn),
      height - 4,
      "muted small",
      turn ? (turn === allTurns ? "end" : "middle") : "start",
    );

  const fan = svg.append("g");
  const last = known.at(-1);
  // From now on the outlook stays as it is until something happens: this is the fan's open end.
  const ahead = last && score === null ? [last, { ...last, turn: allTurns }] : [];
  for (const [inner, outer, style] of [
    [0, 3, "wide"],
    [1, 2, "half"],
  ] as const) {
    const band = area<(typeof known)[number]>()
      .x((one) => x(one.turn))
      .y0((one) => y(one.quantiles[inner]))
      .y1((one) => y(one.quantiles[outer]));
    add(fan, "path", { d: band(known), class: `band ${style}` });
    add(fan, "path", { d: band(ahead), class: `band ${style} ahead` });
  }
  const mean = line<(typeof known)[number]>()
    .x((one) => x(one.turn))
    .y((one) => y(one.mean));
  add(fan, "path", { d: mean(known), class: "trace" });
  add(fan, "path", { d: mean(ahead), class: "trace ahead" });
  for (const one of known) circle(fan, x(one.turn), y(one.mean), one === last ? 4.5 : 2.2, { class: "mark" });
  if (now && score === null) drawDistribution(svg.append("g"), now, target, y, x(allTurns) + 6, side - 6);
  if (target !== null && known.length) {
    const end = width - MARGIN.right;
    segment(svg, MARGIN.left, y(target), end, y(target), { class: "target" });
    label(svg, whole(target), end, y(target) - 4, "gold small", "end");
  }
  if (last) {
    const text = score === null ? fixed(last.mean) : whole(score);
    const late = last.turn > allTurns * 0.7;
    label(svg, text, x(last.turn) + (late ? -8 : 8), y(last.mean) - 9, "strong", late ? "end" : "start");
  }
}

/** The distribution now, sideways; what reaches the target is filled. */
function drawDistribution(
  group: Group,
  now: Outlook,
  target: number | null,
  y: Scale,
  left: number,
  width: number,
): void {
  const first = (target ?? 0) % BIN;
  const bins = new Array<number>(Math.ceil(now.pmf.length / BIN) + 2).fill(0);
  now.pmf.forEach((prob, score) => {
    const bin = Math.floor((score - first) / BIN) + 1;
    bins[bin] = (bins[bin] ?? 0) + prob;
  });
  const most = Math.max(...bins);
  const thickness = Math.max(1, y(0) - y(BIN) - 0.8);
  const [bottom = 0, top = 0] = y.range();
  bins.forEach((share, bin) => {
    const from = first + (bin - 1) * BIN;
    // The picture ends where the fan does, give or take: what is rarer stays outside.
    if (share < most / 200 || y(from + BIN) < top - 8 || y(from) > bottom + 1) return;
    rect(group, left, y(from + BIN), (share / most) * width, thickness, {
      class: target !== null && from >= target ? "bin reaches" : "bin",
    });
  });
}

function describe({ outlooks, turns, now, score, target }: OutlookState): string {
  if (score !== null) return t.outlook.describedEnd(whole(score));
  if (!now) return t.outlook.describedNone;
  const means = outlooks.slice(0, turns + 1).map((one) => (one ? whole(one.mean) : t.outlook.unknown));
  const reach = target === null ? "" : t.outlook.describedReach(whole(target), percent(chanceOf(now, target)));
  return t.outlook.described(means.join(", ")) + reach;
}
