import { pipe } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import { withoutSecrets } from '../../../engine/core/secrets.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import { gazetteer } from '../../../engine/features/resources/gazetteer.js';
import { quantisedVectors } from '../../../engine/features/resources/quantised-vectors.js';
import {
  type QuantisedVectors,
  type Resources,
  requireEntries,
} from '../../../engine/features/resources/resources.js';
import { wordClusters } from '../../../engine/features/resources/word-clusters.js';
import { isModelAddress } from '../../../engine/interfaces/model-address.js';
import { readModel } from '../../../engine/models/files/model-file.js';
import type { Model } from '../../../engine/models/model.js';
import { restoreModelState } from '../../../engine/models/state/model-state.js';
import { featurize } from '../../../engine/operators/featurize.js';
import { learnUnlabelled } from '../../../engine/operators/learn-unlabelled.js';
import type { TokenizeOptions } from '../../../engine/operators/tokenize.js';
import { regexTokenizer } from '../../../engine/text/tokenizers/regex-tokenizer.js';
import { readText } from '../../../formats/reading/read-text.js';
import { readWordVectorsSync } from '../../io/vectors/read-word-vectors.js';
import { vectorsFile } from '../../io/vectors/vectors-file.js';
import type { PipelinePaths, RunContext } from '../definition/run-context.js';
import { defineStage, type StageFile } from '../definition/stage-component.js';
import { createEmptyModel, requireContext } from '../learners/empty-model.js';
import type { Encode } from '../learners/trainee.js';
import {
  featurizeOptions,
  modelFilesOf,
  type ResourceChoice,
  type VectorChoice,
  vectorChoice,
} from '../options/feature-options.js';
import { storedDivision } from '../options/tokenize-options.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import { requireNoContext } from '../setup/require-no-context.js';
import { restorePart } from '../setup/restore-run.js';
import { listTokenizer } from './tokenizer-file.js';

export const featurizeStage = defineStage({
  name: 'featurize',
  summary: 'extracts features from sentences, by templates or by those of a model',
  example: 'featurize: { templates: templates/chunking.tpl }',
  takes: ['sentence', 'document'],
  gives: 'encoded sentence',
  options: featurizeOptions,
  files: chosen => [
    ...(typeof chosen.templates === 'string'
      ? [{ file: chosen.templates, at: 'templates', what: 'the file of templates', whole: true }]
      : []),
    // A model from a registry has a file once the run has fetched it.
    ...modelFilesOf(chosen).flatMap(({ file }) =>
      isModelAddress(file)
        ? []
        : [{ file, at: 'model', what: 'the model that it tags with', whole: true }],
    ),
    ...resourceFiles(chosen),
    ...(chosen.from === undefined
      ? []
      : [{ file: chosen.from, at: 'from', what: 'the first model', whole: true }]),
  ],
});

/** The part of a plan that determines its model. */
type ModelPlan = Pick<TrainPlan | LearnPlan, 'source' | 'tokenize' | 'features'>;

/**
 * Builds the model of a plan that learns: from the checkpoint if the run resumes, else from a file, or a new one from
 * the plan's templates.
 *
 * @param part the model's part of the checkpoint
 * @throws TagstreamError `template`, `config`, `file`, `checkpoint`
 */
export function buildModel(plan: ModelPlan, context: RunContext, part = 'model'): Model {
  const { restored, kernel, catalogue, paths } = context;
  const { limit, options } = plan.features;
  if (restored === undefined) {
    const [first] = modelFilesOf(options);
    if (first === undefined) return createModel(plan, context);
    const { file } = first;
    return readModel(paths.read(file), paths.resolve(file), kernel, catalogue.functions);
  }
  return restorePart(restored, part, state =>
    restoreModelState(state, kernel, limit, catalogue.functions),
  );
}

/**
 * Encodes sentences for learning as rows of features.
 *
 * @param plan the plan, which also determines the treatment of sentences without labels
 */
export function encodeToLearn(
  { kind, features }: Pick<TrainPlan | LearnPlan, 'kind' | 'features'>,
  model: Model,
  { ledger }: Pick<RunContext, 'ledger'>,
): Encode {
  const check = kind === 'learn' && model.links !== undefined ? requirePairs(model) : undefined;
  const encode = featurize(model, check, ledger);
  const { unlabelled } = features.options;
  if (unlabelled === undefined) return encode;
  for (const label of unlabelled.labels ?? []) model.labels.intern(label);
  return pipe(learnUnlabelled(unlabelled.weight), encode);
}

