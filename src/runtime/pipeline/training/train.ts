import {
  from,
  identity,
  lastValueFrom,
  map,
  type Observable,
  type ObservableInput,
  takeUntil,
  tap,
  toArray,
} from 'rxjs';
import { joined } from '../../../engine/core/arrays.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import type { Iteration } from '../../../engine/core/training/trainer.js';
import type { Scores, TrainingStep } from '../../../engine/core/training/training-step.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { tokenizedLists } from '../../../engine/features/resources/gazetteer.js';
import type { Loss } from '../../../engine/losses/loss.js';
import {
  type LossComponent,
  lossComponents,
  lossWithoutOptions,
} from '../../../engine/losses/loss-components.js';
import { fitsScorer, losses } from '../../../engine/losses/losses.js';
import { Decoder } from '../../../engine/models/decoding/decoder.js';
import { scoreSentences } from '../../../engine/models/decoding/score-sentences.js';
import { modelPieces, writeModel } from '../../../engine/models/files/model-file.js';
import { ModelNoter } from '../../../engine/models/inspection/note-model.js';
import { encodeInOrder } from '../../../engine/models/learning/encode-in-order.js';
import {
  EarlyStopping,
  HeldOutEvaluator,
} from '../../../engine/models/learning/held-out-evaluator.js';
import {
  type PassRecord,
  TrainingHistory,
} from '../../../engine/models/learning/training-history.js';
import type { Model } from '../../../engine/models/model.js';
import { Tagger } from '../../../engine/models/tagger.js';
import { evaluate } from '../../../engine/operators/evaluate.js';
import { featurize } from '../../../engine/operators/featurize.js';
import { learnUnlabelled } from '../../../engine/operators/learn-unlabelled.js';
import { type TokenizeOptions, tokenize } from '../../../engine/operators/tokenize.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import { regexTokenizer } from '../../../engine/text/tokenizers/regex-tokenizer.js';
import { RawText } from '../../../formats/codecs/conllu/raw-text.js';
import { trainers } from '../catalogue/trainers.js';
import { learnColumns } from '../columns/learn-columns.js';
import { Checker } from '../file/check.js';
import { createEmptyModel, type ModelParts, requireContext } from '../learners/empty-model.js';
import { finishedModel, weightSelectionOf } from '../learners/finished-model.js';
import { createTrainee } from '../learners/learner-of.js';
import { modelChoice, namesKept } from '../options/model-option.js';
import { contributeOptionsOf } from '../options/stage-options.js';
import { epochsOf, trainOptions } from '../options/train-options.js';
import {
  chooseBatch,
  chooseLoss,
  chooseOptimizer,
  type LossPart,
  type OptimizerPart,
  type Training,
} from '../plan/plan.js';
import { learningRules } from '../rules/model-rules.js';
import { firstBreach, pathOf } from '../rules/rule.js';
import { kernelOf } from '../run/kernel-of.js';
import { aborted } from '../setup/operators.js';
import { notLearned, trainingTokenizer } from '../stages/chosen-tokenizer.js';
import { learnTokenizer } from '../text/learn-tokenizer.js';
import { lossRefusal } from '../trainers/trainer-traits.js';
import { plainRequest } from './plain-request.js';
import { taskRequest } from './task-request.js';
import { type CheckedRequest, checkedRequest, type TrainRequest } from './train-request.js';

/** The result of `train`. */
export interface Trained {
  /** Tagger with the finished model. */
  readonly tagger: Tagger;
  /** Model file for `Tagger`, `readModel` and the command. */
  readonly bytes: Uint8Array;
  /** Mean loss per token of each pass, with its scores, mistakes and smallest margin, if any. */
  readonly passes: readonly PassRecord[];
  /** The pass of the weights, if `patience` kept the best ones. */
  readonly bestPass?: number;
  /** The fix if no pass has lowered the loss; else absent. */
  readonly stagnation?: string;
  /** Scores of the finished model on the held-out records. */
  readonly scores?: Scores;
  /** The last iteration of a batch optimizer: its objective, and the reason for stopping. */
  readonly iteration?: Iteration;
}

