import { TagstreamError } from '../../../engine/core/errors.js';
import { presetTemplates } from '../../../engine/features/presets/preset-templates.js';
import type { Resources } from '../../../engine/features/resources/resources.js';
import {
  withConjunctions,
  withPredictedTemplates,
} from '../../../engine/features/template/further-templates.js';
import {
  parseTemplates,
  readsDocuments,
} from '../../../engine/features/template/parse-templates.js';
import type { Kernel } from '../../../engine/kernels/kernel.js';
import { specTemplates } from '../../../engine/models/create-model.js';
import { Model } from '../../../engine/models/model.js';
import type { ModelSpec, UsedPlugin } from '../../../engine/models/model-spec.js';
import type { Components } from '../catalogue/components.js';
import { indexSpecOf } from '../options/feature-options.js';
import { structureSpecOf } from '../options/structure-options.js';
import type { FeaturesPart, Training } from '../plan/plan.js';
import type { ChosenSource } from '../sources/source-component.js';

/** Inputs of a model in addition to its part of the plan. */
export interface ModelParts {
  readonly kernel: Kernel;
  /** The columns of the input, for plans that do not name them. */
  readonly columns: readonly string[];
  /** The column to predict, which presets ignore. */
  readonly tagColumn?: string | undefined;
  /** The file of templates that the plan names, with its text. */
  readonly templates?: { readonly text: string; readonly file: string } | undefined;
  readonly resources?: Resources | undefined;
  /** How records were read, as noted in the model. */
  readonly input?: ModelSpec['input'] | undefined;
  /** How tokens were found, as noted in the model. */
  readonly tokenize?: ModelSpec['tokenize'] | undefined;
  /** Token functions in addition to the built-in ones, and the source of the records. */
  readonly used?: { readonly catalogue: Components; readonly source: ChosenSource } | undefined;
}

/**
 * Creates the empty model of a plan.
 *
 * @throws TagstreamError `template` for templates that cannot be parsed, or that the preset already contains
 */
export function createEmptyModel(features: FeaturesPart, parts: ModelParts): Model {
  const { options, scorer, hidden, covariance, limit } = features;
  const { kernel, resources, input, tokenize, used } = parts;
  const functions = used?.catalogue.functions;
  try {
    const columns = options.columns ?? parts.columns;
    const templates = specTemplates({
      templates: templateText(features, columns, parts),
      ...{ resources, functions, scorer, covariance },
    });
    const spec: ModelSpec = {
      ...{ templates, columns, index: indexSpecOf(options), support: options.support },
      ...(options.compressed ? { compressed: true } : {}),
      ...(scorer === undefined ? {} : { scorer }),
      ...(hidden === undefined ? {} : { hidden }),
      ...(covariance === undefined ? {} : { covariance }),
      ...structureSpecOf(features.structure, resources),
      ...(options.encode === undefined ? {} : { encode: options.encode }),
      ...(options.dictionary === undefined ? {} : { dictionary: options.dictionary }),
      ...(input === undefined ? {} : { input }),
      ...(tokenize === undefined ? {} : { tokenize }),
      ...(resources === undefined ? {} : { resources }),
      ...(used === undefined ? {} : usedIn(templates, used)),
    };
    return new Model(spec, { kernel, limit });
  } catch (thrown) {
    const source = parts.templates?.file;
    throw TagstreamError.from(thrown, 'template', source === undefined ? {} : { source });
  }
}

