/**
 * The chart's word: which line of a chart that a person can carry decides in a situation, and what it does there.
 *
 * Lines are data (`charts.json`, written by `yatzy.site.charts` from the charts of the library): rules that are tried
 * in order, with the dice that each keeps of every roll. Nothing of a chart is known here but how to find the first
 * rule that fits; below it is said in words.
 */
import { allowed, facesOf, isFilled, keepId, type GameTables } from "../../engine/tables";
import type { Decision, Move } from "../../engine/types";
import type { Rules } from "../game/rules";
import { labelOf, t } from "../language";

type Situation = Pick<Decision, "dice" | "rerolls" | "set" | "upper">;
type ScoreRule = readonly [when: number, line: number, box: number, least: number];
type KeepRule = readonly [when: number, line: number, box: number, least: number, kept: number];

/** The charts of a game by name, and what one of them does in every situation. */
export interface GameCharts {
  fingerprint: string;
  charts: Record<string, Lines>;
  card: {
    name: string;
    score: readonly ScoreRule[];
    keep: readonly KeepRule[];
    patterns: readonly string[];
  };
}

/** What the chart says: its line in words, its number if it has one, and what to do. */
export interface ChartAdvice {
  line: string;
  number: number | null;
  action: Move;
}

const [ALWAYS, FIRST, SECOND] = [0, 1, 2];
const MISSING = "-";

/** The line of this game's chart that decides, in words; null for a game without a chart. */
export async function chartLine(game: GameTables, situation: Situation): Promise<string | null> {
  const ladder = await chartsOf(game);
  return ladder && chartAdvice(ladder, game, situation).line;
}

/** The charts of a game, fetched when they are first asked for. */
export async function chartsOf(game: GameTables): Promise<GameCharts | null> {
  const { default: charts } = await import("../data/charts.json");
  const found = Object.values(charts as unknown as Record<string, GameCharts>);
  return found.find((ladder) => ladder.fingerprint === game.fingerprint) ?? null;
}

export function chartAdvice(ladder: GameCharts, game: GameTables, situation: Situation): ChartAdvice {
  const { set } = situation;
  const roll = keepId(game, situation.dice);
  const points = pointsByBox(game, set, roll);
  return situation.rerolls
    ? firstKeep(ladder, game, set, roll, points, situation.rerolls)
    : firstScore(ladder, game, set, points, situation.upper);
}

function firstScore(
  { card, charts }: GameCharts,
  game: GameTables,
  set: number,
  points: readonly (number | undefined)[],
  upper: number,
): ChartAdvice {
  const now = isSettled(game, set, upper) ? SECOND : FIRST;
  const rule = card.score.find(
    ([when, , box, least]) => (when === ALWAYS || when === now) && (points[box] ?? -1) >= least,
  );
  const lines = charts[card.name];
  if (!rule || !lines) throw new Error(card.name);
  const line = lines.scores[rule[1]];
  return {
    line: line ? scoreText(game, line) : giveUpText(game, lines),
    number: line ? rule[1] + 1 : null,
    action: { score: rule[2] },
  };
}

function firstKeep(
  { card, charts }: GameCharts,
  game: GameTables,
  set: number,
  roll: number,
  points: readonly (number | undefined)[],
  rerolls: number,
): ChartAdvice {
  const now = rerolls === game.rerolls ? FIRST : SECOND;
  const rule = card.keep.find(([when, , box, least, kept]) => {
    const isTime = when === ALWAYS || when === now;
    const isOpen = box < 0 || (least < 0 ? !isFilled(set, box) : (points[box] ?? -1) >= least);
    return isTime && isOpen && card.patterns[kept]?.[roll] !== MISSING;
  });
  if (!rule) throw new Error(card.name);
  const bits = parseInt(card.patterns[rule[4]]?.[roll] ?? "0", 32);
  const keep = facesOf(game, roll).filter((_, place) => (bits >> place) & 1);
  const line = charts[card.name]?.keeps[rule[1]];
  return {
    line: line ? keepWords(game, line) : t.paper.keepNothing,
    number: line ? rule[1] + 1 : null,
    action: { keep },
  };
}

function pointsByBox(game: GameTables, set: number, roll: number): (number | undefined)[] {
  const found: (number | undefined)[] = [];
  for (const end of allowed(game, set, roll))
    found[game.outcomes.category[end] ?? 0] = game.outcomes.points[end] ?? 0;
  return found;
}

/** Is the bonus safe, or out of reach? */
function isSettled(game: GameTables, set: number, upper: number): boolean {
  const toCome = game.categories.reduce(
    (sum, one, box) => sum + (one.upper && !isFilled(set, box) ? one.most : 0),
    0,
  );
  return upper >= game.bonus_threshold || upper + toCome < game.bonus_threshold;
}

