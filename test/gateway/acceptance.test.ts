import type { Socket } from 'node:net';
import { acceptanceOfStatus, STATUSES } from '../../gateway/statuses';
import { ConnectError, createConnections } from '../../gateway/connection';
import { BUSY_MS, client, closeAll, errorOf, json, PAID, REQUEST, serve, serveTcp, unusedHost } from './servers';

afterEach(closeAll);

const submitTo = (url: string, options = {}) => errorOf(client(url, options).submit(REQUEST, PAID));

describe('a submit that is answered with a status', () => {
  it.each([301, 307, 308, 400, 401, 402, 403, 404, 409, 413, 415, 422, 429])('%i was not accepted', async (status) => {
    const { url, seen } = await serve((_, response) => {
      json(response, { status: 'error' }, status);
    });
    expect(await submitTo(url)).toMatchObject({ kind: 'response', status, acceptance: 'no' });
    expect(seen).toHaveLength(1);
  });

  it.each([300, 302, 303, 304, 405, 406, 408, 410, 418, 425, 451, 500, 501, 502, 503, 504, 599])(
    '%i is unclear, and is not sent again',
    async (status) => {
      const { url, seen } = await serve((_, response) => {
        response.writeHead(status).end();
      });
      expect(await submitTo(url)).toMatchObject({ kind: 'response', status, acceptance: 'unclear' });
      expect(seen).toHaveLength(1);
    },
  );

  it.each(['5', new Date(Date.now() + 60_000).toUTCString()])(
    '503 with Retry-After %s was not accepted',
    async (at) => {
      const { url } = await serve((_, response) => {
        response.writeHead(503, { 'retry-after': at }).end();
      });
      const error = await submitTo(url);
      expect(error.acceptance).toBe('no');
      expect(error.retryAfterMs).toBeGreaterThan(0);
    },
  );

  it('503 with a Retry-After that cannot be read is unclear', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(503, { 'retry-after': 'soon' }).end();
    });
    expect(await submitTo(url)).toMatchObject({ acceptance: 'unclear', retryAfterMs: null });
  });

  it('was not accepted if a setting says so of a status', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(502).end();
    });
    expect(await submitTo(url, { notAcceptedStatuses: [502] })).toMatchObject({ status: 502, acceptance: 'no' });
  });

  it('keeps its meaning for an execute', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(request.body.includes('poor') ? 402 : 500).end();
    });
    const gateway = client(url);
    const poor = { ...REQUEST, parameters: { prompt: 'poor' } };
    expect(await errorOf(gateway.execute(poor, PAID))).toMatchObject({ status: 402, acceptance: 'no' });
    expect(await errorOf(gateway.execute(REQUEST, PAID))).toMatchObject({ status: 500, acceptance: 'unclear' });
  });

  it('keeps its meaning when the body never ends or breaks off', async () => {
    const { url } = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 429 Too Many\r\ncontent-length: 100\r\n\r\n{"error":"slow down"');
        setTimeout(() => socket.resetAndDestroy(), 50);
      });
    });
    const error = await submitTo(url);
    expect(error).toMatchObject({ kind: 'response', status: 429, acceptance: 'no' });
    expect(error.body).toBe('{"error":"slow down"');
  });
});

describe('the table of statuses', () => {
  it('takes no status of success and no server fault for a sure refusal', () => {
    const notAccepted = Object.keys(STATUSES).filter((status) => acceptanceOfStatus(Number(status), null, []) === 'no');
    for (const status of notAccepted.map(Number)) {
      expect(status).toBeGreaterThanOrEqual(300);
      expect(status).toBeLessThan(500);
    }
  });

  it('does not treat names that every object has as statuses', () => {
    expect(acceptanceOfStatus(500, 1000, [])).toBe('unclear');
    expect(acceptanceOfStatus(503, 0, [])).toBe('no');
  });

  it.each([200, 302, 399, 600, 400.5, Number.NaN])('cannot be widened by %p', (status) => {
    expect(() => client('http://127.0.0.1:1', { notAcceptedStatuses: [status] })).toThrow(RangeError);
  });
});

