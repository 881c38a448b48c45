import { crfppPeers } from './crfpp.mjs';
import { crfsuitePeers } from './crfsuite.mjs';
import { wapitiPeers } from './wapiti.mjs';

/**
 * The peers whose binaries are named in the environment.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {import('./peer.mjs').Peer[]}
 */
export function findPeers({ CRFSUITE, WAPITI, CRF_LEARN, CRF_TEST }) {
  return [
    ...(CRFSUITE ? crfsuitePeers(CRFSUITE) : []),
    ...(WAPITI ? wapitiPeers(WAPITI) : []),
    ...(CRF_LEARN && CRF_TEST ? crfppPeers(CRF_LEARN, CRF_TEST) : []),
  ];
}
