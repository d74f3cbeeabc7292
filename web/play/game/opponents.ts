/**
 * Opponents of a strength: they stray from the best as people do, and never far. As `yatzy.policies.opponents`, with Q(a) the
 * value of action a and best the largest of them,
 *
 *     P(a) = exp(-sharpness * (best - Q(a)) / limit) / sum over such actions    if best - Q(a) <= limit,    else 0
 *
 * Their means, and those of players to compare with, are the library's.
 */
import levels from "../data/levels.json";
import type { AdvisedAction, OpponentKind, PlayerKind } from "../../engine/types";
import { baseGame } from "../language";
import { isSolved, type Rules } from "./rules";

/** What a level of play is told by: exact means in a game, each of the players that people can picture first. */
export interface KnownMeans {
  best: number;
  references: { player: string; mean: number }[];
  limits: number[];
  means: number[];
  /** Was all of it computed for just these rules? */
  exact: boolean;
}

/** A loss of just the limit is within it. */
const ROUNDING = 1e-9;
const LEAST = 0.05;
const MOST = 50;
const BY_LIMIT = "limit-";
const LEVELS = new Map(Object.entries(levels.levels) as [OpponentKind, number][]);

/** The five of them, weakest first. */
export const OPPONENTS = [...LEVELS.keys()];

/** The most that a move of theirs may lose, in points; null for anybody else. */
export function limitOf(kind: string): number | null {
  const level = LEVELS.get(kind as OpponentKind);
  if (level !== undefined) return level;
  const limit = kind.startsWith(BY_LIMIT) ? Number(kind.slice(BY_LIMIT.length)) : NaN;
  return limit >= LEAST && limit <= MOST ? limit : null;
}

export const isOpponent = (kind: string): kind is OpponentKind => limitOf(kind) !== null;

export const isPlayerKind = (kind: unknown): kind is PlayerKind =>
  typeof kind === "string" && (["person", "perfect", "shadow"].includes(kind) || isOpponent(kind));

/** Can the page play somebody of this kind? It needs the coach, and levels are for games without saved throws. */
export const canPlay = (rules: Rules, kind: PlayerKind): boolean =>
  isSolved(rules) && (limitOf(kind) === null || !rules.saves_throws);

/** The chance of each action, by the points that it is behind the best. */
export function actionChances(behind: readonly number[], limit: number): number[] {
  const weights = behind.map((one) => (one <= limit + ROUNDING ? Math.exp((-levels.sharpness * one) / limit) : 0));
  const sum = weights.reduce((all, one) => all + one, 0);
  return weights.map((one) => one / sum);
}

/** The action that a number from 0 to 1 draws. */
export function drawAction(
  actions: readonly AdvisedAction[],
  limit: number,
  at: number,
): AdvisedAction | undefined {
  let left = at;
  const chances = actionChances(
    actions.map(({ regret }) => regret),
    limit,
  );
  return actions.find((_, i) => (left -= chances[i] ?? 0) < 0) ?? actions[0];
}

/** What is known of a game; by house rules, where perfect play makes `best`, the same shares are lost as without them. */
export function knownMeans(rules: Pick<Rules, "rules">, best?: number): KnownMeans {
  const games = levels.games as Record<string, Omit<KnownMeans, "exact"> | undefined>;
  const own = games[rules.rules];
  if (own) return { ...own, exact: true };
  const like = games[baseGame(rules.rules)] ?? levels.games.scandinavian;
  const by = (best ?? like.best) / like.best;
  const means = like.means.map((mean) => by * mean);
  return { best: by * like.best, references: [], limits: like.limits, means, exact: false };
}

/** The opponent whose mean is nearest to that of somebody who loses this much a game. */
export function opponentFor({ best, limits, means }: KnownMeans, lost: number): OpponentKind {
  const off = means.map((mean) => Math.abs(best - lost - mean));
  const limit = limits[off.indexOf(Math.min(...off))] ?? 0;
  const level = [...LEVELS].find(([, one]) => one === limit);
  return level ? level[0] : `${BY_LIMIT}${limit}`;
}

export const meanOf = ({ limits, means }: KnownMeans, kind: OpponentKind): number | undefined =>
  means[limits.indexOf(limitOf(kind) ?? -1)];

/** The number of the level of somebody who loses this much where perfect play makes `best`: 0 to 5. */
export const levelOf = (lost: number, best: number): number =>
  levels.shares.filter((share) => lost < share * best).length;
