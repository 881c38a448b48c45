/** The lock of a checkpoint directory. */
export const lockName = '.lock';

/** What a run that only tags is at work on. */
export const inFlightName = 'in-flight.json';

/**
 * Names in a checkpoint directory that its run writes and removes.
 *
 * @example
 * ['gen-00000012', 'notes.txt'].map(name => checkpointNames.test(name)) // => [true, false]
 */
export const checkpointNames = /^(?:gen-\d{8,}|\.tmp-.*|in-flight\.json|\.lock(?:\.taking)?)$/;
