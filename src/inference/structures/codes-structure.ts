import { spreadBits } from './codes/bit-chains.js';
import { fillCodes } from './codes/fill-codes.js';
import type { Structure } from './structure.js';

/** A chain of labels that are words of a code, from a binary chain for each bit; see `fillCodes`. */
export const codesStructure: Structure = {
  name: 'codes',
  capabilities: [
    ...(['chain recursions', 'rules', 'n-best', 'span probabilities', 'token features'] as const),
  ],
  instead: 'leave codes out',
  fill(kernel, store, lattice, batch) {
    fillCodes(kernel, store, lattice, batch, store.layout.codes!);
  },
  spread: spreadBits,
  place: ({ columns }, minibatch) => ({
    lattice: columns!,
    minibatch,
    labels: predicted => predicted,
  }),
};
