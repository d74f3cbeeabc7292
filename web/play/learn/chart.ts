/**
 * The chart's word: which line of a chart that a person can carry decides in a situation, and what it does there.
 *
 * Lines are data (`charts.json`, written by `yatzy.page.charts` from the charts of the library): rules that are tried
 * in order, with the dice that each keeps of every roll. Nothing of a chart is known here but how to find the first
 * rule that fits; `chart-words` says it.
 */
import { actionId } from "../../engine/advise";
import { allowed, facesOf, isFilled, keepId, type GameTables } from "../../engine/tables";
import type { Decision, Given } from "../../engine/types";
import { giveUpText, keepWords, scoreText, type Lines } from "./chart-words";
import { t } from "../language";

type Situation = Pick<Decision, "dice" | "rerolls" | "set" | "upper">;
type ScoreRule = readonly [when: number, line: number, box: number, least: number];
type KeepRule = readonly [when: number, line: number, box: number, least: number, kept: number];

/** The charts of a game by name, and what one of them does in every situation. */
export interface Ladder {
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
export interface Said {
  line: string;
  number: number | null;
  action: Given;
}

const [ALWAYS, FIRST, SECOND] = [0, 1, 2];
const MISSING = "-";

/** The line of this game's chart that decides, in words; null for a game without a chart. */
export async function chartLine(game: GameTables, situation: Situation): Promise<string | null> {
  const ladder = await ladderOf(game);
  return ladder && chartSays(ladder, game, situation).line;
}

/** What the chart says on a decision that was not the best, if it would have known better; else null. */
export async function chartKnew(game: GameTables, one: Decision): Promise<Said | null> {
  const ladder = await ladderOf(game);
  const said = ladder && chartSays(ladder, game, one);
  return said && actionId(game, said.action) === actionId(game, one.best) ? said : null;
}

/** The charts of a game, fetched when they are first asked for. */
export async function ladderOf(game: GameTables): Promise<Ladder | null> {
  const { default: charts } = await import("../data/charts.json");
  const found = Object.values(charts as unknown as Record<string, Ladder>);
  return found.find((ladder) => ladder.fingerprint === game.fingerprint) ?? null;
}

export function chartSays(ladder: Ladder, game: GameTables, situation: Situation): Said {
  const { set } = situation;
  const roll = keepId(game, situation.dice);
  const points = pointsByBox(game, set, roll);
  return situation.rerolls
    ? firstKeep(ladder, game, set, roll, points, situation.rerolls)
    : firstScore(ladder, game, set, points, situation.upper);
}

function firstScore(
  { card, charts }: Ladder,
  game: GameTables,
  set: number,
  points: readonly (number | undefined)[],
  upper: number,
): Said {
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
  { card, charts }: Ladder,
  game: GameTables,
  set: number,
  roll: number,
  points: readonly (number | undefined)[],
  rerolls: number,
): Said {
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
