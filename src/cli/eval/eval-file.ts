import { resolve } from 'node:path';
import { filter, lastValueFrom, tap } from 'rxjs';
import { TagstreamError } from '../../engine/core/errors.js';
import { figureText } from '../../engine/core/figures.js';
import type { TaggedSentence } from '../../engine/core/sentence/sentence.js';
import { counted } from '../../engine/core/wording/numbers.js';
import {
  Evaluation,
  type EvaluationOptions,
  type EvaluationReport,
  type ModelComparison,
} from '../../engine/metrics/evaluation/evaluation.js';
import { pairedBootstrap } from '../../engine/metrics/evaluation/paired-bootstrap.js';
import type { DecodeOptions } from '../../engine/models/decoding/decode-options.js';
import { readTaggingModel } from '../../engine/models/files/model-file.js';
import { notedSample } from '../../engine/models/inspection/read-inspected.js';
import { SharedSentences, sentenceKey } from '../../engine/models/inspection/training-sample.js';
import { kernels } from '../../engine/models/kernels.js';
import type { Model } from '../../engine/models/model.js';
import type { ModelSpec } from '../../engine/models/model-spec.js';
import { batch } from '../../engine/operators/batch.js';
import { featurize } from '../../engine/operators/featurize.js';
import { tag } from '../../engine/operators/tag.js';
import { describeSchemes } from '../../engine/text/tags/detect-scheme.js';
import { SpanOpenings } from '../../engine/text/tags/span-openings.js';
import { isSpanScheme } from '../../engine/text/tags/tag-scheme.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import { sourceName } from '../../formats/reading/open-input.js';
import { readPipesAhead, readsOnce } from '../../formats/reading/read-bytes.js';
import { readModelBytes } from '../../runtime/io/read-model-bytes.js';
import { codecOf } from '../../runtime/pipeline/catalogue/codec-of.js';
import type { Pipeline } from '../../runtime/pipeline/definition/pipeline.js';
import {
  heldOutSource,
  modelFileOf,
  transportSetting,
} from '../../runtime/pipeline/definition/places.js';
import { readRulesFile } from '../../runtime/pipeline/options/rule-options.js';
import type { PluginParts } from '../../runtime/pipeline/plugins/plugin-parts.js';
import { sameFileWarning } from '../../runtime/pipeline/run/data-warnings.js';
import {
  type ChosenSource,
  filesOf,
  selectionOf,
} from '../../runtime/pipeline/sources/source-component.js';
import { readDictionary } from '../../runtime/pipeline/tagging/tagging-options.js';
import { chosenDivision, namedDivision, tokenizerFile } from '../files/chosen-division.js';
import { inputFormat } from '../files/input-format.js';
import { requireFilesApart, requirePageFile } from '../files/require-files.js';
import { filesUsed, pluginsOf } from '../options/use-option.js';
import { formatFigures, formatSkipped } from '../report/format-scores.js';
import { printJson, printText } from '../report/terminal.js';
import { textLog } from '../report/text-log.js';
import type { EvalArguments } from './eval-arguments.js';
import { ColumnScores } from './scored-text.js';
import { type LabelledInput, sentencesOf } from './sentences-of.js';

/** Default number of sentences with errors on the page, and of bootstrap resamples. */
const defaultErrors = 200;
const defaultResamples = 10_000;

/** Options supported for scores of given tokens, but not of raw text. */
const notFromText = ['report', 'rank', 'html', 'errors', 'train', 'against', 'curve'] as const;

/**
 * Rejects options that need gold tokens.
 *
 * @throws TagstreamError `usage`
 */
function refuseBesideText(given: EvalArguments): void {
  const other = notFromText.find(name => given[name] !== undefined);
  if (other === undefined) return;
  throw new TagstreamError('usage', `--from-text cannot be combined with --${other}`, {
    fix: `leave one of them out: --${other} needs the tokens of the file`,
  });
}

/** The request, including its plug-ins. */
interface EvalWork extends EvalArguments {
  readonly plugins: PluginParts | undefined;
}

/**
 * Scores a model on a labelled file, or on a pipeline's held-out data; any bad record is an error,
 * as scores on part of the data would mislead.
 */
