/** The review of a finished game: luck and skill, the biggest mistakes and why, and the same dice played perfectly. */
import { scaleBand, scaleLinear } from "d3-scale";
import { forgetFailures, errorText, reviewOfGame, whyNoCoach } from "../coach";
import { moveText } from "../../engine/advise";
import { heldBy } from "../../engine/dice";
import type { Decision, Review, Situation, Turn } from "../../engine/types";
import { boxesOf, extraOf, fromLog, hasDice, scoreOf, type Game } from "../game/game";
import { hasExtra, type Rules } from "../game/rules";
import { fixed, labelOf, points, signed, t, whole } from "../language";
import { label, rect, segment, svgIn } from "../../look/figure";
import { session } from "../session";
import { featsOf } from "./joy";
import { el, find, onPress, plainButton, setText, tableOf } from "../view/dom";
import { whyView } from "../view/why";
import { actionText, fillIn, inlineDice, type RichText } from "../view/words";

/** Where throws are saved, how many are left says more than which throw it was. */
export const throwName = (rules: Rules, { rerolls }: Decision): string =>
  (rules.saves_throws && rerolls ? null : t.review.when[rerolls]) ?? t.review.throwsLeft(rerolls);

/** Whose score it is, for a heading. */
const scoreText = (game: Game): RichText => [
  ...(session.isShared ? [`${game.about.player ?? ""}: `] : []),
  ...fillIn(t.review.points("{}"), el("span", { id: "review-score" }, whole(scoreOf(game)))),
];

/** What can be done with a review: going through its decisions, and practising on them. */
export interface ReviewActions {
  step: (game: Game, found: Review, i: number) => void;
  /** Its mistakes as questions; how many there are, and `left` if all were answered or not. */
  guess: (game: Game, found: Review, left: (isDone: boolean) => void) => void;
  mistakes: (found: Review) => number;
  /** Put decisions into the deck; says what became of it. */
  practise: (game: Game, found: Review) => string;
}

