import { tokenCount } from '../corpus/token-count.mjs';
import { command } from '../processes/command.mjs';
import { runRounds } from '../processes/run-rounds.mjs';

const times = [1, 2, 4, 8];

/**
 * Time a token of whole processes that tag ever longer files, less what a process takes for a single
 * sentence, and their peak memory, which must not grow with the file.
 */
export async function growthStream({ corpus, files, models, scale, runs, progress }) {
  const model = await models.ours('conll2000-sgd-l1');
  const tag = input => command('tag', '--model', model, '--output', 'tags', input);
  const start = { name: 'tag a single sentence', runs, command: tag(files.single()) };
  const tasks = times.map(count => ({
    ...{ name: `tag x${count}`, runs },
    command: tag(files.input('ndjson', count * scale.streamCopies)),
  }));
  const outcomes = await runRounds([start, ...tasks], progress);
  const failed = [...outcomes.values()].find(outcome => outcome.failed !== undefined);
  if (failed !== undefined) throw new Error(failed.failed);
  const startSeconds = outcomes.get(start.name).seconds;
  const measured = tasks.map(({ name }, i) => {
    const { seconds, ...outcome } = outcomes.get(name);
    const tokens = tokenCount(corpus.test) * scale.streamCopies * times[i];
    const micros = ((seconds - startSeconds) * 1e6) / tokens;
    return { what: `x${times[i]}`, tokens, micros, ...outcome };
  });
  const rows = measured.map(row => ({ ...row, ratio: row.micros / measured[0].micros }));
  return { growth: [{ title: 'tagging, whole processes less start, tokens', rows }] };
}
