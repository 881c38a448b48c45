import type * as z from 'zod';
import type { modelOption } from './model-option.js';
import type { StructureChoice } from './structure-options.js';

/** What the plain data of a pipeline file says of the structure of its model. */
export function chosenStructure(config: Readonly<Record<string, unknown>>): StructureChoice {
  const model = config.model as z.output<typeof modelOption> | undefined;
  return typeof model === 'object' ? model : {};
}
