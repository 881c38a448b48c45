import { describe, expect, it } from 'vitest';
import type { Iteration, Trainer } from '../../src/engine/core/training/trainer.js';
import { optimizers } from '../../src/engine/optimizers/optimizers.js';
import { conjugateGradient } from '../../src/engine/trainers/conjugate/conjugate-gradient.js';
import { bcd } from '../../src/engine/trainers/descent/bcd.js';
import { cd } from '../../src/engine/trainers/descent/cd.js';
import { lbfgs } from '../../src/engine/trainers/lbfgs/lbfgs.js';
import { owlQn } from '../../src/engine/trainers/lbfgs/owl-qn.js';
import type { Objective } from '../../src/engine/trainers/objective.js';
import { rprop } from '../../src/engine/trainers/rprop.js';
import { gis } from '../../src/engine/trainers/scaling/gis.js';
import { iis } from '../../src/engine/trainers/scaling/iis.js';
import type { TrainerComponent } from '../../src/engine/trainers/trainer-component.js';
import { norm, norm1, pseudoGradient } from '../../src/engine/trainers/vectors/vectors.js';
import { pathOf } from '../../src/runtime/pipeline/trainers/path.js';
import { switchOf } from '../../src/runtime/pipeline/trainers/switch.js';
import { objectiveOf, type SmallProblem, smallProblems } from '../engine/trainers/small-problem.js';
import { coverValues } from '../house/long-forms.js';

/** One row a trainer: how it is asked to go to the very end, and what it can do. */
interface Row {
  readonly component: TrainerComponent<never>;
  readonly options: Readonly<Record<string, unknown>>;
  /** Handles L1 too, as the option `l1`. */
  readonly sparse: boolean;
  /** The objective never rises. */
  readonly descends: boolean;
  /** Where the penalties are not options of its own: all options with them. */
  readonly with?: (penalties: Penalties) => Readonly<Record<string, unknown>>;
}

interface Penalties {
  readonly l1?: number;
  readonly l2: number;
}

const batch = [lbfgs, bcd] as readonly unknown[] as readonly TrainerComponent<never>[];
const switched = switchOf(optimizers, batch) as unknown as TrainerComponent<never>;
const exact = { tolerance: 1e-9, decrease: 0 };
const rows: readonly Row[] = [
  { component: lbfgs as never, options: exact, sparse: false, descends: true },
  { component: owlQn as never, options: { ...exact, l1: 0 }, sparse: true, descends: true },
  {
    component: owlQn as never,
    options: { ...exact, l1: 0, split: true },
    ...{ sparse: true, descends: true },
  },
  { component: conjugateGradient as never, options: exact, sparse: false, descends: true },
  ...[
    { preconditioner: 'uniform' },
    { preconditioner: 'uniform', mixed: 0.1 },
    { preconditioner: 'present', refresh: 3 },
    { preconditioner: 'present', refresh: 5, mixed: 0.01 },
  ].map(options => ({
    component: conjugateGradient as never,
    options: { ...exact, ...options },
    ...{ sparse: false, descends: true },
  })),
  { component: rprop as never, options: exact, sparse: true, descends: false },
  {
    component: rprop as never,
    options: { ...exact, backtrack: true },
    sparse: true,
    descends: false,
  },
  { component: bcd as never, options: { ...exact, l1: 0 }, sparse: true, descends: true },
  {
    component: bcd as never,
    options: { ...exact, l1: 0, curvature: 'exact', activePasses: 2, joint: true },
    ...{ sparse: true, descends: true },
  },
  { component: cd as never, options: { ...exact, l1: 0 }, sparse: true, descends: true },
  { component: gis as never, options: exact, sparse: false, descends: true },
  { component: iis as never, options: exact, sparse: false, descends: true },
  {
    component: pathOf([owlQn as never]) as never,
    options: {},
    sparse: true,
    descends: true,
    with: ({ l1 = 0, l2 }) => ({
      l1: [l1 + 2, l1 + 0.5, l1],
      with: { 'owl-qn': { ...exact, l2 } },
    }),
  },
  {
    component: switched,
    options: { first: 'sgd' },
    sparse: false,
    descends: false,
    with: ({ l2 }) => ({
      first: { sgd: { l2, average: true } },
      epochs: 6,
      sentences: 2,
      next: { lbfgs: { ...exact, l2 } },
    }),
  },
  {
    component: switched,
    options: { first: 'adagrad' },
    sparse: true,
    descends: false,
    with: ({ l1 = 0, l2 }) => ({
      first: { adagrad: { l1, l2 } },
      epochs: 3,
      next: { bcd: { ...exact, l1, l2 } },
    }),
  },
  {
    component: lbfgs as never,
    options: { ...exact, scaled: true },
    sparse: false,
    descends: true,
  },
];
const named = rows.map(row => ({
  row,
  name: `${row.component.name} ${describeOf(row.options)}`,
}));

