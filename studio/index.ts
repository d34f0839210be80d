import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { getRequestListener } from '@hono/node-server';
import { batches } from './pages/batch/batches';
import { editing } from './pages/file/edit';
import { home } from './pages/home';
import { newProduction } from './pages/file/new';
import { production } from './pages/film/production';
import { queue } from './pages/queue';
import { review } from './pages/review';
import { schedules } from './pages/schedule/schedules';
import { shot } from './pages/film/shot';
import { createApp } from './server/app';
import { createGuard, isWildcardAddress } from './server/guard';
import { type Section } from './server/page';
import { type Studio } from './server/studio';

export type { Studio } from './server/studio';

/** All sections of the studio, which serve its pages, files and actions. */
export const SECTIONS: readonly Section[] = [
  home,
  newProduction,
  production,
  editing,
  shot,
  review,
  batches,
  schedules,
  queue,
];

export interface StudioOptions {
  readonly studio: Studio;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Default: 127.0.0.1. The command requires a token for a host that is not local; `startStudio` does not. */
  readonly host?: string | undefined;
  /** Default: a random token. */
  readonly token?: string | undefined;
  /** Called with an unexpected error of a request. */
  readonly onError: (error: Error) => void;
  /**
   * Folder of the style sheets and compiled scripts. Default: this module's folder `browser`, which has compiled
   * scripts only in the build.
   */
  readonly browserFolder?: string | undefined;
}

export interface RunningStudio {
  readonly port: number;
  /** The address to open, with the token. */
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the studio. @throws the error of listening, for example with code EADDRINUSE or EADDRNOTAVAIL. */
export async function startStudio({
  studio,
  port = 0,
  host = '127.0.0.1',
  token,
  onError,
  browserFolder,
}: StudioOptions): Promise<RunningStudio> {
  const server: Server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  const { port: boundPort, address: boundAddress } = server.address() as AddressInfo;
  const isWildcard = isWildcardAddress(boundAddress);
  const reachableHost = isWildcard ? addressOfMachine() : host;
  const hostInUrl = reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost;
  const guard = createGuard({ port: () => boundPort, listensOn: isWildcard ? boundAddress : host, token });
  const app = createApp({ studio, guard, sections: SECTIONS, onError, browserFolder });
  const listener = getRequestListener(app.fetch);
  server.on('request', (incoming, outgoing) => void listener(incoming, outgoing));
  return {
    port: boundPort,
    address: `http://${hostInUrl}:${boundPort}${guard.entrance}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The first IPv4 address that other machines may be able to reach; 127.0.0.1 if there is none. */
function addressOfMachine(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
