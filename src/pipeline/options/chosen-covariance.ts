import type * as z from 'zod';
import type { modelOption } from './model-option.js';

/** The covariance that the plain data of a pipeline file asks for; undefined where it is diagonal. */
export function chosenCovariance(config: Readonly<Record<string, unknown>>): 'full' | undefined {
  const model = config.model as z.output<typeof modelOption> | undefined;
  if (typeof model !== 'object' || model.covariance === 'diagonal') return undefined;
  return model.covariance;
}
