import { rmSync } from 'node:fs';
import { attachToSet } from '../../workers/embedded/attach';
import { EmbeddedSetEnded, EmbeddedSetMismatch } from '../../workers/embedded/errors';
import { readHolder } from '../../workers/embedded/lock';
import { until } from '../support/until';
import { setRig } from './set-rig';

const rigs: ReturnType<typeof setRig>[] = [];
const newRig = () => {
  const rig = setRig();
  rigs.push(rig);
  return rig;
};

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.remove()));
});

describe('the embedded set', () => {
  it('gives each part what the parts before it announced, and tells the command', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const [first] = rig.starts('first');
    const [second] = rig.starts('second');
    expect(hold.started).toBe(true);
    expect(second?.given).toBe(`first:${first?.pid}`);
    expect(hold.facts).toEqual({ FIRST_ADDRESS: `first:${first?.pid}`, SECOND_ADDRESS: `second:${second?.pid}` });
    await hold.leave();
  });

  it('ends with all its processes when the last command leaves, and frees the lock', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const supervisor = await rig.supervisor();
    expect(rig.alive()).toContain(supervisor);
    expect(rig.alive()).toHaveLength(5);
    expect(await hold.leave()).toEqual({ stopped: true });
    expect(rig.alive()).toEqual([]);
    expect(await readHolder(rig.files.lock)).toBeUndefined();
  });

  it('runs on while a second command is attached', async () => {
    const rig = newRig();
    const first = await attachToSet(rig.plan());
    const second = await attachToSet(rig.plan());
    expect(second.started).toBe(false);
    expect(second.facts).toEqual(first.facts);
    expect(await first.leave()).toEqual({ stopped: false });
    expect(await rig.supervisor()).toBeDefined();
    expect(rig.alive()).toHaveLength(5);
    expect(await second.leave()).toEqual({ stopped: true });
    expect(rig.alive()).toEqual([]);
  });

  it('is awaited while it stops, and not started again, by a command that only reads', async () => {
    const rig = newRig();
    const plan = rig.plan({ first: { finishMs: 300 } });
    const leaving = (await attachToSet(plan)).leave();
    const notices: string[] = [];
    const looking = attachToSet(plan, (line) => notices.push(line), { startsNone: true });
    await expect(looking).rejects.toThrow(EmbeddedSetEnded);
    expect(notices).toEqual(['Waiting for the previous embedded set to stop.']);
    expect(rig.starts('first')).toHaveLength(1);
    expect(await leaving).toEqual({ stopped: true });
  });

  it('starts a killed part again at the same address, without what it left behind', async () => {
    const rig = newRig();
    const notices: string[] = [];
    const hold = await attachToSet(rig.plan(), (line) => notices.push(line));
    const [before] = rig.starts('first');
    process.kill(before!.pid, 'SIGKILL');
    await until(() => rig.starts('first').length === 2);
    const after = rig.starts('first')[1];
    expect(after?.announced).toEqual({ FIRST_ADDRESS: hold.facts['FIRST_ADDRESS'] });
    expect(rig.alive()).not.toContain(before!.child);
    // It arrives by another channel than the part's own record.
    await until(() => notices.length > 0);
    expect(notices).toEqual(['first: ended (SIGKILL), starts again']);
    await hold.leave();
  });

  it('ends with all its processes when its lock is gone, and says why', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const lost = new Promise<string>((resolve) => {
      hold.onLost(resolve);
    });
    const supervisor = await rig.supervisor();
    rmSync(rig.files.lock, { recursive: true });
    expect(await lost).toMatch(/^The embedded set ends: the lock .* is gone, or another process holds it\.$/);
    await until(() => rig.alive().length === 0);
    expect(supervisor).toBeDefined();
    await hold.leave();
  });

  it('refuses a command that wants another gateway account, and runs on', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const other = attachToSet(rig.plan(undefined, 'b'));
    await expect(other).rejects.toThrow(EmbeddedSetMismatch);
    await expect(other).rejects.toThrow(/serves the sandbox \(account "a"\); this command wants .*"b"/);
    expect(await hold.leave()).toEqual({ stopped: true });
  });
});
