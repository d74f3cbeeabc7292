/**
 * How a game ended: who won, who played best, and the dice for those who doubt them.
 *
 * Score = average of perfect play + luck - points lost, so points lost say who played best, whatever the dice did.
 */
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { errorText, reviewOfGame, whyNoCoach } from "../coach";
import type { Review } from "../../engine/types";
import { hasDice, scoreOf, type Game } from "../game/game";
import { winners, type Seat, type Table } from "../game/table";
import { fixed, list, percent, signed, t, whole } from "../language";
import { die, type Face } from "../../look/dice";
import { add, axis, axisBottom, axisLeft, label, segment, svgIn } from "../../look/figure";
import { featsOf, isNothing } from "./joy";
import { termsOf } from "./review";
import { el, find, plainButton, setText, tableOf } from "../view/dom";
import { cardsOf } from "../view/players";

/** Less luck is shown as none. */
const LEAST_LUCK = 0.05;
/** Fewer dice than this say nothing about their faces. */
const MIN_DICE = 60;
const UNUSUAL = 0.05;
/** Players by colour and dashes, in their order. */
const LINES = [
  ["var(--felt)", "none"],
  ["var(--sea)", "7 3"],
  ["var(--gold)", "2 3"],
  ["var(--loss)", "9 3 2 3"],
  ["var(--muted)", "none"],
  ["var(--ink)", "4 4"],
] as const;
const NAME_LENGTH = 10;

/** `look`: the review of a seat is wanted. Returns what shows the end of a table's game. */
export function createEnd(look: (seat: number) => void): (table: Table) => void {
  let shown: Seat[] = [];
  return (table) => {
    const { seats } = table;
    const isSame =
      shown.length === seats.length && seats.every(({ game }, i) => game.turns === shown[i]?.game.turns);
    if (isSame) return;
    shown = seats;
    const isShared = seats.length > 1;
    const parts = isShared ? [standings(table), allCards(table), ...playedBest(seats, look)] : [];
    find("#ending").replaceChildren(...parts);
    find("#doubts").replaceChildren(...doubts(seats));
    if (isShared) showWinner(table);
  };
}

const byScore = (seats: readonly Seat[]): Seat[] => [...seats].sort((a, b) => scoreOf(b.game) - scoreOf(a.game));

function showWinner(table: Table): void {
  const first = winners(table);
  const most = scoreOf((first[0] as Seat).game);
  const after = byScore(table.seats).filter((seat) => !first.includes(seat));
  const next = after[0] ? scoreOf(after[0].game) : most;
  const behind = after.filter(({ game }) => scoreOf(game) === next).map(({ name }) => name);
  const names = first.map(({ name }) => name);
  setText(find("#review-title"), names.length === 1 ? t.table.winner(names[0] ?? "") : t.table.tied(list(names)));
  setText(
    find("#verdict"),
    names.length === 1 ? t.end.ahead(whole(most), whole(most - next), list(behind)) : t.end.each(whole(most)),
  );
}

/** Everybody by score; who has the same score has the same place. */
function standings({ seats }: Table): HTMLElement {
  const sorted = byScore(seats);
  const rows = sorted.map(({ name, game }) => {
    const place = 1 + sorted.filter((other) => scoreOf(other.game) > scoreOf(game)).length;
    return el(
      "tr",
      place === 1 ? { class: "first" } : {},
      el("td", {}, `${place}.`),
      el("th", { scope: "row" }, name),
      el("td", {}, whole(scoreOf(game))),
    );
  });
  const table = tableOf([t.end.place, t.end.player, t.end.points], ...rows);
  table.className = "standings";
  return table;
}

const allCards = (table: Table): HTMLElement => {
  const cards = el("div", { class: "cards", tabindex: "0", role: "group", "aria-label": t.table.cards });
  cards.append(cardsOf(table, -1));
  return el("details", { id: "all-cards" }, el("summary", {}, t.end.allCards), cards);
};

// Who played best.

interface Played {
  seat: Seat;
  /** Where it sits. */
  place: number;
  found: Review | null;
  /** Records and firsts. */
  feats: string[];
}

function playedBest(seats: readonly Seat[], look: (seat: number) => void): HTMLElement[] {
  const why = whyNoCoach();
  if (why) return [el("p", { class: "quiet" }, why)];
  if (!seats.some(({ game }) => hasDice(game))) return [el("p", { class: "quiet" }, t.table.noReview)];
  // Everything has its size before the coach has gone through the games.
  const [heading, note] = [el("h3", {}, t.review.wait), el("p", { class: "quiet", id: "best-note" })];
  const body = el("div", { id: "best" });
  const picture = el("div", { id: "luck" });
  const unknown = seats.map((seat, place) => ({ seat, place, found: null, feats: [] }));
  body.replaceChildren(bestTable(unknown, look));
  const fill = async (): Promise<void> => {
    const found: (Review | null)[] = [];
    for (const { game } of seats) found.push(hasDice(game) ? await reviewOfGame(game) : null);
    const played: Played[] = [];
    for (const [i, one] of unknown.entries()) {
      const [review, isPerson] = [found[i] ?? null, one.seat.kind === "person"];
      const feats = review && isPerson ? await featsOf(one.seat.game, review.lost) : [];
      played.push({ ...one, found: review, feats });
    }
    if (!body.isConnected) return;
    const known = played.filter(({ found }) => found).sort((a, b) => lostBy(a) - lostBy(b));
    body.replaceChildren(bestTable([...known, ...played.filter(({ found }) => !found)], look));
    setText(heading, bestTitle(known));
    setText(note, bestNote(known));
    drawLuck(picture, known);
  };
  fill().catch((error: unknown) => {
    setText(heading, t.review.kept);
    setText(note, errorText(error));
  });
  return [
    heading,
    body,
    note,
    el("h3", {}, t.end.luckTitle),
    picture,
    el("p", { class: "quiet" }, t.end.luckNote),
  ];
}

