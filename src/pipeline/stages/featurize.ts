import { pipe } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import { withoutSecrets } from '../../core/secrets.js';
import { withPredictedTemplates } from '../../features/presets/predicted-templates.js';
import { presetTemplates } from '../../features/presets/preset-templates.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { withConjunctions } from '../../features/template/with-conjunctions.js';
import { isModelAddress } from '../../io/nats/registry/model-address.js';
import { Model } from '../../models/model.js';
import type { ModelSpec } from '../../models/model-spec.js';
import { specTemplates } from '../../models/spec-templates.js';
import { restoreModelState } from '../../models/state/model-state.js';
import { featurize } from '../../operators/featurize.js';
import { learnUnlabelled } from '../../operators/learn-unlabelled.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage } from '../definition/stage-component.js';
import type { Encode } from '../learners/trainee.js';
import { featurizeOptions, indexSpecOf } from '../options/feature-options.js';
import { structureSpecOf } from '../options/structure-options.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import { usedIn } from '../plugins/used-in.js';
import { requireNoContext } from '../setup/require-no-context.js';
import { restorePart } from '../setup/restore-run.js';
import { chosenTokenizer } from './chosen-tokenizer.js';
import { readResources, resourceFiles } from './read-resources.js';

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
    // One of a registry has a file once the run has fetched it.
    ...(chosen.model === undefined || isModelAddress(chosen.model)
      ? []
      : [{ file: chosen.model, at: 'model', what: 'the model that it tags with', whole: true }]),
    ...resourceFiles(chosen),
    ...(chosen.from === undefined
      ? []
      : [{ file: chosen.from, at: 'from', what: 'the first model', whole: true }]),
  ],
});

/** What a model is made of beside its context. */
type ModelPlan = Pick<TrainPlan | LearnPlan, 'source' | 'tokenize' | 'features'>;

/**
 * The model of a plan that learns: that of the checkpoint where the run resumes, else a new one by its templates.
 *
 * @throws TagstreamError `template`, `config`, `file`, `checkpoint`
 */
export function buildModel(plan: ModelPlan, context: RunContext): Model {
  const { restored, kernel, catalogue } = context;
  if (restored === undefined) return createModel(plan, context);
  const { limit } = plan.features;
  return restorePart(restored, 'model', state =>
    restoreModelState(state, kernel, limit, catalogue.functions),
  );
}

/**
 * Sentences to rows of features, for those that are learned from.
 *
 * @param plan says what becomes of sentences without labels, too
 */
export function encodeToLearn(
  { features }: Pick<ModelPlan, 'features'>,
  model: Model,
  { ledger }: Pick<RunContext, 'ledger'>,
): Encode {
  const encode = featurize(model, undefined, ledger);
  const { unlabelled } = features.options;
  if (unlabelled === undefined) return encode;
  for (const label of unlabelled.labels ?? []) model.labels.intern(label);
  return pipe(learnUnlabelled(unlabelled.weight), encode);
}

/**
 * Refuses templates that look at what the training does not have.
 *
 * @throws TagstreamError `config`
 */
export function requireTrainable(plan: TrainPlan | LearnPlan, { extractor, spec }: Model): void {
  const { from } = plan.features.options;
  if (extractor.readsLexicon && plan.kind === 'learn') throw withoutLexicon();
  if (from === undefined && extractor.readsPredictions) throw withoutFirst();
  if (from !== undefined && (plan.kind === 'learn' || plan.train.options.cluster !== undefined)) {
    throw stackedElsewhere();
  }
  // In passes over a corpus each sentence keeps its context.
  if (plan.checkpoint !== undefined && plan.kind === 'learn') requireNoContext(spec);
}

/** That a stream is to say of its words what only a whole corpus can. */
function withoutLexicon(): TagstreamError {
  return new TagstreamError(
    'config',
    '%seen looks at what the whole training corpus says of a word',
    {
      fix: 'train in passes (train: { epochs }), or leave %seen out',
    },
  );
}

/** That templates look at what no first model says. */
function withoutFirst(): TagstreamError {
  return new TagstreamError('config', '%predicted looks at the tags of a first model', {
    fix: 'name it: featurize: { from: first.yaml }, or leave %predicted out',
  });
}

