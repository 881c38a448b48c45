import { against } from '../report/against.mjs';
import { sparseWork, tokens } from '../timed/sparse-work.mjs';
import { sideBySide } from '../timing/side-by-side.mjs';

const precision = 'float64';
/** Batches in one measurement. */
const batches = 5;

/** What leaves a token of 472 labels the best few. */
const pruning = { most: 24, ratio: 0.0001 };

/**
 * Lists of active transitions against all transitions, in float64: by labels and share of transitions that
 * are not 0; then lists for each token, where transitions are conditioned on observations, in both precisions. Each row is `auto`, what the kernel chooses, measured against `dense`.
 * Then pruned lattices of many labels, against all labels as the kernel chooses.
 */
export function sparse({ runs, scale }) {
  const { labels: sizes, densities, conditioned, pruned, rounds } = scale.sparse;
  return {
    rows: [
      ...sizes.flatMap(labels =>
        densities.flatMap(density => row({ labels, density, precision, runs, rounds })),
      ),
      ...conditioned.flatMap(shape => row({ ...shape, conditioned: true, runs, rounds })),
      ...pruned.flatMap(shape => prunedRow({ ...shape, runs, rounds })),
    ],
  };
}

/** A run is the median of some rounds. */
function row({ runs, rounds, ...shape }) {
  const { labels, density, conditioned = false } = shape;
  const [dense, auto] = [sparseWork(shape, 'dense'), sparseWork(shape, 'auto')];
  return Object.keys(dense).flatMap(work => {
    const [slow, fast] = sideBySide(
      [dense, auto].map(form => () => () => {
        for (let i = 0; i < batches; i += 1) form[work]();
      }),
      runs * rounds,
    );
    const kind = conditioned ? `active by observation, ${shape.precision}` : 'active';
    const what = `${work}, ${labels} labels, ${100 * density} % ${kind}`;
    const both = [
      { what: `${what}: dense`, seconds: slow },
      { what, seconds: fast },
    ].map(each => ({ group: 'sparse', runs, tokens: tokens * batches, ...each }));
    return against(both, { [both[0].what]: both });
  });
}

/** The best few labels of each token, in float32. */
function prunedRow({ runs, rounds, labels, density }) {
  const shape = { labels, density, precision: 'float32' };
  const [all, few] = [sparseWork(shape, 'auto'), sparseWork({ ...shape, prune: pruning }, 'auto')];
  return ['iteration', 'decode'].flatMap(work => {
    const [slow, fast] = sideBySide(
      [all, few].map(form => () => () => {
        for (let i = 0; i < batches; i += 1) form[work]();
      }),
      runs * rounds,
    );
    const what = `${work}, ${labels} labels, ${100 * density} % active`;
    const both = [
      { what: `${what}: all labels`, seconds: slow },
      { what: `${what}: pruned`, seconds: fast },
    ].map(each => ({ group: 'sparse', runs, tokens: tokens * batches, ...each }));
    return against(both, { [both[0].what]: both });
  });
}
