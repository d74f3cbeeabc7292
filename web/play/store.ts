/** The game and the player's choices, kept in this browser between visits and nowhere else. */
import { recall, remember } from "../look/settings";
import { fromLog, toLog, type Game, type Throw } from "./game";
import type { Rules } from "./rules";

const VERSION = 1;

export const HINTS = ["off", "ask", "always"] as const;
export type Hints = (typeof HINTS)[number];

export interface Choices {
  hints: Hints;
  /** Dice are thrown on a real table and entered here. */
  entered: boolean;
  theta: number;
  target: number | null;
}

/** The outlook at the start of a turn, as far as the fan needs it. */
export interface Outlook {
  theta: number;
  mean: number;
  quantiles: [number, number, number, number];
}

interface Kept {
  version: number;
  log: unknown;
  throws: Throw[];
  previous: Throw[];
  outlooks: (Outlook | null)[];
}

export function keepGame(game: Game, outlooks: (Outlook | null)[]): void {
  const kept: Kept = {
    version: VERSION,
    log: toLog(game),
    throws: game.throws,
    previous: game.previous,
    outlooks,
  };
  remember("game", JSON.stringify(kept));
}

/** What was kept, or null if there is nothing that this version can read. */
export function recallGame(rules: Rules): { game: Game; outlooks: (Outlook | null)[] } | null {
  try {
    const kept = JSON.parse(recall("game") ?? "null") as Kept | null;
    if (kept?.version !== VERSION) return null;
    const game = fromLog(kept.log, { ...rules, rules: (kept.log as { rules: string }).rules });
    const isThrow = (one: Throw): boolean =>
      one.dice.length === rules.dice &&
      one.held.length === rules.dice &&
      one.dice.every((face) => Number.isInteger(face) && face >= 0 && face <= rules.faces);
    if (![...kept.throws, ...kept.previous].every(isThrow)) return null;
    return { game: { ...game, throws: kept.throws, previous: kept.previous }, outlooks: kept.outlooks ?? [] };
  } catch {
    return null;
  }
}

export function keepChoices(choices: Choices): void {
  remember("choices", JSON.stringify({ version: VERSION, ...choices }));
}

export function recallChoices(): Choices {
  const standard: Choices = { hints: "ask", entered: false, theta: 0, target: null };
  try {
    const { version, hints, entered, theta, target } = JSON.parse(recall("choices") ?? "{}") as Choices & {
      version?: number;
    };
    if (version !== VERSION) return standard;
    return {
      hints: HINTS.includes(hints) ? hints : standard.hints,
      entered: entered === true,
      theta: typeof theta === "number" && Number.isFinite(theta) ? theta : 0,
      target: typeof target === "number" && Number.isInteger(target) ? target : null,
    };
  } catch {
    return standard;
  }
}
