import { Agent, request } from 'node:http';

/**
 * Sends the same request again and again from several connections, each the next one when it has its answer.
 *
 * @param {string} url
 * @param {{ body: string, type: string, connections: number, requests: number }} load
 * @returns {Promise<{ seconds: number, milliseconds: number[] }>} how long all took, and each
 * @throws Error for an answer that is not 200
 */
export async function closedLoop(url, { body, type, connections, requests }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
  const milliseconds = [];
  let left = requests;
  const ask = () =>
    new Promise((done, fail) => {
      const start = performance.now();
      const sent = request(url, { method: 'POST', headers, agent }, answer => {
        answer.resume();
        answer.on('end', () => {
          milliseconds.push(performance.now() - start);
          if (answer.statusCode === 200) done();
          else fail(new Error(`${url} answers ${answer.statusCode}`));
        });
      });
      sent.on('error', fail);
      sent.end(body);
    });
  const client = async () => {
    for (; left > 0; ) {
      left -= 1;
      await ask();
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  return { seconds, milliseconds };
}
