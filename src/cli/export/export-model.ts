import { readFileSync } from 'node:fs';
import { TagstreamError } from '../../engine/core/errors.js';
import { Tagger } from '../../engine/models/tagger.js';
import { readPipesAhead } from '../../formats/reading/read-bytes.js';
import { fileName } from '../../reports/figures.js';
import {
  taggerModule,
  taggerModuleTypes,
  taggerPage,
} from '../../reports/tagger-page/tagger-page.js';
import { type NamedModel, readModelBytes } from '../../runtime/io/read-model-bytes.js';
import { writeModelFile } from '../../runtime/io/writing/write-model-file.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { threadFile } from '../../runtime/thread-file.js';
import { requireFilesApart } from '../files/require-files.js';

/** Arguments of `export`. */
export interface ExportArguments {
  readonly model: string;
  /** Column of the model's tags. */
  readonly column?: string | undefined;
  /** Models that tag after the first. */
  readonly further?: readonly NamedModel[] | undefined;
  /** Model file that provides the tokenizer. */
  readonly tokenizer?: string | undefined;
  readonly out?: string | undefined;
  readonly html?: string | undefined;
  readonly sample?: string | undefined;
  readonly js?: string | undefined;
}

/**
 * Writes a page or a module that contains the models and the tagging code, or a single model file
 * that contains several models.
 *
 * @throws (rejects with) TagstreamError `usage` if no output is requested, `config` for a model
 * that cannot tag plain text, `file`, and the errors of reading and bundling models
 */
export async function exportModel(given: ExportArguments) {
  const { model: file, column, further = [], tokenizer, out, html, sample, js } = given;
  if ((out ?? html ?? js) === undefined) {
    throw new TagstreamError('usage', 'export needs an output', {
      fix: 'give --html FILE for a page, --js FILE for a module, or --out FILE for one file of several models',
    });
  }
  const types = js === undefined || js === '-' ? undefined : `${js.replace(/\.m?js$/, '')}.d.ts`;
  const models = [file, ...further.map(each => each.file)];
  requireFilesApart({
    reads: { 'the model': models, 'the tokenizer': tokenizer },
    writes: { 'the model file': out, 'the page': html, 'the module': js, 'its types': types },
  });
  await readPipesAhead([...models, tokenizer]);
  const model = readModelBytes({ file, column, further, tokenizer });
  const tagger = Tagger.fromBytes(model, { source: file });
  if (out !== undefined) writeModelFile(out, [model]);
  if (html !== undefined) {
    requireTextTagger(tagger, file);
    const scripts = { loader: script('loader'), program: script('main') };
    await writeWhole(html, taggerPage({ title: fileName(file), model, sample, scripts }));
  }
  if (js === undefined) return;
  await writeWhole(js, taggerModule(model, script('module')));
  if (types !== undefined) await writeWhole(types, taggerModuleTypes);
}

/** Rejects models that need more than plain text, as a page has nothing else. */
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
