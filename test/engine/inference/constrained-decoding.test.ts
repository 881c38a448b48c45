import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { forwardBackward, whereScaled } from '../../../src/engine/inference/forward-backward.js';
import { maskToken, maskTransitions } from '../../../src/engine/inference/mask-scores.js';
import { ScaledSpanProbabilities } from '../../../src/engine/inference/scaled-span-probabilities.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import { spanProbability } from '../../../src/engine/inference/span-probability.js';
import { wideLattice } from '../../../src/engine/inference/wide-lattice.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { spanPairs, spansOf } from '../../../src/engine/text/tags/spans.js';
import { Deviations } from '../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import {
  type ConstrainedProblem,
  constrainedProblem,
} from '../../contracts/oracle/problems/constrained-problem.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems for each kernel: a short form, or all there are to be. */
const problems = full ? 10_000 : 50;
const wanted = { marginals: true, probability: true, nbest: 4, spanProbabilities: true };

/** Calls `check` with problems, each with the enumeration of each of its sentences. */
function overProblems(
  place: () => KernelPlace,
  check: (problem: ConstrainedProblem, chains: readonly Enumeration[], place: KernelPlace) => void,
): void {
  const random = new Random(31);
  let current = place();
  for (let i = 0; i < problems; i += 1) {
    if (i % 200 === 0) current = place();
    const problem = constrainedProblem(random, current);
    check(
      problem,
      problem.constrained.map(scores => new Enumeration(scores)),
      current,
    );
  }
}

