/** Answers to the puzzles of days, each given once: what was answered stays answered. */
import { recall, remember } from "../../look/settings";
import { recallChallenges, dayOfSeed } from "./challenges";

const ENTRY = "puzzles";
const VERSION = 1;
const DAY = 86_400_000;

/** What was answered, as logs say it, and what it cost. */
export interface Answer {
  day: string;
  rules: string;
  action: string;
  cost: number;
  right: boolean;
}

const isAnswer = (found: unknown): found is Answer => {
  const { day, rules, action, cost, right } = (found ?? {}) as Partial<Answer>;
  const texts = [day, rules, action].every((text) => typeof text === "string" && text.length <= 200);
  return texts && /^\d{4}-\d\d-\d\d$/.test(day ?? "") && Number.isFinite(cost) && typeof right === "boolean";
};

/** All answers, the first first; what cannot be read is set aside. */
export function recallAnswers(): readonly Answer[] {
  const text = recall(ENTRY);
  if (text === null) return [];
  try {
    return readAnswers(text);
  } catch {
    remember(`${ENTRY}-set-aside`, text);
    remember(ENTRY, JSON.stringify({ version: VERSION, answers: [] }));
    return [];
  }
}

/** Answers as they are kept; throws if they cannot be read. */
function readAnswers(text: string): Answer[] {
  const { version, answers } = JSON.parse(text) as { version?: unknown; answers?: unknown };
  if (version !== VERSION || !Array.isArray(answers) || !answers.every(isAnswer)) throw new Error();
  return answers;
}

/** The answers here and others; of two to one puzzle that which was given here. */
export function mergedAnswers(others: string): string {
  const mine = recallAnswers();
  const more = readAnswers(others).filter((one) => !findAnswer(one.day, one.rules));
  const answers = [...mine, ...more].sort((a, b) => (a.day < b.day ? -1 : 1));
  return JSON.stringify({ version: VERSION, answers });
}

export const findAnswer = (day: string, rules: string): Answer | undefined =>
  recallAnswers().find((one) => one.day === day && one.rules === rules);

/** Keep an answer, if it is the first to its puzzle. */
export function keepAnswer(answer: Answer): void {
  if (!findAnswer(answer.day, answer.rules))
    remember(ENTRY, JSON.stringify({ version: VERSION, answers: [...recallAnswers(), answer] }));
}

/** The days on which the day's game was finished or its puzzle answered, the latest first. */
export function daysPlayed(): string[] {
  const games = recallChallenges().flatMap(({ seed, result }) => (result && dayOfSeed(seed)) || []);
  return [...new Set([...games, ...recallAnswers().map(({ day }) => day)])].sort((a, b) => (a < b ? 1 : -1));
}

/** How many days in a row, up to today or, as long as today is open, to yesterday. */
export function streakOf(days: readonly string[], today: string): number {
  const numbers = new Set(days.map((day) => Math.round(Date.parse(day) / DAY)));
  const last = Math.round(Date.parse(today) / DAY);
  let streak = 0;
  for (let day = numbers.has(last) ? last : last - 1; numbers.has(day); day--) streak++;
  return streak;
}
