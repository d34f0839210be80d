import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadProduction } from '../../client/production-file';
import { freezeProduction } from '../../client/freeze/freeze-production';
import { askKey, openStore, type FolderStore, takeKey } from '../../store';
import { policy } from '../production-file/production-fixtures';
import { filesIn } from '../support/files-in';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';
import { recordedEnd, recordedRow, recordRun } from '../support/batch-records';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';
import { recordsOf } from '../support/store-records';

const KEY = 'a-key-that-must-not-be-shown';

const FILM = `
title: One shot
shots:
  - id: dawn
    model: beta-video
    prompt: The sun comes up.
`;

describe('a refusal', () => {
  let folder: string;
  let film: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    film = join(folder, 'film.yaml');
    writeFileSync(film, FILM);
  });

  it.each([
    ['a verb that is none', ['rendr'], 'Did you mean render?'],
    ['an option that is none', ['list', '--jsn'], 'Did you mean --json?'],
    ['no file', ['render'], "missing required argument 'file'"],
    [
      'a production for a statement about all',
      ['ledger', 'film', '--nothing-sent-since-backup'],
      'all productions, not of "film" alone; leave out the id',
    ],
    ['a production for a backup of all', ['ledger', 'film', '--backup', 'books'], '--backup is about the whole ledger'],
    ['a production for a restore of all', ['ledger', 'film', '--restore', 'books'], '--restore is about the whole'],
    [
      'a statement about a backup that is only made',
      ['ledger', '--backup', 'books', '--nothing-sent-since-backup'],
      'does not go with --backup',
    ],
    ['an id that could leave the store', ['status', '../elsewhere'], 'letters, digits'],
    ['a number that is none', ['render', 'film.yaml', '--max-in-flight', 'many'], 'whole number'],
    ['no shot at once', ['render', 'film.yaml', '--max-in-flight', '0'], '1 or more'],
    ['a share that is none', ['sandbox', '--failed-share', '2'], 'between 0 and 1'],
    ['a place that is none', ['sandbox', '--last-frame-place', 'under the mat'], 'not one of lastFrame'],
    ['a model that is not known', ['models', 'gamma'], 'does not know the parameters of "gamma"'],
    ['a model that is misspelt', ['models', 'beta-vidio'], 'did you mean "beta-video"'],
    ['a production that is not known', ['status', 'nowhere'], 'dailies list'],
    ['a task without a model', ['generate', '--prompt', 'x'], '--model'],
    [
      'a parameter of the other model',
      ['generate', '--model', 'beta-video', '--prompt', 'x', '--set', 'seed=1'],
      'seed',
    ],
    ['a file that is not there', ['render', 'nothing.yaml'], 'nothing.yaml:1:1 there is no such file'],
    ['the name where single tasks are kept', ['render', 'film.yaml', '--id', 'generations'], '--id'],
  ])('is given for %s, with exit code 2 and a way out', async (_, args, words) => {
    const { exitCode, stdout, stderr } = await dailies(args, { folder });
    expect(stderr).toContain(words);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
  });

  it('names every invalid variable, and no secret', async () => {
    const env = { DAILIES_GATEWAY_URL: 'ftp://gateway', DAILIES_GATEWAY_KEY: KEY, DAILIES_FILE_VALUES: 'fax' };
    const { exitCode, stderr } = await dailies(['list'], { folder, env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('DAILIES_GATEWAY_URL');
    expect(stderr).toContain('DAILIES_FILE_VALUES');
    expect(stderr).not.toContain(KEY);
  });

  it('is given for a store of a newer version', async () => {
    mkdirSync(join(folder, 'store'));
    writeFileSync(join(folder, 'store', 'store.json'), JSON.stringify({ format: 99, id: 'a'.repeat(12) }));
    const { exitCode, stderr } = await dailies(['list'], { folder });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('update Dailies');
  });

  it('is given for a folder that cannot hold a store, with the variable that names it', async () => {
    const { exitCode, stderr } = await dailies(['list'], { folder, env: { DAILIES_STORE: join(film, 'store') } });
    expect(stderr).toContain(join(film, 'store'));
    expect(stderr).toContain('DAILIES_STORE');
    expect(exitCode).toBe(2);
  });

  it('is given for a missing ffmpeg, since no gateway or server is at fault', async () => {
    const env = { FFMPEG_PATH: join(folder, 'no-ffmpeg') };
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], { folder, env });
    expect(stderr).toContain('no-ffmpeg');
    expect(stderr).toContain('FFMPEG_PATH');
    expect(exitCode).toBe(2);
  });

  it('names every error of a file, one line each, and stores nothing', async () => {
    writeFileSync(film, FILM.replace('prompt:', 'promt:').replace('beta-video', 'beta-video\n    duration: 99'));
    for (const verb of ['render', 'validate']) {
      const { exitCode, stdout, stderr } = await dailies([verb, 'film.yaml'], { folder });
      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^film\.yaml:6:15 .*99/m);
      expect(stderr).toMatch(/^film\.yaml:7:5 .*promt.*Did you mean "prompt"/m);
    }
    expect(readdirSync(folder)).toEqual(['film.yaml']);
  });

  it('is not given for a valid file without a key, since validation needs no gateway', async () => {
    const env = { DAILIES_GATEWAY_URL: 'http://127.0.0.1:1' };
    expect(await dailies(['validate', 'film.yaml'], { folder, env })).toMatchObject({ exitCode: 0 });
    const fax = await dailies(['validate', 'film.yaml'], { folder, env: { ...env, DAILIES_FILE_VALUES: 'fax' } });
    expect(fax).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('DAILIES_FILE_VALUES must be') });
    expect((await dailies(['list'], { folder, env })).stderr).toContain('DAILIES_GATEWAY_KEY');
  });

  it('prints one JSON object on stdout with --json', async () => {
    const { stdout } = await dailies(['status', 'nowhere', '--json'], { folder });
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('nowhere') });
  });

  it('leaves the id of a refused file unclaimed', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'film.yaml'), FILM);
    const env = { DAILIES_GATEWAY_URL: 'http://127.0.0.1:1', DAILIES_GATEWAY_KEY: KEY };
    expect((await dailies(['render', 'film.yaml'], { folder, env })).exitCode).toBe(4);
    expect((await dailies(['render', 'other/film.yaml'], { folder, env })).exitCode).toBe(4);
    const store = await openStore(join(folder, 'store'));
    expect(await store.productions.source('film')).toBeUndefined();
  });
});