const lostBy = ({ found }: Played): number => found?.lost ?? Infinity;
const luckOf = ({ found }: Played): number => (found ? termsOf(found).luck : 0);

function bestTitle(known: readonly Played[]): string {
  const [first] = known;
  if (!first) return "";
  // Equal is what is shown as equal.
  const best = known.filter((one) => fixed(lostBy(one)) === fixed(lostBy(first))).map(({ seat }) => seat.name);
  return best.length > 1 ? t.end.bestTied(list(best)) : t.end.best(first.seat.name);
}

/** What the columns are; and why somebody else has won, if so. */
function bestNote(known: readonly Played[]): string {
  const starts = new Set(known.map(({ found }) => fixed(found?.start_value ?? 0)));
  const [start] = starts;
  const [best] = known;
  const score = (one: Played): number => scoreOf(one.seat.game);
  const won = [...known].sort((a, b) => score(b) - score(a))[0];
  const lucky = best && won && won !== best && score(won) > score(best) ? luckOf(won) - luckOf(best) : 0;
  const spared = known.flatMap(({ seat, found }) =>
    found && termsOf(found).spared ? `${seat.name} ${fixed(found.spared)}` : [],
  );
  return [
    starts.size === 1 && start ? t.end.note(start) : "",
    lucky >= LEAST_LUCK && best && won ? t.end.lucky(won.seat.name, fixed(lucky), best.seat.name) : "",
    spared.length ? t.end.spared(list(spared)) : "",
  ].join(" ");
}

function bestTable(played: readonly Played[], look: (seat: number) => void): HTMLElement {
  const rows = played.map((one) => {
    const { seat, place, found, feats } = one;
    const open = plainButton(t.end.review, () => look(place), { "aria-label": t.end.reviewOf(seat.name) });
    open.disabled = !hasDice(seat.game);
    const hints = seat.game.about.hints ? el("small", { class: "quiet" }, t.end.withHints) : "";
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, seat.name, ...feats.map((feat) => el("small", { class: "joy" }, feat)), hints),
      el("td", found && isNothing(found.lost) ? {} : { class: "lost" }, found ? fixed(found.lost) : "–"),
      el("td", { class: "luck" }, found ? signed(luckOf(one)) : "–"),
      el("td", {}, open),
    );
  });
  return tableOf([t.end.player, t.end.lost, t.end.luck, t.end.review], ...rows);
}

