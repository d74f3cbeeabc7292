/** The scorepad for real dice: a box is tapped, then what it scores. */
import { el, find, onPress, setText } from "./dom";
import { labelOf } from "../language/labels";
import { t } from "../language";
import type { Rules, Scored } from "../game/rules";

/** Asks how many points go into a box; only what it can score is there to choose. */
export function askPoints(
  rules: Rules,
  box: number,
  from: readonly Scored[],
  write: (points: Scored) => void,
): void {
  if (!from.length) return;
  const dialog = find<HTMLDialogElement>("#write");
  setText(find("#write-title"), t.table.writeTitle(labelOf(rules, box)));
  find("#amounts").replaceChildren(
    ...from.map((one) => {
      const text = one.extra ? `${one.points} + ${one.extra}` : one.points ? `${one.points}` : t.table.cross;
      const button = el("button", { type: "button", class: "plain", "data-points": `${one.points}` }, text);
      onPress(button, () => {
        dialog.close();
        write(one);
      });
      return button;
    }),
  );
  dialog.showModal();
}
