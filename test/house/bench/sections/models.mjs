import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { tokenCount } from '../corpus/token-count.mjs';
import { command } from '../processes/command.mjs';
import { measure } from '../processes/measure.mjs';
import { root } from '../processes/root.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { against } from '../report/against.mjs';
import { median } from '../timing/median.mjs';

const chain = 'conll2000-chunking';
/** Of the experts of a pool, beside the model of all templates. */
const words = '["U02:%x[0,0]", "U01:%x[-1,0]", "U03:%x[1,0]", "B"]';
const tags = '["U12:%x[0,1]", "U11:%x[-1,1]", "U13:%x[1,1]", "B"]';

/**
 * Other models beside the linear chain of the same features: training of a semi-Markov model with segments of up to
 * four tokens, and tagging with boosted trees and with a pool of three chains, as whole processes; the labels that are
 * counted for a hidden Markov model, alone, in a process of its own.
 */
export async function models(bench) {
  return { rows: [...counting(bench), ...(await training(bench)), ...(await tagging(bench))] };
}

function counting({ corpus, files, runs }) {
  const program = join(root, 'test/house/bench/timed/count-labels.mjs');
  const given = ['--expose-gc', program, files.train('columns')];
  const taken = Array.from({ length: runs }, () =>
    JSON.parse(execFileSync(process.execPath, given, { encoding: 'utf8' })),
  );
  const row = (what, part) => ({
    ...{ group: 'models', what: `labels counted, ${what}`, runs, tokens: tokenCount(corpus.train) },
    ...{ seconds: median(taken.map(each => each[part])), ratios: {} },
  });
  return [row('first pass of a process', 'first'), row('later passes', 'later')];
}

async function training({ folder, models, runs, progress }) {
  const shapes = { 'train, chain': [], 'train, segments': ['--set', 'model.structure=segments'] };
  const tasks = Object.entries(shapes).map(([name, more]) => {
    const model = join(folder, `${name.split(' ')[1]}.model`);
    return { name, runs, command: models.trainOurs(chain, model, ...more) };
  });
  const outcomes = await runRounds(tasks, progress);
  return beside(tasks, outcomes, {});
}

async function tagging({ corpus, files, folder, models, copies, scale, runs, progress }) {
  const { sentences, rounds } = scale.trees;
  const at = name => join(folder, `${name}.model`);
  const trees = [
    ...['--set', `source.conll.limit=${sentences}`, '--set', `train.epochs=${rounds}`],
    ...['--set', 'stages.optimize={trees: {}}', '--set', 'model.scorer=trees'],
    ...['--set', 'train.workers=1'],
  ];
  const made = [
    models.trainOurs(chain, at('words'), '--set', `stages.featurize.templates=${words}`),
    models.trainOurs(chain, at('tags'), '--set', `stages.featurize.templates=${tags}`),
    models.trainOurs('conll2000-lbfgs', at('trees'), ...trees),
  ];
  progress('training the experts of a pool, and trees, not measured');
  for (const train of made) await measure(train);
  const all = await models.ours(chain);
  const pipeline = join(folder, `${chain}.yaml`);
  const held = ['--set', `test={conll: {files: [${files.gold()}], columns: [form, pos, tag]}}`];
  const experts = [at('words'), at('tags'), all];
  const pooled = ['--pipeline', pipeline, ...held, '--model', at('pool')];
  await measure(command('pool', ...experts, ...pooled));
  const input = files.input('ndjson', copies);
  const tasks = Object.entries({ chain: all, pool: at('pool'), trees: at('trees') }).map(
    ([name, model]) => ({
      ...{ name: `tag, ${name}`, runs },
      command: command('tag', '--model', model, '--output', 'tags', input),
    }),
  );
  const outcomes = await runRounds(tasks, progress);
  return beside(tasks, outcomes, { tokens: tokenCount(corpus.test) * copies });
}

/** Rows of whole processes, each against the first. */
function beside(tasks, outcomes, more) {
  const rows = tasks.map(({ name }) => ({
    ...{ group: 'models', what: name },
    ...more,
    ...outcomes.get(name),
  }));
  return against(rows, { [rows[0].what]: rows });
}
