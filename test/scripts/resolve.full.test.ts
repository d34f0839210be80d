import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest, type ManifestShot } from '../../contracts/manifest';
import { type Injection } from '../../sandbox';
import { openStore } from '../../store';
import { findTemporalCli } from '../../workers/temporal-cli';
import { startTemporalServer } from '../../workers/temporal-server';
import { address, book } from '../books/store-with-takes';
import { until } from '../support/until';
import { dailies, type Ended, startAtTerminal } from './command';
import { gateway, holdUp, place, run, SINCE } from './resolve-command';

const MORE: Readonly<Record<string, string>> = { slow: ', deadline: 3', left: ', onFailure: skip', twin: ', takes: 2' };

/** One shot after the other, so that it is known which one a fault strikes. */
const film = (...shots: readonly string[]): string => `
title: What a person decides
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit, retryFailed: 0 }
maxInFlight: 1
shots:
${shots.map((id) => `  - { id: ${id}, prompt: The sea ${id}.${MORE[id] ?? ''} }`).join('\n')}
`;

describe('dailies resolve', () => {
  /** Renders the shots at a gateway with these faults, as far as possible without a person. */
  async function rendered(shots: readonly string[], faults: readonly Injection[]): Promise<Ended> {
    writeFileSync(join(place.folder, 'film.yaml'), film(...shots));
    for (const fault of faults) gateway.faults.inject(fault);
    return run('render', 'film.yaml', '--json');
  }

  const hasEnded = (): Promise<Manifest> =>
    until(async () => {
      const manifest = Manifest.parse(JSON.parse((await run('status', 'film', '--json')).stdout));
      return manifest.state !== 'running' && manifest;
    });

  it('accepts each possible answer to an unclear take, and refuses the others', async () => {
    const shots = ['adopted', 'resent', 'skipped', 'used', 'sound'];
    const ended = await rendered(shots, [{ kind: 'accept-500', count: 4 }]);
    expect(ended.exitCode).toBe(3);
    expect(shotsOf(ended).map(({ state }) => state)).toEqual(['parked', 'parked', 'parked', 'parked', 'completed']);
    expect((await run('status', 'film')).stderr).toContain(
      '`dailies resolve film --all --for unclear --resubmit | --skip`',
    );
    const flags = '--adopt TASK_ID | --resubmit | --skip | --use FILE';
    const parked = { for: 'unclear', since: SINCE, command: `dailies resolve film adopted ${flags}` };
    expect(shotsOf(ended)[0]).toMatchObject({ reason: expect.stringContaining('500'), parked });
    const clip = shotsOf(ended)[4]?.takes[0]?.asset?.path ?? '';

    await holdUp();
    const looked = await run('status', 'film');
    expect(looked.stdout).toMatch(/^ {2}adopted +parked \(unclear\): .*500/m);
    expect(looked.stderr).toMatch(/^"used": the gateway may have charged .*, for one submit/m);
    expect(looked.stderr).toMatch(/^ {2}dailies resolve film used --resubmit .*(credits more|price unknown)/m);
    expect(looked.stderr).toMatch(
      /^"used" waits since \S+ \S+ \S+\. To let it go on, type one of:\n {2}dailies resolve film used --adopt TASK_ID +continue with the task that the gateway's list shows/m,
    );

    const before = gateway.tasks().length;
    const doubtful = startAtTerminal(['resolve', 'film', 'resent', '--resubmit'], place);
    await doubtful.answer(/Send "resent" again, for (\d+ credits|price unknown)/, 'n');
    expect(await doubtful.ended).toMatchObject({ exitCode: 2 });
    expect(gateway.tasks()).toHaveLength(before);

    const picture = join(__dirname, '../../productions/lighthouse/dawn.jpg');
    for (const [shot, answer, words] of [
      ['adopted', ['--adopt', 'nobody'], 'does not know a task nobody'],
      ['adopted', ['--adopt', '..'], 'cannot be a task id'],
      ['adopted', ['--wait'], 'can be answered with adopt, resubmit, skip, use'],
      ['adopted', ['--skip', '--resubmit'], 'say one of'],
      ['used', ['--use', picture], 'the shot needs a video'],
      ['used', ['--use', 'nowhere.mp4'], 'nowhere.mp4 cannot be used: there is no such file'],
      ['sound', ['--skip'], 'not under way'],
      ['nowhere', ['--skip'], 'has no shot "nowhere"'],
    ] as const) {
      const refused = await run('resolve', 'film', shot, ...answer);
      expect(refused.stderr).toContain(words);
      expect(refused.exitCode).toBe(2);
    }

    const [task] = gateway.tasks();
    for (const answer of [
      ['adopted', '--adopt', task!.id],
      ['resent', '--resubmit'],
      ['skipped', '--skip'],
      ['used', '--use', clip],
    ]) {
      const resolved = await run('resolve', 'film', ...answer);
      expect(resolved.stderr).toContain('dailies status film');
      expect(resolved.exitCode).toBe(0);
    }
    const last = await hasEnded();
    expect(last.state).toBe('completed');
    expect(last.shots.map(({ state }) => state)).toEqual([
      'completed',
      'completed',
      'skipped',
      'completed',
      'completed',
    ]);
    expect(last.shots[0]?.takes[0]?.taskId).toBe(task!.id);
    expect(gateway.tasks()).toHaveLength(shots.length + 1);
  });

  it.each(['adopt', 'resubmit'])(
    'lets an unclear take be decided after another take has completed its shot: %s',
    async (kind) => {
      const ended = await rendered(['twin'], [{ kind: 'accept-500', count: 1 }]);
      expect(ended.exitCode).toBe(0);
      const [unclear] = shotsOf(ended)[0]!.takes;
      const tasks = gateway.tasks().map(({ id }) => id);
      expect([unclear?.state, tasks.length]).toEqual(['unclear', 2]);
      const command = `dailies resolve film twin --take ${unclear!.take} --adopt TASK_ID | --resubmit | --skip`;
      for (const verb of ['ledger', 'audit']) expect((await run(verb, 'film')).stdout).toContain(`${command}\n`);

      const other = shotsOf(ended)[0]!.takes.find(({ state }) => state === 'completed')!.taskId!;
      const stolen = await run('resolve', 'film', 'twin', '--take', `${unclear!.take}`, '--adopt', other);
      expect([stolen.exitCode, stolen.stderr]).toEqual([2, expect.stringContaining(`task ${other} belongs to take`)]);
      const unknown = await run('resolve', 'film', 'twin', '--take', `${unclear!.take}`, '--adopt', 'no-such-task');
      expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('does not know a task no-such')]);
      const lost = tasks.find((id) => id !== other)!;
      const answer = kind === 'adopt' ? ['--adopt', lost] : ['--resubmit'];
      const resolved = await run('resolve', 'film', 'twin', '--take', `${unclear!.take}`, ...answer);
      expect([resolved.exitCode, resolved.stderr]).toEqual([0, expect.stringContaining('dailies render')]);
      const again = await run('render', 'film.yaml', '--json');
      const decided = shotsOf(again)[0]!.takes.find(({ take }) => take === unclear!.take);
      expect(decided?.state).toBe('completed');
      if (kind === 'adopt') expect(decided?.taskId).toBe(lost);
      expect(gateway.tasks()).toHaveLength(kind === 'adopt' ? 2 : 3);
    },
  );

  it('answers takes parked for credits, a failed task and a deadline, which the status shows without Temporal', async () => {
    const ended = await rendered(
      ['poor', 'unlucky', 'slow'],
      [
        { kind: 'refuse-402', on: 'submit', count: 1 },
        { kind: 'task-fails', count: 1 },
        { kind: 'task-never-ends', count: 1 },
      ],
    );
    expect(ended.exitCode).toBe(3);
    const kinds = shotsOf(ended).map(({ id, state, parked }) => [id, state, parked?.for]);
    expect(kinds).toEqual([
      ['poor', 'parked', 'credits'],
      ['unlucky', 'parked', 'failed'],
      ['slow', 'parked', 'overdue'],
    ]);

    const stored = await run('status', 'film', '--json');
    expect(shotsOf(stored).map(({ id, state, parked }) => [id, state, parked?.for])).toEqual(kinds);
    const looked = await run('status', 'film');
    expect(looked.stdout).toMatch(/^ {2}poor +parked \(credits\): .*402/m);
    expect(looked.stdout).toMatch(/^ {2}slow +parked \(overdue\): task \S+ had not ended within 3 s/m);
    expect(looked.stderr).toMatch(
      /^"slow" waits since \S+ \S+ \S+\..*\n {2}dailies resolve film slow --wait +give the same task more time/m,
    );

    for (const answer of [
      ['poor', '--resubmit'],
      ['unlucky', '--resubmit'],
      ['slow', '--wait'],
    ]) {
      const resolved = await run('resolve', 'film', ...answer);
      expect(resolved.stderr).toContain(`dailies render ${join(place.folder, 'film.yaml')} --id film`);
      expect(resolved.exitCode).toBe(0);
    }
    const again = await run('render', 'film.yaml', '--json');
    expect(again.exitCode).toBe(3);
    expect(shotsOf(again).map(({ state }) => state)).toEqual(['completed', 'completed', 'parked']);
    await holdUp();
    expect((await run('resolve', 'film', 'slow', '--skip')).exitCode).toBe(0);
    expect((await hasEnded()).shots.map(({ state }) => state)).toEqual(['completed', 'completed', 'skipped']);
    // The failed one was paid for twice, by a decision.
    expect(gateway.tasks()).toHaveLength(4);
  });

  it('ends with a command that pays for nothing again, even if the production has ended by then', async () => {
    const shots = ['left', 'waits'];
    expect((await rendered(shots, [{ kind: 'task-fails', count: 2 }])).exitCode).toBe(3);
    expect(gateway.tasks()).toHaveLength(2);
    const left = await run('status', 'film');
    expect(left.stdout).toContain('running (the rest waits for you)');
    expect(left.stderr).toMatch(/^Nothing runs now\. To continue what does not wait for you: .*dailies render /m);

    const resolved = await run('resolve', 'film', 'waits', '--skip');
    const [, line = ''] = /goes on: dailies (.*)$/m.exec(resolved.stderr) ?? [];
    await run(...line.split(' '));
    expect((await run('status', 'film', '--json')).stdout).toContain('"skipped"');
    expect(gateway.tasks()).toHaveLength(2);
  });

  it('decides nothing if no worker serves, and says how to start one', async () => {
    const cli = findTemporalCli(process.env);
    const server = await startTemporalServer({ cli: cli!.path, logFile: join(place.folder, 'temporal.log') });
    try {
      await book(await openStore(join(place.folder, 'store')), address('dawn'), 'unclear');
      const env = { ...place.env, TEMPORAL_ADDRESS: server.address };
      const refused = await dailies(['resolve', 'film', 'dawn', '--skip'], { ...place, env });
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('dailies worker') });
    } finally {
      await server.stop();
    }
  });

  it('answers a single task, by the command that it printed, with a file of its kind', async () => {
    gateway.faults.inject({ kind: 'accept-drop', count: 1 });
    const poster = ['generate', '--model', 'pixel-image-1', '--output', 'image', '--prompt', 'A poster', '--json'];
    const parked = await run(...poster, '--id', 'poster');
    expect(parked.exitCode).toBe(3);
    const command = 'dailies resolve generations poster --adopt TASK_ID | --resubmit | --skip | --use FILE';
    expect(JSON.parse(parked.stdout)).toMatchObject({
      id: 'poster',
      state: 'parked',
      parked: { for: 'unclear', since: SINCE, command },
    });
    expect(parked.stderr).toMatch(
      /^ {2}dailies resolve generations poster --resubmit +send it again; .* charges both$/m,
    );

    const picture = join(__dirname, '../../productions/lighthouse/dawn.jpg');
    const music = join(__dirname, '../../productions/lighthouse/music.m4a');
    await holdUp();
    const refused = await run('resolve', 'generations', 'poster', '--use', music);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('the shot needs an image') });
    const resolved = await run('resolve', 'generations', 'poster', '--use', picture);
    expect(resolved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('the same `dailies generate`') });
    const again = await run(...poster, '--id', 'poster');
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'completed', asset: { mediaType: 'image/jpeg' } });
    expect(gateway.tasks()).toHaveLength(1);
  });

  it('says at once that it knows no such production', async () => {
    expect(await run('resolve', 'elsewhere', 'dawn', '--skip')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no production or batch "elsewhere" is known here'),
    });
  });
});

function shotsOf({ stdout }: Ended): readonly ManifestShot[] {
  return Manifest.parse(JSON.parse(stdout)).shots;
}