// Lines of a chart in the language of the page: one phrase for every line. In English they are the library's own words
// (`yatzy.players.chart`), letter by letter.

/** What both kinds of lines have: dice to see (`a` and `b` are dice alike), a reason by number, and what it is worth. */
interface LineBase {
  picture: string;
  why: number;
  cost: number;
}

export interface KeepLine extends LineBase {
  kind: string;
  n: number;
  low: number;
  high: number;
  own: boolean;
  boxes: number[];
  box: number;
  throw: string;
  /** Points that the first of the boxes can bring: the fewest and the most. */
  amounts?: number[];
}

export interface ScoreLine extends LineBase {
  boxes: number[];
  least: number;
  when: string;
  amounts: number[];
}

export interface Lines {
  mean: number;
  reads: number;
  give_up: number[];
  keeps: KeepLine[];
  scores: ScoreLine[];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function either(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${t.paper.either} ${last}`;
}

const isUpper = (rules: Rules, box: number): boolean => rules.categories[box]?.upper ?? false;

function boxesText(rules: Rules, boxes: readonly number[], least: number, amounts: readonly number[]): string {
  const { paper } = t;
  const isAll = boxes.length === rules.faces && boxes.every((box) => isUpper(rules, box));
  const names = isAll ? paper.anyUpper : either(boxes.map((box) => labelOf(rules, box)));
  const said = paper.numbers[least] ?? "";
  const [fewest = 0, most = 0] = amounts;
  if (least === 0) return `${names}: ${paper.forNothing}`;
  if (isUpper(rules, boxes[0] ?? 0))
    return `${names}: ${least === rules.dice ? paper.dice(said) : paper.orMoreDice(said, least)}`;
  if (boxes.length > 1) return `${names}: ${paper.anyPoints}`;
  if (least <= fewest) return most > fewest ? `${names}: ${paper.anyPoints}` : names;
  return `${names}: ${least === most ? paper.points(least) : paper.orMorePoints(least)}`;
}

export function scoreText(rules: Rules, { boxes, least, when, amounts }: ScoreLine): string {
  const after = when === "in reach" ? t.paper.inReach : when === "settled" ? t.paper.settled : "";
  return boxesText(rules, boxes, least, amounts) + after;
}

/** The dice to see, and when the line holds. */
export function keepText(rules: Rules, line: KeepLine): string {
  const { paper } = t;
  const box = line.box >= 0 ? paper.ifOpen(labelOf(rules, line.box)) : "";
  const thrown = line.throw === "first" ? paper.first : line.throw === "last" ? paper.second : "";
  return patternText(rules, line) + box + thrown;
}

function patternText(rules: Rules, { kind, n, low, high, own, boxes, amounts = [] }: KeepLine): string {
  const { paper } = t;
  const faces = Array.from({ length: high - low + 1 }, (_, i) => low + i).join(" ");
  switch (kind) {
    case "complete":
      return boxesText(rules, boxes, n, amounts) + (boxes.length === 1 ? paper.isOpen : paper.thatOpen);
    case "two pairs":
      return paper.twoPairs;
    case "nothing":
      return paper.anyDice;
    case "from":
      return low < rules.faces ? paper.fromFace(low) : paper.ofFace(low);
    case "run":
      return n === high - low + 1 ? faces : capital(paper.different(paper.numbers[n] ?? "", faces));
    default:
      return (
        alikeText(rules, n, low, high) +
        (kind === "with highest" ? paper.withHighest : "") +
        (own ? (n === 1 ? paper.own : paper.owns) : "")
      );
  }
}

function alikeText(rules: Rules, n: number, low: number, high: number): string {
  const { paper } = t;
  const said = paper.numbers[n] ?? "";
  if (low === high) return capital(paper.ofOne(said, paper.faces[low - 1] ?? ""));
  const isAny = low === 1 && high === rules.faces;
  const between = high === rules.faces ? paper.orHigher(low) : low === 1 ? paper.orLower(high) : null;
  const which = isAny ? "" : (between ?? paper.between(low, high));
  return n === 1 ? paper.anyDie(which) : capital(paper.alike(said, which));
}

/** What a keeping line keeps. */
export function keptText({ kind }: KeepLine): string {
  const { paper } = t;
  if (kind === "two pairs") return paper.pairs;
  if (kind === "run") return paper.each;
  if (kind === "complete") return paper.allDice;
  return kind === "nothing" ? paper.nothing : paper.them;
}

export const keepWords = (rules: Rules, line: KeepLine): string => `${keepText(rules, line)}: ${keptText(line)}`;

export const giveUpText = (rules: Rules, { give_up }: Lines): string =>
  t.paper.giveUp(give_up.map((box) => labelOf(rules, box)).join(", "));
