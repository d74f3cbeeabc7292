/**
 * The same dice for several people: challenges by link and the game of the day. What came, what is sent, and both games side
 * by side. A dialog of its own shows all of it, over whatever is played.
 */
import { reviewOf } from "../coach";
import type { Action, Decision, Review } from "../../engine/types";
import { randomSeed } from "../../engine/dice";
import { recall, remember } from "../../look/settings";
import * as play from "../game/game";
import { boxOf, isSolved, rulesOf, type Rules } from "../game/rules";
import { MAX_NAME_LENGTH, isFresh, isOver, tableForOne, type Table } from "../game/table";
import { dateText, fixed, fullTitleOf, labelOf, t, whole, wholePoints } from "../language";
import { session } from "../session";
import * as kept from "../storage/challenges";
import { daysPlayed, recallAnswers, streakOf } from "../storage/puzzles";
import { dayOf } from "./deck";
import { costChip, throwName } from "./review";
import { el, find, onPress, plainButton, setText, tableOf, type Child } from "../view/dom";
import { actionText, inlineDice } from "../view/words";

export interface Challenges {
  /** Shows the challenge of a link, or why it cannot be read; null if it is no challenge. */
  open: (hash: string) => Promise<void> | null;
  /** A game is over: if it was a try, what it came to. */
  finished: (table: Table) => Promise<void>;
  /** The game of today; if it was played, what it came to. */
  day: (rules: Rules) => void;
  /** All that was played and sent. */
  list: () => void;
}

/** Can these dice be played again: those of a person's game from its start, by a seed? */
export const canSend = ({ about, start }: play.Game): boolean => about.scheme !== undefined && !start;

const today = (): string => dayOf(new Date());
const nameOf = ({ name }: { name: string }): string => name || t.same.somebody;
const titleOf = ({ rules, seed }: Pick<kept.Challenge, "rules" | "seed">): string => {
  const day = kept.dayOfSeed(seed);
  return `${day ? t.day.of(dateText(day)) : t.same.title} · ${fullTitleOf(rules)}`;
};

/** A game and what its decisions lost, where there is a coach. */
interface Reviewed {
  name: string;
  game: play.Game;
  found: Review | null;
}

const reviewed = async (name: string, game: play.Game): Promise<Reviewed> => ({
  name,
  game,
  found: isSolved(game.rules) ? await reviewOf(game.rules, play.toLog(game)).catch(() => null) : null,
});

/** Shows a part of the page for a text that can be sent: by the device where it can, else copied. */
export function sendButtons(text: () => string, copyText = t.same.copy): HTMLElement {
  const said = el("span", { role: "status", class: "quiet" });
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text()).then(
      () => setText(said, t.same.copied),
      () => setText(said, t.same.cannotCopy),
    );
  };
  const share = (): void => void navigator.share({ text: text() }).catch(() => undefined);
  return el(
    "div",
    { class: "files send" },
    "share" in navigator ? plainButton(t.same.send, share, { class: "plain strong" }) : null,
    plainButton(copyText, () => void copy()),
    said,
  );
}

/** The day's game of today, if it was begun. */
export const findToday = (rules: Rules): kept.Challenge | undefined =>
  kept.findChallenge(rules.rules, kept.seedOfDay(today()));

/** What was played on a day: its games, and its puzzles. */
function dayRow(day: string): HTMLElement {
  const games = kept.recallChallenges().filter(({ seed, result }) => result && seed === kept.seedOfDay(day));
  const says = [
    ...games.map(({ rules, result }) => [rules, resultText(result as kept.Result)] as const),
    ...recallAnswers()
      .filter((one) => one.day === day)
      .map(({ rules, right, cost }) => [rules, right ? t.day.solved : t.day.missed(fixed(cost))] as const),
  ];
  return el(
    "li",
    {},
    el("b", {}, dateText(day)),
    ...says.map(([rules, text]) => el("span", {}, `${fullTitleOf(rules)}: ${text}`)),
  );
}

