#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { convertCommand } from './commands/convert.js';
import { evalCommand } from './commands/eval.js';
import { presetsCommand } from './commands/presets.js';
import { runCommand } from './commands/run.js';
import { schemaCommand } from './commands/schema.js';
import { tagCommand } from './commands/tag.js';
import { trainCommand } from './commands/train.js';
import { validateCommand } from './commands/validate.js';
import { exitCodeOf } from './exit-code.js';

// A reader that went away is no failure; whatever else is wrong with the output, its writer hears too.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = 1;
});

const verbose = process.argv.includes('--verbose');

try {
  await yargs(hideBin(process.argv))
    .scriptName('tagstream')
    .usage('$0 <command>\n\nTags text in a stream, and learns while it runs.')
    .command(trainCommand)
    .command(tagCommand)
    .command(evalCommand)
    .command(runCommand)
    .command(validateCommand)
    .command(convertCommand)
    .command(presetsCommand)
    .command(schemaCommand)
    .option('verbose', { type: 'boolean', describe: 'show stack traces of errors', global: true })
    .demandCommand(1, 'Name a command.')
    .strict()
    .recommendCommands()
    .wrap(100)
    .version(version())
    .fail((message: string | null, error: Error | undefined, parser) => {
      // yargs has its own errors, as for an option without its value; all others are the command's.
      if (error !== undefined && error.name !== 'YError') throw error;
      parser.showHelp('error');
      throw Object.assign(new Error(message ?? error?.message ?? 'usage'), { usage: true });
    })
    .parseAsync();
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tagstream: ${verbose && error instanceof Error ? error.stack : text}\n`);
  process.exitCode = exitCodeOf(error);
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
