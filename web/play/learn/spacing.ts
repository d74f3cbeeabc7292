/** When a card is asked again: FSRS by whole days and without chance, as Python's `coach/deck.py`. Loaded when needed. */
import { FSRSAlgorithm, Rating } from "ts-fsrs";
import limits from "../../../src/yatzy/coach/deck.json";
import { addDays, daysBetween, type Memory } from "./deck";

const algorithm = new FSRSAlgorithm({ enable_fuzz: false });

/** What is remembered of a card after an answer that cost so many points, on a day such as `2026-02-07`. */
export function remember(memory: Memory | null, regret: number, day: string): Memory {
  const grade = regret < limits.good_below ? Rating.Good : regret < limits.hard_below ? Rating.Hard : Rating.Again;
  const elapsed = memory ? Math.max(0, daysBetween(memory.last, day)) : 0;
  const next = algorithm.next_state(memory, elapsed, grade);
  return { ...next, last: day, due: addDays(day, algorithm.next_interval(next.stability, elapsed)) };
}
