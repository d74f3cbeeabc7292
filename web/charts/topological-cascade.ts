/** Backward induction as a sweep over layers: play, reset, scrub; and the real thing, solved on the reader's device. */
import { scaleBand, scaleLinear } from "d3-scale";
import type { SolveRequest, SolveMessage } from "../engine/solve-worker";
import { myDice } from "../look/dice";
import {
  axisInside,
  axisLeft,
  button,
  fixed,
  frame,
  label,
  rect,
  slider,
  thousands,
  plot,
  type Data,
} from "../look/figure";
import { actionWords } from "../look/names";
import { reducedMotion } from "../look/settings";

const STEP = 110;

const binomial = (n: number, k: number): number => (k ? (binomial(n - 1, k - 1) * n) / k : 1);

export function draw(root: HTMLElement, data: Data): void {
  const layers = data["statespace"].layers;
  const values = data["decisions"].layers;
  const last = layers.length - 1;
  const { controls, picture, readout } = frame(root, 2);
  let timer = 0;
  let solving: Worker | null = null;

  const live = button(controls, "Solve it on this device", () => solveHere());
  live.classList.add("main");
  button(controls, "▶ Play", () => play());
  button(controls, "Reset", () => {
    if (solving) return;
    clearTimeout(timer);
    scrub.set(0);
  });
  const scrub = slider(controls, {
    label: "Layers solved",
    min: 0,
    max: layers.length,
    value: layers.length,
    text: (n) => (n === 0 ? "none yet" : n > last ? `all ${layers.length}` : `${last + 1 - n} to ${last}`),
  });

  function play(): void {
    if (solving) return;
    clearTimeout(timer);
    if (reducedMotion()) {
      scrub.set(layers.length);
      return;
    }
    scrub.set(0);
    const next = (): void => {
      scrub.set(scrub.value + 1);
      if (scrub.value <= last) timer = window.setTimeout(next, STEP);
    };
    timer = window.setTimeout(next, STEP);
  }

  /** How many layers are done when this share of all sets of filled boxes is; the finished games come for nothing. */
  function layersAt(share: number): number {
    const sets = layers.map((layer) => binomial(last, layer.filled)).slice(0, last);
    let left = share * sets.reduce((sum, n) => sum + n, 0);
    let done = 1;
    for (const n of sets.reverse()) {
      if (left < n) break;
      left -= n;
      done++;
    }
    return done;
  }

  /** Solves the game in a worker, from nothing; whatever goes wrong is said, and the figure stays as it was. */
  function solveHere(): void {
    if (solving) return;
    clearTimeout(timer);
    const worker = new Worker(new URL("../engine/solve-worker.ts", import.meta.url), { type: "module" });
    solving = worker;
    live.disabled = true;
    scrub.set(0);
    const game = data["scandinavian"];
    const boxes = game.categories.map(({ label }) => label);
    const dice = myDice();
    const end = (words: string): void => {
      worker.terminate();
      solving = null;
      live.disabled = false;
      scrub.set(layers.length);
      readout.textContent = words;
    };
    const failed = (): void =>
      end(
        "This browser cannot solve it: it needs WebAssembly. What the figure shows was solved on another computer.",
      );
    worker.addEventListener("error", failed);
    worker.addEventListener("message", ({ data: told }: MessageEvent<SolveMessage>) => {
      if ("error" in told) return failed();
      if ("share" in told) {
        const done = layersAt(told.share);
        if (done !== scrub.value) scrub.set(done);
        readout.textContent = `Solving ${thousands(game.states)} states here: ${fixed(100 * told.share, 0)}% done.`;
        return;
      }
      end(
        `Solved here, just now: ${thousands(told.states)} states in ${fixed(told.seconds, 2)} seconds. An empty card is worth ` +
          `${fixed(told.value, 2)} points. With ${dice.join(" ")}, ${actionWords(told.best.action, boxes)}: ${fixed(told.best.value)} points.`,
      );
    });
    worker.postMessage({ game, dice } satisfies SolveRequest);
  }

  plot(picture, "States in each layer, solved from the last layer to the first", (svg, width, height, small) => {
    const x = scaleBand(
      layers.map((layer) => layer.filled),
      [4, width - 4],
    ).padding(small ? 0.12 : 0.2);
    const most = Math.max(...layers.map((layer) => layer.reachable));
    const y = scaleLinear([0, most], [height - 46, 40]);
    axisInside(svg, axisLeft(y).ticks(4, "~s"), 4, width - 8);
    label(svg, "states in the layer; filled part: those that must be told apart", 4, 14, "small muted");
    const bars = layers.map((layer) => {
      const at = x(layer.filled) ?? 0;
      const whole = rect(
        svg,
        at,
        Math.min(y(layer.reachable), y(0) - 1.5),
        x.bandwidth(),
        Math.max(1.5, y(0) - y(layer.reachable)),
        { class: "mark" },
      );
      const inner = rect(
        svg,
        at,
        Math.min(y(layer.classes), y(0) - 1.5),
        x.bandwidth(),
        Math.max(1.5, y(0) - y(layer.classes)),
      );
      label(svg, `${layer.filled}`, at + x.bandwidth() / 2, height - 28, "small muted", "middle");
      return { whole, inner };
    });
    label(
      svg,
      "filled boxes: the start of the game is on the left, its end on the right",
      width / 2,
      height - 8,
      "small muted",
      "middle",
    ).text(small ? "filled boxes" : "filled boxes: the game begins on the left and ends on the right");
    const front = svg.append("path").attr("fill", "var(--gold)");
    return () => {
      const solved = scrub.value;
      const current = layers.length - solved;
      bars.forEach(({ whole, inner }, k) => {
        const colour =
          k > current || solved > last ? "var(--felt)" : k === current ? "var(--gold)" : "var(--muted)";
        whole.attr("fill", colour).attr("fill-opacity", k >= current ? 0.3 : 0.15);
        inner.attr("fill", colour).attr("fill-opacity", k >= current ? 0.95 : 0.3);
      });
      const layer = layers[current];
      const value = values[current];
      const done = layers.slice(current).reduce((sum, one) => sum + one.reachable, 0);
      const at = (x(Math.min(current, last)) ?? 0) + x.bandwidth() / 2;
      const top = layer ? y(layer.reachable) : y(0);
      front.attr("d", layer && solved <= last ? `M${at - 7},${top - 16}h14l-7,9z` : null);
      readout.textContent =
        layer && value
          ? `${current} filled: ${thousands(done)} states solved so far; from here perfect play expects ${fixed(value.mean)} more points` +
            (value.highest - value.lowest > 0.05
              ? ` (${fixed(value.lowest)} to ${fixed(value.highest)}, by state).`
              : ".")
          : "Nothing is solved yet. Press play: the sweep begins where all boxes are filled.";
    };
  });
}