/**
 * Trains a tagger on labelled records in memory, and returns it with the bytes of its model file. It does what `tagstream train`
 * does for a pipeline file, without files.
 *
 * The same request gives the same bytes; a pipeline file with the same options gives the same weights.
 *
 * @param wanted the corpus, and either a `task` or features, a loss and an optimizer
 * @throws (rejects with) TagstreamError `config` or `template` for a wrong request; `empty-sentence` if no record is labelled;
 *   the error of a bad record; `numeric` if a loss is not finite
 * @example
 * const corpus = [
 *   { tokens: ['Anna', 'flew', 'to', 'Oslo'], tags: ['B-PER', 'O', 'O', 'B-LOC'] },
 *   { tokens: ['Oslo', 'is', 'cold'], tags: ['B-LOC', 'O', 'O'] },
 * ];
 * const { tagger } = await train({ corpus, features: { preset: 'ner' }, optimizer: lbfgs({ l2: 0.01 }) });
 * tagger.tag(['Anna', 'is', 'cold']) // => ['B-PER', 'O', 'O']
 * const best = await train({ corpus, task: 'ner' });
 * best.tagger.tag(['Oslo']) // => ['B-LOC']
 */
export async function train(wanted: TrainRequest): Promise<Trained> {
  const request = await taskRequest(plainRequest(wanted));
  const checked = checkedRequest(request);
  const plan = planTraining(request, checked);
  requireRules(plan);
  const kernel = request.kernel ?? kernelOf({ plan });
  const tokenizer = trainingTokenizer(checked.tokenize, checked.divider?.tokenizer);
  const documents = await textsOf(request, checked);
  const given = { kernel, tokenizer, tokenize: checked.tokenize };
  const model = createTrainingModel(plan, request, given);
  requireContext(model, plan);
  if (checked.divider !== undefined) model.tokenizer = checked.divider;
  else if (documents !== undefined && checked.tokenize?.tokenizer === 'learned')
    model.tokenizer = await tokenizerOf(documents, checked, request.signal);
  if (documents !== undefined && plan.columns !== undefined) {
    const sentences = await lastValueFrom(sentencesOf(documents, tokenizer));
    const { signal } = request;
    // A model without its learned tokenizer would be damaged.
    const isLearned = checked.tokenize?.tokenizer === 'learned';
    const createModel = () =>
      createTrainingModel(plan, request, { ...given, ...(isLearned && { tokenize: undefined }) });
    model.bundle = await learnColumns({ plan, sentences, column: 'tags', createModel, signal });
  }
  const { component, options: costs } = plan.loss;
  const outside = () => model.labels.find('O');
  const created = component.create(parseOptions(component.options, costs, component.name), {
    outside,
  });
  const loss = created.inTraining?.({ outside }) ?? created;
  const { options } = plan.train;
  const group = options.workers > 1 ? request.group : undefined;
  const trainee = createTrainee(
    plan.optimizer,
    { model, loss, train: options, group },
    { batch: { sentences: checked.batch } },
  );
  const { learner } = trainee;
  const asked = { learner, train: checked, usesPreset: checked.features.preset !== undefined };
  const heldOut = await heldOutOf(request, tokenizer);
  let corpus: readonly EncodedSentence[] = [];
  const { unlabelled } = checked.features;
  for (const label of unlabelled?.labels ?? []) model.labels.intern(label);
  const history = new TrainingHistory(() => loss.untrained?.(model.labels.size));
  let steps: Observable<TrainingStep> = from(documents ?? request.corpus).pipe(
    map((document, index) => requireRecord(document, index, 'corpus')),
    tokenize(tokenizer),
    unlabelled === undefined ? identity : learnUnlabelled(unlabelled.weight),
    featurize(model),
    trainee.over(settled => {
      corpus = settled;
      history.settle(settled);
    }),
  );
  const stopping =
    checked.patience === undefined
      ? undefined
      : new EarlyStopping(checked.patience, () => writeModel(learner, weightSelectionOf(asked)));
  if (stopping !== undefined) {
    if (heldOut === undefined) throw withoutHeldOut();
    steps = steps.pipe(evaluate(new HeldOutEvaluator(learner, heldOut), { stopping }));
  }
  const { signal, onStep } = request;
  if (signal !== undefined) steps = steps.pipe(takeUntil(aborted(signal)));
  let last: Iteration | undefined;
  const noted = steps.pipe(
    tap(step => {
      history.note(step);
      last = step.iteration;
      onStep?.(step);
    }),
  );
  await lastValueFrom(noted, { defaultValue: undefined });
  signal?.throwIfAborted();
  const finished = finishedModel({ ...asked, stopping, kernel }, true);
  const contents = finished.contents();
  const noter = new ModelNoter(model, contents, namesKept(checked.names));
  noter.addCorpus(corpus);
  const bytes = joined(
    modelPieces(
      contents,
      noter.notes(
        history.passes,
        { optimizer: plan.optimizer.component.name, epochs: epochsOf(options)! },
        options.margins,
      ),
    ),
  );
  const tagger = Tagger.fromBytes(bytes, { source: '<trained>' });
  const scores = heldOut && scoresOf(tagger.model, heldOut);
  return {
    tagger,
    bytes,
    passes: history.passes,
    ...(finished.bestPass === undefined ? {} : { bestPass: finished.bestPass }),
    ...(history.stagnation === undefined ? {} : { stagnation: history.stagnation }),
    ...(scores === undefined ? {} : { scores }),
    ...(last === undefined ? {} : { iteration: last }),
  };
}

