import type { FeatureColumn, Task } from './guess.js';

/** Letters around a letter, up to five in a row. */
const letters = [
  'U00:%x[0,0]',
  'U01:%x[-1,0]',
  'U02:%x[1,0]',
  'U03:%x[-2,0]',
  'U04:%x[2,0]',
  'U10:%x[-1,0]/%x[0,0]',
  'U11:%x[0,0]/%x[1,0]',
  'U20:%x[-1,0]/%x[0,0]/%x[1,0]',
  'U21:%x[-2,0]/%x[-1,0]/%x[0,0]',
  'U22:%x[0,0]/%x[1,0]/%x[2,0]',
  'U30:%x[-2,0]/%x[-1,0]/%x[0,0]/%x[1,0]',
  'U31:%x[-1,0]/%x[0,0]/%x[1,0]/%x[2,0]',
  'U32:%x[0,0]/%x[1,0]/%x[2,0]/%x[3,0]',
  'U33:%x[-3,0]/%x[-2,0]/%x[-1,0]/%x[0,0]',
  'U40:%x[-2,0]/%x[-1,0]/%x[0,0]/%x[1,0]/%x[2,0]',
  'U41:%x[-1,0]/%x[0,0]/%x[1,0]/%x[2,0]/%x[3,0]',
  'U42:%x[-3,0]/%x[-2,0]/%x[-1,0]/%x[0,0]/%x[1,0]',
  'U43:%x[0,0]/%x[1,0]/%x[2,0]/%x[3,0]/%x[4,0]',
  'U44:%x[-4,0]/%x[-3,0]/%x[-2,0]/%x[-1,0]/%x[0,0]',
  'B',
];

/** Words and what they look like. */
const words = [
  'U00:%x[0,0]',
  'U01:%lower[-2,0]',
  'U02:%lower[-1,0]',
  'U03:%lower[0,0]',
  'U04:%lower[1,0]',
  'U05:%lower[2,0]',
  'U06:%lower[-1,0]/%lower[0,0]',
  'U07:%lower[0,0]/%lower[1,0]',
  'U08:%lower[-1,0]/%lower[1,0]',
  'U10:%prefix[0,0,1]',
  'U11:%prefix[0,0,2]',
  'U12:%prefix[0,0,3]',
  'U13:%prefix[0,0,4]',
  'U14:%suffix[0,0,1]',
  'U15:%suffix[0,0,2]',
  'U16:%suffix[0,0,3]',
  'U17:%suffix[0,0,4]',
  'U18:%suffix[-1,0,2]',
  'U19:%suffix[-1,0,3]',
  'U20:%suffix[1,0,2]',
  'U21:%suffix[1,0,3]',
  'U30:%shape[0,0]',
  'U31:%type[0,0]',
  'U32:%type[-1,0]/%type[0,0]',
  'U33:%type[0,0]/%type[1,0]',
  'U34:%type[-1,0]/%type[0,0]/%type[1,0]',
  'U35:%suffix[-1,0,2]/%suffix[0,0,2]',
  'U36:%suffix[0,0,3]/%type[0,0]',
  'U37:%suffix[0,0,2]/%suffix[1,0,2]',
  'U40:',
  'B',
];

/** Words and parts of speech and their neighbours in pairs and threes. */
const chunks = [
  'U00:%x[-2,0]',
  'U01:%x[-1,0]',
  'U02:%x[0,0]',
  'U03:%x[1,0]',
  'U04:%x[2,0]',
  'U05:%x[-1,0]/%x[0,0]',
  'U06:%x[0,0]/%x[1,0]',
  'U10:%x[-2,pos]',
  'U11:%x[-1,pos]',
  'U12:%x[0,pos]',
  'U13:%x[1,pos]',
  'U14:%x[2,pos]',
  'U15:%x[-2,pos]/%x[-1,pos]',
  'U16:%x[-1,pos]/%x[0,pos]',
  'U17:%x[0,pos]/%x[1,pos]',
  'U18:%x[1,pos]/%x[2,pos]',
  'U20:%x[-2,pos]/%x[-1,pos]/%x[0,pos]',
  'U21:%x[-1,pos]/%x[0,pos]/%x[1,pos]',
  'U22:%x[0,pos]/%x[1,pos]/%x[2,pos]',
  'B',
];

/** Words, parts of speech and what words look like. */
const names = [
  'U00:%x[-2,0]',
  'U01:%x[-1,0]',
  'U02:%x[0,0]',
  'U03:%x[1,0]',
  'U04:%x[2,0]',
  'U05:%x[-1,0]/%x[0,0]',
  'U06:%x[0,0]/%x[1,0]',
  'U07:%lower[0,0]',
  'U08:%lower[-1,0]',
  'U09:%lower[1,0]',
  'U10:%x[-2,pos]',
  'U11:%x[-1,pos]',
  'U12:%x[0,pos]',
  'U13:%x[1,pos]',
  'U14:%x[2,pos]',
  'U15:%x[-1,pos]/%x[0,pos]',
  'U16:%x[0,pos]/%x[1,pos]',
  'U20:%prefix[0,0,2]',
  'U21:%prefix[0,0,3]',
  'U22:%prefix[0,0,4]',
  'U23:%suffix[0,0,2]',
  'U24:%suffix[0,0,3]',
  'U25:%suffix[0,0,4]',
  'U30:%type[-2,0]',
  'U31:%type[-1,0]',
  'U32:%type[0,0]',
  'U33:%type[1,0]',
  'U34:%type[2,0]',
  'U35:%type[-1,0]/%type[0,0]',
  'U36:%type[0,0]/%type[1,0]',
  'U37:%type[-1,0]/%type[0,0]/%type[1,0]',
  'U38:%shape[-1,0]',
  'U39:%shape[0,0]',
  'U40:%shape[1,0]',
  'U41:%shape[-1,0]/%shape[0,0]',
  'U42:%shape[0,0]/%shape[1,0]',
  'U43:%x[-1,0]/%type[0,0]',
  'U44:%type[0,0]/%x[1,0]',
  'U45:%x[-2,0]/%x[-1,0]/%type[0,0]',
  'U50:',
  'B',
];

/** Phrases around a token. */
const phrases = [
  'U70:%x[-1,chunk]',
  'U71:%x[0,chunk]',
  'U72:%x[1,chunk]',
  'U73:%x[0,pos]/%x[0,chunk]',
];

/** Which tag follows which at a letter. */
const letterEdges = ['B00:%x[0,0]'];

/**
 * The templates for a task, with the names of the columns that there are; what asks for others is left out.
 *
 * @example
 * templates('ner', []).some(line => line.includes('pos')) // => false
 * templates('ner', [{ name: 'xpos', holds: 'pos' }]).includes('U12:%x[0,xpos]') // => true
 */
export function templates(task: Task, columns: readonly FeatureColumn[]): string[] {
  if (task === 'letters') return [...letters, ...letterEdges];
  if (task === 'pos') return words;
  const pos = columns.find(({ holds }) => holds === 'pos')?.name;
  const chunk = columns.find(({ holds }) => holds === 'chunk')?.name;
  const all = task === 'ner' ? [...phrases, ...names] : pos === undefined ? words : chunks;
  return all
    .filter(
      line =>
        (pos !== undefined || !line.includes(',pos]')) &&
        (chunk !== undefined || !line.includes(',chunk]')),
    )
    .map(line => line.replaceAll(',pos]', `,${pos}]`).replaceAll(',chunk]', `,${chunk}]`));
}
