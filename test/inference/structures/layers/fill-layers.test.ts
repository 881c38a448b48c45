import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/core/random.js';
import { contributionOf } from '../../../../src/losses/contribution-of.js';
import { logLoss } from '../../../../src/losses/log-loss.js';
import { Decoder } from '../../../../src/models/decoding/decoder.js';
import { Deviations } from '../../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { parameterPlaces } from '../../../contracts/oracle/kernels/parameter-places.js';
import { layeredProblem } from '../../../contracts/oracle/problems/layered-problem.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { centralDifference } from '../../../losses/central-difference.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems for each kernel: a short form, or all there are to be. */
const problems = full ? 10_000 : 60;

describe.each(kernelRows)('labels that are pairs, $name kernel', ({ name, kernel, tolerance }) => {
  it(`are decoded as enumeration has it on ${problems} random problems`, () => {
    const random = new Random(61);
    const off = new Deviations();
    let place = new KernelPlace(kernel);
    for (let i = 0; i < problems; i += 1) {
      if (i % 200 === 0) place = new KernelPlace(kernel);
      const { store, batch, scores } = layeredProblem(random, place);
      const asked = { marginals: true, probability: true, nbest: 3 };
      const decoded = new Decoder(kernel).decode(store, batch, asked);
      for (const [s, own] of scores.entries()) {
        const chain = new Enumeration(own);
        const [from, to] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
        const path = Array.from(decoded.labels.subarray(from, to));
        if (chain.margin > 10 * tolerance) expect(path).toEqual(chain.best);
        off.note('best score', [decoded.scores[s]!], [chain.bestScore]);
        const marginals = path.map((p, t) => chain.nodes[t]![p]!);
        off.note('marginals', decoded.marginals!.subarray(from, to), marginals);
        const p = Math.exp(chain.pathScore(path) - chain.logZ);
        off.note('probability', [decoded.probabilities![s]!], [p]);
        for (const [rank, each] of decoded.nbest![s]!.entries()) {
          off.note('n-best', [each.score], [chain.ranked[rank]!.score]);
        }
      }
    }
    if (full) console.log(`pairs, ${name}: ${off}`);
    expect(off.beyond(tolerance)).toEqual([]);
  });

  it(`have the loss and gradient of the enumeration on ${problems} random problems`, () => {
    const random = new Random(62);
    const off = new Deviations();
    const slopes = new Deviations();
    let place = new KernelPlace(kernel);
    let lattice = place.lattice();
    for (let i = 0; i < problems; i += 1) {
      if (i % 200 === 0) {
        place = new KernelPlace(kernel);
        lattice = place.lattice();
      }
      const { store, batch: plain } = layeredProblem(random, place);
      const weighted = plain.sentences.map((sentence, s) => ({ ...sentence, weight: s / 2 }));
      const batch = packMinibatch(weighted);
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss, i % 2 === 0);
      const copy = float64Copy(store);
      const places = parameterPlaces(store).filter(({ supported }) => supported);
      for (const [s, sentence] of batch.sentences.entries()) {
        const lossOf = () =>
          sentence.weight! * new Enumeration(scoresOf(copy, sentence)).logLoss(sentence.gold!);
        off.note('loss', [contribution.losses[s]!], [lossOf()]);
        const plane = store.addPlane();
        kernel.accumulate(store, plane, contribution, s, 1);
        for (let j = 0; j < 3 && places.length > 0; j += 1) {
          const { table, at } = places[random.below(places.length)]!;
          const view = copy.weights[table].view;
          const slope = centralDifference(view, at, copy.scale, lossOf);
          slopes.note('gradient', [plane[table].view[at]!], [slope]);
        }
      }
    }
    if (full) console.log(`pairs, ${name}: ${off} ${slopes}`);
    expect(off.beyond(tolerance)).toEqual([]);
    expect(slopes.beyond(Math.max(1e-6, tolerance))).toEqual([]);
  });
});
