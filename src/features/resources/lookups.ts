import { TagstreamError } from '../../core/errors.js';
import { isOfContext } from '../template/is-of-context.js';
import type { Macro, Template } from '../template/template.js';
import { ClusterLookup } from './cluster-lookup.js';
import { ClusterTable } from './cluster-table.js';
import { GazetteerLookup } from './gazetteer-lookup.js';
import type { QuantisedVectors, Resources } from './resources.js';
import type { TokenLookup } from './token-lookup.js';
import { VectorLookup } from './vector-lookup.js';

/** Makes the look-ups of macros in lists. A list is made ready when it is first needed. */
export class Lookups {
  readonly #resources: Resources;
  readonly #tables = new Map<string, ClusterTable>();

  constructor(resources: Resources = {}) {
    this.#resources = resources;
  }

  /**
   * What makes the look-up of a macro when its first sentence comes; undefined for macros without a list.
   *
   * @throws TagstreamError `template` if there is no such list
   */
  of(macro: Macro, template: Template): (() => TokenLookup) | undefined {
    const { apply, resource, count } = macro;
    if (resource === undefined || isOfContext(macro)) return undefined;
    if (apply === 'gazetteer') {
      const list = listOf(this.#resources.gazetteers, 'gazetteer', resource, template);
      return () => new GazetteerLookup(list);
    }
    if (apply === 'vector') {
      const vectors = this.vectorsOf(macro, template);
      return () => new VectorLookup(vectors);
    }
    const clusters = listOf(this.#resources.clusters, 'word clusters', resource, template);
    return () => {
      const table = this.#tables.get(resource) ?? new ClusterTable(clusters);
      this.#tables.set(resource, table);
      return new ClusterLookup(table, count);
    };
  }

  /**
   * The vectors of a macro `%vector`.
   *
   * @throws TagstreamError `template` if there are none of its name
   */
  vectorsOf({ resource }: Macro, template: Template): QuantisedVectors {
    return listOf(this.#resources.vectors, 'word vectors', resource!, template);
  }
}

const keys = {
  gazetteer: 'gazetteers',
  'word clusters': 'clusters',
  'word vectors': 'vectors',
} as const;

function listOf<List>(
  lists: Readonly<Record<string, List>> | undefined,
  kind: keyof typeof keys,
  name: string,
  template: Template,
): List {
  const list = lists !== undefined && Object.hasOwn(lists, name) ? lists[name] : undefined;
  if (list !== undefined) return list;
  const known = Object.keys(lists ?? {}).join(', ');
  throw new TagstreamError(
    'template',
    `"${template.source}" asks for the ${kind} "${name}", which the model does not have`,
    {
      place: { line: template.line },
      fix: known === '' ? `give it: ${keys[kind]}: { ${name}: FILE }` : `it has ${known}`,
    },
  );
}
