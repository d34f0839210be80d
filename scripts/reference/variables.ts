import { Environment, type Variables } from '../../workers/config/environment';

interface VariableText {
  readonly meaning: string;
  /** Unit or kind of the value. */
  readonly value: string;
  /** Shown as the default if the schema has none or an empty one. */
  readonly otherwise?: string;
}

/** The variables in the order of the page. The type requires an entry for each variable of `Environment`. */
const VARIABLES: Readonly<Record<keyof Variables, VariableText>> = {
  DAILIES_GATEWAY_URL: {
    meaning: 'Base address of the gateway.',
    value: 'URL',
    otherwise: 'none; the sandbox is used',
  },
  DAILIES_GATEWAY_KEY: { meaning: 'The API key of the gateway.', value: 'text' },
  DAILIES_GATEWAY_KEY_FILE: {
    meaning:
      'File that contains the API key, instead of `DAILIES_GATEWAY_KEY`. Your own file is refused if other users can read or write it, except on a read-only mount.',
    value: 'path',
  },
  DAILIES_GATEWAY_ACCOUNT: {
    meaning: 'Name of the account that pays. Takes of one account are never used for another.',
    value: 'text',
    otherwise: 'the origin of the gateway, or `sandbox`',
  },
  DAILIES_GATEWAY_HTTP_HOSTS: {
    meaning:
      'Hosts that may receive the key over plain http, separated by commas. Anyone on the network path can read the key.',
    value: 'host or host:port',
    otherwise: 'none; http to this machine only',
  },
  DAILIES_STORE: {
    meaning:
      'Folder of the store: assets, ledger, and the data of the Temporal server that commands start by themselves.',
    value: 'path',
    otherwise:
      '`.dailies`, searched for from the folder of the production file upwards, then from the working directory upwards',
  },
  DAILIES_STORE_ID: {
    meaning: 'The id that the store must have. If the store is missing, it is created with this id.',
    value: '12 hexadecimal digits',
    otherwise: 'any; with `TEMPORAL_ADDRESS` a missing store is created only by `dailies store --create`',
  },
  DAILIES_POLL_FLOOR_MS: {
    meaning: 'Minimum time between two reads of one task.',
    value: 'milliseconds',
    otherwise: '5000; 500 with the sandbox',
  },
  DAILIES_FILE_VALUES: {
    meaning:
      'How files are sent. `auto` and `data`: addresses as they are, other files as data URIs. `url`: only addresses; other files are refused.',
    value: 'word',
  },
  DAILIES_DATA_URI_MAX_BYTES: { meaning: 'Maximum length of a data URI that is sent.', value: 'bytes' },
  DAILIES_DOWNLOAD_HOSTS: {
    meaning:
      "Hosts in private networks that assets may be downloaded from, separated by commas. The gateway's own host is allowed at its own port.",
    value: 'host or host:port',
  },
  DAILIES_NOTIFY_SECRET: {
    meaning:
      'Secret that the worker signs notices with: `whsec_` and base64. While you replace it, two secrets separated by a space. See [notices.md](notices.md).',
    value: 'text',
    otherwise: 'none; files with `notify` are refused, unless workers run elsewhere (`TEMPORAL_ADDRESS`)',
  },
  DAILIES_NOTIFY_HOSTS: {
    meaning: 'Hosts in private networks that notices may be sent to, separated by commas.',
    value: 'host or host:port',
  },
  DAILIES_NOT_ACCEPTED_STATUSES: {
    meaning: 'Statuses that your gateway returns only if it has not accepted the task, separated by commas.',
    value: 'HTTP statuses',
  },
  DAILIES_DEPLOYMENT: {
    meaning:
      'The worker deployment that these workers belong to; one for each account and store. See [decisions/0008-deploys.md](decisions/0008-deploys.md).',
    value: 'name',
    otherwise: 'none; workers have no versions',
  },
  DAILIES_BUILD_ID: {
    meaning: 'Build id of a worker: its version within the deployment.',
    value: 'name',
    otherwise: 'a hash of its workflows',
  },
  DAILIES_VERSIONING: {
    meaning:
      'Whether running workflows continue with the current version (`auto-upgrade`) or end with the version that they started with (`pinned`).',
    value: 'word',
    otherwise: '`auto-upgrade`',
  },
  DAILIES_PRICES: {
    meaning:
      'JSON file of prices, for models without a charge in the ledger. See [plan-and-quote.md](plan-and-quote.md).',
    value: 'path',
  },
  DAILIES_SANDBOX_PICTURES: {
    meaning:
      'What the sandbox renders: `painted` scenes, or `plain` pictures of one colour, which are fast; their clips have a quarter of the width and height.',
    value: 'word',
  },
  FFMPEG_PATH: {
    meaning: 'The ffmpeg to use.',
    value: 'path',
    otherwise: 'the one on PATH, then the one from npm',
  },
  TEMPORAL_ADDRESS: {
    meaning:
      "Address of a Temporal server. Temporal's other variables and profiles are read too: see [Temporal's documentation](https://docs.temporal.io/develop/environment-configuration).",
    value: 'host:port',
    otherwise: 'none; the embedded server is used',
  },
};

/** The variables with their meaning, value and default, as Markdown. */
export function variablesReference(): string {
  const defaults: Readonly<Record<string, string | number | undefined>> = Environment.parse({});
  const sections = Object.entries(VARIABLES).map(([name, { meaning, value, otherwise }]) => {
    const ownDefault = defaults[name];
    const isSet = ['string', 'number', 'boolean'].includes(typeof ownDefault) && ownDefault !== '';
    return `### ${name}\n\n${meaning}\n\n- Value: ${value}\n- Default: ${isSet ? `\`${JSON.stringify(ownDefault).replaceAll('"', '')}\`` : (otherwise ?? 'none')}`;
  });
  return `${sections.join('\n\n')}\n`;
}