/** Returns what shows the review of the finished game; at a table only when it was asked for (`isOpen`). */
export function createReview({ step, practise, guess, mistakes }: ReviewActions): (isOpen: boolean) => void {
  let reviewed: Turn[] | null = null;
  const body = find("#review-body");
  /** What was focused stays so: the heading is drawn again. */
  const fill = (parts: (HTMLElement | string | null)[]): void => {
    const isFocused = document.activeElement?.id === "review-of";
    body.replaceChildren(...parts.filter((part) => part !== null));
    if (isFocused) find("#review-of").focus({ preventScroll: true });
  };
  const busy = (is: boolean): void => find("#review").setAttribute("aria-busy", `${is}`);
  /** There is none, or it failed, and then it can be tried again. */
  const fail = (why: string, failed = false): void => {
    busy(false);
    const again = failed ? plainButton(t.review.tryAgain, () => void review()) : "";
    fill([
      ...head(session.game),
      el("p", { class: failed ? "trouble" : "quiet" }, failed ? `${why} ${t.review.kept}` : why),
      again,
    ]);
  };
  /** Mistakes wait as questions until they were answered, or are not wanted. */
  const mistakesOrQuestions = (game: Game, found: Review): HTMLElement => {
    const list = el("ol", { class: "mistakes" }, ...found.mistakes.map((one) => mistake(game.rules, one)));
    const n = mistakes(found);
    if (!n) return list;
    const reveal = (isDone: boolean): void => {
      if (!isDone) return;
      waiting.replaceWith(list);
      find("#all-decisions").hidden = false;
    };
    const waiting = el(
      "div",
      { class: "to-guess" },
      el("p", { class: "quiet" }, t.learn.toGuess(n)),
      plainButton(t.learn.guess, () => guess(game, found, reveal), { id: "guess-first", class: "plain strong" }),
      plainButton(t.learn.showAll, () => reveal(true), { id: "show-mistakes" }),
    );
    return waiting;
  };
  /** Every decision with what it cost: not before the questions, whose answers it shows. */
  const allDecisions = (game: Game, found: Review): HTMLElement => {
    const list = decisionList(found, (i) => step(game, found, i));
    const all = el("div", { id: "all-decisions" }, el("h3", {}, t.learn.all(found.decisions.length)), list);
    all.hidden = mistakes(found) > 0;
    return all;
  };
  const draw = (game: Game, found: Review, feats: readonly string[]): void => {
    busy(false);
    fill([
      ...head(game, verdictOf(found)),
      game.about.hints ? el("p", { class: "quiet", id: "review-hints" }, t.review.withHints) : null,
      feats.length ? el("p", { class: "joy" }, feats.join(" · ")) : null,
      equation(found),
      words(found),
      el("h3", {}, found.mistakes.length ? mistakesTitle(found) : t.review.noMistake),
      mistakesOrQuestions(game, found),
      found.mistakes.length ? practiseButton(game, found, practise) : null,
      allDecisions(game, found),
      el("h3", {}, turnsTitle(found)),
      el("div", { id: "by-turn" }),
      el("p", { class: "quiet" }, t.review.byTurn),
      el("h3", {}, replayTitle(found)),
      // Who lost nothing held what the perfect player holds.
      found.lost >= 0.05 ? el("p", { class: "quiet" }, t.review.reconcile(points(found.lost))) : null,
      replay(game, found),
    ]);
    drawTurns(find("#by-turn"), found);
  };
  const review = async (): Promise<void> => {
    forgetFailures();
    const mine = session.game;
    reviewed = mine.turns;
    busy(true);
    fill([...head(mine), el("p", { class: "quiet" }, t.review.wait)]);
    try {
      const why = whyNoCoach();
      if (why) return fail(why);
      if (!hasDice(mine)) return fail(t.table.noReview);
      const found = await reviewOfGame(mine);
      const feats = session.seat.kind === "person" ? await featsOf(mine, found.lost) : [];
      if (reviewed === mine.turns) draw(mine, found, feats);
    } catch (error) {
      if (reviewed === mine.turns) fail(errorText(error), true);
    }
  };
  return (isOpen) => {
    body.hidden = !isOpen;
    if (!isOpen) {
      reviewed = null;
      return busy(false);
    }
    if (reviewed !== session.game.turns) void review();
  };
}

/** Who played alone has the whole heading; at a table it says who won, and the review has one of its own. */
function head(game: Game, verdict = ""): HTMLElement[] {
  if (session.isShared)
    return [
      el("h3", { id: "review-of", tabindex: "-1" }, ...scoreText(game)),
      el("p", { class: "review-verdict" }, verdict),
    ];
  find("#review-title").replaceChildren(...scoreText(game));
  setText(find("#verdict"), verdict);
  return [];
}

/** Start + luck - lost + spared by warnings = score. Luck is rounded so that what is shown adds up, as the numbers themselves do. */
export function termsOf(found: Review): Record<"start" | "luck" | "lost" | "spared", number> {
  const rounded = (one: number): number => Math.round(one * 10) / 10;
  const [start, lost, spared] = [rounded(found.start_value), rounded(found.lost), rounded(found.spared)];
  return { start, luck: found.score - start + lost - spared, lost, spared };
}

function equation(found: Review): HTMLElement {
  const { start, luck, lost, spared } = termsOf(found);
  const term = (id: string, value: string, what: string): HTMLElement =>
    el("div", { id }, el("b", {}, value), el("span", {}, what));
  return el(
    "div",
    { class: "equation" },
    term("term-start", fixed(start), t.review.start),
    term("term-luck", signed(luck), t.review.luck),
    term("term-lost", signed(-lost), t.review.lost),
    ...(spared ? [term("term-spared", signed(spared), t.warn.spared)] : []),
    term("term-score", `= ${found.score}`, t.review.score),
  );
}

