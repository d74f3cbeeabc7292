/** Ten decisions of a first turn: the reader chooses, is told what it costs, and sees the sum at the end. */
import { die, type Face } from "../look/dice";
import { button, circle, fixed, frame, label, narrow, onResize, svgIn, type Data } from "../look/figure";
import { actionWords } from "../look/names";
import type { Choice, Question } from "../look/results";

const TIE = 1e-6;
const CLOSE = 0.25;

/** What a regret is called. */
function verdict(regret: number): string {
  if (regret < TIE) return "The best choice.";
  const points = regret < 0.95 ? fixed(regret, 2) : fixed(regret, 1);
  return regret < CLOSE ? `A close call: ${points} points short.` : `It costs ${points} points.`;
}

export function draw(root: HTMLElement, data: Data): void {
  const quiz = data["quiz"];
  const questions = quiz.questions;
  const { controls, picture, readout } = frame(root, 2);
  controls.classList.add("quiz");
  readout.classList.add("above");
  const losses: number[] = [];
  let held: boolean[] = [];
  let marks: () => void = () => undefined;

  const boxes = quiz.labels;

  function ask(): void {
    const question = questions[losses.length];
    controls.replaceChildren();
    if (!question) finish();
    else put(question);
    marks();
  }

  function put(question: Question): void {
    const faces = question.faces;
    held = faces.map(() => false);
    const table = document.createElement("div");
    table.className = "my-dice large";
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", `You threw ${faces.join(" ")}`);
    faces.forEach((face, i) => {
      const one = document.createElement(question.rerolls ? "button" : "span");
      const show = (): void => {
        one.replaceChildren(die(face as Face, held[i]));
        if (question.rerolls) {
          one.setAttribute("aria-pressed", `${held[i]}`);
          one.setAttribute("aria-label", `${face}, ${held[i] ? "held" : "to be thrown again"}`);
        }
      };
      if (question.rerolls) {
        one.setAttribute("type", "button");
        one.addEventListener("click", () => {
          held[i] = !held[i];
          show();
          go?.replaceChildren(said());
        });
      }
      show();
      table.append(one);
    });
    controls.append(table);
    const left = ["Your last throw.", "One throw left.", "Two throws left."][question.rerolls] ?? "";
    readout.textContent =
      `${losses.length + 1} of ${questions.length}. The card is empty. ${left} ` +
      (question.rerolls ? "Tap the dice that you hold." : "Which box do you fill?");
    /** Keeping all dice is filling the best box. */
    const chosen = (): Choice | undefined => {
      const kept = faces.filter((_, i) => held[i]).sort((a, b) => a - b);
      return question.choices.find(({ does: { keep } }) =>
        kept.length < faces.length ? keep && `${keep}` === `${kept}` : !keep,
      );
    };
    const said = (): string => {
      const n = held.filter(Boolean).length;
      if (n === faces.length) return "Keep all five: fill a box";
      return n ? `Hold these, throw ${faces.length - n}` : "Hold none, throw all";
    };
    let go: HTMLButtonElement | undefined;
    if (question.rerolls) go = button(controls, said(), () => tell(question, chosen()));
    else {
      const card = document.createElement("div");
      card.className = "boxes";
      boxes.forEach((box, i) =>
        button(card, `${box} ${question.points[i] ?? 0}`, () =>
          tell(
            question,
            question.choices.find(({ does }) => does.score === i),
          ),
        ),
      );
      controls.append(card);
    }
  }

  function tell(question: Question, choice: Choice | undefined): void {
    const best = question.choices[0];
    if (!choice || !best) return;
    losses.push(choice.regret);
    const right = actionWords(best.does, boxes);
    readout.textContent =
      `You ${actionWords(choice.does, boxes)}. ${verdict(choice.regret)} ` +
      (choice.regret < TIE ? `Why: ${question.why}.` : `Best: ${right}; ${question.why}.`);
    controls.querySelectorAll(":scope > button, .boxes").forEach((one) => one.remove());
    controls.querySelectorAll("button").forEach((one) => (one.disabled = true));
    const next = button(controls, losses.length < questions.length ? "Next throw" : "Your result", ask);
    next.focus({ preventScroll: true });
    marks();
  }

  function finish(): void {
    const lost = losses.reduce((a, b) => a + b, 0);
    readout.textContent =
      `You lost ${fixed(lost)} points in ${questions.length} decisions. Whoever plays each turn for its most points loses ` +
      `${fixed(quiz.greedy_lost)}, a bot that plays by patterns ${fixed(quiz.bot_lost)}; perfect play loses nothing. How does one know? Read on.`;
    button(controls, "Once more", () => {
      losses.length = 0;
      ask();
    });
  }

  marks = () => {
    const { clientWidth: width, clientHeight: height } = picture;
    const svg = svgIn(picture, width, height, "Points lost in each decision so far");
    const step = Math.min(60, width / questions.length);
    const left = (width - step * questions.length) / 2;
    questions.forEach((_, i) => {
      const loss = losses[i];
      const x = left + (i + 0.5) * step;
      circle(svg, x, height - 30, i === losses.length ? 7 : 5.5, {
        class: "mark",
        fill: loss === undefined ? "none" : loss < TIE ? "var(--felt)" : "var(--loss)",
        stroke: loss === undefined ? "var(--muted)" : "none",
        "stroke-width": i === losses.length ? 2.4 : 1.2,
      });
      const cost = `−${(loss ?? 0) < 0.95 ? fixed(loss ?? 0, 2) : fixed(loss ?? 0)}`;
      const text = loss === undefined ? `${i + 1}` : loss < TIE ? "best" : cost;
      label(svg, text, x, height - 8, narrow(width) ? "small muted" : "small", "middle");
    });
  };
  ask();
  onResize(picture, marks);
}
