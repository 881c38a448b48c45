import { pipe } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import { withoutSecrets } from '../../core/secrets.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { withPredictedTemplates } from '../../features/presets/predicted-templates.js';
import { presetTemplates } from '../../features/presets/preset-templates.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { withConjunctions } from '../../features/template/with-conjunctions.js';
import { contentDigest } from '../../io/files/content-digest.js';
import { isModelAddress } from '../../io/nats/registry/model-address.js';
import { versionId } from '../../io/nats/registry/version-id.js';
import { readModel } from '../../models/files/model-file.js';
import { Model } from '../../models/model.js';
import type { ModelSpec } from '../../models/model-spec.js';
import { specTemplates } from '../../models/spec-templates.js';
import { restoreModelState } from '../../models/state/model-state.js';
import { featurize } from '../../operators/featurize.js';
import { learnUnlabelled } from '../../operators/learn-unlabelled.js';
import type { RunSetup } from '../definition/run-setup.js';
import { defineStage } from '../definition/stage-component.js';
import {
  type FeaturizeOptions,
  featurizeOptions,
  indexSpecOf,
} from '../options/feature-options.js';
import { growthLimitOf } from '../options/growth-limit-of.js';
import { type ModelSection, modelChoice } from '../options/model-option.js';
import { structureSpecOf } from '../options/structure-options.js';
import { usedIn } from '../plugins/used-in.js';
import { requireNoContext } from '../setup/require-no-context.js';
import { restorePart } from '../setup/restore-run.js';
import { openStart } from '../setup/start-from.js';
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
  create(chosen, setup) {
    setup.model = modelOf(chosen, setup);
    setup.usesPreset = chosen.preset !== undefined;
    if (setup.restored === undefined) openStart(setup);
    if (chosen.model === undefined) {
      requirePasses(setup);
      requireFirst(chosen, setup);
    }
    const keepsPlaces = (setup.config.stages as readonly object[]).some(
      stage => 'checkpoint' in stage,
    );
    // In passes over a corpus each sentence keeps its context.
    if (keepsPlaces && setup.train?.epochs === undefined) requireNoContext(setup.model.spec);
    const check = (sentence: Sentence) => setup.checkSentence?.(sentence);
    const encode = featurize(setup.model, check, setup.ledger);
    const { unlabelled } = chosen;
    if (unlabelled === undefined) return encode;
    for (const label of unlabelled.labels ?? []) setup.model.labels.intern(label);
    return pipe(learnUnlabelled(unlabelled.weight), encode);
  },
});

/** @throws TagstreamError `config` where a stream is to say of its words what only a whole corpus can */
function requirePasses({ model, train }: RunSetup): void {
  if (!model.extractor.readsLexicon || train?.epochs !== undefined) return;
  throw new TagstreamError(
    'config',
    '%seen looks at what the whole training corpus says of a word',
    {
      fix: 'train in passes (train: { epochs }), or leave %seen out',
    },
  );
}

/**
 * @throws TagstreamError `config` where templates look at what no first model says, and where one cannot be trained: on a
 *   stream, or on many machines
 */
function requireFirst({ from }: FeaturizeOptions, { model, train }: RunSetup): void {
  if (from === undefined) {
    if (!model.extractor.readsPredictions) return;
    throw new TagstreamError('config', '%predicted looks at the tags of a first model', {
      fix: 'name it: featurize: { from: first.yaml }, or leave %predicted out',
    });
  }
  if (train?.epochs !== undefined && train.cluster === undefined) return;
  throw new TagstreamError(
    'config',
    'a model with a first model is trained in passes, on one machine',
    {
      fix: 'set train: { epochs }, and leave cluster out; or leave from out',
    },
  );
}

function modelOf(chosen: FeaturizeOptions, setup: RunSetup): Model {
  const { functions } = setup.catalogue;
  if (chosen.model !== undefined) {
    const bytes = setup.readBytes(chosen.model);
    const digest = contentDigest([bytes]);
    if (setup.status !== undefined) setup.status.modelDigest = digest;
    setup.modelId = versionId(digest);
    return readModel(bytes, setup.path(chosen.model), setup.kernel, functions);
  }
  if (setup.restored !== undefined) {
    return restorePart(setup.restored, 'model', state =>
      restoreModelState(state, setup.kernel, growthLimitOf(chosen, setup.train), functions),
    );
  }
  const { component, options: sourceOptions } = setup.source;
  const resources = readResources(chosen, setup);
  const { scorer, hidden, covariance, ...of } = modelChoice(setup.config.model as ModelSection);
  const structure = structureSpecOf(of.structure, resources);
  try {
    const columns = chosen.columns ?? component.columns(sourceOptions);
    const spec: ModelSpec = {
      templates: specTemplates({
        templates: templateText(chosen, columns, setup),
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
        codec: component.name,
        options: withoutSecrets(component.codecOptions(sourceOptions), true),
      },
      ...(setup.tokenizeOptions === undefined ? {} : { tokenize: setup.tokenizeOptions }),
      ...(resources === undefined ? {} : { resources }),
    };
    return new Model(
      { ...spec, ...usedIn(spec.templates, setup) },
      { kernel: setup.kernel, limit: growthLimitOf(chosen, setup.train) },
    );
  } catch (thrown) {
    const source = typeof chosen.templates === 'string' ? setup.path(chosen.templates) : undefined;
    throw TagstreamError.from(thrown, 'template', source === undefined ? {} : { source });
  }
}

/** The preset, if there is one, then the templates of the file. */
function templateText(
  { preset, templates, conjunctions, from }: FeaturizeOptions,
  columns: readonly string[],
  setup: RunSetup,
): string {
  const texts: string[] = [];
  let ofPreset: ReadonlySet<string> = new Set();
  if (preset !== undefined) {
    // A column that is to be predicted is no input.
    const { tag } = setup.source.options;
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
      : new TextDecoder().decode(setup.readBytes(templates));
    // Lines are those of the file: behind a preset they would be others.
    const place = Array.isArray(templates) ? undefined : setup.path(templates);
    parseTemplates(own, place, setup.catalogue.functions);
    const repeated = templateLines(own).find(line => ofPreset.has(line));
    if (repeated !== undefined) throw repeatedTemplate(repeated, preset!, place);
    texts.push(own);
  }
  const own = texts.join('\n');
  const text = from === undefined ? own : withPredictedTemplates(own, setup.catalogue.functions);
  return conjunctions ? withConjunctions(text, setup.catalogue.functions) : text;
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