export async function evalFile(named: EvalArguments): Promise<void> {
  const given = { ...named, gold: named.gold === '' ? '-' : named.gold };
  if (given.fromText === true) refuseBesideText(given);
  const pipeline = await pipelineOf(given);
  const gold = pipeline === undefined ? given.gold : heldOutFiles(pipeline);
  const file = chooseModel(given, pipeline);
  const { column, further = [] } = given;
  requireReadable(gold, given);
  requirePageFile(given.html);
  requireFilesApart({
    reads: {
      'the pipeline': pipeline?.file,
      'the labelled data': gold,
      'the model': [file, ...further.map(each => each.file)],
      'the model of the tokenizer': tokenizerFile(given),
      'the other model': given.against,
      'the training data': given.train,
      'the learning curve': given.curve,
      'the dictionary': given.dictionary === false ? undefined : given.dictionary,
      'the rules': given.rules,
      'the plug-in': filesUsed(given),
    },
    writes: { 'the page': given.html },
  });
  await readPipesAhead([
    file,
    ...further.map(each => each.file),
    tokenizerFile(given),
    given.against,
    given.dictionary,
    given.rules,
    given.curve,
  ]);
  const page = given.html === undefined ? undefined : await import('./write-eval-page.js');
  const curve = page?.readCurve(given);
  const plugins = await pluginsOf(given);
  const from = { ...given, plugins };
  const division = chosenDivision(given);
  const bytes = readModelBytes({ file, column, further, tokenizer: division?.model });
  const model = loaded(bytes, file, from, pipeline);
  // The source is read again each time, as a generated one is a stream.
  const tokenize = namedDivision(division, model.spec);
  const input = async () => ({ ...(await labelled(from, pipeline, model)), tokenize });
  const first = await input();
  if (given.fromText === true) {
    const { scoreFromText, printFromText } = await import('./eval-from-text.js');
    printFromText(await scoreFromText(model, first, decodingOf(given)), given.json === true);
    return;
  }
  const sample = notedSample(bytes, file);
  const decoding = decodingOf(given);
  const openings = new SpanOpenings();
  const columns = new ColumnScores();
  const shared = new SharedSentences();
  const trained = new Set<number>();
  const same = pipeline && sameFileWarning(pipeline, heldOutSource(pipeline), 'the held-out data');
  const evaluation = await evaluateModel(model, first, {
    decoding,
    probabilities: given.report === 'full' || page !== undefined,
    errors: page === undefined ? 0 : (given.errors ?? defaultErrors),
    rank: given.rank,
    vocabulary: await vocabulary(from, model, trained),
    onSentence: sentence => {
      columns.add(sentence);
      sample.look(sentence);
      if (given.train !== undefined) shared.add(sentence);
      openings.see(sentence.gold!, () => placeOf(sentence));
    },
  });
  for (const key of trained) shared.lookFor(key);
  const log = textLog('warn');
  const trainedOn = sample.isFound
    ? `${first.name} has sentences that the model was trained on, so the scores mean nothing; tagstream eval PIPELINE scores only the held-out part`
    : undefined;
  const warnings = [openings.warning, same ?? shared.warning(first.name) ?? trainedOn].filter(
    warning => warning !== undefined,
  );
  for (const warning of warnings) log.warn(warning);
  const comparison = await compared(evaluation, input, from, pipeline);
  const report: EvaluationReport = {
    ...evaluation.report(),
    ...(comparison === undefined ? {} : { comparison }),
  };
  // The scores are printed first, even if the page cannot be written.
  await print(report, { evaluation, columns: columns.scores, warnings }, given);
  await page?.writeEvalPage({ ...given, model: file }, { evaluation, report, curve, warnings });
}

/** Returns the pipeline whose held-out data is scored; undefined if a labelled file is named. */
async function pipelineOf({ gold, format }: EvalArguments): Promise<Pipeline | undefined> {
  if (!/\.ya?ml$/.test(gold) || format !== undefined) return undefined;
  await readPipesAhead([gold]);
  const { loadPipeline } = await import('../../runtime/pipeline/loading/load-pipeline.js');
  return loadPipeline(gold);
}

function heldOutFiles(pipeline: Pipeline): readonly string[] {
  return labelledSource(pipeline, heldOutSource(pipeline)).files;
}

/** @throws TagstreamError `usage` if no model is named */
function chooseModel({ model }: EvalArguments, pipeline: Pipeline | undefined): string {
  const file = pipeline === undefined ? model : modelFileOf(pipeline, { model });
  if (file !== undefined) return file;
  throw new TagstreamError('usage', '--model is missing', { fix: 'add --model and its value' });
}

