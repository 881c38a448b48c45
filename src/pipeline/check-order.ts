import type { Checker } from './file/check.js';
import type { Pipeline } from './pipeline.js';
import type { ItemKind } from './stages/stage-component.js';

/**
 * Checks that each stage takes what the one before it gives, and that training is complete.
 *
 * @throws TagstreamError `config` at the stage that is out of place
 */
export function checkOrder(pipeline: Pipeline, checker: Checker): void {
  let kind: ItemKind = 'document';
  for (const [i, { component, options }] of pipeline.stages.entries()) {
    const path = ['stages', i, component.name];
    if (!component.takes.includes(kind)) {
      throw checker.fail(
        path,
        `it takes a ${component.takes.join(' or a ')}, but gets a ${kind}`,
        `the usual order is tokenize, featurize, batch, contribute, optimize, evaluate, checkpoint, tag`,
      );
    }
    kind = component.gives;
    if (component.name === 'batch' && pipeline.trains && options.milliseconds !== undefined) {
      throw checker.fail(
        [...path, 'milliseconds'],
        'batches by time would make training depend on the clock',
        'leave it out where weights are learned',
      );
    }
  }
  if (kind === 'tagged sentence' || (kind === 'training step' && pipeline.sink === undefined)) {
    checkTraining(pipeline, checker);
    return;
  }
  throw checker.fail(
    ['stages'],
    `the last stage gives a ${kind}`,
    'end with tag to write records, or with optimize, evaluate or checkpoint to train',
  );
}

function checkTraining(pipeline: Pipeline, checker: Checker): void {
  const { train, trains } = pipeline;
  if (!trains) {
    if (train !== undefined) {
      throw checker.fail(['train'], 'there is no stage optimize, so nothing is trained');
    }
    return;
  }
  if (train?.epochs === undefined && train?.corpusSize === undefined) {
    throw checker.fail(
      train === undefined ? [] : ['train'],
      'train.epochs or train.corpusSize is needed',
      'epochs: passes over a corpus; corpusSize: sentences that the penalties of a stream refer to',
    );
  }
  if (train.epochs !== undefined && pipeline.stages.at(-1)!.component.name === 'tag') {
    throw checker.fail(
      ['stages'],
      'records cannot be tagged as they pass in several passes',
      'leave tag or train.epochs out',
    );
  }
}
