/**
 * The first and the last 1, 2, ... `longest` letters of the token, as they are written and in lower case.
 *
 * @example
 * affixes(1) // => ['%prefix[0,0,1]', '%suffix[0,0,1]', '%Prefix[0,0,1]', '%Suffix[0,0,1]']
 */
export function affixes(longest: number): string[] {
  const lengths = Array.from({ length: longest }, (_, i) => i + 1);
  return ['', 'fold'].flatMap(fold =>
    lengths.flatMap(length =>
      fold === ''
        ? [`%prefix[0,0,${length}]`, `%suffix[0,0,${length}]`]
        : [`%Prefix[0,0,${length}]`, `%Suffix[0,0,${length}]`],
    ),
  );
}
