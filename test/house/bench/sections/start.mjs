import { join } from 'node:path';
import { command } from '../processes/command.mjs';
import { root } from '../processes/root.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { against } from '../report/against.mjs';

const base = 'node -e 0';

/** Whole processes: `--help` against an empty one, and what loading a model adds to it. */
export async function start({ models, runs, progress }) {
  const program = join(root, 'test/house/bench/timed/load-model.mjs');
  const load = (...given) => [process.execPath, program, ...given];
  const tasks = [
    { what: base, command: [process.execPath, '-e', '0'] },
    { what: 'tagstream --help', command: command('--help') },
    { what: 'import tagstream', command: load() },
  ];
  for (const name of ['conll2000-sgd-l1', 'conll2000-chunking']) {
    const model = await models.ours(name);
    tasks.push({ what: `loadTagger, ${name}`, command: load(model) });
  }
  const named = tasks.map(task => ({ ...task, name: task.what, runs }));
  const outcomes = await runRounds(named, progress);
  const rows = tasks.map(({ what }) => ({ group: 'start', what, ...outcomes.get(what) }));
  const loads = rows.slice(3);
  return { rows: against(rows, { [base]: rows.slice(1), 'import tagstream': loads }) };
}
