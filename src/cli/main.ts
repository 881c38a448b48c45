import { run } from './command-line.js';

// A reader that closed the pipe is not a failure; all other output errors also reach the writer.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = 1;
});

/** Fulfilled when the command has ended, successfully or not. */
export const finished = run(process.argv.slice(2));
