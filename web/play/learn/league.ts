/**
 * Who is really better: people who play together, by what their decisions lose, and how sure that is. As `yatzy.coach.league`:
 *
 *     mu = m + s / sqrt(n) * t(n - 1)        of mean m and standard deviation s over n games
 *     P(mu of one < mu of all behind) = integral of its density times the chance of each other to be above
 */
import { reviewOf } from "../coach";
import { recall } from "../../look/settings";
import { scoreOf, toLog } from "../game/game";
import { isSolved, type Rules } from "../game/rules";
import { fixed, percent, t, whole } from "../language";
import { readPlayers, type Summary } from "../storage/history";
import { recallChallenges, rivalGame } from "../storage/challenges";
import { studentOf } from "./rating";
import { el, find, tableOf } from "../view/dom";

const SURE = 0.95;
export const FEWEST = 3;
const LEAST_SD = 0.1;
const MOST_GAMES = 100_000;
const [MOST_FREEDOM, ANGLES] = [200, 1000];

/** A mean from so many games of this standard deviation. */
interface Spread {
  mean: number;
  sd: number;
  games: number;
}

const errorOf = ({ sd, games }: Spread): number => sd / Math.sqrt(games);
const freedomOf = ({ games }: Spread): number => Math.min(games - 1, MOST_FREEDOM);

/** P(t < x) of Student's t: a finite sum in the angle. */
export function tBelow(x: number, freedom: number): number {
  const angle = Math.atan(x / Math.sqrt(freedom));
  const [cos, sin, odd] = [Math.cos(angle), Math.sin(angle), freedom % 2];
  let term = odd ? cos : 1;
  let total = freedom > 1 ? term : 0;
  for (let k = 2 + odd; k < freedom - 1; k += 2) total += term *= ((k - 1) / k) * cos * cos;
  return odd ? 0.5 + (angle + sin * total) / Math.PI : 0.5 + (sin * total) / 2;
}

export function chanceBelow(one: Spread, others: readonly Spread[]): number {
  let [below, all] = [0, 0];
  for (let i = 0; i < ANGLES; i++) {
    const angle = ((i + 0.5) / ANGLES) * Math.PI - Math.PI / 2;
    const density = Math.cos(angle) ** (freedomOf(one) - 1);
    const x = one.mean + errorOf(one) * Math.sqrt(freedomOf(one)) * Math.tan(angle);
    const above = (other: Spread): number => tBelow((other.mean - x) / errorOf(other), freedomOf(other));
    all += density;
    // What weighs next to nothing is left out: most of the angles, when there are many games.
    if (density > 1e-15) below += others.reduce((product, other) => product * above(other), density);
  }
  return below / all;
}

