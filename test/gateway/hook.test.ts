import net from 'node:net';
import { checkHook } from '../../gateway';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the check of a hook', () => {
  it('says so if the receiver accepts no connection in time', async () => {
    jest.spyOn(net, 'connect').mockImplementation(() => {
      const socket = new net.Socket();
      setImmediate(() => socket.emit('timeout'));
      return socket;
    });
    const error = await checkHook('http://127.0.0.1:9/', { allowedPrivateHosts: ['127.0.0.1:9'] });
    expect(error).toMatchObject({ kind: 'network', message: 'POST to 127.0.0.1:9 would fail now: ETIMEDOUT' });
  });
});
