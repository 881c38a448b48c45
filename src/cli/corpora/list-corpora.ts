import { join } from 'node:path';
import { isPresent } from '../../runtime/pipeline/corpora/fetch-corpus.js';
import { readCatalogue } from '../../runtime/pipeline/corpora/read-catalogue.js';
import { printJson, printText } from '../report/terminal.js';
import { shippedCatalogue } from '../shipped-catalogue.js';
import { type CorporaArguments, corporaDirectory } from './corpora-options.js';

/** Prints the corpora of the catalogue. */
export function listCorpora(given: CorporaArguments): void {
  const directory = corporaDirectory(given);
  const corpora = readCatalogue(given.catalogue ?? shippedCatalogue).map(corpus => ({
    ...corpus,
    verified: corpus.downloads.every(({ sha256 }) => sha256 !== null),
    present: isPresent(corpus, directory),
  }));
  if (given.json === true) {
    printJson(corpora);
    return;
  }
  const width = Math.max(...corpora.map(({ name }) => name.length));
  for (const { name, task, language, about, licence, homepage, verified, present } of corpora) {
    const indent = ' '.repeat(width + 2);
    const notes = [
      ...(present ? [`in ${join(directory, name)}`] : []),
      ...(verified ? [] : ['some files not verified: trusted on first fetch']),
    ];
    printText(
      `${name.padEnd(width)}  ${task}, ${language}: ${about}\n${indent}licence: ${licence}\n${indent}${homepage}\n${notes.map(note => `${indent}${note}\n`).join('')}`,
    );
  }
}