/** Rejects inputs that can be read only once: the standard input and pipes. */
function requireReadable(
  gold: string | readonly string[],
  { against, train }: EvalArguments,
): void {
  const once = [gold].flat().find(readsOnce);
  if (against !== undefined && once !== undefined) {
    const from = once === '-' ? 'the standard input' : `the pipe ${once}`;
    throw new TagstreamError('usage', `--against cannot be used with labelled data from ${from}`, {
      fix: 'name a file: both models need to read it',
    });
  }
  if (once === '-' && train === '-') {
    throw new TagstreamError(
      'usage',
      '--train - cannot be used with labelled data from the standard input',
      { fix: 'name a file for one of them' },
    );
  }
}

async function print(
  report: EvaluationReport,
  {
    evaluation,
    columns,
    warnings,
  }: {
    evaluation: Evaluation;
    columns: ColumnScores['scores'];
    warnings: readonly string[];
  },
  { json, report: length = 'short' }: EvalArguments,
): Promise<void> {
  const { words, comparison } = report;
  const scores = evaluation.scores();
  if (json === true) {
    const short = {
      ...scores,
      ...(columns === undefined ? {} : { columns }),
      ...(words === undefined ? {} : { words }),
      ...(comparison === undefined ? {} : { comparison }),
    };
    const full = { ...report, ...(columns && { columns }) };
    printJson({ ...(length === 'full' ? full : short), warnings });
    return;
  }
  const size = `${counted(scores.sentences, 'sentence')}, ${counted(scores.tokens, 'token')}`;
  printText(`${size}${formatSkipped(scores)}: ${formatFigures(scores)}\n`);
  if (scores.schemes !== undefined) printText(`${describeSchemes(scores.schemes)}\n`);
  for (const [name, { accuracy }] of Object.entries(columns ?? {})) {
    printText(`${name}: accuracy ${figureText(accuracy)} %\n`);
  }
  const more = words ?? comparison ?? scores.rank;
  if (length === 'short' && more === undefined) return;
  const { extraLines, textReport } = await import('../../reports/text-report.js');
  printText(length === 'full' ? `\n${textReport(report)}` : extraLines(report));
}

/** Returns which tags are possible, the same for all models. */
function decodingOf({
  transitions,
  dictionary,
  rules,
}: EvalArguments): ModelEvaluation['decoding'] {
  const ruled = rules === undefined ? {} : { rules: readRulesFile(rules) };
  return { transitions, dictionary: readDictionary(dictionary), ...ruled };
}

function loaded(
  bytes: Uint8Array,
  file: string,
  { kernel, plugins }: EvalWork,
  pipeline: Pipeline | undefined,
): Model {
  const functions = plugins?.functions ?? pipeline?.catalogue.functions;
  return readTaggingModel(bytes, file, kernels[kernel ?? 'simd'], functions);
}

async function labelled(
  given: EvalWork,
  pipeline: Pipeline | undefined,
  { spec }: Model,
): Promise<LabelledInput> {
  if (pipeline === undefined) return labelledFile(given.gold, given, spec);
  return labelledSource(pipeline, heldOutSource(pipeline));
}

/** Returns the words of the training data if it was named, and adds its sentence keys. */
async function vocabulary(
  given: EvalWork,
  model: Model,
  keys: Set<number>,
): Promise<ReadonlySet<string> | undefined> {
  if (given.train === undefined) return undefined;
  const words = new Set<string>();
  const pipeline = await pipelineOf({ ...given, gold: given.train });
  const input =
    pipeline === undefined
      ? await labelledFile(given.train, given, model.spec)
      : labelledSource(pipeline, pipeline.source);
  const sentences = sentencesOf(input, model).pipe(
    tap(({ tokens }) => {
      for (const token of tokens) words.add(token);
      keys.add(sentenceKey(tokens));
    }),
  );
  await lastValueFrom(sentences, { defaultValue: undefined });
  return words;
}

function placeOf({ delivery, document }: TaggedSentence): string {
  const position = delivery?.position;
  if (position === undefined) return `record ${document.id ?? ''}`;
  return `${sourceName(position.source)}:${position.line}`;
}

