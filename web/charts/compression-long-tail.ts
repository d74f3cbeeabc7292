/** Where a model's last points hide: what its mistakes cost by upper total, and by turn. */
import { scaleBand, scaleLinear } from "d3-scale";
import type { Strength } from "../engine/shared";
import { axis, axisLeft, fixed, frame, label, percent, rect, slider, plot, type Data } from "../look/figure";
import { capital, playerName } from "../look/names";

interface Panel {
  title: string;
  of: (model: Strength) => number[];
  ticks: number[];
  name: (i: number) => string;
  tick: (i: number) => string;
  top: number;
  bottom: number;
  left: number;
  right: number;
}

const FAMILIES: Record<string, string> = {
  "value models": "var(--felt)",
  networks: "var(--muted)",
  "by hand": "var(--ink)",
};
const colourOf = (family: string): string => FAMILIES[family] ?? "var(--sea)";
/** Totals from which the bonus is near and not yet safe; the study counts errors there too. */
const NEAR = [40, 62] as const;

export function draw(root: HTMLElement, data: Data): void {
  const models = [...data["compression"].models].sort((a, b) => b.gap - a.gap);
  const { controls, picture, readout } = frame(root, 2);
  const pick = slider(controls, {
    label: "Model",
    min: 0,
    max: models.length - 1,
    value: models.findIndex((model) => model.name === "tree-unlimited"),
    text: (i) => `${playerName(models[i]?.who, models[i]?.parameters)}, −${fixed(models[i]?.gap ?? 0, 2)}`,
  });
  const bars = slider(controls, {
    label: "Bar",
    min: 0,
    max: 63 + 15,
    value: 54,
    text: (i) => (i < 64 ? `total ${i === 63 ? "63+" : i}` : `turn ${i - 63}`),
  });

  plot(picture, "Points lost per game by upper total and by turn", (svg, width, height, small) => {
    const left = small ? 34 : 46;
    const split = small ? height * 0.56 : 0;
    const panels: Panel[] = [
      {
        title: small ? "by upper total" : "by upper total at the start of the turn",
        of: (model) => model.regret_by_upper,
        ticks: [0, 10, 20, 30, 40, 50, 63],
        name: (i) => (i === 63 ? "at 63 or more" : `at an upper total of ${i}`),
        tick: (i) => (i === 63 ? "63+" : `${i}`),
        top: 30,
        bottom: (small ? split : height) - 30,
        left,
        right: small ? width - 4 : width * 0.66,
      },
      {
        title: "by turn",
        of: (model) => model.regret_by_turn,
        ticks: [0, 4, 9, 14],
        name: (i) => `in turn ${i + 1}`,
        tick: (i) => `${i + 1}`,
        top: small ? split + 30 : 30,
        bottom: height - 30,
        left: small ? left : width * 0.66 + 58,
        right: width - 4,
      },
    ];
    const scales = panels.map((panel) => {
      const n = models[0] ? panel.of(models[0]).length : 0;
      return scaleBand(
        Array.from({ length: n }, (_, i) => i),
        [panel.left, panel.right],
      ).paddingInner(0.15);
    });
    const group = svg.append("g");
    svg.on("pointermove pointerdown", (event: PointerEvent) => {
      const k = panels.findIndex(
        (panel) =>
          event.offsetX >= panel.left - 6 &&
          event.offsetX <= panel.right + 6 &&
          event.offsetY <= panel.bottom + 30,
      );
      const x = scales[k];
      const panel = panels[k];
      if (!x || !panel) return;
      const n = x.domain().length;
      const bar = Math.max(0, Math.min(n - 1, Math.floor((event.offsetX - panel.left) / x.step())));
      bars.set(k === 0 ? bar : 64 + bar);
    });
    return () => {
      const model = models[pick.value];
      if (!model) return;
      const pointed = bars.value < 64 ? { panel: 0, bar: bars.value } : { panel: 1, bar: bars.value - 64 };
      group.selectAll("*").remove();
      panels.forEach((panel, k) => {
        const x = scales[k];
        if (!x) return;
        const values = panel.of(model);
        const y = scaleLinear([0, Math.max(...values)], [panel.bottom, panel.top]).nice(4);
        const g = group.append("g");
        if (k === 0)
          rect(
            g,
            x(NEAR[0]) ?? 0,
            panel.top - 6,
            (x(NEAR[1]) ?? 0) - (x(NEAR[0]) ?? 0) + x.bandwidth(),
            panel.bottom - panel.top + 6,
            { fill: "var(--panel)" },
          );
        axis(
          g as unknown as Parameters<typeof axis>[0],
          axisLeft(y).ticks(4),
          panel.left,
          0,
          panel.right - panel.left,
        );
        values.forEach((value, i) =>
          rect(g, x(i) ?? 0, y(value), x.bandwidth(), Math.max(0.5, panel.bottom - y(value)), {
            class: "mark",
            fill: colourOf(model.family),
            "fill-opacity": pointed.panel === k && pointed.bar === i ? 1 : 0.62,
            stroke: pointed.panel === k && pointed.bar === i ? "var(--ink)" : "none",
          }),
        );
        const into = g as unknown as Parameters<typeof label>[0];
        label(
          into,
          k === 0 ? `points lost per game, ${panel.title}` : panel.title,
          small || k ? panel.left : 0,
          panel.top - 16,
          "small muted",
        );
        panel.ticks.forEach((i) =>
          label(
            into,
            panel.tick(i),
            (x(i) ?? 0) + x.bandwidth() / 2,
            panel.bottom + 17,
            "small muted",
            i === 63 ? "end" : "middle",
          ),
        );
        if (k === 0) {
          const share = values.slice(NEAR[0], NEAR[1] + 1).reduce((sum, one) => sum + one, 0) / model.gap;
          const right = (x(NEAR[1]) ?? 0) + x.bandwidth() - 4;
          label(into, `${percent(share, 0)} of the loss: bonus in sight`, right, panel.top + 8, "strong", "end");
        }
      });
      const panel = panels[pointed.panel];
      const value = panel?.of(model)[pointed.bar] ?? 0;
      readout.textContent =
        `${capital(playerName(model.who, model.parameters))} loses ${fixed(model.gap, 2)} points per game; ${panel?.name(pointed.bar)} it loses ` +
        `${fixed(value, 4)} of them (${percent(value / model.gap)}).`;
    };
  });
}
