/** Which upper totals are possible with how many filled upper boxes. */
import { scaleBand } from "d3-scale";
import { add, frame, hatch, label, rect, slider, plot, type Data } from "../look/figure";

/** Choices of n boxes out of six. */
const choose = (of: number, n: number): number => (n === 0 ? 1 : (choose(of, n - 1) * (of - n + 1)) / n);

export function draw(root: HTMLElement, data: Data): void {
  const grid = data["statespace"].grid;
  const boxes = grid.length - 1;
  const cap = (grid[0]?.length ?? 1) - 1;
  const { controls, picture, readout } = frame(root);
  const rows = slider(controls, {
    label: "Filled",
    min: 0,
    max: boxes,
    value: 2,
    text: (n) => `${n} upper box${n === 1 ? "" : "es"}`,
  });
  const totals = slider(controls, {
    label: "Total",
    min: 0,
    max: cap,
    value: 40,
    text: (u) => (u === cap ? `${u} or more` : `${u} points`),
  });
  plot(picture, "Reachable upper totals by number of filled upper boxes", (svg, width, height, small) => {
    const left = small ? 18 : 70;
    const x = scaleBand(grid[0]?.map((_, u) => u) ?? [], [left, width - 2]).paddingInner(small ? 0.08 : 0.12);
    const y = scaleBand(
      grid.map((_, n) => n),
      [height - 40, 8],
    ).paddingInner(0.1);
    const none = hatch(svg, "grid-none", "var(--paper)", "var(--rule)");
    grid.forEach((line, n) =>
      line.forEach((count, u) => {
        const share = count / choose(boxes, n);
        rect(svg, x(u) ?? 0, y(n) ?? 0, x.bandwidth(), y.bandwidth(), {
          class: count ? "mark" : "none",
          fill: count ? "var(--felt)" : none,
          "fill-opacity": count ? 0.15 + 0.85 * share : 1,
        });
      }),
    );
    grid.forEach((_, n) =>
      label(
        svg,
        small ? `${n}` : `${n} filled`,
        left - 8,
        (y(n) ?? 0) + y.bandwidth() / 2 + 4,
        "muted small",
        "end",
      ),
    );
    [0, 10, 20, 30, 40, 50, cap].forEach((u) =>
      label(
        svg,
        u === cap ? `${u}+` : `${u}`,
        (x(u) ?? 0) + x.bandwidth() / 2,
        height - 24,
        "muted small",
        u === cap ? "end" : "middle",
      ),
    );
    label(
      svg,
      small ? "upper total; rows: boxes filled" : "upper total",
      (left + width) / 2,
      height - 5,
      "muted small",
      "middle",
    );
    if (!small) {
      const note = label(svg, "cannot occur", x(50) ?? 0, (y(1) ?? 0) + y.bandwidth() / 2 + 4, "strong", "middle");
      note.attr("pointer-events", "none");
    }
    const mark = add(svg, "rect", { fill: "none", stroke: "var(--ink)", "stroke-width": 2.5 });
    add(svg, "rect", { width: width, height: height - 40, fill: "transparent" }).on(
      "pointermove pointerdown",
      (event: PointerEvent) => {
        totals.set((event.offsetX - left) / x.step() - 0.5);
        rows.set(grid.length - 0.5 - (event.offsetY - 8) / y.step());
      },
    );
    return () => {
      const [row, total] = [rows.value, totals.value];
      mark
        .attr("x", (x(total) ?? 0) - 2)
        .attr("y", (y(row) ?? 0) - 2)
        .attr("width", x.bandwidth() + 4)
        .attr("height", y.bandwidth() + 4);
      const count = grid[row]?.[total] ?? 0;
      const all = choose(boxes, row);
      readout.textContent = count
        ? `With ${row} filled, ${count} of the ${all} choices of boxes can show ${total === cap ? `${total} or more` : total}.`
        : `With ${row} filled, a total of ${total === cap ? `${total} or more` : total} cannot occur.`;
    };
  });
}
