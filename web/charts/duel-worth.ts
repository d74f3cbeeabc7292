/** How many duels somebody wins against perfect play for points, by how much of the other card is seen. */
import { scaleLinear } from "d3-scale";
import type { DuelStudy, DuelRecord } from "../engine/shared";
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
  thousands,
  plot,
  type Data,
} from "../look/figure";
import { capital } from "../look/names";

interface Row {
  name: string;
  rate: number;
  error: number;
  claimed: number | null;
  how: string;
  looks: boolean;
}

/** Every way to duel, from the blindest to the one that knows most. */
function rowsOf(duel: DuelStudy): Row[] {
  const played = (name: string, first = false): DuelRecord => {
    const found = duel.played.find((one) => one.player === name && one.moves_first === first);
    if (!found) throw new Error(`the study of duels has no ${name}`);
    return found;
  };
  const claimed = (what: string): number | null =>
    duel.claims.find((one) => one.what === what)?.forerunner ?? null;
  const exact = "Computed exactly";
  const told = (one: DuelRecord): string =>
    `Played ${thousands(one.games)} times, at an average of ${fixed(one.mean)} points`;
  const [scaled, second, first] = [played("variance-scaled"), played("to win"), played("to win", true)];
  const { blind, known } = duel;
  return [
    {
      name: "always the same risk",
      rate: blind.theta_rate,
      error: 0,
      claimed: claimed("duels won by the best constant theta"),
      how: `${exact}, with the best θ of all that we tried, ${blind.best_theta}`,
      looks: false,
    },
    {
      name: "for points, like the other",
      rate: 0.5,
      error: 0,
      claimed: claimed("duels won by play for the mean against the same"),
      how: "Two players who play alike win equally often",
      looks: false,
    },
    {
      name: "to win, without looking",
      rate: blind.best_rate,
      error: 0,
      claimed: null,
      how: `${exact}: the best that can be done without a look at the other card`,
      looks: false,
    },
    {
      name: "risk by lead",
      rate: scaled.win_rate,
      error: scaled.standard_error,
      claimed: claimed("duels won by the variance-scaled theta"),
      how: `${told(scaled)}; a rule of the forerunner`,
      looks: true,
    },
    {
      name: "both cards, going first",
      rate: first.win_rate,
      error: first.standard_error,
      claimed: null,
      how: told(first),
      looks: true,
    },
    {
      name: "both cards, going second",
      rate: second.win_rate,
      error: second.standard_error,
      claimed: null,
      how: told(second),
      looks: true,
    },
    {
      name: "final score known",
      rate: (known.win + known.win_or_tie) / 2,
      error: 0,
      claimed: claimed("duels won knowing the other's score"),
      how: `${exact}: nobody can win more`,
      looks: true,
    },
  ];
}

export function draw(root: HTMLElement, data: Data): void {
  const rows = rowsOf(data["duel"]);
  const { controls, picture, readout } = frame(root, 2);
  const pick = slider(controls, {
    label: "Player",
    min: 0,
    max: rows.length - 1,
    value: rows.findIndex((row) => row.name.endsWith("second")),
    text: (i) => rows[i]?.name ?? "",
  });
  const span = [
    Math.min(...rows.map((row) => Math.min(row.rate, row.claimed ?? 1))) - 0.002,
    Math.max(...rows.map((row) => row.rate)) + 0.006,
  ];

  plot(picture, "Share of duels won, by how much of the other card is seen", (svg, width, height, small) => {
    const x = scaleLinear(span, [small ? 14 : 190, width - (small ? 14 : 60)]);
    const step = (height - 46) / rows.length;
    axis(svg, axisBottom(x).ticks(small ? 4 : 7, ".0%"), 0, height - 40, height - 44);
    label(svg, "duels won", width - 4, height - 4, "small muted", "end");
    segment(svg, x(0.5), 0, x(0.5), height - 40, { stroke: "var(--ink)" });
    const band = add(svg, "rect", { width: width, height: step, fill: "var(--panel)" });
    band.lower();
    rows.forEach((row, i) => {
      const middle = (i + (small ? 0.7 : 0.5)) * step;
      const colour = row.looks ? "var(--felt)" : "var(--muted)";
      if (small) label(svg, row.name, 14, middle - 14, "small");
      else label(svg, row.name, 0, middle + 4);
      if (row.claimed !== null)
        circle(svg, x(row.claimed), middle, 6, {
          class: "mark",
          fill: "var(--paper)",
          stroke: "var(--ink)",
          "stroke-width": 1.6,
        });
      segment(svg, x(0.5), middle, x(row.rate), middle, {
        stroke: colour,
        "stroke-width": 3,
        "stroke-opacity": 0.4,
      });
      if (row.error)
        segment(svg, x(row.rate - 2 * row.error), middle, x(row.rate + 2 * row.error), middle, {
          stroke: "var(--ink)",
          "stroke-width": 8,
          "stroke-opacity": 0.35,
        });
      circle(
        svg,
        x(row.rate),
        middle,
        row.claimed !== null && Math.abs(x(row.claimed) - x(row.rate)) < 5 ? 3.4 : 5.5,
        { class: "mark", fill: colour },
      );
      const right = Math.max(x(row.rate + 2 * row.error), row.claimed === null ? 0 : x(row.claimed));
      const fits = right + 60 < width;
      label(
        svg,
        percent(row.rate, 2),
        fits ? right + 12 : x(row.rate) - 12,
        middle + (fits ? 4 : -10),
        `strong ${row.looks ? "felt" : "muted"}`,
        fits ? "start" : "end",
      );
    });
    svg.on("pointermove pointerdown", (event: PointerEvent) =>
      pick.set(Math.min(rows.length - 1, Math.floor(event.offsetY / step))),
    );
    return () => {
      const row = rows[pick.value];
      if (!row) return;
      band.attr("y", pick.value * step);
      const error = row.error ? ` (standard error ${percent(row.error, 2)})` : "";
      const given =
        row.claimed === null ? "" : ` The forerunner gives ${percent(row.claimed, 1)} of decided duels.`;
      readout.textContent = `${capital(row.name)}: ${percent(row.rate, 2)} won${error}. ${row.how}.${given}`;
    };
  });
}
