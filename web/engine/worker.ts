/** The engine in a worker: a message for every question, one back for its answer, and progress in between. */
import { Engine } from "./engine";
import { BROWSER } from "./storage";
import type { GameTables } from "./tables";
import type { EngineRequest, EngineReply } from "./client";

const engine = new Engine(BROWSER);
const games = new Map<string, GameTables>();
const send = (told: EngineReply): void => postMessage(told);

async function answer({ id, game: handle, ask }: EngineRequest): Promise<unknown> {
  const game = games.get(handle);
  if (!game) throw new Error(`${handle}: this game was not told`);
  const progress = (share: number): void => send({ id, share });
  switch (ask.kind) {
    case "solve":
      return engine.solve(game, ask.theta, progress);
    case "advise":
      return engine.advise(game, ask.situation);
    case "explain":
      return engine.explain(game, ask.situation, progress);
    case "outlook":
      return engine.outlook(game, ask.card, ask.theta);
    case "review":
      return engine.review(game, ask.log);
    case "chance":
      return engine.chance(game, ask.card, ask.target);
    case "winning":
      return engine.winning(game, ask.card, ask.wins);
    case "worth":
      return engine.worth(game, ask.habits, progress);
    case "leaks":
      return engine.leaks(game, ask.games, ask.answers, progress);
    case "training":
      return engine.training(game, ask.habit, ask.seed, ask.limit);
  }
}

addEventListener("message", ({ data }: MessageEvent<EngineRequest | GameTables>) => {
  if (!("ask" in data)) games.set(data.fingerprint, data);
  else
    answer(data).then(
      (found) => send({ id: data.id, answer: found }),
      (error: unknown) => send({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
    );
});
