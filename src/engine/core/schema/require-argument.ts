import { TagstreamError } from '../errors.js';
import { suggestion } from '../wording/nearest.js';
import { shown } from './schema-messages.js';

/** Required kind of an argument, and how to obtain one. */
export interface ArgumentKind {
  /** Name with article, such as `a model`. */
  readonly name: string;
  readonly fix?: string;
  accepts(value: unknown): boolean;
}

/**
 * Returns the kind of values with these members, of any class: an argument may come from another
 * copy of the package.
 */
function having(name: string, members: readonly string[], fix?: string): ArgumentKind {
  return {
    name,
    ...(fix === undefined ? {} : { fix }),
    accepts: value => {
      if (!isObject(value)) return false;
      for (let i = 0; i < members.length; i += 1) if (!(members[i]! in value)) return false;
      return true;
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Kinds of arguments for functions and operators of the package. */
export const kinds = {
  text: { name: 'a string', accepts: value => typeof value === 'string' },
  function: { name: 'a function', accepts: isFunction },
  list: { name: 'a list', accepts: value => Array.isArray(value) },
  iterable: {
    name: 'a list or another iterable',
    accepts: value => isObject(value) && Symbol.iterator in value,
  },
  texts: {
    name: 'a list of strings',
    accepts: value =>
      Array.isArray(value)
        ? value.every(item => typeof item === 'string')
        : isObject(value) && Symbol.iterator in value,
  },
  bytes: {
    name: 'bytes',
    fix: 'read the file first, for example with readFileSync, or use loadTagger(file) in Node',
    accepts: value => ArrayBuffer.isView(value) || value instanceof ArrayBuffer || hasRead(value),
  },
  observable: having('a stream', ['subscribe', 'pipe'], "create one with RxJS's from(items)"),
  signal: having(
    'an AbortSignal',
    ['aborted', 'addEventListener'],
    'pass the signal of an AbortController',
  ),
  schemes: having('the schemes of gold tags and of a model', ['gold', 'model']),
  kernel: having('a kernel', ['precision', 'score'], 'pass one of kernels, such as kernels.simd'),
  model: having(
    'a model',
    ['spec', 'labels', 'encode'],
    'create one with createModel or readModel',
  ),
  learner: having('a learner', ['model', 'contribute'], 'create one with createLearner'),
  learners: {
    name: 'learners by name',
    fix: 'give { first, second }',
    accepts: isObject,
  },
  contest: having(
    'a contest of learners',
    ['champion', 'learn'],
    'give new Contest({ first, second })',
  ),
  driftMonitor: having(
    'a drift monitor',
    ['see', 'counts'],
    'give new DriftMonitor(learner, { ... })',
  ),
  batchLearner: having(
    'a batch learner',
    ['model', 'begin'],
    'create one with createLearner and a batch optimizer, such as lbfgs()',
  ),
  loss: having('a loss', ['name', 'apply'], 'pass the result of a factory, such as logLoss()'),
  optimizer: {
    name: 'an optimizer with its options',
    fix: 'pass the result of a factory, such as sgd({ eta0: 0.1 }) or lbfgs()',
    accepts: value => {
      const { kind, component, options } = (value ?? {}) as Readonly<Record<string, unknown>>;
      const isComponent = isObject(component) && 'create' in component && 'options' in component;
      return (kind === 'online' || kind === 'batch') && isComponent && isObject(options);
    },
  },
  codec: having('a codec', ['name', 'read'], 'create one with ndjsonCodec() or conllCodec()'),
  output: having('an output', ['write', 'commit'], 'open one with openOutput(file)'),
  deadLetters: having(
    'dead letters',
    ['add', 'counts'],
    "give new DeadLetters({ policy: 'skip' })",
  ),
  evaluator: having('an evaluator', ['evaluate'], 'give new HeldOutEvaluator(learner, sentences)'),
  store: having(
    'a checkpoint store',
    ['write', 'readNewest'],
    'give new FileCheckpointStore(folder)',
  ),
  pipeline: having(
    'a pipeline',
    ['source', 'stages', 'config'],
    'load one with loadPipeline(file)',
  ),
  study: having('a study', ['runs', 'options'], 'load one with loadStudy(file)'),
  shownStudy: having('a study with results', ['title', 'tables'], 'create one with shownStudyOf'),
  inspected: having('a model file', ['model', 'notes'], 'read one with readInspected(bytes)'),
  tokenizer: having(
    'a learned tokenizer',
    ['characters', 'divide'],
    'pass the tokenizer of a model, model.tokenizer',
  ),
  sentence: having('a sentence', ['tokens', 'part'], 'tokenize turns documents into sentences'),
  encoded: having('an encoded sentence', ['stateRows', 'sentence'], 'featurize encodes sentences'),
  replayMemory: having(
    'a replay memory',
    ['draw', 'noteLoss'],
    'give new ReplayMemory({ keep: 5000 })',
  ),
  waitingRecords: having(
    'waiting records',
    ['hold', 'takeReady'],
    'give new WaitingRecords({ keep: 100_000 })',
  ),
  questionBudget: having(
    'a question budget',
    ['choose', 'counts'],
    'give new QuestionBudget({ share: 0.05 })',
  ),
  minibatch: having(
    'a minibatch',
    ['sentences', 'sentenceStarts'],
    'batch groups encoded sentences into minibatches',
  ),
  contribution: having(
    'a contribution',
    ['minibatch', 'loss'],
    'contribute turns minibatches into contributions',
  ),
  step: having(
    'a training step',
    ['contribution', 'sentencesSeen'],
    'optimize turns contributions into steps',
  ),
  taggedSentence: having(
    'a tagged sentence',
    ['tokens', 'tags', 'part', 'score'],
    'tag turns minibatches into tagged sentences',
  ),
  lattice: having('a lattice', ['nodes', 'alpha'], 'a loss receives one'),
  plane: having('a table of weights', ['state', 'edges', 'pairs'], 'give parameters.weights'),
  objective: having('an objective', ['parameters', 'evaluate'], 'give new Objective({ ... })'),
  vectors: having(
    'word vectors',
    ['words', 'dimensions', 'values'],
    'read them with readWordVectors',
  ),
  clusterWords: having(
    'the words of a corpus',
    ['words', 'counts'],
    'get them with corpus.words(...) of a ClusterCorpus',
  ),
  spec: {
    name: 'a specification with templates and columns',
    fix: 'createModel fills in missing options',
    accepts: value => {
      const { templates, columns, index } = (value ?? {}) as Readonly<Record<string, unknown>>;
      return typeof templates === 'string' && Array.isArray(columns) && isObject(index);
    },
  },
  rules: having('a model', ['labels'], 'create one with createModel or readModel'),
  parameters: having('parameters', ['weights', 'memory'], 'give model.parameters'),
  group: having('a thread group', ['members'], 'give new ThreadGroup(2)'),
  state: having('a saved state', ['json', 'arrays'], 'create one with saveModelState'),
  progressiveScores: having('scores', ['add', 'inWindow'], 'give new ProgressiveScores({ ... })'),
  writer: having('a codec', ['write'], 'create one with ndjsonCodec() or conllCodec()'),
  labels: having('labels', ['size', 'states'], 'give model.labels'),
  count: {
    name: 'a whole number',
    accepts: value =>
      value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) >= 0),
  },
  options: { name: 'a map of options', accepts: isObject },
} satisfies Readonly<Record<string, ArgumentKind>>;

/** Kinds of stream items, the most specific first. */
const items = [
  'step',
  'contribution',
  'minibatch',
  'encoded',
  'taggedSentence',
  'sentence',
] as const;

/**
 * Requires that an argument is of the expected kind, for untyped callers.
 *
 * @param what function and argument, such as `tag: the model`
 * @throws TagstreamError `config` that states the expected kind, the value passed, and how to
 * obtain the right one
 * @example
 * requireArgument('splitSentences: the text', 'It rains.', kinds.text) // => undefined
 */
export function requireArgument(what: string, value: unknown, kind: ArgumentKind): void {
  if (kind.accepts(value)) return;
  throw new TagstreamError('config', `${what}: expected ${kind.name}, got ${called(value)}`, {
    ...(kind.fix === undefined ? {} : { fix: kind.fix }),
  });
}

/**
 * Requires that a stream item is of a kind that an operator accepts; the usual mistake is the order
 * of the operators.
 *
 * @throws TagstreamError `config` that names the operator that makes such items
 */
export function requireItem(
  operator: string,
  item: unknown,
  kind: ArgumentKind,
  other?: ArgumentKind,
): void {
  if (kind.accepts(item) || other?.accepts(item) === true) return;
  const taken = other === undefined ? kind.name : `${kind.name} or ${other.name}`;
  throw new TagstreamError('config', `${operator} takes ${taken}, got ${called(item)}`, {
    fix: `correct the order of the operators: ${kind.fix}`,
  });
}

/**
 * Returns a value as shown in messages about arguments: its kind, or a short text or number itself.
 */
export function called(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') {
    return /^class\b/.test(Function.prototype.toString.call(value)) ? 'a class' : 'a function';
  }
  if (value instanceof Promise) return 'a promise, which has to be awaited';
  if (isObject(value)) {
    const item = items.find(name => kinds[name].accepts(value));
    if (item !== undefined) return kinds[item].name;
    if ('tokens' in value || 'text' in value) return 'a document';
  }
  return shown(value);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));
}

function hasRead(value: unknown): boolean {
  return isObject(value) && 'read' in value && 'length' in value;
}

/**
 * Requires that options have only known names, for untyped callers.
 *
 * @param what owner of the options
 * @throws TagstreamError `config` that names the first unknown option and, if there is one, a similar known
 * one
 * @example
 * requireKnown('batch', { tokens: 5 }, ['sentences', 'tokens']) // => undefined
 */
export function requireKnown(what: string, options: unknown, known: readonly string[]): void {
  const isMap = typeof options === 'object' && options !== null && !Array.isArray(options);
  if (!isMap || options instanceof Promise) {
    throw new TagstreamError('config', `${what}: the options are ${called(options)}`, {
      fix: `give an object with ${known.join(', ')}, or none of them`,
    });
  }
  const other = Object.keys(options).find(name => !known.includes(name));
  if (other === undefined) return;
  throw new TagstreamError('config', `${what}.${other}: unknown key "${other}"`, {
    fix: suggestion(other, known),
  });
}
