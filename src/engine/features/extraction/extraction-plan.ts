import { TagstreamError } from '../../core/errors.js';
import type { KnownWords } from '../context/lexicon.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';
import { ClusterLookup, ClusterTable } from '../resources/cluster-lookup.js';
import { GazetteerLookup } from '../resources/gazetteer-lookup.js';
import type { QuantisedVectors, Resources } from '../resources/resources.js';
import type { TokenLookup } from '../resources/token-lookup.js';
import { VectorLookup } from '../resources/vector-lookup.js';
import type { TemplateSet } from '../template/parse-templates.js';
import {
  isNumber,
  isOfContext,
  type Macro,
  numberText,
  type Template,
} from '../template/template.js';
import { Atom } from './atom.js';

/** A piece of a compiled template: the hash of a literal text, or an atom at an offset. */
export interface PlannedPiece {
  /** Number of the atom, or -1 for a literal text. */
  readonly atom: number;
  readonly offset: number;
  readonly absolute: boolean;
  /** Hash of the literal text. */
  readonly lo: number;
  readonly hi: number;
}

/** A template ready for extraction. */
export interface PlannedTemplate {
  readonly template: Template;
  readonly pieces: readonly PlannedPiece[];
  /** Atoms and offsets of up to two macros, whose product is the feature's value. */
  readonly reals: readonly PlannedPiece[];
  /** Vector component that is the feature's value, for `%vector`. */
  readonly vector?: PlannedVector;
}

/** One dimension of a word vector. */
export interface PlannedVector {
  /** Atom whose contents are vector numbers, from 1. */
  readonly piece: PlannedPiece;
  readonly list: QuantisedVectors;
  readonly dimension: number;
}

/**
 * A compiled template set: each distinct function of a column once, and the templates that use
 * them.
 */
export interface ExtractionPlan {
  readonly atoms: readonly Atom[];
  readonly state: readonly PlannedTemplate[];
  readonly edge: readonly PlannedTemplate[];
  /** Largest token offset of any template. */
  readonly reach: number;
  /** Words seen in the training corpus, for `%seen`. */
  readonly words: KnownWords;
}

/**
 * Compiles templates.
 *
 * @param columns column names by number, for templates such as `%x[0,1]`; the first is the token
 * itself
 * @param resources lists that the templates use
 * @throws TagstreamError `template` if a column number has no name, or a list is missing
 */
export function planExtraction(
  set: TemplateSet,
  columns: readonly string[],
  resources?: Resources,
): ExtractionPlan {
  const lookups = new Lookups(resources);
  const atoms: Atom[] = [];
  const byKey = new Map<string, number>();
  const words: KnownWords = { lexicon: undefined };
  let reach = 1;
  const place = (template: Template, macro: Macro): PlannedPiece => {
    const column = columnName(macro.column, columns, template);
    const { apply, fold, count, pattern, resource, custom } = macro;
    if ((isOfContext(macro) || apply === 'seen') && column !== 'form') throw notTheToken(template);
    const own = [pattern?.source, resource, custom?.name, custom?.argument];
    const key = JSON.stringify([apply, column, fold, count, ...own]);
    let atom = byKey.get(key);
    if (atom === undefined) {
      atom = atoms.length;
      byKey.set(key, atom);
      atoms.push(new Atom(macro, column, words, lookups.of(macro, template)));
    }
    if (!macro.absolute) reach = Math.max(reach, Math.abs(macro.offset));
    // Only the positions just outside a sentence, which no text contains, occur next to its ends.
    const offset = apply === 'first' ? -1 : apply === 'last' ? 1 : macro.offset;
    return { atom, offset, absolute: macro.absolute, lo: 0, hi: 0 };
  };
  const planned = set.templates.flatMap(template => {
    const vector = template.pieces.find(isVector);
    if (vector === undefined) return [planTemplate(template, place)];
    const list = lookups.vectorsOf(vector, template);
    return planVector(template, place(template, vector), list);
  });
  return {
    atoms,
    state: planned.filter(plan => plan.template.kind !== 'edge'),
    edge: planned.filter(plan => plan.template.kind !== 'state'),
    reach,
    words,
  };
}

