import { sentence } from './sentence.mjs';

/**
 * Sentences from the text of a file of CoNLL-2000: form, part of speech and tag, blank lines between
 * sentences.
 *
 * @param {string} text
 */
export function readChunkColumns(text) {
  const blocks = text.split(/\n\s*\n/).filter(block => block.trim() !== '');
  return blocks.map(block => {
    const rows = block
      .trim()
      .split('\n')
      .map(line => line.trim().split(/\s+/));
    const column = index => rows.map(row => row[index]);
    return sentence(column(0), column(2), { pos: column(1) });
  });
}

/**
 * The text of a file of sentences in columns.
 *
 * @param {ReturnType<typeof readChunkColumns>} sentences
 * @param {boolean} tagged with the tag as third column
 */
export function writeChunkColumns(sentences, tagged) {
  const line = ({ tokens, tags, columns }, t) =>
    `${tokens[t]} ${columns.pos[t]}${tagged ? ` ${tags[t]}` : ''}\n`;
  return sentences.map(one => `${one.tokens.map((_, t) => line(one, t)).join('')}\n`).join('');
}
