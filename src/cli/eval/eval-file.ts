import { lastValueFrom, tap } from 'rxjs';
import { counted } from '../../core/counted.js';
import { TagstreamError } from '../../core/errors.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { readPipesAhead } from '../../io/reading/read-pipes-ahead.js';
import { readsOnce } from '../../io/reading/reads-once.js';
import type { Evaluation } from '../../metrics/evaluation/evaluation.js';
import type {
  EvaluationReport,
  ModelComparison,
} from '../../metrics/evaluation/evaluation-report.js';
import { pairedBootstrap } from '../../metrics/evaluation/paired-bootstrap.js';
import { readTaggingModel } from '../../models/files/model-file.js';
import { kernels } from '../../models/kernels.js';
import type { Model } from '../../models/model.js';
import type { PluginParts } from '../../pipeline/plugins/plugin-parts.js';
import { inputCodec } from '../files/input-codec.js';
import { requireFilesApart } from '../files/require-files-apart.js';
import { requirePageFile } from '../files/require-page-file.js';
import { filesUsed, pluginsOf } from '../options/use-option.js';
import { formatScores } from '../report/format-scores.js';
import { readDictionary } from '../tag/tagging-options.js';
import type { EvalArguments } from './eval-arguments.js';
import { evaluateModel, type ModelEvaluation } from './evaluate-model.js';
import { type LabelledInput, sentencesOf } from './sentences-of.js';

/** Sentences with errors on the page, and resamples of the bootstrap, by default. */
const defaultErrors = 200;
const defaultResamples = 10_000;

/** What is asked, with its plug-ins. */
interface EvalWork extends EvalArguments {
  readonly plugins: PluginParts | undefined;
}

/** Scores a model on a labelled file; any bad record is an error, as scores on a part would mislead. */
export async function evalFile(given: EvalArguments): Promise<void> {
  const gold = given.gold === '' ? '-' : given.gold;
  requireReadable(gold, given);
  requirePageFile(given.html);
  requireFilesApart({
    reads: {
      'the labelled data': gold,
      'the model': given.model,
      'the other model': given.against,
      'the training data': given.train,
      'the learning curve': given.curve,
      'the dictionary': given.dictionary === false ? undefined : given.dictionary,
      'the plug-in': filesUsed(given),
    },
    writes: { 'the page': given.html },
  });
  await readPipesAhead([given.model, given.against, given.dictionary, given.curve]);
  const page = given.html === undefined ? undefined : await import('./write-eval-page.js');
  const curve = page?.readCurve(given);
  const plugins = await pluginsOf(given);
  const from = { ...given, plugins };
  const model = loaded(given.model, from);
  const input = await labelled(gold, from, model);
  const decoding = decodingOf(given);
  const evaluation = await evaluateModel(model, input, {
    decoding,
    probabilities: given.report === 'full' || page !== undefined,
    errors: page === undefined ? 0 : (given.errors ?? defaultErrors),
    vocabulary: await vocabulary(from, model),
  });
  const comparison = await compared(evaluation, gold, from);
  const report: EvaluationReport = {
    ...evaluation.report(),
    ...(comparison === undefined ? {} : { comparison }),
  };
  // A page that cannot be written does not take the scores along.
  await print(report, evaluation, given);
  await page?.writeEvalPage(given, { evaluation, report, curve });
}

/** The standard input and pipes can be read once. */
function requireReadable(gold: string, { against, train }: EvalArguments): void {
  if (against !== undefined && readsOnce(gold)) {
    const from = gold === '-' ? 'the standard input' : `the pipe ${gold}`;
    throw new TagstreamError('usage', `--against cannot be used with labelled data from ${from}`, {
      fix: 'name a file: both models have to read it',
    });
  }
  if (gold === '-' && train === '-') {
    throw new TagstreamError(
      'usage',
      '--train - cannot be used with labelled data from the standard input',
      {
        fix: 'name a file for one of them',
      },
    );
  }
}

async function print(
  report: EvaluationReport,
  evaluation: Evaluation,
  { json, report: length = 'short' }: EvalArguments,
): Promise<void> {
  const { words, comparison } = report;
  const scores = evaluation.scores();
  if (json === true) {
    const short = {
      ...scores,
      ...(words === undefined ? {} : { words }),
      ...(comparison === undefined ? {} : { comparison }),
    };
    process.stdout.write(`${JSON.stringify(length === 'full' ? report : short)}\n`);
    return;
  }
  const size = `${counted(scores.sentences, 'sentence')}, ${counted(scores.tokens, 'token')}`;
  process.stdout.write(`${size}: ${formatScores(scores)}\n`);
  if (length === 'short' && words === undefined && comparison === undefined) return;
  const { extraLines, textReport } = await import('../../reports/text-report.js');
  process.stdout.write(length === 'full' ? `\n${textReport(report)}` : extraLines(report));
}

/** Which tags are possible, for all models alike. */
function decodingOf({ transitions, dictionary }: EvalArguments): ModelEvaluation['decoding'] {
  return { transitions, dictionary: readDictionary(dictionary) };
}

function loaded(file: string, { kernel, plugins }: EvalWork): Model {
  return readTaggingModel(readBytes(file), file, kernels[kernel ?? 'simd'], plugins?.functions);
}

async function labelled(
  file: string,
  { format: named, plugins }: EvalWork,
  { spec }: Model,
): Promise<LabelledInput> {
  const hints = { file, named, spec, sources: plugins?.sources };
  return { file, codec: await inputCodec(hints, process.stdin) };
}

/** The words of the training data, if it was named. */
async function vocabulary(given: EvalWork, model: Model): Promise<ReadonlySet<string> | undefined> {
  if (given.train === undefined) return undefined;
  const words = new Set<string>();
  const sentences = sentencesOf(await labelled(given.train, given, model), model).pipe(
    tap(({ tokens }) => {
      for (const token of tokens) words.add(token);
    }),
  );
  await lastValueFrom(sentences, { defaultValue: undefined });
  return words;
}

/** This model against the other one, if there is one. */
async function compared(
  evaluation: Evaluation,
  gold: string,
  given: EvalWork,
): Promise<ModelComparison | undefined> {
  const { against, resamples = defaultResamples, seed = 1 } = given;
  if (against === undefined) return undefined;
  const model = loaded(against, given);
  const input = await labelled(gold, given, model);
  const other = await evaluateModel(model, input, {
    decoding: decodingOf(given),
    probabilities: false,
  });
  const spanScheme = evaluation.spanScheme && other.spanScheme;
  const result = pairedBootstrap(evaluation.counts, other.counts, { resamples, seed, spanScheme });
  return { against, scores: other.scores(), ...result };
}
