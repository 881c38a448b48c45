import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { isAccepted } from '../../../../src/engine/inference/automata/label-automaton.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import {
  ruleAutomaton,
  type SequenceRule,
} from '../../../../src/engine/models/decoding/sequence-rules.js';
import { LabelSet } from '../../../../src/engine/models/labels/label-set.js';
import { Deviations } from '../../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { KernelPlace, placesFor } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { constrainedProblem } from '../../../contracts/oracle/problems/constrained-problem.js';

const problems = process.env.TAGSTREAM_FULL === '1' ? 10_000 : 50;

/** One to three rules over some labels. */
function randomRules(random: Random, names: readonly string[]): SequenceRule[] {
  return Array.from({ length: 1 + random.below(3) }, (): SequenceRule => {
    const some = names.filter(() => random.below(2) === 0);
    const of = some.length === 0 ? [names[random.below(names.length)]!] : some;
    const rest = names.filter(name => !of.includes(name));
    const kind = random.below(rest.length > 0 ? 4 : 3);
    if (kind === 0) return { of, atMost: random.below(3) };
    if (kind === 1) return { of, atLeast: 1 + random.below(2) };
    if (kind === 2) {
      const atLeast = random.below(2);
      return { of, atLeast, atMost: atLeast + random.below(2) };
    }
    return { order: [of, rest.slice(0, 1 + random.below(rest.length))] };
  });
}

/** The meaning of a rule, by itself. */
function meets(rule: SequenceRule, path: readonly number[], names: readonly string[]): boolean {
  if ('order' in rule) {
    const sets = path.map(y => rule.order.findIndex(set => set.includes(names[y]!)));
    const named = sets.filter(set => set >= 0);
    return named.every((set, i) => i === 0 || set >= named[i - 1]!);
  }
  const count = path.filter(y => rule.of.includes(names[y]!)).length;
  return count >= (rule.atLeast ?? 0) && count <= (rule.atMost ?? Number.POSITIVE_INFINITY);
}

describe.each(kernelRows)('rules for sequences, $name', ({ kernel, tolerance }) => {
  it(`agree with enumeration on ${problems} random problems`, () => {
    const off = new Deviations();
    const random = new Random(77);
    let impossible = 0;
    let bound = 0;
    let sentences = 0;
    for (const { place } of placesFor(kernel, problems)) {
      const { store, batch, rules, names, constrained } = constrainedProblem(random, place);
      const sequence = randomRules(random, names);
      const decoder = new Decoder(kernel, rules);
      const decoded = decoder.decode(store, batch, { sequence, probability: true });
      for (const [s, scores] of constrained.entries()) {
        sentences += 1;
        const chain = new Enumeration(scores);
        const allowed = chain.ranked.filter(({ path }) =>
          sequence.every(rule => meets(rule, path, names)),
        );
        if (allowed.length === 0) {
          impossible += 1;
          expect(decoded.rejected!.get(s)!.code).toBe('constraint');
          continue;
        }
        expect(decoded.rejected?.has(s) ?? false).toBe(false);
        const path = Array.from(
          decoded.labels.subarray(batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!),
        );
        const [best, second] = allowed;
        if (best!.score < chain.bestScore) bound += 1;
        off.note('best score', [decoded.scores[s]!], [best!.score]);
        off.note('score of path', [chain.pathScore(path)], [best!.score]);
        if (best!.score - (second?.score ?? Number.NEGATIVE_INFINITY) > 10 * tolerance) {
          expect(path).toEqual(best!.path);
        }
        const sum = allowed.reduce((z, { score }) => z + Math.exp(score - best!.score), 0);
        const p = Math.exp(chain.pathScore(path) - best!.score) / sum;
        off.note('probability among them', [decoded.probabilities![s]!], [p]);
      }
    }
    expect(off.beyond(tolerance)).toEqual([]);
    expect(impossible).toBeGreaterThan(0);
    expect(bound).toBeGreaterThan(sentences / 10);
  });
});

describe('the automaton of rules', () => {
  const labels = new LabelSet(['O', 'A', 'B']);

  it('accepts what meets all rules, of all sequences up to six labels', () => {
    const random = new Random(5);
    for (let i = 0; i < 60; i += 1) {
      const rules = randomRules(random, labels.names);
      const automaton = ruleAutomaton(rules, labels);
      let paths: number[][] = [[]];
      for (let length = 1; length <= 6; length += 1) {
        paths = paths.flatMap(path => [0, 1, 2].map(y => [...path, y]));
        const wrong = paths.filter(
          path =>
            isAccepted(automaton, path) !== rules.every(rule => meets(rule, path, labels.names)),
        );
        expect(wrong).toEqual([]);
      }
    }
  });

  it.each<[SequenceRule[], string]>([
    [[{ of: ['C'], atMost: 1 }], 'the model has no label "C"'],
    [[{ of: ['A'] }], 'a count has no bound'],
    [[{ of: [], atMost: 1 }], 'it does not name a label'],
    [[{ of: ['A'], atLeast: 0.5 }], 'the bound 0.5 is no count'],
    [[{ order: [['A']] }], 'an order has fewer than two sets'],
    [[{ order: [['A'], ['A', 'B']] }], 'a label is in two sets'],
    [
      [
        { of: ['A'], atLeast: 60 },
        { of: ['B'], atLeast: 60 },
      ],
      'more than 1024 states',
    ],
  ])('is refused for %j', (rules, problem) => {
    expect(() => ruleAutomaton(rules, labels)).toThrow(problem);
  });

  it.each([
    [{ decoding: 'posterior' as const }, 'decoding: posterior'],
    [{ marginals: true }, 'marginals'],
    [{ nbest: 2 }, 'nbest'],
    [{ spanProbabilities: true }, 'spanProbabilities'],
  ])('does not go with %j', (options, named) => {
    const place = new KernelPlace(kernelRows[0]!.kernel);
    const { store, batch, rules } = constrainedProblem(new Random(1), place);
    const sequence = [{ of: ['O'], atMost: 1 }];
    const decoder = new Decoder(kernelRows[0]!.kernel, rules);
    expect(() => decoder.decode(store, batch, { ...options, sequence })).toThrow(
      `sequence rules cannot be combined with ${named}`,
    );
  });
});
