import { run } from './command-line.js';

// A reader that went away is not a failure; whatever else is wrong with the output, its writer hears too.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = 1;
});

/** Fulfilled when the command has ended, well or not. */
export const finished = run(process.argv.slice(2));
