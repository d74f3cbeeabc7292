/**
 * A reason in words: one or two sentences from its clauses, as `yatzy.game.reason` says them in English.
 *
 * The order of the clauses, and what each of them says, is decided here; the languages have a phrase for each. A phrase begins small
 * and has no stop, for it may stand inside a sentence. Dice are marked, and become pictures where a page shows them.
 */
import { CLOSE } from "../../engine/why";
import type { Action, Clause, Reason } from "../../engine/types";
import type { Rules } from "../game/rules";
import { fixed, labelOf, share, t } from "../language";
import { inlineDice, type RichText } from "./words";

/** Around the faces of dice. */
const MARK = "\u2063";
/** A difference below this is shown with a decimal. */
const SMALL = 1.5;

const isGoal = ({ kind }: Clause): boolean => kind === "chance" || kind === "daring" || kind === "safe";
const sentence = (text: string): string => text.slice(0, 1).toLocaleUpperCase() + text.slice(1);

/** Two numbers, with a decimal if they are close. */
function two(a: number, b: number): [string, string] {
  const digits = Math.abs(a - b) >= SMALL ? 0 : 1;
  return [fixed(a, digits), fixed(b, digits)];
}

/** Two chances, with as many decimals as tell them apart, up to two. */
export function twoChances(a: number, b: number): [string, string] {
  const digits = [0, 1].find((n) => share(a, n) !== share(b, n)) ?? 2;
  return [share(a, digits), share(b, digits)];
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} ${t.why.and} ${last}` : last;
}

/** The phrases of a reason that has a rival. */
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

  private box = (action: Action): string => (action.keep ? "" : labelOf(this.rules, action.score));
  private boxes = ({ boxes }: Clause): string => listed(boxes.map((box) => labelOf(this.rules, box)));
  private dice = ({ keep = [] }: Action): string =>
    keep.length ? `${MARK}${[...keep].sort((a, b) => a - b).join(" ")}${MARK}` : t.why.fresh;
  private subject = (action: Action): string => {
    if (!action.keep) return this.box(action);
    return action.keep.length ? t.why.keeping(this.dice(action)) : t.why.fresh;
  };

  asGood = (): string => `${sentence(t.why.asGood(this.subject(this.action), this.subject(this.rival)))}.`;

  text(): string {
    const { clauses, lead } = this.reason;
    const plain = clauses.filter((one) => !isGoal(one));
    const gains = plain.filter(({ part }) => part > 0).map((one) => this.gain(one));
    const given = plain.filter(({ kind, part }) => kind === "takes" && part <= 0).map((one) => this.given(one));
    const losses = plain.filter(({ kind, part }) => kind !== "takes" && part <= 0).map((one) => this.loss(one));
    let first = [...gains.slice(0, 1), ...given].join("; ");
    if (losses.length) first = t.why.although(first, losses.join(` ${t.why.and} `));
    const goal = clauses.find(isGoal);
    if (goal) first = t.why.because(this.goal(goal), gains.length > 0, first);
    else if (lead < CLOSE) first = t.why.hair(first);
    return [first, ...gains.slice(1)].map((one) => `${sentence(one)}.`).join(" ");
  }

  private goal({ kind, part, chance = 0, rival_chance = 0 }: Clause): string {
    if (kind === "chance") return t.why.instead(...twoChances(chance, rival_chance));
    return (kind === "daring" ? t.why.daring : t.why.safe)(fixed(-part));
  }

  private gain(clause: Clause): string {
    const { why } = t;
    const { kind, part, points = 0, average = 0 } = clause;
    const boxes = this.boxes(clause);
    const [now, later] = two(points, average);
    const isFew = Math.abs(average - points) >= SMALL;
    switch (kind) {
      case "takes":
        return why.takes(boxes, now, later, isFew);
      case "leaves":
        return points ? why.leaves(boxes, now, later, isFew) : why.keepsOpen(boxes, later);
      case "bonus":
        return this.bonus(clause);
      case "extra":
        return why.moreExtra(fixed(part));
      default:
        if (this.action.keep) return (this.rival.keep ? why.better : why.brings)(this.dice(this.action), boxes);
        if (this.rival.keep) return why.leavesMore(boxes);
        return why.stillOpen(this.box(this.rival), boxes, clause.boxes.length);
    }
  }

  private bonus({ chance = 0, rival_chance = 0 }: Clause): string {
    if (chance > 1 - 1e-6) return t.why.bonusSafe;
    if (rival_chance < 1e-6) return t.why.bonusInReach(share(chance));
    return t.why.bonusMore(...twoChances(chance, rival_chance));
  }

  private loss(clause: Clause): string {
    const { why } = t;
    const { kind, part, points = 0, average = 0, chance = 0, rival_chance = 0 } = clause;
    const boxes = this.boxes(clause);
    switch (kind) {
      case "leaves":
        return why.givesNow(boxes, ...two(points, average));
      case "bonus":
        return why.bonusLess(...twoChances(chance, rival_chance));
      case "extra":
        return why.lessExtra(fixed(-part));
      default:
        if (this.rival.keep) return why.wouldBeBetter(this.dice(this.rival), boxes);
        if (this.action.keep) return why.wouldLeave(this.box(this.rival), boxes);
        return why.wouldBring(this.box(this.action), boxes);
    }
  }

  /** What the action itself gives up by scoring its box. */
  private given(clause: Clause): string {
    const { part, points = 0, average = 0 } = clause;
    const isLess = -part < Math.max(...this.reason.clauses.map((one) => one.part));
    if (!points) return t.why.crosses(this.boxes(clause), fixed(average), isLess);
    return t.why.gives(this.boxes(clause), fixed(-part), `${points}`, fixed(average), isLess);
  }
}

function marked(rules: Rules, reason: Reason): string {
  if (!reason.rival) return t.why.nothingElse;
  const phrases = new Phrases(rules, reason, reason.rival);
  return reason.clauses.length ? phrases.text() : phrases.asGood();
}

/** The sentences as plain text. */
export const plainReason = (rules: Rules, reason: Reason): string => marked(rules, reason).replaceAll(MARK, "");

/** The sentences with pictures of dice. */
export const reasonText = (rules: Rules, reason: Reason): RichText =>
  marked(rules, reason)
    .split(MARK)
    .flatMap((part, i) => (part ? [i % 2 ? inlineDice(part.split(" ").map(Number)) : part] : []));
