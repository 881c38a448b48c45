import type { PipelineParts } from '../definition/pipeline.js';
import type { ItemKind } from '../definition/stage-component.js';
import type { Checker } from '../file/check.js';
import { builtIn } from './catalogue.js';

/**
 * Checks that each stage accepts the output of the previous one, and that no stage of training is missing.
 *
 * @throws TagstreamError `config` at the stage that is out of place
 */
export function checkOrder(pipeline: PipelineParts, checker: Checker): void {
  let kind: ItemKind = 'document';
  for (const [i, { component }] of pipeline.stages.entries()) {
    const path = ['stages', i, component.name];
    if (!component.takes.includes(kind)) {
      throw checker.fail(
        path,
        `it takes ${component.takes.map(withArticle).join(' or ')}, but gets ${withArticle(kind)}`,
        orderFix(pipeline, kind, component.takes),
      );
    }
    if (component.gives !== 'as it is') kind = component.gives;
  }
  const ends =
    kind === 'tagged sentence' || (kind === 'training step' && pipeline.sink === undefined);
  if (!ends) {
    throw checker.fail(
      ['stages'],
      `the last stage gives ${withArticle(kind)}`,
      'end with tag to write records, or with optimize, evaluate or checkpoint to train',
    );
  }
  const names = pipeline.stages.map(({ component }) => component.name);
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) === i) continue;
    throw checker.fail(['stages', i, name], 'the stage occurs twice', 'leave one of them out');
  }
  checkCheckpoint(names, checker);
  checkLearning(pipeline, names, checker);
}

/** Checks that the checkpoint comes after the stages whose state it stores. */
function checkCheckpoint(names: readonly string[], checker: Checker): void {
  const checkpoint = names.indexOf('checkpoint');
  if (checkpoint < 0) return;
  const tag = names.indexOf('tag');
  if (names.includes('optimize') && tag >= 0 && tag < checkpoint) {
    throw checker.fail(
      ['stages', checkpoint],
      'checkpoint must come before tag in a pipeline that learns',
      'put checkpoint before tag',
    );
  }
  if (names.indexOf('evaluate', checkpoint) >= 0) {
    throw checker.fail(
      ['stages', checkpoint],
      'a checkpoint before evaluate would not contain its results',
      'put checkpoint after evaluate',
    );
  }
}

/** Checks that all stages needed for learning are present, or none of them. */
function checkLearning(
  { train, stages }: PipelineParts,
  names: readonly string[],
  checker: Checker,
): void {
  if (names.includes('optimize')) {
    if (train?.epochs !== undefined && names.includes('tag')) {
      throw checker.fail(
        ['stages'],
        'records cannot be tagged in several passes',
        'leave tag or train.epochs out',
      );
    }
    if (train?.epochs !== undefined || train?.corpusSize !== undefined) return;
    throw checker.fail(
      train === undefined ? [] : ['train'],
      'train.epochs or train.corpusSize is needed',
      'epochs: passes over a corpus; corpusSize: the number of sentences that scales the penalties on a stream',
    );
  }
  const featurize = names.indexOf('featurize');
  const made = (['templates', 'preset'] as const).find(
    key => stages[featurize]?.options[key] !== undefined,
  );
  if (made !== undefined) {
    throw checker.fail(
      ['stages', featurize, 'featurize', made],
      'the pipeline does not train a model, so there are no weights to tag with',
      'give featurize a model, or add contribute and optimize',
    );
  }
  if (train !== undefined) {
    throw checker.fail(
      ['train'],
      'there is no stage optimize, so nothing is trained',
      'leave train out, or add the stages contribute and optimize',
    );
  }
}

/** Returns how to order the stages; names the missing stage if one is enough. */
function orderFix(pipeline: PipelineParts, kind: ItemKind, wanted: readonly ItemKind[]): string {
  const names = pipeline.stages.map(({ component }) => component.name);
  const order =
    'the usual order is tokenize, featurize, batch, contribute, optimize, evaluate, checkpoint; to tag only, tokenize, featurize, batch, tag, checkpoint';
  const missing = builtIn.stages.find(
    ({ name, takes, gives }) =>
      gives !== 'as it is' &&
      takes.includes(kind) &&
      wanted.includes(gives) &&
      !names.includes(name),
  );
  return missing === undefined ? order : `add the stage ${missing.name} before it; ${order}`;
}

function withArticle(kind: ItemKind): string {
  return `${kind.startsWith('e') ? 'an' : 'a'} ${kind}`;
}
