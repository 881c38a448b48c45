import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tokenCount } from '../corpus/token-count.mjs';
import { readLastColumn } from '../peers/read-last-column.mjs';
import { readTagLines } from '../peers/read-tag-lines.mjs';
import { scoreTags } from '../peers/score-tags.mjs';
import { command } from '../processes/command.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { supportedOptions } from '../processes/supported-options.mjs';
import { against } from '../report/against.mjs';

const pipeline = 'conll2000-sgd-l1';
const single = 'tagstream tag';
const double = 'tagstream tag --workers 2';
const whole = 'tagstream tag, whole records';

/** Whole processes that tag copies of the test file, each in the format it wants, against ours: records and tags alone. */
export async function peersTag({ corpus, folder, files, models, peers, ...options }) {
  const { copies, runs, peerTagRuns, progress } = options;
  const model = await models.ours(pipeline);
  const tag = (...more) => [
    ...command('tag', '--model', model, ...more),
    files.input('ndjson', copies),
  ];
  const tags = ['--output', 'tags'];
  const ours = [
    [whole, tag()],
    [single, tag(...tags)],
  ];
  if (supportedOptions('tag').has('workers')) {
    ours.push([double, tag(...tags, '--workers', '2')]);
  }
  const tasks = ours.map(([name, asked]) => ({
    ...{ name, runs, command: asked, model, read: readTagLines },
  }));
  const without = [];
  for (const peer of peers) {
    let peerModel;
    try {
      peerModel = await models.peer(peer);
    } catch (error) {
      progress(error.message);
      without.push({ group: 'tag', what: peer.name, failed: error.message, ratios: {} });
      continue;
    }
    const peerCommand = peer.tag(files.input(peer.format, copies), peerModel);
    tasks.push({
      ...{ name: peer.name, runs: peerTagRuns, command: peerCommand },
      ...{ model: peerModel, read: readLastColumn },
    });
  }
  const placed = tasks.map((task, i) => ({ ...task, stdout: join(folder, `tagged-${i}`) }));
  const outcomes = await runRounds(placed, progress);
  const rows = placed.map(({ name, model: used, stdout, read }) => {
    const outcome = outcomes.get(name);
    const row = { group: 'tag', what: name, ...outcome, tokens: tokenCount(corpus.test) * copies };
    if (outcome.failed !== undefined) return row;
    const f1 = scoreTags(read(readFileSync(stdout, 'utf8')), corpus.test);
    return { ...row, f1, modelBytes: statSync(used).size };
  });
  const theirs = rows.slice(ours.length);
  const compared = against(rows, { [whole]: theirs, [single]: theirs, [double]: theirs });
  return { rows: [...compared, ...without] };
}