/** Compares this model with the other one, if there is one. */
async function compared(
  evaluation: Evaluation,
  input: () => Promise<LabelledInput>,
  given: EvalWork,
  pipeline: Pipeline | undefined,
): Promise<ModelComparison | undefined> {
  const { against, resamples = defaultResamples, seed = 1 } = given;
  if (against === undefined) return undefined;
  const { model: tokenizer } = chosenDivision(given) ?? {};
  const model = loaded(readModelBytes({ file: against, tokenizer }), against, given, pipeline);
  const other = await evaluateModel(model, await input(), {
    decoding: decodingOf(given),
    probabilities: false,
  });
  const spanScheme = evaluation.spanScheme && other.spanScheme;
  const result = pairedBootstrap(evaluation.counts, other.counts, { resamples, seed, spanScheme });
  return { against, scores: other.scores(), ...result };
}

/** Options for reading a labelled file. */
interface FileHints {
  readonly format?: string | undefined;
  readonly plugins: PluginParts | undefined;
}

/**
 * Returns a labelled file as an input, in the named or detected format, with its `split` and `limit`.
 */
async function labelledFile(
  file: string,
  { format: named, plugins }: FileHints,
  spec: ModelSpec,
): Promise<LabelledInput> {
  const sources = plugins?.sources;
  const format = await inputFormat(
    { file, named, spec, sources, selects: true },
    standardStreams().stdin,
  );
  return {
    ...{ name: file, files: [file], codec: codecOf(format, sources) },
    selection: selectionOf(format.options),
  };
}

/** Returns a source of a pipeline file as an input. */
function labelledSource(
  { baseDirectory, file: name }: Pipeline,
  { component, options }: ChosenSource,
): LabelledInput {
  const path = (file: string) => (file === '-' ? file : resolve(baseDirectory, file));
  return {
    ...{ name, files: filesOf(options).map(path), codec: component.codec(options) },
    transport: component.transport?.(options, transportSetting({ resolve: path }, false)),
    stdin: component.generated?.(options),
    selection: selectionOf(options),
  };
}

/** Number of sentences decoded at once. */
const batchSize = 64;

/** Outputs of the tagger, besides tags, for the full report. */
const withProbabilities: DecodeOptions = { marginals: true, spanProbabilities: true };

/** Options of an evaluation of a model. */
interface ModelEvaluation extends Omit<EvaluationOptions, 'spanScheme' | 'scheme'> {
  /** Whether to compute probabilities, for the calibration. */
  readonly probabilities: boolean;
  /** Receives each scored sentence. */
  readonly onSentence?: (sentence: TaggedSentence) => void;
  /** Options that determine which tags are possible. */
  readonly decoding: Pick<DecodeOptions, 'transitions' | 'dictionary' | 'rules'>;
}

/**
 * Tags the labelled sentences of a file in batches, and scores them.
 *
 * @throws TagstreamError `empty-sentence` if there are none, and the error of the first bad record
 */
export async function evaluateModel(
  model: Model,
  input: LabelledInput,
  { probabilities, decoding, onSentence, ...options }: ModelEvaluation,
): Promise<Evaluation> {
  const evaluation = new Evaluation({
    ...{ ...options, spanScheme: isSpanScheme(model.scheme) },
    scheme: model.reportedScheme,
  });
  const { emptyTag } = input.codec;
  let hasValues = emptyTag === undefined;
  const tagged = sentencesOf(input, model).pipe(
    filter(({ tags }) => {
      if (tags === undefined) evaluation.skip();
      return tags !== undefined;
    }),
    featurize(model),
    batch({ sentences: batchSize }),
    // Constraints in a record would help the tagger.
    tag(model, {
      ...decoding,
      constraints: false,
      ...(probabilities ? withProbabilities : {}),
      nbest: options.rank,
    }),
    tap(sentence => {
      onSentence?.(sentence);
      hasValues ||= sentence.gold!.some(tag => tag !== emptyTag);
      evaluation.add(sentence);
    }),
  );
  await lastValueFrom(tagged, { defaultValue: undefined });
  if (evaluation.counts.length > 0 && hasValues) return evaluation;
  const { skipped = 0 } = evaluation.scores();
  const found =
    !hasValues && evaluation.counts.length > 0
      ? `the tag column contains only ${emptyTag}`
      : skipped === 0
        ? 'there are none'
        : `none of ${skipped} has a gold tag for each token`;
  throw new TagstreamError('empty-sentence', `no sentence can be scored: ${found}`, {
    place: { source: input.name },
    fix: 'check the format and the column of the tags',
  });
}
