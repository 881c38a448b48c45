/** The lock of a checkpoint directory. */
export const lockName = '.lock';

/** What a run that only tags is at work on. */
export const inFlightName = 'in-flight.json';

/** The file of the output that grows. */
export const outputNoteName = 'output.json';

/**
 * Names in a checkpoint directory that its run writes and removes.
 *
 * @example
 * ['gen-00000012', 'notes.txt'].map(name => checkpointNames.test(name)) // => [true, false]
 */
export const checkpointNames =
  /^(?:gen-\d{8,}|\.tmp-.*|(?:in-flight|output)\.json|\.lock(?:\.taking)?)$/;
