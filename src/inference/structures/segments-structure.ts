import { expandedChain } from '../segments/expanded-chain.js';
import { atPositions, placeResiduals } from '../segments/place-residuals.js';
import { scorePositions } from '../segments/score-positions.js';
import { type SegmentKernel, segmentKernel } from '../segments/segment-kernel.js';
import type { Structure } from './structure.js';

/** A chain that scores its spans beside tokens and transitions. Sarawagi and Cohen (2004). */
export const segmentsStructure: Structure = {
  name: 'segments',
  capabilities: ['n-best', 'span probabilities'],
  instead: 'use model: { structure: chain }, or leave it out',
  fill: scorePositions,
  kernel: segmentKernel,
  place(lattice, minibatch) {
    placeResiduals(lattice, minibatch);
    return {
      lattice: lattice.positions!,
      minibatch: lattice.positions!.batch!,
      labels: predicted => atPositions(predicted, minibatch, lattice.positions!.batch!),
    };
  },
  paths(source, s, nBest, count) {
    const { kernel, lattice, labelOf } = expandedChain(source, s);
    return nBest.paths(kernel, lattice, 0, count).map(({ labels, score }) => {
      return { labels: labels.map(state => labelOf[state]!), score };
    });
  },
  spanProbability: (kernel, lattice, { label, start, end }) =>
    (kernel as SegmentKernel).spanProbability(lattice, label, start, end),
};
