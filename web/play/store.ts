/** The game and the player's choices, kept in this browser between visits and nowhere else. */
import { forget, recall, remember } from "../look/settings";
import { count, fromLog, heldDice, isFinished, savedThrows, toLog, type Game, type Throw } from "./game";
import { rulesOf } from "./rules";

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

/**
 * What was kept, or null if there is nothing that this version can read. What cannot be read is set aside, so that
 * the page starts and nothing is lost: `setAside` gives it back.
 */
export async function recallGame(): Promise<{ game: Game; outlooks: (Outlook | null)[] } | null> {
  const text = recall("game");
  if (text === null) return null;
  try {
    return await readGame(JSON.parse(text));
  } catch {
    const texts = [...setAside(), text];
    // First, because storage may be full.
    forget("game");
    remember("set-aside", JSON.stringify(texts));
    return null;
  }
}

/** The texts of games that could not be read. */
export function setAside(): string[] {
  const kept = recall("set-aside");
  if (kept === null) return [];
  try {
    const texts = JSON.parse(kept) as unknown;
    if (Array.isArray(texts) && texts.every((one) => typeof one === "string")) return texts;
  } catch {
    // Not a list: it is the text itself.
  }
  return [kept];
}

export const forgetSetAside = (): void => forget("set-aside");

async function readGame(found: unknown): Promise<{ game: Game; outlooks: (Outlook | null)[] }> {
  const kept = found as Partial<Kept> | null;
  const log = kept?.log as { rules?: unknown } | null | undefined;
  if (kept?.version !== VERSION || typeof log?.rules !== "string") throw new Error("version");
  const rules = await rulesOf(log.rules);
  const game = fromLog(log, rules);
  const throws = readThrows(kept.throws, game);
  if (throws.length && isFinished(game)) throw new Error("throws");
  const outlooks = Array.isArray(kept.outlooks) ? kept.outlooks.map(readOutlook) : [];
  const before = { ...game, turns: game.turns.slice(0, -1) };
  return {
    game: { ...game, throws, previous: readThrows(kept.previous, before) },
    outlooks: outlooks.slice(0, rules.categories.length + 1),
  };
}

/** Throws of one turn: dice that were held are still there, and only the last ones may still be entered. */
function readThrows(found: unknown, game: Game): Throw[] {
  const { rules } = game;
  if (!Array.isArray(found) || found.length > rules.rerolls + 1 + savedThrows(game)) throw new Error("throws");
  return found.map((one: Partial<Throw> | null, n) => {
    const before = found[n - 1] as Throw | undefined;
    const least = n === found.length - 1 ? 0 : 1;
    const { dice, held } = one ?? {};
    const fits =
      Array.isArray(dice) &&
      Array.isArray(held) &&
      dice.length === rules.dice &&
      held.length === rules.dice &&
      dice.every((face) => Number.isInteger(face) && face >= least && face <= rules.faces) &&
      held.every((flag) => typeof flag === "boolean") &&
      (!before || heldDice(before).every((face, _, all) => count(dice, face) >= count(all, face)));
    if (!fits) throw new Error("throws");
    return { dice: [...dice], held: [...held] };
  });
}

function readOutlook(found: unknown): Outlook | null {
  const { theta, mean, quantiles } = (found ?? {}) as Partial<Outlook>;
  const numbers = Array.isArray(quantiles) && quantiles.length === 4 ? [theta, mean, ...quantiles] : [null];
  return numbers.every((one) => Number.isFinite(one)) ? (found as Outlook) : null;
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
