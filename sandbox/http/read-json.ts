import type { Context } from 'hono';
import { RequestRefused } from './request-refused';

/** @throws RequestRefused 415 if the content type is not JSON, 400 if the body is not. */
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
