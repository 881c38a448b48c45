import type { Pipeline } from './pipeline.js';

/** Most sentences that the stages hold back before the first of them is passed on: a minibatch. */
export function heldSentences({ stages }: Pick<Pipeline, 'stages'>): number {
  const batch = stages.find(({ component }) => component.name === 'batch')?.options;
  const { sentences, tokens } = (batch ?? {}) as { sentences?: number; tokens?: number };
  // A sentence has a token at least.
  return Math.min(sentences ?? Infinity, tokens ?? (sentences === undefined ? 1 : Infinity));
}
