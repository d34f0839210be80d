import { connect, type Socket } from 'node:net';
import { attachToSet } from '../../workers/embedded/attach';
import { type Hold } from '../../workers/embedded/embedded-set';
import { readHolder, type Holder } from '../../workers/embedded/lock';
import { setRig } from '../embedded/set-rig';

/** What another program on this machine may send to the supervisor of an embedded set. */
describe('the supervisor', () => {
  const rig = setRig();
  const plan = rig.plan({});
  let hold: Hold;
  let holder: Holder;
  beforeAll(async () => {
    hold = await attachToSet(plan);
    holder = (await readHolder(rig.files.lock))!;
  });
  afterAll(() => rig.remove());

  /** Connects, sends, and resolves with the answer once the supervisor has closed the connection. */
  async function answerTo(text: string): Promise<string> {
    const socket: Socket = connect({ host: '127.0.0.1', port: holder.port });
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    // Data still being sent when the connection closes causes a reset.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(text);
    await closed;
    return answer;
  }
  const hello = (token: unknown) => `${JSON.stringify({ token, identity: plan.identity, starter: false })}\n`;

  it.each([
    ['a token of as many characters and more bytes', hello('é'.repeat(32))],
    ['a token of another length', hello('')],
    ['a token that is no text', hello({ length: 32 })],
    ['what is no JSON', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['JSON that is no message', '42\n'],
    ['an array that is no message', '[]\n'],
    ['a line of a megabyte without an end', 'x'.repeat(1_000_000)],
  ])('closes the connection on %s, and keeps running', async (_, text) => {
    expect(await answerTo(text)).toBe('');
    expect(await rig.supervisor()).toBe(holder.process.pid);
  });

  it('reads nothing after the first invalid line, and ends when its commands have left', async () => {
    expect(await answerTo(hello('x'.repeat(32)) + hello(holder.token))).toBe('');
    expect(await answerTo(`{\n${hello(holder.token)}`)).toBe('');
    expect(await hold.leave()).toEqual({ stopped: true });
    expect(rig.alive()).toEqual([]);
  });
});
