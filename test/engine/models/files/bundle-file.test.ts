import { beforeAll, describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import {
  readModel,
  readTaggingModel,
  requireReadable,
} from '../../../../src/engine/models/files/model-file.js';
import {
  formatVersionOf,
  newestFormatVersion,
} from '../../../../src/engine/models/files/model-header.js';
import { readSections, writeSections } from '../../../../src/engine/models/files/section-file.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';

import { smallTreebank } from '../../text/characters/small-treebank.js';
import { conlluDocuments, smallTagger } from './bundle-request.js';

let bytes: Uint8Array;
const text = "The dog doesn't a cat. The cat likes a Dr. Low!";

beforeAll(async () => {
  const corpus = await conlluDocuments(smallTreebank(60, 4));
  ({ bytes } = await train({ corpus, ...smallTagger, tokenize: { tokenizer: 'learned' } }));
});

/** The file with other sections, or another header. */
function changed(
  change: (header: Record<string, unknown>, sections: Record<string, never>) => void,
) {
  const file = readSections(bytes, newestFormatVersion, 'a');
  const { sections: table, ...header } = file.header as Record<string, unknown>;
  const sections = Object.fromEntries(
    (table as { name: string; type: 'Uint8Array' }[]).map(({ name, type }) => [
      name,
      file.section(name, type),
    ]),
  );
  change(header, sections as never);
  return joined(writeSections(formatVersionOf(header as never), header, sections));
}

describe('a model file with a tokenizer', () => {
  it('is read with it, for tagging and for training', () => {
    const { tokens, sentences } = Tagger.fromBytes(bytes).tagText(text);
    expect(tokens.slice(1, 4)).toEqual(['dog', 'does', "n't"]);
    expect(sentences).toHaveLength(2);
    for (const model of [readModel(bytes), readTaggingModel(bytes)]) {
      expect(model.tokenizer!.divide(text).sentences).toEqual(sentences);
    }
    expect(() => requireReadable(bytes, 'a')).not.toThrow();
  });

  it('says what is damaged', () => {
    const without = changed((_, sections) => {
      delete (sections as Record<string, unknown>).tokenizer;
    });
    expect(() => readModel(without, 'a.model')).toThrow('its tokenizer does not match its header');
    const unnamed = changed((header, sections) => {
      for (const name of ['tokenizer', 'tokenizer.certain']) {
        delete (sections as Record<string, unknown>)[name];
      }
      delete header.tokenizer;
    });
    expect(() => readModel(unnamed, 'a.model')).toThrow('its tokenizer is missing');
    const broken = changed((_, sections) => {
      const own = sections as unknown as Record<string, Uint8Array>;
      own.tokenizer = own.tokenizer!.slice(0, 200);
    });
    for (const read of [readModel, readTaggingModel, requireReadable]) {
      expect(() => read(broken, 'a.model')).toThrow('a.model: its tokenizer');
    }
  });

  it('is the same for the same records', async () => {
    const corpus = await conlluDocuments(smallTreebank(60, 4));
    const again = await train({ corpus, ...smallTagger, tokenize: { tokenizer: 'learned' } });
    expect(again.bytes).toEqual(bytes);
  });
});
