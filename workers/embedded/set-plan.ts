import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { SandboxOptions } from '../../sandbox';
import { LEAN_MALLOC } from '../lean-memory';
import { TEMPORAL_CLI_MISSING, findTemporalCli } from '../temporal-cli';
import type { TemporalServerSettings } from '../temporal-server';
import { entryPoint } from './entry-point';
import { EmbeddedSetFailed } from './errors';
import type { Announcement } from './part-process';
import { setFiles, type SetFiles } from './set-files';

/**
 * Time for the worker to finish a submit in flight. If the worker is killed earlier, the take becomes unclear.
 *
 * MAINTENANCE: keep this above LEAVE_WITHIN_MS in workers/stop-signals.ts. Importing that constant would make every
 * command load the imports of stop-signals.ts.
 */
const WORKER_GRACE_MS = 210_000;
const SANDBOX_GRACE_MS = 5_000;
/** More than STOP_LIMIT_MS in workers/temporal-main.ts, the time in which the server must end. */
const TEMPORAL_GRACE_MS = 8_000;

/** Only the worker may have the gateway's key. Servers get their settings by message. */
const NOT_FOR_SERVERS = /^(DAILIES|TEMPORAL)_/;
/** The set itself says where its gateway and its Temporal server are. */
const NOT_FOR_WORKER = /^(DAILIES_GATEWAY|TEMPORAL)_/;

/**
 * The worker on the set's own server has no version: a versioned worker would get no work there until a person made its
 * version current.
 */
const NO_VERSION = { DAILIES_DEPLOYMENT: '', DAILIES_BUILD_ID: '', DAILIES_VERSIONING: '' };

/** One process of the set, as data. The supervisor knows nothing else about it. */
export interface PartPlan {
  readonly name: string;
  /** A compiled Node program. It sends `PartMessage`s, and ends on SIGTERM or when its IPC channel closes. */
  readonly script: string;
  readonly env: Announcement;
  readonly settings: unknown;
  /** Parts that must announce themselves first. Their announcements are in this part's environment. */
  readonly after: readonly string[];
  /** Time from SIGTERM to SIGKILL. */
  readonly graceMs: number;
}

/** The set's sandbox accepts only the key `apiKey`. */
export type SandboxSettings = SandboxOptions & { readonly apiKey: string; readonly keyFile: string };

/** The settings on which a running set and a command must agree. */
export interface SetIdentity {
  readonly gatewayAccount: string;
  /** Null for the sandbox. */
  readonly gatewayUrl: string | null;
  /** Null for the set's own server. */
  readonly temporalAddress: string | null;
}

export interface SetPlan {
  readonly files: SetFiles;
  readonly identity: SetIdentity;
  /** Each part comes after the parts that it needs. The supervisor stops the parts in reverse order. */
  readonly parts: readonly PartPlan[];
}

export interface EmbeddedOptions {
  readonly storeFolder: string;
  /** The environment to start the set with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gatewayAccount: string;
  /** Absent: the set has its own Temporal server. */
  readonly temporalAddress?: string;
  /** Absent: the sandbox is used. */
  readonly gatewayUrl?: string;
  /** Whether the set's own Temporal server serves its UI. Only used if this call starts the set. @default false */
  readonly ui?: boolean;
  /** How the sandbox behaves; see sandbox/. */
  readonly sandbox?: Omit<SandboxOptions, 'folder' | 'apiKey' | 'port' | 'ffmpegPath'>;
}

/**
 * Plans the processes of a store's embedded set: its own Temporal server and the sandbox, if needed, and a worker.
 *
 * @throws EmbeddedSetFailed if the set needs its own Temporal server and no Temporal CLI is found.
 */
export function planSet(options: EmbeddedOptions): SetPlan {
  const { gatewayAccount, gatewayUrl = null, temporalAddress = null } = options;
  const files = setFiles(options.storeFolder);
  const servers = [
    ...(temporalAddress === null ? [temporalPart(options, files)] : []),
    ...(gatewayUrl === null ? [sandboxPart(options, files)] : []),
  ];
  const worker: PartPlan = {
    name: 'worker',
    script: entryPoint('main'),
    env: {
      ...LEAN_MALLOC,
      ...without(options.env, NOT_FOR_WORKER),
      ...temporalEnvironment(options, files),
      ...gatewayEnvironment(options),
      DAILIES_GATEWAY_ACCOUNT: gatewayAccount,
      DAILIES_STORE: resolve(options.storeFolder),
    },
    settings: null,
    after: servers.map((server) => server.name),
    graceMs: WORKER_GRACE_MS,
  };
  return { files, identity: { gatewayAccount, gatewayUrl, temporalAddress }, parts: [...servers, worker] };
}

function temporalPart({ env, ui = false }: EmbeddedOptions, files: SetFiles): PartPlan {
  const cli = findTemporalCli(env);
  if (cli === undefined) throw new EmbeddedSetFailed(TEMPORAL_CLI_MISSING);
  const settings: TemporalServerSettings = { cli: cli.path, databaseFile: files.database, ui };
  return {
    name: 'temporal',
    script: entryPoint('temporal-main'),
    env: without(env, NOT_FOR_SERVERS),
    settings,
    after: [],
    graceMs: TEMPORAL_GRACE_MS,
  };
}

function sandboxPart({ env, sandbox }: EmbeddedOptions, files: SetFiles): PartPlan {
  const ffmpegPath = env['FFMPEG_PATH'];
  const settings: SandboxSettings = {
    ...sandbox,
    ...(ffmpegPath === undefined ? {} : { ffmpegPath }),
    folder: files.sandbox,
    keyFile: files.sandboxKey,
    apiKey: randomBytes(24).toString('base64url'),
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

/**
 * Names the Temporal server for the worker. The set's own server announces its address itself. Its worker does not get
 * the user's Temporal profile, because the profile's TLS, key and namespace are for another server.
 */
function temporalEnvironment({ env, temporalAddress }: EmbeddedOptions, files: SetFiles): Announcement {
  return temporalAddress === undefined
    ? { TEMPORAL_CONFIG_FILE: files.noProfile, ...NO_VERSION }
    : { ...matching(env, /^TEMPORAL_/), TEMPORAL_ADDRESS: temporalAddress };
}

/** Names the gateway for the worker. Empty for the sandbox, which announces its address and key itself. */
function gatewayEnvironment({ env, gatewayUrl }: EmbeddedOptions): Announcement {
  return gatewayUrl === undefined ? {} : { ...matching(env, /^DAILIES_GATEWAY_/), DAILIES_GATEWAY_URL: gatewayUrl };
}

function without(env: EmbeddedOptions['env'], names: RegExp): Announcement {
  return select(env, (name) => !names.test(name));
}

function matching(env: EmbeddedOptions['env'], names: RegExp): Announcement {
  return select(env, (name) => names.test(name));
}

function select(env: EmbeddedOptions['env'], wanted: (name: string) => boolean): Announcement {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0])),
  );
}
