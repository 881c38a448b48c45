import { resolve } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { readInspected } from '../../engine/models/inspection/read-inspected.js';
import { kernels } from '../../engine/models/kernels.js';
import type { Model } from '../../engine/models/model.js';
import { requireApart } from '../../formats/files/require-apart.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import { readBytes, readPipesAhead } from '../../formats/reading/read-bytes.js';
import { textTable } from '../../reports/figures.js';
import { writeModelFile } from '../../runtime/io/writing/write-model-file.js';
import type { Pipeline } from '../../runtime/pipeline/definition/pipeline.js';
import { pipelineFiles } from '../../runtime/pipeline/definition/pipeline-files.js';
import { PipelinePaths } from '../../runtime/pipeline/definition/run-context.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import type { PluginParts } from '../../runtime/pipeline/plugins/plugin-parts.js';
import { type ExpertKind, makeExperts } from '../../runtime/pipeline/pool/make-experts.js';
import { type PooledModels, pooledModels } from '../../runtime/pipeline/pool/pooled-models.js';
import { requirePlace } from '../../runtime/pipeline/run/finish-run.js';
import { readSentences } from '../../runtime/pipeline/setup/read-sentences.js';
import { filesOf } from '../../runtime/pipeline/sources/source-component.js';
import { modelTokenizer } from '../../runtime/pipeline/stages/chosen-tokenizer.js';
import { sentencesOf } from '../eval/sentences-of.js';
import { inputCodec } from '../files/input-codec.js';
import { requireFilesApart } from '../files/require-files.js';
import { filesUsed, pluginsOf, type UseArguments } from '../options/use-option.js';
import { printJson, printText } from '../report/terminal.js';
import { textLog } from '../report/text-log.js';

