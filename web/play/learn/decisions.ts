/** Every decision of a game as a list, in order or by what it cost. */
import type { Review } from "../../engine/types";
import { el, onPress } from "../view/dom";
import { fixed, t } from "../language";
import { playedDice } from "./review";

/** Pressing a row opens its decision, by its number from 0. */
export function decisionList({ decisions }: Review, open: (i: number) => void): HTMLElement {
  const list = el("ol", { class: "decisions" });
  const rows = decisions.map((one, i) => {
    const cost = one.loss ? `−${fixed(one.regret)}` : t.advice.best;
    const button = el(
      "button",
      { type: "button", "data-loss": `${one.loss}` },
      el("span", { class: "when" }, t.outlook.turn(one.turn)),
      playedDice(one),
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
  const buttons = (["cost", "order"] as const).map((value) => {
    const button = el("button", { type: "button", class: "plain", value }, t.learn.sort[value]);
    onPress(button, () => sorted(value === "cost"));
    return button;
  });
  sorted(true);
  return el(
    "div",
    { class: "all-decisions" },
    el("div", { class: "sorting", role: "group", "aria-label": t.learn.sorted }, ...buttons),
    list,
  );
}
