import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { map, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import type { Document } from '../../../../../src/engine/core/sentence/document.js';
import type { Model } from '../../../../../src/engine/models/model.js';
import { replaceable } from '../../../../../src/engine/operators/replaceable.js';
import { Reloadable } from '../../../../../src/runtime/pipeline/tagging/reload/open-model.js';
import {
  finishBeforeError,
  versionsOf,
} from '../../../../../src/runtime/pipeline/tagging/tag-records.js';
import { taggingStages } from '../../../../../src/runtime/pipeline/tagging/tagging-stages.js';
import { toyModel, toyModelBytes } from '../toy-tagger.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('a model that was replaced leaves memory, as do its batches', async () => {
  const bytes = toyModelBytes();
  const gone = new Set<number>();
  const registry = new FinalizationRegistry((number: number) => gone.add(number));
  let count = 0;
  const make = (): Model => {
    const model = toyModel(bytes);
    registry.register(model, count);
    registry.register(model.parameters, 1000 + count);
    count += 1;
    return model;
  };
  const models = new Reloadable(make(), make);
  const options = { output: 'record', decoding: 'viterbi' } as const;
  const versions = versionsOf(models).pipe(
    map(model => taggingStages(model, options, { sentences: 32, milliseconds: 1e6 })),
  );
  const documents = new Subject<Document>();
  const seen: (string | undefined)[] = [];
  documents
    .pipe(finishBeforeError(replaceable(versions)))
    .subscribe(({ document }) => seen.push(document.id));
  for (let i = 0; i < 50 * 5; i += 1) {
    documents.next({ id: String(i), tokens: ['the', 'dog'] });
    if (i % 5 === 4) models.reload();
  }
  expect(seen).toEqual(Array.from({ length: 250 }, (_, i) => String(i)));
  // What a round frees may be reported in the next.
  for (let round = 0; round < 20 && gone.size < 100; round += 1) {
    collect();
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  // The newest is in use; that of the start is no exception.
  expect(count).toBe(51);
  expect([...gone].sort((a, b) => a - b)).toEqual(
    [0, 1000].flatMap(from => Array.from({ length: 50 }, (_, i) => from + i)),
  );
  documents.complete();
});
