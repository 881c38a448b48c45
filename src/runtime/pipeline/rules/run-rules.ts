import type { Refusal } from '../../../engine/core/component.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { isModelAddress } from '../../../engine/interfaces/model-address.js';
import { lossComponents } from '../../../engine/losses/loss-components.js';
import { asksForMore, confidenceIn } from '../../../engine/models/decoding/decode-options.js';
import type { DriftAnswer } from '../../../engine/models/learning/drift-monitor.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import { redactionPattern } from '../../../engine/text/redact.js';
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

/** Returns the option that passes bad records on; undefined if they are not passed on. */
function passing({ deadLetters }: Plan): At | undefined {
  const { default: all, policies = {} } = deadLetters?.options ?? {};
  if (all === 'pass') return ['deadLetters', 'default'];
  const kind = Object.entries(policies).find(([, policy]) => policy === 'pass')?.[0];
  return kind === undefined ? undefined : ['deadLetters', 'policies', kind];
}

/** Rules for several models in one run. */
const modelRules: readonly Rule<Plan>[] = [
  rule({
    when: plan => {
      const models = modelFilesOf(plan.features.options);
      return learns(plan) && (models.length > 1 || models[0]?.column !== undefined);
    },
    at: ['features', 'model'],
    problem: 'several models can tag together, but not learn together',
    fix: 'name one model file, without a column; or leave optimize out',
  }),
  rule({
    when: plan => tags(plan) && plan.further.some(({ file }) => isModelAddress(file)),
    at: ['features', 'model'],
    problem: 'only the first of several models can come from a registry',
    fix: 'name files for the others, or train them as columns of the first',
  }),
];

/** Rules between checkpoints and messages. */
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
    problem: 'standard output cannot be truncated to a checkpoint',
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
      'minibatches limited by tokens read one sentence ahead, and a checkpoint would count its features',
    fix: 'set only sentences in batch, or leave cutoff out',
  }),
];

/** Rules between learners of the same stream. */
const challengeRules: readonly Rule<LearnPlan>[] = [
  rule({
    when: ({ challenge, optimizer }) => challenge !== undefined && optimizer.kind !== 'online',
    at: ['challenge'],
    problem: 'challenge compares learners after each minibatch, which takes a single machine',
    fix: 'leave train.cluster or challenge out',
  }),
  rule({
    when: ({ challenge, replay }) => challenge !== undefined && replay !== undefined,
    at: ['replay'],
    problem:
      'replay cannot be combined with challenge: only one learner would replay, so the comparison would say little about settings',
    fix: 'leave replay or challenge out',
  }),
  rule({
    when: ({ challenge, evaluation }) =>
      challenge !== undefined &&
      evaluation?.kind === 'progressive' &&
      ['reset', 'restart-steps'].includes(evaluation.options.drift.answer),
    at: ['evaluation', 'drift', 'answer'],
    problem: 'challengers take over after drift, so no learner is reset',
    fix: 'use answer: warn, or leave challenge out',
  }),
];

const learnsTokenizer = ({ kind, tokenize }: Plan): boolean =>
  kind !== 'tag' && isToBeLearned(tokenize?.options);

/** Rules for a learned tokenizer: the corpus is read before the tagger is trained. */
const tokenizerRules: readonly Rule<Plan>[] = [
  rule({
    when: plan => learnsTokenizer(plan) && streams(plan),
    at: ['tokenize', 'tokenizer'],
    problem: 'a tokenizer can only be learned from a corpus, not from a stream',
    fix: 'give train.epochs, or name a built-in tokenizer',
  }),
  rule({
    when: plan =>
      learnsTokenizer(plan) &&
      (readsMessages(plan) ||
        plan.source.component.generated !== undefined ||
        filesOf(plan.source.options).some(file => file === '-')),
    at: ['tokenize', 'tokenizer'],
    problem: 'learning a tokenizer reads the records twice, but this source can only be read once',
    fix: 'give source.files, or name a built-in tokenizer',
  }),
];

