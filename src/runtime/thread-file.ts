/**
 * Returns the URL of a thread's built program from its path in `src` without extension. Threads
 * always run the built program, even if the sources themselves are run, as in tests.
 */
export function threadFile(path: string): URL {
  // When built, this module is one folder below the others, bundled or not.
  const built = import.meta.url.endsWith('.ts') ? '../../dist' : '..';
  return new URL(`${built}/${path}.js`, import.meta.url);
}
