/**
 * A reason in words: one or two sentences from its clauses, as `yatzy.coach.why` says them in English.
 *
 * The order of the clauses, and what each of them says, is decided here; the languages have a phrase for each. A phrase begins small
 * and has no stop, for it may stand inside a sentence. Dice are marked, and become pictures where a page shows them.
 */
import constants from "../../engine/constants.json";
import type { Action, Clause, Reason } from "../../engine/types";
import { isSlight } from "../../engine/why";
import type { Rules } from "../game/rules";
import { fixed, labelOf, share, t } from "../language";
import { inlineDice, type RichText } from "./words";

/** Around the faces of dice. */
const MARK = "\u2063";
// What they are is said where they are chosen, in `yatzy.coach.why`.
const { close: CLOSE, small: SMALL, ten: TEN, sure: SURE } = constants.why;

const isGoal = ({ kind }: Clause): boolean => kind === "chance" || kind === "daring" || kind === "safe";
const sentence = (text: string): string => text.slice(0, 1).toLocaleUpperCase() + text.slice(1);

/** Points on average, with a decimal if they are few. */
const few = (points: number): string => fixed(points, points < TEN ? 1 : 0);
/** The same beside points now; with a decimal too if they are close. */
const mean = (average: number, points: number): string =>
  Math.abs(average - points) < SMALL ? fixed(average) : few(average);
const pointsText = (points: number): string => t.number.points(`${points}`, points);

/** Two chances, with as many decimals as tell them apart, and from never and always, up to two. */
export function twoChances(a: number, b: number): [string, string] {
  const isPlain = (one: number, n: number): boolean =>
    one <= 0 || one >= 1 || ![share(0, n), share(1, n)].includes(share(one, n));
  const digits = [0, 1].find((n) => share(a, n) !== share(b, n) && isPlain(a, n) && isPlain(b, n)) ?? 2;
  return [share(a, digits), share(b, digits)];
}

