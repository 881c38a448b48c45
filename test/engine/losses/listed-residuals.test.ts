import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { CoalescedGradient, tables } from '../../../src/engine/kernels/rows/coalesced-gradient.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { hingeLoss } from '../../../src/engine/losses/hinge-loss.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import { Deviations } from '../../contracts/oracle/differences/deviations.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelsWithLists } from '../../contracts/oracle/kernels/kernels.js';
import { largeProblem } from '../../contracts/oracle/problems/large-problem.js';

const shape = { labels: 24, lengths: [8, 3, 1, 12], bound: 3, edgeShare: 0.8 } as const;

describe.each(kernelsWithLists)('$name', ({ kernel, tolerance }) => {
  it.each([logLoss, perceptronLoss, hingeLoss])(
    'leaves the gradient of $name over listed pairs that it leaves over all',
    loss => {
      const random = new Random(91);
      const deviations = new Deviations();
      let listed = 0;
      for (let i = 0; i < 12; i += 1) {
        const place = new KernelPlace(kernel);
        const { store, batch } = largeProblem(random, { ...shape, support: 'observed' }, place);
        const weighted = {
          ...{ tokens: batch.tokens, sentences: batch.sentences, gold: batch.gold },
          ...{ sentenceStarts: batch.sentenceStarts, labelled: batch.labelled },
          ...{ stateStarts: batch.stateStarts, stateRows: batch.stateRows },
          ...{ edgeStarts: batch.edgeStarts, edgeRows: batch.edgeRows },
          ...{ stateValues: batch.stateValues, edgeValues: batch.edgeValues },
          weights: Float64Array.from({ length: 4 }, (_, s) => 1 + (s % 3) / 2),
        };
        const lattice = place.lattice();
        const gradients = (['dense', 'sparse'] as const).map(form => {
          lattice.transitionForm = form;
          const plane = store.addPlane();
          const made = contributionOf(kernel, store, lattice, weighted, loss, true);
          if (lattice.pairLists.isUsed) listed += 1;
          // Twice: chains are packed once they have stopped growing.
          kernel.accumulate(store, plane, made, 0, 1);
          for (let s = 1; s < 4; s += 1) kernel.accumulate(store, plane, made, s, 1);
          const detached = made.detach();
          const coalesced = new CoalescedGradient();
          coalesced.gather(store, made, 3);
          const other = store.addPlane();
          for (let s = 0; s < 4; s += 1) kernel.accumulate(store, other, detached, s, 1);
          const all = tables.map(table => plane[table].view.slice());
          expect(tables.map(table => other[table].view.slice())).toEqual(all);
          return { all, loss: made.losses, norm: coalesced.squaredNorm(), best: made.predicted };
        });
        const [dense, sparse] = gradients;
        deviations.note('loss', sparse!.loss, dense!.loss);
        deviations.note('norm', [sparse!.norm], [dense!.norm]);
        expect(sparse!.best).toEqual(dense!.best);
        for (const [k, table] of tables.entries()) {
          deviations.note(table, sparse!.all[k]!, dense!.all[k]!);
        }
      }
      expect(listed).toBe(12);
      expect(deviations.beyond(tolerance)).toEqual([]);
    },
  );
});
