import { scorerOf } from '../scorers/scorers.js';
import type { Structure } from './structure.js';

/** A linear chain of labels: scores each token and each pair of neighbours. Lafferty et al. (2001). */
export const chainStructure: Structure = {
  name: 'chain',
  capabilities: [
    ...(['chain recursions', 'label lists', 'single weights', 'workers', 'rules'] as const),
    ...(['n-best', 'span probabilities', 'token features'] as const),
    ...(['label losses', 'sequence scores'] as const),
  ],
  instead: 'use model: { structure: chain }, or leave it out',
  fill(kernel, store, lattice, batch) {
    lattice.open(store, batch);
    // Trees add to whole label pair matrices.
    if (store.forest?.seesPrevious === true) lattice.allowsLists = false;
    kernel.score(store, lattice);
    const { scorer } = store.layout;
    if (scorer !== undefined) scorerOf(scorer).fill?.(lattice, store);
  },
};
