import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Wire } from './faults/wire';

/** What a request's context has beside Hono's own; apart from `Wire`, since these types need a browser's. */
export interface WireEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly wire: Wire };
}
export type WireContext = Context<WireEnv>;
