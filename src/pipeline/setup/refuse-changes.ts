import { TagstreamError } from '../../core/errors.js';
import { withoutSecrets } from '../../core/secrets.js';

/** Settings of a cluster that its model does not depend on. */
const clusterPlaces = ['servers', 'auth', 'tls', 'giveUp', 'stream', 'ackWait', 'create']
  .concat('replicas', 'work', 'lease')
  .map(name => `train.cluster.${name}`);

/** Settings that may change between a run and its continuation. */
const changeable: readonly string[] = [
  'model.file',
  'model.names',
  'sink',
  'test',
  'checks',
  'description',
  'deadLetters',
  'shutdownTimeout',
  'train.epochs',
  'train.workers',
  ...clusterPlaces,
];

/**
 * Compares the settings that a checkpoint was written with to those of now, as plain data. Secrets may have changed.
 *
 * @throws TagstreamError `checkpoint` that names what is different
 */
export function refuseChanges(then: unknown, now: unknown, directory: string): void {
  const before = flat(withoutSecrets(then));
  const after = flat(JSON.parse(JSON.stringify(withoutSecrets(now))));
  const differences: string[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(key) === after.get(key)) continue;
    if (mayChange(key)) continue;
    differences.push(`${key}: ${before.get(key) ?? 'absent'} -> ${after.get(key) ?? 'absent'}`);
  }
  if (differences.length === 0) return;
  throw new TagstreamError(
    'checkpoint',
    `the pipeline is not the one that wrote the checkpoint: ${differences.join('; ')}`,
    { place: { source: directory }, fix: 'undo the change, or start again without --resume' },
  );
}

/** Of the model only its file and the names in it may be others: the checkpoint has weights for what it is. */
function mayChange(key: string): boolean {
  return key === 'model' || changeable.some(of => key === of || key.startsWith(`${of}.`));
}

/** Every scalar of a plain value by its path. */
function flat(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      flat(item, path === '' ? key : `${path}.${key}`, into);
    }
  } else if (value !== undefined) {
    into.set(path, JSON.stringify(value));
  }
  return into;
}
