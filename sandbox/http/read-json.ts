import type { Context } from 'hono';
import { RequestRefused } from './request-refused';

/** Returns the request's JSON body. @throws RequestRefused 415 for another content type, 400 for invalid JSON. */
export async function readJson(context: Context): Promise<unknown> {
  const contentType = context.req.header('content-type') ?? 'none';
  if (!/^application\/json\b/i.test(contentType)) {
    throw new RequestRefused(
      415,
      'unsupported_media_type',
      `Content-Type is ${contentType}; it must be application/json.`,
    );
  }
  try {
    return await context.req.json<unknown>();
  } catch (error) {
    if (error instanceof RequestRefused) throw error;
    throw new RequestRefused(400, 'malformed_request', 'The body is not valid JSON.');
  }
}
