import { TagstreamError } from '../../core/errors.js';
import { planExtraction } from '../../features/extraction/extraction-plan.js';
import { parseSegmentFeatures } from '../../features/segments/segment-feature.js';
import { tableRoles } from '../../features/tables/table-roles.js';
import { parseTemplates, type TemplateSet } from '../../features/template/parse-templates.js';
import type { ModelSpec } from '../model-spec.js';
import { damagedModel } from './section-file.js';

/**
 * The templates of a file, once it is known that they and the features of spans go with its columns and lists.
 *
 * @throws TagstreamError `model-damaged`
 */
export function templatesOf(spec: ModelSpec, source: string): TemplateSet {
  const { templates, columns, resources, functions, segments } = spec;
  try {
    const set = parseTemplates(templates, undefined, functions);
    planExtraction(set, columns, resources);
    if (spec.scorer === 'hmm') tableRoles(set, columns);
    if (segments !== undefined) {
      parseSegmentFeatures(segments.features, columns, Object.keys(resources?.gazetteers ?? {}));
    }
    return set;
  } catch (cause) {
    const { problem } = TagstreamError.from(cause, 'template');
    throw damagedModel(source)(`its templates: ${problem}`);
  }
}
