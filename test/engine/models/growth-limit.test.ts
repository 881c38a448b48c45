import { expect, it } from 'vitest';
import { createModel } from '../../../src/engine/models/create-model.js';
import { mostFeatures } from '../../../src/engine/models/growth-limit.js';

it('a limit of features leaves room for twice the blocks of transitions, and wastes none of it', () => {
  const model = createModel({ templates: 'B:%x[0,0]' });
  for (let label = 0; label < 200; label += 1) model.labels.intern(`l${label}`);
  model.reserve();
  const { parameters } = model;
  const bound = parameters.mostEdgeRows(parameters.labelCapacity);
  const { edges } = mostFeatures({ features: 2 ** 40, bytes: 2 ** 60 }, parameters, true);
  // With the row of all tokens.
  expect(2 * (edges + 1)).toBeLessThanOrEqual(bound);
  expect(2 * (edges + 2)).toBeGreaterThan(bound);
});
