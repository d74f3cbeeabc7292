/** Your numbers: what decisions cost per game, how that changes, where the points go, and how likely a score was. */
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { reviewOfGame } from "../coach";
import type { Outlook } from "../../engine/types";
import { hasDice, toLog } from "../game/game";
import { knownMeans } from "../game/opponents";
import { boxOf, isSolved, rulesOf, type Rules } from "../game/rules";
import type { Table } from "../game/table";
import { fixed, labelOf, list, percent, t, titleOf, whole } from "../language";
import { add, axis, axisLeft, circle, label, svgIn } from "../../look/figure";
import type { Round } from "./drill";
import { showLeague } from "./league";
import { showLeak } from "./leak";
import { addToDeck } from "./practice";
import { everything, takeIn } from "./backup";
import { DICE_PATTERNS, ratingOf, summaryOf, trendOf, type Rating } from "./rating";
import { forgetGames, keepGames, readSummaries, type Summary } from "../storage/history";
import { askToLast, isLasting } from "../storage/browser";
import { download, el, find, onPress, setText } from "../view/dom";

/** The trend has no more points than this. */
const MAX_POINTS = 60;
const MAX_BARS = 6;
/** A share of one's own games means something from this many on. */
const MIN_GAMES = 10;
/** From fewer games neither a level nor an interval is told: both would say more than is known. */
const FEWEST = 5;

/** Put the games that people finished into the history of this device, and their mistakes into the deck. */
export async function recordGames({ seats }: Table): Promise<void> {
  for (const { kind, game } of seats) {
    const isOwn =
      kind === "person" &&
      !game.about.policy &&
      game.about.date !== undefined &&
      hasDice(game) &&
      !game.start &&
      isSolved(game.rules);
    if (!isOwn) continue;
    const found = await reviewOfGame(game);
    await keepGames([{ summary: summaryOf(game, found), log: toLog(game) }]);
    addToDeck(game, found);
    // From now on there is something that should last.
    await askToLast();
  }
}

/** What one's decisions lose per game by these rules; null if no game was counted. */
export async function lossesIn({ rules }: Rules): Promise<Pick<Rating, "lost" | "start"> | null> {
  const mine = (await readSummaries()).filter((one) => one.rules === rules && !one.hints);
  return mine.length ? ratingOf(mine) : null;
}

/** The distribution of the score of perfect play. */
export type PerfectScores = (rules: Rules) => Promise<Outlook | null>;

/** `profile` draws the part about the player's habits; `goOn`: a file had a game under way. */
export function createStatistics(
  perfect: PerfectScores,
  profile: () => void,
  train: (round: Round) => void,
  goOn: (table: Table) => void,
): { open: () => void; close: () => void } {
  const dialog = find<HTMLDialogElement>("#numbers");
  const file = find<HTMLInputElement>("#history-file");
  const said = find("#history-said");
  let all: Summary[] = [];
  let startAgain = false;

  const draw = async (wanted?: string): Promise<void> => {
    const body = find("#numbers-body");
    find("#league").replaceChildren();
    const kept = await readSummaries().catch(() => []);
    all = kept.filter(({ hints }) => !hints);
    const games = [...new Set(all.map((one) => one.rules))];
    const last = [...all].sort((a, b) => (a.date < b.date ? 1 : -1))[0];
    const name = wanted ?? last?.rules;
    find<HTMLButtonElement>("#history-forget").disabled = !kept.length;
    body.classList.toggle("none", !last);
    const hinted = kept.filter(({ rules, hints }) => hints && (!name || rules === name)).length;
    const without = hinted ? [el("p", { class: "quiet", id: "with-hints" }, t.numbers.withHints(hinted))] : [];
    if (!name || !last) return body.replaceChildren(hinted ? "" : el("p", {}, t.numbers.none), ...without);
    const mine = all.filter((one) => one.rules === name);
    const rules = await rulesOf(name).catch(() => null);
    const picture = el("div", { id: "trend" });
    const likely = el("p", { id: "likely" });
    const leak = el("div", { id: "your-leak" });
    body.replaceChildren(
      ...(games.length > 1 ? [chooser(games, name, (other) => void draw(other))] : []),
      ...headline(name, ratingOf(mine)),
      ...without,
      leak,
      el("h3", {}, t.numbers.trend),
      picture,
      el("h3", {}, t.numbers.where),
      ...(rules ? lossCharts(rules, ratingOf(mine)) : []),
      el("h3", {}, t.numbers.howLikely),
      likely,
    );
    drawTrend(picture, mine);
    if (rules) showLeak(leak, rules, mine, train);
    if (rules) void showLikelihood(likely, rules, mine, perfect);
    void showLeague(rules, mine);
  };

  const open = (): void => {
    setText(said, "");
    dialog.showModal();
    void draw();
    profile();
    void isLasting().then((lasts) => setText(find("#lasting"), lasts ? t.numbers.lasting : t.numbers.notLasting));
  };
  onPress(find("#numbers-open"), open);
  onPress(
    find("#history-save"),
    () => void everything().then((one) => download(JSON.stringify(one), "yatzy-history.json")),
  );
  onPress(find("#history-load"), () => file.click());
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    file.value = "";
    if (!chosen) return;
    setText(said, "");
    void chosen
      .text()
      .then(takeIn)
      .then(({ added, known, table, settings }) => {
        setText(said, t.numbers.added(whole(added), added, whole(known), known));
        if (table) goOn(table);
        startAgain ||= settings;
      })
      .catch((error: unknown) =>
        setText(said, t.files.cannotOpen(chosen.name, error instanceof Error ? error.message : "")),
      )
      .then(() => draw());
  });
  // Twice, because nothing brings it back.
  const forget = find<HTMLButtonElement>("#history-forget");
  onPress(forget, () => {
    if (forget.dataset["sure"] === undefined) {
      forget.dataset["sure"] = "";
      setText(forget, t.numbers.sure);
      return;
    }
    void forgetGames().then(() => draw());
  });
  dialog.addEventListener("close", () => {
    if (startAgain) location.reload();
    delete forget.dataset["sure"];
    setText(forget, t.numbers.forget);
  });
  return { open, close: () => dialog.close() };
}

