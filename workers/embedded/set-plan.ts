import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { TEMPORAL_CLI_MISSING, findTemporalCli } from '../temporal-cli';
import type { SandboxSettings } from '../sandbox-main';
import type { TemporalServerSettings } from '../temporal-server';
import { entryPoint } from './entry-point';
import { EmbeddedSetFailed } from './errors';
import type { Announcement } from './part-process';

/** The worker finishes a submit that is in flight: its time limit is 30 s, and the answer has to reach the ledger. */
const WORKER_GRACE_MS = 40_000;
const SANDBOX_GRACE_MS = 5_000;
/** More than the guard gives the server. */
const TEMPORAL_GRACE_MS = 8_000;

/** The gateway's key is for the worker alone; the servers take their settings by message. */
const NOT_FOR_SERVERS = /^(DAILIES|TEMPORAL)_/;

/** One process of the set, as data: the supervisor knows nothing else of it. */
export interface PartPlan {
  readonly name: string;
  /** A compiled Node program that answers by `PartMessage`, ends on SIGTERM and when its IPC channel closes. */
  readonly script: string;
  readonly env: Announcement;
  readonly settings: unknown;
  /** Started once these have announced themselves, with their announcements in its environment. */
  readonly after: readonly string[];
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
}

/** What a running set and a command must agree on. */
export interface SetIdentity {
  readonly gatewayAccount: string;
  /** Null for the sandbox. */
  readonly gatewayUrl: string | null;
  /** Null for the set's own server. */
  readonly temporalAddress: string | null;
}

export interface SetPlan {
  readonly folder: string;
  readonly identity: SetIdentity;
  /** In the order of their start; stopped in the opposite one. */
  readonly parts: readonly PartPlan[];
}

export interface EmbeddedOptions {
  readonly storeFolder: string;
  /** The environment to start the set with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gatewayAccount: string;
  /** Absent: the set has a Temporal server of its own. */
  readonly temporalAddress?: string;
  /** Absent: the sandbox serves. */
  readonly gatewayUrl?: string;
  /** How the sandbox behaves; see sandbox/. */
  readonly sandbox?: SandboxSettings['behaviour'];
}

/** Where everything of a store's embedded set lies. */
export function embeddedFolder(storeFolder: string): string {
  return join(resolve(storeFolder), 'embedded');
}

/**
 * Plans the processes of a store's embedded set.
 *
 * @throws EmbeddedSetFailed where a Temporal server is needed and none is installed.
 */
export function planSet(options: EmbeddedOptions): SetPlan {
  const folder = embeddedFolder(options.storeFolder);
  const temporalAddress = options.temporalAddress ?? null;
  const gatewayUrl = options.gatewayUrl ?? null;
  const sandboxKey = randomBytes(24).toString('base64url');

  const parts: PartPlan[] = [];
  if (temporalAddress === null) parts.push(temporalPart(options, folder));
  if (gatewayUrl === null) parts.push(sandboxPart(options, folder, sandboxKey));
  parts.push({
    name: 'worker',
    script: entryPoint('main'),
    env: {
      ...(temporalAddress === null
        ? // A profile meant for another server must not reach the set's own: no TLS, no key, no namespace of its.
          { ...without(options.env, /^TEMPORAL_/), TEMPORAL_CONFIG_FILE: join(folder, 'no-temporal.toml') }
        : { ...without(options.env), TEMPORAL_ADDRESS: temporalAddress }),
      DAILIES_GATEWAY_ACCOUNT: options.gatewayAccount,
      DAILIES_STORE: resolve(options.storeFolder),
    },
    settings: null,
    after: parts.map((part) => part.name),
    graceMs: WORKER_GRACE_MS,
  });
  return { folder, identity: { gatewayAccount: options.gatewayAccount, gatewayUrl, temporalAddress }, parts };
}

function temporalPart({ env }: EmbeddedOptions, folder: string): PartPlan {
  const cli = findTemporalCli(env);
  if (cli === undefined) throw new EmbeddedSetFailed(TEMPORAL_CLI_MISSING);
  const settings: TemporalServerSettings = { cli: cli.path, databaseFile: join(folder, 'temporal.db') };
  return {
    name: 'temporal',
    script: entryPoint('temporal-main'),
    env: without(env, NOT_FOR_SERVERS),
    settings,
    after: [],
    graceMs: TEMPORAL_GRACE_MS,
  };
}

function sandboxPart({ env, sandbox }: EmbeddedOptions, folder: string, apiKey: string): PartPlan {
  const ffmpegPath = env['FFMPEG_PATH'];
  const settings: SandboxSettings = {
    folder: join(folder, 'sandbox'),
    apiKey,
    ...(ffmpegPath === undefined ? {} : { ffmpegPath }),
    behaviour: sandbox ?? {},
  };
  return {
    name: 'sandbox',
    script: entryPoint('sandbox-main'),
    env: without(env, NOT_FOR_SERVERS),
    settings,
    after: [],
    graceMs: SANDBOX_GRACE_MS,
  };
}

/** The environment without the variables of those names. */
function without(env: EmbeddedOptions['env'], names = /^$/): Announcement {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !names.test(entry[0])),
  );
}
