import { describe, expect, it } from 'vitest';
import {
  type SparsityPattern,
  sparsityPattern,
} from '../../src/engine/models/inspection/sparsity-pattern.js';
import { kernels } from '../../src/engine/models/kernels.js';
import { sparsityPicture } from '../../src/reports/sparsity/sparsity-picture.js';
import { sentenceOf } from '../engine/features/sentence-of.js';
import { modelWith } from '../engine/models/examples/model-with.js';

const pattern: SparsityPattern = {
  labels: ['A', '<b>&"'],
  hasTransitions: true,
  transitions: Float64Array.from([2, 0, -0.5, 0]),
  conditioned: Float64Array.from([0, 3, 0, 1]),
  observations: { all: 5, active: 3 },
  templates: [
    { template: 'U00:%x[0,0]', kind: 'state', met: 10, labels: [1, 0] },
    { template: 'B', kind: 'edge', met: 5, labels: [0, 4] },
  ],
  features: [
    { kind: 'state', names: ['U00:a', 'U00:b'], values: Float64Array.from([0, 4, -1, 0]) },
    { kind: 'edge', names: ['B:a'], values: Float64Array.from([0, 2]) },
  ],
};

/** Cells that a picture has of each class, from the steps of its paths. */
function cellsOf(svg: string): Record<string, number>[] {
  return svg
    .split('<g>')
    .slice(1)
    .map(part => {
      const found = [...part.matchAll(/<path class="(\w+)" d="([^"]*)"/g)];
      return Object.fromEntries(found.map(([, name, d]) => [name, d!.split('M').length - 1]));
    });
}

describe('sparsityPicture', () => {
  it('has a cell for each weight that is not zero, shaded by sign and size', () => {
    expect(cellsOf(sparsityPicture('m', pattern))).toEqual([
      { p4: 1, n2: 1 },
      { p3: 1, p4: 1 },
      { p4: 1, n2: 1 },
      { p4: 1 },
      { p1: 1, p3: 1 },
    ]);
  });

  it('says how many there are', () => {
    const svg = sparsityPicture('m', pattern);
    expect(svg).toContain('2 of 4 transitions have a weight (50.0 %)');
    expect(svg).toContain('4 of 20 have a weight (20.0 %), at 3 of 5 observations');
    expect(svg).toContain('2 of 4 weights of these features are not 0 (50.0 %)');
    expect(svg).toContain('5 of 40 weights of features met in training are not 0 (12.5 %)');
  });

  it('escapes labels and names, and fetches nothing', () => {
    const svg = sparsityPicture('<script>"m"', pattern);
    expect(svg).toContain('&lt;b&gt;&amp;&quot;');
    expect(svg).toContain('&lt;script&gt;&quot;m&quot;');
    expect(svg).not.toMatch(/<script|<b>|href|url\(|@import/);
    expect(sparsityPicture('m', { ...pattern, labels: ['\u0000', '\ud800'] })).not.toMatch(
      /[\0\ud800-\udfff]/,
    );
  });

  it('names axes, and has colours for light and dark', () => {
    const svg = sparsityPicture('m', pattern);
    for (const axis of ['from', 'to', 'template', 'label'])
      expect(svg).toContain(`>${axis}</text>`);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).toMatch(/role="img" aria-labelledby="sparsity"/);
  });

  it('leaves out what a model has not, and says what its file does not', () => {
    const bare = {
      ...pattern,
      hasTransitions: false,
      observations: { all: 0, active: 0 },
      features: [],
      templates: [{ template: 'U', kind: 'state' as const, met: 0, labels: [] }],
    };
    const svg = sparsityPicture('m', bare);
    expect(cellsOf(svg)).toEqual([]);
    expect(svg).toContain('The model has no transitions.');
    expect(svg).toContain('Its file does not say which label');
  });
});

describe.each(['all', 'observed'] as const)('sparsityPattern with support %s', support => {
  const model = modelWith(kernels.simd64, {
    templates: 'U:%x[0,0]\nB\nB:%x[0,0]',
    columns: ['form'],
    support,
  });
  const { stateRows, edgeRows } = model.encode(sentenceOf(['a', 'b'], { tags: ['X', 'Y'] }));
  model.reserve();
  const { weights, width, matrixSize, pairs } = model.parameters;
  weights.state.view[stateRows[1]! * width] = -0.5;
  if (support === 'all') weights.edges.view[edgeRows![1]! * matrixSize + 1] = 2;
  else weights.pairs.view[pairs.heads[edgeRows![1]!]!] = 2;
  const named = (state: [number, string][]) =>
    sparsityPattern({
      ...{ model, bytes: 0 },
      notes: {
        names: { state: new Map(state), edge: new Map([[edgeRows![1]! - 1, 'B:b']]) },
      } as never,
    });

  it('has few features one by one, where all that have a weight have a name', () => {
    const [state, edge] = named([[stateRows[1]!, 'U:b']]).features;
    expect(state).toEqual({ kind: 'state', names: ['U:b'], values: Float64Array.of(-0.5, 0) });
    expect(edge).toEqual({ kind: 'edge', names: ['B:b'], values: Float64Array.of(0, 1) });
    expect(named([]).features.map(({ kind }) => kind)).toEqual(['edge']);
  });
});
