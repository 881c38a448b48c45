/** A run of our command. */
export interface ReadCommand {
  readonly words: readonly string[];
  readonly stdin: string;
}

/** A word, or a part of one: in single quotes, in double quotes, or as it is; and what ends it. */
const part = /'([^']*)'|"((?:[^"\\`$]|\$\w+)*)"|((?:[^\s'"\\`$|&;<>()*?[\]{}~#!]|\$\w+)+)|(\s+)/y;

/**
 * The words of a line of shell that runs `tagstream`, maybe with what `echo` gives it, and nothing else. Undefined for
 * what needs a shell, as a redirection, or a process, as help.
 *
 * @param variables what stands for `$NAME`
 */
export function readCommand(
  line: string,
  variables: Readonly<Record<string, string>>,
): ReadCommand | undefined {
  const echo = /^echo '([^']*)' \| (?=tagstream )/.exec(line);
  const [name, ...words] = wordsOf(line.slice(echo?.[0].length ?? 0), variables) ?? [];
  if (name !== 'tagstream' || words.includes('--help')) return undefined;
  return { words, stdin: echo === null ? '' : `${echo[1]}\n` };
}

function wordsOf(line: string, variables: Readonly<Record<string, string>>): string[] | undefined {
  const expanded = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`$${name} is not known in: ${line}`);
      return value;
    });
  const words: string[] = [];
  let isOpen = false;
  for (part.lastIndex = 0; part.lastIndex < line.length; ) {
    const found = part.exec(line);
    if (found === null) return undefined;
    const [, single, double, plain, space] = found;
    if (space !== undefined) {
      isOpen = false;
      continue;
    }
    const text = single ?? expanded(double ?? plain!);
    if (isOpen) words[words.length - 1] += text;
    else words.push(text);
    isOpen = true;
  }
  return words;
}
