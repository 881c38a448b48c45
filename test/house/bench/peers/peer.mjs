/**
 * Another tagger that is measured beside ours.
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} counterpart our pipeline that does the same
 * @property {boolean} slow whether it is trained only if asked for
 * @property {'columns' | 'crfsuite'} format of the files that it reads
 * @property {(files: { train: string, templates: string }, model: string) => string[]} train
 *   the command that trains a model
 * @property {(input: string, model: string) => string[]} tag
 *   the command that prints the tags of a file
 */
export {};
