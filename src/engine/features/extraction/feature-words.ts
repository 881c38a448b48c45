import type { Macro } from '../template/template.js';

/** Descriptions of the values of `%type`. */
const looks: Readonly<Record<string, string>> = {
  number: 'a number',
  alnum: 'letters and digits',
  symbol: 'no letters',
  hyphen: 'letters with a hyphen',
  abbreviation: 'letters with full stops',
  lower: 'lower case',
  initial: 'initial capital',
  caps: 'capitals',
  mixed: 'mixed case',
};

/** Descriptions of the context columns of `%document` and similar macros. */
const inDocument: Readonly<Record<string, string>> = {
  case: 'its case elsewhere in the document',
  left: 'the word before it elsewhere in the document',
  right: 'the word after it elsewhere in the document',
  left2: 'two words before it elsewhere in the document',
  right2: 'two words after it elsewhere in the document',
};

/**
 * Describes a macro's value in words.
 *
 * @param column name of the column that the macro reads
 * @param text value of the macro; `_B-1`, `_B+1`, ... outside the sentence
 * @example
 * const macro = { apply: 'type', offset: -1, absolute: false, column: 0, fold: false, count: 0, pattern: undefined };
 * macroWords(macro, 'form', 'initial') // => 'word before: initial capital'
 * macroWords({ ...macro, apply: 'suffix', offset: 2, count: 3 }, 'form', 'ing') // => '2 words after: ends in “ing”'
 */
export function macroWords(macro: Macro, column: string, text: string): string {
  const place = placeWords(macro);
  const where = column === 'form' ? place : `${column} of the ${place}`;
  const outside = /^_B([+-])\d+$/.exec(text);
  if (outside !== null) {
    return `${place}: none, at the ${outside[1] === '-' ? 'start' : 'end'} of the sentence`;
  }
  if (macro.apply === 'first') return 'first word of the sentence';
  const isPlain = macro.apply === 'value' && column !== 'form';
  return `${where}: ${isPlain ? text : found(macro, text)}`;
}

function placeWords({ offset, absolute }: Macro): string {
  if (absolute) {
    const number = offset < 0 ? -offset : offset + 1;
    const from = offset < 0 ? 'last' : 'first';
    return number === 1 ? `${from} word` : `word ${number} from the ${from}`;
  }
  if (offset === 0) return 'word';
  const side = offset < 0 ? 'before' : 'after';
  return Math.abs(offset) === 1 ? `word ${side}` : `${Math.abs(offset)} words ${side}`;
}

function found({ apply, count, pattern, resource, custom }: Macro, text: string): string {
  const quoted = `“${text}”`;
  switch (apply) {
    case 'value':
    case 'lower':
      return quoted;
    case 'shape':
      return `shape ${text}`;
    case 'type':
      return looks[text] ?? text;
    case 'prefix':
      return `begins with ${quoted}`;
    case 'suffix':
      return `ends in ${quoted}`;
    case 'char':
      return count < 0
        ? `character ${-count} from the end ${quoted}`
        : `character ${count + 1} ${quoted}`;
    case 'length':
      return text === '1' ? 'one character' : `${text} characters`;
    case 'test':
      return `${text === 'true' ? 'matches' : 'does not match'} ${pattern?.source ?? 'a pattern'}`;
    case 'match':
      return text === '' ? `nothing of ${pattern?.source ?? 'a pattern'}` : `contains ${quoted}`;
    case 'gazetteer':
      return `${text} in the list ${resource}`;
    case 'cluster':
      return `cluster ${text} of ${resource}`;
    case 'document':
      return `${inDocument[resource!] ?? resource} is ${text}`;
    case 'predicted':
      return `${resource} before is ${text}`;
    case 'seen':
      return text === '-' ? 'without a label in training' : `labelled ${text} in training`;
    case 'custom':
      return `${custom!.name} ${text}`;
    case 'vector':
      return `number ${Number(text) + 1} of its vector in ${resource}`;
    default:
      return 'its value';
  }
}
