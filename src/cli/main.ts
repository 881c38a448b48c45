#!/usr/bin/env node
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { clustersCommand } from './commands/clusters.js';
import { componentsCommand } from './commands/components.js';
import { convertCommand } from './commands/convert.js';
import { corporaCommand } from './commands/corpora.js';
import { curveCommand } from './commands/curve.js';
import { evalCommand } from './commands/eval.js';
import { initCommand } from './commands/init.js';
import { inspectCommand } from './commands/inspect.js';
import { presetsCommand } from './commands/presets.js';
import { runCommand } from './commands/run.js';
import { schemaCommand } from './commands/schema.js';
import { studyCommand } from './commands/study.js';
import { tagCommand } from './commands/tag.js';
import { testCommand } from './commands/test.js';
import { trainCommand } from './commands/train.js';
import { validateCommand } from './commands/validate.js';
import type { Suggest } from './line/complete.js';
import { completing, completionKey } from './line/completing.js';
import { exitCodeOf } from './line/exit-code.js';
import { FoundCommand, registered } from './line/found-command.js';
import { refuseEmpty } from './line/refuse-empty.js';
import { requireSingle } from './line/require-single.js';
import { version } from './version.js';

// A reader that went away is not a failure; whatever else is wrong with the output, its writer hears too.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = 1;
});

const verbose = process.argv.includes('--verbose');

await readLine().catch(runFound).catch(fail);

/** Reads the line, and answers or completes what it asks for; throws the command that it names. */
async function readLine(): Promise<void> {
  const words = hideBin(process.argv);
  if (!completing) refuseEmpty(words);
  await yargs(words)
    .scriptName('tagstream')
    .usage('$0 <command>\n\nTrain, run and update sequence taggers on streams.')
    .command(registered(initCommand))
    .command(registered(trainCommand))
    .command(registered(tagCommand))
    .command(registered(evalCommand))
    .command(registered(curveCommand))
    .command(registered(studyCommand))
    .command(registered(inspectCommand))
    .command(registered(runCommand))
    .command(registered(testCommand))
    .command(registered(validateCommand))
    .command(registered(convertCommand))
    .command(registered(componentsCommand))
    .command(registered(presetsCommand))
    .command(registered(clustersCommand))
    .command(registered(corporaCommand))
    .command(registered(schemaCommand))
    .completion(
      'completion',
      'print a completion script for bash; for zsh: SHELL=zsh tagstream completion',
      (current: string, _given: unknown, suggest: Suggest, done: (found: string[]) => unknown) => {
        const words = process.argv.slice(process.argv.indexOf(completionKey) + 1);
        void import('./line/complete.js')
          .then(({ complete }) => complete(current, words, suggest))
          .then(done, () => done([]));
      },
    )
    .option('verbose', { type: 'boolean', describe: 'show stack traces of errors', global: true })
    .demandCommand(completing ? 0 : 1, 'Name a command.')
    .strict(!completing)
    .check(given => completing || requireSingle(given))
    .recommendCommands()
    .wrap(100)
    .version(version())
    .fail((message: string | null, error: Error | undefined, parser) => {
      if (completing) return;
      // yargs has its own errors, as for an option without its value; all others are the command's.
      if (error !== undefined && error.name !== 'YError') throw error;
      parser.showHelp('error');
      const problem = message ?? error?.message ?? 'usage';
      const needs = /^Implications failed:\s+(\S+) -> (\S+)$/.exec(problem);
      const explained = needs === null ? problem : `--${needs[1]} needs --${needs[2]}`;
      throw Object.assign(new Error(explained), { usage: true });
    })
    .parseAsync();
}

async function runFound(thrown: unknown): Promise<void> {
  if (!(thrown instanceof FoundCommand)) throw thrown;
  await thrown.run();
}

function fail(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tagstream: ${verbose && error instanceof Error ? error.stack : text}\n`);
  process.exitCode = exitCodeOf(error);
}
