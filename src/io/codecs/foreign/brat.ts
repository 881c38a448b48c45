import { TagstreamError } from '../../../core/errors.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import { type CodePoints, codePointsOf } from './code-points.js';
import type { ForeignFormat } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';
import { idOf, objectOf, spanOfText, textOf } from './read-spans.js';

/**
 * A text and its standoff annotations, as brat has them in two files: `{"text", "ann"}` with lines `T1	PER 2 5	Ann`. Relations,
 * events, attributes and notes are passed over. Offsets count code points; where the text of an annotation stands at its UTF-16
 * units only, these are taken.
 *
 * @example
 * brat.toDocument({ id: 'a', text: '😀 Ann', ann: 'T1\tPER 2 5\tAnn\n' })
 * // => ({ id: 'a', text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * brat.fromDocument({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * // => ({ text: '😀 Ann', ann: 'T1\tPER 2 5\tAnn\n' })
 */
export const brat: ForeignFormat = {
  name: 'brat',
  toDocument: given => {
    const { id, text: found, ann } = objectOf('the record', given);
    const text = textOf('text', found);
    const counting = codePointsOf(text);
    const lines = textOf('ann', ann).split(/\r?\n/);
    const spans = lines.flatMap((line, i) =>
      line.startsWith('T') ? [spanOf(line, i + 1, text, counting)] : [],
    );
    return { ...idOf(id), text, spans };
  },
  fromDocument: ({ id, text, spans = [] }: LabelledText) => {
    const { fromUnits } = codePointsOf(text);
    const ann = spans.map(({ start, end, label }, i) => {
      const type = label.replace(/\s+/g, '_');
      const shown = text.slice(start, end).replace(/[\r\n]/g, ' ');
      return `T${i + 1}\t${type} ${fromUnits(start)} ${fromUnits(end)}\t${shown}\n`;
    });
    return { ...(id === undefined ? {} : { id }), text, ann: ann.join('') };
  },
};

function spanOf(line: string, number: number, text: string, counting: CodePoints): TextSpan {
  const [key, place = '', shown] = line.split('\t');
  const [, label, start, end] = /^(\S+) (\d+) (\d+)$/.exec(place) ?? [];
  if (label === undefined) {
    const isDivided = /^\S+ \d+ \d+;/.test(place);
    const problem = isDivided ? 'is in several pieces' : 'is not TYPE START END';
    throw new TagstreamError(
      'wrong-shape',
      `annotation ${key}, line ${number} of its file, ${problem}`,
      {
        fix: isDivided
          ? 'a span is one piece of text: divide the annotation'
          : 'write it as T1, a tab, PER 0 3, a tab, and the text',
      },
    );
  }
  const span = { start: Number(start), end: Number(end), label };
  return spanOfText(`annotation ${key}`, span, text, shown, counting);
}
