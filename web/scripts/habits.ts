/** Fits the answers of a file, a list of choices by question for each player, to a quiz: one line of JSON. */
import { readFileSync } from "node:fs";
import { fitHabits, type Quiz } from "../engine/habits";

const [, , quizFile = "", answersFile = ""] = process.argv;
const quiz = JSON.parse(readFileSync(quizFile, "utf8")) as Quiz;
const players = JSON.parse(readFileSync(answersFile, "utf8")) as Record<string, number>[];
const fits = players.map((answers) =>
  fitHabits(quiz, new Map(Object.entries(answers).map(([number, choice]) => [Number(number), choice]))),
);
console.log(JSON.stringify(fits));
