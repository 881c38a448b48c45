import type { Refusal } from '../../core/component.js';
import { TagstreamError } from '../../core/errors.js';
import { isModelAddress } from '../../io/nats/registry/model-address.js';
import { lossComponents } from '../../losses/loss-components.js';
import { asksForMore, confidenceIn } from '../../models/decoding/decode-options.js';
import type { DriftAnswer } from '../../models/learning/drift-monitor.js';
import { optimizers } from '../../optimizers/optimizers.js';
import { redactionPattern } from '../../text/redact.js';
import { trainers } from '../catalogue/trainers.js';
import { modelFilesOf } from '../options/feature-options.js';
import { isToBeLearned } from '../options/tokenize-options.js';
import { type AskedResults, unreportedResult } from '../options/unreported-result.js';
import type { AddedPart, LearnPlan, Plan, TagPlan, TrainPlan } from '../plan/plan.js';
import { filesOf } from '../sources/source-component.js';
import { isAhead } from '../stages/added.js';
import { worksAlone } from '../trainers/trainer-traits.js';
import { learningRules } from './model-rules.js';
import { type At, type Breach, type Rule, rule, where } from './rule.js';
import { samePlace } from './training-rules.js';

type Learning = TrainPlan | LearnPlan;

const learns = (plan: Plan): plan is Learning => plan.kind !== 'tag';
const streams = (plan: Plan): plan is LearnPlan => plan.kind === 'learn';
const tags = (plan: Plan): plan is TagPlan => plan.kind === 'tag';
const sends = ({ sink }: Plan): boolean => sink?.options.to !== undefined;
const writesTags = ({ sink }: Plan): boolean => sink?.options.output === 'tags';
const readsMessages = ({ source }: Plan): boolean => source.options.from !== undefined;

/** Where bad records are passed on; undefined where they are not. */
function passing({ deadLetters }: Plan): At | undefined {
  const { default: all, policies = {} } = deadLetters?.options ?? {};
  if (all === 'pass') return ['deadLetters', 'default'];
  const kind = Object.entries(policies).find(([, policy]) => policy === 'pass')?.[0];
  return kind === undefined ? undefined : ['deadLetters', 'policies', kind];
}

/** What several models in one run ask. */
const modelRules: readonly Rule<Plan>[] = [
  rule({
    when: plan => {
      const models = modelFilesOf(plan.features.options);
      return learns(plan) && (models.length > 1 || models[0]?.column !== undefined);
    },
    at: ['features', 'model'],
    problem: 'several models tag, and do not learn together',
    fix: 'name one model file, without a column; or leave optimize out',
  }),
  rule({
    when: plan => tags(plan) && plan.further.some(({ file }) => isModelAddress(file)),
    at: ['features', 'model'],
    problem: 'of several models only the first can be one of a registry',
    fix: 'name the others by file, or train them as columns of the first',
  }),
];

/** What checkpoints and messages ask of each other. */
const checkpointRules: readonly Rule<Plan>[] = [
  rule({
    when: plan => streams(plan) && readsMessages(plan) && plan.checkpoint === undefined,
    at: ['source', 'from'],
    problem: 'learning from messages needs checkpoints, which acknowledge them',
    fix: 'add the stage checkpoint',
  }),
  rule({
    when: plan => plan.checkpoint !== undefined && sends(plan),
    at: ['sink', 'to'],
    problem: 'sent messages cannot be undone when the run resumes from a checkpoint',
    fix: 'give sink.file, or leave checkpoint out: each record is acknowledged when its message is durable',
  }),
  rule({
    when: plan =>
      tags(plan) && plan.checkpoint !== undefined && (plan.sink?.options.file ?? '-') === '-',
    at: ['checkpoint'],
    problem: 'the standard output cannot be truncated to a checkpoint',
    fix: 'give sink.file, or leave checkpoint out',
  }),
  rule({
    when: plan => {
      if (plan.kind === 'train' || plan.checkpoint === undefined) return false;
      const { every, sentences, seconds } = plan.checkpoint.options;
      const rounds = plan.train?.options.cluster?.every !== undefined && every !== undefined;
      return !rounds && sentences === undefined && seconds === undefined;
    },
    at: ['checkpoint'],
    problem: 'a stream has no epochs, so no checkpoint would be written',
    fix: 'give sentences or seconds',
  }),
  rule({
    when: ({ kind, checkpoint, features, batch }) =>
      kind !== 'train' &&
      checkpoint !== undefined &&
      features.options.cutoff > 1 &&
      batch.options.tokens !== undefined,
    at: ['batch', 'tokens'],
    problem:
      'a minibatch of so many tokens ends with a sentence that is not in it, whose features a checkpoint would count',
    fix: 'give batch the option sentences alone, or leave cutoff out',
  }),
];

