import { from, lastValueFrom, tap } from 'rxjs';
import { joined } from '../../../engine/core/arrays.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Column } from '../../../engine/core/sentence/document.js';
import { knownTags } from '../../../engine/core/sentence/partial-tag.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import { parseTemplates } from '../../../engine/features/template/parse-templates.js';
import type { BundledLayers, StoredLayer } from '../../../engine/models/bundled-layers.js';
import {
  choosesValues,
  columnsBeside,
  looksAtWordsAlone,
} from '../../../engine/models/decoding/chosen-values.js';
import { FirstModel } from '../../../engine/models/decoding/first-model.js';
import { Layer } from '../../../engine/models/decoding/layer-tagger.js';
import {
  layersOf,
  modelPieces,
  readTaggingModel,
} from '../../../engine/models/files/model-file.js';
import { TrainingHistory } from '../../../engine/models/learning/training-history.js';
import type { Model } from '../../../engine/models/model.js';
import { featurize } from '../../../engine/operators/featurize.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import type { LabelCodec, ValuedToken } from '../../../engine/text/labels/label-codec.js';
import { labelCodecs, plainLabels } from '../../../engine/text/labels/label-codecs.js';
import { trainers } from '../catalogue/trainers.js';
import { createEmptyModel } from '../learners/empty-model.js';
import { finishedModel } from '../learners/finished-model.js';
import { createTrainee } from '../learners/learner-of.js';
import type { ColumnOptions } from '../options/column-options.js';
import { chooseOptimizer, type Training } from '../plan/plan.js';
import { createLoss } from '../stages/contribute.js';

/** Number of parts of the corpus; each is tagged by a model trained on the others. */
export const folds = 4;

/** Maximum number of passes of the models of parts, whose predictions on unseen sentences hardly improve with more. */
export const mostPasses = 5;

