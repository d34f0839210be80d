import { type ActivityDependencies } from '../activities';
import { createGatewayClient, createRedact, hostAndPort, type Timeouts } from '../gateway';
import { type Config } from './config/config';
import { ConfigError } from './config/config-error';

/** Far larger than any clip of 30 s. */
const DOWNLOAD_MAX_BYTES = 4 * 1024 ** 3;

/**
 * The dependencies of a worker's activities that follow from its configuration. The caller closes `gateway`.
 *
 * @param timeouts of calls to the gateway. Default: the gateway client's.
 * @throws ConfigError if no gateway is configured.
 */
export function workerDependencies(
  config: Config,
  timeouts: Partial<Timeouts> = {},
): Omit<ActivityDependencies, 'store' | 'heartbeatNow'> {
  if (config.gateway === null) {
    throw new ConfigError(
      'a worker needs a gateway; set DAILIES_GATEWAY_URL and its key. To use the sandbox of `dailies up`, start the ' +
        'worker with the command that `dailies up` prints',
    );
  }
  const gateway = createGatewayClient({
    baseUrl: config.gateway.url,
    apiKey: config.gateway.key.reveal(),
    plainHttpHosts: config.gateway.plainHttpHosts,
    notAcceptedStatuses: config.notAcceptedStatuses,
    timeouts,
  });
  return {
    gateway,
    account: config.account,
    fileValuePolicy: { fileValues: config.fileValues, dataUriMaxBytes: config.dataUriMaxBytes },
    downloadPolicy: {
      allowedPrivateHosts: [hostAndPort(config.gateway.url), ...config.downloadHosts],
      maxBytes: DOWNLOAD_MAX_BYTES,
      redact: createRedact(config.gateway.key.reveal()),
    },
    pollFloorMs: config.pollFloorMs,
    prices: config.prices,
    notify: { secrets: config.notifySecrets, policy: { allowedPrivateHosts: config.notifyHosts } },
    ...(config.ffmpegPath === undefined ? {} : { ffmpegPath: config.ffmpegPath }),
  };
}
