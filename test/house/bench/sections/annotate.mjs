import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { servedPage } from '../processes/served-page.mjs';
import { keyToRedraw } from '../timed/key-to-redraw.mjs';

const longTokens = 200;

/**
 * The server of `annotate` with a long queue, and its page: how long a person waits. A person takes a quarter of a second
 * for a record; a program, which takes none, waits for what is else done meanwhile.
 */
export async function annotate({ corpus, folder, scale, progress }) {
  const { open, queue, answers, keys, learned: count } = scale.annotate;
  const rows = [];
  const row = (what, more) => rows.push({ group: 'annotate', what, ratios: {}, ...more });
  const quantiles = (what, milliseconds, more = {}) => {
    const sorted = [...milliseconds].sort((a, b) => a - b);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ]) {
      const at = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
      row(`${what}, ${name}`, { runs: sorted.length, seconds: sorted[at] / 1000, ...more });
    }
  };
  const sentences = corpus.train;
  const labels = [
    ...new Set(
      sentences.flatMap(({ tags }) => tags.filter(tag => tag !== 'O').map(tag => tag.slice(2))),
    ),
  ];
  /** Serves records while some work is done. */
  const served = async (name, records, work, ...more) => {
    const file = join(folder, `${name}.ndjson`);
    const out = join(folder, `${name}.labelled.ndjson`);
    writeFileSync(file, records.map(tokens => `${JSON.stringify({ tokens })}\n`).join(''));
    rmSync(out, { force: true });
    const save = join(folder, `${name}.model`);
    const words = [file, '--labels', labels.join(','), '--out', out, '--save', save, ...more];
    const server = await servedPage(words);
    try {
      await work(server);
    } finally {
      await server.end();
    }
  };
  const records = count =>
    Array.from({ length: count }, (_, i) => sentences[i % sentences.length].tokens);

  progress(`annotate: ${open} records`);
  await served('large', records(open), server =>
    row(`open ${open} records`, {
      runs: 1,
      seconds: server.seconds,
      peakBytes: server.peakBytes(),
    }),
  );

  for (const pause of [250, 0]) {
    progress(`annotate: ${answers} answers, ${pause} ms for each`);
    await served('queue', records(queue), async server => {
      const waited = [];
      let { next } = await server.ask('start');
      for (let i = 0; i < answers; i += 1) {
        const { record } = next;
        const { tags } = sentences[record % sentences.length];
        const answer = { record, answer: 'accept', tags, corrections: 0, key: `k${i}` };
        await setTimeout(pause);
        const start = performance.now();
        ({ next } = await server.ask('answer', answer));
        waited.push(performance.now() - start);
      }
      const peakBytes = server.peakBytes();
      quantiles(`accept to next, ${pause} ms a record, ${queue} in the queue`, waited, {
        peakBytes,
      });
    });
  }

  const words = sentences.flatMap(({ tokens }) => tokens);
  const long = Array.from({ length: longTokens }, (_, i) => words[i % words.length]);
  const learned = sentences.slice(0, count);
  const redraws = [];
  const redraw = async server => {
    for (const [record, { tags }] of learned.entries()) {
      await server.ask('answer', { record, answer: 'accept', tags, corrections: 0 });
    }
    for (const pause of [60, 0]) {
      redraws.push([pause, await keyToRedraw(server.url, keys, pause)]);
    }
  };
  const texts = [...learned.map(({ tokens }) => tokens), long];
  await served('long', texts, redraw, '--strategy', 'sequential');
  for (const [pause, waited] of redraws) {
    if (waited === undefined) continue;
    quantiles(`key to redraw, ${longTokens} tokens, ${pause} ms after the key before`, waited);
  }
  return { rows };
}
