/** Sizes to scale, and the table as it fills: what lives and what is thrown away. */
import { scaleLinear } from "d3-scale";
import { area, curveStepAfter } from "d3-shape";
import { add, circle, frame, label, narrow, rect, slider, type Data, type Svg, plot } from "../look/figure";

const BYTES = 4;
const bytes = (n: number): string =>
  n >= 1e9 ? `${(n / 1e9).toFixed(1)} GB` : n >= 1e6 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e3).toFixed(1)} KB`;

export function draw(root: HTMLElement, data: Data): void {
  const memory = data["statespace"].memory;
  const layers = data["statespace"].layers;
  const { controls, picture, readout } = frame(root);
  const steps = layers.length;
  const order = [...layers].reverse();
  const sizes = order.map((layer) => layer.reachable * BYTES);
  const written = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, n) => sum + n, 0));
  const live = sizes.map((n, i) => n + (sizes[i - 1] ?? 0));
  const pick = slider(controls, {
    label: "Solving layer",
    min: 0,
    max: steps - 1,
    value: 8,
    text: (i) => `${order[i]?.filled ?? 0} filled`,
  });

  function squares(svg: Svg, left: number, top: number, side: number): void {
    const whole = memory.all_widgets_float32;
    const table = memory.table_float32;
    const work = memory.work_per_thread_float32;
    rect(svg, left + 1, top, side, side, {
      class: "mark",
      fill: "var(--muted)",
      "fill-opacity": 0.2,
      stroke: "var(--muted)",
    });
    label(svg, bytes(whole), left + 12, top + 28, "big");
    label(svg, "every turn of every state, kept", left + 12, top + 47, "small muted");
    const small = side * Math.sqrt(table / whole);
    const tiny = side * Math.sqrt(work / whole);
    const y = top + side - 14 - small;
    rect(svg, left + 14, y, small, small, { class: "mark", fill: "var(--felt)" });
    label(svg, `${bytes(table)}: the table, gaps included`, left + 22 + small, y + small, "strong felt");
    circle(svg, left + 14 + small / 2, y - 34, Math.max(0.7, tiny / 2), { class: "mark", fill: "var(--loss)" });
    circle(svg, left + 14 + small / 2, y - 34, 6, { fill: "none", stroke: "var(--loss)" });
    label(svg, `${bytes(work)}: one thread (the dot)`, left + 22 + small, y - 30, "strong loss");
  }

  function filling(svg: Svg, left: number, top: number, width: number, height: number): () => void {
    const x = scaleLinear([0, steps], [left, left + width]);
    const y = scaleLinear([0, written.at(-1) ?? 1], [top + height - 42, top + 40]);
    const shape = (values: number[], base: number[]): string =>
      area<number>()
        .curve(curveStepAfter)
        .x((_, i) => x(i))
        .y0((_, i) => y(base[Math.min(i, steps - 1)] ?? 0))
        .y1((v) => y(v))([...values, values.at(-1) ?? 0]) ?? "";
    const resting = written.map((n, i) => n - (live[i] ?? 0));
    const zero = written.map(() => 0);
    add(svg, "path", { d: shape(resting, zero), class: "mark", fill: "var(--felt)", "fill-opacity": 0.22 });
    add(svg, "path", { d: shape(written, resting), class: "mark", fill: "var(--felt)", "fill-opacity": 0.85 });
    label(svg, "values written so far, as the layers are solved", left, top + 12, "small muted");
    label(
      svg,
      `${bytes(written.at(-1) ?? 0)} can occur, of ${bytes(memory.table_float32)}`,
      left + width,
      y(written.at(-1) ?? 0) - 6,
      "strong",
      "end",
    );
    label(svg, "in use: two layers", x(6.1), y((written[7] ?? 0) * 1.02) - 8, "felt strong", "end");
    label(svg, "done, only kept", x(steps - 0.4), y((written.at(-1) ?? 0) * 0.3), "", "end");
    [15, 10, 5, 0].forEach((filled) =>
      label(svg, `${filled}`, x(15 - filled + 0.5), top + height - 24, "small muted", "middle"),
    );
    label(
      svg,
      "filled boxes of the layer being solved",
      left + width / 2,
      top + height - 6,
      "small muted",
      "middle",
    );
    const mark = add(svg, "rect", { fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
    rect(svg, left, top, width, height, { fill: "transparent" }).on(
      "pointermove pointerdown",
      (event: PointerEvent) => pick.set(x.invert(event.offsetX) - 0.5),
    );
    return () => {
      mark
        .attr("x", x(pick.value))
        .attr("width", x(1) - x(0))
        .attr("y", y(written[pick.value] ?? 0))
        .attr("height", Math.max(2, y(resting[pick.value] ?? 0) - y(written[pick.value] ?? 0)));
      readout.textContent =
        `While the layer with ${order[pick.value]?.filled ?? 0} filled is solved, ${bytes(live[pick.value] ?? 0)} are in use, ` +
        `${bytes(resting[pick.value] ?? 0)} rest.`;
    };
  }

  plot(picture, "Memory: sizes to scale, and the table filling layer by layer", (svg, width, height) => {
    if (narrow(width)) {
      squares(svg, 0, 0, Math.min(width - 4, 250));
      return filling(svg, 0, 266, width, height - 270);
    }
    const side = Math.min(width * 0.38, height - 10);
    squares(svg, 0, 4, side);
    return filling(svg, side + 40, 0, width - side - 44, height);
  });
}
