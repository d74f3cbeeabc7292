/** Which game is played: a list of them, and the switches of the one that is chosen. */
import { el, find, setText } from "./dom";
import { GAMES, type Rules } from "../game/rules";
import { labelOf, t, titleOf } from "../language";
import { scoringText } from "./words";

export interface GameChoice {
  /** Show this game as the one that is played. */
  show: (rules: Rules) => void;
}

/** `choose` is given the name of a game with its switches; it may refuse, and then the one that is played is shown. */
export function createGameChoice(choose: (name: string) => void): GameChoice {
  const select = find<HTMLSelectElement>("#game");
  const list = find("#switches");
  const summary = find("#house");
  let shown = "";
  select.replaceChildren(...GAMES.map(({ rules }) => el("option", { value: rules }, titleOf(rules))));

  const chosen = (): string => {
    const on = [...list.querySelectorAll<HTMLInputElement>("input:checked")].map((input) => input.value);
    return [select.value, ...on].join("+");
  };
  select.addEventListener("change", () => choose(select.value));

  const layOut = (rules: Rules): void => {
    const [base = ""] = rules.rules.split("+");
    const switches = GAMES.find((game) => game.rules === base)?.switches ?? [];
    select.value = base;
    list.replaceChildren(
      ...switches.map(({ switch: name, not_with: apart }) => {
        const input = el("input", { type: "checkbox", value: name });
        input.checked = rules.switches.includes(name);
        input.disabled = apart.some((other) => rules.switches.includes(other));
        input.addEventListener("change", () => choose(chosen()));
        return el("label", {}, input, el("span", {}, t.switches[name as keyof typeof t.switches]));
      }),
    );
    const n = rules.switches.length;
    setText(summary, switches.length ? (n ? t.settings.houseSome(n) : t.settings.houseNone) : t.settings.houseNot);
  };

  return {
    show: (rules) => {
      if (rules.rules !== shown || select.value !== rules.rules.split("+")[0]) layOut(rules);
      shown = rules.rules;
    },
  };
}

// The help: the rules in a few sentences, and what every box scores.

let shown = "";

export function showHelp(rules: Rules): void {
  if (shown === rules.rules) return;
  shown = rules.rules;
  const { dice, rerolls, categories, bonus, bonus_threshold: needed } = rules;
  const switches = rules.switches.map((one) => `${t.switches[one as keyof typeof t.switches]}.`);
  const how = [t.help.how(dice, rerolls, categories.length), ...(bonus ? [t.help.bonus(needed, bonus)] : [])];
  setText(find("#how"), [...how, ...switches].join(" "));
  find("#box-scores").replaceChildren(
    ...categories.flatMap((one, box) => [
      el("dt", {}, labelOf(rules, box)),
      el("dd", {}, scoringText(rules, one)),
    ]),
  );
}
