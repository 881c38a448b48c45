import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import { contributionOf } from '../../../../../src/engine/losses/contribution-of.js';
import { perceptronLoss } from '../../../../../src/engine/losses/perceptron-loss.js';
import { Decoder } from '../../../../../src/engine/models/decoding/decoder.js';
import { bitScores } from '../../../../contracts/oracle/coded-scores.js';
import { Enumeration } from '../../../../contracts/oracle/enumeration.js';
import { KernelPlace } from '../../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../../contracts/oracle/kernels/kernels.js';
import { codedProblem } from '../../../../contracts/oracle/problems/coded-problem.js';
import { linearScoresOf } from '../../../../contracts/oracle/scores-of.js';
import { everyNth, isNightly } from '../../../../house/long-forms.js';
import { compareDecoding, compareLosses } from '../compare-with-enumeration.js';

/** Problems for each kernel and decoder: a short form, or all there are to be. */
const problems = isNightly ? 10_000 : 40;

describe.each(kernelRows)('words of a code, $name kernel', row => {
  const { kernel, tolerance } = row;

  for (const { rows, tags } of everyNth(3, ['product', 'marginals', 'hamming'] as const)) {
    it.each(rows)(
      `are decoded by %s as enumeration has it on ${problems} random problems`,
      { tags },
      decoder => {
        const random = new Random(71);
        const checks = { isExact: decoder === 'hamming', hasLabelsAlone: decoder !== 'product' };
        const draw = (place: KernelPlace) => {
          const problem = codedProblem(random, decoder, place);
          const { store, batch } = problem;
          // Bits whose two best sequences are as good as each other have two words.
          const isClose = (s: number) => {
            const columns = linearScoresOf(store, batch.sentences[s]!);
            return store.layout.codes!.words[0]!.some(
              (_, b) => new Enumeration(bitScores(columns, b)).margin < 10 * tolerance,
            );
          };
          return decoder === 'hamming' ? { ...problem, isClose } : problem;
        };
        compareDecoding(row, problems, draw, checks);
      },
    );
  }

  it(`have the losses and gradients of their bits on ${problems} random problems`, () => {
    const random = new Random(72);
    compareLosses(row, problems, random, place => {
      const problem = codedProblem(random, 'marginals', place);
      const { words } = problem.store.layout.codes!;
      return {
        ...problem,
        lossOf: (store, sentence) => {
          const columns = linearScoresOf(store, sentence);
          const losses = words[0]!.map((_, b) => {
            const gold = Int32Array.from(sentence.gold!, y => words[y]![b]!);
            return new Enumeration(bitScores(columns, b)).logLoss(gold);
          });
          return losses.reduce((sum, loss) => sum + loss, 0);
        },
      };
    });
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