/** Rules for reported results. */
const resultRules: readonly Rule<Plan>[] = [
  rule({
    when: plan => {
      if (!learns(plan) || plan.decode === undefined) return false;
      const { others = {} } = confidenceIn(plan.decode.options);
      return asksForMore(others) || plan.decode.options.modelVersion;
    },
    at: ['decode'],
    problem: 'a pipeline that learns writes only the best sequence of each record',
    fix: 'leave out decoding, nbest and the like, or tag in a separate pipeline',
  }),
  plan => {
    if (!learns(plan) || plan.decode === undefined) return undefined;
    const { asked } = confidenceIn(plan.decode.options);
    const { workers, cluster } = plan.train.options;
    if (asked === undefined || (workers === 1 && cluster === undefined)) return undefined;
    return {
      at: ['decode', Object.keys(asked)[0]!],
      problem: 'probabilities are not available while several threads or machines learn',
      fix: 'leave it out, or tag in a separate pipeline',
    };
  },
  ({ decode, source, sink }) => {
    if (decode === undefined) return undefined;
    const format = sink?.options.format ?? source.component.codec(source.options).name;
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
    problem: '`output: tags` writes only id and tags',
    fix: 'leave into or sink.output out',
  }),
  checkWrittenFormat,
  checkRedaction,
  rule({
    when: plan => plan.source.options.textField !== undefined && learns(plan),
    at: ['source', 'textField'],
    problem:
      'with textField, only the text of a record is read, so there are no labels to train on',
    fix: 'convert the records to tokens and tags first, or give them text',
  }),
  checkPassing,
];

/** Checks the rules for records written in another format. */
function checkWrittenFormat(plan: Plan): Breach | undefined {
  const { format, output, redact, to } = plan.sink?.options ?? {};
  if (format === undefined) return undefined;
  const [other] = [
    ...(output === 'tags' ? ['`output: tags`'] : []),
    ...(redact === undefined ? [] : ['redact']),
    ...(to === undefined ? [] : ['to: messages have the format of the source']),
    ...(plan.source.options.into === undefined ? [] : ['`into` of the source']),
    ...(passing(plan) === undefined ? [] : ['bad records that are passed on']),
  ];
  if (other === undefined) return undefined;
  const problem = `format cannot be combined with ${other}`;
  return { at: ['sink', 'format'], problem, fix: 'leave one of them out' };
}

/** Checks the rules for texts without their spans. */
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
  const { name, writesJson } = source.component;
  if (learns(plan)) return refuse('a pipeline that trains cannot redact texts', 'leave it out');
  if (writesJson !== true) {
    return refuse(`records in the format ${name} cannot be redacted`, 'read NDJSON or text');
  }
  if (writesTags(plan))
    return refuse('redact cannot be combined with `output: tags`', 'leave sink.output out');
  if (source.options.into !== undefined)
    return refuse('redact cannot be combined with `into`', 'leave into out');
  if (passing(plan) === undefined) return undefined;
  return refuse('bad records would be passed on without redaction', 'use skip or dead-letter');
}

/** Checks the rules for bad records among the results. */
function checkPassing(plan: Plan): Breach | undefined {
  const at = passing(plan);
  if (at === undefined) return undefined;
  const refuse = (problem: string, fix: string): Breach => ({ at, problem, fix });
  const { name, hasFields } = plan.source.component;
  if (learns(plan))
    return refuse('a pipeline that trains cannot pass bad records on', 'use skip or dead-letter');
  if (hasFields !== true) {
    return refuse(
      `the format ${name} has no field for the error of a record`,
      'read NDJSON, or use skip',
    );
  }
  if (sends(plan)) {
    return refuse('bad records cannot be sent as messages', 'use dead-letter, or write to a file');
  }
  if (!writesTags(plan)) return undefined;
  return refuse('`output: tags` has no field for errors', 'leave sink.output out');
}

/** Rules for settings that a tagging pipeline leaves to its model. */
const taggingRules: readonly Rule<TagPlan>[] = [
  ({ features: { scorer, hidden, covariance, structure } }) => {
    const { layers, parts, codes, prune } = structure;
    const chain = structure.structure === 'chain' ? undefined : structure.structure;
    const given = { scorer, hidden, covariance, structure: chain, layers, parts, codes, prune };
    const name = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
    if (name === undefined) return undefined;
    return {
      at: ['model', name],
      problem: `the pipeline does not train a model, and the model for tagging already defines ${name}`,
      fix: `leave ${name} out`,
    };
  },
  rule({
    when: ({ features }) => features.options.prune !== undefined,
    at: ['features', 'prune'],
    problem: 'the pipeline does not train a model, so there is nothing to prune',
    fix: 'leave prune out',
  }),
];

