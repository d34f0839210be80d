import { request } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { BROWSER_BLOCKED_PORTS } from '../../workers/guarded-ui';
import { findTemporalCli } from '../../workers/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../workers/temporal-server';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { listeningPorts } from './listening-ports';

/** What a web page can send to the embedded Temporal server. test/hostile/browser.full.test.ts has a browser do it. */
describe('the embedded Temporal server', () => {
  const servers: TemporalServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
  const start = async (ui: boolean) => {
    const { path: cli } = findTemporalCli(process.env)!;
    const server = await startTemporalServer({ cli, logFile: `${await temporaryFolder()}/log`, ui });
    servers.push(server);
    return server;
  };

  it('runs without the UI, and executes nothing that is posted to any of its ports', async () => {
    const server = await start(false);
    expect(server.uiUrl).toBeNull();
    const connection = await Connection.connect({ address: server.address });
    const { workflow } = new Client({ connection });
    await workflow.start('film', { taskQueue: 'nobody', workflowId: 'kept' });
    await until(async () => (await workflow.count()).count === 1);
    const ports = listeningPorts(server.pid);
    expect(ports).toContain(Number(server.address.split(':')[1]));
    expect(ports.length).toBeGreaterThan(2);
    for (const port of ports) {
      const host = `127.0.0.1:${port}`;
      for (const headers of [{ host }, { host: 'rebound.example' }, { host: '/' }, { host: '' }]) {
        const answer = await send(port, 'POST', TERMINATE_ALL, headers, TERMINATION);
        // Some ports speak no HTTP/1.1 at all.
        if (answer.status !== undefined) expect(answer.status).toBeGreaterThanOrEqual(400);
      }
    }
    const batches = await connection.workflowService.listBatchOperations({ namespace: 'default' });
    expect(batches.operationInfo).toEqual([]);
    expect((await workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    await connection.close();
  });

  it('serves the UI, if requested, only to its own pages, from behind a port that browsers refuse', async () => {
    const server = await start(true);
    const port = Number(new URL(server.uiUrl!).port);
    const own = `127.0.0.1:${port}`;
    // The UI starts after the server itself.
    const page = await until(async () => {
      const answer = await send(port, 'GET', '/', { host: own });
      return answer.status === 200 && answer;
    });
    expect(page.text).toContain('<html');
    await until(async () => {
      const answer = await send(port, 'GET', '/api/v1/namespaces', { host: `localhost:${port}` });
      return answer.status === 200;
    });

    expect(await send(port, 'GET', '/', { host: `rebound.example:${port}` })).toMatchObject({ status: 403 });
    for (const origin of ['http://rebound.example', 'null', `http://localhost:${port}`, `https://${own}`]) {
      expect(await send(port, 'POST', TERMINATE_ALL, { host: own, origin }, TERMINATION)).toMatchObject({
        status: 403,
      });
    }
    // Without its token the UI refuses; with the token its own page is answered.
    const cookie = page.cookie.split(';')[0] ?? '';
    const token = cookie.slice('_csrf='.length);
    const headers = { host: own, origin: `http://${own}`, cookie, 'x-csrf-token': token };
    expect(await send(port, 'POST', TERMINATE_ALL, headers, TERMINATION)).toMatchObject({ status: 200 });

    const behind = listeningPorts(server.pid).filter((one) => BROWSER_BLOCKED_PORTS.some((blocked) => blocked === one));
    expect(behind).toHaveLength(1);
    await expect(fetch(`http://127.0.0.1:${behind[0]}/`)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  });
});

const TERMINATE_ALL = '/api/v1/namespaces/default/batch-operations/a-page';
const TERMINATION = JSON.stringify({
  jobId: 'a-page',
  reason: 'a page wants it',
  visibilityQuery: 'ExecutionStatus="Running"',
  terminationOperation: { identity: 'a page' },
});

interface Answer {
  /** Undefined where no answer of HTTP/1.1 came. */
  readonly status: number | undefined;
  readonly text: string;
  readonly cookie: string;
}

function send(port: number, method: string, path: string, headers: object, body?: string): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { 'content-type': 'text/plain', ...headers } },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => (text += String(chunk)));
        answer.on('end', () => {
          resolve({ status: answer.statusCode, text, cookie: answer.headers['set-cookie']?.[0] ?? '' });
        });
      },
    );
    sent.on('error', () => {
      resolve({ status: undefined, text: '', cookie: '' });
    });
    sent.end(body);
  });
}
