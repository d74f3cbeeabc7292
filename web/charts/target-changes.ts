/** Situations in which a target asks for another move: its chance after that move, and after the one best on average. */
import { scaleLinear } from "d3-scale";
import type { Action } from "../engine/types";
import { diceGroup } from "../look/dice";
import {
  add,
  axis,
  axisBottom,
  circle,
  fixed,
  frame,
  label,
  percent,
  segment,
  slider,
  plot,
  type Data,
} from "../look/figure";
import { actionWords } from "../look/names";
import type { Change } from "../look/results";

export function draw(root: HTMLElement, data: Data): void {
  const changes = data["reach"].changes;
  const game = data["scandinavian"];
  const { controls, picture, readout } = frame(root, 2);
  readout.classList.add("words");
  const pick = slider(controls, {
    label: "Situation",
    min: 0,
    max: changes.length - 1,
    value: 0,
    text: (i) => `${i + 1} of ${changes.length}`,
  });

  const boxes = game.categories.map((one) => one.label);
  const say = (action: Action): string => actionWords(action, boxes);
  const listed = (open: number[]): string =>
    open
      .map((box) => boxes[box])
      .join(", ")
      .replace(/, ([^,]*)$/, " and $1");

  function tell(change: Change): string {
    const bonus = change.upper >= game.bonus_threshold ? game.bonus : 0;
    const missing = change.target - change.points - bonus;
    const left = ["your last throw", "one throw left", "two throws left"][change.rerolls] ?? "";
    return (
      `You want ${change.target} and need ${missing} more from ${listed(change.boxes)}; ${change.dice.join(" ")}, ${left}. ` +
      `On average it is best to ${say(change.mean_action)}: a chance of ${percent(change.chance_for_mean)}. ` +
      `For the target, ${say(change.target_action)}: ${percent(change.chance)}, for ${fixed(change.points_given_up)} points of the average.`
    );
  }

  plot(picture, "Ten situations, each with two moves and their chances", (svg, width, height, small) => {
    const step = (height - 40) / changes.length;
    const x = scaleLinear([0, 1], [small ? 14 : 320, width - 22]);
    const band = add(svg, "rect", { width: width, height: step, fill: "var(--panel)" });
    axis(svg, axisBottom(x).ticks(5, "%"), 0, height - 34, height - 38);
    label(svg, "chance of the target", width - 4, height - 2, "small muted", "end");
    changes.forEach((change, i) => {
      const middle = (i + (small ? 0.78 : 0.5)) * step;
      const dice = diceGroup(change.dice, small ? 13 : 17);
      dice.setAttribute("transform", `translate(4,${small ? i * step + 8 : middle - 9})`);
      svg.node()?.append(dice);
      const words = say(change.target_action);
      label(
        svg,
        `${change.target}: ${words}`,
        small ? 84 : 108,
        small ? i * step + 19 : middle + 4,
        small ? "small" : "",
      );
      const colour = "var(--felt)";
      segment(svg, x(change.chance_for_mean), middle, x(change.chance), middle, {
        stroke: colour,
        "stroke-width": 3,
        "stroke-opacity": 0.4,
      });
      circle(svg, x(change.chance_for_mean), middle, 5.5, {
        class: "mark",
        fill: "var(--paper)",
        stroke: "var(--muted)",
        "stroke-width": 2,
      });
      circle(svg, x(change.chance), middle, 6, { class: "mark", fill: colour });
    });
    svg.on("pointermove pointerdown", (event: PointerEvent) =>
      pick.set(Math.min(changes.length - 1, Math.floor(event.offsetY / step))),
    );
    return () => {
      band.attr("y", pick.value * step);
      const change = changes[pick.value];
      if (change) readout.textContent = tell(change);
    };
  });
}