function verdictOf(found: Review): string {
  const { luck, lost, spared } = termsOf(found);
  const kept = spared ? ` ${t.warn.sparedBy(points(spared))}` : "";
  return (luck >= 0 ? t.review.gave : t.review.took)(fixed(Math.abs(luck)), fixed(lost)) + kept;
}

function words({ losses, decisions }: Review): HTMLElement {
  const chips = losses.flatMap((n, loss) =>
    n
      ? el("li", { "data-loss": `${loss}` }, el("b", {}, `${n}`), ` ${t.review.words[loss]?.[n === 1 ? 0 : 1]}`)
      : [],
  );
  return el("ul", { class: "words", "aria-label": t.review.decisions(decisions.length) }, ...chips);
}

const mistakesTitle = ({ mistakes, lost }: Review): string => {
  const share = mistakes.reduce((sum, { regret }) => sum + regret, 0);
  if (mistakes.length === 1) return t.review.oneMistake(points(lost));
  if (fixed(share) === fixed(lost)) return t.review.allMistakes(mistakes.length, points(lost));
  return t.review.mistakes(mistakes.length, fixed(share), points(lost));
};

function mistake(rules: Rules, one: Decision): HTMLElement {
  return el(
    "li",
    { "data-regret": `${one.regret}` },
    el("p", { class: "where" }, t.review.where(one.turn, throwName(rules, one)), costChip(one)),
    el("p", { class: "lay" }, decisionDice(one)),
    el("p", {}, ...decisionText(rules, one)),
    whyOfDecision(rules, one),
  );
}

/** The dice of a decision, with what was to be held. */
const decisionDice = ({ dice, played, wanted = played }: Decision): HTMLElement =>
  inlineDice(dice, heldBy(dice, wanted.keep ?? []));

/** What was done, or wanted until the coach warned, and what was best; then what was done after the warning. */
export const decisionText = (rules: Rules, one: Decision): RichText => {
  const { played, wanted, best, loss, regret } = one;
  const isSame = !wanted || moveText(rules, wanted) === moveText(rules, played);
  const better = loss ? [...actionText(rules, best, "best"), t.act.worthMore(points(regret))] : [t.learn.wasBest];
  const after = isSame ? [t.warn.spite] : [" ", t.warn.after, ...actionText(rules, played, "did"), "."];
  return [
    ...actionText(rules, wanted ?? played, isSame ? "did" : "wanted"),
    ". ",
    ...better,
    ...(wanted ? after : []),
  ];
};

/** What a decision cost, as a word. */
export const costChip = ({ loss }: Decision): HTMLElement =>
  el("span", { class: "chip", "data-loss": `${loss}` }, t.review.words[loss]?.[0] ?? "");

/** Why a decision cost what it did; of the best, why it was. */
export function whyOfDecision(rules: Rules, one: Decision): HTMLElement {
  const { dice, rerolls, set, upper, saved, played, wanted = played } = one;
  const asked: Situation = { dice, rerolls, set, upper, saved, points: 0, theta: 0 };
  return whyView(rules, asked, wanted);
}

function turnsTitle({ turns }: Review): string {
  const lucky = turns.reduce((best, turn) => (turn.luck > best.luck ? turn : best));
  const unlucky = turns.reduce((worst, turn) => (turn.luck < worst.luck ? turn : worst));
  return t.review.luckiest(lucky.turn, signed(lucky.luck), unlucky.turn, signed(unlucky.luck));
}