function planTemplate(
  template: Template,
  place: (template: Template, macro: Macro) => PlannedPiece,
): PlannedTemplate {
  const pieces: PlannedPiece[] = [];
  const reals: PlannedPiece[] = [];
  for (const piece of template.pieces) {
    if (typeof piece === 'string') {
      pieces.push(literal(piece));
    } else if (!isNumber(piece)) {
      pieces.push(place(template, piece));
    } else if (reals.length < 2) {
      reals.push(place(template, piece));
      pieces.push(literal(numberText(piece)));
    } else {
      throw new TagstreamError(
        'template',
        `"${template.source}" multiplies more than two numbers`,
        {
          place: { line: template.line },
          fix: 'a feature value is one number or the product of two: use separate templates',
        },
      );
    }
  }
  return { template, pieces, reals };
}

function isVector(piece: string | Macro): piece is Macro {
  return typeof piece !== 'string' && piece.apply === 'vector';
}

/**
 * Returns one template per dimension, whose text is that of the macro followed by the number of the
 * dimension.
 */
function planVector(
  template: Template,
  piece: PlannedPiece,
  list: QuantisedVectors,
): PlannedTemplate[] {
  return Array.from({ length: list.dimensions }, (_, dimension) => ({
    template,
    pieces: template.pieces.map(part =>
      literal(typeof part === 'string' ? part : dimensionText(part, dimension)),
    ),
    reals: [],
    vector: { piece, list, dimension },
  }));
}

/** Returns the text that represents a dimension of `%vector` in a feature name. */
export function dimensionText(macro: Macro, dimension: number): string {
  return `${numberText(macro)}.${dimension}`;
}

function literal(text: string): PlannedPiece {
  const hash = new Fingerprint();
  hash.start();
  hash.text(text);
  hash.finish();
  return { atom: -1, offset: 0, absolute: false, lo: hash.lo, hi: hash.hi };
}

function notTheToken({ source, line }: Template): TagstreamError {
  return new TagstreamError(
    'template',
    `"${source}" names a column, but this macro reads only tokens`,
    {
      place: { line },
      fix: 'use column 0: %document[0,0,case], %predicted[0,0,word] or %seen[0,0]',
    },
  );
}

function columnName(
  column: number | string,
  columns: readonly string[],
  template: Template,
): string {
  if (typeof column === 'string') return column === columns[0] ? 'form' : column;
  const name = columns[column];
  if (name !== undefined) return column === 0 ? 'form' : name;
  throw new TagstreamError(
    'template',
    `"${template.source}" reads column ${column}, but there are only ${columns.length}: ${columns.join(', ')}`,
    {
      place: { line: template.line },
      fix: 'name the columns of the input, or write the name in the template: %x[0,pos]',
    },
  );
}

/** Creates the list lookups of macros. A list is prepared at its first use. */
class Lookups {
  readonly #resources: Resources;
  readonly #tables = new Map<string, ClusterTable>();

  constructor(resources: Resources = {}) {
    this.#resources = resources;
  }

  /**
   * Returns a function that creates a macro's lookup for its first sentence; undefined for macros without
   * a list.
   *
   * @throws TagstreamError `template` if the list does not exist
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
   * Returns the vectors of a `%vector` macro.
   *
   * @throws TagstreamError `template` if there are no vectors with its name
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
    `"${template.source}" uses the ${kind} "${name}", which the model does not have`,
    {
      place: { line: template.line },
      fix: known === '' ? `give it: ${keys[kind]}: { ${name}: FILE }` : `it has ${known}`,
    },
  );
}

/**
 * Returns the position to which a piece refers from token `t` of `length`; it may be outside the
 * sentence.
 */
export function placeOf(
  { absolute, offset }: Pick<PlannedPiece, 'absolute' | 'offset'>,
  t: number,
  length: number,
): number {
  if (!absolute) return t + offset;
  return offset >= 0 ? offset : length + offset;
}
