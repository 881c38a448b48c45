import { describe, expect, it } from 'vitest';
import { tokenClasses } from '../../../../src/engine/trainers/chains/class-potentials.js';
import { markedObjective } from '../descent/marked-objective.js';
import { smallProblems } from '../small-problem.js';

describe('classes of tokens', () => {
  const { corpus } = markedObjective(smallProblems[2], {});

  it('have the features of their tokens', () => {
    const { count, of, starts, rows } = tokenClasses(corpus, 'state');
    // Six words, and the class without features.
    expect(count).toBe(7);
    let before = 0;
    for (const { tokens, stateStarts, stateRows } of corpus) {
      for (let t = 0; t < tokens; t += 1) {
        const c = of[before + t]!;
        const expected = [...stateRows.subarray(stateStarts[t]!, stateStarts[t + 1]!)];
        expect(rows.slice(starts[c]!, starts[c + 1]!)).toEqual(expected);
      }
      before += tokens;
    }
  });

  it('have no edge features at first tokens', () => {
    const { of } = tokenClasses(corpus, 'edge');
    let before = 0;
    for (const { tokens, sentenceStarts } of corpus) {
      const firsts = new Set(sentenceStarts);
      for (let t = 0; t < tokens; t += 1) expect(of[before + t] === 0).toBe(firsts.has(t));
      before += tokens;
    }
  });
});
