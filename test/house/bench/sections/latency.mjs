import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenCount } from '../corpus/token-count.mjs';
import { command } from '../processes/command.mjs';
import { root } from '../processes/root.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { against } from '../report/against.mjs';
import { oneAtATime } from '../timed/one-at-a-time.mjs';
import { median } from '../timing/median.mjs';

const echo = 'node echo';

/** Rounds in which the programs take turns: what else the machine does meets all of them. */
const rounds = 3;

/**
 * How long a client waits that sends one record at a time through a long-lived pipe, by each way that records go, against
 * an echo in bare Node and six lines around a `Tagger`; and how fast the same command tags when input does wait.
 */
export async function latency(bench) {
  const { corpus, folder, models, scale, progress } = bench;
  const model = await models.ours('conll2000-sgd-l1');
  const lines = readFileSync(bench.files.input('ndjson', 1), 'utf8').split('\n').slice(0, -1);
  const recordOf = number => `${lines[number % lines.length]}\n`;
  const library = join(root, 'dist/index.js');
  const around = `import { createInterface } from 'node:readline';
import { loadTagger } from ${JSON.stringify(library)};
const tagger = loadTagger(${JSON.stringify(model)});
for await (const line of createInterface({ input: process.stdin })) {
  const { tokens, columns } = JSON.parse(line);
  process.stdout.write(\`\${JSON.stringify({ tags: tagger.tag(tokens, columns) })}\\n\`);
}`;
  const script = text => [process.execPath, '--input-type=module', '-e', text];
  const pipeline = join(folder, 'latency.yaml');
  writeFileSync(pipeline, tagging(model));
  const tag = ['tag', '--model', model];
  const programs = {
    [echo]: script('process.stdin.pipe(process.stdout);'),
    'six lines around Tagger': script(around),
    tag: command(...tag),
    'tag --workers 2': command(...tag, '--workers', '2'),
    'tag --metrics': command(...tag, '--metrics', '0'),
    run: command('run', pipeline),
    'run --metrics': command('run', pipeline, '--metrics', '0'),
  };
  const waited = Object.fromEntries(Object.keys(programs).map(name => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) {
      progress(`${name}, one record at a time, round ${round + 1} of ${rounds}`);
      waited[name].push(...(await oneAtATime(program, recordOf, scale.latency)));
    }
  }
  const rows = Object.entries(waited).flatMap(([name, milliseconds]) => {
    const sorted = milliseconds.sort((a, b) => a - b);
    const at = (what, value) => ({
      ...{ group: 'latency', what: `${name}, one record at a time, ${what}` },
      ...{ runs: sorted.length, seconds: value / 1000 },
    });
    return [at('p50', median(sorted)), at('p99', sorted[Math.floor(0.99 * sorted.length)])];
  });
  const bases = { [rows[0].what]: rows.filter(({ what }) => what.endsWith('p50')) };
  return {
    rows: [...against(rows, bases), ...(await throughput(bench, tag, tokenCount(corpus.test)))],
  };
}

/** The same records where all of them wait, in a file and in a pipe. */
async function throughput({ files, copies, runs, progress }, tag, tokens) {
  const input = files.input('ndjson', copies);
  const piped = (...more) => ['sh', '-c', 'cat "$0" | "$@"', input, ...command(...tag, ...more)];
  const tasks = [
    { name: 'tag, a file', command: command(...tag, input) },
    { name: 'tag, a full pipe', command: piped() },
    { name: 'tag --workers 2, a full pipe', command: piped('--workers', '2') },
  ].map(task => ({ ...task, runs }));
  const outcomes = await runRounds(tasks, progress);
  const rows = tasks.map(({ name }) => ({
    ...{ group: 'latency', what: name, tokens: tokens * copies },
    ...outcomes.get(name),
  }));
  return against(rows, { [rows[0].what]: rows });
}

function tagging(model) {
  return JSON.stringify({
    version: 1,
    name: 'tagging',
    source: { ndjson: { files: ['-'] } },
    stages: ['tokenize', { featurize: { model } }, { batch: { sentences: 64 } }, 'tag'],
  });
}
