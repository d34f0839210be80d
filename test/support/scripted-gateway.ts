import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (request: Arrived, response: ServerResponse) => void | Promise<void>;

export interface ScriptedGateway {
  readonly url: string;
  readonly arrived: Arrived[];
  posts(): Arrived[];
  /** Answers all further requests; can be replaced. */
  answer: Answer;
  close(): Promise<void>;
}

/** A real HTTP server whose answers a test decides. */
export async function startScriptedGateway(answer: Answer = () => undefined): Promise<ScriptedGateway> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body };
      arrived.push(one);
      return gateway.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway: ScriptedGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    posts: () => arrived.filter(({ method }) => method === 'POST'),
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return gateway;
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Answers each submit with a new id: task-1, task-2, … */
export function acceptAll(): Answer {
  let accepted = 0;
  return (_request, response) => {
    accepted += 1;
    json(response, 200, { status: 'success', response: { id: `task-${accepted}` } });
  };
}
