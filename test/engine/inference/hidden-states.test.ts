import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { statesOfGold } from '../../../src/engine/models/labels/allowed-labels.js';
import { spansOf } from '../../../src/engine/text/tags/spans.js';
import { Deviations } from '../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../contracts/oracle/kernels/float64-copy.js';
import { placesFor } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { parameterPlaces } from '../../contracts/oracle/kernels/parameter-places.js';
import { labelSums } from '../../contracts/oracle/label-sums.js';
import { constrainedProblem } from '../../contracts/oracle/problems/constrained-problem.js';
import { type Problem, randomProblem } from '../../contracts/oracle/problems/problem.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { centralDifference } from '../losses/central-difference.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems for each kernel: a short form, or all there are to be. */
const problems = full ? 10_000 : 30;

const most = 1000;

describe.each(kernelRows)('hidden states, $name kernel', ({ name, kernel, tolerance }) => {
  it(`are decoded as enumeration has it on ${problems} random problems`, { tags: 'slow' }, () => {
    const random = new Random(41);
    const off = new Deviations();
    let [sentences, ambiguous, spanned] = [0, 0, 0];
    for (const { place } of placesFor(kernel, problems)) {
      const states = 2 + random.below(2);
      const { store, batch, rules, names, constrained } = constrainedProblem(random, place, states);
      const decoder = new Decoder(kernel, rules);
      const asked = { marginals: true, probability: true, nbest: most, spanProbabilities: true };
      const viterbi = decoder.decode(store, batch, asked);
      const risk = decoder.decode(store, batch, { decoding: 'minimum-risk', marginals: true });
      const posterior = decoder.decode(store, batch, { decoding: 'posterior' });
      for (const [s, scores] of constrained.entries()) {
        const chain = new Enumeration(scores);
        if (chain.ranked.length === 0) continue;
        sentences += 1;
        const sums = labelSums(chain, states);
        const [from, to] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
        const labels = Array.from(viterbi.labels.subarray(from, to));
        const first = (h: number) => states * Math.floor(h / states);
        if (chain.margin > 10 * tolerance) expect(labels).toEqual(chain.best.map(first));
        const own = sums.find(each => each.labels.join() === labels.join())!;
        if (own !== sums[0]) ambiguous += 1;
        off.note('score of labels', [viterbi.scores[s]!], [own.score]);
        const p = Math.exp(own.score - chain.logZ);
        off.note('probability of labels', [viterbi.probabilities![s]!], [p]);
        const share = (t: number, label: number) =>
          chain.nodes[t]!.reduce((sum, node, h) => sum + (first(h) === label ? node : 0), 0);
        const shares = (path: readonly number[]) => path.map((label, t) => share(t, label));
        off.note('marginals', viterbi.marginals!.subarray(from, to), shares(labels));
        // So many sequences are asked for that all there are have to come, each with its own sum.
        const found = viterbi.nbest![s]!;
        if (sums.length < most) expect(found).toHaveLength(sums.length);
        for (const [rank, each] of found.entries()) {
          off.note('n-best score', [each.score], [sums[rank]!.score]);
          off.note('n-best probability', [each.probability], [Math.exp(each.score - chain.logZ)]);
        }
        for (const span of viterbi.spans?.[s] ?? []) {
          spanned += 1;
          const marks = (path: readonly number[]) =>
            spansOf(path.map(h => names[h]!)).some(
              ({ label, start, end }) =>
                label === span.label && start === span.start && end === span.end,
            );
          off.note('span', [span.probability!], [chain.probabilityOf(marks)]);
        }
        const least = Array.from(risk.labels.subarray(from, to));
        const right = (path: readonly number[]) => shares(path).reduce((a, b) => a + b, 0);
        const bestRight = Math.max(...sums.map(each => right(each.labels)));
        off.note('expected right labels', [right(least)], [bestRight]);
        off.note('marginals at least risk', risk.marginals!.subarray(from, to), shares(least));
        // Posterior decoding knows no transitions, but the constraints of tokens.
        const alone = posterior.labels.subarray(from, to);
        expect(Array.from(alone).every(label => label % states === 0)).toBe(true);
      }
    }
    if (full) console.log(`hidden states, ${name}: ${sentences} sentences; ${off}`);
    expect(off.beyond(tolerance)).toEqual([]);
    expect(sentences).toBeGreaterThan(problems);
    expect(ambiguous).toBeGreaterThan(0);
    expect(spanned).toBeGreaterThan(problems / 4);
  });

  it(`have the loss and gradient of the enumeration on ${problems} random problems`, () => {
    const random = new Random(42);
    const off = new Deviations();
    const slopes = new Deviations();
    for (const { place, lattice } of placesFor(kernel, problems)) {
      const states = 2 + random.below(2);
      const labels = states * (1 + random.below(3));
      const problem = randomProblem(random, { labels, longest: 4, labelled: true }, place);
      const { store } = problem;
      // Of a state the label is known, and no more.
      const golds = problem.batch.sentences.map(({ gold }) => gold!.map(h => h - (h % states)));
      const batch = packMinibatch(
        problem.batch.sentences.map(({ gold: _, ...rest }, s) => ({
          ...rest,
          allowed: statesOfGold(golds[s]!, states)!,
        })),
      );
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
      const copy = float64Copy(store);
      const lossOf = (held: Problem['store'], s: number) => {
        const chain = new Enumeration(scoresOf(held, batch.sentences[s]!));
        const isGold = (path: readonly number[]) =>
          path.every((h, t) => h - (h % states) === golds[s]![t]);
        return { loss: -Math.log(chain.probabilityOf(isGold)), chain, isGold };
      };
      const places = parameterPlaces(store).filter(({ supported }) => supported);
      for (const s of batch.sentences.keys()) {
        const { loss, chain, isGold } = lossOf(store, s);
        off.note('loss', [contribution.losses[s]!], [loss]);
        const mass = Math.exp(-loss);
        const nodes = chain.nodes.map((row, t) =>
          row.map((p, h) => p - chain.probabilityOf(path => path[t] === h && isGold(path)) / mass),
        );
        off.note('residuals', new LatticeReader(lattice, s).nodes().flat(), nodes.flat());
        if (places.length === 0) continue;
        const plane = store.addPlane();
        kernel.accumulate(store, plane, contribution, s, 1);
        const { table, at } = places[random.below(places.length)]!;
        const view = copy.weights[table].view;
        const slope = centralDifference(view, at, copy.scale, () => lossOf(copy, s).loss);
        slopes.note('gradient', [plane[table].view[at]!], [slope]);
      }
    }
    if (full) console.log(`hidden states, ${name}: ${off} ${slopes}`);
    expect(off.beyond(tolerance)).toEqual([]);
    expect(slopes.beyond(Math.max(1e-6, tolerance))).toEqual([]);
  });
});