/** Verbs and their messages for a production that is unknown or in another state. None of them starts anything. */
describe('a verb about a production', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    const store = await openStore(join(folder, 'store'));
    const loaded = await loadProduction(join(folder, 'film.yaml'), policy);
    if (!loaded.ok) throw new Error('the film is broken');
    const { productions } = store;
    for (const id of ['ended', 'ended-paused', 'ended-chosen', 'open', 'paused', 'foreign', 'half', 'shop.cup']) {
      const { ref } = await freezeProduction(loaded.production, store, { id });
      const account = id === 'foreign' ? 'another' : 'sandbox';
      await productions.begin(id, { renderId: 'render-1', production: ref, account, at: AT });
      if (!id.startsWith('ended')) continue;
      const takes = [1, 2].map((take) => ({ take, state: 'completed' }));
      const made = { ended: { takes: [] }, 'ended-chosen': { takes, filmTake: 1, state: 'completed' } }[id] ?? {
        takes: takes.slice(0, 1),
      };
      const shot = { id: 'dawn', model: 'beta-2.5', state: 'cancelled', reason: null, parked: null, ...made };
      const status = {
        production: id,
        title: id,
        state: 'cancelled',
        renderId: 'render-1',
        frozen: ref,
        shots: [shot],
      };
      const rest = { film: null, assembly: 'waiting', reason: null, startedAt: AT, endedAt: AT };
      await recordsOf(store).replace(`productions/${id}/status`, { ...status, ...rest });
    }
    for (const id of ['paused', 'ended-paused']) await store.holds.pause(id, 'by hand');
    const { ref: frozen } = await freezeProduction(loaded.production, store, { id: 'run' });
    await store.runs.claim('night', 'run');
    await productions.begin('run', { renderId: 'render-1', production: frozen, account: 'sandbox', at: AT });
    await store.runs.record({
      ...{ kind: 'production', schedule: 'night', productionId: 'run', scheduledAt: AT, by: 'schedule', number: 1 },
      ...{ account: 'sandbox', template: frozen, at: AT, production: frozen, plan: frozen },
    });
    await store.holds.hold('run', 'it was interrupted');
    const shop = {
      rows: [recordedRow('cup')],
      ends: [recordedEnd('cup', {})],
      title: 'Shop',
      state: 'incomplete',
    } as const;
    await recordRun(store, 'shop', shop);
    const fork = { of: 'ended', from: null, account: 'sandbox', at: AT };
    await recordsOf(store).create('productions/half/fork', { ...fork, done: false });
    await recordsOf(store).create('productions/forked/fork', { ...fork, done: true });
  });

  it.each<[string, readonly string[], string]>([
    ['pause of an unknown one', ['pause', 'nowhere'], 'no production or batch "nowhere" is known here'],
    ['pause of one that has ended', ['pause', 'ended'], 'has ended (cancelled); there is nothing to pause'],
    ['pause of a paused one', ['pause', 'paused'], 'paused already; `dailies resume paused`'],
    ['resume of an unknown one', ['resume', 'nowhere'], 'no production or batch "nowhere" is known here'],
    ['resume of a misspelt one', ['resume', 'paussed'], 'Did you mean "paused"?'],
    ['resume of one that has ended', ['resume', 'ended'], 'has ended (cancelled); there is nothing to resume'],
    [
      'resume of one that ended while it was paused',
      ['resume', 'ended-paused'],
      'has ended (cancelled); there is nothing',
    ],
    ['resume of one that nobody paused', ['resume', 'open'], 'is not paused'],
    [
      'resume of a run of a schedule that was interrupted',
      ['resume', 'run'],
      'it was interrupted; `dailies schedule trigger night --again run` goes on with it',
    ],
    ['approve where only a render is left', ['approve', 'ended', 'dawn'], '`dailies render FILE --id ended`'],
    ['approve where a take can be chosen', ['approve', 'ended-paused', 'dawn'], '`dailies choose ended-paused dawn 1`'],
    ['approve if another take is used', ['approve', 'ended-chosen', 'dawn'], '`dailies choose ended-chosen dawn 2`'],
    ['render of a paused one', ['render', 'film.yaml', '--id', 'paused'], '`dailies resume paused` lets it go on'],
    ['render of half a fork', ['render', 'film.yaml', '--id', 'half'], 'type first: dailies fork ended half'],
    ['plan of half a fork', ['plan', 'film.yaml', '--id', 'half'], 'type first: dailies fork ended half'],
    ['status of a fork that was not rendered', ['status', 'forked'], 'type: dailies render FILE --id forked'],
    ['retake in a fork that was not rendered', ['retake', 'forked', 'dawn'], 'type: dailies render FILE --id forked'],
    ['cancel of an unknown one', ['cancel', 'nowhere'], 'no production "nowhere" is known here'],
    ['cancel of an unknown one without waiting', ['cancel', 'nowhere', '--no-wait'], 'no production "nowhere"'],
    ['assemble of an unknown one', ['assemble', 'nowhere'], 'no production "nowhere" is known here'],
    [
      'assemble of one that has ended without a clip',
      ['assemble', 'ended'],
      'no clip of production "ended" is there yet:\n  dawn (cancelled)',
    ],
    ['assemble of one that was interrupted without a clip', ['assemble', 'open'], 'is there yet'],
    ['fork of an unknown one', ['fork', 'nowhere', 'new'], 'no production "nowhere" is known here'],
    ['fork of one without a take', ['fork', 'ended', 'new'], 'nothing of "ended" can be reused: dawn: it has no take'],
    ['fork from an unknown shot', ['fork', 'ended', 'new', '--from', 'noon'], 'has no shot "noon"; it has dawn'],
    ['fork from a misspelt shot', ['fork', 'ended', 'new', '--from', 'dwan'], 'Did you mean "dawn"?'],
    ['status of a misspelt one', ['status', 'edned'], 'Did you mean "ended"?'],
    ['batch status of an unknown one', ['batch', 'status', 'nowhere'], 'no batch "nowhere" is known here'],
    ['a misspelt verb', ['stauts', 'ended'], 'Did you mean status?'],
    ['fork as itself', ['fork', 'ended', 'ended'], 'cannot be the new production'],
    ['fork as what is kept', ['fork', 'ended', 'generations'], 'it is reserved for `dailies generate`'],
    ['fork of another account', ['fork', 'foreign', 'new'], 'for the account another'],
    ['budget of an unknown one', ['budget', 'nowhere'], 'no production "nowhere" is known here'],
    ['budget for an unknown one', ['budget', 'nowhere', '--credits', '5'], 'no production "nowhere" is known here'],
    ['budget for one of another account', ['budget', 'foreign', '--credits', '5'], 'for the account another'],
    ['budget that is no number', ['budget', 'ended', '--credits', 'plenty'], 'a number, 0 or more'],
    ['audit of an unknown one', ['audit', 'nowhere'], 'no production "nowhere" is known here'],
    ['ledger of an unknown one', ['ledger', 'nowhere'], 'no takes of "nowhere"'],
    ['ledger of a misspelt one', ['ledger', 'edned'], 'Did you mean "ended"?'],
    [
      'export of a misspelt one',
      ['export', 'edned'],
      'no production or batch "edned" is known here; see `dailies list`. Did',
    ],
    ['ledger of one without takes', ['ledger', 'open'], 'no takes of "open" for the account sandbox.\n'],
    [
      'export of a misspelt batch',
      ['export', 'shpo'],
      'no production or batch "shpo" is known here; see `dailies list`. Did',
    ],
    ['resolve of a row that is a production', ['resolve', 'shop', 'cup', '--skip'], 'see `dailies status shop.cup`'],
    ['resolve of an unknown row', ['resolve', 'shop', 'pot', '--skip'], 'has no row "pot" that waits'],
    ['a misspelt verb of a batch', ['batch', 'stauts', 'shop'], 'Did you mean status?'],
    ['a misspelt verb of a schedule', ['schedule', 'shwo', 'night'], 'Did you mean show?'],
  ])('refuses %s, and changes nothing', async (_what, args, words) => {
    const before = filesIn(join(folder, 'store'));
    const { exitCode, stdout, stderr } = await dailies(args, { folder });
    expect(stderr).toContain(words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(filesIn(join(folder, 'store'))).toEqual(before);
  });
});

