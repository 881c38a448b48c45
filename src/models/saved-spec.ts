import { stateArray, wrongState } from '../core/read-state.js';
import type { State } from '../core/state.js';
import type { ModelSpec } from './model-spec.js';
import { unpackResources } from './resource-sections.js';

/**
 * The specification in the saved state of a model, with its lists.
 *
 * @throws TagstreamError `checkpoint` if a list is not there or is none
 */
export function savedSpec(state: State): ModelSpec {
  const spec = state.json.spec as ModelSpec;
  const resources = unpackResources(
    state.json.resources,
    name => stateArray(state, name, [Uint8Array]),
    wrongState,
  );
  return resources === undefined ? spec : { ...spec, resources };
}