/** What learners of the same stream ask of each other. */
const challengeRules: readonly Rule<LearnPlan>[] = [
  rule({
    when: ({ challenge, optimizer }) => challenge !== undefined && optimizer.kind !== 'online',
    at: ['challenge'],
    problem: 'learners are compared minibatch by minibatch, on one machine',
    fix: 'leave train.cluster or challenge out',
  }),
  rule({
    when: ({ challenge, replay }) => challenge !== undefined && replay !== undefined,
    at: ['replay'],
    problem:
      'replay cannot be combined with challenge: the memory belongs to one learner, and a comparison with learners that replay nothing says little about their settings',
    fix: 'leave replay or challenge out',
  }),
  rule({
    when: ({ challenge, evaluation }) =>
      challenge !== undefined &&
      evaluation?.kind === 'progressive' &&
      ['reset', 'restart-steps'].includes(evaluation.options.drift.answer),
    at: ['evaluation', 'drift', 'answer'],
    problem: 'challengers take over after drift, so no learner begins again',
    fix: 'use answer: warn, or leave challenge out',
  }),
];

const learnsTokenizer = ({ kind, tokenize }: Plan): boolean =>
  kind !== 'tag' && isToBeLearned(tokenize?.options);

/** What a tokenizer that is learned asks of the corpus: it is read before the tagger is trained. */
const tokenizerRules: readonly Rule<Plan>[] = [
  rule({
    when: plan => learnsTokenizer(plan) && streams(plan),
    at: ['tokenize', 'tokenizer'],
    problem: 'a tokenizer is learned from a whole corpus, which a stream does not end with',
    fix: 'give train.epochs, or name a built-in tokenizer',
  }),
  rule({
    when: plan =>
      learnsTokenizer(plan) &&
      (readsMessages(plan) ||
        plan.source.component.generated !== undefined ||
        filesOf(plan.source.options).some(file => file === '-')),
    at: ['tokenize', 'tokenizer'],
    problem: 'the records are read twice, first for the tokenizer, and the source can be read once',
    fix: 'give source.files, or name a built-in tokenizer',
  }),
];

/** What is reported of tags. */
const resultRules: readonly Rule<Plan>[] = [
  rule({
    when: plan => {
      if (!learns(plan) || plan.decode === undefined) return false;
      const { others = {} } = confidenceIn(plan.decode.options);
      return asksForMore(others) || plan.decode.options.modelVersion;
    },
    at: ['decode'],
    problem: 'records are tagged with the best sequence only while the pipeline learns',
    fix: 'leave decoding, nbest and the like out, or tag in a pipeline of its own',
  }),
  plan => {
    if (!learns(plan) || plan.decode === undefined) return undefined;
    const { asked } = confidenceIn(plan.decode.options);
    const { workers, cluster } = plan.train.options;
    if (asked === undefined || (workers === 1 && cluster === undefined)) return undefined;
    return {
      at: ['decode', Object.keys(asked)[0]!],
      problem: 'several threads and machines give no probabilities while they learn',
      fix: 'leave it out, or tag in a pipeline of its own',
    };
  },
  ({ decode, source, sink }) => {
    if (decode === undefined) return undefined;
    const format = source.component.codec(source.options).name;
    const asked: AskedResults = decode.options;
    const unreported = unreportedResult(asked, format, sink?.options.output ?? 'record');
    if (unreported === undefined) return undefined;
    const { result, because, fix } = unreported;
    return { at: ['decode', result], problem: `it would not be written: ${because}`, fix };
  },
  rule({
    when: ({ source, sink }) =>
      source.options.into !== undefined && sink?.options.output === 'tags',
    at: ['source', 'into'],
    problem: 'the shortest form holds id and tags alone',
    fix: 'leave into or sink.output out',
  }),
  checkRedaction,
  rule({
    when: plan => plan.source.options.textField !== undefined && learns(plan),
    at: ['source', 'textField'],
    problem: 'nothing but the text is read of such a record, so that it has no labels to train on',
    fix: 'convert the records to tokens and tags first, or give them text',
  }),
  checkPassing,
];

