/** A chart at work: its lines with what each is worth, and the one that decides about the reader's dice. */
import { scaleLinear } from "d3-scale";
import { heldBy } from "../engine/dice";
import { diceButtons, diceGroup, myDice } from "../look/dice";
import { add, button, choice, fixed, frame, label, plotAnew, rect, slider, type Data } from "../look/figure";
import { idOf, keeps, throwDice } from "../look/lattice";
import type { Line } from "../look/results";

const MOMENTS = [
  ["2", "After the first throw"],
  ["1", "After the second"],
  ["0", "Where to score"],
] as const;

/** The picture of a line; a letter becomes an empty die. */
function pictureOf(dice: string, size: number): SVGGElement {
  const group = diceGroup(
    [...dice].map((one) => Number(one) || 1),
    size,
  );
  [...dice].forEach((one, i) => {
    if (Number(one)) return;
    const die = group.children[i];
    die?.querySelectorAll("circle").forEach((pip) => pip.remove());
    const rect = die?.querySelector("rect");
    rect?.setAttribute("class", one === "a" ? "alike" : "other");
  });
  return group;
}

export function draw(root: HTMLElement, data: Data): void {
  const tables = data["chart-lines"];
  let faces = myDice();
  let left = 2;
  /** The line that was chosen, -1 for the one that decides. */
  let chosen = -1;
  const { controls, picture, readout, refresh } = frame(root, 2);
  readout.classList.add("words");
  const rows = (): Line[] => tables.lists[left ? 1 : 0];
  const decides = (): number => tables.line[left]?.[idOf(faces)] ?? 0;
  const dice = diceButtons(
    controls,
    (face) => `Die shows ${face}; change it`,
    (i) => change(faces.map((face, k) => (k === i ? (face % 6) + 1 : face))),
  );
  button(controls, "Throw", () => change([...(keeps[throwDice(keeps.length - 1)] ?? [])]));
  choice(controls, "Moment of the turn", MOMENTS, (name) => {
    left = Number(name);
    change(faces);
  });
  const pick = slider(controls, {
    label: "Line",
    min: 1,
    max: Math.max(...tables.lists.map((list) => list.length)),
    value: decides() + 1,
    text: (line) => `${Math.min(line, rows().length)} of ${rows().length}`,
    change: (line) => {
      chosen = Math.min(line, rows().length) - 1;
    },
  });

  function change(to: number[]): void {
    faces = to;
    pick.set(decides() + 1);
    chosen = -1;
    refresh();
  }

  function tell(): string {
    const [at, lines] = [decides(), rows()];
    const line = lines[chosen < 0 ? at : chosen];
    const cost = line?.cost ? ` Without this line the chart loses ${fixed(line.cost, 2)} points a game.` : "";
    const said = line ? `“${line.words}${line.does ? `: ${line.does}` : ""}”` : "";
    if (chosen >= 0 && chosen !== at)
      return `Line ${chosen + 1}: ${said}.${cost}${line?.why ? ` Why: ${line.why}.` : ""}`;
    const roll = idOf(faces);
    const kept = keeps[tables.keep[left - 1]?.[roll] ?? 0] ?? [];
    const act = left
      ? kept.length
        ? `hold ${kept.join(" ")}`
        : "throw all five again"
      : `${tables.points[roll] ? "fill" : "cross out"} ${tables.boxes[tables.box[roll] ?? 0] ?? ""}`;
    if (!line) return `${faces.join(" ")}: none of the lines fits, so ${act}.`;
    return `${faces.join(" ")}, empty card: line ${at + 1} is the first that fits, ${said}. So ${act}.${cost}`;
  }

  plotAnew(picture, "The lines of the chart and what each is worth", (svg, width, height, small) => {
    const [lines, at] = [rows(), decides()];
    const focus = chosen < 0 ? at : chosen;
    const step = Math.min(46, (height - 26) / lines.length);
    const bar = small ? 128 : Math.min(640, width * 0.66);
    const letters = Math.floor((bar - 134) / 5.9);
    const most = Math.max(...lines.map((line) => line.cost ?? 0));
    const x = scaleLinear([0, most], [0, width - bar - 92]);
    label(
      svg,
      "points lost without the line",
      small ? width - 4 : bar,
      12,
      "small muted",
      small ? "end" : "start",
    );
    lines.forEach((line, i) => {
      const top = 22 + i * step;
      const middle = top + step / 2;
      if (i === focus) add(svg, "rect", { y: top, width: width, height: step, fill: "var(--panel)" });
      label(svg, `${i + 1}`, 18, middle + 4, i < at ? "small muted" : "small", "end");
      const size = small ? 16 : 17;
      if (line.dice) {
        const drawn = pictureOf(line.dice, size);
        drawn.setAttribute("transform", `translate(26,${middle - size / 2})`);
        svg.node()?.append(drawn);
      } else label(svg, small ? "in words" : "", 26, middle + 4, "small muted");
      if (!small) {
        const text = line.does ? `${line.words}: ${line.does}` : line.words;
        const shown = text.length > letters ? `${text.slice(0, letters - 2).trimEnd()} …` : text;
        label(svg, shown, 126, middle + 4, i < at ? "small muted" : "small");
      }
      rect(
        svg,
        bar,
        middle - Math.min(9, step / 3),
        Math.max(1.5, x(line.cost ?? 0)),
        Math.min(18, (2 * step) / 3),
        {
          class: "mark",
          rx: 3,
          fill: i === at ? "var(--felt)" : "var(--gold)",
          "fill-opacity": i === at ? 1 : 0.55,
        },
      );
      label(
        svg,
        i === at ? `${fixed(line.cost ?? 0, 2)} decides` : fixed(line.cost ?? 0, 2),
        bar + x(line.cost ?? 0) + 6,
        middle + 4,
        i === at ? "strong felt" : "small",
      );
    });
    const kept = left ? (keeps[tables.keep[left - 1]?.[idOf(faces)] ?? 0] ?? []) : faces;
    dice.show(faces, heldBy(faces, kept));
    readout.textContent = tell();
    svg.on("pointermove pointerdown", (event: PointerEvent) => {
      const line = Math.floor((event.offsetY - 22) / step);
      if (line >= 0 && line < lines.length && line !== focus) pick.set(line + 1);
    });
  });
}
