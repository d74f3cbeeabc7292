/**
 * What figures read: the library's results, what the builder of the site adds to them (`src/yatzy/site/numbers.py`), and the
 * tables that it makes (`src/yatzy/site/build.py`).
 */
import type * as lib from "../engine/shared";
import type { GameTables } from "../engine/tables";
import type { Action } from "../engine/types";

export interface Choice extends lib.QuizChoice {
  does: Action;
}

export interface Question extends lib.QuizDecision {
  faces: number[];
  choices: Choice[];
}

export interface Quiz extends lib.DecisionQuiz {
  labels: string[];
  questions: Question[];
}

export interface Change extends lib.Change {
  boxes: number[];
  target_action: Action;
  mean_action: Action;
}

interface Reach extends lib.Reach {
  changes: Change[];
}

/** What a player is: `depth` is that of a tree (0: no limit), `keeps` how a list names keeps if it does. */
export interface Who {
  kind: string;
  depth?: number | null;
  keeps?: string | false;
}

export interface Strength extends lib.Strength {
  who: Who;
}

interface Compression extends lib.Compression {
  models: Strength[];
}

interface ListStrength extends lib.ListStrength {
  strength: Strength;
}

interface Rosetta extends lib.Rosetta {
  lists: ListStrength[];
}

export interface ReadingAid extends lib.ReadingAid {
  who: Who;
}

interface Charts extends lib.Charts {
  carried: ReadingAid[];
}

/** A line of a chart. */
export interface Line {
  /** Digits are faces; letters are any face, the same letter the same face. */
  dice: string;
  words: string;
  does: string;
  cost: number | null;
  why: string;
}

/** A chart line by line: lists are those of where to score and of what to keep. */
interface ChartLines {
  boxes: string[];
  lists: [Line[], Line[]];
  keep: number[][];
  box: number[];
  points: number[];
  line: number[][];
}

/** By grammar: names of keeps and, for each, the keep of every roll; -1 where it does not apply. */
interface KeepTables {
  tables: Record<string, { names: string[]; keeps: number[][] }>;
}

export interface Data extends lib.Results {
  quiz: Quiz;
  reach: Reach;
  compression: Compression;
  rosetta: Rosetta;
  charts: Charts;
  "chart-lines": ChartLines;
  "keep-tables": KeepTables;
  scandinavian: GameTables;
}
