import type { CodeDecoder } from '../../kernels/store/output-codes.js';
import { goldBits, scoreBits, spreadBits } from './codes/bit-chains.js';
import { fillCodes } from './codes/fill-codes.js';
import { placeColumns } from './place-columns.js';
import type { Structure } from './structure.js';

const codes: Structure = {
  name: 'codes',
  capabilities: ['chain recursions', 'rules', 'token features'],
  instead: 'leave codes out',
  fill: fillCodes,
  parts: { fill: scoreBits, of: goldBits },
  spread: spreadBits,
  place: placeColumns,
};

/** Labels that are words of a code, a binary chain for each bit, by decoder; see `fillCodes`. Gupta, section 4.1. */
export const codesStructures: Readonly<Record<CodeDecoder, Structure>> = {
  product: {
    ...codes,
    capabilities: [...codes.capabilities, 'sequence scores', 'n-best', 'span probabilities'],
  },
  marginals: codes,
  hamming: codes,
};
