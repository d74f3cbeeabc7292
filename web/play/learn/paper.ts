/** What a table can have on paper: the charts of the game, and an empty score sheet, in the language of the page. */
import {
  giveUpText,
  keepText,
  keptText,
  chartsOf,
  scoreText,
  type KeepLine,
  type GameCharts,
  type Lines,
  type ScoreLine,
} from "./chart";
import type { Rules } from "../game/rules";
import { fixed, labelOf, t, titleOf } from "../language";
import { die, type Face } from "../../look/dice";
import { session } from "../session";
import { el, find, onPress } from "../view/dom";
import { scoringText } from "../view/words";

const SHEET = "sheet";
const COLUMNS = 6;
const FIRST = "chart-20";

export function createPaper(): void {
  const dialog = find<HTMLDialogElement>("#paper");
  const choice = find<HTMLSelectElement>("#paper-choice");
  const body = find("#paper-body");
  let ladder: GameCharts | null = null;

  const draw = (): void => {
    const { rules } = session.game;
    const lines = ladder?.charts[choice.value];
    body.replaceChildren(...(lines ? chart(rules, lines) : sheet(rules)));
    const n = (lines?.keeps.length ?? 0) + (lines?.scores.length ?? 0);
    // For print: all of it on one page.
    body.dataset["size"] = n <= 25 ? "short" : n <= 45 ? "middle" : "long";
    body.scrollTop = 0;
  };
  const open = async (): Promise<void> => {
    ladder = await chartsOf(session.game.rules).catch(() => null);
    const charts = Object.entries(ladder?.charts ?? {});
    choice.replaceChildren(
      ...charts.map(([name, { keeps, scores }]) =>
        el("option", { value: name }, t.paper.chart(keeps.length + scores.length)),
      ),
      el("option", { value: SHEET }, t.paper.sheet),
    );
    choice.value = charts.some(([name]) => name === FIRST) ? FIRST : SHEET;
    draw();
    dialog.showModal();
  };
  choice.addEventListener("change", draw);
  onPress(find("#paper-open"), () => void open());
  onPress(find("#paper-print"), () => window.print());
}

/** Dice that show a line: faces, or dice that are alike whatever they show. */
function picture(dice: string): HTMLElement {
  const drawn = [...dice].map((one) => {
    const face = die((Number(one) || 1) as Face);
    if (/\d/.test(one)) return face;
    face.querySelectorAll("circle").forEach((dot) => dot.remove());
    face.classList.add(one === "a" ? "same" : "other");
    return face;
  });
  return el("span", { class: "dice", "aria-hidden": "true" }, ...drawn);
}

/** Adding nothing turns a cost of minus nothing into nothing. */
function item({ picture: dice, why, cost }: KeepLine | ScoreLine, ...said: (HTMLElement | string)[]): HTMLElement {
  return el(
    "li",
    {},
    picture(dice),
    el("span", { class: "said" }, ...said, ...(why < 0 ? [] : [el("small", {}, t.paper.whys[why] ?? "")])),
    el("small", { class: "cost" }, fixed(Math.round(100 * cost) / 100 + 0, 2)),
  );
}

function chart(rules: Rules, lines: Lines): HTMLElement[] {
  const { keeps, scores, reads, mean } = lines;
  const { paper } = t;
  const part = (title: string, note: string, items: HTMLElement[], end: string): HTMLElement =>
    el(
      "section",
      {},
      el("h3", {}, title),
      el("p", { class: "quiet" }, note),
      el("ol", {}, ...items),
      el("p", { class: "end" }, `${end}.`),
    );
  const notes = [
    ...paper.notes,
    ...(scores.some(({ when }) => when) ? [paper.bonus(rules.bonus_threshold)] : []),
    ...(rules.special.length ? [paper.jokers] : []),
    paper.costs,
  ];
  return [
    el("h2", {}, `${titleOf(rules.rules)}: ${paper.chart(keeps.length + scores.length)}`),
    el("p", { class: "quiet" }, paper.size(keeps.length + scores.length, fixed(reads), fixed(mean))),
    el(
      "div",
      { class: "parts" },
      part(
        paper.keepTitle,
        paper.keepNote,
        keeps.map((one) => item(one, `${keepText(rules, one)}: `, el("b", {}, keptText(one)))),
        paper.keepNothing,
      ),
      part(
        paper.scoreTitle,
        paper.scoreNote,
        scores.map((one) => item(one, scoreText(rules, one))),
        giveUpText(rules, lines),
      ),
    ),
    el("ul", { class: "quiet notes" }, ...notes.map((note) => el("li", {}, note))),
  ];
}

function sheet(rules: Rules): HTMLElement[] {
  const cells = (tag: "td" | "th"): HTMLElement[] => Array.from({ length: COLUMNS }, () => el(tag, {}));
  const row = (name: string, about = "", kind = ""): HTMLElement =>
    el(
      "tr",
      kind ? { class: kind } : {},
      el("th", { scope: "row" }, name, el("small", {}, about)),
      ...cells("td"),
    );
  const boxes = (isUpper: boolean): HTMLElement[] =>
    rules.categories.flatMap((one, box) =>
      one.upper === isUpper ? row(labelOf(rules, box), isUpper ? "" : scoringText(rules, one)) : [],
    );
  const bonus = rules.bonus ? [row(t.card.bonus, `${rules.bonus_threshold}+: +${rules.bonus}`, "sum")] : [];
  const upper = boxes(true);
  return [
    el("h2", {}, titleOf(rules.rules)),
    el(
      "table",
      { class: "sheet" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t.table.strip), ...cells("td"))),
      el(
        "tbody",
        {},
        ...upper,
        ...(upper.length ? [row(t.paper.sum, "", "sum"), ...bonus] : []),
        ...boxes(false),
        row(t.card.total, "", "sum"),
      ),
    ),
  ];
}
