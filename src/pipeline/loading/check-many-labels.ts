import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';

interface Setting {
  readonly name: 'compressed' | 'prune';
  readonly path: (string | number)[];
  /** What it does not go with needs this. */
  readonly needed: string;
}

/**
 * Checks that what trains a model whose weights are stored for single pairs, or whose labels are pruned, can do so.
 *
 * @throws TagstreamError `config` at the setting that needs rows, or all labels
 */
export function checkManyLabels(pipeline: Pipeline, checker: Checker): void {
  const { stages, plan, trains } = pipeline;
  const featurize = stages.findIndex(({ component }) => component.name === 'featurize');
  const chosen = stages[featurize]?.options;
  if (chosen?.compressed === true) {
    const path = ['stages', featurize, 'featurize', 'compressed'];
    if (chosen.support !== 'observed') {
      throw checker.fail(path, 'all labels of a feature have weights', 'add support: observed');
    }
    checkSetting(pipeline, checker, { name: 'compressed', path, needed: 'weights in rows' });
  }
  if (plan.features.structure.prune === undefined) return;
  const path = ['model', 'prune'];
  if (!trains) {
    const fix = 'leave prune out';
    throw checker.fail(path, 'the pipeline trains nothing: the model for tagging says it', fix);
  }
  checkSetting(pipeline, checker, { name: 'prune', path, needed: 'all labels' });
  if (chosen?.dictionary !== undefined) {
    const at = ['stages', featurize, 'featurize', 'dictionary'];
    throw checker.fail(at, 'a tag dictionary needs all labels', 'leave dictionary or prune out');
  }
}

function checkSetting(
  pipeline: Pipeline,
  checker: Checker,
  { name: setting, path, needed }: Setting,
): void {
  const { stages, train, catalogue, plan } = pipeline;
  const placeOf = (name: string) => stages.findIndex(({ component }) => component.name === name);
  const leaveOut = `leave ${setting} out`;
  const { structure = 'chain', ...of } = plan.features.structure;
  const scorer = plan.features.scorer;
  const other =
    (structure !== 'chain' && `the structure ${structure}`) ||
    (scorer !== undefined && `the scorer ${scorer}`) ||
    (['layers', 'codes'] as const).find(name => of[name] !== undefined) ||
    (plan.features.hidden !== undefined && 'hidden states');
  if (other) {
    const fix = `${leaveOut}, or train a linear chain`;
    throw checker.fail(path, `${other} needs ${needed}`, fix);
  }
  const optimize = placeOf('optimize');
  const [name = ''] = Object.keys(stages[optimize]?.options ?? {});
  if (optimize >= 0 && catalogue.optimizers.find(name)?.singlePairs !== true) {
    const at = ['stages', optimize, 'optimize'];
    const fix = `use sgd or perceptron, or ${leaveOut}`;
    throw checker.fail(at, `the optimizer ${name} needs ${needed}`, fix);
  }
  if (train?.epochs === undefined) {
    const fix = `give train.epochs, or ${leaveOut}`;
    throw checker.fail(path, `${setting} needs a corpus that is read before training`, fix);
  }
  if (train.workers > 1 || train.cluster !== undefined) {
    const several = train.cluster === undefined ? 'workers' : 'cluster';
    const fix = `leave ${several} out, or ${leaveOut}`;
    const problem = `a model with ${setting} is trained by one thread`;
    throw checker.fail(['train', several], problem, fix);
  }
}
