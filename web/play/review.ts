/** The review of a finished game: luck and skill, the biggest mistakes and why, and the same dice played perfectly. */
import { scaleBand, scaleLinear } from "d3-scale";
import { fixed, label, svgIn } from "../look/figure";
import type { Action, Advice, Decision, Review, Situation, Word } from "../engine/answers";
import { el, find, onPress, setText } from "./dom";
import { card, extraOf, fromLog, type Game } from "./game";
import { hasExtra, type Rules } from "./rules";
import { glyphs, labelOf, parseAction, percent, points, sayAction, signed } from "./words";

/** So many of the best actions are explained. */
const DETAILS = 8;
const PLURALS: Record<Word, string> = {
  perfect: "perfect",
  fine: "fine",
  inaccuracy: "inaccuracies",
  mistake: "mistakes",
  blunder: "blunders",
};
const THROWS = ["after the last throw", "after the second throw", "after the first throw"];

/** Where throws are saved, how many are left says more than which throw it was. */
const whenOf = (rules: Rules, { rerolls }: Decision): string =>
  (rules.saves_throws && rerolls ? null : THROWS[rerolls]) ?? `${rerolls} throws left`;

export interface ReviewView {
  wait: () => void;
  fail: (why: string) => void;
  show: (game: Game, found: Review, whys: readonly string[]) => void;
}

export function createReview(tryAgain: () => void): ReviewView {
  const body = find("#review-body");
  const busy = (is: boolean): void => find("#review").setAttribute("aria-busy", `${is}`);
  return {
    wait: () => {
      busy(true);
      body.replaceChildren(el("p", { class: "quiet" }, "The coach is going through your game …"));
    },
    fail: (why) => {
      busy(false);
      const again = el("button", { type: "button", class: "plain" }, "Try again");
      onPress(again, tryAgain);
      body.replaceChildren(
        el("p", { class: "trouble" }, `${why} Your game is kept; its review needs the coach.`),
        again,
      );
    },
    show: (game, found, whys) => {
      busy(false);
      const parts = [
        equation(found),
        words(found),
        el("h3", {}, found.mistakes.length ? mistakesTitle(found) : "Not one point lost by a decision"),
        el(
          "ol",
          { class: "mistakes" },
          ...found.mistakes.map((one, i) => mistake(game.rules, one, whys[i] ?? "")),
        ),
        el("h3", {}, turnsTitle(found)),
        el("div", { id: "by-turn" }),
        el(
          "p",
          { class: "quiet" },
          "Above the line: what the dice gave or took against the average. Below in red: what decisions lost.",
        ),
        el("h3", {}, replayTitle(found)),
        replay(game, found),
      ];
      body.replaceChildren(...parts.filter((part) => part !== null));
      drawTurns(find("#by-turn"), found);
    },
  };
}

/** Start + luck - lost = score. Luck is rounded so that what is shown adds up, as the numbers themselves do. */
function equation(found: Review): HTMLElement {
  const start = Math.round(found.start_value * 10) / 10;
  const lost = Math.round(found.lost * 10) / 10;
  const luck = found.score - start + lost;
  setText(find("#verdict"), verdict(luck, lost));
  const term = (id: string, value: string, what: string): HTMLElement =>
    el("div", { id }, el("b", {}, value), el("span", {}, what));
  return el(
    "div",
    { class: "equation" },
    term("term-start", fixed(start), "average of perfect play"),
    term("term-luck", signed(luck), "luck of the dice"),
    term("term-lost", signed(-lost), "lost by decisions"),
    term("term-score", `= ${found.score}`, "your score"),
  );
}

function verdict(luck: number, lost: number): string {
  const dice = luck >= 0 ? `The dice gave you ${fixed(luck)}` : `The dice took ${fixed(-luck)}`;
  return `${dice}, your decisions cost ${fixed(lost)}.`;
}

function words({ words: counts }: Review): HTMLElement {
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const chips = (Object.entries(counts) as [Word, number][])
    .filter(([, n]) => n > 0)
    .map(([word, n]) =>
      el("li", { "data-word": word }, el("b", {}, `${n}`), ` ${n === 1 ? word : PLURALS[word]}`),
    );
  return el("ul", { class: "words", "aria-label": `${all} decisions` }, ...chips);
}

const mistakesTitle = ({ mistakes, lost }: Review): string => {
  const share = mistakes.reduce((sum, { regret }) => sum + regret, 0);
  const which = mistakes.length === 1 ? "One decision" : `${mistakes.length === 2 ? "Two" : "Three"} decisions`;
  return `${which} cost ${fixed(share)} of the ${fixed(lost)} points`;
};

