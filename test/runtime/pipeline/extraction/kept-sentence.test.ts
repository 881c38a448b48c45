import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { tokenize } from '../../../../src/engine/operators/tokenize.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../../src/runtime/io/sources/document-source.js';
import { codecOf } from '../../../../src/runtime/pipeline/catalogue/codec-of.js';
import { extractHere } from '../../../../src/runtime/pipeline/extraction/extract-here.js';
import { KeptSentence } from '../../../../src/runtime/pipeline/extraction/kept-sentence.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';
import { columnText, ndjsonText } from './corpora.js';

const folder = workspace();
const columns = ['form', 'pos', 'tag'];

const corpora = [
  { text: columnText(4000, 12), chosen: { name: 'conll', options: { columns } }, pos: true },
  { text: ndjsonText(3000, { length: 12 }), chosen: { name: 'ndjson', options: {} }, pos: false },
];

function shown({ tokens, tags, columns: { pos }, document, part }: Sentence, hasPos: boolean) {
  return { tokens, tags, pos: hasPos ? pos : undefined, id: document.id, part };
}

describe('KeptSentence', () => {
  for (const { rows, tags } of everyNth(3, corpora)) {
    it.each(rows)(
      'has the texts of its record: $chosen.name',
      { tags },
      async ({ text, chosen, pos }) => {
        const file = join(folder, chosen.name);
        writeFileSync(file, text);
        const codec = codecOf(chosen);
        const input = { files: [file], codec, deadLetters: new DeadLetters({ policy: 'fail' }) };
        const templates = pos ? 'U00:%x[0,0]\nU01:%x[0,1]' : 'U00:%x[0,0]';
        const model = createModel({ templates, columns: pos ? ['form', 'pos'] : ['form'] });
        const read = documentSource(input).pipe(tokenize(), toArray());
        const kept = extractHere({ ...input, chosen, tokenizer: {}, model }).pipe(toArray());
        const expected = await lastValueFrom(read);
        const sentences = (await lastValueFrom(kept)).map(({ sentence }) => sentence);
        expect(sentences.length).toBeGreaterThan(2000);
        expect(sentences.every(sentence => sentence instanceof KeptSentence)).toBe(true);
        const found = sentences.map(sentence => shown(sentence, pos));
        expect(found).toEqual(expected.map(sentence => shown(sentence, pos)));
      },
    );
  }
});