/** What texts without their spans ask of the rest. */
function checkRedaction(plan: Plan): Breach | undefined {
  const { source, sink } = plan;
  if (sink?.options.redact === undefined) return undefined;
  const refuse = (problem: string, fix: string): Breach => ({
    ...{ at: ['sink', 'redact'], problem, fix },
  });
  try {
    redactionPattern(sink.options.redact);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    return refuse(thrown.problem, thrown.fix!);
  }
  const { name } = source.component;
  if (learns(plan)) return refuse('texts are redacted where nothing is trained', 'leave it out');
  if (!['ndjson', 'text'].includes(name)) {
    return refuse(`records of the format ${name} are not redacted`, 'read NDJSON or text');
  }
  if (writesTags(plan)) return refuse('no tags are written', 'leave sink.output out');
  if (source.options.into !== undefined) return refuse('no results are written', 'leave into out');
  if (passing(plan) === undefined) return undefined;
  return refuse('bad records would be passed on as they are', 'use skip or dead-letter');
}

/** What bad records among the results ask of the rest. */
function checkPassing(plan: Plan): Breach | undefined {
  const at = passing(plan);
  if (at === undefined) return undefined;
  const refuse = (problem: string, fix: string): Breach => ({ at, problem, fix });
  const { name } = plan.source.component;
  if (learns(plan)) return refuse('training writes no bad records', 'use skip or dead-letter');
  if (name !== 'ndjson') {
    return refuse(`${name} has no place for the error of a record`, 'read NDJSON, or use skip');
  }
  if (sends(plan)) {
    return refuse('bad records are not sent as messages', 'use dead-letter, or write to a file');
  }
  if (!writesTags(plan)) return undefined;
  return refuse('the shortest form has no place for errors', 'leave sink.output out');
}

/** What a pipeline that only tags leaves to its model. */
const taggingRules: readonly Rule<TagPlan>[] = [
  ({ features: { scorer, hidden, covariance, structure } }) => {
    const { layers, parts, codes, prune } = structure;
    const chain = structure.structure === 'chain' ? undefined : structure.structure;
    const given = { scorer, hidden, covariance, structure: chain, layers, parts, codes, prune };
    const name = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
    if (name === undefined) return undefined;
    return {
      at: ['model', name],
      problem: `the pipeline trains nothing: the model for tagging has its ${name}`,
      fix: `leave ${name} out`,
    };
  },
  rule({
    when: ({ features }) => features.options.prune !== undefined,
    at: ['features', 'prune'],
    problem: 'the pipeline trains nothing, so no feature loses its weight',
    fix: 'leave prune out',
  }),
];

/** What a corpus is read for. */
const corpusRules: readonly Rule<Plan>[] = [
  rule({
    when: ({ kind, source, batch }) =>
      kind !== 'train' &&
      typeof source.options.budget === 'number' &&
      source.options.budget <= batch.most,
    at: ['source', 'budget'],
    problem: ({ source, batch }) =>
      `a budget of ${source.options.budget} records cannot fill minibatches of ${batch.most}`,
    fix: ({ batch }) => `give at least ${batch.most + 1}`,
  }),
  rule({
    when: plan => learns(plan) && plan.batch.options.milliseconds !== undefined,
    at: ['batch', 'milliseconds'],
    problem: 'batches by time would make training depend on the clock',
    fix: 'leave it out where weights are learned',
  }),
  rule({
    when: plan => plan.kind !== 'train' && plan.features.options.mutualInformation !== undefined,
    at: ['features', 'mutualInformation'],
    problem: 'features are selected by counts of a whole corpus, and a stream has none',
    fix: 'give train.epochs, or leave it out',
  }),
  rule({
    when: plan => plan.kind !== 'train' && plan.features.options.dictionary !== undefined,
    at: ['features', 'dictionary'],
    problem: 'a dictionary counts all words, and a stream has no end',
    fix: 'give train.epochs, or leave it out',
  }),
  plan => {
    const { options } = plan.features;
    const name = (['maxFeatures', 'maxBytes'] as const).find(each => options[each] !== undefined);
    if (name === undefined || streams(plan)) return undefined;
    return {
      at: ['features', name],
      problem: 'only a model that learns from a stream has a limit; a corpus is finite',
      fix: 'leave it out; cutoff and sgd-l1 make a model smaller',
    };
  },
  rule({
    when: ({ kind, features }) => kind === 'train' && features.options.prune !== undefined,
    at: ['features', 'prune'],
    problem: 'features are pruned on a stream that is read once, not in several passes',
    fix: 'leave prune or train.epochs out; sgd-l1 writes a small model all the same',
  }),
  ...(['maxFeatures', 'prune'] as const).map(name =>
    rule<Plan>({
      when: ({ features: { options } }) =>
        options.hashed !== undefined && options[name] !== undefined,
      at: ['features', name],
      problem: 'hashed features are never more than their rows',
      fix: `leave hashed or ${name} out`,
    }),
  ),
];

