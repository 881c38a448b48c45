import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tokenCount } from '../corpus/token-count.mjs';
import { readLastColumn } from '../peers/read-last-column.mjs';
import { scoreTags } from '../peers/score-tags.mjs';
import { evaluateModel } from '../processes/evaluate-model.mjs';
import { measure } from '../processes/measure.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { against } from '../report/against.mjs';

const pipelines = ['conll2000-chunking', 'conll2000-sgd-l1', 'conll2000-perceptron'];

/**
 * Whole processes that train on the same data with the same templates: our pipelines, and each peer
 * against the pipeline that does the same. A peer's model that is in the folder already is scored, not
 * trained again.
 */
export async function peersTrain(bench) {
  const { corpus, peers, models, runs, peerTrainRuns, progress } = bench;
  const rowOf = what => ({ group: 'train', what, tokens: tokenCount(corpus.train) });
  const kept = new Set(peers.filter(peer => existsSync(models.file(peer.name))));
  const tasks = [
    ...pipelines.map(name => ({ name, runs, command: models.trainOurs(name) })),
    ...peers
      .filter(peer => !kept.has(peer))
      .map(peer => ({ name: peer.name, runs: peerTrainRuns, command: models.trainPeer(peer) })),
  ];
  const outcomes = await runRounds(tasks, progress);
  const rows = [];
  for (const name of pipelines) {
    const outcome = outcomes.get(name);
    const score =
      outcome.failed === undefined ? await evaluateModel(bench, bench.models.file(name)) : {};
    rows.push({ ...rowOf(name), ...outcome, ...score });
  }
  for (const peer of peers) {
    const outcome = outcomes.get(peer.name) ?? { note: 'trained before' };
    const score = outcome.failed === undefined ? await scorePeer(bench, peer) : {};
    rows.push({ ...rowOf(peer.name), ...outcome, ...score });
  }
  const rowsAgainst = pipeline =>
    rows.filter(({ what }) => peers.some(p => p.name === what && p.counterpart === pipeline));
  return { rows: against(rows, Object.fromEntries(pipelines.map(p => [p, rowsAgainst(p)]))) };
}

async function scorePeer({ corpus, folder, files, models }, peer) {
  const stdout = join(folder, 'peer.tags');
  const model = models.file(peer.name);
  await measure(peer.tag(files.input(peer.format, 1), model), { stdout });
  const f1 = scoreTags(readLastColumn(readFileSync(stdout, 'utf8')), corpus.test);
  return { f1, modelBytes: statSync(model).size };
}