/** Rules for the use of a corpus. */
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
    problem: 'batches limited by time would make training depend on the clock',
    fix: 'leave it out of pipelines that learn',
  }),
  rule({
    when: plan => plan.kind !== 'train' && plan.features.options.mutualInformation !== undefined,
    at: ['features', 'mutualInformation'],
    problem: 'feature selection needs counts over a whole corpus, not a stream',
    fix: 'give train.epochs, or leave it out',
  }),
  rule({
    when: plan => plan.kind !== 'train' && plan.features.options.dictionary !== undefined,
    at: ['features', 'dictionary'],
    problem: 'a tag dictionary needs counts over a whole corpus, not a stream',
    fix: 'give train.epochs, or leave it out',
  }),
  plan => {
    const { options } = plan.features;
    const name = (['maxFeatures', 'maxBytes'] as const).find(each => options[each] !== undefined);
    if (name === undefined || streams(plan)) return undefined;
    return {
      at: ['features', name],
      problem: 'size limits apply only to models that learn from a stream',
      fix: 'leave it out; use cutoff or sgd-l1 for a smaller model',
    };
  },
  rule({
    when: ({ kind, features }) => kind === 'train' && features.options.prune !== undefined,
    at: ['features', 'prune'],
    problem: 'pruning works on a stream that is read once, not over several passes',
    fix: 'leave prune or train.epochs out; sgd-l1 writes a small model without prune',
  }),
  ...(['maxFeatures', 'prune'] as const).map(name =>
    rule<Plan>({
      when: ({ features: { options } }) =>
        options.hashed !== undefined && options[name] !== undefined,
      at: ['features', name],
      problem: 'the number of hashed rows already limits the size',
      fix: `leave hashed or ${name} out`,
    }),
  ),
];

/** Rules for questions. */
const askRules: readonly Rule<Plan>[] = [
  rule({
    when: ({ kind, ask }) => ask !== undefined && kind !== 'learn',
    at: ['ask'],
    problem: 'only a pipeline that learns from a stream can ask for labels',
    fix: 'leave ask out, or leave train.epochs out to learn from a stream',
  }),
  rule({
    when: ({ ask, train }) => ask !== undefined && train?.options.cluster !== undefined,
    at: ['ask'],
    problem:
      'a learner that is split across machines does not tag, so it cannot pick uncertain records',
    fix: 'leave ask or train.cluster out',
  }),
];

/** Rules for late labels. */
const joinRules: readonly Rule<Plan>[] = [
  rule({
    when: ({ kind, join }) => join !== undefined && kind !== 'learn',
    at: ['join'],
    problem: ({ kind }) =>
      kind === 'tag' ? 'the pipeline does not train a model' : 'a corpus already has its labels',
    fix: ({ kind }) =>
      kind === 'tag' ? 'leave join out' : 'leave join out, or train.epochs for a stream',
  }),
  rule({
    when: ({ join, decode }) => join !== undefined && decode === undefined,
    at: ['join'],
    problem: 'records that wait for labels are tagged on arrival, but there is no stage tag',
    fix: 'add the stage tag at the end',
  }),
  rule({
    when: plan => {
      const from = plan.join?.labels?.options.from;
      return from !== undefined && plan.checkpoint === undefined;
    },
    at: ['join', 'labels'],
    problem: 'learning from messages needs checkpoints, which hold the position in the stream',
    fix: 'add the stage checkpoint',
  }),
];

/** Returns a rule about each stage of a plug-in. */
function addedRule({ when, problem, fix }: AddedRule): Rule<Plan> {
  return plan => {
    const i = plan.added.findIndex(part => when(part, plan));
    if (i < 0) return undefined;
    const { name } = plan.added[i]!.component;
    return { at: ['added', i], problem: `${problem}, without the plug-in stage ${name}`, fix };
  };
}

interface AddedRule extends Refusal {
  when(part: AddedPart, plan: Plan): boolean;
}