/** What questions ask of the rest. */
const askRules: readonly Rule<Plan>[] = [
  rule({
    when: ({ kind, ask }) => ask !== undefined && kind !== 'learn',
    at: ['ask'],
    problem: 'labels are asked for where a stream is learned from',
    fix: 'leave ask out, or train.epochs for a stream',
  }),
  rule({
    when: ({ ask, train }) => ask !== undefined && train?.options.cluster !== undefined,
    at: ['ask'],
    problem: 'a learner that is split over machines tags no records, so that it has no doubts',
    fix: 'leave ask or train.cluster out',
  }),
];

/** What labels that come later ask of the rest. */
const joinRules: readonly Rule<Plan>[] = [
  rule({
    when: ({ kind, join }) => join !== undefined && kind !== 'learn',
    at: ['join'],
    problem: ({ kind }) =>
      kind === 'tag' ? 'the pipeline trains nothing' : 'a corpus has its labels when it is read',
    fix: ({ kind }) =>
      kind === 'tag' ? 'leave join out' : 'leave join out, or train.epochs for a stream',
  }),
  rule({
    when: ({ join, decode }) => join !== undefined && decode === undefined,
    at: ['join'],
    problem:
      'records that wait for their labels are tagged when they come, and there is no stage tag',
    fix: 'add the stage tag at the end',
  }),
  rule({
    when: plan => {
      const from = plan.join?.labels?.options.from;
      return from !== undefined && plan.checkpoint === undefined;
    },
    at: ['join', 'labels'],
    problem: 'learning from messages needs checkpoints, which hold the place in their stream',
    fix: 'add the stage checkpoint',
  }),
];

/** A rule about each stage of a plug-in. */
function addedRule({ when, problem, fix }: AddedRule): Rule<Plan> {
  return plan => {
    const i = plan.added.findIndex(part => when(part, plan));
    if (i < 0) return undefined;
    const { name } = plan.added[i]!.component;
    return { at: ['added', i], problem: `${problem}, without the stage ${name} of a plug-in`, fix };
  };
}

interface AddedRule extends Refusal {
  when(part: AddedPart, plan: Plan): boolean;
}

/** What stages of plug-ins ask of the rest. */
const addedRules: readonly Rule<Plan>[] = [
  addedRule({
    when: (_, { kind }) => kind === 'train',
    problem: 'a corpus is read in blocks and learned from in passes',
    fix: 'leave it out, or give train.corpusSize in place of epochs, so that records go one by one',
  }),
  addedRule({
    when: (_, { train }) => train?.options.cluster !== undefined,
    problem: 'a stream that is split over machines is learned from in rounds',
    fix: 'leave the stage or train.cluster out',
  }),
  addedRule({
    when: ({ component }, { kind, checkpoint }) =>
      kind === 'tag' && checkpoint !== undefined && component.stateful,
    problem: 'a run that only tags resumes from a position in its input',
    fix: 'leave the stage or checkpoint out; checkpoints of a pipeline that learns hold the state of stages',
  }),
  addedRule({
    when: ({ component, after }, { kind }) =>
      kind === 'learn' && component.on === 'training step' && after.includes('checkpoint'),
    problem: 'a checkpoint holds what came before it',
    fix: 'put checkpoint after the stage',
  }),
  addedRule({
    when: ({ component }, { kind, checkpoint, batch }) =>
      kind === 'learn' &&
      checkpoint !== undefined &&
      isAhead(component) &&
      batch.options.tokens !== undefined,
    problem: 'a minibatch of so many tokens ends before a sentence that was read already',
    fix: 'give batch the option sentences alone, or leave checkpoint out',
  }),
];

