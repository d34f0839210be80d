import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, Connection } from '@temporalio/client';
import { attachEmbedded } from '../../workers/embedded/attach';
import { readHolder } from '../../workers/embedded/lock';
import { isAlive, type ProcessIdentity } from '../../workers/embedded/process-identity';
import { setFiles } from '../../workers/embedded/set-files';
import { IMAGE } from '../sandbox/rig';
import { describeInChromium } from '../support/chromium';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { openHostilePage, type Post, WAY } from './hostile-page';
import { listeningPorts } from './listening-ports';

const WORKFLOWS = '/api/v1/namespaces/default/workflows';
const POSTS: readonly Post[] = [
  {
    path: '/api/v1/namespaces/default/batch-operations/hostile',
    body: `{"visibilityQuery":"ExecutionStatus='Running'","terminationOperation":{"identity":"a page"},"reason":"${WAY}"}`,
  },
  { path: `${WORKFLOWS}/kept/terminate`, body: `{"reason":"${WAY}"}` },
  { path: `${WORKFLOWS}/kept/signal/resolve`, body: `{"identity":"${WAY}"}` },
  {
    path: `${WORKFLOWS}/hostile`,
    body: `{"workflowType":{"name":"film"},"taskQueue":{"name":"nobody"},"identity":"${WAY}"}`,
  },
  {
    path: '/workflows/v1/models/submit',
    body: `{"params":{"model":"${IMAGE.model}","params":{"width":160,"height":90,"prompt":"${WAY}"}}}`,
  },
  { path: '/sandbox/faults', body: '{"kind":"refuse-402","share":1}' },
];

describeInChromium('a hostile page in a browser', () => {
  it('changes nothing at the Temporal server, its UI, the sandbox and the supervisor', async () => {
    const storeFolder = await temporaryFolder();
    const set = await attachEmbedded({ storeFolder, env: process.env, gatewayAccount: 'sandbox', ui: true });
    const defenceless = await openDefenceless();
    const connection = await Connection.connect({ address: set.temporalAddress });
    const { workflow } = new Client({ connection });
    try {
      await workflow.start('film', { taskQueue: 'nobody', workflowId: 'kept' });
      const all = async () => {
        const found: string[] = [];
        for await (const { workflowId, status } of workflow.list()) found.push(`${workflowId} ${status.name}`);
        return found;
      };
      await until(async () => (await all()).length === 1);
      const { historyLength } = await workflow.getHandle('kept').describe();
      const supervisor = (await readHolder(setFiles(storeFolder).lock))!.process;
      const parts = JSON.parse(readFileSync(setFiles(storeFolder).processes, 'utf8')) as ProcessIdentity[];
      const ports = [supervisor, ...parts].flatMap(({ pid }) => listeningPorts(pid));
      for (const address of [`http://${set.temporalAddress}`, set.uiUrl, set.gatewayUrl]) {
        expect(ports).toContain(Number(new URL(address!).port));
      }

      await openHostilePage({
        ports: [...ports, defenceless.port],
        posts: POSTS,
      });

      for (const way of ['by fetch', 'by form', 'by rebinding']) {
        for (const { path } of POSTS.slice(0, -1)) expect(defenceless.carriedOut()).toContain(`${path} ${way}`);
      }
      expect(await all()).toEqual(['kept RUNNING']);
      expect((await workflow.getHandle('kept').describe()).historyLength).toBe(historyLength);
      const { operationInfo } = await connection.workflowService.listBatchOperations({ namespace: 'default' });
      expect(operationInfo).toEqual([]);
      const headers = { authorization: `Bearer ${set.sandboxKey}` };
      const ask = async (path: string) => (await fetch(set.gatewayUrl + path, { headers })).json();
      expect(await ask('/sandbox/tasks')).toEqual({ tasks: [] });
      expect(await ask('/sandbox/faults')).toEqual({ armed: [], struck: {} });
      expect([supervisor, ...parts].filter((process) => !isAlive(process))).toEqual([]);
    } finally {
      await connection.close();
      defenceless.close();
      await set.leave();
    }
  });
});

/** A server that obeys every request: shows that the page's posts arrive if nothing blocks them. */
async function openDefenceless() {
  const carriedOut = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    void text(incoming).then((body) => {
      carriedOut.add(`${incoming.url} ${/by \w+/.exec(body)?.[0]}`);
      outgoing.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    carriedOut: () => [...carriedOut],
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
