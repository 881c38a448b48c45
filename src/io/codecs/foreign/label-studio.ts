import { TagstreamError } from '../../../core/errors.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { codePointsOf } from './code-points.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';
import { idOf, listOf, objectOf, spanOfText } from './read-spans.js';

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
    const valid = all.filter(({ was_cancelled: cancelled }) => cancelled !== true);
    if (valid.length === 0) return all.length === 0 ? own : undefined;
    const chosen = valid.find(({ ground_truth: truth }) => truth === true) ?? valid[0]!;
    return { ...own, spans: regions('result', chosen.result, text) };
  },
  fromDocument: labelled => ({
    ...(labelled.id === undefined ? {} : { id: labelled.id }),
    data: { text: labelled.text },
    annotations: labelled.spans === undefined ? [] : [{ result: resultOf(labelled) }],
  }),
  fromPredicted: (labelled, own) => ({
    ...(own ?? { data: { text: labelled.text } }),
    predictions: [{ model_version: 'tagstream', result: resultOf(labelled) }],
  }),
};

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
    const at = `${field}[${i}]`;
    const result = objectOf(at, item);
    const region = result.value === undefined ? result : objectOf(`${at}.value`, result.value);
    if (region.labels == null) return [];
    const labels = listOf(`${at}.labels`, region.labels);
    if (labels.length !== 1) throw wrongShape(`${at}.labels`, 'one label', region.labels);
    const { start, end } = region;
    const place = { start, end, label: labels[0] };
    return [spanOfText(at, place, text, region.text, counting)];
  });
}

function resultOf({ text, spans = [] }: LabelledText): object[] {
  const { fromUnits } = codePointsOf(text);
  return spans.map(({ start, end, label }, i) => ({
    id: `span-${i + 1}`,
    from_name: 'label',
    to_name: 'text',
    type: 'labels',
    value: {
      start: fromUnits(start),
      end: fromUnits(end),
      text: text.slice(start, end),
      labels: [label],
    },
  }));
}