/** What sentences that are learned from again ask of the rest. */
const replayRules: readonly Rule<Plan>[] = [
  rule({
    when: ({ kind, replay }) => replay !== undefined && kind !== 'learn',
    at: ['replay'],
    problem: ({ kind }) =>
      kind === 'tag' ? 'the pipeline trains nothing' : 'a corpus is learned from in passes',
    fix: ({ kind }) =>
      kind === 'tag' ? 'leave replay out' : 'leave replay out, or train.epochs for a stream',
  }),
  rule({
    when: ({ replay, train }) => replay !== undefined && train?.options.cluster !== undefined,
    at: ['replay'],
    problem: 'a stream that is split over machines is learned from in rounds, without replays',
    fix: 'leave replay or train.cluster out',
  }),
];

/** What is done about drift in a stream; undefined where it is not watched. */
function driftAnswer({ evaluation }: LearnPlan): DriftAnswer | undefined {
  return evaluation?.kind === 'progressive' ? evaluation.options.drift.answer : undefined;
}

/** What a model that learns from a stream asks of the rest. */
const streamRules: readonly Rule<LearnPlan>[] = [
  rule({
    when: plan => (driftAnswer(plan) ?? 'warn') !== 'warn' && plan.optimizer.kind === 'cluster',
    at: ['evaluation', 'drift', 'answer'],
    problem: 'other machines learn in rounds, and cannot begin again between two records',
    fix: 'use answer: warn, or train on one machine',
  }),
  rule({
    when: plan => driftAnswer(plan) === 'shadow' && plan.features.options.prune !== undefined,
    at: ['evaluation', 'drift', 'answer'],
    problem: 'features are pruned by the weights of one learner, and a shadow has others',
    fix: 'use answer: reset, or leave prune out',
  }),
  rule({
    when: plan => {
      if (driftAnswer(plan) !== 'restart-steps' || plan.optimizer.kind === 'batch') return false;
      const { component, options } = plan.optimizer;
      const goesOn = component.goesOn?.(options as never) ?? true;
      return component.makes !== undefined || component.votes === true || !goesOn;
    },
    at: ['evaluation', 'drift', 'answer'],
    problem: ({ optimizer }) => `${optimizer.component.name} has no steps that could begin again`,
    fix: 'use answer: reset, or adagrad by mirror descent, sgd, perceptron, passive-aggressive or arow',
  }),
  rule({
    when: ({ features: { options } }) =>
      options.support === 'observed' && options.prune !== undefined,
    at: ['features', 'support'],
    problem: 'features with observed pairs are not pruned',
    fix: 'use support: all, or leave prune out',
  }),
  rule({
    when: ({ features, optimizer }) => {
      if (features.options.prune === undefined) return false;
      if (optimizer.kind === 'batch') return true;
      return optimizer.component.makesZeros?.(optimizer.options as never) !== true;
    },
    at: ['optimizer'],
    problem: 'only sgd-l1 and adagrad with l1 make weights zero',
    fix: 'use optimize: { sgd-l1: { l1: 1 } }',
  }),
  rule({
    when: ({ features, batch }) =>
      features.options.prune !== undefined && batch.options.tokens !== undefined,
    at: ['batch', 'tokens'],
    problem:
      'a minibatch of so many tokens ends with a sentence that is not in it, which pruning must not meet',
    fix: 'give batch the option sentences alone',
  }),
  rule({
    when: ({ features, batch }) =>
      features.options.prune !== undefined && features.options.prune.every < batch.most,
    at: ['features', 'prune', 'every'],
    problem: ({ features, batch }) =>
      `pruning every ${features.options.prune!.every} sentences is within a minibatch of ${batch.most}`,
    fix: ({ batch }) => `give every at least ${batch.most}`,
  }),
  rule({
    when: ({ features: { options } }) =>
      options.support === 'observed' && options.hashed === undefined,
    at: ['features', 'support'],
    problem:
      'on a stream, features with observed pairs would grow without end, as none can make room',
    fix: 'use support: all, give hashed, or give train.epochs and read the data as a corpus',
  }),
  // Records are tagged, and scored, by the weights of the moment or a window: an average of all would be in the model file alone.
  rule({
    when: ({ optimizer, decode }) =>
      optimizer.kind !== 'cluster' && optimizer.options.average === true && decode !== undefined,
    at: ({ optimizer }) => ['optimizer', optimizer.component.name, 'average'],
    problem:
      'the stream is tagged and scored by the current weights, and the average of all would have no effect on its tags',
    fix: 'average over a window, as in average: { window: 2000 }, by which the stream is tagged, or set average: false',
  }),
];

