import type { Strategy } from './strategy.js';

/** Records as they come in the file. */
export const sequential: Strategy = {
  name: 'sequential',
  summary: 'records as they come in the file',
  order: 'queue',
};