/** The data from which columns are learned. */
export interface ColumnTraining {
  readonly plan: Training;
  /** The corpus in order, with gold tags and gold columns. */
  readonly sentences: readonly Sentence[];
  /** The column of the model's own tags. */
  readonly column: string;
  /** Returns an empty model for these tags. */
  readonly createModel: () => Model;
  /** Called before each column. */
  readonly onColumn?: (name: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Learns the further columns of a model one after the other, each from the predicted columns before it. Jack-knifing
 * predicts the columns that a later one uses: each of four parts of the corpus by a model trained on the other three.
 *
 * @throws (rejects with) TagstreamError `unknown-column` if no record has a column, `template`
 */
export async function learnColumns(given: ColumnTraining): Promise<BundledLayers | undefined> {
  const { plan, column: first, createModel, signal } = given;
  if (plan.columns === undefined) return undefined;
  const { base, makers } = makersOf(given);
  const looked = predictedColumns(makers);
  // A model must not read gold columns that will be predicted.
  const learned = new Set([first, ...makers.map(({ name }) => name)]);
  const inputs = given.sentences.map(sentence => ({
    ...sentence,
    columns: Object.fromEntries(
      Object.entries(sentence.columns).filter(([name]) => !learned.has(name)),
    ) as Record<string, Column>,
  }));
  const train = (name: string, model: Model, labelled: readonly Sentence[], isPart: boolean) => {
    const optimizer = optimizerOf(plan, name);
    return trained({ ...plan, optimizer }, model, labelled, { name, isPart, signal });
  };
  /** Adds a column to the inputs, each part predicted by a model trained on the others. */
  const predict = async (name: string, learn: (others: readonly number[]) => Promise<Predict>) => {
    if (!looked.has(name)) return;
    const numbers = inputs.map((_, s) => s);
    const run = Math.ceil(numbers.length / folds);
    for (let from = 0; from < numbers.length; from += run) {
      const valuesOf = await learn([...numbers.slice(0, from), ...numbers.slice(from + run)]);
      const part = numbers.slice(from, from + run);
      for (const [i, values] of valuesOf(part).entries()) inputs[from + i]!.columns[name] = values;
    }
  };
  await predict(first, async others => {
    const labelled = others.map(s => given.sentences[s]!);
    const bytes = await train(first, createModel(), labelled, true);
    const tagger = new FirstModel(readTaggingModel(bytes, `<${first}>`), bytes);
    return part => part.map(s => tagger.tagsOf(unlabelled(given.sentences[s]!)));
  });
  const gold = given.sentences.map(sentence => goldColumns(sentence, first));
  const layers: StoredLayer[] = [];
  for (const maker of makers) {
    const { name, create, codec, by, sees, isOfWords } = maker;
    signal?.throwIfAborted();
    given.onColumn?.(name);
    const labelled = labelledFor(maker, inputs, gold);
    const learn = (sentences: readonly Sentence[], isPart: boolean) =>
      train(name, create(), isOfWords ? distinctWords(sentences, sees) : sentences, isPart);
    layers.push({ column: name, codec, by, bytes: await learn(labelled, false) });
    await predict(name, async others => {
      const bytes = await learn(
        others.map(s => labelled[s]!),
        true,
      );
      const layer = new Layer(
        { column: name, codec, by, bytes },
        readTaggingModel(bytes, `<${name}>`),
      );
      return part => layer.valuesOf(part.map(s => inputs[s]!));
    });
  }
  const { kernel, spec } = base;
  return layersOf(
    { column: first, layers },
    { source: '<columns>', kernel, functions: spec.functions ?? new Map() },
  );
}

/** Returns the optimizer of a column: its own, or that of the tags. */
function optimizerOf(plan: Training, name: string): Training['optimizer'] {
  const own = plan.columns?.options[name]?.optimizer;
  const path = ['columns', name, 'optimizer'];
  return own === undefined
    ? plan.optimizer
    : chooseOptimizer({ path, options: own }, optimizers, trainers);
}

/** Returns what makes each column, in order, and a model without them. */
function makersOf(given: ColumnTraining): { readonly base: Model; readonly makers: ColumnMaker[] } {
  const { plan, column: first, createModel } = given;
  const columns = Object.entries(plan.columns?.options ?? {});
  const base = createModel();
  const makers = columns.map(([name, options], i): ColumnMaker => {
    const before = [first, ...columns.slice(0, i).map(([each]) => each)];
    const create = () => emptyModel(base, plan, options, before);
    const by = options.as === plainLabels.name ? undefined : (options.by ?? first);
    const codec = codecOf(given, name, options, by);
    const { extractor } = create();
    const sees = columnsBeside(extractor);
    const isOfWords = choosesValues(codec) && looksAtWordsAlone(extractor);
    return { ...{ name, create, codec, by, sees, isOfWords } };
  });
  return { base, makers };
}

/** Returns sentences with the labels of a column as tags; without tags where it has no values. */
function labelledFor(
  { name, codec, by, isOfWords }: ColumnMaker,
  inputs: readonly Sentence[],
  gold: readonly Readonly<Record<string, Column>>[],
): Sentence[] {
  return inputs.map((sentence, s): Sentence => {
    const { tags: _, partialTags: __, ...rest } = sentence;
    const values = gold[s]![name];
    if (values === undefined) return rest;
    const tags = by === undefined ? undefined : gold[s]![by];
    const labels = values.map(
      (value, t) =>
        codec.encode({ form: sentence.tokens[t]!, tag: tags && String(tags[t]) }, String(value)) ??
        null,
    );
    return { ...rest, columns: isOfWords ? gold[s]! : rest.columns, ...knownTags(labels) };
  });
}

/** The trainings of a column, as an estimate sees them. */
export interface ColumnSample {
  readonly name: string;
  /** An empty model. */
  readonly model: Model;
  /** What it learns from, with gold columns; distinct words if `isOfWords`. */
  readonly sentences: readonly Sentence[];
  /** Number of these sentences that the first half of the sample has. */
  readonly half: number;
  readonly optimizer: Training['optimizer'];
  readonly isOfWords: boolean;
  /** Bytes of the data of its codec in a model file. */
  readonly codecBytes: number;
  /** Whether the column is predicted in the corpus too, by models of parts. */
  readonly isPredicted: boolean;
}

/** The samples of all columns, and whether the tags are predicted in the corpus too. */
export interface ColumnSamples {
  readonly columns: readonly ColumnSample[];
  readonly predictsTags: boolean;
}

/** Returns what the columns of a plan would learn from a sample of the corpus; leaves out columns without values in it. */
export function sampleColumns(given: ColumnTraining): ColumnSamples {
  const { sentences, column: first, plan } = given;
  const half = Math.ceil(sentences.length / 2);
  const gold = sentences.map(sentence => goldColumns(sentence, first));
  const options = Object.entries(plan.columns?.options ?? {}).filter(([name]) =>
    gold.some(columns => columns[name]?.some(value => String(value) !== '_')),
  );
  const columns = plan.columns && { ...plan.columns, options: Object.fromEntries(options) };
  const { makers } = makersOf({ ...given, plan: { ...plan, columns } });
  const looked = predictedColumns(makers);
  const inputs = sentences.map((sentence, s) => ({ ...sentence, columns: gold[s]! }));
  const samples = makers.map((maker): ColumnSample => {
    const { name, sees, isOfWords, codec } = maker;
    const labelled = labelledFor(maker, inputs, gold);
    const learned = (some: readonly Sentence[]) =>
      isOfWords ? distinctWords(some, sees) : some.filter(isLabelled);
    return {
      ...{ name, isOfWords, model: maker.create(), optimizer: optimizerOf(plan, name) },
      sentences: learned(labelled),
      half: learned(labelled.slice(0, half)).length,
      codecBytes: JSON.stringify(codec).length,
      isPredicted: looked.has(name),
    };
  });
  return { columns: samples, predictsTags: looked.has(first) };
}

function isLabelled({ tags, partialTags }: Sentence): boolean {
  return (tags ?? partialTags) !== undefined;
}

/** Predicts a column of some sentences, given by index. */
type Predict = (part: readonly number[]) => Column[];

function unlabelled(sentence: Sentence): Sentence {
  const { tags: _, partialTags: __, delivery: ___, ...rest } = sentence;
  return rest;
}

/** A column to be learned. */
interface ColumnMaker {
  readonly name: string;
  readonly create: () => Model;
  readonly codec: LabelCodec;
  /** The column that the codec uses. */
  readonly by: string | undefined;
  /** The columns that its templates read. */
  readonly sees: readonly string[];
  /** Whether it is learned from distinct words, each once, with gold columns. */
  readonly isOfWords: boolean;
}

/** Returns the columns that must be predicted in the corpus: those read by a column that is learned from sentences. */
function predictedColumns(makers: readonly ColumnMaker[]): ReadonlySet<string> {
  const looked = new Set<string>();
  for (const { name, by, sees, isOfWords } of makers.toReversed()) {
    const isPredicted = looked.has(name);
    if (isPredicted || !isOfWords) for (const column of sees) looked.add(column);
    if (isPredicted && by !== undefined) looked.add(by);
  }
  return looked;
}

/** Returns the columns of a record, including its tags. */
function goldColumns({ tags, columns }: Sentence, first: string): Readonly<Record<string, Column>> {
  return tags === undefined ? columns : { ...columns, [first]: tags };
}

/** @throws TagstreamError `unknown-column` if no record has the column, or its only value is `_` */
function codecOf(
  { sentences, column: first }: ColumnTraining,
  name: string,
  { as }: ColumnOptions,
  by: string | undefined,
): LabelCodec {
  const tokens: ValuedToken[] = [];
  let hasValues = false;
  for (const sentence of sentences) {
    const gold = goldColumns(sentence, first);
    const tags = by === undefined ? undefined : gold[by];
    for (const [t, each] of (gold[name] ?? []).entries()) {
      const value = String(each);
      hasValues ||= value !== '_';
      tokens.push({ form: sentence.tokens[t]!, tag: tags && String(tags[t]), value });
    }
  }
  if (hasValues) return labelCodecs.find(({ name: kind }) => kind === as)!.learn(tokens);
  const present = [...new Set(sentences.flatMap(({ columns }) => Object.keys(columns)))];
  throw new TagstreamError(
    'unknown-column',
    `columns.${name}: no record has values in the column "${name}"`,
    { fix: `choose a column of the records: ${present.join(', ') || 'they have none'}` },
  );
}

/** Returns templates for earlier columns: at three positions, and combined with the word. */
function columnTemplates(before: readonly string[]): string[] {
  return before.flatMap((name, i) => [
    `Ucolumn${i}a:%x[0,${name}]`,
    `Ucolumn${i}b:%x[-1,${name}]`,
    `Ucolumn${i}c:%x[1,${name}]`,
    `Ucolumn${i}d:%x[-1,${name}]/%x[0,${name}]`,
    `Ucolumn${i}e:%x[0,${name}]/%x[1,${name}]`,
    `Ucolumn${i}f:%x[0,0]/%x[0,${name}]`,
  ]);
}

/** Returns the empty model of a column, with its own templates if it has any, else those of the model. */
function emptyModel(
  base: Model,
  plan: Training,
  options: ColumnOptions,
  before: readonly string[],
): Model {
  const { features } = plan;
  const { preset, templates, cutoff, support, compressed, prune, parts } = options;
  const { resources, functions } = base.spec;
  const text = templates?.join('\n');
  if (text !== undefined) parseTemplates(text, undefined, functions);
  const isOwn = preset !== undefined || templates !== undefined;
  const lines = isOwn ? templates : [base.spec.templates, ...columnTemplates(before)];
  const { dictionary: _, encode: __, ...shared } = features.options;
  const own = {
    ...features,
    options: {
      ...shared,
      ...{ preset, templates: lines, cutoff, support, compressed },
      columns: ['form', ...before],
      from: undefined,
    },
    structure: { prune, parts },
    hidden: undefined,
  } as unknown as Training['features'];
  return createEmptyModel(own, { kernel: base.kernel, columns: [], resources });
}

async function trained(
  plan: Training,
  model: Model,
  sentences: readonly Sentence[],
  {
    name,
    isPart,
    signal,
  }: { readonly name: string; readonly isPart: boolean; readonly signal: AbortSignal | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  const { options } = plan.train;
  const { start: _, cluster: __, ...shared } = options;
  const isShort = isPart && plan.optimizer.kind !== 'batch';
  const epochs = isShort ? Math.min(mostPasses, options.epochs ?? 1) : options.epochs;
  const train = { ...shared, epochs, workers: 1, ...(isShort ? { seeds: 1 } : {}) };
  const loss = createLoss(plan.loss, model);
  const history = new TrainingHistory(() => loss.untrained?.(model.labels.size));
  const trainee = createTrainee(
    plan.optimizer,
    { model, loss, train },
    { batch: { sentences: plan.batch.options.sentences ?? 1 }, signal },
  );
  const steps = from(sentences.filter(isLabelled)).pipe(
    featurize(model),
    trainee.over(settled => history.settle(settled)),
    tap(step => history.note(step, `the column "${name}"`)),
  );
  await lastValueFrom(steps, { defaultValue: undefined });
  signal?.throwIfAborted();
  const asked = { learner: trainee.learner, train: options, usesPreset: true };
  const finished = finishedModel({ ...asked, kernel: model.kernel }, true);
  return joined(modelPieces(finished.contents()));
}

/** A word with the columns that distinguish it, and how often it has each label. */
interface Word {
  readonly form: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly labels: Map<string, number>;
}

/**
 * Returns each distinct word of labelled sentences, as a sentence of one token with its most frequent label, in order
 * of first occurrence; skips tokens without a label.
 *
 * @param columns columns in which distinct words may differ
 */
function distinctWords(sentences: readonly Sentence[], columns: readonly string[]): Sentence[] {
  const words = new Map<string, Word>();
  for (const { tokens, columns: all, tags, partialTags } of sentences) {
    for (const [t, label] of (tags ?? partialTags ?? []).entries()) {
      if (typeof label !== 'string') continue;
      const form = tokens[t]!;
      const own = columns.map(name => all[name]?.[t]);
      const key = JSON.stringify([form, ...own]);
      let word = words.get(key);
      if (word === undefined) {
        const values = columns.flatMap((name, i) =>
          own[i] === undefined ? [] : [[name, [own[i]]]],
        );
        word = { form, columns: Object.fromEntries(values), labels: new Map() };
        words.set(key, word);
      }
      word.labels.set(label, (word.labels.get(label) ?? 0) + 1);
    }
  }
  const part = { index: 0, count: 1, start: 0 };
  return [...words.values()].map(({ form, columns: own, labels }) => {
    const [[label] = ['']] = [...labels].sort(([, a], [, b]) => b - a);
    return { tokens: [form], columns: own, tags: [label], document: {}, part };
  });
}
