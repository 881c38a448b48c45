import { TagstreamError } from '../../../core/errors.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import type { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { type CodePoints, codePointsOf } from './code-points.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';
import { mergeItems } from './merge-items.js';
import { asWritten, idOf, itemsIn, listOf, objectOf, spanOfText } from './read-spans.js';

/**
 * Tasks of Label Studio: `{"data": {"text"}, "annotations": [{"result": [{"value": {"start", "end", "text", "labels"}}]}]}`, and
 * its short export `{"text", "label": [{"start", "end", "labels"}]}`. Of several annotations the one that is marked as ground truth
 * counts, else the first that was not cancelled; a task whose annotations were all cancelled is put aside. Offsets count code
 * points; where the text of a region stands at its UTF-16 units only, these are taken.
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
    ...['start', 'end', 'text', 'labels'].flatMap(name => [
      `annotations[].result[].value.${name}`,
      `label[].${name}`,
    ]),
  ],
  inArray: true,
  toDocument: given => {
    const task = objectOf('the task', given);
    const text = taskText(task);
    const own = { ...idOf(task.id), text };
    if (task.data === undefined) {
      return task.label == null ? own : { ...own, spans: regions('label', task.label, text) };
    }
    if (task.annotations == null) return own;
    const all = listOf('annotations', task.annotations).map((one, i) =>
      objectOf(`annotations[${i}]`, one),
    );
    const chosen = chosenOf(all);
    if (chosen === undefined) return all.length === 0 ? own : undefined;
    return { ...own, spans: regions('result', chosen.result, text) };
  },
  fromDocument: labelled => ({
    ...(labelled.id === undefined ? {} : { id: labelled.id }),
    data: { text: labelled.text },
    annotations: labelled.spans === undefined ? [] : [{ result: resultOf(labelled) }],
  }),
  revise: (own, labelled) => {
    const task = objectOf('the task', own.value);
    if (task.data === undefined) return own.with({ label: shortRegions(own, labelled) });
    const all = itemsIn(own, 'annotations');
    const values = all.map(({ value }) => value as ForeignRecord);
    const chosen = chosenOf(values);
    const at = chosen === undefined ? -1 : values.indexOf(chosen);
    const result = revisedResult(at < 0 ? [] : itemsIn(all[at]!, 'result'), labelled);
    return at < 0
      ? own.with({ annotations: [...all, { result }] })
      : own.withAt(['annotations', String(at), 'result'], result);
  },
  addPredicted: (own, labelled) => own.with(predictionsOf(labelled)),
  unread: ({ annotations }) =>
    Array.isArray(annotations) && annotations.length > 1 ? ['further annotations'] : [],
};

function predictionsOf(labelled: LabelledText): ForeignRecord {
  return { predictions: [{ model_version: 'tagstream', result: resultOf(labelled) }] };
}

/** The annotation that counts. */
function chosenOf(all: readonly ForeignRecord[]): ForeignRecord | undefined {
  const valid = all.filter(({ was_cancelled: cancelled }) => cancelled !== true);
  return valid.find(({ ground_truth: truth }) => truth === true) ?? valid[0];
}

function taskText({ data, text }: ForeignRecord): string {
  if (data === undefined) {
    if (typeof text === 'string') return text;
    throw wrongShape('text', 'a string, or a task with data', text);
  }
  const fields = objectOf('data', data);
  if (typeof fields.text === 'string') return fields.text;
  const texts = Object.values(fields).filter(value => typeof value === 'string');
  if (texts.length === 1) return texts[0]!;
  throw new TagstreamError(
    'wrong-shape',
    `data has ${texts.length} texts, and none is named text`,
    {
      fix: 'name the text of the task text',
    },
  );
}

/** Labelled regions of a text; other results, as choices for the whole text, say nothing of tokens. */
function regions(field: string, value: unknown, text: string): TextSpan[] {
  const counting = codePointsOf(text);
  return listOf(field, value).flatMap((item, i): TextSpan[] => {
    const span = regionSpan(`${field}[${i}]`, item, text, counting);
    return span === undefined ? [] : [span];
  });
}

/** The span of a region; undefined for a result that is none. */
function regionSpan(
  at: string,
  item: unknown,
  text: string,
  counting: CodePoints,
): TextSpan | undefined {
  const result = objectOf(at, item);
  const region = result.value === undefined ? result : objectOf(`${at}.value`, result.value);
  if (region.labels == null) return undefined;
  const labels = listOf(`${at}.labels`, region.labels);
  if (labels.length !== 1) throw wrongShape(`${at}.labels`, 'one label', region.labels);
  const { start, end } = region;
  const place = { start, end, label: labels[0] };
  return spanOfText(at, place, text, region.text, counting);
}

/** Results with other regions: those that stay keep their ids, and relations go with their regions. */
function revisedResult(before: readonly JsonText[], labelled: LabelledText): unknown[] {
  const { text, spans = [] } = labelled;
  const counting = codePointsOf(text);
  const made = resultOf(labelled, before.map(asWritten).find(hasLabels));
  const items = mergeItems(
    before,
    spans,
    (item, i) => regionSpan(`result[${i}]`, item, text, counting),
    (_, i) => made[i],
  );
  const ids = new Set(items.map(item => asWritten(item).id));
  return items.filter(item => {
    const { type, from_id: from, to_id: to } = asWritten(item);
    return type !== 'relation' || (ids.has(from) && ids.has(to));
  });
}

function hasLabels(item: unknown): item is ForeignRecord {
  const { value } = item as ForeignRecord;
  return (value as ForeignRecord | undefined)?.labels != null;
}

/** Regions of the short export. */
function shortRegions(own: JsonText, labelled: LabelledText): unknown[] {
  const { text, spans = [] } = labelled;
  const counting = codePointsOf(text);
  return mergeItems(
    itemsIn(own, 'label'),
    spans,
    (item, i) => regionSpan(`label[${i}]`, item, text, counting),
    span => regionOf(span, text, counting),
  );
}

function regionOf({ start, end, label }: TextSpan, text: string, { fromUnits }: CodePoints) {
  const place = { start: fromUnits(start), end: fromUnits(end) };
  return { ...place, text: text.slice(start, end), labels: [label] };
}

/** @param like a region of the same task: its names of the parts of the page are taken */
function resultOf({ text, spans = [] }: LabelledText, like: ForeignRecord = {}): object[] {
  const counting = codePointsOf(text);
  const { from_name: from = 'label', to_name: to = 'text' } = like;
  return spans.map((span, i) => ({
    id: `span-${i + 1}`,
    ...{ from_name: from, to_name: to, type: 'labels' },
    value: regionOf(span, text, counting),
  }));
}
