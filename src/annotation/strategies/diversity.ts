import { entropy } from './entropy.js';
import type { Strategy } from './strategy.js';

/** High entropy, but not the same words as in the records of before: see `QueryPool`. */
export const diversity: Strategy = {
  ...entropy,
  name: 'diversity',
  summary: 'as entropy, and other words than in the records before it',
  diverse: true,
};