/** Returns the preset, if any, followed by the templates of the plan. */
function templateText(
  { options: { preset, templates, conjunctions, from } }: FeaturesPart,
  columns: readonly string[],
  { tagColumn, templates: named, used }: ModelParts,
): string {
  const functions = used?.catalogue.functions;
  const texts: string[] = [];
  let ofPreset: ReadonlySet<string> = new Set();
  if (preset !== undefined) {
    const inputs = columns.filter(column => column !== tagColumn);
    texts.push(presetTemplates(preset, inputs));
    ofPreset = new Set(templateLines(texts[0]!));
  }
  if (templates !== undefined) {
    const own = Array.isArray(templates) ? templates.join('\n') : named!.text;
    // Errors have the line numbers of the file, which would differ after a preset.
    const file = Array.isArray(templates) ? undefined : named!.file;
    parseTemplates(own, file, functions);
    const repeated = templateLines(own).find(line => ofPreset.has(line));
    if (repeated !== undefined) throw repeatedTemplate(repeated, preset!, file);
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

/**
 * Returns the error about a template that the preset contains too: a file with all templates should be used without the
 * preset.
 */
function repeatedTemplate(line: string, preset: string, source?: string): TagstreamError {
  return new TagstreamError('template', `the preset ${preset} already has ${line}`, {
    place: source === undefined ? {} : { source },
    fix: `remove one of the two; to use only these templates, replace preset by templates: --set 'stages.featurize={templates: FILE}'`,
  });
}

/**
 * Requires a plan to provide what its model's templates need in addition to the sentence: the whole corpus, and a first
 * model.
 *
 * @throws TagstreamError `config`
 */
export function requireContext(
  own: Model,
  { kind, features, train, columns }: Pick<Training, 'kind' | 'features' | 'train' | 'columns'>,
): void {
  const { extractor } = own;
  const { from, model } = features.options;
  requireColumnsAlone(columns, own);
  // A model from a file already has what it needs.
  if (model !== undefined) return;
  const refuse = (problem: string, fix: string) => new TagstreamError('config', problem, { fix });
  if (extractor.readsLexicon && kind !== 'train') {
    throw refuse(
      '%seen needs statistics of the whole training corpus',
      'train in several passes (train: { epochs }), or leave %seen out',
    );
  }
  if (from === undefined) {
    if (!extractor.readsPredictions) return;
    throw refuse(
      '%predicted needs the tags of a first model',
      'name it in a pipeline file: featurize: { from: first.yaml }, or leave %predicted out',
    );
  }
  if (kind === 'train' && train?.options.cluster === undefined) return;
  throw refuse(
    'a model with a first model trains in passes on a single machine',
    'set train: { epochs }, and leave cluster out; or leave from out',
  );
}

/**
 * Returns the plug-ins that a model records as needed: those whose token functions its templates name, and the one
 * whose codec read its records; empty if there are none.
 */
function usedIn(
  templates: string,
  { catalogue, source }: { readonly catalogue: Components; readonly source: ChosenSource },
): Pick<ModelSpec, 'uses' | 'functions'> {
  const { plugins, functions } = catalogue;
  if (plugins.length === 0) return {};
  const pieces = parseTemplates(templates, undefined, functions).templates.flatMap(
    template => template.pieces,
  );
  const named = new Set(
    pieces.flatMap(piece => (typeof piece === 'string' ? [] : (piece.custom?.name ?? []))),
  );
  const uses = plugins.flatMap((plugin): UsedPlugin[] => {
    const own = plugin.functions.map(({ name }) => name).filter(name => named.has(name));
    const reads = plugin.codecs.some(({ name }) => name === source.component.name);
    if (own.length === 0 && !reads) return [];
    const module = plugin.module?.named;
    return [{ plugin: plugin.name, ...(module === undefined ? {} : { module }), functions: own }];
  });
  return { ...(uses.length === 0 ? {} : { uses }), ...(functions.size === 0 ? {} : { functions }) };
}

/** Rejects further columns that read other sentences, because columns are predicted sentence by sentence. */
function requireColumnsAlone(columns: Training['columns'], { spec }: Model): void {
  for (const [name, { preset, templates }] of Object.entries(columns?.options ?? {})) {
    const isOwn = preset !== undefined || templates !== undefined;
    const lines = isOwn ? (templates ?? []).join('\n') : spec.templates;
    if (!readsDocuments(lines, spec.functions)) continue;
    throw new TagstreamError(
      'config',
      `columns.${name}: a further column cannot look at other sentences of the document (%document, %predicted)`,
      {
        fix: isOwn
          ? 'leave these templates out'
          : 'give the column templates of its own, because those of the model look at them',
      },
    );
  }
}