/** Collects the records of a request, if a tokenizer or columns are learned from them first. */
async function textsOf(
  { corpus }: Pick<TrainRequest, 'corpus'>,
  { tokenize: chosen, divider, columns }: Pick<CheckedRequest, 'tokenize' | 'divider' | 'columns'>,
): Promise<readonly Document[] | undefined> {
  const isLearned = chosen?.tokenizer === 'learned' && divider === undefined;
  if (!isLearned && columns === undefined) return undefined;
  const checked = map((document: Document, index: number) =>
    requireRecord(document, index, 'corpus'),
  );
  return lastValueFrom(from(corpus).pipe(checked, toArray()));
}

function tokenizerOf(
  documents: readonly Document[],
  { tokenize: chosen, seed }: Pick<CheckedRequest, 'tokenize' | 'seed'>,
  signal: AbortSignal | undefined,
) {
  const raw = new RawText();
  for (const document of documents) raw.add(document);
  return learnTokenizer(raw.gold, { locale: chosen!.locale, seed, signal });
}

/** Inputs of a model in addition to its plan. */
interface ModelGiven extends Pick<ModelParts, 'kernel' | 'tokenize'> {
  readonly tokenizer: TokenizeOptions;
}

function createTrainingModel(
  { features }: Training,
  request: TrainRequest,
  { kernel, tokenizer, tokenize }: ModelGiven,
): Model {
  const lists = request.features?.resources;
  const resources =
    lists &&
    tokenizedLists(
      lists,
      // Before a tokenizer is learned, the default one splits names.
      tokenizer.tokenizer === notLearned
        ? regexTokenizer()
        : (tokenizer.tokenizer ?? regexTokenizer()),
    );
  return createEmptyModel(features, {
    kernel,
    columns: ['form'],
    tokenize,
    resources,
  });
}

/** @throws TagstreamError `config`, naming the option that cannot be combined with the others */
function requireRules(plan: Training): void {
  const breach = firstBreach(plan, learningRules);
  if (breach === undefined) return;
  const [first, ...steps] = pathOf(plan, breach.at);
  const path = first === 'workers' ? ['group'] : [first!, ...steps];
  throw new Checker({ value: {}, place: () => ({}) }).fail(path, breach.problem, breach.fix);
}

function withoutHeldOut(): TagstreamError {
  return new TagstreamError('config', 'patience needs records to score', {
    fix: 'give heldOut: labelled records that are not in the corpus',
  });
}

async function heldOutOf(
  { heldOut }: TrainRequest,
  tokenizer: ReturnType<typeof trainingTokenizer>,
): Promise<Sentence[] | undefined> {
  return heldOut === undefined ? undefined : lastValueFrom(sentencesOf(heldOut, tokenizer));
}

/** Returns all sentences of the given records, and settles the records. */
function sentencesOf(
  documents: ObservableInput<Document>,
  tokenizer: ReturnType<typeof trainingTokenizer>,
): Observable<Sentence[]> {
  const taken = tap(({ delivery }: Document) => {
    delivery?.release();
    delivery?.ack();
  });
  const checked = map((document: Document, index: number) =>
    requireRecord(document, index, 'heldOut'),
  );
  return from(documents).pipe(checked, taken, tokenize(tokenizer), toArray());
}

function scoresOf(model: Model, sentences: readonly Sentence[]): Scores {
  const encoded = encodeInOrder(model, sentences);
  return scoreSentences(model, model.parameters, new Decoder(model.kernel, model), encoded);
}

/**
 * Checks that a record in memory, which no codec has checked, is an object with a text or tokens, and a tag for each
 * token.
 *
 * @param index the record's index in the corpus, from 0
 * @throws TagstreamError `wrong-shape`, `length-mismatch`, naming the record
 */