/** Rules for stages of plug-ins. */
const addedRules: readonly Rule<Plan>[] = [
  addedRule({
    when: (_, { kind }) => kind === 'train',
    problem: 'a corpus is read in blocks and trained on in passes',
    fix: 'leave it out, or replace epochs by train.corpusSize to process records one by one',
  }),
  addedRule({
    when: (_, { train }) => train?.options.cluster !== undefined,
    problem: 'several machines learn from a stream in rounds',
    fix: 'leave the stage or train.cluster out',
  }),
  addedRule({
    when: ({ component }, { kind, checkpoint }) =>
      kind === 'tag' && checkpoint !== undefined && component.stateful,
    problem: 'checkpoints of a run that only tags hold an input position, not the state of stages',
    fix: 'leave the stage or checkpoint out; only a pipeline that learns saves the state of stages',
  }),
  addedRule({
    when: ({ component, after }, { kind }) =>
      kind === 'learn' && component.on === 'training step' && after.includes('checkpoint'),
    problem: 'a checkpoint holds only the state of the stages before it',
    fix: 'put checkpoint after the stage',
  }),
  addedRule({
    when: ({ component }, { kind, checkpoint, batch }) =>
      kind === 'learn' &&
      checkpoint !== undefined &&
      isAhead(component) &&
      batch.options.tokens !== undefined,
    problem: 'minibatches limited by tokens read one sentence ahead',
    fix: 'set only sentences in batch, or leave checkpoint out',
  }),
];

/** Rules for replayed sentences. */
const replayRules: readonly Rule<Plan>[] = [
  rule({
    when: ({ kind, replay }) => replay !== undefined && kind !== 'learn',
    at: ['replay'],
    problem: ({ kind }) =>
      kind === 'tag' ? 'the pipeline does not train a model' : 'training in passes needs no replay',
    fix: ({ kind }) =>
      kind === 'tag' ? 'leave replay out' : 'leave replay out, or train.epochs for a stream',
  }),
  rule({
    when: ({ replay, train }) => replay !== undefined && train?.options.cluster !== undefined,
    at: ['replay'],
    problem: 'several machines learn from a stream in rounds, without replay',
    fix: 'leave replay or train.cluster out',
  }),
];

/** Returns the response to drift in a stream; undefined if drift is not detected. */
function driftAnswer({ evaluation }: LearnPlan): DriftAnswer | undefined {
  return evaluation?.kind === 'progressive' ? evaluation.options.drift.answer : undefined;
}

/** Rules for a model that learns from a stream. */
const streamRules: readonly Rule<LearnPlan>[] = [
  rule({
    when: plan => (driftAnswer(plan) ?? 'warn') !== 'warn' && plan.optimizer.kind === 'cluster',
    at: ['evaluation', 'drift', 'answer'],
    problem: 'other machines learn in rounds and cannot be reset between two records',
    fix: 'use answer: warn, or train on one machine',
  }),
  rule({
    when: plan => driftAnswer(plan) === 'shadow' && plan.features.options.prune !== undefined,
    at: ['evaluation', 'drift', 'answer'],
    problem: 'pruning uses the weights of one learner, and a shadow learner has its own',
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
    problem: ({ optimizer }) =>
      `the optimizer ${optimizer.component.name} has no step sizes to restart`,
    fix: 'use answer: reset, or one of adagrad with mirror descent, sgd, perceptron, passive-aggressive and arow',
  }),
  rule({
    when: ({ features: { options } }) =>
      options.support === 'observed' && options.prune !== undefined,
    at: ['features', 'support'],
    problem: 'features with `support: observed` cannot be pruned',
    fix: 'use support: all, or leave prune out',
  }),
  rule({
    when: ({ features, optimizer }) => {
      if (features.options.prune === undefined) return false;
      if (optimizer.kind === 'batch') return true;
      return optimizer.component.makesZeros?.(optimizer.options as never) !== true;
    },
    at: ['optimizer'],
    problem: 'pruning needs zero weights, which only sgd-l1 and adagrad with l1 produce',
    fix: 'use optimize: { sgd-l1: { l1: 1 } }',
  }),
  rule({
    when: ({ features, batch }) =>
      features.options.prune !== undefined && batch.options.tokens !== undefined,
    at: ['batch', 'tokens'],
    problem: 'minibatches limited by tokens read one sentence ahead, which pruning would break',
    fix: 'set only sentences in batch',
  }),
  rule({
    when: ({ features, batch }) =>
      features.options.prune !== undefined && features.options.prune.every < batch.most,
    at: ['features', 'prune', 'every'],
    problem: ({ features, batch }) =>
      `pruning every ${features.options.prune!.every} sentences would fall inside a minibatch of ${batch.most}`,
    fix: ({ batch }) => `set every to at least ${batch.most}`,
  }),
  rule({
    when: ({ features: { options } }) =>
      options.support === 'observed' && options.hashed === undefined,
    at: ['features', 'support'],
    problem:
      'on a stream, features with `support: observed` would grow without bound, because none can be evicted',
    fix: 'use support: all, give hashed, or give train.epochs and read the data as a corpus',
  }),
  // Current weights, or those of a window, tag and score records: an average of all weights would only be in the model
  // file.
  rule({
    when: ({ optimizer, decode }) =>
      optimizer.kind !== 'cluster' && optimizer.options.average === true && decode !== undefined,
    at: ({ optimizer }) => ['optimizer', optimizer.component.name, 'average'],
    problem:
      'the stream is tagged and scored with the current weights, so the average would not affect its tags',
    fix: 'average over a window and tag with that, as in average: { window: 2000 }, or set average: false',
  }),
];

