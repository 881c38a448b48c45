import { createReadStream, statSync } from 'node:fs';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { tokenCount } from '../corpus/token-count.mjs';
import { command } from '../processes/command.mjs';
import { httpServer } from '../processes/http-server.mjs';
import { root } from '../processes/root.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { against } from '../report/against.mjs';
import { closedLoop } from '../timed/closed-loop.mjs';
import { median } from '../timing/median.mjs';

const connections = 64;

/** A server of the HTTP library alone, which reads a body and answers with bytes that it was given. */
const bare = `import { serve } from '@hono/node-server';
import { Hono } from 'hono';
const bytes = Buffer.from(process.argv[1], 'base64');
const app = new Hono();
app.post('/v1/tag', async ({ req }) => {
  await req.arrayBuffer();
  return new Response(bytes, { headers: { 'Content-Type': 'application/json' } });
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.stderr.write('listens on http://127.0.0.1:' + port + '\\n'));`;

/**
 * The service against a server of its HTTP library that answers the same bytes, a sentence a request in a closed loop and one
 * request alone; and a stream of records against `tag` on a pipe.
 */
export async function serve(bench) {
  const { corpus, files, copies, runs, models, scale, progress } = bench;
  const model = await models.ours('conll2000-sgd-l1');
  const sorted = [...corpus.test].sort((a, b) => a.tokens.length - b.tokens.length);
  const { tokens, columns } = sorted[sorted.length >> 1];
  const body = JSON.stringify({ tokens, columns });
  const type = 'application/json';
  const service = await httpServer(command('serve', model, '--port', '0', '--max-wait', '60000'));
  const answer = await fetch(`${service.url}/v1/tag`, {
    ...{ method: 'POST', body, headers: { 'content-type': type } },
  });
  const bytes = Buffer.from(await answer.arrayBuffer()).toString('base64');
  const alone = await httpServer(
    [process.execPath, '--input-type=module', '-e', bare, bytes],
    root,
  );
  const servers = { 'the HTTP library alone': alone, serve: service };
  const taken = Object.fromEntries(
    Object.keys(servers).map(name => [name, { seconds: [], loop: [], single: [] }]),
  );
  try {
    for (let round = 0; round <= runs; round += 1) {
      for (const [name, { url }] of Object.entries(servers)) {
        progress(`${name}, round ${round} of ${runs}`);
        const load = { body, type, requests: scale.requests };
        const loop = await closedLoop(`${url}/v1/tag`, { ...load, connections });
        const single = await closedLoop(`${url}/v1/tag`, {
          ...{ ...load, requests: Math.ceil(scale.requests / 10), connections: 1 },
        });
        // The first round only warms up.
        if (round === 0) continue;
        taken[name].seconds.push(loop.seconds);
        taken[name].loop.push(...loop.milliseconds);
        taken[name].single.push(...single.milliseconds);
      }
    }
    const rows = Object.entries(taken).flatMap(([name, { seconds, loop, single }]) => {
      const p99 = loop.sort((a, b) => a - b)[Math.floor(0.99 * loop.length)] / 1000;
      const row = (what, value, times = runs) => ({
        ...{ group: 'serve', what: `${name}, ${what}`, runs: times, seconds: value },
      });
      return [
        row(`${scale.requests} requests, ${connections} connections`, median(seconds)),
        // Those of percentiles are answers.
        row(`${connections} connections, p99`, p99, loop.length),
        row('one request alone, p50', median(single) / 1000, single.length),
      ];
    });
    const bases = Object.fromEntries(
      rows.slice(0, 3).map((row, i) => [row.what, [row, rows[3 + i]]]),
    );
    const streams = await stream({ files, copies, runs, progress }, model, service.url);
    const all = tokenCount(corpus.test) * copies;
    const tagged = streams.map(row => ({ group: 'serve', tokens: all, runs, ...row }));
    return { rows: [...against(rows, bases), ...against(tagged, { [tagged[0].what]: tagged })] };
  } finally {
    await Promise.all([service.end(), alone.end()]);
  }
}

/** The same records by the command, from a pipe, and as one request. */
async function stream({ files, copies, runs, progress }, model, url) {
  const input = files.input('ndjson', copies);
  const name = 'tag, a full pipe';
  const piped = ['sh', '-c', 'cat "$0" | "$@"', input, ...command('tag', '--model', model)];
  const outcomes = await runRounds([{ name, command: piped, runs }], progress);
  const seconds = [];
  for (let run = 0; run < runs; run += 1) {
    progress(`serve, a stream, ${run + 1} of ${runs}`);
    const start = performance.now();
    await streamed(`${url}/v1/tag`, input);
    seconds.push((performance.now() - start) / 1000);
  }
  return [
    { what: name, ...outcomes.get(name) },
    { what: 'serve, a stream', seconds: median(seconds) },
  ];
}

async function streamed(url, file) {
  const headers = { 'Content-Type': 'application/x-ndjson', 'Content-Length': statSync(file).size };
  const sent = request(url, { method: 'POST', headers });
  const answered = new Promise((done, fail) => {
    sent.on('error', fail);
    sent.on('response', answer => answer.resume().on('end', done));
  });
  await pipeline(createReadStream(file), sent);
  await answered;
}