/**
 * Verbs that direct a production, by what they say where that cannot be. `ended` has a take whose clip, a person's
 * own, is lost, one that failed, and one that renders; `open` was interrupted before anything was sent.
 */
describe('a verb that directs a production', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), `${FILM}  - { id: dusk, model: beta-video, prompt: The sun goes down. }`);
    writeFileSync(join(folder, 'broken.yaml'), FILM.replace('prompt', 'promt'));
    const store = await openStore(join(folder, 'store'));
    const loaded = await loadProduction(join(folder, 'film.yaml'), policy);
    if (!loaded.ok) throw new Error('the film is broken');
    const { productions } = store;
    for (const id of ['ended', 'open', 'foreign', 'old']) {
      const { frozen, ref, plan: ordered, written } = await freezeProduction(loaded.production, store, { id });
      const account = id === 'foreign' ? 'another' : 'sandbox';
      const plan = id === 'old' ? {} : { plan: await store.putJson(ordered), written };
      await productions.begin(id, { renderId: 'render-1', production: ref, account, at: AT, ...plan });
      if (id !== 'ended') continue;
      await recordsOf(store).replace(`productions/${id}/status`, { renderId: 'render-1', shots: [], film: null });
      const ask = askKey({ account, productionId: id, shot: frozen.shots[0]!, links: [] });
      // A folder lists them in any order.
      for (const [count, state] of [
        [2, undefined],
        [0, 'failed'],
        [1, 'completed'],
      ] as const) {
        await noteTake(store, id, ask, count, state);
      }
      const asset = { sha256: ask, sizeBytes: 1, mediaType: 'video/mp4', durationSeconds: 4, width: 1, height: 1 };
      const use = { kind: 'use', by: 'person', afterSending: 1, asset, at: AT } as const;
      await store.ledger.decide({ productionId: id, shotId: 'dawn', take: 2 }, 1, use);
    }
  });

  async function noteTake(
    { ledger }: FolderStore,
    productionId: string,
    ask: string,
    count: number,
    state: 'failed' | 'completed' | undefined,
  ): Promise<void> {
    const address = { productionId, shotId: 'dawn', take: count + 1 };
    const taskId = `task-${count}`;
    await ledger.intend(address, intent({ askKey: ask, takeKey: takeKey(ask, count), count }));
    await ledger.beginSending(address, 1, sent());
    await ledger.endSending(address, 1, { kind: 'accepted', record: { taskId, at: AT } });
    if (state !== undefined) await ledger.settle(address, settled(state, taskId, 20));
  }

  const unknown = 'no production "nowhere" is known here; see `dailies list`';
  const noNoon = 'has no shot "noon"; it has dawn, dusk';
  it.each<[string, readonly string[], string]>([
    ['takes of an unknown production', ['takes', 'nowhere'], unknown],
    ['takes of an unknown shot', ['takes', 'ended', 'noon'], noNoon],
    ['takes of single tasks', ['takes', 'generations'], 'no production "generations"'],
    ['choose in an unknown production', ['choose', 'nowhere', 'dawn', '1'], unknown],
    ['choose for an unknown shot', ['choose', 'ended', 'noon', '1'], noNoon],
    ['choose of no number', ['choose', 'ended', 'dawn', 'best'], 'whole number'],
    ['choose of a take that is not there', ['choose', 'ended', 'dawn', '9'], 'has no take 9; it has 1, 2, 3'],
    ['choose for a shot without a take', ['choose', 'ended', 'dusk', '1'], 'has no take 1; it has none'],
    ['choose of a take that failed', ['choose', 'ended', 'dawn', '1'], 'cannot be chosen: it is failed'],
    ['choose of a clip of one’s own that is lost', ['choose', 'ended', 'dawn', '2'], 'is no longer in the store'],
    ['choose of a take under way', ['choose', 'ended', 'dawn', '3', '--yes'], 'cannot be chosen: it is rendering'],
    ['choose in another account’s', ['choose', 'foreign', 'dawn', '1'], 'for the account another'],
    ['choose in one of which no plan is kept', ['choose', 'old', 'dawn', '1'], '`dailies render FILE --id old`'],
    ['retake in an unknown production', ['retake', 'nowhere', 'dawn'], unknown],
    ['retake of an unknown shot', ['retake', 'ended', 'noon', '--yes'], noNoon],
    ['retake of a shot without a take', ['retake', 'ended', 'dusk', '--yes'], 'nothing to take again'],
    ['retake with a value that cannot be', ['retake', 'ended', 'dawn', '--set', 'duration=99'], 'from 4 to 30'],
    ['retake with what is no pair', ['retake', 'ended', 'dawn', '--set', 'duration'], 'is no pair'],
    ['retake with a parameter of another model', ['retake', 'ended', 'dawn', '--set', 'seed=1'], 'not of beta-video'],
    ['retake with what is the file’s', ['retake', 'ended', 'dawn', '--set', 'takes=2'], 'not a parameter of a model'],
    [
      'retake by a model that is declared nowhere',
      ['retake', 'ended', 'dawn', '--model', 'gamma'],
      'name alpha-video or beta-video, or declare it',
    ],
    ['retake by a misspelt model', ['retake', 'ended', 'dawn', '--model', 'beta-vidio'], 'Did you mean "beta-video"'],
    ['retake with a prompt taken away', ['retake', 'ended', 'dawn', '--set', 'prompt=null'], 'prompt is missing'],
    [
      'retake on a frame of itself',
      ['retake', 'ended', 'dawn', '--set', 'startFrame={"lastFrameOf":"dawn"}'],
      'itself',
    ],
    ['retake that nobody can say yes to', ['retake', 'ended', 'dawn'], '--yes'],
    ['approve in an unknown production', ['approve', 'nowhere', 'dawn'], unknown],
    ['approve of an unknown shot', ['approve', 'open', 'noon'], noNoon],
    ['approve in one that has ended', ['approve', 'ended', 'dawn'], 'is not running; there is nothing to approve'],
    [
      'approve in a misspelt production',
      ['approve', 'opne', 'dawn'],
      'is known here; see `dailies list`. Did you mean "open"?',
    ],
    ['approve of a misspelt shot', ['approve', 'open', 'dwan'], 'has no shot "dwan". Did you mean "dawn"?'],
    ['resolve of a misspelt shot', ['resolve', 'ended', 'dwan', '--skip'], 'Did you mean "dawn"?'],
    [
      'approve of a shot that has not been rendered',
      ['approve', 'open', 'dawn'],
      'is not in review: it is pending; there is',
    ],
    ['reject in an unknown production', ['reject', 'nowhere', 'dawn'], unknown],
    ['review of an unknown production', ['review', 'nowhere'], unknown],
    ['review without a terminal', ['review', 'open'], 'there is no terminal to review on'],
    ['reject of an unknown shot', ['reject', 'open', 'noon'], noNoon],
    ['reject in one that has ended', ['reject', 'ended', 'dawn', '--yes'], '"ended" is not running'],
    ['reject of a shot that is not in review', ['reject', 'open', 'dawn', '--yes'], 'is not in review: it is pending'],
    ['edit of an unknown production', ['edit', 'nowhere', 'film.yaml'], unknown],
    ['edit of one that has ended', ['edit', 'ended', 'film.yaml'], '`dailies render film.yaml --id ended`'],
    ['edit by the very same file', ['edit', 'open', 'film.yaml', '--yes'], 'nothing to change'],
    ['edit by a broken file', ['edit', 'open', 'broken.yaml'], 'Did you mean "prompt"?'],
    ['edit by a file that is not there', ['edit', 'open', 'none.yaml'], 'there is no such file'],
  ])('refuses %s, and changes nothing', async (_what, args, words) => {
    const store = filesIn(join(folder, 'store'));
    const { exitCode, stdout, stderr } = await dailies(args, { folder });
    expect(stderr).toContain(words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(filesIn(join(folder, 'store'))).toEqual(store);
  });
});

