import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';

/** A new, empty model that leaves its numbers to `kernel`; what `createModel` fills in is the same. */
export function modelWith(
  kernel: Kernel,
  spec: Partial<ModelSpec> & Pick<ModelSpec, 'templates'>,
): Model {
  return new Model(createModel(spec).spec, { kernel });
}
