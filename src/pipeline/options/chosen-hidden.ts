import type * as z from 'zod';
import { type HiddenStates, hiddenStatesOf } from '../../models/hidden-states.js';
import type { modelOption } from './model-option.js';

/** The hidden states that the plain data of a pipeline file asks for; undefined where there are none. */
export function chosenHidden(config: Readonly<Record<string, unknown>>): HiddenStates | undefined {
  const model = config.model as z.input<typeof modelOption> | undefined;
  if (typeof model !== 'object' || model.hidden === undefined) return undefined;
  return hiddenStatesOf(model.hidden);
}
