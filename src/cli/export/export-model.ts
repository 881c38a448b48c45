import { readFileSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import { readBytes, readPipesAhead } from '../../io/reading/read-bytes.js';
import { writeWhole } from '../../io/writing/write-whole.js';
import { Tagger } from '../../models/tagger.js';
import { fileName } from '../../reports/figures.js';
import {
  taggerModule,
  taggerModuleTypes,
  taggerPage,
} from '../../reports/tagger-page/tagger-page.js';
import { threadFile } from '../../workers/thread-file.js';
import { requireFilesApart } from '../files/require-files.js';

/** Arguments of `export`. */
export interface ExportArguments {
  readonly model: string;
  readonly html?: string | undefined;
  readonly sample?: string | undefined;
  readonly js?: string | undefined;
}

/**
 * Writes a page or a module with the model and the program that tags with it.
 *
 * @throws (rejects with) TagstreamError `usage` if neither is requested, `config` for a model that cannot tag a text
 *   by itself, `file`, and the errors of reading a model
 */
export async function exportModel({ model: file, html, sample, js }: ExportArguments) {
  if (html === undefined && js === undefined) {
    throw new TagstreamError('usage', 'export needs an output', {
      fix: 'give --html FILE for a page, or --js FILE for a module',
    });
  }
  const types = js === undefined || js === '-' ? undefined : `${js.replace(/\.m?js$/, '')}.d.ts`;
  requireFilesApart({
    reads: { 'the model': file },
    writes: { 'the page': html, 'the module': js, 'its types': types },
  });
  await readPipesAhead([file]);
  const model = readBytes(file);
  const tagger = Tagger.fromBytes(model, { source: file });
  if (html !== undefined) {
    requireTextTagger(tagger, file);
    const scripts = { loader: script('loader'), program: script('main') };
    await writeWhole(html, taggerPage({ title: fileName(file), model, sample, scripts }));
  }
  if (js === undefined) return;
  await writeWhole(js, taggerModule(model, script('module')));
  if (types !== undefined) await writeWhole(types, taggerModuleTypes);
}

/** Rejects models that need more than a text, which is all a page has. */
function requireTextTagger(tagger: Tagger, file: string): void {
  try {
    tagger.tagText('A text.');
  } catch (cause) {
    throw new TagstreamError(
      'config',
      `a page cannot tag with this model: ${(cause as Error).message}`,
      {
        place: { source: file },
        fix: 'train a model whose templates use only words, or export --js and pass it the columns',
        cause,
      },
    );
  }
}

/** Returns a bundled script of `reports/tagger-page/`. */
function script(name: 'loader' | 'main' | 'module'): string {
  return readFileSync(threadFile(`reports/tagger-page/${name}`), 'utf8');
}