function describeOf(options: Row['options']): string {
  const { tolerance: _, decrease: __, ...rest } = options;
  return JSON.stringify(rest);
}

interface Made {
  readonly trainer: Trainer;
  readonly objective: Objective;
}

function make(row: Row, problem: SmallProblem, penalties: Penalties): Made {
  const given = row.with?.(penalties) ?? { ...row.options, ...penalties };
  const options = row.component.options.parse(given) as never;
  let made: Objective | undefined;
  const trainer = row.component.create(options, {
    objective: l2 => {
      made = objectiveOf(problem, { l2 });
      return made;
    },
  });
  return { trainer, objective: made! };
}

function run({ trainer }: Made, most = 5000): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

/** A run to the very end: what came of it, and the minimum. The same run is made once. */
const ran = new Map<string, { made: Made; iterations: Iteration[] } & Minimum>();
function ranOnce(row: Row, problem: SmallProblem, penalties: Penalties) {
  const key = `${rows.indexOf(row)} ${problem.name} ${JSON.stringify(penalties)}`;
  const known = ran.get(key);
  if (known !== undefined) return known;
  const made = make(row, problem, penalties);
  const iterations = run(made);
  const all = { made, iterations, ...minimum(made, penalties.l1) };
  ran.set(key, all);
  return all;
}

interface Minimum {
  readonly value: number;
  readonly slope: number;
  readonly active: number;
}

/** What the objective is in the end, worked out anew from the weights that are in the parameters. */
function minimum({ objective }: Made, l1 = 0): Minimum {
  const weights = objective.weights();
  const gradient = new Float64Array(weights.length);
  const value = objective.evaluate(weights, gradient) + l1 * norm1(weights);
  const slopes = new Float64Array(weights.length);
  pseudoGradient(weights, gradient, l1, slopes);
  return { value, slope: norm(slopes), active: weights.filter(weight => weight !== 0).length };
}

/** Each trainer with one of the problems, and each problem as often; the rest is slow. */
const withProblems = coverValues(
  named.flatMap(({ name, row }) => smallProblems.map(problem => ({ name, row, problem }))),
  ({ name, problem }) => [name, problem.name],
);

for (const { rows: some, tags } of withProblems) {
  describe.each(some)('$name, $problem.name', { tags }, ({ row, problem }) => {
    it('comes to the minimum that L-BFGS finds', () => {
      const { iterations, value, slope } = ranOnce(row, problem, { l2: 0.5 });
      const best = ranOnce(rows[0]!, problem, { l2: 0.5 });
      expect(Math.abs(value - best.value)).toBeLessThan(1e-8 * value);
      expect(slope).toBeLessThan(1e-4);
      expect(iterations.at(-1)!.ending).toBeDefined();
      expect(iterations.at(-1)!.objective).toBeCloseTo(value, 10);
    });

    it.runIf(row.descends)('never goes up', () => {
      const { iterations } = ranOnce(row, problem, { l2: 0.5 });
      for (let i = 1; i < iterations.length; i += 1) {
        expect(iterations[i]!.objective).toBeLessThanOrEqual(iterations[i - 1]!.objective);
      }
    });

    it.runIf(row.sparse)(
      'comes to the minimum with L1, where zero is a subgradient',
      { tags: 'slow' },
      () => {
        const penalties = { l1: 0.5, l2: 0.1 };
        const { made, value, slope, active } = ranOnce(row, problem, penalties);
        const best = ranOnce(rows[1]!, problem, penalties);
        expect(Math.abs(value - best.value)).toBeLessThan(1e-8 * value);
        expect(slope).toBeLessThan(1e-4);
        expect(active).toBeGreaterThan(0);
        expect(active).toBeLessThan(made.objective.free.size);
      },
    );

    it('resumes from a saved state to the same bytes', () => {
      const whole = ranOnce(row, problem, { l2: 0.5 });
      const first = make(row, problem, { l2: 0.5 });
      for (let i = 0; i < 4; i += 1) first.trainer.iterate();
      const second = make(row, problem, { l2: 0.5 });
      second.trainer.restore(structuredClone(first.trainer.save()));
      const expected = whole.iterations.slice(4);
      expect(run(second)).toEqual(expected);
      expect(second.objective.weights()).toEqual(whole.made.objective.weights());
      expect(expected.length).toBeGreaterThan(1);
    });
  });
}
