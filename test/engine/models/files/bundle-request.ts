import { from, lastValueFrom, toArray } from 'rxjs';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { sgd } from '../../../../src/engine/optimizers/factories.js';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';

/** A small tagger. */
export const smallTagger = {
  features: { templates: 'U0:%x[0,0]\nB' },
  optimizer: sgd({ eta0: 0.1 }),
  epochs: 3,
};

/** The records of a text in CoNLL-U. */
export async function conlluDocuments(text: string): Promise<Document[]> {
  const read = conlluCodec().read([new TextEncoder().encode(text)], {
    source: 'a',
    onBad: ({ error }) => {
      throw error;
    },
  });
  return (await lastValueFrom(from(read).pipe(toArray()))).flat();
}