describe('an unreachable server', () => {
  let folder: string;
  let server: Server | undefined;
  beforeEach(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
  });
  afterEach(() => {
    server?.close();
  });

  it('is a gateway that does not answer, with exit code 4 and its address', async () => {
    const env = { DAILIES_GATEWAY_URL: 'http://127.0.0.1:1/base', DAILIES_GATEWAY_KEY: KEY };
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], { folder, env });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('http://127.0.0.1:1/base');
    expect(stderr).not.toContain(KEY);
  });

  it('includes a gateway that refuses the key, before anything is sent', async () => {
    const asked: string[] = [];
    server = createServer((request, response) => {
      asked.push(request.method ?? '');
      response.writeHead(401).end(JSON.stringify({ status: 'error', error: { message: `no ${KEY}` } }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { DAILIES_GATEWAY_URL: `http://127.0.0.1:${port}`, DAILIES_GATEWAY_KEY: KEY };
    const { exitCode, stderr } = await dailies(['render', 'film.yaml'], { folder, env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('DAILIES_GATEWAY_KEY');
    expect(stderr).not.toContain(KEY);
    expect(asked).toEqual(['GET']);
    const doctor = await dailies(['doctor'], { folder, env });
    expect(doctor.exitCode).toBe(2);
    expect(doctor.stdout).toContain('refused');
  });

  it('is a Temporal server that does not answer', async () => {
    await openStore(join(folder, 'store'));
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const verbs = [['render', 'film.yaml'], ['status', 'film'], ['doctor']];
    for (const ended of await Promise.all(verbs.map((args) => dailies(args, { folder, env })))) {
      expect(ended.exitCode).toBe(4);
      expect(ended.stdout + ended.stderr).toContain('127.0.0.1:1');
    }
  });
});
