/** Records and firsts among the games of a player that this device keeps. */
import { boxesOf, fromLog, scoreOf, toLog, type Game } from "../game/game";
import { alikeBox, type Rules } from "../game/rules";
import { fixed, labelOf, t, whole } from "../language";
import { choices } from "../session";
import { isSameGame, readGames, type StoredGame } from "../storage/history";

/** Of fewer games before it, every other one would be a record. */
const MIN_BEFORE = 3;
/** Hundreds count from here. */
const FIRST_HUNDRED = 200;
const NOTHING = 0.05;
/** Is a loss shown as none? */
export const isNothing = (lost: number): boolean => lost < NOTHING;
const MOST = 2;

interface Facts {
  score: number;
  lost: number;
  /** Points of the upper section, and of the box for dice that are all alike. */
  upper: number;
  alike: number;
}

function factsOf(game: Game, lost: number): Facts {
  const boxes = boxesOf(game);
  const upper = game.rules.categories.reduce((sum, one, box) => sum + (one.upper ? (boxes.get(box) ?? 0) : 0), 0);
  return { score: scoreOf(game), lost, upper, alike: boxes.get(alikeBox(game.rules)) ?? 0 };
}

/** What is new in a game against those before it, the rarest first. */
export function featsIn(rules: Rules, now: Facts, before: readonly Facts[]): string[] {
  const { bonus_threshold: needed, bonus } = rules;
  const first = (is: (one: Facts) => boolean): boolean => is(now) && !before.some(is);
  const [best, least] = [
    Math.max(...before.map(({ score }) => score)),
    Math.min(...before.map(({ lost }) => lost)),
  ];
  const hundred = Math.floor(now.score / 100) * 100;
  const isMany = before.length >= MIN_BEFORE;
  const madeBonus = bonus > 0 && first(({ upper }) => upper >= needed);
  const exactly = bonus > 0 && first(({ upper }) => upper === needed);
  return [
    first(({ lost }) => isNothing(lost)) ? t.joy.faultless : "",
    hundred >= FIRST_HUNDRED && first(({ score }) => score >= hundred) ? t.joy.hundred(whole(hundred)) : "",
    exactly ? t.joy.exactly(whole(needed)) : "",
    first(({ alike }) => alike > 0) ? t.joy.first(labelOf(rules, alikeBox(rules))) : "",
    madeBonus && !exactly ? t.joy.bonus : "",
    isMany && now.score > best ? t.joy.record(whole(now.score), whole(best)) : "",
    isMany && !isNothing(now.lost) && now.lost < least ? t.joy.best(fixed(now.lost), fixed(least)) : "",
  ]
    .filter(Boolean)
    .slice(0, MOST);
}

/** What is new in a finished game that is counted, without hints; nothing for those who do not want to hear of it. */
export async function featsOf(game: Game, lost: number): Promise<string[]> {
  const { rules, about } = game;
  if (!choices.joy || !about.date || about.policy || about.hints || game.start) return [];
  const log = toLog(game);
  const isBefore = (one: StoredGame): boolean =>
    one.log.rules === rules.rules &&
    !one.log.hints &&
    (one.log.player ?? "") === (about.player ?? "") &&
    one.summary.date <= (about.date ?? "") &&
    !isSameGame(one.log, log);
  const games = (await readGames().catch(() => [])).filter(isBefore);
  return featsIn(
    rules,
    factsOf(game, lost),
    games.map(({ summary, log: earlier }) => factsOf(fromLog(earlier, rules), summary.lost)),
  );
}
