import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Wire } from './faults/wire';

/** Dailies' part of a request's context. It is not in `Wire`'s module, because Hono's types need the DOM's. */
export interface WireEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly wire: Wire };
}
export type WireContext = Context<WireEnv>;
