/** One turn as a graph of 1,681 points; the reader's dice take one path through it. */
import { heldBy } from "../engine/dice";
import { diceButtons, diceGroup, myDice } from "../look/dice";
import { button, circle, fixed, frame, label, plot, type Data, nearest } from "../look/figure";
import { idOf, inside, keeps, nRolls, outcomes, throwDice } from "../look/lattice";

interface Place {
  x: number;
  y: number;
}

const LAYERS = ["start", "1st throw", "hold", "2nd throw", "hold", "3rd throw"];
const COLOURS = ["--ink", "--felt", "--sea", "--felt", "--sea", "--felt"];

export function draw(root: HTMLElement, data: Data): void {
  const turn = data["opening-turn"];
  const rerolls = [turn.rerolls[1], turn.rerolls[0]];
  const sizes = [1, nRolls, keeps.length, nRolls, keeps.length, nRolls];
  const { controls, picture, readout, refresh } = frame(root);
  let faces = myDice();
  // The throws made so far in this turn: roll ids.
  let path = [idOf(faces)];

  const dice = diceButtons(
    controls,
    (face, held) => `Die shows ${face}${held ? ", held" : ""}; change it`,
    (i) => {
      faces = faces.map((face, k) => (k === i ? (face % 6) + 1 : face));
      path = [idOf(faces)];
      refresh();
    },
  );
  const roll = button(controls, "Throw the rest", () => {
    const best = rerolls[path.length - 1]?.keep_by_roll[path.at(-1) ?? 0];
    if (best === undefined) return;
    const next = throwDice(best);
    path.push(next);
    // Held dice stay where they lie; the others show what was thrown.
    const kept = [...(keeps[best] ?? [])];
    const held = heldBy(faces, kept);
    const fresh = [...(keeps[next] ?? [])];
    kept.forEach((face) => fresh.splice(fresh.indexOf(face), 1));
    faces = faces.map((face, i) => (held[i] ? face : (fresh.pop() ?? face)));
    refresh();
  });
  button(controls, "New turn", () => {
    faces = [...(keeps[throwDice(keeps.length - 1)] ?? [])];
    path = [idOf(faces)];
    refresh();
  });

  plot(picture, "One turn as a graph: throws and holds, in six layers", (svg, width, height, small) => {
    const places = small ? rows(sizes, width, height) : columns(sizes, width, height);
    const lines = svg.append("g");
    const dots = svg.append("g");
    places.forEach((layer, k) => {
      layer.forEach((place) =>
        circle(dots, place.x, place.y, k === 0 ? 5 : small ? 1.9 : 2.2, {
          class: "mark",
          fill: `var(${COLOURS[k] ?? ""})`,
          "fill-opacity": k === 0 ? 1 : 0.38,
        }),
      );
      const first = layer[0];
      const last = layer.at(-1);
      if (!first || !last) return;
      const text = k === 0 ? "1" : `${LAYERS[k]}: ${sizes[k]}`;
      if (small)
        label(svg, k === 0 ? "start" : text, k === 0 ? first.x + 10 : 0, first.y - (k ? 8 : -4), "small muted");
      else
        label(
          svg,
          k === 0 ? "start" : text,
          (Math.min(...layer.map((p) => p.x)) + Math.max(...layer.map((p) => p.x))) / 2,
          14,
          "small muted",
          "middle",
        );
    });
    const marks = svg.append("g");

    function connect(from: Place | undefined, to: Place | undefined, opacity: number, strong = false): void {
      if (!from || !to) return;
      lines
        .append("path")
        .attr(
          "d",
          small
            ? `M${from.x},${from.y}C${from.x},${(from.y + to.y) / 2} ${to.x},${(from.y + to.y) / 2} ${to.x},${to.y}`
            : `M${from.x},${from.y}C${(from.x + to.x) / 2},${from.y} ${(from.x + to.x) / 2},${to.y} ${to.x},${to.y}`,
        )
        .attr("fill", "none")
        .attr("stroke", strong ? "var(--felt)" : "var(--muted)")
        .attr("stroke-width", strong ? 2.5 : 1)
        .attr("stroke-opacity", opacity);
    }
    function ring(place: Place | undefined, colour: string): void {
      if (place) circle(marks, place.x, place.y, 5, { fill: colour, stroke: "var(--paper)", "stroke-width": 1.5 });
    }
    const first = (places[1] ?? []).map(({ x, y }) => [x, y] as const);
    const point = (found: number): void => {
      if (found < 0) return;
      faces = [...(keeps[found] ?? [])];
      path = [found];
      refresh();
    };
    svg.on("pointerdown", (event: PointerEvent) => {
      point(nearest(event, first, 14));
    });
    svg.on("pointermove", (event: PointerEvent) => {
      if (event.pointerType !== "mouse") return;
      const near = nearest(event, first, 5);
      if (near !== path[0]) point(near);
    });
    return () => {
      lines.selectAll("*").remove();
      marks.selectAll("*").remove();
      connect(places[0]?.[0], places[1]?.[path[0] ?? 0], 1, true);
      path.forEach((rolled, i) => {
        const from = places[1 + 2 * i]?.[rolled];
        const step = rerolls[i];
        if (step) {
          const best = step.keep_by_roll[rolled] ?? rolled;
          const now = i === path.length - 1;
          if (now) {
            inside(rolled).forEach((keep) => connect(from, places[2 + 2 * i]?.[keep], 0.45));
            const chances = outcomes(best);
            const most = Math.max(...chances.values());
            chances.forEach((chance, next) =>
              connect(places[2 + 2 * i]?.[best], places[3 + 2 * i]?.[next], 0.08 + (0.5 * chance) / most),
            );
          }
          connect(from, places[2 + 2 * i]?.[best], 1, true);
          const next = path[i + 1];
          if (next !== undefined) connect(places[2 + 2 * i]?.[best], places[3 + 2 * i]?.[next], 1, true);
          ring(places[2 + 2 * i]?.[best], "var(--gold)");
        }
        ring(from, "var(--ink)");
      });
      const rolled = path.at(-1) ?? 0;
      const step = rerolls[path.length - 1];
      roll.disabled = !step;
      if (step) {
        const best = step.keep_by_roll[rolled] ?? 0;
        const kept = keeps[best] ?? [];
        dice.show(faces, heldBy(faces, kept));
        const said =
          kept.length === 0 ? "hold nothing" : kept.length === 5 ? "hold all" : `hold ${kept.join(" ")}`;
        readout.textContent =
          `${inside(rolled).length} holds are inside this throw. Best: ${said}, worth ` +
          `${fixed(step.value_by_keep[best] ?? 0)} points in all; it can become ${outcomes(best).size} throws.`;
      } else {
        dice.show(
          faces,
          faces.map(() => false),
        );
        readout.textContent =
          `The turn is over: fill ${turn.categories[turn.category_by_roll[rolled] ?? 0]}. With the rest of the game that is worth ` +
          `${fixed(turn.value_by_roll[rolled] ?? 0)} points.`;
      }
      if (!small) {
        const tag = diceGroup(keeps[path[0] ?? 0] ?? [], 15);
        const at = places[1]?.[path[0] ?? 0];
        tag.setAttribute(
          "transform",
          `translate(${(at?.x ?? 0) - 41},${Math.min(height - 18, (at?.y ?? 0) + 8)})`,
        );
        marks.node()?.append(tag);
      }
    };
  });
}

