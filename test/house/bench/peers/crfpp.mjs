/**
 * CRF++, in the binaries that `CRF_LEARN` and `CRF_TEST` name. Its training takes many minutes.
 *
 * @param {string} learn
 * @param {string} test
 * @returns {import('./peer.mjs').Peer[]}
 */
export function crfppPeers(learn, test) {
  return [
    {
      name: 'CRF++',
      counterpart: 'conll2000-chunking',
      slow: true,
      format: 'columns',
      train: ({ train, templates }, model) => [learn, '-f', '1', templates, train, model],
      tag: (input, model) => [test, '-m', model, input],
    },
  ];
}
