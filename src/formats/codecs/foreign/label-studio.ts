import { TagstreamError } from '../../../engine/core/errors.js';
import { isRecord } from '../../../engine/core/schema/is-record.js';
import type { TextSpan } from '../../../engine/core/sentence/document.js';
import type { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { type Annotation, chosenSpans, mergeItems } from './annotations.js';
import { type PlacedSpans, placeSpans } from './placed-spans.js';
import {
  asWritten,
  type ForeignFormat,
  type ForeignReading,
  type ForeignRecord,
  idOf,
  itemsIn,
  type LabelledText,
  listOf,
  objectOf,
} from './read-spans.js';
import {
  foundRegion,
  isRegion,
  regionKind,
  regionMembers,
  regionValue,
  type TaskText,
} from './regions.js';

/**
 * Tasks of Label Studio: `{"data": {"text"}, "annotations": [{"result": [{"value": {"start", "end", "text",
 * "labels"}}]}]}`, and its short export `{"text", "label": [{"start", "end", "labels"}]}`. Labels on HTML and on
 * paragraphs are also read, at their positions in the displayed text. Annotations marked as ground truth take
 * precedence; cancelled ones do not count, and a task with no others is skipped. Offsets count code points, unless the
 * regions' texts match only in another unit.
 *
 * @example
 * const region = { value: { start: 2, end: 5, text: 'Ann', labels: ['PER'] }, type: 'labels' };
 * labelStudio.toDocument({ id: 1, data: { text: '😀 Ann' }, annotations: [{ result: [region] }] })
 * // => ({ id: '1', text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 */
export const labelStudio: ForeignFormat = {
  name: 'label-studio',
  reads: [
    ...['text', 'data.text'],
    ...regionMembers.flatMap(name => [
      `annotations[].result[].value.${name}`,
      `completions[].result[].value.${name}`,
      `label[].${name}`,
    ]),
  ],
  readsOf: task =>
    task.data === undefined
      ? regionFields(task).flatMap(field => regionMembers.map(name => `${field}[].${name}`))
      : [],
  inArray: true,
  toDocument: (given, reading = {}) => {
    const task = objectOf('the task', given);
    const { own, all, isAside } = readTask(task, reading);
    if (all.length === 0) return isAside ? undefined : own;
    const truths = all.filter(({ isTruth }) => isTruth);
    const counting = truths.length > 0 ? truths : all;
    return { ...own, spans: chosenSpans(own.text, counting, reading.annotations) };
  },
  eachDocument: (given, reading = {}) => {
    const task = objectOf('the task', given);
    const { own, all, isAside } = readTask(task, reading);
    if (all.length === 0) return isAside ? [] : [own];
    return all.map(({ key, spans }) => ({
      ...own,
      ...(all.length === 1 || own.id === undefined ? {} : { id: `${own.id}/${key}` }),
      spans,
    }));
  },
  fromDocument: (labelled, reading = {}) => ({
    ...(labelled.id === undefined ? {} : { id: labelled.id }),
    data: { text: labelled.text },
    annotations: labelled.spans === undefined ? [] : [{ result: newResults(labelled, reading) }],
  }),
  revise: (own, labelled, reading = {}) => {
    const task = objectOf('the task', own.value);
    if (task.data === undefined) return withShortRegions(own, labelled, reading);
    const all = annotationsOf(task);
    const valid = validOf(all);
    const chosen = valid.find(isTruth) ?? valid[0];
    const name = annotationsName(task);
    const items = itemsIn(own, name);
    const at = chosen === undefined ? -1 : all.indexOf(chosen);
    const before = at < 0 ? [] : itemsIn(items[at]!, 'result');
    const result = revisedResult(before, task, labelled, reading);
    return at < 0
      ? own.with({ [name]: [...items, { result }] })
      : own.withAt([name, String(at), 'result'], result);
  },
  addPredicted: (own, labelled, reading = {}) => {
    const task = objectOf('the task', own.value);
    const like = annotationsOf(task).flatMap(resultsOf).find(isRegion);
    const result = newResults(labelled, reading, like, taskText(task, like));
    return own.with({ predictions: [{ model_version: 'tagstream', result }] });
  },
  unread: task => (annotationsOf(task).length > 1 ? ['further annotations'] : []),
};

interface TaskAnnotation extends Annotation {
  readonly isTruth: boolean;
  /** Member that identifies its records. */
  readonly key: string;
}

function readTask(task: ForeignRecord, reading: ForeignReading) {
  if (task.data === undefined) return readShort(task, reading);
  const every = annotationsOf(task);
  const valid = validOf(every);
  const like = valid.flatMap(resultsOf).find(isRegion);
  const text = taskText(task, like);
  const own = { ...idOf(task.id), text: text.text };
  const all = valid.map((one): TaskAnnotation => {
    const i = every.indexOf(one);
    const by = annotatorOf(one);
    return {
      name: `annotations[${i}]${by === undefined ? '' : ` by ${by}`}`,
      key: String(one.id ?? i + 1),
      isTruth: isTruth(one),
      spans: placedRegions('result', one.result, text, reading).placed.spans,
    };
  });
  return { own, all, isAside: every.length > 0 };
}

/** Reads the short export, in which a record has one annotation, with regions under the name of their control. */
function readShort(task: ForeignRecord, reading: ForeignReading) {
  const text = taskText(task, undefined);
  const own = { ...idOf(task.id), text: text.text };
  const fields = regionFields(task);
  if (fields.length === 0 && task.annotation_id === undefined) {
    return { own, all: [], isAside: false };
  }
  const spans = fields.flatMap(
    field => placedRegions(field, task[field], text, reading).placed.spans,
  );
  const all: TaskAnnotation[] = [{ name: 'label', key: '1', isTruth: false, spans }];
  return { own, all, isAside: false };
}

function regionFields(task: ForeignRecord): string[] {
  const isOfRegions = (value: unknown) =>
    Array.isArray(value) && value.some(item => isRecord(item) && isRegion(item));
  return Object.keys(task).filter(
    name => isOfRegions(task[name]) || (name === 'label' && task.label != null),
  );
}

/** Returns the name of the annotations: older versions call them completions. */
function annotationsName({ annotations, completions }: ForeignRecord): string {
  return annotations == null && completions != null ? 'completions' : 'annotations';
}

function annotationsOf(task: ForeignRecord): readonly ForeignRecord[] {
  const all = task[annotationsName(task)];
  if (all == null) return [];
  return listOf('annotations', all).map((one, i) => objectOf(`annotations[${i}]`, one));
}

function validOf(all: readonly ForeignRecord[]): readonly ForeignRecord[] {
  return all.filter(one => one.was_cancelled !== true && one.skipped !== true);
}

function isTruth(annotation: ForeignRecord): boolean {
  return annotation.ground_truth === true;
}

function resultsOf({ result }: ForeignRecord): readonly ForeignRecord[] {
  return Array.isArray(result) ? result.filter(isRecord) : [];
}

function annotatorOf({ completed_by: by }: ForeignRecord): string | undefined {
  const name = isRecord(by) ? (by.email ?? by.id) : by;
  return typeof name === 'string' || typeof name === 'number' ? String(name) : undefined;
}

/** Returns the regions of an annotation with positions, and the region number of each result. */
function placedRegions(
  field: string,
  value: unknown,
  text: TaskText,
  { offsets }: ForeignReading,
): { readonly placed: PlacedSpans; readonly numbers: readonly number[] } {
  const results = listOf(field, value).map((item, i) => objectOf(`${field}[${i}]`, item));
  let count = 0;
  const regions = results.map((_, i) => foundRegion(`${field}[${i}]`, i, results, text));
  const numbers = regions.map(region => {
    if (region !== undefined) count += 1;
    return region === undefined ? -1 : count - 1;
  });
  const found = regions.filter(region => region !== undefined);
  return { placed: placeSpans(text.text, found, { own: text.unit, offsets }), numbers };
}

/**
 * Returns the results with revised regions: unchanged ones keep their ids, and relations are removed with their
 * regions.
 */
function revisedResult(
  before: readonly JsonText[],
  task: ForeignRecord,
  labelled: LabelledText,
  reading: ForeignReading,
): unknown[] {
  const values = before.map(asWritten);
  const like = values.find(isRegion);
  const text = taskText(task, like);
  const { placed, numbers } = placedRegions('result', values, text, reading);
  const made = newResults(labelled, reading, like, text);
  const items = mergeItems(
    before,
    labelled.spans ?? [],
    (_, i) => placed.spans[numbers[i]!],
    (_, i) => made[i],
  );
  const ids = new Set(items.map(item => asWritten(item).id));
  return items.filter(item => {
    const { type, from_id: from, to_id: to } = asWritten(item);
    return type !== 'relation' || (ids.has(from) && ids.has(to));
  });
}

/** Returns the short export with revised regions, all under the first name. */
function withShortRegions(
  own: JsonText,
  labelled: LabelledText,
  reading: ForeignReading,
): JsonText {
  const task = objectOf('the task', own.value);
  const [field = 'label', ...others] = regionFields(task);
  const text = taskText(task, undefined);
  const before = [field, ...others].flatMap(name => itemsIn(own, name));
  const { placed, numbers } = placedRegions(field, before.map(asWritten), text, reading);
  const items = mergeItems(
    before,
    labelled.spans ?? [],
    (_, i) => placed.spans[numbers[i]!],
    span => regionValue(span, 'labels', text, reading),
  );
  return own.with({ ...Object.fromEntries(others.map(name => [name, []])), [field]: items });
}

/** @param like a region of the same task, which provides the kind and names of controls */
function newResults(
  { text, spans = [] }: LabelledText,
  reading: ForeignReading,
  like: ForeignRecord = {},
  place: TaskText = { text, unit: 'codepoints' },
): object[] {
  const { from_name: from = 'label', to_name: to = 'text' } = like;
  const kind = regionKind(like) ?? 'labels';
  return spans.map((span: TextSpan, i) => ({
    id: `span-${i + 1}`,
    ...{ from_name: from, to_name: to, type: kind },
    value: regionValue(span, kind, place, reading),
  }));
}

/**
 * Returns the text of a task: from its data, without HTML tags if labels refer to HTML; for a dialogue, all paragraphs,
 * one per line.
 *
 * @param like a region of the task, which determines the labelled text
 * @throws TagstreamError `wrong-shape` if the text is missing or ambiguous
 * @example
 * taskText({ data: { html: '<b>Ann</b> &amp; Ben' } }, { value: { hypertextlabels: ['PER'] } }).text // => 'Ann & Ben'
 * taskText({ data: { talk: [{ text: 'Hi' }, { text: 'Ann' }] } }).paragraphs // => [0, 3]
 */
export function taskText(task: ForeignRecord, like?: ForeignRecord): TaskText {
  const { data, text } = task;
  if (data === undefined) {
    if (typeof text === 'string') return { text, unit: 'codepoints' };
    throw wrongShape('text', 'a string, or a task with data', text);
  }
  const fields = objectOf('data', data);
  const kind = like === undefined ? undefined : regionKind(like);
  const [talk, ...others] = Object.values(fields).filter(isTalk);
  if (
    talk !== undefined &&
    others.length === 0 &&
    (kind === 'paragraphlabels' || !hasText(fields))
  ) {
    return talkText(talk);
  }
  const own = ownText(fields);
  return kind === 'hypertextlabels'
    ? { text: htmlText(own), unit: 'utf16', isOneNode: !/<[a-z/!]/i.test(own) }
    : { text: own, unit: 'codepoints' };
}

function hasText(fields: ForeignRecord): boolean {
  return Object.values(fields).some(value => typeof value === 'string');
}

function ownText(fields: ForeignRecord): string {
  if (typeof fields.text === 'string') return fields.text;
  const texts = Object.values(fields).filter(value => typeof value === 'string');
  if (texts.length === 1) return texts[0]!;
  throw new TagstreamError('wrong-shape', `data has ${texts.length} texts, none named text`, {
    fix: "rename the task's text to text",
  });
}

type Talk = readonly { readonly text: string }[];

function isTalk(value: unknown): value is Talk {
  const isTurn = (turn: unknown) =>
    typeof turn === 'object' && turn !== null && typeof (turn as ForeignRecord).text === 'string';
  return Array.isArray(value) && value.length > 0 && value.every(isTurn);
}

function talkText(talk: Talk): TaskText {
  const paragraphs: number[] = [];
  let length = 0;
  for (const { text } of talk) {
    paragraphs.push(length);
    length += text.length + 1;
  }
  return { text: talk.map(({ text }) => text).join('\n'), unit: 'utf16', paragraphs };
}

/** Returns the text of HTML, like `textContent` of a page. Cost O(text). */
function htmlText(html: string): string {
  let text = '';
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open < 0) return decoded(text + html.slice(at));
    text += html.slice(at, open);
    const isComment = html.startsWith('<!--', open);
    const close = isComment ? html.indexOf('-->', open + 4) : html.indexOf('>', open);
    const isTag = isComment || /[a-z/!]/i.test(html.charAt(open + 1));
    if (isTag && close >= 0) {
      at = close + (isComment ? 3 : 1);
    } else if (close < 0) {
      return decoded(text + html.slice(open));
    } else {
      text += '<';
      at = open + 1;
    }
  }
  return decoded(text);
}

const named: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', ndash: '–', mdash: '—' },
  ...{
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    hellip: '…',
    euro: '€',
    copy: '©',
    reg: '®',
  },
};

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, ...groups) => {
    const [decimal, hexadecimal, name] = groups as (string | undefined)[];
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