describe.each(kernelRows)('constrained decoding, $name', ({ name, kernel, tolerance }) => {
  it(`agrees with enumeration on ${problems} random problems`, () => {
    const off = new Deviations();
    let impossible = 0;
    let sentences = 0;
    overProblems(
      () => new KernelPlace(kernel),
      ({ store, batch, rules, names }, chains) => {
        const decoder = new Decoder(kernel, rules);
        const viterbi = decoder.decode(store, batch, wanted);
        const risk = decoder.decode(store, batch, { decoding: 'minimum-risk', marginals: true });
        for (const [s, chain] of chains.entries()) {
          sentences += 1;
          if (chain.ranked.length === 0) {
            impossible += 1;
            // Only the scheme gives way, and only where nothing was asked for.
            if (batch.sentences[s]!.sentence.constraints !== undefined) {
              expect(viterbi.rejected!.get(s)!.code).toBe('constraint');
              expect(risk.rejected!.has(s)).toBe(true);
            }
            continue;
          }
          expect(viterbi.rejected?.has(s) ?? false).toBe(false);
          const [from, to] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
          const path = Array.from(viterbi.labels.subarray(from, to));
          off.note('best score', [viterbi.scores[s]!], [chain.bestScore]);
          off.note('score of path', [chain.pathScore(path)], [viterbi.scores[s]!]);
          if (chain.margin > 10 * tolerance) expect(path).toEqual(chain.best);
          const p = Math.exp(chain.pathScore(path) - chain.logZ);
          off.note('sequence probability', [viterbi.probabilities![s]!], [p]);
          const marginals = viterbi.marginals!.subarray(from, to);
          off.note(
            'marginals',
            marginals,
            path.map((y, t) => chain.nodes[t]![y]!),
          );
          // Alternatives: as many as there are, the best first, each with its own score.
          const found = viterbi.nbest![s]!;
          expect(found).toHaveLength(Math.min(4, chain.ranked.length));
          expect(Array.from(found[0]!.labels)).toEqual(path);
          expect(new Set(found.map(({ labels }) => labels.join())).size).toBe(found.length);
          for (const [rank, { labels, score, probability }] of found.entries()) {
            off.note('n-best score', [score], [chain.ranked[rank]!.score]);
            off.note('n-best path', [chain.pathScore(labels)], [score]);
            off.note('n-best probability', [probability], [Math.exp(score - chain.logZ)]);
          }
          const spans = viterbi.spans?.[s] ?? [];
          const tags = path.map(y => names[y]!);
          if (viterbi.spans !== undefined) expect(spans).toHaveLength(spansOf(tags).length);
          const best = Array.from(risk.labels.subarray(from, to));
          off.note('expected right tags', [chain.expectedRight(best)], [chain.leastRisk()]);
          // Scaled where no token is constrained, the others in log space.
          const ofRisk = best.map((y, t) => chain.nodes[t]![y]!);
          off.note('marginals at least risk', risk.marginals!.subarray(from, to), ofRisk);
          off.note('score of minimum risk', [risk.scores[s]!], [chain.pathScore(best)]);
        }
      },
    );
    if (full) console.log(`${name}: ${sentences} sentences, ${impossible} impossible; ${off}`);
    expect(off.beyond(tolerance)).toEqual([]);
    expect(impossible).toBeGreaterThan(0);
    expect(impossible).toBeLessThan(sentences / 4);
  });

  it(`gives every span the sum over the sequences that mark it, on ${problems} problems`, () => {
    const off = new Deviations();
    const random = new Random(32);
    let spans = 0;
    let scaledSentences = 0;
    let sentences = 0;
    overProblems(
      () => new KernelPlace(kernel),
      ({ store, batch, rules, names }, _, place) => {
        // As for IOB1, all transitions of some problems are allowed; some have forbidden labels at tokens.
        const lattice = place.lattice();
        scoreBatch(kernel, store, lattice, batch);
        if (rules.transitionMask !== undefined) maskTransitions(lattice, rules.transitionMask);
        const masked = random.below(2) === 0;
        for (let t = 0; masked && t < batch.tokens; t += 1) {
          if (random.below(3) > 0) continue;
          maskToken(
            lattice,
            t,
            Uint8Array.from(names, () => random.below(2)),
          );
        }
        const pairs = spanPairs(names);
        const sums = new ScaledSpanProbabilities(pairs);
        const types = new Set(pairs.types);
        const wide = wideLattice(kernel, lattice);
        for (let s = 0; s < batch.sentences.length; s += 1) {
          const chain = new Enumeration(scoresIn(lattice, s));
          if (chain.ranked.length === 0) continue;
          const marked = new Map<string, number>();
          for (const { path, score } of chain.ranked) {
            for (const { label, start, end } of spansOf(path.map(y => names[y]!))) {
              const key = `${label} ${start} ${end}`;
              const sum = marked.get(key) ?? 0;
              marked.set(key, sum + Math.exp(score - chain.logZ));
            }
          }
          const { length } = batch.sentences[s]!;
          const all = [...types].flatMap(label => allSpans(label, length));
          const expected = all.map(
            ({ label, start, end }) => marked.get(`${label} ${start} ${end}`) ?? 0,
          );
          sentences += 1;
          const connected = rules.transitionMask?.connected ?? true;
          const space = masked || !connected ? 'masked' : 'auto';
          if (!Number.isNaN(whereScaled(wide.kernel, wide.lattice, s, space))) {
            scaledSentences += 1;
            const found = sums.of(wide.lattice, s, all).map(({ probability }) => probability!);
            off.note('scaled span probability', found, expected);
          }
          const logZ = forwardBackward(kernel, lattice, s, 'log');
          const found = all.map(span => spanProbability(lattice, s, logZ, pairs, span));
          off.note('span probability', found, expected);
          spans += all.length;
        }
      },
    );
    if (full) console.log(`${name}: ${spans} spans; ${off}`);
    expect(off.beyond(tolerance)).toEqual([]);
    expect(spans).toBeGreaterThan(problems * 5);
    expect(scaledSentences).toBeGreaterThan(0.9 * sentences);
  });
});

/** Every span of a type that there may be in so many tokens. */
function allSpans(label: string, length: number) {
  return Array.from({ length }, (_, start) =>
    Array.from({ length: length - start }, (_, i) => ({ label, start, end: start + i + 1 })),
  ).flat();
}

/** The scores of a sentence as a lattice has them. */
function scoresIn(lattice: ReturnType<KernelPlace['lattice']>, s: number) {
  const read = new LatticeReader(lattice, s);
  return {
    emissions: read.emissions(),
    transitions: Array.from({ length: read.length }, (_, t) =>
      read.transitionsInto(Math.max(t, 0)),
    ),
  };
}
