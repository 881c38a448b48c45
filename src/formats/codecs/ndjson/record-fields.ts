import { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { type JsonPath, JsonText, spliceMembers } from './json-text.js';
import {
  columnsMember,
  divisionNames,
  modelMember,
  ownedMembers,
  resultNames,
  wordsMember,
} from './owned-members.js';
import { occupied } from './read-record.js';

/** Location of the text in other programs' records, and of the results. */
export interface RecordFields {
  /** Member with the text; see `RecordReading.textField`. */
  readonly textField?: string | undefined;
  /** Key below which all results go. */
  readonly into?: string | undefined;
}

/** Default key for results that would overwrite the user's fields. */
export const defaultKey = 'nlp';

/** Message at the first record whose results go below `defaultKey`. */
export const foreignFieldsNote = `records already have fields where results would go, such as tags or tokens: their results are under "${defaultKey}"; choose a key for all results with --into KEY, or into in the options of ndjson`;

/** Member below the results key with the error of a record that could not be tagged. */
export const errorMember = 'error';

const belowNames = new Set<string>([
  ...divisionNames,
  ...resultNames,
  wordsMember,
  columnsMember,
  modelMember,
  errorMember,
]);

/** Whether a member below the results key was written by an earlier run. */
export function isBelow(name: string): boolean {
  return belowNames.has(name);
}

/**
 * Rejects a results key that would replace the text.
 *
 * @throws TagstreamError `config`
 */
export function requireFieldsApart({ textField, into }: RecordFields): void {
  if (into === undefined) return;
  const first = textField ?? 'text';
  if (into !== first && (textField === undefined || into !== first.split('.')[0])) return;
  throw new TagstreamError('config', `into: ${into} holds the text of the records`, {
    fix: `name another key for the results, such as ${defaultKey}`,
  });
}

/** Members read together with tokens; in a record with only a text, they belong to another program. */
const besideTokens = ['tags', 'gold', 'tokens', 'offsets', 'sentences', 'columns'] as const;

/** Results that every record gets, whatever is requested. */
const always: ReadonlySet<string> = new Set([...divisionNames, 'tags', 'spans']);

/**
 * Whether a record already has members that its results would overwrite: in addition to a text, unread `tags`, `gold`,
 * `tokens`, `offsets`, `sentences` or `columns`, or `spans` of another shape.
 *
 * @param readsOnlyText whether only id and text were read, so that all members belong to the user
 */
export function hasForeignMembers(
  document: Document & { readonly raw: string },
  tagged: TaggedDocument,
  readsOnlyText: boolean,
): boolean {
  const record = new JsonText(document.raw);
  if (readsOnlyText) {
    const written = new Set(ownedMembers(tagged, () => false).map(nameOf));
    return record.members.some(({ key }) => always.has(key) || written.has(key));
  }
  const has = (name: string) => (record.at([name])?.text ?? 'null') !== 'null';
  if (document.tokens === undefined && besideTokens.some(has)) return true;
  return has('spans') && !areSpans(record.at(['spans'])!.value);
}

/** Returns a record of which only the text was read, with the results after all its members. */
export function withResults(raw: string, tagged: TaggedDocument): string {
  const { members } = new JsonText(raw);
  return spliceMembers(
    raw,
    members,
    () => true,
    ownedMembers(tagged, () => false),
  );
}

/** Returns the path of the text that `textField` refers to: a name, or a path. */
export function pathOf(record: JsonText, textField: string): JsonPath {
  return (record.at([textField])?.text ?? 'null') === 'null' ? textField.split('.') : [textField];
}

function nameOf(member: string): string {
  return JSON.parse(member.slice(0, member.indexOf(':'))) as string;
}

/** Whether a value may be spans that this or another tagger found. */
function areSpans(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      one =>
        typeof one === 'object' &&
        one !== null &&
        ['label', 'start', 'end'].every(key => key in one),
    )
  );
}

/**
 * Returns the text of a record with all results below one key, otherwise unchanged: existing tokens, offsets and
 * sentences are not repeated, and gold tags are not moved.
 *
 * @throws TagstreamError `wrong-shape` if the record has another value at the key
 * @example
 * const document = { text: 'Go', raw: '{"text": "Go", "tags": ["app"], "nlp": {"n": 1.0, "tags": []}}' };
 * resultsBelow(document, { document, tokens: ['Go'], tags: ['V'] }, 'nlp')
 * // => '{"text": "Go", "tags": ["app"], "nlp": {"n": 1.0,"tokens":["Go"],"tags":["V"]}}'
 */
export function resultsBelow(
  document: Document & { readonly raw: string },
  tagged: TaggedDocument,
  key: string,
): string {
  const own = document.tokens === undefined ? [] : divisionsOf(document);
  const added = ownedMembers(
    tagged,
    name =>
      name === 'gold' ||
      own.includes(name) ||
      (name === wordsMember && document.multiword !== undefined),
  );
  const placed = new JsonText(document.raw).putBelow(key, added, isBelow);
  if (placed === undefined) throw occupied(key);
  return placed.text;
}

function divisionsOf({ tokens, offsets, sentences }: Document): readonly string[] {
  const own = { tokens, offsets, sentences };
  return divisionNames.filter(name => own[name] !== undefined);
}
