import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';

/** Names that say nothing of what is in a file. */
const plain = /^(?:train|training|traindata|data|corpus|pipeline|-)$/i;

/**
 * The name of a new pipeline: that of its file, of the labelled file, or of the folder it lies in.
 *
 * @example
 * chooseName('chunker.yaml', 'train.txt', 'chunk') // => 'chunker'
 * chooseName('pipeline.yaml', '/data/conll2000/train.txt', 'chunk') // => 'conll2000-chunk'
 */
export function chooseName(out: string, file: string, task: string): string {
  const stem = (path: string) =>
    cleaned(
      basename(path)
        .replace(/\.(?:gz|zst)$/, '')
        .replace(/\.[^.]*$/, ''),
    );
  const own = stem(out);
  if (own !== '' && !plain.test(own)) return own;
  const found = [stem(file), cleaned(basename(dirname(resolve(file))))].find(
    name => name !== '' && !plain.test(name),
  );
  return found === undefined ? task : `${found}-${task}`;
}

function cleaned(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
}

/**
 * A path as it stands in a pipeline file: from the folder of the file, or whole where it is far from it.
 *
 * @example
 * pathFrom('/a/b', '/a/c/train.txt') // => '../c/train.txt'
 * pathFrom('/home/me/work', '/data/train.txt') // => '/data/train.txt'
 */
export function pathFrom(folder: string, file: string): string {
  const path = relative(resolve(folder), resolve(file)).replaceAll('\\', '/');
  return isAbsolute(path) || path.startsWith('../../../') ? resolve(file) : path;
}