function listed(names: readonly string[], and = t.why.and): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} ${and} ${last}` : last;
}

const marks = (dice: readonly number[]): string => `${MARK}${[...dice].sort((a, b) => a - b).join(" ")}${MARK}`;

/** The dice of one keep that another has not. */
function without(dice: readonly number[], others: readonly number[]): number[] {
  const left = [...others];
  return dice.filter((face) => {
    const at = left.indexOf(face);
    return at < 0 || !left.splice(at, 1).length;
  });
}

/** The phrases of a reason that has a rival: of the better action as it is, of the other one as it would be. */
class Phrases {
  private readonly action: Action;
  private readonly rival: Action;

  constructor(
    private readonly rules: Rules,
    private readonly reason: Reason,
    rival: Action,
  ) {
    [this.action, this.rival] = [reason.action, rival];
  }

  private boxes = ({ boxes }: Clause, and?: string): string =>
    listed(
      boxes.map((box) => labelOf(this.rules, box)),
      and,
    );
  private subject = ({ keep, score }: Action): string => {
    if (!keep) return labelOf(this.rules, score);
    return keep.length ? t.why.keeping(marks(keep)) : t.why.fresh;
  };

  asGood = (): string => `${sentence(t.why.asGood(this.subject(this.action), this.subject(this.rival)))}.`;

  text(): string {
    const { clauses, lead } = this.reason;
    const plain = clauses.filter((one) => !isGoal(one));
    const told = this.gains(plain.filter(({ part }) => part > 0));
    const losses = plain.filter(({ kind, part }) => kind !== "takes" && part <= 0).map((one) => this.loss(one));
    const against = losses.join(` ${t.why.and} `);
    const last = told.pop();
    if (last !== undefined) told.push(against ? t.why.but(last, against) : last);
    else if (against) told.push(against);
    told.push(...plain.filter(({ kind, part }) => kind === "takes" && part <= 0).map((one) => this.given(one)));
    const goal = clauses.find(isGoal);
    if (goal) told.unshift(this.goal(goal));
    else if (lead < CLOSE) told[0] = t.why.hair(told[0] ?? "");
    return told.map((one) => `${sentence(one)}.`).join(" ");
  }

  private goal({ kind, part, chance = 0, rival_chance = 0 }: Clause): string {
    if (kind === "chance") return t.why.chance(...twoChances(chance, rival_chance));
    return (kind === "daring" ? t.why.daring : t.why.safe)(fixed(Math.max(-part, 0)));
  }

  private gains(gains: readonly Clause[]): string[] {
    const [now, later] = ["boxes", "later"].map((kind) => gains.find((one) => one.kind === kind));
    if (this.action.keep && now && later && gains.length === 2)
      return [t.why.andLeaves(this.gain(now), this.boxes(later))];
    return gains.map((one) => this.gain(one));
  }

  /** What speaks for the better action. */
  gain(clause: Clause): string {
    const { why } = t;
    const { kind, part, points = 0, average = 0 } = clause;
    const boxes = this.boxes(clause);
    const [later, isFew] = [mean(average, points), Math.abs(average - points) >= SMALL];
    switch (kind) {
      case "takes":
        return why.takes(boxes, pointsText(points), later, isFew);
      case "leaves":
        return points ? why.leaves(boxes, pointsText(points), later, isFew) : why.keepsOpen(boxes, later);
      case "bonus":
        return this.bonus(clause);
      case "extra":
        return why.moreExtra(fixed(part));
      case "boxes":
        if (this.rival.keep) return this.better(this.action.keep ?? [], this.rival.keep, boxes);
        return why.brings(this.subject(this.action), few(part), boxes);
      case "spared":
        return this.little(clause);
      default:
        if (this.action.keep) return why.leavesMore(this.subject(this.action), boxes);
        if (this.rival.keep) return why.scoringLeaves(boxes);
        return why.stillOpen(this.subject(this.rival), boxes, clause.boxes.length);
    }
  }

  private bonus(clause: Clause): string {
    const { chance = 0, rival_chance: other = 0, boxes } = clause;
    const isLost = other < 1 - SURE;
    if (chance > SURE) return t.why.bonusSafe(isLost ? "" : twoChances(other, 1)[0]);
    if (isLost) return t.why.bonusInReach(twoChances(chance, 0)[0]);
    if (isSlight(clause) && boxes.length)
      return t.why.bonusCounts(...twoChances(chance, other), this.boxes(clause));
    const isNamed = this.reason.clauses.some(
      (one) => one !== clause && one.boxes.some((box) => boxes.includes(box)),
    );
    return t.why.bonusMore(...twoChances(chance, other), isNamed ? "" : this.boxes(clause));
  }

  /** Of two keeps, what the better one is better for; if it is part of the other, or has all of it, how. */
  private better(mine: readonly number[], other: readonly number[], boxes: string): string {
    const [thrown, kept] = [without(other, mine), without(mine, other)];
    if (thrown.length && !kept.length) return t.why.throwing(marks(thrown), boxes, thrown.length);
    if (kept.length && other.length && !thrown.length) return t.why.keepingToo(marks(kept), boxes, kept.length);
    return t.why.better(this.subject(this.action), boxes);
  }

  /** How often the other keep would end with little in some boxes. */
  private little(clause: Clause): string {
    const { part, chance = 0, rival_chance = 0 } = clause;
    const [often, usual] = twoChances(rival_chance, chance);
    const [keep, boxes] = [this.subject(this.rival), this.boxes(clause, t.why.or)];
    if (!chance) return t.why.littleIn(keep, boxes, often);
    return (part > 0 ? t.why.littleMore : t.why.littleLess)(keep, boxes, often, usual);
  }

  /** What speaks for the other one. */
  loss(clause: Clause): string {
    const { why } = t;
    const { kind, part, points = 0, average = 0, chance = 0, rival_chance = 0 } = clause;
    const boxes = this.boxes(clause);
    switch (kind) {
      case "leaves":
        return why.givesNow(boxes, pointsText(points), mean(average, points));
      case "bonus":
        return why.bonusLess(...twoChances(chance, rival_chance));
      case "extra":
        return why.lessExtra(fixed(-part));
      case "boxes":
        return why.wouldBeBetter(this.subject(this.rival), boxes);
      case "spared":
        return this.little(clause);
      default:
        if (this.rival.keep) return why.wouldLeave(this.subject(this.rival), boxes);
        if (this.action.keep) return why.boxWouldLeave(this.subject(this.rival), boxes);
        return why.wouldBring(this.subject(this.action), boxes);
    }
  }

  /** What the action itself gives up by scoring its box. */
  private given(clause: Clause): string {
    const { part, points = 0 } = clause;
    const isLess = -part < Math.max(...this.reason.clauses.map((one) => one.part));
    if (!points) return t.why.crosses(this.boxes(clause), few(-part), isLess);
    return t.why.gives(this.boxes(clause), `${points}`, few(-part), isLess);
  }
}

function marked(rules: Rules, reason: Reason): string {
  if (!reason.rival) return t.why.nothingElse;
  const phrases = new Phrases(rules, reason, reason.rival);
  return reason.clauses.length ? phrases.text() : phrases.asGood();
}

// What a choice of the other one says itself; `later` if both score.
const OF_RIVAL = ["leaves", "spared", "bonus"];

/** What speaks against the other one without naming the better one; nothing if all that is said does. */
export function warningText(rules: Rules, { action, rival, lead, clauses }: Reason): RichText {
  if (!rival) return [];
  const kinds = action.keep || rival.keep ? OF_RIVAL : [...OF_RIVAL, "later"];
  const clause = clauses.find(({ kind, part }) => part > 0 && kinds.includes(kind));
  const phrases = new Phrases(rules, { action, rival, lead, clauses }, rival);
  if (!clause) return [];
  const { kind, chance, rival_chance } = clause;
  const other = { ...clause, chance: rival_chance, rival_chance: chance } as Clause;
  return pictured(`${sentence(kind === "bonus" ? phrases.loss(other) : phrases.gain(clause))}.`);
}

/** The sentences as plain text. */
export const plainReason = (rules: Rules, reason: Reason): string => marked(rules, reason).replaceAll(MARK, "");

const pictured = (text: string): RichText =>
  text.split(MARK).flatMap((part, i) => (part ? [i % 2 ? inlineDice(part.split(" ").map(Number)) : part] : []));

/** The sentences with pictures of dice. */
export const reasonText = (rules: Rules, reason: Reason): RichText => pictured(marked(rules, reason));
