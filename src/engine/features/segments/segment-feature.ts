import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/wording/nearest.js';
import { resourceName } from '../resources/resources.js';

/** A listed kind of segment feature. */
export interface SegmentFeatureKind {
  readonly name: string;
  readonly summary: string;
  /** Kind of text that may follow the name and a colon. */
  readonly takes: 'column' | 'list' | 'nothing';
}

/** All kinds of segment features. */
export const segmentFeatureKinds: readonly SegmentFeatureKind[] = [
  { name: 'length', summary: 'the number of its tokens', takes: 'nothing' },
  { name: 'text', summary: 'all of its tokens', takes: 'column' },
  { name: 'lower', summary: 'all of its tokens in lower case', takes: 'column' },
  { name: 'shape', summary: 'the shapes of all of its tokens', takes: 'column' },
  { name: 'type', summary: 'what all of its tokens look like', takes: 'column' },
  { name: 'first', summary: 'its first token', takes: 'column' },
  { name: 'last', summary: 'its last token', takes: 'column' },
  { name: 'before', summary: 'the token before it', takes: 'column' },
  { name: 'after', summary: 'the token after it', takes: 'column' },
  { name: 'gazetteer', summary: 'whether it is in a gazetteer', takes: 'list' },
];

/** Features of a model that names none. */
export const defaultSegmentFeatures: readonly string[] = [
  'length',
  'lower',
  'shape',
  'first',
  'last',
  'before',
  'after',
];

/** A feature of the spans of a sentence. */
export interface SegmentFeature {
  /** Source text of the feature. */
  readonly source: string;
  readonly kind: string;
  /** Name of a column; `form` names the tokens. */
  readonly column: string;
  /** Name of a list, for `gazetteer`. */
  readonly list?: string;
  /**
   * Whether the feature has a weight for each pair of the label before the span and the span's
   * type, not only for the type.
   */
  readonly paired: boolean;
}

/** Prefix of a paired feature's name, the same as that of templates for label pairs. */
const pairPrefix = 'B:';

/**
 * Returns whether a feature's name requests weights with the label before the span.
 *
 * @example
 * isPaired('B:length') // => true
 */
export function isPaired(name: string): boolean {
  return name.startsWith(pairPrefix);
}

/** Settings for scoring spans in addition to their tokens; plain data, part of a model. */
export interface SegmentSpec {
  /** Maximum length of a span that has features; all longer spans share one weight per type. */
  readonly maxLength: number;
  /**
   * Names of `segmentFeatureKinds`, each with a column unless that is the token: `length`,
   * `text:pos`.
   */
  readonly features: readonly string[];
}

/** Upper limit for the length of spans that have features. */
export const mostLength = 64;

/**
 * Returns the features selected by these names.
 *
 * @param columns names of the columns by number; the first is the token
 * @throws TagstreamError `config` for an unknown name, column or list
 * @example
 * parseSegmentFeatures(['length', 'text:pos'], ['form', 'pos'])[1].column // => 'pos'
 * parseSegmentFeatures(['B:length'], ['form'])[0].paired // => true
 */
export function parseSegmentFeatures(
  names: readonly string[],
  columns: readonly string[],
  lists: readonly string[] = [],
): SegmentFeature[] {
  return [...new Set(names)].map(source => {
    const paired = isPaired(source);
    const plain = paired ? source.slice(pairPrefix.length) : source;
    const colon = plain.indexOf(':');
    const name = colon < 0 ? plain : plain.slice(0, colon);
    const rest = colon < 0 ? undefined : plain.slice(colon + 1);
    const found = segmentFeatureKinds.find(kind => kind.name === name);
    if (found === undefined) {
      const known = segmentFeatureKinds.map(kind => kind.name);
      throw wrong(`there is no segment feature "${name}"`, suggestion(name, known));
    }
    if (found.takes === 'list') {
      if (rest !== undefined && resourceName.test(rest) && lists.includes(rest)) {
        return { source, kind: name, column: 'form', list: rest, paired };
      }
      const fix =
        lists.length === 0 ? 'give gazetteers: { NAME: FILE }' : `name one of ${lists.join(', ')}`;
      throw wrong(`the segment feature "${source}" does not name a gazetteer of the model`, fix);
    }
    if (rest === undefined) return { source, kind: name, column: 'form', paired };
    if (found.takes === 'nothing' || !columns.includes(rest)) {
      const what = found.takes === 'nothing' ? 'does not take a column' : 'does not name a column';
      const fix =
        found.takes === 'nothing'
          ? `write ${paired ? pairPrefix : ''}${name}`
          : `the columns are ${columns.join(', ')}`;
      throw wrong(`the segment feature "${source}" ${what}`, fix);
    }
    return { source, kind: name, column: rest === columns[0] ? 'form' : rest, paired };
  });
}

function wrong(problem: string, fix: string): TagstreamError {
  return new TagstreamError('config', problem, { fix });
}
