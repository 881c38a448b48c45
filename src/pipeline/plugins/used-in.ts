import { parseTemplates } from '../../features/template/parse-templates.js';
import type { ModelSpec, UsedPlugin } from '../../models/model-spec.js';
import type { Components } from '../catalogue/components.js';
import type { ChosenSource } from '../sources/source-component.js';

/**
 * What a model keeps of the plug-ins that it cannot do without: those whose token functions its templates name, and that
 * whose codec read its records; nothing where there is none.
 */
export function usedIn(
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
