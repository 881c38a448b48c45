import { fillLayers } from './layers/fill-layers.js';
import { loopyMarginals } from './layers/loopy-marginals.js';
import { spreadLayers } from './layers/spread-layers.js';
import type { Structure } from './structure.js';

/** A factorial chain: a chain of pairs of labels, whose layers have weights of their own; see `fillLayers`. */
export const layersStructure: Structure = {
  name: 'layers',
  capabilities: [
    ...(['chain recursions', 'rules', 'n-best', 'span probabilities'] as const),
    ...(['approximate sums', 'token features'] as const),
  ],
  instead: 'leave layers out',
  fill(kernel, store, lattice, batch) {
    fillLayers(kernel, store, lattice, batch, store.layout.layers!);
  },
  spread(lattice, s, { layers }) {
    spreadLayers(lattice, s, layers!);
  },
  place: ({ columns }, minibatch) => ({
    lattice: columns!,
    minibatch,
    labels: predicted => predicted,
  }),
  approximate(lattice, s, { layers }) {
    loopyMarginals(lattice, s, layers!);
  },
};
