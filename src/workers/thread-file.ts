/**
 * Returns the address of the built program of a thread, by its path from `src`, without its ending. Threads run
 * what is built, also where the sources themselves are run, as tests do.
 */
export function threadFile(path: string): URL {
  // Built, this module lies in one folder below the others, whether it is bundled or not.
  const built = import.meta.url.endsWith('.ts') ? '../../dist' : '..';
  return new URL(`${built}/${path}.js`, import.meta.url);
}