/** `begin` lays a table; `confirm` does it if the player agrees to leave the game under way. */
export function createChallenges(begin: (table: Table) => void): Challenges {
  const dialog = find<HTMLDialogElement>("#same");
  const body = find("#same-body");
  /** What is shown: an answer that comes late is for something else. */
  let shown: object = {};

  const show = (title: string, ...parts: Child[]): void => {
    setText(find("#same-title"), title);
    body.replaceChildren(...parts.filter((part) => part !== null));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };

  const start = (rules: Rules, one: kept.Challenge): void => {
    dialog.close();
    begin(tableForOne(kept.gameOf(rules, one)));
    window.scrollTo({ top: 0 });
  };

  /** What becomes of the game under way if another takes its place; null if nothing is lost. */
  const replaced = (): string | null => {
    const { table, game } = session;
    if (isOver(table) || isFresh(table)) return null;
    const says = kept.tryAt(table) ? t.same.keeps : t.same.replaces;
    return says(fullTitleOf(game.rules.rules), play.nFilled(game) + 1, game.rules.categories.length);
  };

  const invite = (
    rules: Rules,
    one: kept.Challenge,
    from: { name: string; game: play.Game | null } | null,
  ): void => {
    const begun = one.turns || one.throws.length;
    const made = from?.game ? t.same.made(nameOf(from), wholePoints(play.scoreOf(from.game))) : null;
    const isHere = kept.tryAt(session.table)?.seed === one.seed;
    const lost = isHere ? null : replaced();
    show(
      from ? t.same.from(nameOf(from)) : titleOf(one),
      el("p", {}, from ? titleOf(one) : t.day.about),
      made && el("p", {}, made),
      el("p", { class: "quiet" }, t.same.how),
      lost && el("p", { class: "trouble" }, lost),
      el(
        "div",
        { class: "files" },
        plainButton(begun ? t.same.goOn : t.same.play, () => start(rules, one), {
          class: "plain strong",
          id: "same-play",
        }),
      ),
    );
  };

  const refuse = (title: string, error: unknown): void =>
    show(
      title,
      el(
        "p",
        { class: "trouble" },
        t.files.cannotOpen(t.same.linkName, error instanceof Error ? error.message : ""),
      ),
    );

  const receive = async (hash: string): Promise<void> => {
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    try {
      const sent = await kept.readChallenge(hash);
      const rival = sent.game && { name: sent.name, turns: kept.turnsText(sent.game) };
      const one = kept.meet(sent.rules, sent.seed, rival);
      if (one.result) await compare(one);
      else invite(sent.rules, one, sent);
    } catch (error) {
      refuse(t.same.title, error);
    }
  };

  /** Both games side by side, or one's own alone. */
  const compare = async (one: kept.Challenge): Promise<void> => {
    const mark = (shown = {});
    const rules = await rulesOf(one.rules);
    const own = kept.gameOf(rules, one);
    const rivals = one.rivals.map((rival) => ({
      name: nameOf(rival),
      game: kept.rivalGame(rules, one.seed, rival),
    }));
    const draw = (all: readonly Reviewed[]): void => {
      const [mine, ...others] = all as [Reviewed, ...Reviewed[]];
      show(
        verdict(mine, others),
        el("p", { class: "quiet" }, titleOf(one)),
        standings(all),
        others.length === 1 ? betterText(mine, others[0] as Reviewed) : null,
        ...others.map((other) => sideBySide(mine, other, others.length > 1)),
        mine.found ? legend() : null,
        sender(one, mine),
        el("p", { class: "quiet" }, t.same.once),
      );
    };
    const bare = { found: null };
    draw([{ name: t.review.you, game: own, ...bare }, ...rivals.map((rival) => ({ ...rival, ...bare }))]);
    const found = await Promise.all([
      reviewed(t.review.you, own),
      ...rivals.map(({ name, game }) => reviewed(name, game)),
    ]);
    if (shown === mark && dialog.open) draw(found);
    const [mine] = found;
    if (mine?.found && one.result?.lost === null)
      kept.keepChallenge({ ...one, result: kept.resultOf(own, mine.found) });
  };

  const finished = async (table: Table): Promise<void> => {
    const one = kept.tryAt(table);
    if (one?.result) await compare(one);
  };

  /** What is sent: who sends it, the text, and the ways to send it. */
  const sender = (one: kept.Challenge, mine: Reviewed | null): HTMLElement => {
    const name = el("input", {
      type: "text",
      maxlength: `${MAX_NAME_LENGTH}`,
      id: "same-name",
      autocomplete: "nickname",
    });
    name.value = recall("name") ?? "";
    const text = el("p", { class: "message", id: "same-text" });
    const draw = (): void => setText(text, message(one, mine, name.value));
    name.addEventListener("input", () => {
      remember("name", kept.cleanName(name.value));
      draw();
    });
    draw();
    return el(
      "section",
      { class: "sender" },
      el("h3", {}, one.rivals.length ? t.same.answer : t.same.ask),
      el("div", { class: "field" }, el("label", { for: "same-name" }, t.same.name), name),
      text,
      sendButtons(() => text.textContent ?? ""),
    );
  };

  /** Send the game that is over, or new dice for both. */
  const send = async (): Promise<void> => {
    const { game, seat } = session;
    const own = play.isFinished(game) && seat.kind === "person" && canSend(game) && kept.followsSeed(game);
    if (own) {
      const known = kept.meet(game.rules, game.about.seed ?? 0, null);
      const result = known.result ?? kept.resultOf(game, null);
      const hints = game.about.hints ? { hints: true as const } : {};
      const one = known.result
        ? known
        : { ...known, turns: kept.turnsText(game), date: game.about.date ?? known.date, result, ...hints };
      kept.keepChallenge(one);
      return compare(one);
    }
    const one = kept.meet(game.rules, randomSeed(), null);
    show(
      t.same.title,
      el("p", {}, t.same.fresh(fullTitleOf(game.rules.rules))),
      el("p", { class: "quiet" }, t.same.how),
      sender(one, null),
      el(
        "div",
        { class: "files" },
        plainButton(t.same.playMine, () => invite(game.rules, one, null)),
      ),
    );
  };

  const day = (rules: Rules): void => {
    const one = findToday(rules);
    const days = daysPlayed();
    const streak = streakOf(days, today());
    const act = (): void => {
      const met = kept.meet(rules, kept.seedOfDay(today()), null);
      if (met.result) void compare(met);
      else if (replaced()) invite(rules, met, null);
      else start(rules, met);
    };
    const said = one?.result ? t.same.see : one?.turns ? t.same.goOn : t.same.play;
    show(
      t.day.of(dateText(today())),
      el("p", { class: "quiet" }, fullTitleOf(rules.rules)),
      el("p", {}, `${t.day.about} ${t.day.once}`),
      one?.result ? el("p", {}, el("b", {}, resultText(one.result))) : null,
      streak ? el("p", { id: "streak" }, t.day.streak(streak)) : null,
      el("div", { class: "files" }, plainButton(said, act, { class: "plain strong", id: "day-play" })),
      days.length ? el("h3", {}, t.day.earlier) : null,
      days.length ? el("ul", { class: "decks days" }, ...days.map(dayRow)) : null,
    );
  };

  /** Opens a challenge of the list, or says why its game cannot be played. */
  const resume = async (one: kept.Challenge): Promise<void> => {
    try {
      if (one.result) return await compare(one);
      const rules = await rulesOf(one.rules);
      const [rival] = one.rivals;
      invite(rules, one, rival ? { name: rival.name, game: kept.rivalGame(rules, one.seed, rival) } : null);
    } catch (error) {
      refuse(titleOf(one), error);
    }
  };

  const list = (): void => {
    const sent = kept.recallChallenges().filter(({ seed, rivals }) => rivals.length || !kept.dayOfSeed(seed));
    const rows = [...sent].reverse().map((one) => {
      const who = one.rivals.map(nameOf).join(", ");
      const says = one.result ? resultText(one.result) : one.turns ? t.same.begun : t.same.waiting;
      const button = el(
        "button",
        { type: "button", class: "deck" },
        el("b", {}, titleOf(one)),
        el("span", {}, [who, says].filter(Boolean).join(" · ")),
      );
      onPress(button, () => void resume(one));
      return el("li", {}, button);
    });
    show(
      t.same.title,
      el("p", {}, t.same.about),
      el(
        "div",
        { class: "files" },
        plainButton(t.same.challenge, () => void send(), { class: "plain strong", id: "same-new" }),
      ),
      rows.length ? el("ul", { class: "decks" }, ...rows) : null,
    );
  };

  onPress(find("#beat"), () => void send());
  return { open: (hash) => (kept.isChallenge(hash) ? receive(hash) : null), finished, day, list };
}

