import { atPositions } from '../segments/place-residuals.js';
import { fillGraph } from './graph/fill-graph.js';
import { graphKernel } from './graph/graph-kernel.js';
import { keepAssociative, placeLinks } from './graph/place-links.js';
import type { Structure } from './structure.js';

/** A graph of tokens: a chain, or none, and links between any two of them. Lafferty et al. (2001); Taskar et al. (2002). */
export const graphStructure: Structure = {
  name: 'graph',
  capabilities: [],
  instead: 'use model: { structure: chain }, or leave it out',
  fill: fillGraph,
  kernel: graphKernel,
  spread(lattice, s, { graph }) {
    if (graph!.associative) keepAssociative(lattice, s);
  },
  place(lattice, minibatch) {
    const positions = placeLinks(lattice, minibatch);
    return {
      lattice: positions,
      minibatch: positions.batch!,
      labels: predicted => atPositions(predicted, minibatch, positions.batch!),
    };
  },
};
