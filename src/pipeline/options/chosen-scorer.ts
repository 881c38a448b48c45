import type * as z from 'zod';
import type { ScorerName } from '../../core/scorer-name.js';
import type { modelOption } from './model-option.js';

/** The scorer that the plain data of a pipeline file asks for; undefined where it is linear. */
export function chosenScorer(config: Readonly<Record<string, unknown>>): ScorerName | undefined {
  const model = config.model as z.output<typeof modelOption> | undefined;
  if (typeof model !== 'object' || model.scorer === 'linear') return undefined;
  return model.scorer;
}
