/** The options of every command that reads a stream. */
export const badRecordOptions = {
  strict: { type: 'boolean', describe: 'end with an error at the first bad record' },
  'on-bad': {
    type: 'string',
    array: true,
    nargs: 1,
    describe:
      'fail, skip or dead-letter: for all bad records, or for those of one kind: not-json=skip, wrong-shape=fail, stage=dead-letter',
  },
  'dead-letter': {
    type: 'string',
    requiresArg: true,
    describe: 'keep bad records in this file, with place and reason',
  },
  'dead-letter-bytes': {
    type: 'number',
    requiresArg: true,
    describe: 'size at which that file becomes FILE.1 and a new one begins',
  },
  'dead-letter-keep': {
    type: 'number',
    requiresArg: true,
    describe: 'full files that stay',
  },
  'max-error-rate': {
    type: 'number',
    requiresArg: true,
    describe: 'share of bad records, 0 to 1, that ends the run when it is exceeded',
  },
  'error-rate-after': {
    type: 'number',
    requiresArg: true,
    describe: 'records before which that share is not looked at',
  },
  'max-bad-in-row': {
    type: 'number',
    requiresArg: true,
    describe: 'bad records one after the other that are allowed, 1000 by default; 0 for any number',
  },
} as const;

/** What they give. */
export interface BadRecordArguments {
  readonly strict?: boolean | undefined;
  readonly onBad?: readonly string[] | undefined;
  readonly deadLetter?: string | undefined;
  readonly deadLetterBytes?: number | undefined;
  readonly deadLetterKeep?: number | undefined;
  readonly maxErrorRate?: number | undefined;
  readonly errorRateAfter?: number | undefined;
  readonly maxBadInRow?: number | undefined;
}
