import { parseArgs } from 'node:util';

/** Sizes of what is measured: whole, or a short look. */
const scales = {
  whole: {
    sample: 1500,
    labelSentences: 200,
    lengthTokens: 40_000,
    streamCopies: 5,
    copies: 20,
    latency: 2000,
    requests: 20_000,
    defaults: { sizes: [20, 50, 100, 200, 500, 2000], samples: 3 },
    ...{ warmPasses: 4, readCopies: 10 },
    trees: { sentences: 1500, rounds: 400 },
    annotate: { open: 100_000, queue: 20_000, answers: 300, keys: 200, learned: 100 },
    sparse: {
      ...{ labels: [22, 50, 200], densities: [1, 0.5, 0.2, 0.1, 0.05, 0.02], rounds: 10 },
      conditioned: [0.1, 0.05, 0.02].flatMap(density =>
        ['float64', 'float32'].map(precision => ({ labels: 50, density, precision })),
      ),
      pruned: [472, 1500].map(labels => ({ labels, density: 0.05 })),
    },
  },
  quick: {
    ...{
      sample: 60,
      labelSentences: 6,
      lengthTokens: 10_000,
      streamCopies: 1,
      copies: 2,
      latency: 20,
      requests: 200,
      defaults: { sizes: [20], samples: 1 },
    },
    sparse: {
      ...{ labels: [22], densities: [1, 0.05], rounds: 1 },
      conditioned: [{ labels: 22, density: 0.05, precision: 'float64' }],
      pruned: [{ labels: 40, density: 0.05 }],
    },
    ...{ cut: { train: 160, test: 80 }, epochs: 2, warmPasses: 1, readCopies: 3 },
    trees: { sentences: 60, rounds: 3 },
    annotate: { open: 300, queue: 300, answers: 6, keys: 4, learned: 6 },
  },
};

/**
 * The options of `npm run bench`.
 *
 * @param {string[]} given arguments
 * @throws TypeError for an unknown option, Error for a number that is none
 */
export function parseOptions(given) {
  const { values } = parseArgs({
    args: given,
    options: {
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      runs: { type: 'string' },
      'peer-runs': { type: 'string' },
      copies: { type: 'string' },
      slow: { type: 'boolean', default: false },
      work: { type: 'string' },
    },
  });
  const scale = values.quick ? scales.quick : scales.whole;
  const count = (name, fallback) => {
    const text = values[name];
    if (text === undefined) return fallback;
    if (/^[1-9]\d*$/.test(text)) return Number(text);
    throw new Error(`--${name} ${text}: expected a whole number from 1`);
  };
  return {
    json: values.json,
    markdown: values.markdown,
    only: values.only,
    slow: values.slow,
    work: values.work,
    scale,
    runs: count('runs', values.quick ? 1 : 5),
    peerTrainRuns: count('peer-runs', 1),
    peerTagRuns: count('peer-runs', values.quick ? 1 : 3),
    copies: count('copies', scale.copies),
  };
}