/** The score, and where there is a coach what was lost. */
export const resultText = ({ score, lost }: kept.Result): string =>
  lost === null ? wholePoints(score) : t.same.result(wholePoints(score), fixed(lost));

const marksOf = (levels: readonly number[]): string => levels.map((one) => kept.MARKS[one]).join("");

/** The text to send: nothing in it says what was held or where it was written. */
function message(one: kept.Challenge, mine: Reviewed | null, name: string): string {
  const own = mine && kept.resultOf(mine.game, mine.found);
  const link = kept.challengeLink(one.rules, one.seed, {
    name: kept.cleanName(name),
    turns: one.result ? one.turns : "",
  });
  const said = own && [resultText(own), one.hints && t.same.withHints].filter(Boolean).join(" ");
  const lines = own ? [said, marksOf(own.levels)] : [t.same.both];
  return [titleOf(one), ...lines, link].filter(Boolean).join("\n");
}

function verdict(mine: Reviewed, others: readonly Reviewed[]): string {
  const score = play.scoreOf(mine.game);
  const best = Math.max(...others.map(({ game }) => play.scoreOf(game)));
  if (!others.length) return t.review.points(whole(score));
  if (score > best) return t.same.win(wholePoints(score - best));
  const first = others.find(({ game }) => play.scoreOf(game) === best);
  return score === best ? t.same.tie : t.same.loses(first?.name ?? "", wholePoints(best - score));
}

