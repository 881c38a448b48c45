import { sideBySide } from '../timing/side-by-side.mjs';

/**
 * Microseconds a token of each case, measured side by side, and their ratios to the first.
 *
 * @param {readonly { what: string, tokens: number, prepare: () => () => void }[]} cases further fields
 *   are kept
 * @param {number} runs
 */
export function growthRows(cases, runs) {
  const seconds = sideBySide(
    cases.map(({ prepare }) => prepare),
    runs,
  );
  const micros = cases.map(({ tokens }, i) => (seconds[i] * 1e6) / tokens);
  return cases.map(({ what, prepare: _, ...more }, i) => ({
    ...{ what, ...more, micros: micros[i] },
    ratio: micros[i] / micros[0],
  }));
}
