/** Optimizers, online and batch, that make tables: those of the scorer hmm. */
export const countedOptimizers: readonly string[] = ['counts', 'stepwise-em', 'em', 'mmi'];

/** Why other optimizers leave records without labels out. */
export const unlabelledWithoutEm = {
  problem:
    'only the optimizers em and stepwise-em of the scorer hmm learn from records without labels',
  fix: 'use model: { scorer: hmm }, contribute: { loss: joint } and optimize: { em: {} }, or leave unlabelled out',
} as const;
