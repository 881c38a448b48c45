import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadCorpus } from './corpus/load-corpus.mjs';
import { findPeers } from './peers/find-peers.mjs';
import { dataFiles } from './processes/data-files.mjs';
import { root } from './processes/root.mjs';
import { trainedModels } from './processes/trained-models.mjs';

/**
 * What the sections work with: the corpus, files and models in a folder, which is removed afterwards
 * unless it was named, and the peers that are there.
 *
 * @param {ReturnType<typeof import('./options.mjs').parseOptions>} options
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {(text: string) => void} progress
 */
export function createBench(options, environment, progress) {
  const { scale, work } = options;
  const folder =
    work === undefined ? mkdtempSync(join(tmpdir(), 'tagstream-bench-')) : resolve(work);
  mkdirSync(folder, { recursive: true });
  const corpus = loadCorpus(scale.cut);
  const templatesFile = join(root, 'pipelines/templates/chunking.tpl');
  const templates = readFileSync(templatesFile, 'utf8');
  const files = dataFiles(folder, corpus, templates);
  const { epochs } = scale;
  const models = trainedModels({ folder, files, templates: templatesFile, epochs, progress });
  const wanted = ({ slow, name }) => !slow || options.slow || existsSync(models.file(name));
  return {
    ...options,
    corpus,
    spec: { templates, columns: ['form', 'pos'] },
    folder,
    files,
    models,
    peers: findPeers(environment).filter(wanted),
    progress,
    dispose: () => {
      if (work === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
