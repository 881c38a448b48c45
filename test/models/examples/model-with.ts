import type { Kernel } from '../../../src/kernels/kernel.js';
import { createModel } from '../../../src/models/create-model.js';
import { Model } from '../../../src/models/model.js';
import type { ModelSpec } from '../../../src/models/model-spec.js';

/** A new, empty model that leaves its numbers to `kernel`; what `createModel` fills in is the same. */
export function modelWith(
  kernel: Kernel,
  spec: Partial<ModelSpec> & Pick<ModelSpec, 'templates'>,
): Model {
  return new Model(createModel(spec).spec, { kernel });
}