function chooser(games: readonly string[], chosen: string, choose: (name: string) => void): HTMLElement {
  const select = el(
    "select",
    { "aria-label": t.settings.game },
    ...games.map((name) => {
      const on = name.split("+").slice(1);
      const switches = on.map((one) => t.switches[one as keyof typeof t.switches]);
      return el("option", { value: name }, [titleOf(name), ...switches].join(" · "));
    }),
  );
  select.value = chosen;
  select.addEventListener("change", () => choose(select.value));
  return el("div", { class: "field" }, select);
}

function headline(name: string, { games, lost, within, perUnclear, level, start }: Rating): HTMLElement[] {
  const known = games < FEWEST ? null : within;
  const said = known === null ? t.numbers.lose(fixed(lost)) : t.numbers.loseWithin(fixed(lost), fixed(known));
  const missing = FEWEST - games;
  return [
    el("p", { id: "rating", class: "big" }, said),
    el("p", { id: "level" }, missing > 0 ? t.numbers.tooFew(missing) : t.numbers.level(t.levels[level] ?? "")),
    el(
      "p",
      { class: "quiet" },
      t.numbers.games(whole(games), games),
      known === null ? "" : ` ${t.numbers.interval}`,
      perUnclear === null ? "" : ` ${t.numbers.perUnclear(fixed(perUnclear, 2))}`,
    ),
    el("p", { class: "quiet" }, t.numbers.average(fixed(start), fixed(start - lost))),
    ladder(name, start, start - lost, known ?? 0),
  ];
}

/**
 * One's own mean, with its interval, among those of players that people can picture: best first. The scale is theirs; what of
 * one's own is outside of it is cut.
 */
function ladder(name: string, best: number, mean: number, within: number): HTMLElement {
  const known = knownMeans({ rules: name }, best).references;
  const players = [{ player: "perfect", mean: best }, { player: "you", mean }, ...known].sort(
    (a, b) => b.mean - a.mean,
  );
  const least = Math.min(...(known.length ? known.map((one) => one.mean) : [Math.max(0, mean - within)]));
  const share = (points: number): string =>
    `${100 * Math.max(0, Math.min(1, (points - least) / Math.max(1, best - least)))}%`;
  const row = ({ player, mean: points }: (typeof players)[number]): HTMLElement => {
    const isMine = player === "you";
    const mark = el("span", { class: "spot" });
    mark.style.left = share(points);
    const range = isMine && within ? [el("span", { class: "range" })] : [];
    for (const one of range) {
      one.style.left = share(points - within);
      one.style.right = `calc(100% - ${share(points + within)})`;
    }
    return el(
      "li",
      isMine ? { class: "mine" } : {},
      el("span", { class: "name" }, t.numbers.players[player] ?? player),
      el("span", { class: "track", "aria-hidden": "true" }, ...range, mark),
      el("b", {}, fixed(points)),
    );
  };
  return el("div", { class: "bars ladder" }, el("h3", {}, t.numbers.ladder), el("ul", {}, ...players.map(row)));
}

