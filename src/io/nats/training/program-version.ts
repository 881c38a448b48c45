import { readFileSync } from 'node:fs';

/** Folders from this module, bundled or not, up to that of the package. */
const ways = ['../..', '../../../..'];

/** What computes the results: versions of Tagstream and of Node, whose functions may differ in their last digits. */
export function programVersion(): string {
  const [major] = process.versions.node.split('.');
  return `tagstream ${packageVersion()}, node ${major}`;
}

function packageVersion(): string {
  for (const way of ways) {
    try {
      const text = readFileSync(new URL(`${way}/package.json`, import.meta.url), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      // The next folder may have it.
    }
  }
  return 'unknown';
}
