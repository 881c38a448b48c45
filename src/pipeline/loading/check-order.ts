import { TagstreamError } from '../../core/errors.js';
import { asksForMore, confidenceIn } from '../../models/decoding/decode-options.js';
import { redactionPattern } from '../../text/redact.js';
import type { Pipeline, PipelineParts } from '../definition/pipeline.js';
import type { ItemKind } from '../definition/stage-component.js';
import type { Checker } from '../file/check.js';
import type { DeadLetterSection } from '../options/dead-letter-options.js';
import { type AskedResults, unreportedResult } from '../options/unreported-result.js';
import { batchOptimizer } from '../plan/plan.js';
import { alone } from '../trainers/alone.js';
import { builtIn } from './catalogue.js';
import { checkCluster } from './check-cluster.js';
import { checkColumns } from './check-columns.js';
import { checkGrowth } from './check-growth.js';
import { checkHidden } from './check-hidden.js';
import { checkHmm } from './check-hmm.js';
import { checkInduction } from './check-induction.js';
import { checkMade } from './check-made.js';
import { checkManyLabels } from './check-many-labels.js';
import { checkPasses } from './check-passes.js';
import { checkPruning } from './check-pruning.js';
import { checkScorer } from './check-scorer.js';
import { checkSeparation } from './check-separation.js';
import { checkStructure } from './check-structure.js';
import { checkTemplates } from './check-templates.js';
import { checkVoters } from './check-voters.js';