/** The first number from `least` on that is enough; null if none is. */
function first(isEnough: (n: number) => boolean, least: number): number | null {
  let [low, high] = [least - 1, Math.max(least, 1)];
  while (!isEnough(high)) {
    [low, high] = [high, 2 * high];
    if (high > MOST_GAMES) return null;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

export interface History {
  player: string;
  lost: number[];
  scores: number[];
}

/** A player in place: `sure` to be better than all behind, how many `more` games make it so, and by scores alone. */
export interface Standing extends History {
  mean: number;
  within: number;
  sure: number | null;
  more: number | null;
  byScores: number | null;
}

const meanOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;
const squaresOf = (all: readonly number[]): number => {
  const mean = meanOf(all);
  return all.reduce((sum, one) => sum + (one - mean) ** 2, 0);
};

export function standings(histories: readonly History[]): Standing[] {
  const spreadOf = ({ lost }: History): Spread => {
    const sd = Math.sqrt(squaresOf(lost) / (lost.length - 1));
    return { mean: meanOf(lost), sd: Math.max(sd, LEAST_SD), games: lost.length };
  };
  const found = [...histories].sort((a, b) => meanOf(a.lost) - meanOf(b.lost));
  const freedom = found.reduce((sum, one) => sum + one.lost.length - 1, 0);
  const ofScores = Math.sqrt(found.reduce((sum, one) => sum + squaresOf(one.scores), 0) / freedom);
  return found.map((one, place) => {
    const [own, ...behind] = found.slice(place).map(spreadOf) as [Spread, ...Spread[]];
    const stands = {
      ...one,
      mean: own.mean,
      within: studentOf(own.games) * Math.sqrt(squaresOf(one.lost) / (own.games - 1) / own.games),
    };
    if (!behind.length) return { ...stands, sure: null, more: null, byScores: null };
    const sureWith = (change: (one: Spread) => Spread): number => chanceBelow(change(own), behind.map(change));
    const after = (n: number): number => sureWith((each) => ({ ...each, games: each.games + n }));
    return {
      ...stands,
      sure: after(0),
      more: first((n) => after(n) >= SURE, 0),
      byScores: first((games) => sureWith(({ mean }) => ({ mean, sd: ofScores, games })) >= SURE, 2),
    };
  });
}

/** Everybody's games by these rules: those that were finished here or came by a file, and those of rivals. */
async function historiesOf(rules: Rules, mine: readonly Summary[]): Promise<History[]> {
  const players = await readPlayers();
  const found = new Map<string, History>();
  const add = (player: string, lost: number, score: number): void => {
    const one = found.get(player) ?? { player, lost: [], scores: [] };
    one.lost.push(lost);
    one.scores.push(score);
    found.set(player, one);
  };
  for (const { id, lost, score } of mine) add(players.get(id) ?? recall("name") ?? t.review.you, lost, score);
  for (const { rules: name, seed, rivals } of recallChallenges())
    for (const rival of name === rules.rules ? rivals : []) {
      const game = rival.name ? rivalGame(rules, seed, rival) : null;
      if (game) add(rival.name, (await reviewOf(rules, toLog(game))).lost, scoreOf(game));
    }
  return [...found.values()];
}

const gamesText = (n: number | null): string => (n === null ? t.league.never : t.league.games(whole(n), n));

/** How sure a place is. */
function placeText({ player, sure }: Standing, behind: readonly Standing[], isFirst: boolean): string {
  const chance = percent(sure ?? 0);
  if (isFirst) return t.league.best(player, chance);
  return behind.length > 1
    ? t.league.betterAll(player, chance)
    : t.league.better(player, behind[0]?.player ?? "", chance);
}

/** How many games would make a place sure, and how many it would take by scores alone. */
const gamesFor = ({ more, byScores }: Standing): string =>
  [more ? t.league.more(gamesText(more)) : "", t.league.byScores(gamesText(byScores))].filter(Boolean).join(" ");

/** A mark for each mean, on a line as long as its 95% interval. */
function intervals(all: readonly Standing[]): HTMLElement[] {
  const most = Math.max(...all.map(({ mean, within }) => mean + within));
  return all.map(({ player, lost, scores, mean, within }) => {
    const [low, high] = [Math.max(0, mean - within) / most, (mean + within) / most];
    const line = el("span", { class: "interval" });
    const mark = el("span", { class: "mean" });
    Object.assign(line.style, { left: `${100 * low}%`, width: `${100 * (high - low)}%` });
    mark.style.left = `${(100 * mean) / most}%`;
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, player),
      el("td", {}, whole(lost.length)),
      el(
        "td",
        {},
        `${fixed(mean)} ± ${fixed(within)}`,
        el("span", { class: "track", "aria-hidden": "true" }, line, mark),
      ),
      el("td", {}, fixed(meanOf(scores))),
    );
  });
}

/** Draws who is better at a game, from the games that are counted. */
export async function showLeague(rules: Rules | null, mine: readonly Summary[]): Promise<void> {
  const into = find("#league");
  into.replaceChildren();
  if (!rules || !isSolved(rules)) return;
  const histories = await historiesOf(rules, mine);
  if (histories.length < 2) return;
  const placed = standings(histories.filter(({ lost }) => lost.length >= FEWEST));
  const others = histories.filter(({ lost }) => lost.length < FEWEST).map(({ player }) => player);
  const few = t.league.few(FEWEST);
  const table = tableOf([t.league.player, t.league.count, t.league.lost, t.league.score], ...intervals(placed));
  const says = placed.slice(0, -1).flatMap((one, place) => {
    const text = placeText(one, placed.slice(place + 1), place === 0);
    return place
      ? [el("p", {}, `${text} ${gamesFor(one)}`)]
      : [el("p", { class: "big" }, text), el("p", {}, gamesFor(one))];
  });
  into.replaceChildren(
    el("h3", {}, t.league.title),
    ...(placed.length > 1 ? [...says, table, el("p", { class: "quiet" }, t.league.how)] : [el("p", {}, few)]),
    ...(placed.length > 1 && others.length ? [el("p", { class: "quiet" }, `${others.join(", ")}: ${few}`)] : []),
  );
}