/** Layers from left to right, each a block of points filled column by column. */
function columns(sizes: number[], width: number, height: number): Place[][] {
  const deep = sizes.map((n) => (n === 1 ? 1 : n === nRolls ? 28 : 33));
  const wide = sizes.map((n, k) => Math.ceil(n / (deep[k] ?? 1)));
  const step = 8.4;
  const gap = (width - 24 - wide.reduce((sum, n) => sum + n * step, 0)) / (sizes.length - 1);
  let left = 12;
  return sizes.map((n, k) => {
    const rows = deep[k] ?? 1;
    const pitch = (height - 50) / 33;
    const top = 30 + ((33 - rows) * pitch) / 2;
    const block = Array.from({ length: n }, (_, i) => ({
      x: left + (Math.floor(i / rows) + 0.5) * step,
      y: n === 1 ? 30 + (33 * pitch) / 2 : top + ((i % rows) + 0.5) * pitch,
    }));
    left += (wide[k] ?? 1) * step + gap;
    return block;
  });
}

/** Layers from top to bottom, for narrow screens. */
function rows(sizes: number[], width: number, height: number): Place[][] {
  const wide = 42;
  const deep = sizes.map((n) => Math.ceil(n / wide));
  const step = (width - 4) / wide;
  const pitch = 6.2;
  const gap = (height - 12 - deep.reduce((sum, n) => sum + n * pitch, 0)) / (sizes.length - 1);
  let top = 8;
  return sizes.map((n, k) => {
    const block = Array.from({ length: n }, (_, i) => ({
      x: n === 1 ? width / 2 : 2 + ((i % wide) + 0.5) * step,
      y: top + (Math.floor(i / wide) + 0.5) * pitch,
    }));
    top += (deep[k] ?? 1) * pitch + gap;
    return block;
  });
}