/** Rules for training on several machines. */
const clusterRules: readonly Rule<Learning>[] = (
  [
    rule<Learning>({
      when: ({ kind, train }) => kind === 'learn' && train.options.cluster!.every === undefined,
      at: ['train', 'cluster'],
      problem: 'a stream has no passes, so the shards would never be mixed',
      fix: 'give train.cluster.every (sentences between two mixings), or train.epochs for a corpus',
    }),
    rule<Learning>({
      when: ({ kind, train }) => kind === 'train' && train.options.cluster!.every !== undefined,
      at: ['train', 'cluster', 'every'],
      problem: 'on a corpus, the shards are mixed after each pass',
      fix: 'leave every out, or leave epochs out to learn from a stream',
    }),
    rule<Learning>({
      when: ({ decode }) => decode !== undefined,
      at: ['decode'],
      problem:
        'a learner that is split by key cannot tag: it has its weights only at the end of a round',
      fix: 'tag in a separate pipeline, with the model that the stage checkpoint writes (model: true)',
    }),
    rule<Learning>({
      when: ({ optimizer }) => optimizer.kind === 'batch' && worksAlone(optimizer),
      at: ['train', 'cluster'],
      problem: ({ optimizer }) =>
        `the batch optimizer ${optimizer.component.name} runs on a single machine`,
      fix: 'leave cluster out, or use an optimizer that evaluates the whole objective, such as lbfgs',
    }),
    rule<Learning>({
      when: ({ train }) => train.options.workers > 1,
      at: ['train', 'workers'],
      problem: 'each cluster worker runs in one thread',
      fix: 'leave workers out, and start more `tagstream cluster work` processes',
    }),
    rule<Learning>({
      when: ({ train }) => (train.options.dropout ?? 0) > 0,
      at: ['train', 'dropout'],
      problem: 'dropout cannot be combined with train.cluster',
      fix: 'leave train.cluster or dropout out (--set train.dropout=0)',
    }),
    ...(['loss', 'optimizer'] as const).map(part =>
      rule<Learning>({
        when: plan => !known.has(plan[part].component.name),
        at: [part],
        problem: plan =>
          `workers on other machines do not have ${plan[part].component.name}, which comes from a plug-in`,
        fix: 'use a built-in component, or leave train.cluster out',
      }),
    ),
  ] satisfies readonly Rule<Learning>[]
).map(each => plan => (plan.train.options.cluster === undefined ? undefined : each(plan)));

/** Names of the losses and optimizers available on every machine. */
const known: ReadonlySet<string> = new Set(
  [...lossComponents, ...optimizers, ...trainers].map(({ name }) => name),
);

/** Checks that no further column shares its place with the tags. */
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
