import { tokenCount } from '../corpus/token-count.mjs';
import { command } from '../processes/command.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { supportedOptions } from '../processes/supported-options.mjs';
import { against } from '../report/against.mjs';

/** Whole processes with two workers against one, where the command has the option; training is in `threads`. */
export async function workers(bench) {
  return { rows: await tagging(bench) };
}

async function tagging({ corpus, files, models, copies, runs, progress }) {
  if (!supportedOptions('tag').has('workers')) return [];
  const model = await models.ours('conll2000-sgd-l1');
  const input = files.input('ndjson', copies);
  const tag = ['tag', '--model', model, '--output', 'tags'];
  const tasks = [1, 2].map(count => ({
    ...{ name: `tag --workers ${count}`, runs },
    command: command(...tag, '--workers', String(count), input),
  }));
  const outcomes = await runRounds(tasks, progress);
  return rowsOf(tasks, outcomes, tokenCount(corpus.test) * copies);
}

function rowsOf(tasks, outcomes, tokens) {
  const rows = tasks.map(({ name }) => ({
    ...{ group: 'workers', what: name, tokens },
    ...outcomes.get(name),
  }));
  return against(rows, { [rows[0].what]: rows });
}
