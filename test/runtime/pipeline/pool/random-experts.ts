import type { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { referenceKernel } from '../../../../src/engine/kernels/reference/reference-kernel.js';
import { writeParameters } from '../../../../src/engine/models/files/model-file.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import type { PoolExpert } from '../../../../src/runtime/pipeline/pool/pooled-models.js';
import { sentenceOf } from '../../../engine/features/sentence-of.js';
import { modelWith } from '../../../engine/models/examples/model-with.js';

const labels = ['X', 'Y', 'Z'];

/** Specifications of experts that go together, with features in common and others that only one has. */
export const expertSpecs: readonly (Partial<ModelSpec> & Pick<ModelSpec, 'templates'>)[] = [
  { templates: 'U0:%x[0,0]\nB' },
  { templates: 'B\nU1:%x[-1,0]\nU0:%x[0,0]\nB1:%x[0,0]' },
  { templates: 'U2:%x[1,0]\nB\nB1:%x[0,0]\nB2:%x[-1,0]', support: 'observed' },
  { templates: '*\n*3:%x[0,0]/%x[1,0]' },
  { templates: 'U4:%x[0,0]' },
  { templates: 'U6:%v[0,n]/%x[0,0]\nB\nB6:%v[-1,n]' },
  { templates: 'U5:%length[0,0]\nU:%x[-1,0]\nU:%x[1,0]\nB', support: 'observed' },
];

/** A sentence of words from a to f, each with a number. */
export function randomSentence(random: Random, most = 5): Sentence {
  const tokens = Array.from({ length: 1 + random.below(most) }, () => 'abcdef'[random.below(6)]!);
  const columns = { n: tokens.map(() => Math.round(8 * random.normal()) / 8) };
  return sentenceOf(tokens, { tags: tokens.map(() => labels[random.below(3)]!), columns });
}

/** Experts with random weights for what came in sentences of their own, as they are read from their files. */
export function randomExperts(random: Random, count: number): PoolExpert[] {
  const specs = random.shuffle(Uint32Array.from(expertSpecs.keys())).subarray(0, count);
  return Array.from(specs, (number, k) => {
    const spec = { ...expertSpecs[number]!, columns: ['form', 'n'] };
    const model = modelWith(kernels.simd64, spec);
    // All labels, in an order that each expert has for itself.
    const order = Array.from(random.shuffle(Uint32Array.of(0, 1, 2)), y => labels[y]!);
    const columns = { n: [0, 1, 2] };
    model.encode(sentenceOf(['a', 'b', 'c'], { tags: order, columns }));
    for (let i = 0; i < 12; i += 1) model.encode(randomSentence(random));
    model.reserve();
    const { parameters } = model;
    const { state, edges, pairs } = parameters.weights;
    const draw = () => 2 * random.uniform() - 1;
    for (let row = 0; row < parameters.stateRows; row += 1) {
      for (let y = 0; y < 3; y += 1) {
        const at = row * parameters.width + y;
        if (parameters.support?.state[at] !== 0) state.view[at] = draw();
      }
    }
    const blocks = parameters.hasEdgeBlocks ? parameters.edgeRows : 1;
    for (let block = parameters.layout.transitions ? 0 : 1; block < blocks; block += 1) {
      for (let from = 0; from < 3; from += 1) {
        for (let to = 0; to < 3; to += 1) {
          const at = from * parameters.width + to;
          if (block === 0 && parameters.support?.transitions[at] === 0) continue;
          edges.view[block * parameters.matrixSize + at] = draw();
        }
      }
    }
    for (let pair = 0; pair < parameters.pairs.size; pair += 1) pairs.view[pair] = draw();
    const source = `expert-${k}.model`;
    const bytes = writeParameters(model, parameters);
    return { source, ...readInspected(bytes, source, kernels.simd64) };
  });
}

/** The reference has to come to the same. */
export const objectiveKernels = [kernels.simd64, referenceKernel];
