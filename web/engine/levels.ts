/** Points lost or ahead as levels, whose words are the view's: as `yatzy.game.words` says them. */
import constants from "./constants.json";

const { tie, loss, lead } = constants;

const levelOf = (points: number, limits: readonly number[]): number =>
  points <= tie ? 0 : 1 + limits.filter((limit) => points >= limit).length;

/** 0 for perfect, 1 fine, 2 inaccuracy, 3 mistake, 4 blunder. */
export const LOSSES = loss.length + 2;
export const lossLevel = (regret: number): number => levelOf(regret, loss);

/** 0 for equal, 1 close call, 2 clear, 3 obvious; null for the only action. */
export const leadLevel = (ahead: number | undefined): number | null =>
  ahead === undefined ? null : levelOf(ahead, lead);
