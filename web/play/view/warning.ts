/** A warning before a mistake: what it costs and why. The best choice is not given away until somebody asks. */
import { whyOf, type Why, type Warning } from "../coach";
import { el, find, onPress } from "./dom";
import { warningText } from "./reason";
import type { Rules } from "../game/rules";
import { fixed, list, percent, points, t } from "../language";
import { partName, whyView } from "./why";
import { actionText, fillIn, type RichText } from "./words";

/** Smaller parts are not worth naming, and neither are those that are a small share of the largest. */
const LEAST = 0.1;
const SHARE = 0.4;
const MAX_NAMED = 2;

/** The largest of what a choice gives up, and of what it wins if that is half as much: the numbers of parts, with points. */
export function namedParts({ parts, isSum }: Pick<Why, "parts" | "isSum">): [lost: Named[], won: Named[]] {
  if (!isSum) return [[], []];
  const side = (sign: number): Named[] =>
    parts
      .map((one, part): Named => [part, sign * one])
      .filter(([, one]) => one > 0)
      .sort(([, a], [, b]) => b - a);
  const sum = (some: readonly Named[]): number => some.reduce((all, [, one]) => all + one, 0);
  const largest = (some: readonly Named[]): Named[] =>
    some.filter(([, one], i) => i < MAX_NAMED && one >= Math.max(LEAST, SHARE * (some[0]?.[1] ?? 0)));
  const [lost, won] = [side(1), side(-1)];
  return [largest(lost), sum(won) > sum(lost) / 2 ? largest(won).slice(0, 1) : []];
}

type Named = [part: number, points: number];

function whyText(rules: Rules, why: Why): RichText {
  const said = (some: readonly Named[]): string =>
    list(some.map(([part, one]) => t.warn.part(fixed(one), partName(rules, part))));
  const [lost, won] = namedParts(why);
  const told = [lost.length ? t.warn.givesUp(said(lost)) : "", won.length ? t.warn.wins(said(won)) : ""];
  return [...(why.isSum ? warningText(rules, why.reason) : []), ` ${told.join(" ").trim()}`];
}

/** Shows a warning; `goOn` if the player does what was warned of. */
export function createWarning(): (rules: Rules, warning: Warning, goOn: () => void) => void {
  const dialog = find<HTMLDialogElement>("#warning");
  const [cost, why, better] = ["#warning-cost", "#warning-why", "#warning-better"].map((one) => find(one));
  const show = find<HTMLButtonElement>("#warning-show");
  let reveal = (): void => undefined;
  onPress(show, () => reveal());
  return (rules, warning, goOn) => {
    const { asked, move, best, lost } = warning;
    cost?.replaceChildren(
      warning.isChance ? t.warn.costsChance(percent(lost / 100, 1)) : t.drill.wrong(points(lost)),
    );
    better?.replaceChildren();
    why?.replaceChildren();
    show.hidden = false;
    reveal = () => {
      show.hidden = true;
      const action = el("span", {}, ...actionText(rules, best));
      better?.replaceChildren(el("p", {}, ...fillIn(t.warn.better, action)), whyView(rules, asked, move));
      dialog.querySelector("button")?.focus();
    };
    whyOf(rules, asked, move)
      .then((found) => found && dialog.open && why?.replaceChildren(...whyText(rules, found)))
      .catch(() => undefined);
    dialog.returnValue = "back";
    dialog.addEventListener("close", () => dialog.returnValue === "on" && goOn(), { once: true });
    dialog.showModal();
  };
}
