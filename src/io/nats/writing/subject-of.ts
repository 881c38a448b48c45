import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';

/** What a part of a subject stands for. */
const placeholder = /\{(label|id|subject)\}/g;

/** A part of a subject where a record has none. */
const none = 'none';

/**
 * The subject that a record is sent to: `{label}` is the most frequent label of its spans, or tag where the tags are no
 * spans (the first of those as frequent, `none` without any), `{id}` its id, `{subject}` that of its message. Characters
 * that subjects do not take become `_`.
 *
 * @example
 * const record = { document: { id: 'a.1' }, tokens: ['Oslo'], tags: ['B-LOC'], spans: [{ start: 0, end: 1, label: 'LOC' }] };
 * subjectOf('tagged.{label}.{id}', record, undefined) // => 'tagged.LOC.a_1'
 */
export function subjectOf(
  template: string,
  record: TaggedDocument | undefined,
  incoming: string | undefined,
): string {
  if (!template.includes('{')) return template;
  return template.replace(placeholder, (_, part: string) => {
    if (part === 'subject') return incoming ?? none;
    if (record === undefined) return none;
    const value = part === 'id' ? record.document.id : mostFrequent(labelsOf(record));
    return value === undefined || value === '' ? none : value.replace(/[\s.*>]/g, '_');
  });
}

/** Whether a template asks for what only the record can say. */
export function needsRecord(template: string): boolean {
  return /\{(?:label|id)\}/.test(template);
}

/** The subjects that a template can give, with a wildcard for each part that varies. */
export function subjectsOf(template: string): string {
  return template
    .split('.')
    .map(part => (part.includes('{subject}') ? '>' : part.includes('{') ? '*' : part))
    .join('.')
    .replace(/>.*/, '>');
}

function labelsOf({ spans, tags }: TaggedDocument): readonly string[] {
  return spans === undefined ? tags : spans.map(({ label }) => label);
}

function mostFrequent(labels: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  let best: string | undefined;
  for (const [label, count] of counts) {
    if (best === undefined || count > counts.get(best)!) best = label;
  }
  return best;
}
