import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';

/**
 * Checks that a pipeline whose optimizer adds weights one by one leaves others out.
 *
 * @throws TagstreamError `config` at `featurize.support`, or at the optimizer where that is not given
 */
export function checkInduction({ stages }: Pipeline, checker: Checker): void {
  const at = (name: string) => stages.findIndex(({ component }) => component.name === name);
  const [optimize, featurize] = [at('optimize'), at('featurize')];
  const isInduced = optimize >= 0 && Object.hasOwn(stages[optimize]!.options, 'induction');
  if (!isInduced || featurize < 0) return;
  const { support } = stages[featurize]!.options as { readonly support?: string };
  if (support === 'observed') return;
  throw checker.fail(
    support === undefined
      ? ['stages', optimize, 'optimize']
      : ['stages', featurize, 'featurize', 'support'],
    'the optimizer induction adds weights one by one, and featurize has all of them',
    'give featurize: { support: observed }',
  );
}
