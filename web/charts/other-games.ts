/** Games side by side: what perfect play is worth, how luck spreads it, and what carries over from Scandinavian Yatzy. */
import { scaleLinear } from "d3-scale";
import type { GameFigures } from "../engine/shared";
import {
  add,
  axis,
  axisBottom,
  choice,
  fixed,
  frame,
  label,
  plotAnew,
  percent,
  rect,
  slider,
  type Data,
} from "../look/figure";

const NAMES: [string, string][] = [
  ["scandinavian+forced-order", "Yatzy, boxes in order"],
  ["yacht", "Yacht"],
  ["kniffel", "Kniffel"],
  ["scandinavian", "Yatzy"],
  ["yahtzee", "Yahtzee"],
  ["scandinavian+saved-throws", "Yatzy, throws saved"],
  ["maxi", "Maxi Yatzy"],
  ["maxi+saved-throws", "Maxi, throws saved"],
];

export function draw(root: HTMLElement, data: Data): void {
  const all = data["games"].games;
  const games = NAMES.map(([rules, name]) => ({ name, game: all.find((one) => one.rules === rules) })).filter(
    (one): one is { name: string; game: GameFigures } => one.game !== undefined,
  );
  const { controls, picture, readout } = frame(root, 2);
  let carried = false;
  choice(
    controls,
    "What is shown",
    [
      ["scores", "Scores and luck"],
      ["carried", "What carries over"],
    ] as const,
    (name) => {
      carried = name === "carried";
    },
  );
  const pick = slider(controls, {
    label: "Game",
    min: 0,
    max: games.length - 1,
    value: games.findIndex((one) => one.game.rules === "scandinavian"),
    text: (i) => games[i]?.name ?? "",
  });
  const sd = (game: GameFigures): number => game.spread?.sd ?? game.simulated.sd;

  function say(): void {
    const { name, game } = games[pick.value] ?? { name: "", game: undefined };
    if (!game) return;
    const base =
      `${name}: ${game.dice} dice, ${game.boxes} boxes. Perfect play scores ${fixed(game.value, 2)}; ` +
      `luck moves it by ${fixed(sd(game))}, ${percent(sd(game) / game.value, 0)} of that.`;
    const kept =
      (game.greedy === null ? "" : ` Most points every turn: ${fixed(game.greedy)}.`) +
      (game.carried_over === null ? "" : ` Perfect Yatzy play: ${fixed(game.carried_over)}.`);
    readout.textContent = base + kept;
  }

  plotAnew(picture, "Perfect play in eight games", (svg, width, height, small) => {
    const box = { left: small ? 4 : 170, right: 24, top: 26, bottom: 42 };
    const step = (height - box.top - box.bottom) / games.length;
    const most = carried ? 290 : 640;
    const x = scaleLinear([carried ? 100 : 50, most], [box.left, width - box.right]);
    axis(svg, axisBottom(x).ticks(small ? 5 : 8), 0, height - box.bottom, height - box.top - box.bottom);
    label(svg, "points", (box.left + width) / 2, height - 6, "small muted", "middle");
    label(
      svg,
      carried
        ? "most points every turn ○   perfect Yatzy play ◆   perfect play ●"
        : "dot: perfect play; bar: nine games in ten, or two deviations",
      box.left,
      14,
      "small muted",
    );
    games.forEach(({ name, game }, i) => {
      const y = box.top + (i + (small ? 0.66 : 0.5)) * step;
      const now = i === pick.value;
      if (now) rect(svg, 0, box.top + i * step, width, step, { fill: "var(--panel)" });
      label(
        svg,
        name,
        small ? 4 : box.left - 12,
        small ? y - 12 : y + 4,
        now ? "strong" : "",
        small ? "start" : "end",
      );
      const dot = (value: number, shape: "circle" | "ring" | "diamond", colour: string): void => {
        if (value < (x.domain()[0] ?? 0) || value > most) return;
        const mark = svg.append(shape === "diamond" ? "rect" : "circle").attr("class", "mark");
        if (shape === "diamond")
          mark
            .attr("width", 10)
            .attr("height", 10)
            .attr("transform", `translate(${x(value)},${y - 7}) rotate(45)`);
        else mark.attr("cx", x(value)).attr("cy", y).attr("r", 6);
        mark
          .attr("fill", shape === "ring" ? "var(--paper)" : colour)
          .attr("stroke", colour)
          .attr("stroke-width", 2);
      };
      if (!carried) {
        const [low, high] = game.spread
          ? [game.spread.quantiles["0.05"] ?? 0, game.spread.quantiles["0.95"] ?? 0]
          : [game.value - 2 * sd(game), game.value + 2 * sd(game)];
        rect(svg, x(low), y - 5, x(Math.min(most, high)) - x(low), 10, {
          class: "mark",
          rx: 5,
          fill: game.spread ? "var(--felt)" : "none",
          "fill-opacity": 0.28,
          stroke: "var(--felt)",
          "stroke-dasharray": game.spread ? "none" : "4 3",
        });
        dot(game.value, "circle", "var(--felt)");
        if (small) label(svg, fixed(game.value), width - 4, y - 12, "small strong", "end");
        else label(svg, fixed(game.value), x(game.value), y - 10, "small strong", "middle");
        return;
      }
      if (game.greedy !== null) dot(game.greedy, "ring", "var(--muted)");
      if (game.carried_over !== null) dot(game.carried_over, "diamond", "var(--sea)");
      dot(game.value, "circle", "var(--felt)");
      if (game.value > most) label(svg, "other dice", x(most), y + 4, "small muted", "end");
    });
    add(svg, "rect", { width: width, height: height, fill: "transparent" }).on(
      "pointermove pointerdown",
      (event: PointerEvent) => {
        const i = Math.floor((event.offsetY - box.top) / step);
        if (i >= 0 && i < games.length && i !== pick.value) pick.set(i);
      },
    );
    say();
  });
}
