/**
 * How far people agree beyond chance: `(observed - chance) / (1 - chance)`; 1 where chance alone gives agreement.
 *
 * @example
 * aboveChance(0.75, 0.5) // => 0.5
 */
export function aboveChance(observed: number, chance: number): number {
  return chance === 1 ? 1 : (observed - chance) / (1 - chance);
}