/** Luck added up turn by turn, a line for everybody. */
function drawLuck(picture: HTMLElement, known: readonly Played[]): void {
  const lines = [...known]
    .sort((a, b) => a.place - b.place)
    .map(({ seat, place, found }) => {
      let sum = 0;
      const points = (found?.turns ?? []).map(({ turn, luck }) => ({ turn, luck: (sum += luck) }));
      const [first] = points;
      return { name: seat.name, place, points: first ? [{ turn: first.turn - 1, luck: 0 }, ...points] : [] };
    });
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  const said = lines.map(
    ({ name, points }) =>
      `${name}: ${points
        .slice(1)
        .map(({ luck }) => signed(luck))
        .join(", ")}`,
  );
  const svg = svgIn(picture, width, height, t.end.luckDescribed(said.join("; ")));
  const all = lines.flatMap(({ points }) => points);
  const x = scaleLinear([0, Math.max(1, ...all.map(({ turn }) => turn))], [38, width - 84]);
  const lucks = all.map(({ luck }) => luck);
  const y = scaleLinear([Math.min(-5, ...lucks), Math.max(5, ...lucks)], [height - 24, 10]);
  axis(svg, axisLeft<number>(y).ticks(4).tickFormat(whole), 34, 0, width - 118);
  axis(svg, axisBottom<number>(x).ticks(5).tickFormat(whole), 0, height - 24);
  segment(svg, 38, y(0), width - 84, y(0), { class: "zero" });
  const ends = spread(
    lines.map(({ points }) => y(points.at(-1)?.luck ?? 0)),
    [10, height - 26],
  );
  lines.forEach(({ name, place, points }, i) => {
    const [stroke, dashes] = LINES[place % LINES.length] as (typeof LINES)[number];
    const path = line<(typeof points)[number]>()
      .x(({ turn }) => x(turn))
      .y(({ luck }) => y(luck));
    add(svg, "path", { d: path(points), fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": dashes });
    const short = name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
    segment(svg, width - 80, (ends[i] ?? 0) - 4, width - 66, (ends[i] ?? 0) - 4, {
      stroke,
      "stroke-width": 2,
      "stroke-dasharray": dashes,
    });
    label(svg, short, width - 62, ends[i] ?? 0, "small", "start");
  });
}

/** Places of labels that would touch: moved apart, and kept between the ends. */
function spread(wanted: readonly number[], [low, high]: readonly [number, number], gap = 15): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = [...wanted];
  order.forEach((i, k) => {
    const above = k ? (places[order[k - 1] as number] ?? 0) + gap : low;
    places[i] = Math.max(above, (wanted[i] ?? 0) + 4);
  });
  let limit = high;
  for (const i of order.reverse()) {
    places[i] = Math.min(places[i] ?? 0, limit);
    limit = (places[i] ?? 0) - gap;
  }
  return places;
}

// For those who doubt the dice.

/** How often each face was thrown; dice that were held are not counted again. */
export function facesThrown({ rules, turns }: Pick<Game, "rules" | "turns">): number[] {
  const counts = new Array<number>(rules.faces).fill(0);
  const count = (dice: readonly number[], by: 1 | -1): void =>
    dice.forEach((face) => (counts[face - 1] = (counts[face - 1] ?? 0) + by));
  for (const { rolls, keeps } of turns) {
    rolls.forEach((roll) => count(roll, 1));
    keeps.forEach((keep) => count(keep, -1));
  }
  return counts;
}

/**
 * The chance that counts of fair dice are at least as uneven, by Pearson's test: with k = faces - 1,
 *
 *     X2 = sum of (count - mean)^2 / mean,    P = 1 - gamma(k/2, X2/2) / Gamma(k/2)
 *
 * How many dice are thrown depends on what they show; in 4,000 games of a casual player 0.9, 5.1 and 24.6% were below
 * 0.01, 0.05 and 0.25.
 */
export function chanceOfFair(counts: readonly number[]): number {
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  const half = counts.reduce((sum, n) => sum + (n - mean) ** 2 / mean, 0) / 2;
  const order = (counts.length - 1) / 2;
  // The series of the lower incomplete gamma function, divided by Gamma(order).
  let term = 1;
  let gamma = order % 1 ? Math.sqrt(Math.PI) : 1;
  for (let n = order % 1 ? 0.5 : 1; n <= order; n++) gamma *= n;
  let sum = 0;
  for (let n = 1; n < 500 && term > 1e-15 * sum; n++) {
    sum += term;
    term *= half / (order + n);
  }
  return Math.max(0, Math.min(1, 1 - (half ** order * Math.exp(-half) * sum) / gamma));
}

function doubts(seats: readonly Seat[]): HTMLElement[] {
  // A shadow plays the dice of another.
  const throwers = seats.filter(
    ({ kind, game }) => kind !== "shadow" && game.turns.some(({ rolls }) => rolls.length),
  );
  const [first] = throwers;
  if (!first) return [];
  const counts = throwers.map(({ game }) => facesThrown(game));
  const all = (counts[0] ?? []).map((_, face) => counts.reduce((sum, one) => sum + (one[face] ?? 0), 0));
  const total = all.reduce((sum, n) => sum + n, 0);
  const row = (name: string, of: readonly number[]): HTMLElement =>
    el("tr", {}, el("th", { scope: "row" }, name), ...of.map((n) => el("td", {}, whole(n))));
  const faces = all.map((_, i) =>
    el(
      "th",
      { scope: "col" },
      el("span", { class: "dice", role: "img", "aria-label": `${i + 1}` }, die((i + 1) as Face)),
    ),
  );
  const isMany = throwers.length > 1;
  const table = el(
    "table",
    {},
    el("thead", {}, el("tr", {}, el("td"), ...faces)),
    el(
      "tbody",
      {},
      ...(isMany ? throwers.map(({ name }, i) => row(name, counts[i] ?? [])) : []),
      row(isMany ? t.end.together : t.end.thrown, all),
    ),
  );
  const chance = chanceOfFair(all);
  const uneven = (chance < UNUSUAL ? t.end.unusual : t.end.usual)(percent(chance));
  const seeds = throwers.flatMap(({ name, game }) =>
    game.about.seed === undefined ? [] : [isMany ? `${name}: ${game.about.seed}` : `${game.about.seed}`],
  );
  return [
    el(
      "details",
      {},
      el("summary", {}, t.end.doubts),
      el("p", {}, t.end.counted(whole(total), fixed(total / all.length))),
      table,
      ...(total >= MIN_DICE ? [el("p", { id: "fair" }, uneven)] : []),
      ...(seeds.length
        ? [
            el("p", { class: "quiet" }, t.end.seeds),
            el("ul", { class: "seeds" }, ...seeds.map((one) => el("li", {}, one))),
          ]
        : [el("p", { class: "quiet" }, t.end.noSeed)]),
    ),
  ];
}
