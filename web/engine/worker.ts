/** The engine in a worker: a message for every question, one back for its answer, and progress in between. */
import { Engine } from "./engine";
import { BROWSER } from "./storage";
import type { Asked, Told } from "./client";

const engine = new Engine(BROWSER);
const tell = (told: Told): void => postMessage(told);

function answer({ id, ask }: Asked): Promise<unknown> {
  switch (ask.kind) {
    case "solve":
      return engine.solve(ask.game, ask.theta, (share) => tell({ id, share }));
    case "advise":
      return engine.advise(ask.game, ask.situation);
    case "outlook":
      return engine.outlook(ask.game, ask.card, ask.theta);
    case "review":
      return engine.review(ask.game, ask.log);
    case "chance":
      return engine.chance(ask.game, ask.card, ask.target);
    case "winning":
      return engine.winning(ask.game, ask.card, ask.wins);
    case "worth":
      return engine.worth(ask.game, ask.habits, (share) => tell({ id, share }));
  }
}

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  answer(data).then(
    (found) => tell({ id: data.id, answer: found }),
    (error: unknown) => tell({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
  );
});
