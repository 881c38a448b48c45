import { stateArray, wrongState } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import { noTokenFunctions, type TokenFunctions } from '../../features/template/token-function.js';
import { unpackResources } from '../files/resource-sections.js';
import type { ModelSpec } from '../model-spec.js';

/**
 * The specification in the saved state of a model, with its lists.
 *
 * @param functions token functions of plug-ins that its templates may name
 * @throws TagstreamError `checkpoint` if a list is not there or is none
 */
export function savedSpec(state: State, functions: TokenFunctions = noTokenFunctions): ModelSpec {
  const spec = state.json.spec as ModelSpec;
  const resources = unpackResources(
    state.json.resources,
    name => stateArray(state, name, [Uint8Array]),
    wrongState,
  );
  return {
    ...spec,
    ...(resources === undefined ? {} : { resources }),
    ...(functions.size === 0 ? {} : { functions }),
  };
}
