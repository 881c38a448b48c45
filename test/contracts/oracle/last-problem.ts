import type { ChainScores } from './chain-scores.js';

/** The last problem that an oracle has looked at, in the order of `randomProblem` and `Enumeration`. */
interface LastProblem {
  /** State of the generator before the problem was drawn, and what was fixed. */
  readonly drawn?: { readonly state: readonly number[]; readonly fixed: object };
  readonly scores?: ChainScores;
}

let last: LastProblem = {};

export function noteDraw(state: readonly number[], fixed: object): void {
  last = { drawn: { state, fixed } };
}

export function noteScores(scores: ChainScores): void {
  last = { ...last, scores };
}

export function forgetProblem(): void {
  last = {};
}

/** The lattice, the number of labels, and lines of code that make them again; empty if there was no problem. */
export function lastProblem(): string {
  const { drawn, scores } = last;
  const lines: string[] = [];
  if (scores !== undefined) {
    const { emissions, transitions } = scores;
    lines.push(`${emissions.length} tokens, ${emissions[0]?.length} labels`);
    for (const [t, row] of emissions.entries()) lines.push(`token ${t}: ${row.join(' ')}`);
    for (const [t, matrix] of transitions.entries()) {
      if (t === 0 || matrix === transitions[t - 1]) continue;
      lines.push(`to token ${t}: ${matrix.map(row => row.join(' ')).join(' / ')}`);
    }
    lines.push(`new Enumeration(${written(scores)})`);
  }
  if (drawn !== undefined) {
    lines.push('const random = new Random(1);', `random.state = ${written(drawn.state)};`);
    lines.push(`randomProblem(random, ${written(drawn.fixed)}, new KernelPlace(kernel))`);
  }
  return lines.join('\n');
}

/** JavaScript of a value: JSON has no infinite scores. */
function written(value: unknown): string {
  const text = JSON.stringify(value, (_, each) =>
    typeof each === 'number' && !Number.isFinite(each) ? `<${each}>` : each,
  );
  return text.replace(/"<(-?Infinity|NaN)>"/g, '$1');
}
