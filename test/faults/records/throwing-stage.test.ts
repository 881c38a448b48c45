import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, map, type Observable, pipe, tap } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { saveModelState } from '../../../src/engine/models/state/model-state.js';
import { attempt } from '../../../src/engine/operators/attempt.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { checkpoint } from '../../../src/engine/operators/checkpoint.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { FileCheckpointStore } from '../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { writeDocuments } from '../../../src/runtime/io/document-sink.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { openOutput } from '../../../src/runtime/io/writing/open-output.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const input = join(folder, 'input.ndjson');
const out = join(folder, 'out.ndjson');
beforeAll(() => writeFileSync(input, `${toyRecords(60).join('\n')}\n`));

class Wrong extends Error {}

function work(document: Document): Document {
  if (document.id === '41') throw new Wrong('of no use');
  return document;
}

const tagged = pipe(
  map((document: Document) => {
    const tokens = document.tokens!;
    return { document, tokens, tags: tokens.map(() => 'X') };
  }),
);

/** Whether this process has the input open. */
function isOpen(): boolean {
  const links = readdirSync('/proc/self/fd').map(name => {
    try {
      return readlinkSync(join('/proc/self/fd', name));
    } catch {
      return '';
    }
  });
  return links.includes(input);
}

async function closed(): Promise<void> {
  while (isOpen()) await new Promise(wake => setTimeout(wake, 1));
}

function source(deadLetters: DeadLetters): Observable<Document> {
  return documentSource({ files: [input], codec: ndjsonCodec(), deadLetters });
}

describe('a stage that throws', () => {
  it('in a plain RxJS operator ends the run with its own error; the old output stays', async () => {
    writeFileSync(out, 'old\n');
    const documents = source(new DeadLetters({ policy: 'fail' })).pipe(map(work), tagged);
    const written = writeDocuments(documents, await openOutput(out), ndjsonCodec());
    await expect(written).rejects.toThrow(Wrong);
    expect(readFileSync(out, 'utf8')).toBe('old\n');
    expect(readdirSync(folder).sort()).toEqual(['input.ndjson', 'out.ndjson']);
    await closed();
  });

  it('in an operator made with attempt makes one dead letter `stage`; all others are written', async () => {
    const file = join(folder, 'dead.ndjson');
    const deadLetters = new DeadLetters({ policy: 'dead-letter', file });
    const tried = attempt((document: Document & { delivery: never }) => work(document));
    const documents = source(deadLetters).pipe(tried as never, tagged);
    const { records } = await writeDocuments(documents, await openOutput(out), ndjsonCodec());
    deadLetters.close();
    expect(records).toBe(59);
    const [letter] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(letter).toMatchObject({ line: 42, code: 'stage', error: 'of no use' });
    expect(readFileSync(input).subarray(letter.start, letter.end).toString()).toBe(letter.raw);
    expect(deadLetters.counts).toEqual({ stage: 1 });
    await closed();
  });

  it('while it trains ends the run; the last checkpoint is whole and nothing is half-written', async () => {
    const directory = join(folder, 'checkpoints');
    const store = new FileCheckpointStore(directory, { keep: 2 });
    const model = createModel({ templates: 'U:%x[0,0]\nB' });
    const learner = createOnlineLearner(model, { loss: logLoss, optimizer: sgd, corpusSize: 60 });
    const parts = () => ({ model: saveModelState(model), learner: learner.save() });
    const steps = source(new DeadLetters({ policy: 'fail' })).pipe(
      tokenize(),
      featurize(model),
      batch({ sentences: 1 }),
      contribute(learner),
      tap(() => {
        if (learner.sentencesSeen === 41) throw new Wrong('of no use');
      }),
      optimize(learner),
      checkpoint(store, parts, { sentences: 8 }),
    );
    await expect(lastValueFrom(steps)).rejects.toThrow(Wrong);
    const newest = store.readNewest(name => expect.fail(`${name} is damaged`))!;
    expect(newest.learner!.json.sentencesSeen).toBe(40);
    expect(readdirSync(directory).sort()).toEqual(['gen-00000004', 'gen-00000005']);
    await closed();
  });
});