function drawTurns(picture: HTMLElement, { turns }: Review): void {
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  const svg = svgIn(
    picture,
    width,
    height,
    t.review.byTurnDescribed(
      turns.map((one) => `${one.turn}: ${signed(one.luck)}, ${signed(-one.lost)}`).join("; "),
    ),
  );
  const x = scaleBand(
    turns.map(({ turn }) => turn),
    [0, width],
  ).padding(0.25);
  const most = Math.max(1, ...turns.map(({ luck }) => luck));
  const least = Math.min(-1, ...turns.map(({ luck, lost }) => Math.min(0, luck) - lost));
  const y = scaleLinear([most, least], [14, height - 18]);
  const bar = (turn: number, from: number, to: number, style: string): void => {
    rect(svg, x(turn) ?? 0, y(Math.max(from, to)), x.bandwidth(), Math.abs(y(from) - y(to)), { class: style });
  };
  for (const { turn, luck, lost } of turns) {
    const below = Math.min(0, luck);
    bar(turn, 0, luck, luck >= 0 ? "luck" : "luck bad");
    bar(turn, below, below - lost, "lost");
    label(svg, `${turn}`, (x(turn) ?? 0) + x.bandwidth() / 2, height - 3, "muted small", "middle");
  }
  segment(svg, 0, y(0), width, y(0), { class: "zero" });
}

function replayTitle({ replay: again, score }: Review): string {
  const more = again.score - score;
  if (!more) return t.review.same(whole(again.score));
  return (more > 0 ? t.review.more : t.review.fewer)(whole(again.score), whole(Math.abs(more)));
}

/** Box by box, yours and the perfect player's. */
function replay(game: Game, found: Review): HTMLElement {
  const { rules } = game;
  const mine = boxesOf(game);
  const again = fromLog(found.replay.log, rules);
  const perfect = boxesOf(again);
  const sum = (points: Map<number, number>): number => [...points.values()].reduce((total, n) => total + n, 0);
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
    el("summary", {}, t.review.boxByBox),
    tableOf(
      [t.review.box, t.review.you, t.review.perfect],
      ...rules.categories.map((_, box) => row(labelOf(rules, box), mine.get(box) ?? 0, perfect.get(box) ?? 0)),
      ...(hasExtra(rules) ? [row(t.card.extra, extraOf(game), extraOf(again))] : []),
      row(t.card.bonus, found.bonus, found.replay.score - sum(perfect) - extraOf(again)),
      row(t.review.scoreRow, found.score, found.replay.score),
    ),
    el("p", { class: "quiet" }, t.review.sameDice),
  );
}

function practiseButton(game: Game, found: Review, practise: ReviewActions["practise"]): HTMLElement {
  const said = el("p", { class: "quiet", role: "status" }, t.drill.addAbout);
  const add = (): void => setText(said, practise(game, found));
  const button = plainButton(t.drill.add, add, { id: "add-to-deck" });
  return el("div", { class: "to-deck" }, button, said);
}

// Every decision of a game as a list, in order or by what it cost.

/** Pressing a row opens its decision, by its number from 0. */
function decisionList({ decisions }: Review, open: (i: number) => void): HTMLElement {
  const list = el("ol", { class: "decisions" });
  const rows = decisions.map((one, i) => {
    const cost = one.loss ? `−${fixed(one.regret)}` : t.advice.best;
    const button = el(
      "button",
      { type: "button", "data-loss": `${one.loss}` },
      el("span", { class: "when" }, t.outlook.turn(one.turn)),
      decisionDice(one),
      el("span", { class: "cost" }, cost),
    );
    onPress(button, () => open(i));
    return { row: el("li", {}, button), regret: one.regret, i };
  });
  const sorted = (byCost: boolean): void => {
    const order = [...rows].sort((a, b) => (byCost ? b.regret - a.regret : 0) || a.i - b.i);
    list.replaceChildren(...order.map(({ row }) => row));
    for (const one of buttons) one.setAttribute("aria-pressed", `${(one.value === "cost") === byCost}`);
  };
  const buttons = (["cost", "order"] as const).map((value) =>
    plainButton(t.learn.sort[value], () => sorted(value === "cost"), { value }),
  );
  sorted(true);
  return el(
    "div",
    { class: "all-decisions" },
    el("div", { class: "sorting", role: "group", "aria-label": t.learn.sorted }, ...buttons),
    list,
  );
}