describe('a submit that is not answered', () => {
  it('was not accepted when the name is not known', async () => {
    expect(await submitTo('https://gateway.invalid')).toMatchObject({ status: null, acceptance: 'no' });
  });

  it('was not accepted when the connection is refused', async () => {
    const error = await submitTo(`http://${await unusedHost()}`);
    expect(error).toMatchObject({ kind: 'network', acceptance: 'no' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('was not accepted when TLS fails: garbage, reset or closed in the handshake', async () => {
    const misbehaviours: ((socket: Socket) => void)[] = [
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.destroy(),
    ];
    for (const misbehave of misbehaviours) {
      const { host } = await serveTcp((socket) => {
        socket.once('data', () => {
          misbehave(socket);
        });
      });
      expect(await submitTo(`https://${host}`)).toMatchObject({ kind: 'network', acceptance: 'no' });
    }
  });

  it('was not accepted when no connection is made in time', async () => {
    const { host } = await serveTcp((socket) => socket.resume());
    const error = await submitTo(`https://${host}`, { timeouts: { connectMs: 300 } });
    expect(error).toMatchObject({ kind: 'timeout', acceptance: 'no' });
  });

  it('was not accepted when the whole time is over before there is a connection', async () => {
    const { host } = await serveTcp((socket) => socket.resume());
    const error = await submitTo(`https://${host}`, { timeouts: { paidTotalMs: 200, connectMs: 600_000 } });
    expect(error).toMatchObject({ kind: 'timeout', acceptance: 'no' });
  });

  it('is unclear when the connection is reset after the request', async () => {
    const { url, connections } = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await submitTo(url)).toMatchObject({ kind: 'network', status: null, acceptance: 'unclear' });
    expect(connections()).toBe(1);
  });

  it('is unclear when the connection is closed as soon as it is there, and no second one is opened', async () => {
    const { url, connections } = await serveTcp((socket) => socket.end());
    expect(await submitTo(url)).toMatchObject({ kind: 'network', acceptance: 'unclear' });
    expect(connections()).toBe(1);
  });

  it('is unclear when no answer comes in time', async () => {
    const { url, seen } = await serve(() => undefined);
    const error = await submitTo(url, { timeouts: { paidTotalMs: BUSY_MS } });
    expect(error).toMatchObject({ kind: 'timeout', status: null, acceptance: 'unclear' });
    expect(seen).toHaveLength(1);
  });

  it('is unclear when the answer stops halfway, in time or by a reset', async () => {
    const half = (end: (socket: Socket) => void) =>
      serveTcp((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 60\r\n\r\n{"status":"success","response":');
          setTimeout(() => {
            end(socket);
          }, 50);
        });
      });
    const reset = await half((socket) => socket.resetAndDestroy());
    const broken = await submitTo(reset.url);
    expect(broken).toMatchObject({ kind: 'network', status: 200, acceptance: 'unclear' });
    expect(broken.message).toContain('was not answered whole: the connection broke');
    const closed = await half((socket) => socket.end());
    expect(await submitTo(closed.url)).toMatchObject({ kind: 'network', status: 200, acceptance: 'unclear' });
    const hanging = await half(() => undefined);
    const error = await submitTo(hanging.url, { timeouts: { bodyMs: 200 } });
    expect(error).toMatchObject({ kind: 'timeout', status: 200, acceptance: 'unclear' });
  });

  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(40_000)}\r\n\r\n`],
  ])('is unclear when the answer is %s', async (_, bytes) => {
    const { url } = await serveTcp((socket) => socket.once('data', () => socket.end(bytes)));
    expect(await submitTo(url)).toMatchObject({ kind: 'protocol', acceptance: 'unclear' });
  });
});

describe('an aborted submit', () => {
  it('was not accepted when aborted before the call, and no connection is made', async () => {
    const { url, connections } = await serveTcp(() => undefined);
    const error = await errorOf(client(url).submit(REQUEST, { ...PAID, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ kind: 'network', acceptance: 'no' });
    expect(error.message).toContain('was called off');
    expect(connections()).toBe(0);
  });

  it('was not accepted when aborted while connecting', async () => {
    const { host } = await serveTcp((socket) => {
      socket.once('data', () => {
        caller.abort();
      });
    });
    const caller = new AbortController();
    const error = await errorOf(client(`https://${host}`).submit(REQUEST, { ...PAID, signal: caller.signal }));
    expect(error.acceptance).toBe('no');
  });

  it('is unclear when aborted after the request was sent', async () => {
    const caller = new AbortController();
    const { url } = await serve(() => {
      caller.abort();
    });
    const error = await errorOf(client(url).submit(REQUEST, { ...PAID, signal: caller.signal }));
    expect(error.acceptance).toBe('unclear');
  });
});

