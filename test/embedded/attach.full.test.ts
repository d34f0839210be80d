import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attachToSet } from '../../workers/embedded/attach';
import { EmbeddedSetFailed } from '../../workers/embedded/errors';
import { readHolder, TOUCH_INTERVAL_MS } from '../../workers/embedded/lock';
import { until } from '../support/until';
import { setRig, spawnClient, startClient } from './set-rig';

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
  it('comes up once when two commands start it at the same moment', async () => {
    const rig = newRig();
    for (let round = 1; round <= 8; round += 1) {
      const holds = await Promise.all([attachToSet(rig.plan({ first: {} })), attachToSet(rig.plan({ first: {} }))]);
      expect(holds.filter((hold) => hold.started).length).toBeLessThanOrEqual(1);
      expect(rig.starts('first')).toHaveLength(round);
      const endings = await Promise.all(holds.map((hold) => hold.leave()));
      expect(endings.some((ending) => ending.stopped)).toBe(true);
    }
    expect(rig.alive()).toEqual([]);
  });

  it('lets a part finish what it is doing, the last one started first', async () => {
    const rig = newRig();
    const notices: string[] = [];
    const hold = await attachToSet(rig.plan({ first: {}, second: { finishMs: 2_500 } }), (line) => notices.push(line));
    await hold.leave();
    expect(
      rig
        .notes()
        .filter((note) => note.event === 'finish')
        .map((note) => note.name),
    ).toEqual(['second', 'first']);
    expect(notices).toEqual(['second: finishes what it is doing']);
  });

  it('makes a command that arrives while it stops wait, and starts again for it', async () => {
    const rig = newRig();
    const plan = rig.plan({ first: { finishMs: 1_500 } });
    const leaving = (await attachToSet(plan)).leave();
    const notices: string[] = [];
    const next = await attachToSet(plan, (line) => notices.push(line));
    expect(await leaving).toEqual({ stopped: true });
    expect(next.started).toBe(true);
    expect(notices).toEqual(['Waiting for the previous embedded set to stop.']);
    await next.leave();
  });

  it('ends when its only command is killed', async () => {
    const rig = newRig();
    const { process: client } = await startClient(rig.plan());
    expect(await rig.supervisor()).toBeDefined();
    expect(rig.alive()).toHaveLength(5);
    client.kill('SIGKILL');
    await until(() => rig.alive().length === 0);
    expect(await readHolder(rig.files.lock)).toBeUndefined();
  });

  it('leaves nothing when the command that starts it is killed, at any moment', async () => {
    const rig = newRig();
    for (let waitMs = 0; waitMs <= 300; waitMs += 20) {
      const client = spawnClient(rig.plan({ first: {} }));
      await delay(waitMs);
      client.kill('SIGKILL');
      await once(client, 'exit');
    }
    await until(async () => (await rig.supervisor()) === undefined && rig.alive().length === 0);
    const started = rig.starts('first').length;

    const hold = await attachToSet(rig.plan({ first: {} }));
    expect(hold.started).toBe(true);
    expect(rig.starts('first')).toHaveLength(started + 1);
    await hold.leave();
  });

  it('outlives the command that started it while another one is attached', async () => {
    const rig = newRig();
    const starter = await startClient(rig.plan());
    const hold = await attachToSet(rig.plan());
    expect(starter.started).toBe(true);
    starter.process.kill('SIGKILL');
    await once(starter.process, 'exit');
    expect(await hold.leave()).toEqual({ stopped: true });
    expect(rig.starts('first')).toHaveLength(1);
  });

  it('ends when its supervisor is killed, tells the command, and can start again without help', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const lost = new Promise<string>((resolve) => {
      hold.onLost(resolve);
    });
    const supervisor = await rig.supervisor();
    expect(rig.alive()).toHaveLength(5);
    process.kill(supervisor!, 'SIGKILL');
    expect(await lost).toContain('died');
    await until(() => rig.alive().length === 0);

    const next = await attachToSet(rig.plan());
    expect(next.started).toBe(true);
    await next.leave();
  });

  it('ends what a killed supervisor and a killed part have left behind before it comes up again', async () => {
    const rig = newRig();
    await attachToSet(rig.plan({ first: { ownGroup: true } }));
    const supervisor = await rig.supervisor();
    const [part] = rig.starts('first');
    process.kill(supervisor!, 'SIGSTOP');
    process.kill(part!.pid, 'SIGKILL');
    process.kill(supervisor!, 'SIGKILL');
    await until(() => rig.alive().length === 1);
    expect(rig.alive()).toEqual([part!.child]);

    const next = await attachToSet(rig.plan({ first: {} }));
    expect(rig.alive()).not.toContain(part!.child);
    await next.leave();
  });

  it('gives up when a part keeps ending, says which, and ends', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan({ first: {}, second: { dieAfterMs: 10 } }));
    const reason = await new Promise<string>((resolve) => {
      hold.onLost(resolve);
    });
    expect(reason).toMatch(/second keeps ending \(exit code 9\)\..*second\.log/);
    expect(await hold.leave()).toEqual({ stopped: true });
    expect(rig.alive()).toEqual([]);
  });

  it('says which part did not start, and leaves nothing running', async () => {
    const rig = newRig();
    const attaching = attachToSet(rig.plan({ first: {}, second: { failAtStart: true } }));
    await expect(attaching).rejects.toThrow(EmbeddedSetFailed);
    await expect(attaching).rejects.toThrow(/second did not start.*nothing works.*second\.log/);
    await until(() => rig.alive().length === 0);
  });

  it('does not count a client that cannot read the lock', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const holder = await readHolder(rig.files.lock);
    const stranger = connect({ host: '127.0.0.1', port: holder!.port });
    stranger.write(
      `${JSON.stringify({ token: 'x'.repeat(holder!.token.length), identity: rig.plan().identity, starter: false })}\n`,
    );
    await once(stranger, 'close');
    expect(await hold.leave()).toEqual({ stopped: true });
  });

  it('closes the connection of a client with another protocol, and keeps running', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const holder = await readHolder(rig.files.lock);
    for (const line of ['GET / HTTP/1.1', 'null', '1', '"come in"']) {
      const stranger = connect({ host: '127.0.0.1', port: holder!.port });
      stranger.write(`${line}\n`);
      await once(stranger, 'close');
    }
    const cutOff = connect({ host: '127.0.0.1', port: holder!.port });
    await once(cutOff, 'connect');
    cutOff.resetAndDestroy();
    await delay(200);
    expect(await rig.supervisor()).toBe(holder!.process.pid);
    expect(await hold.leave()).toEqual({ stopped: true });
  });

  it('restarts a killed part although the disk refuses the record of its processes', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const supervisor = await rig.supervisor();
    rmSync(rig.files.processes);
    mkdirSync(join(rig.files.processes, 'in the way'), { recursive: true });
    for (let starts = 1; starts <= 2; starts += 1) {
      process.kill(rig.starts('first').at(-1)!.pid, 'SIGKILL');
      await until(() => rig.starts('first').length === starts + 1);
    }
    expect(await rig.supervisor()).toBe(supervisor);
    expect(await hold.leave()).toEqual({ stopped: true });
    expect(rig.alive()).toEqual([]);
  });

  it('keeps touching its lock after the disk has refused once', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const away = `${rig.files.lock}-away`;
    renameSync(rig.files.lock, away);
    await delay(1.5 * TOUCH_INTERVAL_MS);
    renameSync(away, rig.files.lock);
    const file = join(rig.files.lock, readdirSync(rig.files.lock)[0]!);
    const { mtimeMs } = statSync(file);
    await until(() => statSync(file).mtimeMs > mtimeMs);
    expect(await hold.leave()).toEqual({ stopped: true });
  });

  it('gives up a part that can no longer be run, says why, and ends', async () => {
    const rig = newRig();
    const hold = await attachToSet(rig.plan());
    const lost = new Promise<string>((resolve) => {
      hold.onLost(resolve);
    });
    const log = join(rig.files.logs, 'second.log');
    rmSync(log);
    mkdirSync(log);
    process.kill(rig.starts('second')[0]!.pid, 'SIGKILL');
    expect(await lost).toMatch(/second cannot be run.*EISDIR/);
    expect(await hold.leave()).toEqual({ stopped: true });
    expect(rig.alive()).toEqual([]);
    expect(await readHolder(rig.files.lock)).toBeUndefined();
  });
});