function standings(all: readonly Reviewed[]): HTMLElement {
  const sorted = [...all].sort((a, b) => play.scoreOf(b.game) - play.scoreOf(a.game));
  const rows = sorted.flatMap(({ name, game, found }) => {
    const levels = found ? kept.levelsOf(found) : [];
    const row = el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      el("td", {}, whole(play.scoreOf(game))),
      el("td", {}, found ? fixed(found.lost) : "–"),
    );
    const words = levels.map((one, turn) => `${t.outlook.turn(turn + 1)}: ${t.review.words[one]?.[0]}`).join(", ");
    const marks = el("span", { role: "img", "aria-label": words, class: "marks" }, ...levels.map(bar));
    return levels.length ? [row, el("tr", { class: "marked" }, el("td", { colspan: "3" }, marks))] : [row];
  });
  const table = tableOf([t.table.strip, t.review.scoreRow, t.same.lost], ...rows);
  table.className = "standings";
  return table;
}

/** How much a turn lost, as a bar: emoji look different on every device. */
const bar = (level: number): HTMLElement => el("i", { class: "bar-mark", "data-loss": `${level}` });

const legend = (): HTMLElement =>
  el(
    "p",
    { class: "quiet legend" },
    ...t.review.words.map(([word = ""], level) => el("span", {}, bar(level), ` ${word}`)),
  );

