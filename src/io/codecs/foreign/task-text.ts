import { TagstreamError } from '../../../core/errors.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import type { ForeignRecord } from './foreign-format.js';
import { objectOf } from './read-spans.js';
import { regionKind, type TaskText } from './regions.js';

/**
 * The text of a task: that of its data, without the marks of HTML where labels are of HTML, and of a dialogue all paragraphs,
 * a line each.
 *
 * @param like a region of the task, which shows what it labels
 * @throws TagstreamError `wrong-shape` where there is none, or one of several
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
  throw new TagstreamError(
    'wrong-shape',
    `data has ${texts.length} texts, and none is named text`,
    { fix: 'name the text of the task text' },
  );
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

/** The text of HTML as the `textContent` of a page has it. Cost O(text). */
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
