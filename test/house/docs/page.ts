import { readFileSync } from 'node:fs';

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  /** File name, or `setup`, after the language. */
  readonly name: string;
  readonly code: string;
}

/** A page of the documentation, with what a reader would copy from it. */
export interface Page {
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Reads a page, by its name in the project. */
export function readPage(root: string, file: string): Page {
  const text = readFileSync(`${root}/${file}`, 'utf8');
  const blocks = [...text.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(match => ({
    language: match[1]!,
    name: match[2]!,
    code: match[3]!,
  }));
  return { file, text, blocks };
}

/** Lines of shell of a page that are to be run, in their order; those of the set-up are not. */
export function shellLines({ blocks }: Page): string[] {
  return blocks
    .filter(({ language, name }) => language === 'sh' && name === '')
    .flatMap(({ code }) => code.trim().split('\n'));
}
