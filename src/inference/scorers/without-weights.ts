import type { ScorerName } from '../../core/scorer-name.js';
import type { Refusal } from '../../core/training/refusal.js';
import type { Scorer } from './scorer.js';

/** What models have in place of weights, and what to do in place of settings that need weights. */
interface InPlace {
  readonly parts: string;
  readonly smaller: string;
  readonly continued: string;
  readonly instead: string;
}

/** The settings of a training that have nothing to act on where one optimizer makes parts of its own, not weights. */
export function withoutWeights(scorer: ScorerName, has: InPlace): NonNullable<Scorer['without']> {
  const refusal = (fix: string): Refusal => ({
    problem: `the scorer ${scorer} has ${has.parts} in place of weights`,
    fix,
  });
  return {
    threshold: refusal(`leave it out: ${has.smaller}`),
    temperature: refusal('leave it out'),
    compact: refusal('leave it out'),
    start: {
      problem: `the scorer ${scorer} does not continue the ${has.continued} of a model file`,
      fix: has.instead,
    },
  };
}
