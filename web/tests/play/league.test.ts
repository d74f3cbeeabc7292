/** Who is really better: the same places, the same certainty and the same numbers of games as the library's. */
import { expect, test } from "vitest";
import { standings, tBelow, type History } from "../../play/learn/league";
import { readTest } from "../support";

interface Placed {
  player: string;
  lost: number;
  within: number;
  sure: number | null;
  more: number | null;
  by_scores: number | null;
}

test("golden leagues", () => {
  for (const { games, placed } of JSON.parse(readTest("coach/league.json")) as {
    games: History[];
    placed: Placed[];
  }[]) {
    const found = standings(games);
    expect(found.map(({ player, more, byScores }) => [player, more, byScores])).toEqual(
      placed.map(({ player, more, by_scores }) => [player, more, by_scores]),
    );
    found.forEach(({ mean, within, sure }, i) => {
      expect(mean).toBeCloseTo(placed[i]?.lost ?? 0, 6);
      expect(within).toBeCloseTo(placed[i]?.within ?? 0, 6);
      expect(sure ?? 0).toBeCloseTo(placed[i]?.sure ?? 0, 6);
    });
  }
});

test("Student's t", () => {
  for (const [freedom, quantile] of [
    [1, 12.7062],
    [2, 4.3027],
    [9, 2.2622],
    [30, 2.0423],
  ] as const)
    expect(tBelow(quantile, freedom)).toBeCloseTo(0.975, 5);
});