function mistake(rules: Rules, one: Decision, why: string): HTMLElement {
  const { keep } = parseAction(one.played);
  const left = [...(keep ?? [])];
  const held = one.dice.map((face) => {
    const at = left.indexOf(face);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return el(
    "li",
    { "data-regret": `${one.regret}` },
    el(
      "p",
      { class: "where" },
      `Turn ${one.turn}, ${whenOf(rules, one)}`,
      el("span", { class: "chip", "data-word": one.word }, one.word),
    ),
    el("p", { class: "lay" }, glyphs(one.dice, held)),
    el(
      "p",
      {},
      ...sayAction(rules, one.played, "did"),
      ". ",
      ...sayAction(rules, one.best, "doing"),
      ` was ${points(one.regret)} better.`,
    ),
    why ? el("p", { class: "why" }, why) : null,
  );
}

/** Chances with the best action, beside those with what was played if that is among the better ones. */
export async function explain(advise: (asked: Situation) => Promise<Advice>, one: Decision): Promise<string> {
  const { dice, rerolls, filled, upper } = one;
  const saved = one.saved === undefined ? {} : { saved: one.saved };
  const asked = { dice, rerolls, filled, upper, ...saved, points: 0, theta: 0, details: DETAILS };
  const { actions } = await advise(asked);
  const same = (text: string) => (action: Action) => normal(action.action) === normal(text);
  const [best, played] = [actions.find(same(one.best)), actions.find(same(one.played))];
  return [
    compare("The chance of the bonus", best?.bonus_chance, played?.bonus_chance),
    best?.keep ? compare("The chance to improve the dice", best.improve_chance, played?.improve_chance) : "",
  ].join("");
}

function compare(what: string, best: number | undefined, played: number | undefined): string {
  if (best === undefined || (played !== undefined && percent(best) === percent(played))) return "";
  const yours = played === undefined ? "" : ` and ${percent(played)} with yours`;
  return `${what} is ${percent(best)} with the better choice${yours}. `;
}

/** The action with the dice of a keep sorted. */
const normal = (action: string): string =>
  action.startsWith("keep") ? `keep ${action.split(" ").slice(1).sort().join(" ")}` : action;

function turnsTitle({ turns }: Review): string {
  const lucky = turns.reduce((best, turn) => (turn.luck > best.luck ? turn : best));
  const unlucky = turns.reduce((worst, turn) => (turn.luck < worst.luck ? turn : worst));
  return `Luckiest in turn ${lucky.turn} (${signed(lucky.luck)}), unluckiest in turn ${unlucky.turn} (${signed(unlucky.luck)})`;
}

function drawTurns(picture: HTMLElement, { turns }: Review): void {
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  const svg = svgIn(
    picture,
    width,
    height,
    `Luck and points lost by turn: ${turns.map((one) => `${one.turn}: ${signed(one.luck)}, ${signed(-one.lost)}`).join("; ")}`,
  );
  const x = scaleBand(
    turns.map(({ turn }) => turn),
    [0, width],
  ).padding(0.25);
  const most = Math.max(1, ...turns.map(({ luck }) => luck));
  const least = Math.min(-1, ...turns.map(({ luck, lost }) => Math.min(0, luck) - lost));
  const y = scaleLinear([most, least], [14, height - 18]);
  const bar = (turn: number, from: number, to: number, style: string): void => {
    svg
      .append("rect")
      .attr("class", style)
      .attr("x", x(turn) ?? 0)
      .attr("width", x.bandwidth())
      .attr("y", y(Math.max(from, to)))
      .attr("height", Math.abs(y(from) - y(to)));
  };
  for (const { turn, luck, lost } of turns) {
    const below = Math.min(0, luck);
    bar(turn, 0, luck, luck >= 0 ? "luck" : "luck bad");
    bar(turn, below, below - lost, "lost");
    label(svg, `${turn}`, (x(turn) ?? 0) + x.bandwidth() / 2, height - 3, "muted small", "middle");
  }
  svg.append("line").attr("class", "zero").attr("x1", 0).attr("x2", width).attr("y1", y(0)).attr("y2", y(0));
}

function replayTitle({ replay: again, score }: Review): string {
  const more = again.score - score;
  if (!more) return `The same dice, played perfectly: ${again.score}, as many as you`;
  return `The same dice, played perfectly: ${again.score}, ${Math.abs(more)} ${more > 0 ? "more" : "fewer"} than you`;
}

/** Box by box, yours and the perfect player's. */
function replay(game: Game, found: Review): HTMLElement {
  const { rules } = game;
  const mine = card(game);
  const again = fromLog(found.replay.log, rules);
  const perfect = card(again);
  const sum = (points: Map<string, number>): number => [...points.values()].reduce((total, n) => total + n, 0);
  const row = (name: string, a: number, b: number): HTMLElement =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      el("td", {}, `${a}`),
      el("td", a < b ? { class: "more" } : {}, `${b}`),
    );
  return el(
    "details",
    { class: "replay" },
    el("summary", {}, "Box by box"),
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "Box"),
          el("th", { scope: "col" }, "You"),
          el("th", { scope: "col" }, "Perfect"),
        ),
      ),
      el(
        "tbody",
        {},
        ...rules.categories.map(({ category }) =>
          row(labelOf(rules, category), mine.get(category) ?? 0, perfect.get(category) ?? 0),
        ),
        ...(hasExtra(rules) ? [row("Extra points", extraOf(game), extraOf(again))] : []),
        row("Bonus", found.bonus, found.replay.score - sum(perfect) - extraOf(again)),
        row("Score", found.score, found.replay.score),
      ),
    ),
    el(
      "p",
      { class: "quiet" },
      "The perfect player sees the same first throw in every turn, and in a reroll the dice you threw, in the same order.",
    ),
  );
}
