import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/core/random.js';
import { contributionOf } from '../../../src/losses/contribution-of.js';
import { logLoss } from '../../../src/losses/log-loss.js';
import { perceptronLoss } from '../../../src/losses/perceptron-loss.js';
import { Decoder } from '../../../src/models/decoding/decoder.js';
import { bitScores } from '../../contracts/oracle/coded-scores.js';
import { Deviations } from '../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { float64Copy } from '../../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { parameterPlaces } from '../../contracts/oracle/kernels/parameter-places.js';
import { codedProblem } from '../../contracts/oracle/problems/coded-problem.js';
import { linearScoresOf } from '../../contracts/oracle/scores-of.js';
import { centralDifference } from '../../losses/central-difference.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems for each kernel and decoder: a short form, or all there are to be. */
const problems = full ? 10_000 : 80;

describe.each(kernelRows)('words of a code, $name kernel', ({ name, kernel, tolerance }) => {
  it.each(['product', 'marginals', 'hamming'] as const)(
    `are decoded by %s as enumeration has it on ${problems} random problems`,
    decoder => {
      const random = new Random(71);
      const off = new Deviations();
      let clear = 0;
      let place = new KernelPlace(kernel);
      for (let i = 0; i < problems; i += 1) {
        if (i % 200 === 0) place = new KernelPlace(kernel);
        const { store, batch, scores } = codedProblem(random, decoder, place);
        const isProduct = decoder === 'product';
        const asked = isProduct ? { marginals: true, probability: true, nbest: 3 } : {};
        const decoded = new Decoder(kernel).decode(store, batch, asked);
        for (const [s, own] of scores.entries()) {
          const [from, to] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
          const path = Array.from(decoded.labels.subarray(from, to));
          // Bits whose two best sequences are as good as each other have two words.
          const bits = store.layout.codes!.words[0]!.map(
            (_, b) => new Enumeration(bitScores(linearScoresOf(store, batch.sentences[s]!), b)),
          );
          if (decoder === 'hamming' && bits.some(({ margin }) => margin < 10 * tolerance)) continue;
          const chain = new Enumeration(own);
          if (chain.margin > 10 * tolerance || decoder === 'hamming') {
            clear += 1;
            expect(path).toEqual(chain.best);
          }
          off.note('best score', [decoded.scores[s]!], [chain.bestScore]);
          if (!isProduct) continue;
          const marginals = path.map((y, t) => chain.nodes[t]![y]!);
          off.note('marginals', decoded.marginals!.subarray(from, to), marginals);
          const p = Math.exp(chain.pathScore(path) - chain.logZ);
          off.note('probability', [decoded.probabilities![s]!], [p]);
          for (const [rank, each] of decoded.nbest![s]!.entries()) {
            off.note('n-best', [each.score], [chain.ranked[rank]!.score]);
          }
        }
      }
      if (full) console.log(`codes, ${decoder}, ${name}: ${off}`);
      expect(clear).toBeGreaterThan(problems);
      expect(off.beyond(tolerance)).toEqual([]);
    },
  );

  it(`have the losses and gradients of their bits on ${problems} random problems`, () => {
    const random = new Random(72);
    const off = new Deviations();
    const slopes = new Deviations();
    let place = new KernelPlace(kernel);
    let lattice = place.lattice();
    for (let i = 0; i < problems; i += 1) {
      if (i % 200 === 0) {
        place = new KernelPlace(kernel);
        lattice = place.lattice();
      }
      const { store, batch: plain } = codedProblem(random, 'marginals', place);
      const { words } = store.layout.codes!;
      const weighted = plain.sentences.map((sentence, s) => ({ ...sentence, weight: s / 2 }));
      const batch = packMinibatch(weighted);
      const contribution = contributionOf(kernel, store, lattice, batch, logLoss, i % 2 === 0);
      const copy = float64Copy(store);
      const places = parameterPlaces(store).filter(({ supported }) => supported);
      for (const [s, sentence] of batch.sentences.entries()) {
        const lossOf = () => {
          const columns = linearScoresOf(copy, sentence);
          const losses = words[0]!.map((_, b) => {
            const gold = Int32Array.from(sentence.gold!, y => words[y]![b]!);
            return new Enumeration(bitScores(columns, b)).logLoss(gold);
          });
          return sentence.weight! * losses.reduce((sum, loss) => sum + loss, 0);
        };
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
    if (full) console.log(`codes, ${name}: ${off} ${slopes}`);
    expect(off.beyond(tolerance)).toEqual([]);
    expect(slopes.beyond(Math.max(1e-6, tolerance))).toEqual([]);
  });

  it('are predicted while they are learned as they are decoded, with a loss that finds best bits', () => {
    const random = new Random(73);
    const place = new KernelPlace(kernel);
    for (let i = 0; i < 20; i += 1) {
      const { store, batch } = codedProblem(random, 'product', place);
      const found = contributionOf(kernel, store, place.lattice(), batch, perceptronLoss, true);
      const decoded = new Decoder(kernel).decode(store, batch);
      expect(found.predicted).toEqual(decoded.labels);
    }
  });
});
