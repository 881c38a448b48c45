import { describe, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import { Enumeration } from '../../../../contracts/oracle/enumeration.js';
import { kernelRows } from '../../../../contracts/oracle/kernels/kernels.js';
import { layeredProblem } from '../../../../contracts/oracle/problems/layered-problem.js';
import { scoresOf } from '../../../../contracts/oracle/scores-of.js';
import { isNightly } from '../../../../house/long-forms.js';
import { compareDecoding, compareLosses } from '../compare-with-enumeration.js';

/** Problems for each kernel: a short form, or all there are to be. */
const problems = isNightly ? 10_000 : 20;

describe.each(kernelRows)('labels of layers, $name kernel', row => {
  it.each([2, 3])(
    `of %i layers are decoded as enumeration has it on ${problems} random problems`,
    count => {
      const random = new Random(61);
      compareDecoding(row, problems, place => layeredProblem(random, place, {}, count));
    },
  );

  it.each([2, 3])(
    `of %i layers have the loss and gradient of the enumeration on ${problems} random problems`,
    { tags: 'slow' },
    count => {
      const random = new Random(62);
      compareLosses(row, problems, random, place => ({
        ...layeredProblem(random, place, {}, count),
        lossOf: (store, sentence) =>
          new Enumeration(scoresOf(store, sentence)).logLoss(sentence.gold!),
      }));
    },
  );
});