/** What many machines ask of a training. */
const clusterRules: readonly Rule<Learning>[] = (
  [
    rule<Learning>({
      when: ({ kind, train }) => kind === 'learn' && train.options.cluster!.every === undefined,
      at: ['train', 'cluster'],
      problem: 'a stream has no passes after which the shards are mixed',
      fix: 'give train.cluster.every: sentences from one mixing to the next; or train.epochs for a corpus',
    }),
    rule<Learning>({
      when: ({ kind, train }) => kind === 'train' && train.options.cluster!.every !== undefined,
      at: ['train', 'cluster', 'every'],
      problem: 'the shards of a corpus are mixed after each pass',
      fix: 'leave every out, or epochs for a stream that is learned from once',
    }),
    rule<Learning>({
      when: ({ decode }) => decode !== undefined,
      at: ['decode'],
      problem:
        'a learner that is split by key tags no records: it has its weights at the end of a round only',
      fix: 'tag in a pipeline of its own, with a model that the stage checkpoint writes (model: true)',
    }),
    rule<Learning>({
      when: ({ optimizer }) => optimizer.kind === 'batch' && worksAlone(optimizer),
      at: ['train', 'cluster'],
      problem: ({ optimizer }) =>
        `the batch optimizer ${optimizer.component.name} works on one machine`,
      fix: 'leave cluster out, or use one that evaluates the whole objective, as lbfgs',
    }),
    rule<Learning>({
      when: ({ train }) => train.options.workers > 1,
      at: ['train', 'workers'],
      problem: 'each task of a cluster is done by one thread',
      fix: 'leave workers out, and start more of tagstream cluster work',
    }),
    rule<Learning>({
      when: ({ train }) => (train.options.dropout ?? 0) > 0,
      at: ['train', 'dropout'],
      problem: 'many machines train without dropout',
      fix: 'leave dropout out (--set train.dropout=0), or cluster',
    }),
    ...(['loss', 'optimizer'] as const).map(part =>
      rule<Learning>({
        when: plan => !known.has(plan[part].component.name),
        at: [part],
        problem: plan =>
          `workers on other machines do not know ${plan[part].component.name}, which is of a plug-in`,
        fix: 'use a component of Tagstream, or leave train.cluster out',
      }),
    ),
  ] satisfies readonly Rule<Learning>[]
).map(each => plan => (plan.train.options.cluster === undefined ? undefined : each(plan)));

/** Names of the losses and optimizers that each machine has. */
const known: ReadonlySet<string> = new Set(
  [...lossComponents, ...optimizers, ...trainers].map(({ name }) => name),
);

/** A further column has another place than the tags of the model. */
function placeOfTags({ source, columns }: Learning): Breach | undefined {
  const { tag } = source.options;
  if (typeof tag !== 'string' || columns === undefined) return undefined;
  return samePlace([tag, ...Object.keys(columns.options)]);
}

/** All rules of a pipeline file whose stages are in order. */
export const runRules: readonly Rule<Plan>[] = [
  ...modelRules,
  ...checkpointRules,
  ...resultRules,
  ...corpusRules,
  ...joinRules,
  ...askRules,
  ...replayRules,
  ...addedRules,
  ...tokenizerRules,
  where(tags, taggingRules),
  where(learns, learningRules),
  where(streams, streamRules),
  where(streams, challengeRules),
  where(learns, clusterRules),
  where(learns, [placeOfTags]),
];
