/**
 * Lines of a chart in the language of the page: one phrase for every line. In English they are the library's own words
 * (`yatzy.rulelists.charts.lines`), letter by letter.
 */
import { labelOf } from "../language/labels";
import { t } from "../language";
import type { Rules } from "../game/rules";

/** What both kinds of lines have: dice to see (`a` and `b` are dice alike), a reason by number, and what it is worth. */
interface Shown {
  picture: string;
  why: number;
  cost: number;
}

export interface KeepLine extends Shown {
  kind: string;
  n: number;
  low: number;
  high: number;
  own: boolean;
  boxes: number[];
  box: number;
  throw: string;
  /** Points that the first of the boxes can bring: the fewest and the most. */
  amounts?: number[];
}

export interface ScoreLine extends Shown {
  boxes: number[];
  least: number;
  when: string;
  amounts: number[];
}

export interface Lines {
  mean: number;
  reads: number;
  give_up: number[];
  keeps: KeepLine[];
  scores: ScoreLine[];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function either(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${t.paper.either} ${last}`;
}

const isUpper = (rules: Rules, box: number): boolean => rules.categories[box]?.upper ?? false;

function boxesText(rules: Rules, boxes: readonly number[], least: number, amounts: readonly number[]): string {
  const { paper } = t;
  const isAll = boxes.length === rules.faces && boxes.every((box) => isUpper(rules, box));
  const names = isAll ? paper.anyUpper : either(boxes.map((box) => labelOf(rules, box)));
  const said = paper.numbers[least] ?? "";
  const [fewest = 0, most = 0] = amounts;
  if (least === 0) return `${names}: ${paper.forNothing}`;
  if (isUpper(rules, boxes[0] ?? 0))
    return `${names}: ${least === rules.dice ? paper.dice(said) : paper.orMoreDice(said, least)}`;
  if (boxes.length > 1) return `${names}: ${paper.anyPoints}`;
  if (least <= fewest) return most > fewest ? `${names}: ${paper.anyPoints}` : names;
  return `${names}: ${least === most ? paper.points(least) : paper.orMorePoints(least)}`;
}

export function scoreText(rules: Rules, { boxes, least, when, amounts }: ScoreLine): string {
  const after = when === "in reach" ? t.paper.inReach : when === "settled" ? t.paper.settled : "";
  return boxesText(rules, boxes, least, amounts) + after;
}

/** The dice to see, and when the line holds. */
export function keepText(rules: Rules, line: KeepLine): string {
  const { paper } = t;
  const box = line.box >= 0 ? paper.ifOpen(labelOf(rules, line.box)) : "";
  const thrown = line.throw === "first" ? paper.first : line.throw === "last" ? paper.second : "";
  return patternText(rules, line) + box + thrown;
}

function patternText(rules: Rules, { kind, n, low, high, own, boxes, amounts = [] }: KeepLine): string {
  const { paper } = t;
  const faces = Array.from({ length: high - low + 1 }, (_, i) => low + i).join(" ");
  switch (kind) {
    case "complete":
      return boxesText(rules, boxes, n, amounts) + (boxes.length === 1 ? paper.isOpen : paper.thatOpen);
    case "two pairs":
      return paper.twoPairs;
    case "nothing":
      return paper.anyDice;
    case "from":
      return low < rules.faces ? paper.fromFace(low) : paper.ofFace(low);
    case "run":
      return n === high - low + 1 ? faces : capital(paper.different(paper.numbers[n] ?? "", faces));
    default:
      return (
        alikeText(rules, n, low, high) +
        (kind === "with highest" ? paper.withHighest : "") +
        (own ? (n === 1 ? paper.own : paper.owns) : "")
      );
  }
}

function alikeText(rules: Rules, n: number, low: number, high: number): string {
  const { paper } = t;
  const said = paper.numbers[n] ?? "";
  if (low === high) return capital(paper.ofOne(said, paper.faces[low - 1] ?? ""));
  const isAny = low === 1 && high === rules.faces;
  const between = high === rules.faces ? paper.orHigher(low) : low === 1 ? paper.orLower(high) : null;
  const which = isAny ? "" : (between ?? paper.between(low, high));
  return n === 1 ? paper.anyDie(which) : capital(paper.alike(said, which));
}

/** What a keeping line keeps. */
export function keptText({ kind }: KeepLine): string {
  const { paper } = t;
  if (kind === "two pairs") return paper.pairs;
  if (kind === "run") return paper.each;
  if (kind === "complete") return paper.allDice;
  return kind === "nothing" ? paper.nothing : paper.them;
}

export const keepWords = (rules: Rules, line: KeepLine): string => `${keepText(rules, line)}: ${keptText(line)}`;

export const giveUpText = (rules: Rules, { give_up }: Lines): string =>
  t.paper.giveUp(give_up.map((box) => labelOf(rules, box)).join(", "));