/** Who played better, luck aside. */
function betterText(mine: Reviewed, other: Reviewed): HTMLElement | null {
  if (!mine.found || !other.found) return null;
  const [own, theirs] = [fixed(mine.found.lost), fixed(other.found.lost)];
  const says =
    own === theirs
      ? t.same.equal(own)
      : mine.found.lost < other.found.lost
        ? t.same.youBetter(own, theirs)
        : t.same.better(other.name, theirs, own);
  return el("p", {}, says);
}

type Played = Pick<Reviewed, "game">;

/** What was done with each roll of a turn. */
function actionsOf({ game }: Played, turn: number): Action[] {
  const { rolls, keeps, category } = game.turns[turn] ?? { rolls: [], keeps: [], category: "" };
  const now = { ...game, turns: game.turns.slice(0, turn + 1) };
  const box = boxOf(game.rules, category);
  return rolls.map((_, i) =>
    keeps[i]
      ? { keep: [...keeps[i]].sort((a, b) => a - b) }
      : { score: box, points: play.boxesOf(now).get(box) ?? 0 },
  );
}

const same = (a: Action | undefined, b: Action | undefined): boolean =>
  a?.keep && b?.keep ? `${a.keep}` === `${b.keep}` : !a?.keep && !b?.keep && a?.score === b?.score;

/** The first choice in which two games differ: the turn, and which of its rolls; null if there is none. */
export function partingOf(mine: Played, other: Played): { turn: number; roll: number } | null {
  for (const turn of mine.game.turns.keys()) {
    const [a, b] = [actionsOf(mine, turn), actionsOf(other, turn)];
    const roll = a.findIndex((one, i) => !same(one, b[i]));
    if (roll >= 0) return { turn, roll };
  }
  return null;
}

/** Where two games parted, and all of their turns. */
function sideBySide(mine: Reviewed, other: Reviewed, isNamed: boolean): HTMLElement {
  const { rules } = mine.game;
  const parted = partingOf(mine, other);
  const choice = (one: Reviewed): HTMLElement => {
    const { turn, roll } = parted as { turn: number; roll: number };
    const action = actionsOf(one, turn)[roll] as Action;
    const decision = decisionAt(one, turn, roll);
    return el(
      "li",
      {},
      el("b", {}, one.name),
      " ",
      inlineDice(one.game.turns[turn]?.rolls[roll] ?? []),
      " ",
      ...actionText(rules, action),
      " ",
      decision ? costChip(decision) : null,
    );
  };
  const first = parted && decisionAt(mine, parted.turn, parted.roll);
  const where =
    parted &&
    (first
      ? t.review.where(parted.turn + 1, throwName(rules, first))
      : t.advice.turn(parted.turn + 1, mine.game.turns.length));
  const cell = (one: Reviewed, turn: number): HTMLElement => {
    const actions = actionsOf(one, turn);
    const end = actions.at(-1);
    const level = one.found && kept.levelsOf(one.found)[turn];
    const word = el("span", { class: "unseen" }, t.review.words[level ?? 0]?.[0] ?? "");
    const mark = level === null ? [] : [" ", bar(level ?? 0), word];
    return el("td", {}, end && !end.keep ? `${labelOf(rules, end.score)} ${end.points}` : "", ...mark);
  };
  const turns = tableOf(
    ["", mine.name, other.name],
    ...mine.game.turns.map((_, turn) =>
      el("tr", {}, el("th", { scope: "row" }, `${turn + 1}`), cell(mine, turn), cell(other, turn)),
    ),
  );
  turns.className = "both";
  return el(
    "section",
    {},
    el("h3", {}, isNamed ? t.same.partedFrom(other.name) : t.same.parted),
    where ? el("p", { class: "where" }, where) : el("p", {}, t.same.never),
    parted ? el("ul", { class: "parting" }, choice(mine), choice(other)) : null,
    el("details", {}, el("summary", {}, t.same.turns), turns),
  );
}

const decisionAt = ({ found }: Reviewed, turn: number, roll: number): Decision | undefined =>
  found?.decisions.filter((one) => one.turn === turn + 1)[roll];