/**
 * Returns a check for streams: links of three or more tokens have weights for all labels, which a growing model does
 * not know.
 */
function requirePairs(model: Model): (sentence: Sentence) => void {
  return sentence => {
    if (model.frozen) return;
    const wide = model.links!.linksOf(sentence).find(({ tokens }) => tokens.length > 2);
    if (wide === undefined) return;
    const problem = `a link "${wide.type}" of ${wide.tokens.length} tokens cannot be learned from on a stream`;
    throw new TagstreamError('wrong-shape', problem, {
      fix: 'train in passes over a corpus (train: { epochs }), or link two tokens',
    });
  };
}

/**
 * Rejects templates that need something that training does not provide.
 *
 * @throws TagstreamError `config`
 */
export function requireTrainable(plan: TrainPlan | LearnPlan, model: Model): void {
  requireContext(model, plan);
  // In passes over a corpus, each sentence keeps its context.
  if (plan.checkpoint !== undefined && plan.kind === 'learn') requireNoContext(model.spec);
}

function createModel(plan: ModelPlan, { paths, kernel, catalogue }: RunContext): Model {
  const { features, source, tokenize } = plan;
  const { component, options } = source;
  const { templates } = features.options;
  const codecOptions = withoutSecrets(component.codecOptions(options), true);
  return createEmptyModel(features, {
    kernel,
    columns: component.columns(options),
    tagColumn: options.tag as string | undefined,
    templates:
      typeof templates === 'string'
        ? { text: new TextDecoder().decode(paths.read(templates)), file: paths.resolve(templates) }
        : undefined,
    resources: readResources(features.options, paths, listTokenizer(tokenize?.options)),
    input: { codec: component.name, options: codecOptions },
    tokenize: storedDivision(tokenize?.options),
    used: { catalogue, source },
  });
}

/** Returns the files of the chosen lists. */
function resourceFiles(chosen: ResourceChoice): StageFile[] {
  const filesOf = (at: 'gazetteers' | 'clusters' | 'vectors', what: string) =>
    Object.values(chosen[at] ?? {}).map(choice => ({
      ...{ file: typeof choice === 'string' ? choice : choice.file, at, what, whole: true },
    }));
  return [
    ...filesOf('gazetteers', 'a gazetteer'),
    ...filesOf('clusters', 'a file of clusters'),
    ...filesOf('vectors', 'a file of word vectors'),
  ];
}

/**
 * Reads the lists that a stage names; undefined if it names none.
 *
 * @throws TagstreamError `file`, `invalid-utf8`, `wrong-shape`
 */
function readResources(
  { gazetteers, clusters, vectors }: ResourceChoice,
  paths: PipelinePaths,
  { tokenizer = regexTokenizer() }: TokenizeOptions,
): Resources | undefined {
  if (gazetteers === undefined && clusters === undefined && vectors === undefined) return undefined;
  const read = <Choice extends { readonly file: string; readonly fold: boolean }, List>(
    chosen: Readonly<Record<string, string | Choice>>,
    make: (text: string, fold: boolean, source: string, choice: Choice | undefined) => List,
  ) =>
    Object.fromEntries(
      Object.entries(chosen).map(([name, choice]) => {
        const named = typeof choice === 'string' ? undefined : choice;
        const source = paths.resolve(typeof choice === 'string' ? choice : choice.file);
        return [name, make(readText(source), named?.fold ?? false, source, named)];
      }),
    );
  return {
    ...(gazetteers === undefined
      ? {}
      : {
          gazetteers: read(gazetteers, (text, fold, source) =>
            requireEntries(gazetteer(text, { fold, tokenizer }), source),
          ),
        }),
    ...(clusters === undefined
      ? {}
      : {
          clusters: read(clusters, (text, fold, source, choice) => {
            const bits = choice?.bits === 'none' ? [] : choice?.bits;
            return wordClusters(text, { fold, source, bits });
          }),
        }),
    ...(vectors === undefined
      ? {}
      : {
          vectors: Object.fromEntries(
            Object.entries(vectors).map(([name, choice]) => [name, readVectors(choice, paths)]),
          ),
        }),
  };
}

function readVectors(choice: VectorChoice, paths: PipelinePaths): QuantisedVectors {
  const chosen = typeof choice === 'string' ? vectorChoice.parse({ file: choice }) : choice;
  const { file, words, fold, scale } = chosen;
  return quantisedVectors(readWordVectorsSync(vectorsFile(file, paths.resolve('.')), words), {
    fold,
    scale,
  });
}
