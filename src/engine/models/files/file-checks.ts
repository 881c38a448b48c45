import { TagstreamError } from '../../core/errors.js';
import { type ExtractionPlan, planExtraction } from '../../features/extraction/extraction-plan.js';
import { parseSegmentFeatures } from '../../features/segments/segment-feature.js';
import { tableRoles } from '../../features/tables/table-roles.js';
import { parseTemplates, type TemplateSet } from '../../features/template/parse-templates.js';
import type { TokenFunctions } from '../../features/template/token-function.js';
import { scorerHas } from '../../inference/scorers/scorers.js';
import { rowWidth } from '../../kernels/memory/real-table.js';
import type { ParameterCounts, ParameterLayout } from '../../kernels/store/parameter-store.js';
import type { ModelSpec, UsedPlugin } from '../model-spec.js';
import { damagedModel } from './section-file.js';

/** Templates with their plan, which belong to one model, as the plan holds the words it has seen. */
export interface PlannedTemplates {
  readonly set: TemplateSet;
  readonly plan: ExtractionPlan;
}

/**
 * Returns a file's templates and their plan after checking that they and the span features match the
 * file's columns and lists.
 *
 * @throws TagstreamError `model-damaged`
 */
export function templatesOf(spec: ModelSpec, source: string): PlannedTemplates {
  const { templates, columns, resources, functions, segments } = spec;
  try {
    const set = parseTemplates(templates, undefined, functions);
    const plan = planExtraction(set, columns, resources);
    if (scorerHas(spec.scorer, 'tables')) tableRoles(set, columns);
    if (segments !== undefined) {
      parseSegmentFeatures(segments.features, columns, Object.keys(resources?.gazetteers ?? {}));
    }
    return { set, plan };
  } catch (cause) {
    const { problem } = TagstreamError.from(cause, 'template');
    throw damagedModel(source)(`its templates: ${problem}`);
  }
}

/**
 * Checks, before a model's templates are read, that all its token functions are available.
 *
 * @param source name of the model file, for errors
 * @throws TagstreamError `config` that names the missing plug-in
 */
export function requirePlugins(
  uses: readonly UsedPlugin[] | undefined,
  functions: TokenFunctions,
  source: string,
): void {
  for (const { plugin, module, functions: names } of uses ?? []) {
    const missing = names.filter(name => !functions.has(name));
    if (missing.length === 0) continue;
    const shown = missing.map(name => `%${name}`).join(', ');
    throw new TagstreamError('config', `the model needs ${shown} of the plug-in ${plugin}`, {
      place: { source },
      fix: `give the plug-in: --use ${module ?? plugin}, or use: [...] in code and pipeline files`,
    });
  }
}

/** Maximum size of a WebAssembly memory, in bytes. */
const most = 2 ** 32;

/**
 * Number of label pair matrices that decoding needs in the same memory, in addition to the weights:
 * scores, exponentials, sums, a copy, and lists of the active transitions in all orders.
 */
const decodingMatrices = 11;

/**
 * Checks, before anything is allocated, that a model's weights and decoding tables fit into memory: a file of a
 * few bytes can claim any number of labels.
 *
 * @param labels number of labels for which rows have room
 * @throws TagstreamError `too-large`
 */
export function requireRoom(
  { support, compressed, precision, layers, parts, codes }: ParameterLayout,
  { labels, stateRows, edgeRows }: ParameterCounts,
  source?: string,
): void {
  const width = rowWidth(labels);
  const blocks = support === 'all' ? edgeRows : 1;
  // Layers decode all tuples, parts all labels, and codes all words, of which there may be more than columns.
  const decoded = rowWidth(
    layers?.[0]?.length ?? (parts && parts.starts.length - 1) ?? codes?.words.length ?? labels,
  );
  // A store of single pairs has the same count of numbers as the file.
  const stateWidth = compressed === true ? 1 : width;
  const numbers = stateWidth * stateRows + blocks * width ** 2 + decodingMatrices * decoded ** 2;
  const bytes = (precision === 'float32' ? 4 : 8) * numbers;
  // Bytes for the support and for the heads of the pair chains.
  const beside = support === 'all' ? 0 : Math.max(stateWidth * stateRows, 4 * edgeRows);
  const needed = Math.max(bytes, beside);
  if (needed < most) return;
  const gibibytes = (needed / 2 ** 30).toFixed(1);
  const problem = `${labels} labels and ${stateRows} features need ${gibibytes} GiB of memory`;
  throw new TagstreamError('too-large', problem, {
    ...(source === undefined ? {} : { place: { source } }),
    fix: 'a model can take at most 4 GiB: raise the cutoff, use support: observed or a hashed index',
  });
}
