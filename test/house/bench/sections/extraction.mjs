import { lastValueFrom, tap } from 'rxjs';
import { extractHere } from '../../../../dist/runtime/pipeline/extraction/extract-here.js';
import { extractInWorkers } from '../../../../dist/runtime/pipeline/extraction/extract-in-workers.js';
import { WorkerPool } from '../../../../dist/runtime/workers/worker-pool.js';
import { tokenCount } from '../corpus/token-count.mjs';
import {
  conllCodec,
  createModel,
  DeadLetters,
  documentSource,
  featurize,
  tokenize,
} from '../library.mjs';
import { against } from '../report/against.mjs';
import { median } from '../timing/median.mjs';

const module = new URL(
  '../../../../dist/runtime/pipeline/extraction/extract-worker.js',
  import.meta.url,
);
const columns = ['form', 'pos', 'tag'];
/** Milliseconds in which threads have started for certain. */
const started = 700;

/** Reading and encoding a training corpus, record by record, in blocks in one thread, and by two workers, in turn. */
export async function extraction({ corpus, files, spec: given, runs, scale }) {
  const spec = { ...given, columns };
  const inputs = new Array(scale.readCopies).fill(files.train('columns'));
  const ways = {
    'read and encode, record by record': () => recordByRecord(inputs, spec),
    'two workers, started before': async () => {
      const pool = new WorkerPool(module, { size: 2 });
      await new Promise(done => setTimeout(done, started));
      return inWorkers(inputs, spec, pool);
    },
    'in blocks, one thread': () => inBlocks(inputs, spec),
    'two workers, with their start': () =>
      inWorkers(inputs, spec, new WorkerPool(module, { size: 2 })),
  };
  const seconds = Object.keys(ways).map(() => []);
  // The first round does not count.
  for (let round = 0; round <= runs; round += 1) {
    for (const [i, way] of Object.values(ways).entries()) {
      const begun = performance.now();
      const wait = i === 1 ? started : 0;
      await way();
      if (round > 0) seconds[i].push((performance.now() - begun - wait) / 1000);
    }
  }
  const rows = Object.keys(ways).map((what, i) => ({
    ...{ group: 'extraction', what, runs, seconds: median(seconds[i]) },
    tokens: scale.readCopies * tokenCount(corpus.train),
  }));
  return { rows: against(rows, { [rows[0].what]: rows }) };
}

async function inBlocks(files, spec) {
  const kept = [];
  const chosen = { name: 'conll', options: { columns } };
  const codec = conllCodec({ columns });
  const given = { files, codec, chosen, tokenizer: {}, deadLetters: failing() };
  const encoded = extractHere({ ...given, model: createModel(spec) });
  await lastValueFrom(encoded.pipe(tap(item => kept.push(item))));
}

async function recordByRecord(files, spec) {
  const kept = [];
  const source = { files, codec: conllCodec({ columns }), deadLetters: failing() };
  const encoded = documentSource(source).pipe(tokenize(), featurize(createModel(spec)));
  await lastValueFrom(
    encoded.pipe(
      tap(item => {
        kept.push(item);
        item.sentence.delivery.release();
        item.sentence.delivery.ack();
      }),
    ),
  );
}

async function inWorkers(files, spec, pool) {
  const kept = [];
  const model = createModel(spec);
  const setup = { spec: model.spec, codec: { name: 'conll', options: { columns } } };
  const codec = conllCodec({ columns });
  const options = { files, codec, pool, setup, model, deadLetters: failing() };
  await lastValueFrom(extractInWorkers(options).pipe(tap(item => kept.push(item))));
}

function failing() {
  return new DeadLetters({ policy: 'fail' });
}
