/**
 * The address of the built program of a thread, by its name. Threads run what is built, also where the
 * sources themselves are run, as tests do.
 */
export function threadFile(name: string): URL {
  const built = import.meta.url.endsWith('.ts') ? '../../dist/workers' : '.';
  return new URL(`${built}/${name}.js`, import.meta.url);
}
