/** Situations to train on are those of perfect games, and cost what they should. */
import { expect, test } from "vitest";
import { Engine } from "../../engine/engine";
import type { LeakName } from "../../engine/types";
import constants from "../../engine/leak.json";
import { GAMES, SCANDINAVIAN, gameOf } from "../support";
import * as play from "../../play/game/game";

const engine = new Engine();

/** All of some seeds. */
async function training(game: typeof SCANDINAVIAN, habit: LeakName, seeds: number): Promise<play.Game[][]> {
  const found: play.Game[][] = [[], []];
  for (let seed = 0; seed < seeds; seed++)
    for (const { log, throws, costs } of await engine.training(game, habit, seed, 0.5)) {
      const then = play.fromLog(log, game);
      found[Number(costs)]?.push({ ...then, throws: play.parseThrows(throws, then) });
    }
  return found;
}

test("both kinds are found for habits, and each can be laid on the table", { timeout: 120_000 }, async () => {
  for (const habit of (constants.names as LeakName[]).filter((_, i) => i % 2 === 0)) {
    const [right = [], costs = []] = await training(SCANDINAVIAN, habit, 4);
    expect([habit, costs.length > 0]).toEqual([habit, true]);
    expect([habit, right.length > 0 || habit.startsWith("crosses")]).toEqual([habit, true]);
    for (const game of [...costs.slice(0, 3), ...right.slice(0, 3)]) {
      const { actions } = await engine.advise(SCANDINAVIAN, { ...play.situationOf(game), theta: 0 });
      // There is something to lose.
      expect(actions.some(({ regret }) => regret >= 0.5)).toBe(true);
    }
  }
});

test.skipIf(!GAMES)("a game with saved throws has no leaks", async () => {
  await expect(engine.leaks(gameOf("yacht+saved-throws"), [], [])).rejects.toThrow("saves throws");
});