describe('connections', () => {
  /** A server that says "keep-alive" and drops a connection at its second request, as one that has just timed out. */
  const serveStale = () =>
    serveTcp((socket) => {
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        if (requests > 1) {
          socket.resetAndDestroy();
          return;
        }
        const body = '{"status":"success","response":{"id":"t-1","status":"IN_PROGRESS"}}';
        socket.write(`HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });

  it('gives each submit its own connection, so that a stale one never makes it unclear', async () => {
    const { url, connections } = await serveStale();
    const gateway = client(url);
    await gateway.read({ taskId: 't-1', model: REQUEST.model });
    for (let n = 0; n < 5; n += 1) expect(await gateway.submit(REQUEST, PAID)).toEqual({ taskId: 't-1' });
    expect(connections()).toBe(6);
  });

  it('opens no second one for a call that costs money, whatever the library wants', async () => {
    const { url, connections } = await serveTcp((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    );
    const lane = createConnections(url, 1_000).own(2);
    const request = { origin: url, path: '/', method: 'POST', body: '{}' } as const;
    await (await lane.dispatcher.request(request)).body.dump();
    const refused = await lane.dispatcher.request(request).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'UND_ERR_CLOSED' });
    expect(refused).not.toBeInstanceOf(ConnectError);
    lane.release();
    expect(connections()).toBe(1);
  });

  it('says yes of any failed read: the task stays accepted', async () => {
    const { url } = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const error = await errorOf(client(url).read({ taskId: 't-1', model: REQUEST.model }));
    expect(error).toMatchObject({ kind: 'network', method: 'GET', acceptance: 'yes' });
  });

  it('lets calls under way end before it closes', async () => {
    const { url } = await serve((_, response) => {
      setTimeout(() => {
        json(response, { status: 'success', response: { id: 't-9' } });
      }, 200);
    });
    const gateway = client(url);
    const submit = gateway.submit(REQUEST, PAID);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const order: string[] = [];
    void submit.then(() => order.push('submit'));
    await gateway.close().then(() => order.push('close'));
    await gateway.close();
    expect(await submit).toEqual({ taskId: 't-9' });
    expect(order).toEqual(['submit', 'close']);
  });
});

describe('a submit whose body takes time to send', () => {
  const large = { ...REQUEST, parameters: { startFrame: `data:image/png;base64,${'A'.repeat(40_000_000)}` } };
  const submitLarge = (url: string, timeouts = {}) => errorOf(client(url, { timeouts }).submit(large, PAID));

  it('was not accepted when the time is over before all of it was sent', async () => {
    const { url } = await serveTcp((socket) => socket.pause());
    const error = await submitLarge(url, { paidTotalMs: 500 });
    expect(error).toMatchObject({ kind: 'timeout', status: null, acceptance: 'no' });
    expect(error.message).toContain('was not sent whole within 500 ms');
  });

  it('was not accepted when the connection breaks before all of it was sent', async () => {
    const { url, connections } = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await submitLarge(url)).toMatchObject({ kind: 'network', status: null, acceptance: 'no' });
    expect(connections()).toBe(1);
  });

  it('is unclear when the connection breaks once all of it has arrived', async () => {
    const { url, seen } = await serve((_, response) => response.socket?.resetAndDestroy());
    expect(await submitLarge(url)).toMatchObject({ kind: 'network', status: null, acceptance: 'unclear' });
    expect(seen).toHaveLength(1);
  });

  it('is unclear when its answer cannot be read, however much of it was sent', async () => {
    const { url } = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    expect(await submitLarge(url)).toMatchObject({ kind: 'protocol', status: 200, acceptance: 'unclear' });
  });

  it('reports an early refusal', async () => {
    const { url } = await serveTcp((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n'));
      socket.resume();
    });
    expect(await submitLarge(url)).toMatchObject({ status: 413, acceptance: 'no' });
  });
});
