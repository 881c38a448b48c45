import { run } from './command-line.js';

// A closed pipe at the reader is not an error; all other output errors also reach the writer.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = 1;
});

/** Resolves when the command has ended, successfully or not. */
export const finished = run(process.argv.slice(2));
