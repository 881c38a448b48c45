import type { Strategy } from './strategy.js';

/** Records in random order: what the others are measured against, and the honest sample for an estimate. */
export const random: Strategy = {
  name: 'random',
  summary: 'records in random order',
  order: 'random',
};
