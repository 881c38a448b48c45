/**
 * CRFsuite with two of its trainers, in the binary that `CRFSUITE` names.
 *
 * @param {string} binary
 * @returns {import('./peer.mjs').Peer[]}
 */
export function crfsuitePeers(binary) {
  const trainer = (name, counterpart, options) => ({
    name,
    counterpart,
    slow: false,
    format: 'crfsuite',
    train: ({ train }, model) => [binary, 'learn', ...options, '-m', model, train],
    tag: (input, model) => [binary, 'tag', '-m', model, input],
  });
  return [
    trainer('CRFsuite L-BFGS', 'conll2000-chunking', []),
    trainer('CRFsuite averaged perceptron', 'conll2000-perceptron', ['-a', 'ap']),
  ];
}
