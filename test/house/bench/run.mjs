// Speed, memory, accuracy and growth, as ratios measured side by side in one run: `npm run bench`.
// Nothing is asserted: machines differ. What it takes and prints stands in src/README.md.

import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { createBench } from './bench.mjs';
import { tokenCount } from './corpus/token-count.mjs';
import { parseOptions } from './options.mjs';
import { root } from './processes/root.mjs';
import { printMarkdown } from './report/print-markdown.mjs';
import { printReport } from './report/print-report.mjs';
import { chooseSections } from './sections/choose-sections.mjs';
import { sections } from './sections/sections.mjs';

const progress = text => process.stderr.write(`bench: ${text}\n`);

let asked;
try {
  const options = parseOptions(process.argv.slice(2));
  asked = { options, chosen: chooseSections(Object.keys(sections), options.only) };
} catch (error) {
  progress(error.message);
  process.exitCode = 2;
}
if (asked !== undefined) await run(asked);

async function run({ options, chosen }) {
  const bench = createBench(options, process.env, progress);
  try {
    const report = await measureAll(bench, chosen);
    if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else if (options.markdown) printMarkdown(report, process.stdout);
    else printReport(report, process.stdout);
    if (report.rows.some(({ failed }) => failed !== undefined)) process.exitCode = 1;
  } finally {
    bench.dispose();
  }
}

async function measureAll(bench, chosen) {
  const { corpus, runs, peerTrainRuns, peerTagRuns, peers } = bench;
  const sizeOf = part => ({ sentences: part.length, tokens: tokenCount(part) });
  const report = {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    node: process.version,
    processors: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    corpus: { name: corpus.name, train: sizeOf(corpus.train), test: sizeOf(corpus.test) },
    runs: { ours: runs, peersTrain: peerTrainRuns, peersTag: peerTagRuns },
    peers: peers.map(({ name }) => name),
    rows: [],
    growth: [],
  };
  for (const name of chosen) {
    bench.progress(name);
    const { rows = [], growth = [] } = await measureSection(name, bench);
    report.rows.push(...rows.map(row => ({ section: name, ...row })));
    report.growth.push(...growth.map(table => ({ section: name, ...table })));
  }
  return report;
}

/** A section that fails is reported in a row: what the others took long to measure is not lost. */
async function measureSection(name, bench) {
  try {
    return await sections[name].measure(bench);
  } catch (error) {
    bench.progress(error.stack);
    const row = { group: name, what: 'the whole section', failed: error.message, ratios: {} };
    return { rows: [row] };
  }
}

/** The commit of this tree, with a plus where files have changed since; undefined outside a repository. */
function commit() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const changed = git('status', '--porcelain').trim() === '' ? '' : '+';
    return `${git('rev-parse', '--short=10', 'HEAD').trim()}${changed}`;
  } catch {
    return undefined;
  }
}
