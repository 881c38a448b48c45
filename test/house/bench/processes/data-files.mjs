import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writeChunkColumns } from '../corpus/chunk-columns.mjs';
import { crfsuiteFeatures } from '../peers/crfsuite-features.mjs';

/**
 * The files that processes read, each written when it is first asked for.
 *
 * @param {string} folder
 * @param {{ train: object[], test: object[] }} corpus
 * @param {string} templates for CRFsuite's features
 */
export function dataFiles(folder, corpus, templates) {
  const features = sentences => crfsuiteFeatures(sentences, templates);
  const written = new Set();
  const write = (name, copies, text) => {
    const file = join(folder, name);
    if (!written.has(file)) writeCopies(file, copies, text());
    written.add(file);
    return file;
  };
  const labelled = {
    columns: sentences => writeChunkColumns(sentences, true),
    crfsuite: features,
  };
  const unlabelled = {
    columns: sentences => writeChunkColumns(sentences, false),
    crfsuite: features,
    ndjson: writeRecords,
    text: writeTexts,
  };
  const joined = (copies, between) => () =>
    writeText(Array.from({ length: copies }, () => corpus.test).flat(), between);
  return {
    /** The training sentences with their tags. */
    train: format => write(`train.${format}`, 1, () => labelled[format](corpus.train)),
    /** The test sentences with their tags. */
    gold: () => write('gold.columns', 1, () => labelled.columns(corpus.test)),
    /** Copies of the test sentences, without tags but in CRFsuite's format, which has to have some. */
    input: (format, copies) =>
      write(`test-x${copies}.${format}`, copies, () => unlabelled[format](corpus.test)),
    /** The text of copies of them in one record, with or without blanks. */
    oneText: copies => write(`one-x${copies}.text`, 1, joined(copies, ' ')),
    unspaced: copies => write(`unspaced-x${copies}.text`, 1, joined(copies, '')),
    /** One sentence. */
    single: () => write('single.ndjson', 1, () => writeRecords(corpus.test.slice(0, 1))),
  };
}

/** Records as users have them: an id, tokens and their parts of speech. */
function writeRecords(sentences) {
  const record = ({ tokens, columns }, i) => JSON.stringify({ id: String(i), tokens, columns });
  return sentences.map((sentence, i) => `${record(sentence, i)}\n`).join('');
}

/** The same as raw text. */
function writeTexts(sentences) {
  const record = ({ tokens }, i) => JSON.stringify({ id: String(i), text: tokens.join(' ') });
  return sentences.map((sentence, i) => `${record(sentence, i)}\n`).join('');
}

function writeText(sentences, between) {
  const text = sentences.flatMap(({ tokens }) => tokens).join(between);
  return `${JSON.stringify({ id: '0', text })}\n`;
}

function writeCopies(file, copies, text) {
  const output = openSync(file, 'w');
  try {
    for (let copy = 0; copy < copies; copy += 1) writeSync(output, text);
  } finally {
    closeSync(output);
  }
}
