import { join } from 'node:path';
import { tokenCount } from '../corpus/token-count.mjs';
import { command } from '../processes/command.mjs';
import { evaluateModel } from '../processes/evaluate-model.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { supportedOptions } from '../processes/supported-options.mjs';
import { against } from '../report/against.mjs';

const pipeline = 'conll2000-chunking';

/** Whole processes with two workers against one, where the commands have the option. */
export async function workers(bench) {
  return { rows: [...(await tagging(bench)), ...(await training(bench))] };
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

async function training(bench) {
  const { corpus, folder, models, runs, progress } = bench;
  const options = supportedOptions('train');
  if (!options.has('workers')) return [];
  const train = (count, ...more) => {
    const given = ['--workers', String(count), ...more];
    const model = join(folder, `workers${given.join('')}.model`);
    const name = ['train', ...given].join(' ');
    return { name, runs, model, command: models.trainOurs(pipeline, model, ...given) };
  };
  const modes = options.has('mode') ? ['deterministic', 'hogwild'] : [];
  const double = modes.length === 0 ? [train(2)] : modes.map(mode => train(2, '--mode', mode));
  const tasks = [train(1), ...double];
  const outcomes = await runRounds(tasks, progress);
  const rows = rowsOf(tasks, outcomes, tokenCount(corpus.train));
  for (const [i, row] of rows.entries()) {
    if (row.failed === undefined) Object.assign(row, await evaluateModel(bench, tasks[i].model));
  }
  return rows;
}

function rowsOf(tasks, outcomes, tokens) {
  const rows = tasks.map(({ name }) => ({
    ...{ group: 'workers', what: name, tokens },
    ...outcomes.get(name),
  }));
  return against(rows, { [rows[0].what]: rows });
}
