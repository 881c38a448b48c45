import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { chosenHidden } from '../options/chosen-hidden.js';
import { chosenScorer } from '../options/chosen-scorer.js';
import { chosenStructure } from '../options/chosen-structure.js';

/**
 * Checks that what trains a model whose weights are stored for single pairs can do so.
 *
 * @throws TagstreamError `config` at the setting that needs rows
 */
export function checkManyLabels(pipeline: Pipeline, checker: Checker): void {
  const { stages, train, catalogue, config } = pipeline;
  const placeOf = (name: string) => stages.findIndex(({ component }) => component.name === name);
  const featurize = placeOf('featurize');
  const chosen = stages[featurize]?.options;
  if (chosen?.compressed !== true) return;
  const path = ['stages', featurize, 'featurize', 'compressed'];
  const leaveOut = 'leave compressed out';
  if (chosen.support !== 'observed') {
    throw checker.fail(path, 'all labels of a feature have weights', 'add support: observed');
  }
  const { structure = 'chain', ...of } = chosenStructure(config);
  const scorer = chosenScorer(config);
  const other =
    (structure !== 'chain' && `the structure ${structure}`) ||
    (scorer !== undefined && `the scorer ${scorer}`) ||
    (['layers', 'codes'] as const).find(name => of[name] !== undefined) ||
    (chosenHidden(config) !== undefined && 'hidden states');
  if (other) {
    const fix = 'leave compressed out, or train a linear chain';
    throw checker.fail(path, `${other} needs weights in rows`, fix);
  }
  const optimize = placeOf('optimize');
  const [name = ''] = Object.keys(stages[optimize]?.options ?? {});
  if (optimize >= 0 && catalogue.optimizers.find(name)?.singlePairs !== true) {
    const at = ['stages', optimize, 'optimize'];
    const fix = `use sgd or perceptron, or ${leaveOut}`;
    throw checker.fail(at, `the optimizer ${name} needs weights in rows`, fix);
  }
  if (train?.epochs === undefined) {
    const fix = `give train.epochs, or ${leaveOut}`;
    throw checker.fail(path, 'on a stream the pairs are not known beforehand', fix);
  }
  if (train.workers > 1 || train.cluster !== undefined) {
    const setting = train.cluster === undefined ? 'workers' : 'cluster';
    const fix = `leave ${setting} out, or ${leaveOut}`;
    throw checker.fail(['train', setting], 'compressed weights are trained by one thread', fix);
  }
}
