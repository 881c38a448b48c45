import type * as z from 'zod';
import type { ModelSpec } from '../../models/model-spec.js';
import type { modelOption } from './model-option.js';

/** The layers that the plain data of a pipeline file asks for; undefined where there are none. */
export function chosenLayers(config: Readonly<Record<string, unknown>>): ModelSpec['layers'] {
  const model = config.model as z.input<typeof modelOption> | undefined;
  if (typeof model !== 'object' || model.layers === undefined) return undefined;
  return { separator: model.layers };
}