function requireRecord(document: Document, index: number, list: string): Document {
  const place = { source: `${list}[${index}]` };
  if (typeof document !== 'object' || document === null) {
    throw new TagstreamError('wrong-shape', `it is ${JSON.stringify(document)}`, {
      place,
      fix: 'a labelled record is { tokens: [...], tags: [...] }; read files with documentSource',
    });
  }
  const { text, tokens } = document;
  if (typeof text !== 'string' && !Array.isArray(tokens)) {
    throw new TagstreamError('wrong-shape', 'it has neither text nor tokens', {
      place,
      fix: 'a labelled record is { tokens: [...], tags: [...] }',
    });
  }
  if (tokens === undefined) return document;
  requireTags(document, tokens.length, place);
  return document;
}

function requireTags(
  { tags, partialTags }: Document,
  length: number,
  place: { readonly source: string },
): void {
  const given = tags ?? partialTags;
  if (given !== undefined && given.length !== length) {
    const numbers = `${counted(length, 'token')} but ${counted(given.length, 'tag')}`;
    throw new TagstreamError('length-mismatch', numbers, { place, fix: 'give one tag per token' });
  }
  const odd = tags?.findIndex(tag => typeof tag !== 'string') ?? -1;
  if (odd < 0) return;
  throw new TagstreamError('wrong-shape', `tags[${odd}] is ${JSON.stringify(tags![odd])}`, {
    place,
    fix: 'give strings; put partial labels into partialTags, as in ["B-PER", null]',
  });
}

/** Default number of passes of an online optimizer, and default maximum number of iterations of a batch optimizer. */
const defaultEpochs = { online: 20, batch: 500, onePass: 1 } as const;

/**
 * Returns the plan of a request, which equals that of a pipeline file with the same options, except for its records.
 *
 * @throws TagstreamError `config` for an unknown loss, or a loss with wrong options
 */
function planTraining(
  { loss, group }: Pick<TrainRequest, 'loss' | 'group'>,
  checked: CheckedRequest,
): Training {
  const { features, trainer, scorer, hidden, covariance, batch, patience, columns, ...rest } =
    checked;
  const { templates, ...options } = features;
  const lines = templates === undefined ? {} : { templates: [templates].flat() };
  const named =
    trainer === undefined
      ? { path: ['optimizer'], options: rest.optimizer! }
      : { path: ['trainer'], options: trainer };
  const optimizer = chooseOptimizer(named, optimizers, trainers);
  const train = trainOptions.strip().parse(rest);
  return {
    kind: 'train',
    features: {
      path: ['features'],
      options: { ...options, ...lines },
      ...modelChoice({ ...rest, names: false, scorer, hidden, covariance }),
      modelPath: [],
      limit: undefined,
    },
    batch: chooseBatch({ path: [], options: { sentences: batch } }),
    loss: lossOf(loss, checked, optimizer),
    optimizer,
    evaluation:
      patience === undefined ? undefined : { path: [], options: { patience, best: false } },
    columns: columns && { path: ['columns'], options: columns },
    train: {
      path: [],
      options: {
        ...train,
        epochs: checked.epochs ?? defaultEpochsOf(optimizer),
        workers: group?.members ?? 1,
      },
    },
  };
}

function defaultEpochsOf(optimizer: OptimizerPart): number {
  if (optimizer.kind === 'batch') return defaultEpochs.batch;
  return optimizer.component.onePass === true ? defaultEpochs.onePass : defaultEpochs.online;
}

/** Returns the requested loss, or the first one that works with the scorer and the optimizer. */
function lossOf(
  loss: TrainRequest['loss'],
  { scorer }: CheckedRequest,
  optimizer: OptimizerPart,
): LossPart {
  const path = ['loss'];
  if (isLoss(loss)) {
    const component = lossWithoutOptions(loss) as unknown as LossComponent<never>;
    return { path, component, options: {} };
  }
  const fitting = losses.filter(each => fitsScorer(each, scorer));
  const first = fitting.find(each => lossRefusal(optimizer, each) === undefined) ?? fitting[0]!;
  const given = { loss: loss ?? first.name };
  const checker = new Checker({ value: given, place: () => ({}) });
  return chooseLoss({ path, options: checker.parse(schema, given) }, lossComponents);
}

const schema = contributeOptionsOf(lossComponents);

function isLoss(loss: TrainRequest['loss']): loss is Loss {
  return typeof loss === 'object' && 'apply' in loss;
}
