/** The help: the rules in a few sentences, and what every box scores. */
import { el, find, setText } from "./dom";
import { labelOf } from "../language/labels";
import { t } from "../language";
import type { Rules } from "../game/rules";
import { scoringOf } from "./words";

let shown = "";

export function showHelp(rules: Rules): void {
  if (shown === rules.rules) return;
  shown = rules.rules;
  const { dice, rerolls, categories, bonus, bonus_threshold: needed } = rules;
  const switches = rules.switches.map((one) => `${t.switches[one as keyof typeof t.switches]}.`);
  const how = [t.help.how(dice, rerolls, categories.length), ...(bonus ? [t.help.bonus(needed, bonus)] : [])];
  setText(find("#how"), [...how, ...switches].join(" "));
  find("#box-scores").replaceChildren(
    ...categories.flatMap((one, box) => [el("dt", {}, labelOf(rules, box)), el("dd", {}, scoringOf(rules, one))]),
  );
}
