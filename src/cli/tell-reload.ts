/** Says that a model has taken the place of another. */
export function tellReloaded(file: string): void {
  process.stderr.write(`tagstream: ${file} is read again; what comes now is tagged by it\n`);
}

/** Says that a model was not taken, and why. */
export function tellKept(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tagstream: the old model goes on, as the new one is bad: ${reason}\n`);
}

/** Says that there is no model to be read again. */
export function tellNoReload(): void {
  process.stderr.write(
    'tagstream: SIGHUP is passed over: a run that trains reads no model again\n',
  );
}
