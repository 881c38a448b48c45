/**
 * Wapiti's SGD-L1 in 20 passes with a compact model, in the binary that `WAPITI` names.
 *
 * @param {string} binary
 * @returns {import('./peer.mjs').Peer[]}
 */
export function wapitiPeers(binary) {
  const options = ['-a', 'sgd-l1', '-i', '20', '-c'];
  return [
    {
      name: 'Wapiti SGD-L1',
      counterpart: 'conll2000-sgd-l1',
      slow: false,
      format: 'columns',
      train: ({ train, templates }, model) => [
        ...[binary, 'train', '-p', templates, ...options],
        ...[train, model],
      ],
      tag: (input, model) => [binary, 'label', '-m', model, input],
    },
  ];
}
