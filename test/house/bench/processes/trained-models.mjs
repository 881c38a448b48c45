import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './command.mjs';
import { measure } from './measure.mjs';
import { pipelineCopy } from './pipeline-copy.mjs';

/**
 * Model files of our pipelines and of peers in a folder, and the commands that train them. A model is
 * trained when it is first needed, unless the folder has it.
 *
 * @param {{ folder: string, files: ReturnType<typeof import('./data-files.mjs').dataFiles>, templates: string, epochs?: number, progress: (text: string) => void }} options
 *   `templates`: their file; `epochs` in place of those of the pipelines
 */
export function trainedModels({ folder, files, templates, epochs, progress }) {
  const file = name => join(folder, `${name.toLowerCase().replaceAll(/[^a-z0-9+]+/g, '-')}.model`);
  const trainOurs = (name, model = file(name), ...more) => {
    const pipeline = pipelineCopy(name, { folder, train: files.train('columns'), epochs });
    return command('train', pipeline, '--model', model, '--json', ...more);
  };
  const trainPeer = peer =>
    peer.train({ train: files.train(peer.format), templates }, file(peer.name));
  const ensured = async (name, train) => {
    if (!existsSync(file(name))) {
      progress(`training ${name}, not measured`);
      await measure(train());
    }
    return file(name);
  };
  return {
    file,
    trainOurs,
    trainPeer,
    ours: name => ensured(name, () => trainOurs(name)),
    peer: peer => ensured(peer.name, () => trainPeer(peer)),
  };
}
