import { lookAtGateway } from '../../gateway';
import { client, closeAll, serve } from './servers';

afterEach(closeAll);

describe('a look at the gateway', () => {
  it.each([
    [401, 'refused'],
    [403, 'doubted'],
    [404, 'accepted'],
    [429, 'unknown'],
    [500, 'unknown'],
    [503, 'unknown'],
  ])('tells from the status %s what is known of the key', async (status, key) => {
    const { url } = await serve((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
    expect(await lookAtGateway(client(url))).toMatchObject({ reachable: true, key });
  });

  it('does not take a web page for an accepted key', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome</p>');
    });
    expect(await lookAtGateway(client(url))).toMatchObject({ inOrder: false, key: 'unknown' });
  });
});