/** That a first model cannot be trained on a stream, or on many machines. */
function stackedElsewhere(): TagstreamError {
  return new TagstreamError(
    'config',
    'a model with a first model is trained in passes, on one machine',
    {
      fix: 'set train: { epochs }, and leave cluster out; or leave from out',
    },
  );
}

function createModel(plan: ModelPlan, { paths, kernel, catalogue }: RunContext): Model {
  const { features, source, tokenize } = plan;
  const { options: chosen, scorer, hidden, covariance, limit } = features;
  const { functions } = catalogue;
  const resources = readResources(chosen, paths, chosenTokenizer(tokenize?.options));
  const structure = structureSpecOf(features.structure, resources);
  try {
    const columns = chosen.columns ?? source.component.columns(source.options);
    const spec: ModelSpec = {
      templates: specTemplates({
        templates: templateText(plan, columns, { paths, catalogue }),
        ...{ resources, functions, scorer, covariance },
      }),
      columns,
      index: indexSpecOf(chosen),
      support: chosen.support,
      ...(chosen.compressed ? { compressed: true } : {}),
      ...(scorer === undefined ? {} : { scorer }),
      ...(hidden === undefined ? {} : { hidden }),
      ...(covariance === undefined ? {} : { covariance }),
      ...structure,
      ...(chosen.encode === undefined ? {} : { encode: chosen.encode }),
      ...(chosen.dictionary === undefined ? {} : { dictionary: chosen.dictionary }),
      input: {
        codec: source.component.name,
        options: withoutSecrets(source.component.codecOptions(source.options), true),
      },
      ...(tokenize === undefined ? {} : { tokenize: tokenize.options }),
      ...(resources === undefined ? {} : { resources }),
    };
    const used = usedIn(spec.templates, { catalogue, source });
    return new Model({ ...spec, ...used }, { kernel, limit });
  } catch (thrown) {
    const file = typeof chosen.templates === 'string' ? paths.resolve(chosen.templates) : undefined;
    throw TagstreamError.from(thrown, 'template', file === undefined ? {} : { source: file });
  }
}

/** The preset, if there is one, then the templates of the file. */
function templateText(
  { features, source }: ModelPlan,
  columns: readonly string[],
  { paths, catalogue: { functions } }: Pick<RunContext, 'paths' | 'catalogue'>,
): string {
  const { preset, templates, conjunctions, from } = features.options;
  const texts: string[] = [];
  let ofPreset: ReadonlySet<string> = new Set();
  if (preset !== undefined) {
    // A column that is to be predicted is no input.
    const { tag } = source.options;
    texts.push(
      presetTemplates(
        preset,
        columns.filter(column => column !== tag),
      ),
    );
    ofPreset = new Set(templateLines(texts[0]!));
  }
  if (templates !== undefined) {
    const own = Array.isArray(templates)
      ? templates.join('\n')
      : new TextDecoder().decode(paths.read(templates));
    // Lines are those of the file: behind a preset they would be others.
    const place = Array.isArray(templates) ? undefined : paths.resolve(templates);
    parseTemplates(own, place, functions);
    const repeated = templateLines(own).find(line => ofPreset.has(line));
    if (repeated !== undefined) throw repeatedTemplate(repeated, preset!, place);
    texts.push(own);
  }
  const own = texts.join('\n');
  const text = from === undefined ? own : withPredictedTemplates(own, functions);
  return conjunctions ? withConjunctions(text, functions) : text;
}

function templateLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map(line => line.trim());
  return lines.filter(line => line !== '' && !line.startsWith('#'));
}

/** Templates are those of the preset and one's own; who has a file of them rather wants the latter alone. */
function repeatedTemplate(line: string, preset: string, source?: string): TagstreamError {
  return new TagstreamError('template', `the preset ${preset} has ${line} too`, {
    place: source === undefined ? {} : { source },
    fix: `remove one of the two; for these templates alone replace preset by templates, as by --set 'stages.featurize={templates: FILE}'`,
  });
}