/** Arguments of `pool`. */
export interface PoolArguments extends UseArguments {
  readonly models: readonly string[];
  /** Path of the pooled model. */
  readonly model: string;
  /** Held-out data: path of a labelled file, or of a pipeline file with a `test` section. */
  readonly data?: string | undefined;
  readonly format?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly set?: readonly string[] | undefined;
  /** Comma-separated numbers. */
  readonly weights?: string | undefined;
  /** Parameter of a Dirichlet prior on the weights. */
  readonly prior?: number | undefined;
  /** Number of experts to train with a pipeline file, instead of given models. */
  readonly experts?: number | undefined;
  readonly by: ExpertKind;
  readonly seed?: number | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Pools model files, or experts that it trains, and prints each one's weight and loss on the
 * held-out data.
 */
export async function poolFiles(given: PoolArguments): Promise<void> {
  if (given.set !== undefined && given.pipeline === undefined && given.experts === undefined) {
    throw new TagstreamError('usage', '--set needs --pipeline or --experts', {
      fix: 'name the pipeline file that has the setting',
    });
  }
  if (given.experts !== undefined) return poolExperts(given);
  const { models, model, data } = given;
  const weights = given.weights === undefined ? undefined : parsedWeights(given.weights);
  if (data === undefined && given.pipeline === undefined && weights === undefined) {
    throw new TagstreamError('usage', 'pool needs held-out data or weights', {
      fix: 'give --data FILE or --pipeline FILE to learn the weights from, or --weights 0.5,0.5',
    });
  }
  await readPipesAhead([...models, given.pipeline]);
  const pipeline = pipelineOf(given);
  requireFilesApart({
    reads: {
      'a model': models,
      'the held-out data': data ?? testFiles(pipeline),
      'the pipeline': given.pipeline,
      'the plug-in': filesUsed(given),
    },
    writes: { 'the pool': model },
  });
  requirePlace(model);
  const plugins = await pluginsOf(given);
  const experts = models.map(source => {
    return {
      source,
      ...readInspected(readBytes(source), source, kernels.simd64, plugins?.functions),
    };
  });
  const heldOut = await heldOutOf(given, pipeline, { model: experts[0]!.model, plugins });
  const pooled = pooledModels(experts, { weights, heldOut, prior: given.prior });
  writeModelFile(model, [pooled.bytes], plugins?.functions);
  print(pooled, given);
}

/** Trains experts with a pipeline file and pools them; progress is logged. */
async function poolExperts(given: PoolArguments): Promise<void> {
  const { models, model, experts: count, by, seed = 1, prior, set = [] } = given;
  const [file] = models;
  if (models.length > 1) {
    throw new TagstreamError('usage', '--experts takes a single pipeline file', {
      fix: 'name one pipeline file, which trains the experts',
    });
  }
  await readPipesAhead([file]);
  const pipeline = loadPipeline(file!, { set, use: given.use ?? [] });
  requireApart({
    reads: pipelineFiles(pipeline).reads,
    writes: [{ path: model, what: 'the pool' }],
  });
  requirePlace(model);
  const log = textLog('info');
  const made = await makeExperts(pipeline, {
    ...{ count: count!, by, seed },
    events: { onWarning: (code, message) => log.warn(message, { code }) },
    onExpert: (number, has) => log.info(`expert ${number}/${count}: ${has}`),
  });
  const { experts, heldOut } = made!;
  const pooled = pooledModels(experts, { heldOut, prior });
  writeModelFile(model, [pooled.bytes], pipeline.catalogue.functions);
  print(pooled, { ...given, models: experts.map(({ source }) => source) });
}

function pipelineOf({ pipeline: file, set = [] }: PoolArguments): Pipeline | undefined {
  if (file === undefined) return undefined;
  const pipeline = loadPipeline(file, { set });
  if (pipeline.test !== undefined) return pipeline;
  throw new TagstreamError('config', 'the pipeline has no held-out data', {
    place: { source: file },
    fix: 'add the section test, such as { conll: { files: [...], split: { every: 10, take: [9] } } }',
  });
}

function testFiles(pipeline: Pipeline | undefined): string[] | undefined {
  if (pipeline === undefined || pipeline.test!.component.generated !== undefined) return undefined;
  return filesOf(pipeline.test!.options).map(file => resolve(pipeline.baseDirectory, file));
}

async function heldOutOf(
  { data, format: named }: PoolArguments,
  pipeline: Pipeline | undefined,
  { model, plugins }: { readonly model: Model; readonly plugins: PluginParts | undefined },
): Promise<Sentence[] | undefined> {
  if (pipeline !== undefined) {
    const reading = { paths: new PipelinePaths(pipeline), tokenizer: modelTokenizer(model) };
    return readSentences(pipeline.test!, reading);
  }
  if (data === undefined) return undefined;
  const hints = { file: data, named, spec: model.spec, sources: plugins?.sources };
  const input = {
    name: data,
    files: [data],
    codec: await inputCodec(hints, standardStreams().stdin),
  };
  return lastValueFrom(sentencesOf(input, model).pipe(toArray()));
}

function print(pooled: PooledModels, { models, model, json }: PoolArguments): void {
  const { weights, heldOut, iteration, bytes } = pooled;
  if (json === true) {
    const experts = models.map((file, k) => ({
      ...{ file, weight: weights[k]! },
      ...(heldOut === undefined ? {} : { loss: heldOut.experts[k]! }),
      ...(heldOut?.divergences === undefined ? {} : { divergence: heldOut.divergences[k]! }),
    }));
    const { loss, sentences, tokens, omitted } = heldOut ?? {};
    const diversity = diversityOf(pooled);
    const size = { file: model, bytes: bytes.length };
    const held =
      heldOut === undefined
        ? {}
        : {
            loss,
            ...(diversity === undefined ? {} : { diversity }),
            heldOut: { sentences, tokens, omitted },
          };
    const learned = iteration === undefined ? {} : { evaluations: iteration.evaluations };
    printJson({ ...size, experts, ...held, ...learned });
    return;
  }
  const digits = (loss: number | undefined) => (loss === undefined ? [] : [loss.toFixed(4)]);
  const rows = models.map((file, k) => {
    return [
      ...[file, weights[k]!.toFixed(3)],
      ...digits(heldOut?.experts[k]),
      ...digits(heldOut?.divergences?.[k]),
    ];
  });
  const title = [
    ...(heldOut === undefined ? [] : ['loss per token']),
    ...(heldOut?.divergences === undefined ? [] : ['KL from the pool']),
  ];
  const last =
    heldOut === undefined
      ? []
      : [[model, '', ...digits(heldOut.loss), ...digits(diversityOf(pooled))]];
  printText(textTable([['model', 'weight', ...title], ...rows, ...last]));
  if (heldOut === undefined || heldOut.omitted === 0) return;
  const { omitted, sentences } = heldOut;
  printText(
    `${omitted} of ${omitted + sentences} sentences left out: no model has all of their labels\n`,
  );
}

/** Returns the weighted mean distance of the pool from its experts. */
function diversityOf({ weights, heldOut }: PooledModels): number | undefined {
  return heldOut?.divergences?.reduce((sum, each, k) => sum + weights[k]! * each, 0);
}

/**
 * Parses the numbers of `--weights`.
 *
 * @throws TagstreamError `usage` if a part is not a number
 * @example
 * parsedWeights('0.5, 1') // => [0.5, 1]
 */
export function parsedWeights(text: string): number[] {
  return text.split(',').map(part => {
    const number = part.trim() === '' ? Number.NaN : Number(part);
    if (Number.isFinite(number)) return number;
    throw new TagstreamError('usage', `--weights ${text}: "${part.trim()}" is not a number`, {
      fix: 'give a number for each model, such as 0.5,0.5',
    });
  });
}
