/** A Yatzy of two dice and two boxes, solved by hand: the last turn first, then every first throw. */
import type { Throw } from "../engine/shared";
import { diceGroup } from "../look/dice";
import { choice, fixed, frame, label, plotAnew, rect, type Data } from "../look/figure";

const FACES = [1, 2, 3, 4, 5, 6];

export function draw(root: HTMLElement, data: Data): void {
  const game = data["small-game"];
  const throws = game.throws;
  const at = new Map(throws.map((one, i) => [one.dice, i]));
  const best = throws.map((one) => one.worth_of_pair > one.worth_of_chance);
  // Most points now: Chance takes any dice.
  const begun = throws.map(() => false);
  let plan = best;
  let mine = begun;
  let yours = false;
  let pointed = at.get("1 4") ?? 0;
  const { controls, picture, readout, refresh } = frame(root, 2);
  choice(
    controls,
    "Whose plan",
    [
      ["solved", "Solved"],
      ["yours", "Do it yourself"],
    ] as const,
    (name) => {
      yours = name === "yours";
      plan = yours ? mine : best;
    },
  );
  const worth = (one: Throw, pair: boolean): number => (pair ? one.worth_of_pair : one.worth_of_chance);
  const value = (): number =>
    throws.reduce((sum, one, i) => sum + (one.ways * worth(one, plan[i] ?? false)) / 36, 0);

  function say(): void {
    const one = throws[pointed];
    if (!one) return;
    const [a, b] = [fixed(one.worth_of_pair, 2), fixed(one.worth_of_chance, 2)];
    const first = one.pair ? "fill Pair" : "cross out Pair";
    const sums =
      `${one.dice}: ${first}, ${one.pair} + ${fixed(game.last_chance, 2)} = ${a}; ` +
      `fill Chance, ${one.chance} + ${fixed(game.last_pair, 2)} = ${b}.`;
    readout.textContent = yours
      ? `${sums} Your plan is worth ${fixed(value(), 2)}` +
        (value() > game.value - 1e-9
          ? ": perfect."
          : `; the best is worth ${fixed(game.value, 2)}. Tap throws to change it.`)
      : `${sums} So ${best[pointed] ? first : "fill Chance"}. The whole game is worth ${fixed(game.value, 2)}.`;
  }

  plotAnew(picture, "All throws of two dice and the better box for each", (svg, width, height, small) => {
    const top = small ? 142 : 30;
    const left = small ? 34 : Math.max(300, width - 6 * Math.min((height - 38) / 6, 70) - 60);
    const cell = Math.min((height - top - 8) / 6, (width - left - 8) / 6);
    label(svg, "First, the last turn", 0, 18, "strong");
    label(svg, `only Chance open: ${fixed(game.last_chance, 2)} on average`, 0, 42, "sea");
    label(svg, `only Pair open: ${fixed(game.last_pair, 2)} on average`, 0, 64, "felt");
    const told = yours
      ? ["Then each throw of the first turn:", "tap one to change its box."]
      : ["Then each throw of the first turn:", "points now, plus what is left."];
    told.forEach((text, i) => label(svg, text, 0, 90 + 18 * i, i ? "" : "strong"));
    if (!small) {
      const legend: [string, string, string][] = [
        ["var(--felt)", "P", "fill Pair"],
        ["var(--loss)", "×", "cross out Pair, keep Chance"],
        ["var(--sea)", "C", "fill Chance"],
      ];
      legend.forEach(([fill, sign, text], i) => {
        rect(svg, 0, 140 + 30 * i, 22, 22, { rx: 4, fill: fill });
        label(svg, sign, 11, 156 + 30 * i, "cell", "middle");
        label(svg, text, 32, 156 + 30 * i);
      });
      label(svg, "worth of the game with this plan", 0, 268, "small muted");
      label(svg, fixed(value(), 2), 0, 294, "big");
    }
    FACES.forEach((face, i) => {
      for (const across of [true, false]) {
        const die = diceGroup([face], small ? 17 : 22);
        const middle = i * cell + cell / 2 - (small ? 8 : 11);
        die.setAttribute(
          "transform",
          across
            ? `translate(${left + middle},${top - (small ? 20 : 28)})`
            : `translate(${left - (small ? 24 : 32)},${top + middle})`,
        );
        svg.node()?.append(die);
      }
    });
    FACES.forEach((a, column) =>
      FACES.forEach((b, row) => {
        const id = at.get(a < b ? `${a} ${b}` : `${b} ${a}`) ?? 0;
        const one = throws[id];
        if (!one) return;
        const pair = plan[id] ?? false;
        const group = svg.append("g").attr("transform", `translate(${left + column * cell},${top + row * cell})`);
        rect(group, 1.5, 1.5, cell - 3, cell - 3, {
          class: "mark",
          rx: 5,
          fill: pair ? (one.pair ? "var(--felt)" : "var(--loss)") : "var(--sea)",
          stroke: id === pointed ? "var(--gold)" : "none",
          "stroke-width": 3,
        });
        label(group, pair ? (one.pair ? "P" : "×") : "C", cell / 2, cell / 2 - 1, "cell", "middle");
        label(group, fixed(worth(one, pair), 1), cell / 2, cell / 2 + 15, "cell small", "middle");
        const point = (): void => {
          if (pointed === id) return;
          pointed = id;
          refresh();
        };
        group.on("pointerenter", (event: PointerEvent) => event.pointerType === "mouse" && point());
        group.on("click", () => {
          pointed = id;
          if (yours) {
            mine = plan.map((was, i) => (i === id ? !was : was));
            plan = mine;
          }
          refresh();
        });
      }),
    );
    say();
  });
}