function drawTrend(picture: HTMLElement, mine: readonly Summary[]): void {
  const points = trendOf(mine, MAX_POINTS);
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  const size = points[0]?.games ?? 1;
  const svg = svgIn(
    picture,
    width,
    height,
    t.numbers.trendDescribed(points.map(({ lost }) => fixed(lost)).join("; ")),
  );
  const x = scaleLinear([0, Math.max(1, points.length - 1)], [34, width - 8]);
  const y = scaleLinear([0, Math.max(1, ...points.map(({ lost }) => lost))], [height - 22, 10]);
  axis(svg, axisLeft<number>(y).ticks(4).tickFormat(whole), 30, 0, width - 38);
  const path = line<(typeof points)[number]>()
    .x((_, i) => x(i))
    .y(({ lost }) => y(lost));
  add(svg, "path", { d: path(points), class: "trace" });
  points.forEach(({ lost }, i) => circle(svg, x(i), y(lost), 2.5, { class: "mark" }));
  label(
    svg,
    size === 1 ? t.numbers.eachGame : t.numbers.eachOf(whole(size)),
    34,
    height - 4,
    "muted small",
    "start",
  );
}

/** Bars of points per game, largest first. */
function bars(title: string, from: readonly (readonly [string, number])[]): HTMLElement {
  const most = Math.max(...from.map(([, cost]) => cost), 1e-9);
  return el(
    "div",
    { class: "bars" },
    el("h4", {}, title),
    el(
      "ul",
      {},
      ...from.map(([name, cost]) => {
        const bar = el("span", { class: "bar-of", "aria-hidden": "true" });
        bar.style.width = `${(100 * cost) / most}%`;
        return el(
          "li",
          {},
          el("span", { class: "name" }, name),
          el("span", { class: "track" }, bar),
          el("b", {}, fixed(cost)),
        );
      }),
    ),
  );
}

function lossCharts(rules: Rules, { lostBy }: Rating): HTMLElement[] {
  const sorted = (costs: Record<string, number>, named: (key: string) => string): [string, number][] =>
    Object.entries(costs)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_BARS)
      .map(([key, cost]) => [named(key), cost]);
  const [last, second, first] = lostBy.throws;
  const [afterLast = "", afterSecond = "", afterFirst = ""] = t.review.when;
  return [
    bars(t.numbers.byThrow, [
      [afterFirst, first],
      [afterSecond, second],
      [afterLast, last],
    ]),
    bars(
      t.numbers.byStage,
      t.numbers.stages.map((name, i) => [name, lostBy.stages[i as 0 | 1 | 2]] as const),
    ),
    bars(
      t.numbers.byBox,
      sorted(lostBy.boxes, (name) => labelOf(rules, boxOf(rules, name))),
    ),
    bars(
      t.numbers.byDice,
      sorted(lostBy.dice, (name) => t.numbers.looks[(DICE_PATTERNS as readonly string[]).indexOf(name)] ?? name),
    ),
  ];
}

/** One in how many games of perfect play, and of one's own, reaches the score of the last game. */
async function showLikelihood(
  into: HTMLElement,
  rules: Rules,
  mine: readonly Summary[],
  perfect: PerfectScores,
): Promise<void> {
  const last = mine.reduce((latest, one) => (one.date > latest.date ? one : latest));
  const outlook = await perfect(rules).catch(() => null);
  const reached = outlook?.pmf.slice(last.score).reduce((sum, prob) => sum + prob, 0) ?? 0;
  const own = mine.filter(({ score }) => score >= last.score).length / mine.length;
  // "One in 1.3 games" says less than "77% of games".
  const often = (share: number, oneIn: (n: string) => string, of: (share: string) => string): string =>
    share > 0.5 ? of(percent(share)) : oneIn(share < 1 / 1e6 ? whole(1e6) : fixed(1 / share, share > 0.1 ? 1 : 0));
  const parts = [
    ...(reached ? [often(Math.min(reached, 1 - 1e-9), t.numbers.ofPerfect, t.numbers.shareOfPerfect)] : []),
    ...(mine.length >= MIN_GAMES ? [often(own, t.numbers.ofYours, t.numbers.shareOfYours)] : []),
  ];
  setText(into, parts.length ? t.numbers.likely(whole(last.score), list(parts)) : t.numbers.unlikely);
}