/**
 * Checks that each stage takes what the one before it gives, and that training is complete.
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
  checkLearning(pipeline, names, checker);
}

/** Whether there is all that learning takes, or nothing of it. */
function checkLearning(
  { train, stages }: PipelineParts,
  names: readonly string[],
  checker: Checker,
): void {
  if (names.includes('optimize')) {
    if (train?.epochs !== undefined || train?.corpusSize !== undefined) return;
    throw checker.fail(
      train === undefined ? [] : ['train'],
      'train.epochs or train.corpusSize is needed',
      'epochs: passes over a corpus; corpusSize: sentences that the penalties of a stream refer to',
    );
  }
  const featurize = names.indexOf('featurize');
  const made = (['templates', 'preset'] as const).find(
    key => stages[featurize]?.options[key] !== undefined,
  );
  if (made !== undefined) {
    throw checker.fail(
      ['stages', featurize, 'featurize', made],
      'the pipeline trains nothing, so there would be no weights',
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

/**
 * Checks that the parts of a pipeline go together.
 *
 * @throws TagstreamError `config` at the setting that does not go with the others
 */
export function checkParts(pipeline: Pipeline, checker: Checker): void {
  checkStages(pipeline, checker);
  checkBudget(pipeline, checker);
  checkFields(pipeline, checker);
  checkTraining(pipeline, checker);
  checkMade(pipeline, checker);
  checkScorer(pipeline, checker);
  checkStructure(pipeline, checker);
  checkHmm(pipeline, checker);
  checkHidden(pipeline, checker);
  checkColumns(pipeline, checker);
  checkPruning(pipeline, checker);
  checkGrowth(pipeline, checker);
  checkPasses(pipeline, checker);
  checkCluster(pipeline, checker);
  checkSeparation(pipeline, checker);
  checkInduction(pipeline, checker);
  checkVoters(pipeline, checker);
  checkManyLabels(pipeline, checker);
  checkTemplates(pipeline, checker);
}

function checkTraining(pipeline: Pipeline, checker: Checker): void {
  const { train, plan } = pipeline;
  if (train === undefined) return;
  if (plan.batch.options.milliseconds !== undefined) {
    throw checker.fail(
      [...plan.batch.path, 'milliseconds'],
      'batches by time would make training depend on the clock',
      'leave it out where weights are learned',
    );
  }
  const trainer = batchOptimizer(pipeline.plan);
  if (trainer !== undefined && train.epochs === undefined) {
    throw checker.fail(
      ['train'],
      `the batch optimizer ${trainer.component.name} needs a corpus in memory`,
      'give train.epochs: iterations at most',
    );
  }
  if (trainer !== undefined && train.workers > 1 && alone(trainer)) {
    throw checker.fail(
      ['train', 'workers'],
      `the batch optimizer ${trainer.component.name} works in one thread`,
      'leave workers out, or use one that evaluates the whole objective, as owl-qn',
    );
  }
  if (trainer !== undefined && train.mode === 'hogwild') {
    throw checker.fail(
      ['train', 'mode'],
      `the batch optimizer ${trainer.component.name} gives the same bytes for any number of workers`,
      'leave mode out',
    );
  }
  if (train.workers > 1 && train.epochs === undefined) {
    throw checker.fail(
      ['train', 'workers'],
      'several workers train on a corpus in memory, not on a stream',
      'give train.epochs, or leave workers out',
    );
  }
  if (train.mode === 'hogwild' && train.workers === 1) {
    throw checker.fail(
      ['train', 'mode'],
      'hogwild needs several workers',
      'give train.workers (or --workers), or leave mode out',
    );
  }
  const optimize = pipeline.stages.findIndex(({ component }) => component.name === 'optimize');
  const l1 = pipeline.stages[optimize]?.options['sgd-l1'] as { penalty?: string } | undefined;
  if (train.mode === 'hogwild' && l1?.penalty === 'naive') {
    throw checker.fail(
      ['stages', optimize, 'optimize', 'sgd-l1', 'penalty'],
      'the naive penalty is charged by one that sees all sentences, which no thread of hogwild does',
      'use penalty: cumulative, or mode: deterministic',
    );
  }
  if (train.epochs !== undefined && pipeline.stages.at(-1)!.component.name === 'tag') {
    throw checker.fail(
      ['stages'],
      'records cannot be tagged in several passes',
      'leave tag or train.epochs out',
    );
  }
}

/** What results below a key, and bad records among them, ask of the rest. */
function checkFields(pipeline: Pipeline, checker: Checker): void {
  const { source, sink, deadLetters = {}, trains } = pipeline;
  const { name } = source.component;
  const { into, textField } = source.options;
  if (into !== undefined && sink?.output === 'tags') {
    throw checker.fail(
      ['source', name, 'into'],
      'the shortest form holds id and tags alone',
      'leave into or sink.output out',
    );
  }
  checkRedaction(pipeline, checker);
  if (textField !== undefined && trains) {
    throw checker.fail(
      ['source', name, 'textField'],
      'nothing but the text is read of such a record, so that it has no labels to train on',
      'convert the records to tokens and tags first, or give them text',
    );
  }
  const path = passingPath(deadLetters);
  if (path === undefined) return;
  const refuse = (problem: string, fix: string) => checker.fail(path, problem, fix);
  if (trains) throw refuse('training writes no bad records', 'use skip or dead-letter');
  if (name !== 'ndjson') {
    throw refuse(`${name} has no place for the error of a record`, 'read NDJSON, or use skip');
  }
  if (sink?.to !== undefined) {
    throw refuse('bad records are not sent as messages', 'use dead-letter, or write to a file');
  }
  if (sink?.output === 'tags') {
    throw refuse('the shortest form has no place for errors', 'leave sink.output out');
  }
}

/** What texts without their spans ask of the rest. */
function checkRedaction({ source, sink, deadLetters, trains }: Pipeline, checker: Checker): void {
  if (sink?.redact === undefined) return;
  const path = ['sink', 'redact'];
  const refuse = (problem: string, fix: string) => checker.fail(path, problem, fix);
  try {
    redactionPattern(sink.redact);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    throw refuse(thrown.problem, thrown.fix!);
  }
  const { name } = source.component;
  if (trains) throw refuse('texts are redacted where nothing is trained', 'leave it out');
  if (!['ndjson', 'text'].includes(name)) {
    throw refuse(`records of the format ${name} are not redacted`, 'read NDJSON or text');
  }
  if (sink.output === 'tags') throw refuse('no tags are written', 'leave sink.output out');
  if (source.options.into !== undefined) throw refuse('no results are written', 'leave into out');
  if (passingPath(deadLetters ?? {}) !== undefined) {
    throw refuse('bad records would be passed on as they are', 'use skip or dead-letter');
  }
}

function passingPath({ default: all, policies = {} }: Partial<DeadLetterSection>) {
  if (all === 'pass') return ['deadLetters', 'default'];
  const kind = Object.entries(policies).find(([, policy]) => policy === 'pass')?.[0];
  return kind === undefined ? undefined : ['deadLetters', 'policies', kind];
}

/** What each stage asks of the others. */
function checkStages(pipeline: Pipeline, checker: Checker): void {
  const names = pipeline.stages.map(({ component }) => component.name);
  const checkpoint = names.indexOf('checkpoint');
  if (
    pipeline.trains &&
    checkpoint >= 0 &&
    names.indexOf('tag') >= 0 &&
    names.indexOf('tag') < checkpoint
  ) {
    throw checker.fail(
      ['stages', checkpoint],
      'records that are learned from are tagged after their checkpoint',
      'put checkpoint before tag',
    );
  }
  const { from } = pipeline.source.options;
  if (from !== undefined && checkpoint < 0 && pipeline.trains && !pipeline.train?.epochs) {
    throw checker.fail(
      ['source', pipeline.source.component.name, 'from'],
      'learning from messages needs checkpoints, which acknowledge them',
      'add the stage checkpoint',
    );
  }
  if (checkpoint >= 0 && pipeline.sink?.to !== undefined) {
    throw checker.fail(
      ['sink', 'to'],
      'sent messages cannot be undone when the run resumes from a checkpoint',
      'give sink.file, or leave checkpoint out: each record is acknowledged when its message is durable',
    );
  }
  if (!pipeline.trains && checkpoint >= 0 && (pipeline.sink?.file ?? '-') === '-') {
    throw checker.fail(
      ['stages', checkpoint],
      'the standard output cannot be truncated to a checkpoint',
      'give sink.file, or leave checkpoint out',
    );
  }
  if (checkpoint >= 0 && names.indexOf('evaluate', checkpoint) >= 0) {
    throw checker.fail(
      ['stages', checkpoint],
      'a checkpoint before evaluate would not hold the results of evaluate',
      'put checkpoint after evaluate',
    );
  }
  const options = (name: string) =>
    pipeline.stages.find(({ component }) => component.name === name)?.options;
  const written = options('checkpoint');
  const rounds = pipeline.train?.cluster?.every !== undefined && written?.every !== undefined;
  const bounded = rounds || written?.sentences !== undefined || written?.seconds !== undefined;
  if (pipeline.train?.epochs === undefined && written !== undefined && !bounded) {
    throw checker.fail(
      ['stages', checkpoint, 'checkpoint'],
      'a stream has no epochs, so no checkpoint would be written',
      'give sentences or seconds',
    );
  }
  const counts = Number(options('featurize')?.cutoff ?? 1) > 1;
  if (pipeline.train?.epochs === undefined && written && counts && options('batch')?.tokens) {
    throw checker.fail(
      ['stages', names.indexOf('batch'), 'batch', 'tokens'],
      'a minibatch of so many tokens ends with a sentence that is not in it, whose features a checkpoint would count',
      'give batch the option sentences alone, or leave cutoff out',
    );
  }
  const tagged: AskedResults | undefined = options('tag');
  const { asked, others = {} } = tagged === undefined ? {} : confidenceIn(tagged);
  if (pipeline.trains && (asksForMore(others) || tagged?.modelVersion === true)) {
    throw checker.fail(
      ['stages', names.indexOf('tag'), 'tag'],
      'records are tagged with the best sequence only while the pipeline learns',
      'leave decoding, nbest and the like out, or tag in a pipeline of its own',
    );
  }
  const { workers = 1, cluster } = pipeline.train ?? {};
  if (pipeline.trains && asked !== undefined && (workers > 1 || cluster !== undefined)) {
    throw checker.fail(
      ['stages', names.indexOf('tag'), 'tag', Object.keys(asked)[0]!],
      'several threads and machines give no probabilities while they learn',
      'leave it out, or tag in a pipeline of its own',
    );
  }
  const format = pipeline.source.component.codec(pipeline.source.options).name;
  const unreported = tagged && unreportedResult(tagged, format, pipeline.sink?.output ?? 'record');
  if (unreported !== undefined) {
    throw checker.fail(
      ['stages', names.indexOf('tag'), 'tag', unreported.result],
      `it would not be written: ${unreported.because}`,
      unreported.fix,
    );
  }
  if (
    pipeline.train?.epochs === undefined &&
    options('featurize')?.mutualInformation !== undefined
  ) {
    throw checker.fail(
      ['stages', names.indexOf('featurize'), 'featurize', 'mutualInformation'],
      'features are selected by counts of a whole corpus, and a stream has none',
      'give train.epochs, or leave it out',
    );
  }
  if (pipeline.train?.epochs === undefined && options('featurize')?.dictionary !== undefined) {
    throw checker.fail(
      ['stages', names.indexOf('featurize'), 'featurize', 'dictionary'],
      'a dictionary counts all words, and a stream has no end',
      'give train.epochs, or leave it out',
    );
  }
}

/** A minibatch that can never be filled would hold the stream up forever. */
function checkBudget(pipeline: Pipeline, checker: Checker): void {
  const { budget } = pipeline.source.options;
  const held = pipeline.plan.batch.most;
  if (typeof budget !== 'number' || pipeline.train?.epochs !== undefined || budget > held) return;
  throw checker.fail(
    ['source', pipeline.source.component.name, 'budget'],
    `a budget of ${budget} records cannot fill minibatches of ${held}`,
    `give at least ${held + 1}`,
  );
}

/** How to get the stages into order; names the stage that is missing, if one is enough. */
function orderFix(pipeline: PipelineParts, kind: ItemKind, wanted: readonly ItemKind[]): string {
  const order =
    'the usual order is tokenize, featurize, batch, contribute, optimize, evaluate, checkpoint; to tag only, tokenize, featurize, batch, tag, checkpoint';
  const missing = builtIn.stages.find(
    ({ name, takes, gives }) =>
      gives !== 'as it is' &&
      takes.includes(kind) &&
      wanted.includes(gives) &&
      !pipeline.stages.some(({ component }) => component.name === name),
  );
  return missing === undefined ? order : `add the stage ${missing.name} before it; ${order}`;
}

function withArticle(kind: ItemKind): string {
  return `${kind.startsWith('e') ? 'an' : 'a'} ${kind}`;
}
